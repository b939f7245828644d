// SPDX-License-Identifier: Apache-2.0
#include "base/plural.h"
#include "expr/dependence.h"
#include "expr/substitute.h"
#include "model/check_sizes.h"
#include "model/class_builder.h"
#include "model/describe_model.h"
#include "units/unit_symbols.h"

namespace cotree {

namespace messages = model_messages;

const ComponentClass& ClassBuilder::OwnerOf(const Chain& chain, size_t k) const {
  return k == 0 ? *cls_ : builder_.model[chain[k - 1]->class_id];
}

// --- Sizes of inner arrays, said in the parameters of this class -------------------------------------

// `inner` is in the parameters of `cls`, the class of `instance`, which stands in `owner`.
ExprId ClassBuilder::ParameterContext(ExprId inner, const ComponentClass& owner, const ComponentClass& cls,
                                      const Instance& instance) {
  const auto argument_of = [&](uint32_t parameter) -> const Argument* {
    for (uint32_t i = 0; i < instance.argument_count; ++i) {
      const Argument& argument = owner.arguments[instance.first_argument + i];
      if (argument.path == UINT32_MAX && argument.parameter == parameter) return &argument;
    }
    return nullptr;
  };
  // Defaults first, as long as there are any; then the arguments, once: their names belong to the owner.
  for (int round = 0; round < 32; ++round) {
    std::vector<Replacement> defaults;
    for (const SymbolId symbol : FindSymbols(pool_, inner)) {
      for (uint32_t p = 0; p < cls.parameters.size(); ++p) {
        if (cls.parameters[p].symbol == symbol && argument_of(p) == nullptr &&
            !cls.parameters[p].value.IsNone() && cls.parameters[p].shape.empty()) {
          defaults.emplace_back(symbol, cls.parameters[p].value);
        }
      }
    }
    if (defaults.empty()) break;
    inner = Substitute(pool_, inner, defaults);
  }
  std::vector<Replacement> given;
  for (const SymbolId symbol : FindSymbols(pool_, inner)) {
    for (uint32_t p = 0; p < cls.parameters.size(); ++p) {
      const Argument* argument = cls.parameters[p].symbol == symbol ? argument_of(p) : nullptr;
      if (argument != nullptr) given.emplace_back(symbol, argument->value);
    }
  }
  return given.empty() ? inner : Substitute(pool_, inner, given);
}

ExprId ClassBuilder::InContext(ExprId inner, const Chain& chain) {
  if (pool_.IsNumber(inner)) return inner;
  for (size_t k = chain.size(); k-- > 0;) {
    inner = ParameterContext(inner, OwnerOf(chain, k), builder_.model[chain[k]->class_id], *chain[k]);
  }
  // What is said of the size of an inner array is a size here, too.
  if (!chain.empty() && building_ && !pool_.IsNumber(inner)) {
    cls_->parameter_uses.resize(cls_->parameters.size());
    for (const SymbolId symbol : FindSymbols(pool_, inner)) {
      for (size_t p = 0; p < cls_->parameters.size(); ++p) {
        if (cls_->parameters[p].symbol == symbol) cls_->parameter_uses[p].sets_size = true;
      }
    }
  }
  return inner;
}

// --- Indices -----------------------------------------------------------------------------------------

void ClassBuilder::AddSizeCheck(SizeCheck::Kind kind, ExprId value, ExprId bound, NodeId node,
                                const Chain& inside) {
  if (value.IsNone() || bound.IsNone()) return;
  if (kind == SizeCheck::Kind::kEqual && value == bound && (inside.empty() || pool_.IsNumber(bound))) return;
  SizeCheck check{kind, value, bound, CurrentLoops(), node, CurrentCondition(), UINT32_MAX, {}, {}};
  if (!pool_.IsNumber(bound)) {
    for (size_t k = 0; k < inside.size(); ++k)
      check.inside.push_back(static_cast<uint32_t>(inside[k] - OwnerOf(inside, k).instances.data()));
  }
  if (building_)
    cls_->size_checks.push_back(std::move(check));
  else if (sizes_count_)
    size_checks_.push_back(std::move(check));
}

bool ClassBuilder::LowerSubscript(NodeId node, ExprId size, ExprId inner_size, const Chain& chain,
                                  Subscript& out) {
  const auto index = [&](NodeId at) -> ExprId {
    const Value value = LowerScalar(at);
    if (!value.ok) return ExprId::None();
    const bool whole = value.base == BaseType::kInteger ||
                       (value.bare && (pool_.AsInteger(value.expr) || !pool_.IsNumber(value.expr)));
    if (!whole) {
      Report(messages::kIndexNotInteger, at, {TextOf(at)});
      return ExprId::None();
    }
    return value.expr;
  };
  if (tree_->kind(node) == NodeKind::kAll) {
    out = {pool_.One(), size, ExprId::None()};
    return true;
  }
  if (tree_->kind(node) == NodeKind::kRange) {
    const Range range = LowerRange(node);
    if (!range.ok) return false;
    out = {range.from, range.to, range.step};
    AddSizeCheck(SizeCheck::Kind::kInRange, range.to, inner_size, node, chain);
    return true;
  }
  out.from = index(node);
  if (out.from.IsNone()) return false;
  AddSizeCheck(SizeCheck::Kind::kInRange, out.from, inner_size, node, chain);
  return true;
}

bool ClassBuilder::TakeSegment(NodeId segment, const Shape& shape, const Chain& chain, PathDimensions& dims,
                               bool report) {
  std::vector<NodeId> indices;
  for (const NodeId child : tree_->Children(segment)) indices.push_back(child);
  if (indices.size() > shape.size()) {
    if (report) {
      if (shape.empty())
        Report(messages::kNotAnArray, segment, {tree_->Name(segment)});
      else
        Report(messages::kTooManyIndices, segment,
               {tree_->Name(segment), Plural(shape.size(), "dimension"),
                Plural(indices.size(), "index is", "indices are")});
    }
    return false;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const ExprId size = InContext(shape[i], chain);
    dims.sizes.push_back(size);
    dims.subscripts.emplace_back();
    if (i >= indices.size()) continue;
    Subscript subscript;
    if (!LowerSubscript(indices[i], size, shape[i], chain, subscript)) return false;
    dims.subscripts.back() = subscript;
  }
  return true;
}

// --- Values ------------------------------------------------------------------------------------------

Value ClassBuilder::SymbolValue(const std::string& name, int order, SymbolKind kind, const Type& type,
                                DimExpr dim, const Chain& chain, const PathDimensions& dims) {
  Value value;
  value.ok = true;
  value.base = type.base;
  value.enumeration = type.enumeration;
  value.dim = std::move(dim);
  if (type.dimension.generics.empty())
    value.unit = type.unit;
  else if (!chain.empty() && !(building_ && chain.size() == 1))
    value.unit = UnitOfInstance(type, builder_.model[chain.back()->class_id], builder_.model,
                                OwnerOf(chain, chain.size() - 1), *chain.back());
  for (size_t k = chain.size(); k-- > 0;)
    value.dim = MapDimension(value.dim.constant, OwnerOf(chain, k), *chain[k]);
  value.temperature = IsAbsoluteTemperature(builder_.model, type);
  FollowKind(value, type, chain);
  const SymbolId symbol = pool_.DeclareSymbol(name, kind);
  value.expr = pool_.Symbol(symbol, order);
  if (dims.sizes.empty()) return value;
  std::vector<ExprId> indices;
  for (size_t i = 0; i < dims.sizes.size(); ++i) {
    const auto& subscript = dims.subscripts[i];
    if (subscript && subscript->to.IsNone()) {
      indices.push_back(subscript->from);
      continue;
    }
    const ExprId running = pool_.Symbol(builder_.IndexSymbol(value.shape.size()));
    if (!subscript) {
      indices.push_back(running);
      value.shape.push_back(dims.sizes[i]);
      continue;
    }
    const ExprId step = subscript->step.IsNone() ? pool_.One() : subscript->step;
    indices.push_back(pool_.Add(subscript->from, pool_.Multiply(step, pool_.Subtract(running, pool_.One()))));
    const ExprId length = pool_.Subtract(subscript->to, subscript->from);
    value.shape.push_back(pool_.Add(
        pool_.IsOne(step) ? length : pool_.Unary(Op::kFloor, pool_.Divide(length, step)), pool_.One()));
  }
  value.expr = pool_.Element(value.expr, indices);
  return value;
}

DimExpr ClassBuilder::InferredDimension(MemberKind kind, uint32_t index) {
  const uint64_t key = (static_cast<uint64_t>(kind) << 32) | index;
  const auto known = undeclared_.find(key);
  if (known != undeclared_.end()) return {{}, {{known->second, 1}}};
  const DimVarId var = NewDimension();
  undeclared_.emplace(key, var);
  return {{}, {{var, 1}}};
}

std::vector<std::string_view> ClassBuilder::MemberNames(const ComponentClass& cls) const {
  const NamePool& names = builder_.model.names;
  std::vector<std::string_view> out;
  for (const auto& t : cls.terminals) out.push_back(names.Text(t.name));
  for (const auto& p : cls.parameters) out.push_back(names.Text(p.name));
  for (const auto& v : cls.variables) out.push_back(names.Text(v.name));
  for (const auto& e : cls.edges) out.push_back(names.Text(e.name));
  if (cls.instances.size() <= 5000) {
    for (const auto& i : cls.instances) out.push_back(names.Text(i.name));
  }
  if (cls.edges.size() == 1) {
    const Domain& domain = builder_.model.domains[cls.edges[0].domain.index()];
    for (const NameId n : {domain.across, domain.rate, domain.acceleration, domain.through}) {
      if (!n.IsNone()) out.push_back(names.Text(n));
    }
  }
  return out;
}

ClassBuilder::Resolved ClassBuilder::Unknown(NodeId segment, const ComponentClass& cls, bool report) {
  if (!report) return {};
  const std::string_view name = tree_->Name(segment);
  if (!cls.name.IsNone()) {
    const NameId id = builder_.Intern(name);
    if (builder_.IsBroken(cls.name, id)) return {};
    // `x.v` of a component whose only edge is wrong.
    if (builder_.IsBroken(cls.name, NameId::None())) {
      for (const Domain& d : builder_.model.domains) {
        if (id == d.across || id == d.through || id == d.rate || id == d.acceleration) return {};
      }
    }
  }
  const std::string where =
      cls.name.IsNone() ? std::string("this place") : "`" + builder_.NameText(cls.name) + "`";
  auto& message =
      builder_.diagnostics.Report(messages::kUnknownName, tree_->NameSpan(segment), {name, where});
  if (builder_.diagnostics.full()) return {};
  std::vector<std::string_view> candidates = MemberNames(cls);
  for (const Local& local : locals_) candidates.push_back(builder_.model.names.Text(local.name));
  const bool inside = (&cls != cls_ || !building_) && !cls.name.IsNone();
  const std::string hint = Suggestion(name, candidates, inside ? "it has" : "");
  if (!hint.empty())
    message.Help(hint);
  else if (cls.name.IsNone() && !domain_scope_)
    message.Help("only numbers, units and `pi` can stand here");
  // `0.05 N*mm2`: behind a unit it may be meant as one.
  const uint32_t token = (*tree_)[segment].first_token;
  const TokenKind before = token > 1 ? tree_->tokens[token - 1].kind() : TokenKind::kEnd;
  const bool behind_unit = (before == TokenKind::kStar || before == TokenKind::kSlash) &&
                           tree_->tokens[token - 1].end() == tree_->tokens[token].offset &&
                           FindUnitSymbol(tree_->TokenText(token - 2));
  const std::string unit = behind_unit ? SuggestUnit(name) : std::string();
  if (!unit.empty()) message.Help("if a unit is meant, write `" + unit + "`");
  return {};
}

// A variable of an edge: across, a rate of it, or through.
ClassBuilder::Resolved ClassBuilder::EdgeVariable(const ComponentClass& cls, const Edge& edge, NodeId path,
                                                  NodeId segment, const std::string& prefix,
                                                  PathDimensions& dims, const Chain& chain, bool report) {
  (void)path;
  Resolved out;
  const Domain& domain = builder_.model.domains[edge.domain.index()];
  const NameId name = builder_.Intern(tree_->Name(segment));
  int order = 0;
  bool across = true;
  if (name == domain.across)
    order = 0;
  else if (name == domain.rate && !name.IsNone())
    order = 1;
  else if (name == domain.acceleration && !name.IsNone())
    order = 2;
  else if (name == domain.through)
    across = false;
  else {
    if (!report) return {};
    auto& message = builder_.diagnostics.Report(
        messages::kUnknownName, tree_->NameSpan(segment),
        {tree_->Name(segment),
         "edge `" + prefix + builder_.NameText(edge.name) + "`, which is " + builder_.NameText(domain.name)});
    std::string all;
    std::vector<std::string_view> candidates;
    for (const NameId n : {domain.across, domain.rate, domain.acceleration, domain.through}) {
      if (n.IsNone()) continue;
      all += (all.empty() ? "" : ", ") + builder_.NameText(n);
      candidates.push_back(builder_.model.names.Text(n));
    }
    message.Help("its variables are " + all);
    return {};
  }
  if (!TakeSegment(segment, {}, chain, dims, report)) return {};
  Type type = across ? domain.across_type : domain.through_type;
  DimExpr dim = DimOf(type);
  if (order > 0) {
    const auto per_time = Power(Dimension::Of(0, 0, 1), Rational(static_cast<int16_t>(-order)));
    dim = DimTimes(dim, {*per_time, {}}, segment);
    // The rate of an angle is an angular velocity.
    type.kind = order == 1 && type.kind == KindHint::kAngle ? KindHint::kAngularVelocity : KindHint::kNone;
    type.unit += order == 1 ? "/s" : "/s^2";
    type.quantity = QuantityId::None();
  }
  const std::string symbol = prefix + builder_.NameText(edge.name) + "." +
                             builder_.NameText(across ? domain.across : domain.through);
  out.value = SymbolValue(symbol, order, SymbolKind::kVariable, type, dim, chain, dims);
  out.type = type;
  out.own = &cls == cls_;
  out.edge_variable = true;
  out.ok = out.value.ok;
  if (!chain.empty()) out.instance = static_cast<uint32_t>(chain[0] - cls_->instances.data());
  return out;
}

ClassBuilder::Resolved ClassBuilder::ResolveIn(const ComponentClass& cls, NodeId path, NodeId segment,
                                               const std::string& prefix, PathDimensions dims, Chain& chain,
                                               bool report) {
  Resolved out;
  const NameId name = builder_.Intern(tree_->Name(segment));
  const NodeId next = (*tree_)[segment].next_sibling;
  const auto member = cls.members.Find(name);
  const bool own = &cls == cls_;
  const auto end_here = [&](std::string_view what) {
    if (next.IsNone()) return true;
    if (report) {
      builder_.diagnostics.Report(
          messages::kUnknownName, tree_->NameSpan(next),
          {tree_->Name(next), "`" + std::string(tree_->Name(segment)) + "`, which is " + std::string(what)});
    }
    return false;
  };
  if (!member) {
    // The only edge may be left out.
    if (cls.edges.size() == 1 && next.IsNone()) {
      Resolved variable = EdgeVariable(cls, cls.edges[0], path, segment, prefix, dims, chain, false);
      if (variable.ok) return variable;
    }
    return Unknown(segment, cls, report);
  }
  out.own = own;
  out.member = member->index;
  if (!chain.empty()) out.instance = static_cast<uint32_t>(chain[0] - cls_->instances.data());
  const std::string full = prefix + std::string(tree_->Name(segment));
  switch (member->kind) {
    case MemberKind::kParameter: {
      const Parameter& p = cls.parameters[member->index];
      if (!end_here("a parameter") || !TakeSegment(segment, p.shape, chain, dims, report)) return {};
      out.parameter = &p;
      out.type = p.type;
      const DimExpr dim = p.type.declared || !own || !building_
                              ? DimOf(p.type)
                              : InferredDimension(MemberKind::kParameter, member->index);
      out.value = SymbolValue(full, 0, SymbolKind::kParameter, p.type, dim, chain, dims);
      if (own && building_ && structural_scope_) {
        cls_->parameter_uses.resize(cls_->parameters.size());
        cls_->parameter_uses[member->index].sets_size = true;
      }
      break;
    }
    case MemberKind::kVariable: {
      const Variable& v = cls.variables[member->index];
      if (!end_here("a variable") || !TakeSegment(segment, v.shape, chain, dims, report)) return {};
      out.variable = &v;
      out.type = v.type;
      const bool discrete = v.discrete || v.type.base != BaseType::kReal;
      const SymbolKind kind =
          (v.role == VariableRole::kInput || v.role == VariableRole::kExogenous) && chain.empty()
              ? SymbolKind::kInput
          : discrete ? SymbolKind::kDiscrete
                     : SymbolKind::kVariable;
      const DimExpr dim = v.type.declared || !own || !building_
                              ? DimOf(v.type)
                              : InferredDimension(MemberKind::kVariable, member->index);
      out.value = SymbolValue(full, 0, kind, v.type, dim, chain, dims);
      break;
    }
    case MemberKind::kEdge: {
      const Edge& edge = cls.edges[member->index];
      if (!TakeSegment(segment, edge.shape, chain, dims, report)) return {};
      if (next.IsNone()) {
        out.kind = Resolved::Kind::kEdge;
        out.ok = true;
        return out;
      }
      if (!(*tree_)[next].next_sibling.IsNone()) {
        if (report) Unknown((*tree_)[next].next_sibling, cls, true);
        return {};
      }
      return EdgeVariable(cls, edge, path, next, prefix, dims, chain, report);
    }
    case MemberKind::kTerminal: {
      if (!end_here("a terminal")) return {};
      out.kind = Resolved::Kind::kTerminal;
      out.ok = true;
      return out;
    }
    case MemberKind::kInstance: {
      const Instance& instance = cls.instances[member->index];
      static const Shape kSingle;
      const Shape& shape = instance.shape == UINT32_MAX ? kSingle : cls.shapes[instance.shape];
      if (!TakeSegment(segment, shape, chain, dims, report)) return {};
      if (next.IsNone()) {
        out.kind = Resolved::Kind::kInstance;
        if (chain.empty()) out.instance = member->index;
        out.ok = true;
        return out;
      }
      if (instance.class_id.IsNone() || chain.size() > 100) return {};  // reported at its declaration
      chain.push_back(&instance);
      return ResolveIn(builder_.model[instance.class_id], path, next, full + ".", std::move(dims), chain,
                       report);
    }
    case MemberKind::kTable: {
      if (report)
        Report(messages::kNotHere, path, {"a table", "an expression without arguments"})
            .Help("write `" + full + "(x)`");
      return {};
    }
  }
  out.type.kind = out.value.kind;
  if (!out.type.dimension.generics.empty() && !out.value.unit.empty()) out.type.unit = out.value.unit;
  out.ok = out.value.ok;
  return out;
}

ClassBuilder::Resolved ClassBuilder::ResolvePath(NodeId path, bool report) {
  Resolved out;
  const NodeId first = (*tree_)[path].first_child;
  if (first.IsNone()) return out;
  const NodeId second = (*tree_)[first].next_sibling;
  const std::string_view text = tree_->Name(first);
  const NameId name = builder_.Intern(text);
  for (size_t i = locals_.size(); i-- > 0;) {
    if (locals_[i].name != name) continue;
    if (!second.IsNone() || !(*tree_)[first].first_child.IsNone()) {
      if (report) Report(messages::kNotAnArray, path, {text});
      return out;
    }
    out.value = locals_[i].value;
    out.ok = out.value.ok;
    return out;
  }
  if (domain_scope_) {
    const Domain& domain = builder_.model.domains[domain_scope_->index()];
    ComponentClass none;
    Edge edge{};
    edge.domain = *domain_scope_;
    PathDimensions dims;
    Chain chain;
    Resolved variable = EdgeVariable(none, edge, path, first, "", dims, chain, false);
    if (!variable.ok) {
      if (report) Unknown(first, none, true);
      return {};
    }
    // In `power` the variables stand for themselves.
    const bool through = name == domain.through;
    const int order = name == domain.rate ? 1 : name == domain.acceleration ? 2 : 0;
    variable.value.expr =
        pool_.Symbol(pool_.DeclareSymbol(builder_.NameText(through ? domain.through : domain.across),
                                         SymbolKind::kVariable),
                     order);
    return variable;
  }
  if (!cls_->members.Find(name)) {
    if (second.IsNone() && text == "time") {
      out.value = Number(0, false);
      out.value.expr = pool_.Time();
      out.value.dim = {Dimension::Of(0, 0, 1), {}};
      out.value.unit = "s";
      out.ok = true;
      return out;
    }
    if (second.IsNone() && text == "pi") {
      out.value = Number(3.14159265358979323846, false);
      out.ok = true;
      return out;
    }
    if (!second.IsNone()) {
      const NodeId third = (*tree_)[second].next_sibling;
      const bool qualified = !third.IsNone();
      const NameId package = qualified ? name : NameId::None();
      const NameId enumeration_name = qualified ? builder_.Intern(tree_->Name(second)) : name;
      if (const auto id = builder_.EnumerationNamed(package, enumeration_name, tree_->file)) {
        const Enumeration& enumeration = builder_.model.enumerations[id->index()];
        const NodeId last = qualified ? third : second;
        const NameId wanted = builder_.Intern(tree_->Name(last));
        for (size_t i = 0; i < enumeration.values.size(); ++i) {
          if (enumeration.values[i] != wanted) continue;
          out.value = Number(static_cast<double>(i + 1), false);
          out.value.base = BaseType::kEnumeration;
          out.value.enumeration = *id;
          out.ok = true;
          return out;
        }
        if (report) {
          auto& message = builder_.diagnostics.Report(
              messages::kUnknownName, tree_->NameSpan(last),
              {tree_->Name(last),
               "enumeration `" + std::string(tree_->Name(qualified ? second : first)) + "`"});
          std::vector<std::string_view> candidates;
          for (const NameId v : enumeration.values) candidates.push_back(builder_.model.names.Text(v));
          const std::string_view near = Nearest(tree_->Name(last), candidates);
          if (!near.empty()) message.Help("did you mean `" + std::string(near) + "`?");
        }
        return out;
      }
      const auto domain = builder_.DomainNamed(name, tree_->file);
      if (domain && tree_->Name(second) == "ground" && third.IsNone()) {
        out.kind = Resolved::Kind::kGround;
        out.member = domain->value;
        out.ok = true;
        return out;
      }
    }
  }
  Chain chain;
  return ResolveIn(*cls_, path, first, "", {}, chain, report);
}

}  // namespace cotree
