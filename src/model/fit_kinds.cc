// SPDX-License-Identifier: Apache-2.0
// Kinds beside dimensions (docs/theory/dimensions.md, DM.8): Hz is not rad/s and N*m is not J, also where the
// dimension of a signal is found from what it is connected to.
#include <map>

#include "model/class_builder.h"
#include "units/format_dimension.h"

namespace cotree {

namespace messages = model_messages;

namespace {

std::string UnitOfKind(KindHint kind) {
  const bool rate = kind == KindHint::kFrequency || kind == KindHint::kAngularVelocity;
  return FormatDimension(rate ? Dimension::Of(0, 0, -1) : Dimension::Of(2, 1, -2), kind);
}

/// $a, if a dimension is just that.
std::optional<GenericId> PlainGeneric(const DimensionVector& dimension) {
  const bool plain =
      dimension.si.IsOne() && dimension.generics.size() == 1 && dimension.generics[0].exponent == Rational(1);
  return plain ? std::optional(dimension.generics[0].id) : std::nullopt;
}

}  // namespace

// The unknown, if a dimension is just that.
DimVarId ClassBuilder::UnknownOf(const DimExpr& dim) {
  const bool plain = dim.terms.size() == 1 && dim.constant.IsOne() && dim.terms[0].exponent == Rational(1);
  return plain ? dim.terms[0].variable : DimVarId::None();
}

uint32_t ClassBuilder::UnknownRoot(uint32_t var) {
  while (same_parent_[var] != var) {
    same_parent_[var] = same_parent_[same_parent_[var]];
    var = same_parent_[var];
  }
  return var;
}

// How people would write an inferred dimension: found beside the exponents, since rad counts as 1 there.
void ClassBuilder::Hint(DimVarId unknown, const std::string& unit) {
  if (unit.empty() || unknown.IsNone()) return;
  std::string& hint = hints_[UnknownRoot(unknown.value)];
  if (hint.empty() || (hint == "1" && unit != "1")) hint = unit;
}

KindHint ClassBuilder::KindOf(const Kinded& kinded) {
  if (kinded.kind != KindHint::kNone || kinded.unknown.IsNone()) return kinded.kind;
  return kinds_[UnknownRoot(kinded.unknown.value)].kind;
}

std::optional<ClassBuilder::KindClash> ClassBuilder::JoinKinds(const Kinded& wanted, const Kinded& given,
                                                               const Tag& tag) {
  const KindHint kinds[] = {KindOf(wanted), KindOf(given)};
  const DimVarId unknowns[] = {wanted.unknown, given.unknown};
  if (KindsClash(kinds[0], kinds[1])) {
    KindClash clash{kinds[0], kinds[1], {}};
    for (const DimVarId unknown : unknowns) {
      if (unknown.IsNone()) continue;
      FoundKind& found = kinds_[UnknownRoot(unknown.value)];
      clash.causes.push_back(found.tag);
      found = {KindHint::kNone, {}, true};  // one message is enough
    }
    return clash;
  }
  if (!unknowns[0].IsNone() && !unknowns[1].IsNone()) {
    const uint32_t a = UnknownRoot(unknowns[0].value), b = UnknownRoot(unknowns[1].value);
    if (a != b) {
      same_parent_[b] = a;
      if (kinds_[a].kind == KindHint::kNone && !kinds_[a].clashed) kinds_[a] = kinds_[b];
      if (hints_[a].empty() || (hints_[a] == "1" && !hints_[b].empty())) hints_[a] = hints_[b];
    }
    return std::nullopt;
  }
  for (size_t k = 0; k < 2; ++k) {
    if (unknowns[k].IsNone() || OppositeOf(kinds[1 - k]) == KindHint::kNone) continue;
    FoundKind& found = kinds_[UnknownRoot(unknowns[k].value)];
    if (found.kind == KindHint::kNone && !found.clashed) found = {kinds[1 - k], tag, false};
  }
  return std::nullopt;
}

void ClassBuilder::ReportClash(NodeId node, std::string_view text, std::string_view what,
                               const KindClash& clash) {
  std::string remedy;
  switch (clash.wanted) {
    case KindHint::kFrequency:
      remedy = "a frequency counts turns: divide by 2*pi, or write the value in Hz";
      break;
    case KindHint::kAngularVelocity:
      remedy = "an angular velocity counts radians: multiply by 2*pi, or write the value in rad/s or rpm";
      break;
    case KindHint::kTorque:
      remedy = "write a torque in N*m";
      break;
    default:
      remedy = "write an energy in J";
      break;
  }
  auto& report =
      Report(messages::kKindClash, node, {text, KindName(clash.given), what, KindName(clash.wanted), remedy});
  SayCauses(report, clash, node);
}

void ClassBuilder::SayCauses(Diagnostic& report, const KindClash& clash, NodeId node) const {
  for (const Tag& cause : clash.causes) {
    if (!cause.node.IsNone() && cause.node != node)
      report.Also(tree_->SpanOf(cause.node), "found from `" + TagText(cause) + "`");
  }
}

// The kind of a symbol at the end of a chain of instances: its own, or that of a generic, which is known
// where the class around it is finished, and an unknown where that is this one.
void ClassBuilder::FollowKind(Value& value, const Type& type, const Chain& chain) {
  value.kind = type.kind;
  if (value.kind != KindHint::kNone) return;
  if (chain.empty()) {
    value.follows = UnknownOf(value.dim);
    return;
  }
  std::optional<GenericId> generic = PlainGeneric(type.dimension);
  for (size_t k = chain.size(); k-- > 0 && generic;) {
    const ComponentClass& owner = OwnerOf(chain, k);
    if (chain[k]->first_generic == UINT32_MAX) return;
    const size_t at = chain[k]->first_generic + generic->index();
    if (building_ && &owner == cls_) {
      value.follows = generic_vars_[at];
      return;
    }
    if (at >= owner.generic_kinds.size()) return;
    value.kind = owner.generic_kinds[at];
    if (value.kind != KindHint::kNone) return;
    generic = PlainGeneric(owner.generic_values[at]);
  }
}

// A plain number was given where the dimension is that of one unknown by another.
void ClassBuilder::LinkKinds(const DimExpr& dim, NodeId node) {
  if (dim.terms.size() != 2 || !dim.constant.IsOne()) return;
  for (size_t k = 0; k < 2; ++k) {
    const auto &over = dim.terms[k], &under = dim.terms[1 - k];
    if (over.exponent == Rational(1) && under.exponent == Rational(-1))
      plain_factors_.push_back({under.variable, over.variable, node, nullptr, UINT32_MAX});
  }
}

// A plain number changes no kind: where it stands between equal dimensions, the kinds are the same.
void ClassBuilder::SettleKinds() {
  for (const Instance& instance : class_.instances) {
    if (instance.class_id.IsNone() || instance.first_generic == UINT32_MAX) continue;
    const ComponentClass& cls = builder_.model[instance.class_id];
    for (const KindLink& link : cls.kind_links) {
      bool given = false;
      for (uint32_t i = 0; i < instance.argument_count; ++i) {
        const Argument& argument = class_.arguments[instance.first_argument + i];
        given = given || (argument.path == UINT32_MAX && argument.parameter == link.parameter);
      }
      if (given) continue;
      plain_factors_.push_back({generic_vars_[instance.first_generic + link.from],
                                generic_vars_[instance.first_generic + link.to], instance.node, &instance,
                                link.parameter});
    }
  }
  // Signals whose dimension nothing fixes take part in the chains of plain numbers that they stand in: a
  // chain ends at signals of known dimension, and those of equal dimension are multiples of each other.
  std::map<uint32_t, uint32_t> chain;  // unknown that nothing fixes -> another of its chain
  const auto root = [&](uint32_t var) {
    while (chain.emplace(var, var).first->second != var) {
      uint32_t& next = chain.at(var);
      var = next = chain.at(next);
    }
    return var;
  };
  const auto open = [&](DimVarId var) -> std::optional<uint32_t> {
    const DimensionSystem::Answer answer = dimensions_.Find(var);
    const bool plain = !answer.too_large && answer.value.IsOne() && answer.free.size() == 1 &&
                       answer.free[0].exponent == Rational(1);
    return plain ? std::optional(answer.free[0].variable.value) : std::nullopt;
  };
  for (const PlainFactor& factor : plain_factors_) {
    const auto from = open(factor.from), to = open(factor.to);
    if (from && to) chain[root(*from)] = root(*to);
  }
  // By chain and dimension: the first signal at its end.
  std::map<std::pair<uint32_t, DimensionVector>, DimVarId> ends;
  for (const PlainFactor& factor : plain_factors_) {
    const auto from = dimensions_.FindValue(factor.from), to = dimensions_.FindValue(factor.to);
    if (from && to) {
      const auto a = PlainGeneric(*from), b = PlainGeneric(*to);
      if (*from == *to)
        JoinByNumber(factor.from, factor.to, factor);
      else if (a && b)
        class_.kind_links.push_back({a->value, b->value, UINT32_MAX});
    } else if (from || to) {
      const DimVarId end = from ? factor.from : factor.to;
      const auto middle = open(from ? factor.to : factor.from);
      if (!middle) continue;
      const auto [first, is_new] = ends.try_emplace({root(*middle), from ? *from : *to}, end);
      if (is_new) continue;
      if (from)
        JoinByNumber(end, first->second, factor);
      else
        JoinByNumber(first->second, end, factor);
    }
  }
}

void ClassBuilder::JoinByNumber(DimVarId from, DimVarId to, const PlainFactor& factor) {
  const auto clash = JoinKinds({KindHint::kNone, to}, {KindHint::kNone, from}, {factor.node, NodeId::None()});
  if (!clash) return;
  const std::string given = UnitOfKind(clash->given), wanted = UnitOfKind(clash->wanted);
  const bool compound = given.find_first_of("*/") != std::string::npos;
  const std::string unit = wanted + "/" + (compound ? "(" + given + ")" : given);
  std::string text = "the plain number `" + TextOf(factor.node) + "`";
  if (factor.instance != nullptr) {
    const ComponentClass& cls = builder_.model[factor.instance->class_id];
    const std::string name = "`" + builder_.NameText(factor.instance->name) + "`";
    text = factor.parameter == UINT32_MAX
               ? "a plain number inside " + name
               : "the plain number that `" + builder_.NameText(cls.parameters[factor.parameter].name) +
                     "` of " + name + " has by default";
  }
  auto& report = Report(messages::kNumberBetweenKinds, factor.node,
                        {text, KindName(clash->given), KindName(clash->wanted)});
  if (clash->wanted == KindHint::kAngularVelocity)
    report.Help("a turn for each cycle is `2*pi`; another factor has its unit: `2 " + unit + "`");
  else if (clash->wanted == KindHint::kFrequency)
    report.Help("a cycle for each turn is `1/(2*pi)`; another factor has its unit: `2 " + unit + "`");
  else
    report.Help("if it is meant so, write it with its unit: `2 " + unit + "`");
  SayCauses(report, *clash, factor.node);
}

}  // namespace cotree
