// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "language/lex.h"
#include "model/class_builder.h"
#include "model/declared_states.h"

namespace cotree {

namespace messages = model_messages;

namespace {

// The expression among the children of a declaration: what is neither name, type, attribute nor
// documentation.
NodeId ValueOf(const SyntaxTree& tree, NodeId node) {
  for (const NodeId child : tree.Children(node)) {
    const NodeKind kind = tree.kind(child);
    if (kind != NodeKind::kName && kind != NodeKind::kType && kind != NodeKind::kAttributes &&
        kind != NodeKind::kDocumentation)
      return child;
  }
  return NodeId::None();
}

}  // namespace

ClassBuilder::ClassBuilder(ModelBuilder& builder, TreeId tree)
    : builder_(builder),
      pool_(builder.pool),
      tree_id_(tree),
      tree_(builder.model.trees[tree.index()].get()) {}

void ClassBuilder::Open(ClassId id) {
  cls_ = &builder_.model.classes[id.index()];
  building_ = false;
}

ClassId ClassBuilder::Build(DeclarationId id, NameId model_name, const ModelChoices& choices) {
  choices_ = choices;
  const Declaration declaration = builder_.declarations[id];
  class_.name = declaration.name;
  class_.package = declaration.package;
  class_.model = model_name;
  class_.kind = declaration.kind == NodeKind::kSystem     ? ClassKind::kSystem
                : declaration.kind == NodeKind::kSoftware ? ClassKind::kSoftware
                                                          : ClassKind::kComponent;
  class_.origin = At(declaration.node);
  const NodeId documentation = tree_->Child(declaration.node, NodeKind::kDocumentation);
  if (!documentation.IsNone()) class_.documentation = StringValue(tree_->Name(documentation));
  Collect(declaration.node, model_name);
  size_t instances = 0, connections = 0;
  for (const NodeId member : members_) {
    instances += tree_->kind(member) == NodeKind::kInstance ? 1u : 0u;
    connections += tree_->kind(member) == NodeKind::kConnect ? 1u : 0u;
  }
  class_.instances.reserve(instances);
  member_instances_.reserve(instances);
  class_.arguments.reserve(2 * instances);
  class_.connections.reserve(connections);
  class_.endpoints.reserve(3 * connections);
  for (const NodeId member : members_) DeclareMember(member);
  ReportStrayChoices();
  LowerShapes();
  // Parameters, then instances, then the rest: sizes of inner arrays follow from arguments, wherever those
  // stand.
  for (const NodeId member : members_) {
    if (tree_->kind(member) == NodeKind::kParameter) DefineMember(member);
  }
  size_t instance_node = 0;
  for (const NodeId member : members_) {
    if (tree_->kind(member) == NodeKind::kInstance)
      DefineInstance(member, member_instances_[instance_node++]);
  }
  for (const NodeId member : members_) {
    if (tree_->kind(member) != NodeKind::kParameter && tree_->kind(member) != NodeKind::kInstance)
      DefineMember(member);
  }
  Finish();
  const ClassId result(builder_.model.classes.size());
  builder_.model.classes.push_back(std::move(class_));
  return result;
}

// The members that hold for the chosen model: those outside of models, and those of the model.
void ClassBuilder::Collect(NodeId parent, NameId model_name) {
  for (const NodeId child : tree_->Children(parent)) {
    if (tree_->kind(child) == NodeKind::kModel) {
      if (tree_->kind(parent) == NodeKind::kModel) {
        Report(messages::kNotHere, child, {"a model", "a model"});
      } else if (!model_name.IsNone() && tree_->Name(child) == builder_.model.names.Text(model_name)) {
        Collect(child, NameId::None());
      }
    } else {
      members_.push_back(child);
    }
  }
}

void ClassBuilder::DeclareMember(NodeId node) {
  const bool system = class_.kind == ClassKind::kSystem, software = class_.kind == ClassKind::kSoftware;
  const auto refuse = [&](const char* what, const char* help) {
    Report(messages::kNotHere, node,
           {what, system     ? "a system"
                  : software ? "a software component"
                             : "a component"})
        .Help(help);
  };
  switch (tree_->kind(node)) {
    case NodeKind::kTerminal:
      if (system)
        refuse("a terminal", "a system has no outside; make it a component to use it inside another");
      else if (software)
        refuse("a terminal", "software has inputs and outputs only");
      DeclareTerminal(node);
      break;
    case NodeKind::kParameter:
      DeclareParameter(node);
      break;
    case NodeKind::kState:
      if (!software) refuse("a state", "declare it as a `variable`; states are chosen by Cotree");
      if (!IsStateNone(*tree_, node)) DeclareVariable(node);
      break;
    case NodeKind::kInput:
    case NodeKind::kOutput:
    case NodeKind::kVariable:
    case NodeKind::kExogenous:
      DeclareVariable(node);
      break;
    case NodeKind::kEdge:
      if (software) refuse("an edge", "software has no terminals; use a component");
      break;  // when all terminals are known
    case NodeKind::kInstance:
      DeclareInstance(node);
      break;
    case NodeKind::kTable:
      if (const auto table = builder_.BuildTable(*tree_, tree_id_, node)) {
        class_.tables.push_back(*table);
        Declare(node, {MemberKind::kTable, static_cast<uint32_t>(class_.tables.size() - 1)});
      } else {
        builder_.MarkBroken(class_.name, builder_.Intern(tree_->Name(node)));
      }
      break;
    case NodeKind::kFeedthrough:
    case NodeKind::kExternal:
    case NodeKind::kSetting:
      if (tree_->kind(node) == NodeKind::kSetting && tree_->Name(node) == "initial") {
        if (!system) refuse("`initial = ...`", "it belongs to a system or an experiment");
      } else if (tree_->kind(node) == NodeKind::kSetting && tree_->Name(node) == "coordinates") {
        if (!system) refuse("`coordinates = ...`", "it belongs to a system");
      } else if (tree_->kind(node) == NodeKind::kSetting && tree_->Name(node) == "spatial") {
        if (system || software) refuse("`spatial = ...`", "it belongs to a component");
      } else if (!software) {
        refuse("this", "it belongs to a `software` component");
      }
      break;
    case NodeKind::kConnect:
      if (software) refuse("a connection", "software contains no components");
      break;
    default:
      break;
  }
}

void ClassBuilder::Declare(NodeId name_node, Member member) {
  const NameId name = builder_.Intern(tree_->Name(name_node));
  if (class_.members.Insert(name, member)) return;
  const Member first = *class_.members.Find(name);
  Origin origin{};
  NodeId first_node;
  switch (first.kind) {
    case MemberKind::kTerminal:
      origin = class_.terminals[first.index].origin;
      break;
    case MemberKind::kParameter:
      origin = class_.parameters[first.index].origin;
      break;
    case MemberKind::kVariable:
      origin = class_.variables[first.index].origin;
      break;
    case MemberKind::kEdge:
      origin = class_.edges[first.index].origin;
      break;
    case MemberKind::kInstance:
      first_node = class_.instances[first.index].node;
      break;
    case MemberKind::kTable:
      break;
  }
  if (first_node.IsNone()) first_node = origin.node;
  auto& report = builder_.diagnostics.Report(messages::kDuplicateName, tree_->NameSpan(name_node),
                                             {tree_->Name(name_node)});
  if (!first_node.IsNone()) report.Also(tree_->NameSpan(first_node), "first declared here");
}

void ClassBuilder::DeclareTerminal(NodeId node) {
  const NodeId type = tree_->Child(node, NodeKind::kType);
  std::optional<DomainId> domain;
  if (!type.IsNone()) {
    const NodeId term = (*tree_)[type].first_child;
    if (tree_->kind(term) == NodeKind::kTypeName)
      domain = builder_.ResolveDomain(*tree_, (*tree_)[term].first_child, true);
    else
      Report(messages::kUnknownDomain, term, {TextOf(term)});
  }
  for (const NodeId name : tree_->Children(node)) {
    if (tree_->kind(name) != NodeKind::kName) continue;
    Terminal terminal{};
    terminal.name = builder_.Intern(tree_->Name(name));
    terminal.domain = domain.value_or(DomainId::None());
    terminal.optional = tree_->Has(node, kFlagOptional);
    terminal.origin = At(name);
    class_.terminals.push_back(terminal);
    Declare(name, {MemberKind::kTerminal, static_cast<uint32_t>(class_.terminals.size() - 1)});
  }
}

void ClassBuilder::DeclareParameter(NodeId node) {
  Type type;
  const NodeId type_node = tree_->Child(node, NodeKind::kType);
  if (!type_node.IsNone() && !builder_.ResolveType(*tree_, type_node, &class_.generics, type))
    type.declared = false;
  for (const NodeId name : tree_->Children(node)) {
    if (tree_->kind(name) != NodeKind::kName) continue;
    Parameter p{};
    p.name = builder_.Intern(tree_->Name(name));
    p.type = type;
    p.is_public = tree_->Has(node, kFlagPublic);
    p.is_final = tree_->Has(node, kFlagFinal);
    p.has_default = !ValueOf(*tree_, node).IsNone();
    p.symbol = pool_.DeclareSymbol(tree_->Name(name), SymbolKind::kParameter);
    p.origin = At(name);
    class_.parameters.push_back(p);
    Declare(name, {MemberKind::kParameter, static_cast<uint32_t>(class_.parameters.size() - 1)});
  }
}

void ClassBuilder::DeclareVariable(NodeId node) {
  Type type;
  const NodeId type_node = tree_->Child(node, NodeKind::kType);
  if (!type_node.IsNone() && !builder_.ResolveType(*tree_, type_node, &class_.generics, type))
    type.declared = false;
  const NodeKind kind = tree_->kind(node);
  const VariableRole role = kind == NodeKind::kInput       ? VariableRole::kInput
                            : kind == NodeKind::kOutput    ? VariableRole::kOutput
                            : kind == NodeKind::kState     ? VariableRole::kState
                            : kind == NodeKind::kExogenous ? VariableRole::kExogenous
                                                           : VariableRole::kVariable;
  for (const NodeId name : tree_->Children(node)) {
    if (tree_->kind(name) != NodeKind::kName) continue;
    Variable v{};
    v.name = builder_.Intern(tree_->Name(name));
    v.role = role;
    v.discrete = tree_->Has(node, kFlagDiscrete);
    v.type = type;
    const bool discrete = v.discrete || type.base != BaseType::kReal;
    v.symbol = pool_.DeclareSymbol(tree_->Name(name),
                                   role == VariableRole::kInput || role == VariableRole::kExogenous
                                       ? SymbolKind::kInput
                                   : discrete ? SymbolKind::kDiscrete
                                              : SymbolKind::kVariable);
    v.origin = At(name);
    class_.variables.push_back(v);
    Declare(name, {MemberKind::kVariable, static_cast<uint32_t>(class_.variables.size() - 1)});
  }
}

// edge e : a -> b. Between arrays of terminals it is an array of edges.
void ClassBuilder::DeclareEdge(NodeId node) {
  std::vector<NodeId> ends;
  for (const NodeId child : tree_->Children(node)) {
    if (tree_->kind(child) == NodeKind::kPath) ends.push_back(child);
  }
  const auto terminal = [&](NodeId path) -> std::optional<uint32_t> {
    const NodeId segment = (*tree_)[path].first_child;
    if (segment.IsNone()) return std::nullopt;
    const auto member = class_.members.Find(builder_.Intern(tree_->Name(segment)));
    if (member && member->kind == MemberKind::kTerminal && (*tree_)[segment].next_sibling.IsNone())
      return member->index;
    auto& report = Report(messages::kNoTerminal, path, {TextOf(path), ClassText()});
    std::vector<std::string_view> names{"reference"};
    for (const Terminal& t : class_.terminals) names.push_back(builder_.model.names.Text(t.name));
    const std::string_view near = Nearest(tree_->Name(segment), names);
    if (!near.empty()) report.Help("did you mean `" + std::string(near) + "`?");
    return std::nullopt;
  };
  std::optional<uint32_t> from, to;
  bool reference = false, ok = ends.size() == 2;
  if (ok) {
    from = terminal(ends[0]);
    reference = tree_->Text(ends[1]) == "reference";
    if (!reference) to = terminal(ends[1]);
    ok = from && (reference || to);
  }
  if (ok && to && class_.terminals[*from].domain != class_.terminals[*to].domain &&
      !class_.terminals[*from].domain.IsNone() && !class_.terminals[*to].domain.IsNone()) {
    Report(messages::kEdgeDomains, node,
           {tree_->Name(node),
            builder_.NameText(builder_.model.domains[class_.terminals[*from].domain.index()].name),
            builder_.NameText(builder_.model.domains[class_.terminals[*to].domain.index()].name)});
    ok = false;
  }
  for (const NodeId name : tree_->Children(node)) {
    if (tree_->kind(name) != NodeKind::kName) continue;
    if (!ok || class_.terminals[*from].domain.IsNone()) {
      builder_.MarkBroken(class_.name, builder_.Intern(tree_->Name(name)));
      builder_.MarkBroken(class_.name, NameId::None());
      continue;
    }
    Edge edge{};
    edge.name = builder_.Intern(tree_->Name(name));
    edge.from = *from;
    edge.to = to;
    edge.domain = class_.terminals[*from].domain;
    const Domain& domain = builder_.model.domains[edge.domain.index()];
    const std::string prefix = std::string(tree_->Name(name)) + ".";
    edge.across = pool_.DeclareSymbol(prefix + builder_.NameText(domain.across), SymbolKind::kVariable);
    edge.through = pool_.DeclareSymbol(prefix + builder_.NameText(domain.through), SymbolKind::kVariable);
    edge.shape = class_.terminals[*from].shape;
    if (to && edge.shape.empty()) edge.shape = class_.terminals[*to].shape;
    edge.origin = At(name);
    class_.edges.push_back(edge);
    Declare(name, {MemberKind::kEdge, static_cast<uint32_t>(class_.edges.size() - 1)});
  }
}

Shape ClassBuilder::LowerShape(NodeId dimensions) {
  Shape shape;
  structural_scope_ = true;
  for (const NodeId size : tree_->Children(dimensions)) {
    const Value value = tree_->kind(size) == NodeKind::kRange || tree_->kind(size) == NodeKind::kAll
                            ? Failed()
                            : LowerScalar(size);
    const bool whole =
        value.ok && (value.base == BaseType::kInteger ||
                     (value.bare && (pool_.AsInteger(value.expr) || !pool_.IsNumber(value.expr))));
    bool structural = whole;
    if (value.ok && !whole) structural = false;
    if (!structural) {
      if (value.ok || tree_->kind(size) == NodeKind::kRange || tree_->kind(size) == NodeKind::kAll)
        Report(messages::kSizeNotInteger, size, {TextOf(size)});
      shape.push_back(pool_.One());
      continue;
    }
    if (const auto n = pool_.AsInteger(value.expr); n && *n < 0) {
      Report(messages::kBadSize, size, {TextOf(size), std::to_string(*n)});
    }
    shape.push_back(value.expr);
  }
  structural_scope_ = false;
  return shape;
}

// Sizes come before everything else, since all the rest asks for them; edges follow the sizes of their
// terminals.
void ClassBuilder::LowerShapes() {
  const auto dimensions_of = [&](NodeId node) {
    const NodeId type = tree_->Child(node, NodeKind::kType);
    return type.IsNone() ? NodeId::None() : tree_->Child(type, NodeKind::kDimensions);
  };
  size_t instance_node = 0;
  for (const NodeId node : members_) {
    const NodeKind kind = tree_->kind(node);
    if (kind == NodeKind::kInstance) {
      const uint32_t first = member_instances_[instance_node++];
      const NodeId use = tree_->Child(node, NodeKind::kClass);
      const NodeId dimensions = use.IsNone() ? NodeId::None() : tree_->Child(use, NodeKind::kDimensions);
      if (dimensions.IsNone()) continue;
      class_.shapes.push_back(LowerShape(dimensions));
      for (uint32_t i = first; i < class_.instances.size(); ++i) {
        // The names of one declaration follow each other.
        if (i > first && (*tree_)[class_.instances[i].node].first_token > (*tree_)[use].first_token) break;
        class_.instances[i].shape = static_cast<uint32_t>(class_.shapes.size() - 1);
      }
      continue;
    }
    if (kind != NodeKind::kTerminal && kind != NodeKind::kParameter && kind != NodeKind::kInput &&
        kind != NodeKind::kOutput && kind != NodeKind::kVariable && kind != NodeKind::kState &&
        kind != NodeKind::kExogenous) {
      continue;
    }
    const NodeId dimensions = dimensions_of(node);
    if (dimensions.IsNone()) continue;
    const Shape shape = LowerShape(dimensions);
    for (const NodeId name : tree_->Children(node)) {
      if (tree_->kind(name) != NodeKind::kName) continue;
      const auto member = class_.members.Find(builder_.Intern(tree_->Name(name)));
      if (!member) continue;
      if (member->kind == MemberKind::kTerminal) class_.terminals[member->index].shape = shape;
      if (member->kind == MemberKind::kParameter) class_.parameters[member->index].shape = shape;
      if (member->kind == MemberKind::kVariable) class_.variables[member->index].shape = shape;
    }
  }
  for (const NodeId node : members_) {
    if (tree_->kind(node) == NodeKind::kEdge) DeclareEdge(node);
  }
}

void ClassBuilder::DefineMember(NodeId node) {
  switch (tree_->kind(node)) {
    case NodeKind::kParameter:
      DefineParameter(node);
      break;
    case NodeKind::kInput:
    case NodeKind::kOutput:
    case NodeKind::kVariable:
    case NodeKind::kState:
    case NodeKind::kExogenous:
      DefineVariable(node);
      break;
    case NodeKind::kSection:
      in_initial_section_ = tree_->Has(node, kFlagInitial);
      for (const NodeId statement : tree_->Children(node)) DefineStatement(statement);
      in_initial_section_ = false;
      break;
    case NodeKind::kEnergy:
    case NodeKind::kLoss:
      DefineEnergy(node);
      break;
    case NodeKind::kStart:
      DefineStart(node);
      break;
    case NodeKind::kSetting:
      DefineSetting(node);
      break;
    case NodeKind::kExternal:
      DefineExternal(node);
      break;
    case NodeKind::kFeedthrough:
      feedthrough_nodes_.push_back(node);
      break;
    case NodeKind::kConnect:
    case NodeKind::kAssociate:
    case NodeKind::kFor:
    case NodeKind::kIf:
    case NodeKind::kWhen:
    case NodeKind::kAssert:
      DefineStatement(node);
      break;
    default:
      break;
  }
}

// The value of an attribute that must be as its declaration is.
ExprId ClassBuilder::AttributeValue(NodeId value_node, const Type& type, const DimExpr& dim,
                                    const Shape& shape, std::string_view what) {
  Value value = Lower(value_node);
  if (!value.ok || !Fit(value, value_node, type, dim, what)) return ExprId::None();
  if (!value.shape.empty() && value.shape.size() != shape.size()) {
    Report(messages::kArrayWanted, value_node,
           {TextOf(value_node), std::to_string(shape.size()), std::to_string(value.shape.size())});
    return ExprId::None();
  }
  for (size_t k = 0; k < value.shape.size(); ++k)
    AddSizeCheck(SizeCheck::Kind::kEqual, value.shape[k], shape[k], value_node);
  return value.expr;
}

bool ClassBuilder::DefineBound(NodeId attribute, const Type& type, const DimExpr& dim, const Shape& shape,
                               std::string_view what, Bounds& out) {
  const NodeId path =
      tree_->kind(attribute) == NodeKind::kArgument ? (*tree_)[attribute].first_child : NodeId::None();
  const NodeId value = path.IsNone() ? NodeId::None() : (*tree_)[path].next_sibling;
  const std::string_view text = path.IsNone() ? tree_->Text(attribute) : tree_->Text(path);
  if (value.IsNone()) {
    if (text != "nonzero" && (text != "rising" || shape.size() != 1)) return false;
    (text == "nonzero" ? out.nonzero : out.rising) = true;
    return true;
  }
  ExprId* const bound = text == "min"     ? &out.min
                        : text == "max"   ? &out.max
                        : text == "above" ? &out.above
                        : text == "below" ? &out.below
                                          : nullptr;
  if (bound == nullptr) return false;
  *bound = AttributeValue(value, type, dim, shape, what);
  return true;
}

bool ClassBuilder::DefineConstantBound(NodeId attribute, const Type& type, Bounds& out) {
  return DefineBound(attribute, type, DimOf(type), {}, "the bound", out);
}

// (start = 0 V, fixed, min = 0 V, below = 24 V, nonzero, rising, display = mV, prefer, avoid)
ClassBuilder::Attributes ClassBuilder::DefineAttributes(NodeId node, const Type& type, const DimExpr& dim,
                                                        const Shape& shape, std::string_view what) {
  Attributes out;
  const bool parameter = tree_->kind(node) == NodeKind::kParameter;
  const NodeId attributes = tree_->Child(node, NodeKind::kAttributes);
  if (attributes.IsNone()) return out;
  for (const NodeId attribute : tree_->Children(attributes)) {
    const NodeId path =
        tree_->kind(attribute) == NodeKind::kArgument ? (*tree_)[attribute].first_child : NodeId::None();
    const std::string_view text = path.IsNone() ? tree_->Text(attribute) : tree_->Text(path);
    const NodeId value_node = path.IsNone() ? NodeId::None() : (*tree_)[path].next_sibling;
    const bool given = !value_node.IsNone();
    if ((parameter || text != "rising") && DefineBound(attribute, type, dim, shape, what, out.bounds))
      continue;
    if (given && text == "start" && !parameter) {
      out.start = AttributeValue(value_node, type, dim, shape, what);
    } else if (given && text == "display") {
      const UnitResult& unit = builder_.model.units.Lookup(tree_->Text(value_node));
      if (!unit) {
        builder_.ReportUnit(*tree_, value_node, unit.error());
      } else if (dim.known() && dim.constant.generics.empty() && unit->dimension != dim.constant.si) {
        Report(messages::kWrongDimension, value_node,
               {TextOf(value_node), builder_.UnitDisplay(unit), what, TypeText(type, dim)});
      } else {
        out.display = tree_->Text(value_node);
      }
    } else if (!given && !parameter && (text == "fixed" || text == "guess")) {
      out.fixed = text == "fixed";
    } else if (!given && !parameter && (text == "prefer" || text == "avoid")) {
      out.wish = text == "prefer" ? StateWish::kPrefer : StateWish::kAvoid;
    } else {
      Report(messages::kAttributeUnknown, attribute, {text, parameter ? "a parameter" : "a variable"});
    }
  }
  return out;
}

void ClassBuilder::DefineParameter(NodeId node) {
  const NodeId value_node = ValueOf(*tree_, node);
  for (const NodeId name : tree_->Children(node)) {
    if (tree_->kind(name) != NodeKind::kName) continue;
    const auto member = class_.members.Find(builder_.Intern(tree_->Name(name)));
    if (!member || member->kind != MemberKind::kParameter) continue;
    const auto parameter = [&]() -> Parameter& { return class_.parameters[member->index]; };
    const std::string what = "`" + std::string(tree_->Name(name)) + "`";
    const DimExpr dim = parameter().type.declared ? DimOf(parameter().type)
                                                  : InferredDimension(MemberKind::kParameter, member->index);
    const Attributes attributes = DefineAttributes(node, parameter().type, dim, parameter().shape, what);
    parameter().bounds = attributes.bounds;
    parameter().display = attributes.display;
    if (value_node.IsNone()) {
      if (parameter().is_final || class_.kind == ClassKind::kSystem) {
        auto& report = Report(messages::kMissingParameter, name, {ClassText(), tree_->Name(name), ""});
        report.helps.assign(1, "write it here: `" + TextOf(node) + " = ...`; nobody else can give it");
      }
      continue;
    }
    const size_t first_check = class_.size_checks.size();
    Value value = Lower(value_node);
    if (!value.ok || !Fit(value, value_node, parameter().type, dim, what)) continue;
    if (value.shape.size() != parameter().shape.size() && !value.shape.empty()) {
      Report(
          messages::kArrayWanted, value_node,
          {TextOf(value_node), std::to_string(parameter().shape.size()), std::to_string(value.shape.size())});
      continue;
    }
    for (size_t k = 0; k < value.shape.size(); ++k)
      AddSizeCheck(SizeCheck::Kind::kEqual, value.shape[k], parameter().shape[k], value_node);
    for (size_t k = first_check; k < class_.size_checks.size(); ++k)
      class_.size_checks[k].default_of = member->index;
    if (!parameter().type.declared) {
      parameter().type.base = value.base == BaseType::kInteger ? BaseType::kReal : value.base;
      parameter().type.enumeration = value.enumeration;
    }
    parameter().value = value.expr;
    // A plain number by default between two generics: k : $b/$a = 1.
    const auto& generics = dim.constant.generics;
    if (value.bare && !IsZeroValue(value.expr) && dim.known() && dim.constant.si.IsOne() &&
        generics.size() == 2 && generics[0].exponent == -generics[1].exponent &&
        (generics[0].exponent == Rational(1) || generics[1].exponent == Rational(1))) {
      const bool first = generics[0].exponent == Rational(1);
      class_.kind_links.push_back({generics[first ? 1 : 0].id.value, generics[first ? 0 : 1].id.value,
                                   static_cast<uint32_t>(member->index)});
    }
  }
}

void ClassBuilder::DefineVariable(NodeId node) {
  const NodeId value_node = ValueOf(*tree_, node);
  for (const NodeId name : tree_->Children(node)) {
    if (tree_->kind(name) != NodeKind::kName) continue;
    const auto member = class_.members.Find(builder_.Intern(tree_->Name(name)));
    if (!member || member->kind != MemberKind::kVariable) continue;
    const auto variable = [&]() -> Variable& { return class_.variables[member->index]; };
    const std::string what = "`" + std::string(tree_->Name(name)) + "`";
    const DimExpr dim = variable().type.declared ? DimOf(variable().type)
                                                 : InferredDimension(MemberKind::kVariable, member->index);
    const Attributes attributes = DefineAttributes(node, variable().type, dim, variable().shape, what);
    variable().start = attributes.start;
    variable().bounds = attributes.bounds;
    variable().display = attributes.display;
    variable().fixed = attributes.fixed;
    variable().wish = attributes.wish;
    if (value_node.IsNone()) continue;
    if (variable().role == VariableRole::kInput || variable().role == VariableRole::kExogenous) {
      Report(messages::kNotHere, value_node,
             {"a value", variable().role == VariableRole::kInput ? "an input" : "an exogenous variable"})
          .Help("it comes from outside; make it a `parameter` or a `variable`");
      continue;
    }
    // `output y : T = e` is short for the equation y = e.
    Value value = Lower(value_node);
    if (!value.ok || !Fit(value, value_node, variable().type, dim, what)) continue;
    if (variable().discrete || variable().type.base != BaseType::kReal) {
      if (variable().discrete) {
        Report(messages::kAssignedOutsideWhen, value_node, {tree_->Name(name)});
        continue;
      }
    }
    Equation equation{};
    equation.left = pool_.Symbol(variable().symbol);
    equation.right = value.expr;
    if (!variable().shape.empty()) {
      equation.left = pool_.Element(equation.left, CanonicalIndices(variable().shape.size()));
      for (size_t k = 0; k < std::min(value.shape.size(), variable().shape.size()); ++k) {
        AddSizeCheck(SizeCheck::Kind::kEqual, value.shape[k], variable().shape[k], value_node);
      }
    } else if (!value.shape.empty()) {
      Report(messages::kArrayHere, value_node, {TextOf(value_node)});
      continue;
    }
    equation.loops = LoopsFor(variable().shape, &equation.left, &equation.right);
    equation.origin = At(value_node);
    class_.equations.push_back(equation);
  }
}

void ClassBuilder::DefineEnergy(NodeId node) {
  const bool energy = tree_->kind(node) == NodeKind::kEnergy;
  ExprId& place = energy ? class_.energy : class_.loss;
  const NodeId value_node = (*tree_)[node].first_child;
  if (!place.IsNone()) {
    Report(messages::kTwoEnergies, node, {energy ? "energy" : "loss", ClassText()});
    return;
  }
  Type type;
  type.declared = true;
  type.dimension = energy ? Dimension::Of(2, 1, -2) : Dimension::Of(2, 1, -3);
  type.unit = energy ? "J" : "W";
  type.kind = energy ? KindHint::kEnergy : KindHint::kNone;
  Value value = LowerScalar(value_node);
  if (value.ok && Fit(value, value_node, type, DimOf(type), energy ? "`energy`" : "`loss`"))
    place = value.expr;
}

void ClassBuilder::DefineSetting(NodeId node) {
  const NodeId value_node = (*tree_)[node].first_child;
  if (value_node.IsNone()) return;
  if (tree_->Name(node) == "initial") {
    class_.steady = tree_->Text(value_node) == "steady";
    if (!class_.steady) Report(messages::kBadSetting, value_node, {"`initial` can only be `steady`"});
    return;
  }
  if (tree_->Name(node) == "coordinates") {
    class_.absolute = tree_->Text(value_node) == "absolute";
    if (!class_.absolute && tree_->Text(value_node) != "joint")
      Report(messages::kBadSetting, value_node, {"`coordinates` can be `joint` or `absolute`"});
    return;
  }
  if (tree_->Name(node) == "spatial") {
    class_.spatial = builder_.Intern(tree_->Text(value_node));
    return;
  }
  Type time;
  time.declared = true;
  time.dimension = Dimension::Of(0, 0, 1);
  time.unit = "s";
  Value value = LowerScalar(value_node);
  if (value.ok && Fit(value, value_node, time, DimOf(time), "`sample`")) class_.sample_period = value.expr;
}

void ClassBuilder::DefineExternal(NodeId node) {
  size_t k = 0;
  for (const NodeId child : tree_->Children(node)) {
    (k == 0 ? class_.external_library : class_.external_function) = StringValue(tree_->Name(child));
    ++k;
  }
}

}  // namespace cotree
