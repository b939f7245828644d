// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "language/lex.h"
#include "model/class_builder.h"
#include "model/describe_model.h"
#include "units/format_dimension.h"

namespace cotree {

namespace messages = model_messages;

// The models chosen for an instance and inside it: by its arguments, and from outside, which counts more.
ModelChoices ClassBuilder::ChoicesFor(NodeId name, NodeId arguments) {
  ModelChoices out;
  const auto add = [&](ModelChoice choice) {
    std::erase_if(out, [&](const ModelChoice& other) { return other.path == choice.path; });
    out.push_back(std::move(choice));
  };
  if (!arguments.IsNone() && tree_->Has(arguments, kFlagChoosesModel)) {
    for (const NodeId argument : tree_->Children(arguments)) {
      if (tree_->kind(argument) != NodeKind::kArgument) continue;
      if (auto choice = builder_.ChoiceOf(*tree_, tree_id_, argument)) add(std::move(*choice));
    }
  }
  const NameId own = builder_.Intern(tree_->Name(name));
  for (const ModelChoice& choice : choices_) {
    if (choice.path.front() != own) continue;
    ModelChoice inner = choice;
    inner.path.erase(inner.path.begin());
    add(std::move(inner));
  }
  return out;
}

// Choices that no instance of the class can take.
void ClassBuilder::ReportStrayChoices() {
  for (const ModelChoice& choice : choices_) {
    const auto member = class_.members.Find(choice.path.front());
    if (member && member->kind == MemberKind::kInstance) continue;
    const std::string name = builder_.NameText(choice.path.front());
    auto& report = builder_.diagnostics.Report(messages::kUnknownName, builder_.model.SpanOf(choice.origin),
                                               {name, "`" + ClassText() + "`"});
    if (member) {
      report.message = "`" + name + "` of `" + ClassText() + "` is no component: it has no models";
      continue;
    }
    std::vector<std::string_view> names;
    for (const Instance& instance : class_.instances)
      names.push_back(builder_.model.names.Text(instance.name));
    if (const std::string hint = Suggestion(name, names, "it has"); !hint.empty()) report.Help(hint);
  }
}

void ClassBuilder::DeclareInstance(NodeId node) {
  member_instances_.push_back(static_cast<uint32_t>(class_.instances.size()));
  const NodeId use = tree_->Child(node, NodeKind::kClass);
  if (class_.kind == ClassKind::kSoftware) {
    Report(messages::kNotHere, node, {"an instance", "a software component"})
        .Help("make it a component; software has code only");
  }
  const NodeId arguments = use.IsNone() ? NodeId::None() : tree_->Child(use, NodeKind::kArguments);
  const bool choosing =
      !choices_.empty() || (!arguments.IsNone() && tree_->Has(arguments, kFlagChoosesModel));
  ClassId id;
  bool resolved = false;
  for (const NodeId name : tree_->Children(node)) {
    if (tree_->kind(name) != NodeKind::kName) continue;
    if (!resolved || choosing) {
      const ModelChoices choices = choosing ? ChoicesFor(name, arguments) : ModelChoices{};
      id = use.IsNone() ? ClassId::None() : builder_.ResolveClass(*tree_, tree_id_, use, choices);
      for (const ModelChoice& choice : choices) {
        if (choice.path.empty()) rechosen_.insert(static_cast<uint32_t>(class_.instances.size()));
      }
      resolved = true;
    }
    const size_t generics = id.IsNone() ? 0 : builder_.model[id].generics.size();
    Instance instance{};
    instance.name = builder_.Intern(tree_->Name(name));
    instance.class_id = id;
    instance.is_public = tree_->Has(node, kFlagPublic);
    instance.node = name;
    if (generics > 0) {
      instance.first_generic = static_cast<uint32_t>(generic_vars_.size());
      for (size_t g = 0; g < generics; ++g) generic_vars_.push_back(NewDimension());
    }
    class_.instances.push_back(instance);
    Declare(name, {MemberKind::kInstance, static_cast<uint32_t>(class_.instances.size() - 1)});
  }
}

void ClassBuilder::DefineInstance(NodeId node, uint32_t first) {
  const NodeId use = tree_->Child(node, NodeKind::kClass);
  if (use.IsNone()) return;
  const NodeId arguments = tree_->Child(use, NodeKind::kArguments);
  uint32_t index = first;
  for (const NodeId name : tree_->Children(node)) {
    if (tree_->kind(name) != NodeKind::kName) break;
    if (class_.instances[index].class_id.IsNone()) {
      ++index;
      continue;
    }
    const auto begin = static_cast<uint32_t>(class_.arguments.size());
    class_.instances[index].first_argument = begin;
    if (!arguments.IsNone()) {
      for (const NodeId argument : tree_->Children(arguments)) {
        if (tree_->kind(argument) == NodeKind::kStart)
          StartOf(argument, index, class_.starts);
        else
          DefineArgument(argument, index);
        class_.instances[index].argument_count =
            static_cast<uint16_t>(std::min<size_t>(class_.arguments.size() - begin, UINT16_MAX));
      }
    }
    CheckArguments(class_.instances[index], use);
    ++index;
  }
}

// The common case of millions of lines: a literal for a parameter of fixed dimension.
bool ClassBuilder::FastArgument(NodeId value, const Parameter& parameter, Argument& argument) {
  if (tree_->kind(value) != NodeKind::kQuantityLiteral || parameter.type.base != BaseType::kReal ||
      !parameter.type.declared || !parameter.type.dimension.generics.empty() || !parameter.shape.empty()) {
    return false;
  }
  const UnitResult& unit = builder_.model.units.Lookup(tree_->Text((*tree_)[value].first_child));
  if (!unit || unit->dimension != parameter.type.dimension.si || unit->offset != 0 ||
      KindsClash(unit->kind, parameter.type.kind) ||
      (unit->kind == KindHint::kExtent && parameter.type.kind == KindHint::kPerAngle))
    return false;
  const double si = unit->ToSi(NumberValue(tree_->Name(value)));
  if (!(si > -1e300 && si < 1e300)) return false;
  argument.value = pool_.Number(si);
  WarnOfUnits(value, (*tree_)[value].first_child);
  return true;
}

namespace {

/// The first model of a class that declares a parameter of this name; empty if none does.
std::string_view ModelWithParameter(const SyntaxTree& tree, NodeId declaration, std::string_view name) {
  for (const NodeId model : tree.Children(declaration)) {
    if (tree.kind(model) != NodeKind::kModel) continue;
    for (const NodeId member : tree.Children(model)) {
      if (tree.kind(member) != NodeKind::kParameter) continue;
      for (const NodeId own : tree.Children(member)) {
        if (tree.kind(own) == NodeKind::kName && tree.Name(own) == name) return tree.Name(model);
      }
    }
  }
  return {};
}

}  // namespace

bool ClassBuilder::IsLeftOut(NodeId node, const ModelChoices& choices) {
  const ComponentClass* cls = cls_;
  std::vector<NameId> owner;
  for (const NodeId segment : tree_->Children((*tree_)[node].first_child)) {
    const NameId name = builder_.Intern(tree_->Name(segment));
    const auto member = cls->members.Find(name);
    if (!member) {
      return std::any_of(choices.begin(), choices.end(),
                         [&](const ModelChoice& choice) { return choice.path == owner; }) &&
             !ModelWithParameter(builder_.model.tree(cls->origin.tree), cls->origin.node,
                                 tree_->Name(segment))
                  .empty();
    }
    if (member->kind != MemberKind::kInstance || cls->instances[member->index].class_id.IsNone())
      return false;
    owner.push_back(name);
    cls = &builder_.model[cls->instances[member->index].class_id];
  }
  return false;
}

void ClassBuilder::DefineArgument(NodeId node, uint32_t index) {
  const NodeId path = (*tree_)[node].first_child;
  if (path.IsNone()) return;
  const NodeId value_node = (*tree_)[path].next_sibling;
  if (value_node.IsNone() || tree_->kind(value_node) == NodeKind::kName) return;  // a model: ChoicesFor
  if (TextOf(path).find('[') != std::string::npos) {
    Report(messages::kElementGiven, path, {TextOf(path)});
    return;
  }
  Argument argument{};
  argument.node = node;
  // Follow the path through public inner instances.
  const Instance* at = &class_.instances[index];
  Chain chain{at};
  std::vector<uint32_t> inner_path;
  const ComponentClass* cls = &builder_.model[at->class_id];
  NodeId segment = (*tree_)[path].first_child;
  bool is_public = true, reported = false;
  std::vector<std::pair<ExprId, Chain>>
      middle;  // sizes of arrays of instances on the path, and where they hold
  while (!(*tree_)[segment].next_sibling.IsNone()) {
    const auto member = cls->members.Find(builder_.Intern(tree_->Name(segment)));
    if (!member || member->kind != MemberKind::kInstance || cls->instances[member->index].class_id.IsNone()) {
      Unknown(segment, *cls, true);
      return;
    }
    const Instance& inner = cls->instances[member->index];
    if (!inner.is_public) is_public = false;
    inner_path.push_back(member->index);
    if (inner.shape != UINT32_MAX) {
      for (const ExprId size : cls->shapes[inner.shape]) middle.emplace_back(size, chain);
    }
    chain.push_back(&inner);
    cls = &builder_.model[inner.class_id];
    segment = (*tree_)[segment].next_sibling;
  }
  const auto member = cls->members.Find(builder_.Intern(tree_->Name(segment)));
  const std::string_view name = tree_->Name(segment);
  if (!member || member->kind != MemberKind::kParameter) {
    // Arguments of the model that the text has are of no use to the one that was chosen from outside.
    std::vector<NameId> owner{class_.instances[index].name};
    for (NodeId at_node = (*tree_)[path].first_child; at_node != segment;
         at_node = (*tree_)[at_node].next_sibling)
      owner.push_back(builder_.Intern(tree_->Name(at_node)));
    const bool rechosen = std::any_of(choices_.begin(), choices_.end(),
                                      [&](const ModelChoice& choice) { return choice.path == owner; });
    if (rechosen &&
        !ModelWithParameter(builder_.model.tree(cls->origin.tree), cls->origin.node, name).empty())
      return;
    auto& report = builder_.diagnostics.Report(messages::kUnknownParameter, tree_->NameSpan(segment),
                                               {builder_.NameText(cls->name), name});
    std::vector<std::string_view> names;
    std::string all;
    for (const Parameter& p : cls->parameters) {
      names.push_back(builder_.model.names.Text(p.name));
      all += (all.empty() ? "" : ", ") + std::string(names.back());
    }
    const std::string_view near = Nearest(name, names);
    const std::string_view model =
        ModelWithParameter(builder_.model.tree(cls->origin.tree), cls->origin.node, name);
    if (!model.empty())
      report.Help("its model `" + std::string(model) + "` has it: write `as " + std::string(model) +
                  "` behind the arguments");
    else if (!near.empty())
      report.Help("did you mean `" + std::string(near) + "`?");
    else if (member && member->kind == MemberKind::kVariable)
      report.Help("`" + std::string(name) + "` is a variable; `start " + std::string(name) +
                  " = ...` gives it a start value");
    else
      report.Help(names.empty() ? "it has no parameters" : "its parameters are " + all);
    return;
  }
  const Parameter& parameter = cls->parameters[member->index];
  if (!inner_path.empty() && !is_public && !parameter.is_public) {
    Report(messages::kHiddenParameter, path,
           {TextOf(path), InstanceText(index), tree_->Name((*tree_)[path].first_child),
            builder_.NameText(builder_.model[class_.instances[index].class_id].name)});
    reported = true;
  }
  if (parameter.is_final) {
    Report(messages::kFinalParameter, path, {name, InstanceText(index)});
    reported = true;
  }
  argument.parameter = member->index;
  if (!inner_path.empty()) {
    argument.path = static_cast<uint32_t>(class_.paths.size());
    class_.paths.push_back(inner_path);
  } else {
    for (uint32_t i = class_.instances[index].first_argument; i < class_.arguments.size(); ++i) {
      if (class_.arguments[i].path == UINT32_MAX && class_.arguments[i].parameter == argument.parameter) {
        Report(messages::kDuplicateArgument, path, {TextOf(path)})
            .Also(tree_->SpanOf(class_.arguments[i].node), "first given here");
        return;
      }
    }
  }
  if (!reported && FastArgument(value_node, parameter, argument)) {
    class_.arguments.push_back(argument);
    return;
  }
  const Type type = parameter.type;
  const Origin declared = parameter.origin;
  const Shape parameter_shape = parameter.shape;
  const uint32_t shape_index = class_.instances[index].shape;
  const Shape instance_shape = shape_index == UINT32_MAX ? Shape{} : class_.shapes[shape_index];
  // The dimension of the parameter, seen from here.
  DimExpr dim{type.dimension, {}};
  for (size_t k = chain.size(); k-- > 0;) dim = MapDimension(dim.constant, OwnerOf(chain, k), *chain[k]);
  Value value = Lower(value_node);
  if (!value.ok) return;
  const std::string what = "`" + std::string(name) + "` of `" + InstanceText(index) + "`";
  if (!Fit(value, value_node, type, dim, what) || reported) return;
  // One value for all; or an array whose indices run over the array of instances, then over those on the
  // path, then over the parameter: each of the three altogether or not at all.
  const size_t given = value.shape.size(), own = parameter_shape.size(), outer = instance_shape.size();
  const size_t inside = middle.size();
  const bool for_inside =
      given > own && inside > 0 && (given == inside + own || given == outer + inside + own);
  const bool for_outer = given > own && given == outer + own + (for_inside ? inside : 0);
  if (given != 0 && given != own && !for_inside && !for_outer) {
    auto& report = Report(messages::kArrayWanted, value_node,
                          {TextOf(value_node), std::to_string(own + inside == 0 ? outer : own + inside),
                           std::to_string(given)});
    HelpWithMeaning(builder_.model, declared, report);
    return;
  }
  argument.per_element = for_outer;
  argument.inner_rank = for_inside ? static_cast<uint8_t>(inside) : uint8_t{0};
  size_t at_dimension = 0;
  for (size_t k = 0; k < outer && for_outer; ++k)
    AddSizeCheck(SizeCheck::Kind::kEqual, value.shape[at_dimension++], instance_shape[k], value_node);
  for (size_t k = 0; k < inside && for_inside; ++k)
    AddSizeCheck(SizeCheck::Kind::kEqual, value.shape[at_dimension++], middle[k].first, value_node,
                 middle[k].second);
  argument.value = value.expr;
  class_.arguments.push_back(argument);
  class_.instances[index].argument_count = static_cast<uint16_t>(
      std::min<size_t>(class_.arguments.size() - class_.instances[index].first_argument, UINT16_MAX));
  if (given > 0 && own > 0) {
    const size_t before = class_.size_checks.size();
    for (size_t k = 0; k < own; ++k)
      AddSizeCheck(SizeCheck::Kind::kEqual, value.shape[at_dimension++], parameter_shape[k], value_node,
                   chain);
    if (class_.size_checks.size() > before) class_.size_checks.back().wanted = declared;
  }
}

// Parameters without a default must be given.
void ClassBuilder::CheckArguments(const Instance& instance, NodeId class_node) {
  const ComponentClass& cls = builder_.model[instance.class_id];
  const NodeId arguments = tree_->Child(class_node, NodeKind::kArguments);
  std::vector<const Parameter*> missing;
  for (uint32_t p = 0; p < cls.parameters.size(); ++p) {
    const Parameter& parameter = cls.parameters[p];
    if (parameter.has_default) continue;
    bool given = false;
    for (uint32_t i = 0; i < instance.argument_count && !given; ++i) {
      const Argument& argument = class_.arguments[instance.first_argument + i];
      given = argument.path == UINT32_MAX && argument.parameter == p;
    }
    if (given) continue;
    // An argument that was given but is wrong has its own message.
    if (!arguments.IsNone()) {
      for (const NodeId argument : tree_->Children(arguments)) {
        const NodeId path = (*tree_)[argument].first_child;
        if (!path.IsNone() && tree_->Text(path) == builder_.model.names.Text(parameter.name)) given = true;
      }
    }
    if (!given) missing.push_back(&parameter);
  }
  if (missing.empty()) return;
  if (!arguments.IsNone()) {
    // An argument list with a syntax error may have held it; an argument with a wrong name may be meant for
    // it.
    if (tree_->Has(arguments, kFlagBroken)) return;
    size_t misnamed = 0;
    for (const NodeId argument : tree_->Children(arguments)) {
      const NodeId path = (*tree_)[argument].first_child;
      if (tree_->kind(argument) != NodeKind::kArgument || path.IsNone() ||
          tree_->kind((*tree_)[path].next_sibling.IsNone() ? path : (*tree_)[path].next_sibling) ==
              NodeKind::kName)
        continue;
      const auto member = cls.members.Find(builder_.Intern(tree_->Text(path)));
      if (!member || member->kind != MemberKind::kParameter) ++misnamed;
    }
    if (misnamed >= missing.size()) return;
  }
  for (const Parameter* absent : missing) {
    const Parameter& parameter = *absent;
    const std::string unit = parameter.type.unit.empty() || parameter.type.unit == "1"
                                 ? std::string("it has no default")
                                 : "it is in " + parameter.type.unit;
    builder_.diagnostics
        .Report(messages::kMissingParameter, tree_->SpanOf(instance.node),
                {builder_.NameText(instance.name), builder_.NameText(parameter.name), unit})
        .Label("a " + builder_.NameText(cls.name) + " without `" + builder_.NameText(parameter.name) + "`");
  }
}

}  // namespace cotree
