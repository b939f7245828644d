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

/// $a, if a dimension is just that by a power of time.
std::optional<GenericId> CountedGeneric(const DimensionVector& dimension) {
  const bool one = dimension.generics.size() == 1 && dimension.generics[0].exponent == Rational(1);
  return one && IsPowerOfTime(dimension.si) ? std::optional(dimension.generics[0].id) : std::nullopt;
}

/// $a, if a dimension is just that.
std::optional<GenericId> PlainGeneric(const DimensionVector& dimension) {
  return dimension.si.IsOne() ? CountedGeneric(dimension) : std::nullopt;
}

}  // namespace

// The unknown, if a dimension is just that.
DimVarId ClassBuilder::UnknownOf(const DimExpr& dim) {
  const bool plain = dim.terms.size() == 1 && dim.constant.IsOne() && dim.terms[0].exponent == Rational(1);
  return plain ? dim.terms[0].variable : DimVarId::None();
}

// The unknown, if a dimension is just that by a power of time: what is counted is the same in both.
DimVarId ClassBuilder::CountedUnknownOf(const DimExpr& dim) {
  const bool one = dim.terms.size() == 1 && dim.terms[0].exponent == Rational(1);
  return one && dim.constant.generics.empty() && IsPowerOfTime(dim.constant.si) ? dim.terms[0].variable
                                                                                : DimVarId::None();
}

// Whether a value is a time, or a power of it: not what is counted in a time.
bool ClassBuilder::IsTime(const Value& value) {
  return value.kind == KindHint::kNone && value.follows.IsNone() && value.dim.known() &&
         value.dim.constant.generics.empty() && !value.dim.IsOne() && IsPowerOfTime(value.dim.constant.si);
}

// What a derivative, or a product with a time, keeps of a kind.
KindHint ClassBuilder::CountedKind(KindHint kind) {
  if (kind == KindHint::kAngle || kind == KindHint::kAngularVelocity) return KindHint::kAngularVelocity;
  return kind == KindHint::kFrequency ? kind : KindHint::kNone;
}

uint32_t ClassBuilder::RootIn(LargeVector<uint32_t>& parents, uint32_t var) {
  while (parents[var] != var) {
    parents[var] = parents[parents[var]];
    var = parents[var];
  }
  return var;
}

// How people would write an inferred dimension: found beside the exponents, since rad counts as 1 there.
void ClassBuilder::Hint(const Kinded& kinded, const std::string& unit) {
  if (unit.empty() || kinded.unknown.IsNone() || kinded.by_time) return;
  std::string& hint = hints_[UnknownRoot(kinded.unknown.value)];
  if (hint.empty() || (hint == "1" && unit != "1")) hint = unit;
}

KindHint ClassBuilder::KindOf(const Kinded& kinded) {
  if (kinded.kind != KindHint::kNone || kinded.unknown.IsNone()) return kinded.kind;
  return FoundFor(kinded.unknown).kind;
}

std::optional<ClassBuilder::KindClash> ClassBuilder::JoinKinds(const Kinded& wanted, const Kinded& given,
                                                               const Tag& tag) {
  const KindHint kinds[] = {KindOf(wanted), KindOf(given)};
  const DimVarId unknowns[] = {wanted.unknown, given.unknown};
  if (KindsClash(kinds[0], kinds[1])) {
    KindClash clash{kinds[0], kinds[1], {}};
    for (const DimVarId unknown : unknowns) {
      if (unknown.IsNone()) continue;
      FoundKind& found = FoundFor(unknown);
      clash.causes.push_back(found.tag);
      found = {KindHint::kNone, {}, true, found.number};  // one message is enough
    }
    return clash;
  }
  if (!unknowns[0].IsNone() && !unknowns[1].IsNone()) {
    const uint32_t kind_a = RootIn(kind_parent_, unknowns[0].value),
                   kind_b = RootIn(kind_parent_, unknowns[1].value);
    if (kind_a != kind_b) {
      kind_parent_[kind_b] = kind_a;
      FoundKind &to = kinds_[kind_a], &from = kinds_[kind_b];
      const bool number = to.number || from.number;
      if (to.kind == KindHint::kNone && !to.clashed) to = from;
      to.number = number;
    }
    if (wanted.by_time || given.by_time) return std::nullopt;
    const uint32_t a = UnknownRoot(unknowns[0].value), b = UnknownRoot(unknowns[1].value);
    if (a != b) {
      same_parent_[b] = a;
      if (hints_[a].empty() || (hints_[a] == "1" && !hints_[b].empty())) hints_[a] = hints_[b];
    }
    return std::nullopt;
  }
  for (size_t k = 0; k < 2; ++k) {
    if (unknowns[k].IsNone() || OppositeOf(kinds[1 - k]) == KindHint::kNone) continue;
    FoundKind& found = FoundFor(unknowns[k]);
    // An angle is an angular velocity by time.
    const KindHint kind = kinds[1 - k] == KindHint::kAngle ? KindHint::kAngularVelocity : kinds[1 - k];
    if (found.kind == KindHint::kNone && !found.clashed) found = {kind, tag, false, found.number};
  }
  return std::nullopt;
}

void ClassBuilder::ReportClash(NodeId node, std::string_view text, std::string_view what,
                               const KindClash& clash, const DimExpr& dim) {
  const Dimension dimension = FindDimension(dim).value_or(Dimension::Of(0, 0, -1)).si;
  std::string remedy;
  switch (clash.wanted) {
    case KindHint::kFrequency:
      remedy = dimension == Dimension::Of(0, 0, -1)
                   ? "a frequency counts turns: divide by 2*pi, or write the value in Hz"
                   : "a cycle is 2*pi radians: divide by 2*pi";
      break;
    case KindHint::kAngularVelocity:
    case KindHint::kAngle:
      remedy =
          dimension == Dimension::Of(0, 0, -1)
              ? "an angular velocity counts radians: multiply by 2*pi, or write the value in rad/s or rpm"
              : "a cycle is 2*pi radians: multiply by 2*pi";
      break;
    case KindHint::kTorque:
      remedy = "write a torque in N*m";
      break;
    default:
      remedy = "write an energy in J";
      break;
  }
  auto& report =
      Report(messages::kKindClash, node,
             {text, KindName(clash.given, dimension), what, KindName(clash.wanted, dimension), remedy});
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
    value.follows = CountedUnknownOf(value.dim);
    return;
  }
  std::optional<GenericId> generic = CountedGeneric(type.dimension);
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
    generic = CountedGeneric(owner.generic_values[at]);
  }
  // What is a product of signals may still have the kind of one of them (SettleProducts).
  if (!building_ || &OwnerOf(chain, 0) != cls_ || value.dim.terms.size() < 2 || !value.dim.constant.IsOne())
    return;
  value.follows = NewDimension();
  signal_products_.push_back({value.follows, value.dim.terms, chain[0]});
  const DimExpr product{{}, {{value.follows, 1}}};
  Equate(product, value.dim, chain[0]->node);
  value.dim = product;
}

// y = u1*u2, where u2 is a plain number or a time, counts what u1 counts.
void ClassBuilder::SettleProducts() {
  for (const SignalProduct& signal : signal_products_) {
    DimVarId counted;
    size_t others = 0;
    for (const auto& term : signal.terms) {
      const auto value = dimensions_.FindValue(term.variable);
      const FoundKind& found = FoundFor(term.variable);
      const bool time = value && value->generics.empty() && IsPowerOfTime(value->si);
      if (time && found.kind == KindHint::kNone && (found.number || !value->IsOne())) continue;
      ++others;
      if (term.exponent == Rational(1)) counted = term.variable;
    }
    if (others != 1 || counted.IsNone()) continue;
    const PlainFactor factor{counted, signal.product, signal.instance->node, signal.instance, UINT32_MAX};
    JoinByNumber(counted, signal.product, factor);
  }
}

// A plain number was given where the dimension is an unknown, or that of one unknown by another.
void ClassBuilder::LinkKinds(const DimExpr& dim, NodeId node) {
  if (const DimVarId unknown = UnknownOf(dim); !unknown.IsNone()) FoundFor(unknown).number = true;
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
  SettleProducts();
}

void ClassBuilder::JoinByNumber(DimVarId from, DimVarId to, const PlainFactor& factor) {
  const bool by_time = dimensions_.FindValue(from) != dimensions_.FindValue(to);
  const auto clash = JoinKinds({KindHint::kNone, to, by_time}, {KindHint::kNone, from, by_time},
                               {factor.node, NodeId::None()});
  if (!clash) return;
  const Dimension dimension = dimensions_.FindValue(to).value_or(Dimension::Of(0, 0, -1)).si;
  const std::string given = UnitOfKind(clash->given), wanted = UnitOfKind(clash->wanted);
  const bool compound = given.find_first_of("*/") != std::string::npos;
  const std::string unit = wanted + "/" + (compound ? "(" + given + ")" : given);
  std::string text = "the plain number `" + TextOf(factor.node) + "`";
  if (factor.instance != nullptr) {
    const ComponentClass& cls = builder_.model[factor.instance->class_id];
    const std::string name = "`" + builder_.NameText(factor.instance->name) + "`";
    text = factor.parameter == UINT32_MAX
               ? "a plain number or a time in " + name
               : "the plain number that `" + builder_.NameText(cls.parameters[factor.parameter].name) +
                     "` of " + name + " has by default";
  }
  auto& report = Report(messages::kNumberBetweenKinds, factor.node,
                        {text, KindName(clash->given, dimension), KindName(clash->wanted, dimension)});
  if (clash->wanted == KindHint::kAngularVelocity)
    report.Help("a turn for each cycle is `2*pi`; another factor has its unit: `2 " + unit + "`");
  else if (clash->wanted == KindHint::kFrequency)
    report.Help("a cycle for each turn is `1/(2*pi)`; another factor has its unit: `2 " + unit + "`");
  else
    report.Help("if it is meant so, write it with its unit: `2 " + unit + "`");
  SayCauses(report, *clash, factor.node);
}

}  // namespace cotree
