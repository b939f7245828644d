// SPDX-License-Identifier: Apache-2.0
#include "model/class_builder.h"
#include "units/format_dimension.h"

namespace cotree {

namespace messages = model_messages;

Value ClassBuilder::Number(double value, bool bare) {
  Value v;
  v.ok = true;
  v.expr = pool_.Number(value);
  v.bare = bare;
  v.base = BaseType::kReal;
  return v;
}

DimVarId ClassBuilder::NewDimension() {
  const DimVarId id = dimensions_.AddVariable();
  hints_.resize(id.index() + 1);
  while (hint_parent_.size() <= id.index())
    hint_parent_.push_back(static_cast<uint32_t>(hint_parent_.size()));
  return id;
}

DimExpr ClassBuilder::DimPower(const DimExpr& a, Rational exponent, NodeId node) {
  DimExpr out;
  const auto constant = Power(a.constant, exponent);
  bool fits = constant.has_value();
  if (fits) out.constant = *constant;
  for (const auto& term : a.terms) {
    const auto e = Multiply(term.exponent, exponent);
    fits = fits && e.has_value();
    if (e && !e->IsZero()) out.terms.push_back({term.variable, *e});
  }
  if (!fits) Report(messages::kDimensionTooLarge, node);
  return out;
}

DimExpr ClassBuilder::DimTimes(const DimExpr& a, const DimExpr& b, NodeId node, Rational exponent) {
  if (b.IsOne()) return a;
  DimExpr out = a;
  const DimExpr factor = exponent == Rational(1) ? b : DimPower(b, exponent, node);
  const auto constant = Multiply(out.constant, factor.constant);
  bool fits = constant.has_value();
  if (fits) out.constant = *constant;
  for (const auto& term : factor.terms) {
    bool merged = false;
    for (size_t i = 0; i < out.terms.size(); ++i) {
      if (out.terms[i].variable != term.variable) continue;
      const auto e = Add(out.terms[i].exponent, term.exponent);
      fits = fits && e.has_value();
      if (!e || e->IsZero())
        out.terms.erase(out.terms.begin() + static_cast<std::ptrdiff_t>(i));
      else
        out.terms[i].exponent = *e;
      merged = true;
      break;
    }
    if (!merged) out.terms.push_back(term);
  }
  if (!fits) Report(messages::kDimensionTooLarge, node);
  return out;
}

std::string ClassBuilder::DimText(const DimExpr& dim) {
  DimensionVector value = dim.constant;
  bool determined = true;
  for (const auto& term : dim.terms) {
    const auto found = dimensions_.FindValue(term.variable);
    const auto power = found ? Power(*found, term.exponent) : std::nullopt;
    const auto product = power ? Multiply(value, *power) : std::nullopt;
    if (!product)
      determined = false;
    else
      value = *product;
  }
  if (!determined) return "a dimension not yet known";
  if (value.IsOne()) return "1 (a pure number)";
  return FormatDimension(value, [&](GenericId id) { return builder_.NameText(cls_->generics[id.index()]); });
}

std::string ClassBuilder::UnitText(const Value& value) {
  if (!value.unit.empty() && value.unit != "1" && value.unit.find('$') == std::string::npos)
    return value.unit;
  return DimText(value.dim);
}

std::string ClassBuilder::TypeText(const Type& type, const DimExpr& dim) {
  if (!type.unit.empty() && type.unit != "1" && type.unit.find('$') == std::string::npos) return type.unit;
  return DimText(dim);
}

/* a = b. A mismatch of known dimensions is left to the caller, who knows the words; a contradiction with what
was inferred elsewhere is reported here, with the other place. */
ClassBuilder::Equated ClassBuilder::Equate(const DimExpr& a, const DimExpr& b, NodeId node, NodeId driver,
                                           bool is_value) {
  if (a.known() && b.known()) return a.constant == b.constant ? Equated::kYes : Equated::kMismatch;
  const DimExpr ratio = DimTimes(a, b, node, -1);
  if (ratio.known()) return ratio.constant.IsOne() ? Equated::kYes : Equated::kMismatch;
  const auto inverse = Power(ratio.constant, -1);
  if (!inverse) return Equated::kYes;
  const auto tag = static_cast<uint32_t>(tags_.size());
  const auto outcome = dimensions_.AddEquation(ratio.terms, *inverse, tag);
  tags_.push_back({node, driver});
  if (dim_equations_.size() < kMostBlamedEquations)
    dim_equations_.push_back({ratio.terms, *inverse, a, b, is_value});
  if (outcome.status == DimensionSystem::Status::kTooLarge) {
    Report(messages::kDimensionTooLarge, node);
    return Equated::kReported;
  }
  if (outcome.status != DimensionSystem::Status::kContradiction) return Equated::kYes;
  const auto name = [&](GenericId id) { return builder_.NameText(cls_->generics[id.index()]); };
  // With one unknown the two values can be named; with more, the product is what contradicts.
  std::string here, elsewhere;
  if (ratio.terms.size() == 1 && ratio.terms[0].exponent.num != 0) {
    const auto root = Divide(Rational(1), ratio.terms[0].exponent);
    const auto stated = root ? Power(outcome.stated, *root) : std::nullopt;
    const auto implied = root ? Power(outcome.implied, *root) : std::nullopt;
    if (stated && implied) {
      here = stated->IsOne() ? "1 (a pure number)" : FormatDimension(*stated, name);
      elsewhere = implied->IsOne() ? "1 (a pure number)" : FormatDimension(*implied, name);
    }
  }
  if (here.empty()) {
    here = outcome.stated.IsOne() ? "1 (a pure number)" : FormatDimension(outcome.stated, name);
    elsewhere = outcome.implied.IsOne() ? "1 (a pure number)" : FormatDimension(outcome.implied, name);
  }
  auto& report = Report(messages::kContradiction, node, {TagText({node, driver}), here, elsewhere});
  size_t shown = 0;
  for (const auto& cause : outcome.causes) {
    if (cause.tag >= tags_.size() - 1 || tags_[cause.tag].node == node || shown++ >= 2) continue;
    report.Also(tree_->SpanOf(tags_[cause.tag].node), "fixed here by `" + TagText(tags_[cause.tag]) + "`");
  }
  contradictions_.push_back({&report, tag});
  report.Note(
      "the dimensions of signals are found from what they are connected to and from the units of parameters");
  return Equated::kReported;
}

std::string ClassBuilder::TagText(const Tag& tag) const {
  return tag.driver.IsNone() ? TextOf(tag.node) : TextOf(tag.driver) + " -> " + TextOf(tag.node);
}

bool ClassBuilder::KindsClash(KindHint a, KindHint b) const {
  const auto pair = [&](KindHint x, KindHint y) { return (a == x && b == y) || (a == y && b == x); };
  return pair(KindHint::kFrequency, KindHint::kAngularVelocity) || pair(KindHint::kTorque, KindHint::kEnergy);
}

void ClassBuilder::ReportClash(NodeId node, std::string_view text, KindHint found, std::string_view what,
                               KindHint wanted) {
  std::string remedy;
  switch (wanted) {
    case KindHint::kFrequency:
      remedy = "a frequency counts turns: divide by 2*pi, or write the value in Hz";
      break;
    case KindHint::kAngularVelocity:
      remedy = "an angular velocity counts radians: multiply by 2*pi, or write the value in rad/s or rpm";
      break;
    case KindHint::kTorque:
      remedy = "write a torque in N*m";
      break;
    case KindHint::kEnergy:
      remedy = "write an energy in J";
      break;
    case KindHint::kNone:
      break;
  }
  Report(messages::kKindClash, node, {text, KindName(found), what, KindName(wanted), remedy});
}

bool ClassBuilder::Fit(Value& value, NodeId node, const Type& type, const DimExpr& dim,
                       std::string_view what) {
  if (!value.ok) return false;
  const std::string text = TextOf(node);
  const bool number = value.base == BaseType::kReal || value.base == BaseType::kInteger;
  if (type.base == BaseType::kEnumeration) {
    if (value.base == BaseType::kEnumeration && value.enumeration == type.enumeration) return true;
    Report(messages::kWrongBaseType, node,
           {std::string(what).substr(what[0] == '`' ? 1 : 0, what[0] == '`' ? what.size() - 2 : what.size()),
            "a value of " + builder_.NameText(builder_.model.enumerations[type.enumeration.index()].name),
            BaseTypeText(value.base)});
    return false;
  }
  const bool integer_wanted = type.base == BaseType::kInteger;
  const bool integer_given =
      value.base == BaseType::kInteger ||
      (value.bare && (pool_.AsInteger(value.expr).has_value() || !pool_.IsNumber(value.expr)));
  const bool fits = type.base == BaseType::kReal ? number
                    : integer_wanted             ? number && integer_given
                                                 : value.base == type.base;
  if (!fits) {
    const std::string plain =
        what.size() > 2 && what[0] == '`' ? std::string(what.substr(1, what.size() - 2)) : std::string(what);
    const std::string is = integer_wanted && number ? "`" + text + "`" : BaseTypeText(value.base);
    auto& report = Report(messages::kWrongBaseType, node,
                          {plain, integer_wanted ? "a whole number" : BaseTypeText(type.base), is});
    if (type.base == BaseType::kBoolean)
      report.Help(number ? "write `true` or `false`, or a comparison" : "write `true` or `false`");
    return false;
  }
  if (type.base != BaseType::kReal) return true;
  if (value.bare) {
    const bool zero = pool_.IsZero(value.expr);
    const bool declared =
        type.declared && dim.known() && dim.constant.generics.empty() && !dim.constant.IsOne();
    if (declared && !zero) {
      auto& report = Report(messages::kMissingUnit, node, {text, what, TypeText(type, dim)});
      if (!pool_.IsNumber(value.expr)) {
        report.helps.clear();
        report.Help("give its numbers units, e.g. `1 " + TypeText(type, dim) + "`");
      }
      return false;
    }
    return true;
  }
  if (value.absolute &&
      !(type.quantity.IsNone() == false &&
        builder_.model.names.Text(builder_.model.quantities[type.quantity.index()].name) == "Temperature")) {
    // What is generic may be a temperature; an experiment knows by now that it is.
    if (dim.known() && dim.constant.generics.empty() && type.dimension.generics.empty()) {
      Report(messages::kAbsoluteTemperature, node, {"degC", text});
      return false;
    }
  }
  switch (Equate(dim, value.dim, node, NodeId::None(), true)) {
    case Equated::kReported:
      return false;
    case Equated::kMismatch: {
      std::string described(what);
      const std::string article = builder_.QuantityArticle(type);
      auto& report =
          Report(messages::kWrongDimension, node, {text, UnitText(value), described, TypeText(type, dim)});
      if (!article.empty()) report.Label("expected " + article);
      const std::string unit = TypeText(type, dim);
      report.Help(dim.IsOne() ? std::string("a pure number is wanted")
                              : "give a value in " + unit + ", or in another unit of the same dimension");
      return false;
    }
    case Equated::kYes:
      break;
  }
  if (KindsClash(value.kind, type.kind)) {
    ReportClash(node, text, value.kind, what, type.kind);
    return false;
  }
  Hint(dim, value.unit);
  return true;
}

// --- How people would write an inferred dimension: found beside the exponents, since rad counts as 1 there

uint32_t ClassBuilder::HintRoot(uint32_t var) {
  while (hint_parent_[var] != var) {
    hint_parent_[var] = hint_parent_[hint_parent_[var]];
    var = hint_parent_[var];
  }
  return var;
}

void ClassBuilder::Hint(const DimExpr& dim, const std::string& unit) {
  if (unit.empty() || dim.terms.size() != 1 || !dim.constant.IsOne() || dim.terms[0].exponent != Rational(1))
    return;
  std::string& hint = hints_[HintRoot(dim.terms[0].variable.value)];
  if (hint.empty() || (hint == "1" && unit != "1")) hint = unit;
}

void ClassBuilder::JoinHints(const DimExpr& a, const DimExpr& b) {
  const auto plain = [](const DimExpr& d) {
    return d.terms.size() == 1 && d.constant.IsOne() && d.terms[0].exponent == Rational(1);
  };
  if (!plain(a) || !plain(b)) return;
  const uint32_t x = HintRoot(a.terms[0].variable.value), y = HintRoot(b.terms[0].variable.value);
  if (x == y) return;
  hint_parent_[y] = x;
  if (hints_[x].empty() || hints_[x] == "1") {
    if (!hints_[y].empty()) hints_[x] = hints_[y];
  }
}

DimExpr ClassBuilder::GenericOf(const ComponentClass& outer, const Instance& instance, size_t k) {
  if (instance.first_generic == UINT32_MAX) return {};
  const size_t at = instance.first_generic + k;
  if (building_ && &outer == cls_) return {{}, {{generic_vars_[at], 1}}};
  return at < outer.generic_values.size() ? DimExpr{outer.generic_values[at], {}} : DimExpr{};
}

DimExpr ClassBuilder::MapDimension(const DimensionVector& inner, const ComponentClass& owner,
                                   const Instance& instance) {
  DimExpr out{inner.si, {}};
  for (const auto& generic : inner.generics) {
    out = DimTimes(out, GenericOf(owner, instance, generic.id.index()), instance.node, generic.exponent);
  }
  return out;
}

std::string ClassBuilder::TextOf(NodeId node) const {
  std::string text(tree_->Text(node).substr(0, 80));
  if (tree_->Text(node).size() > 80) text += "...";
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return text;
}

}  // namespace cotree
