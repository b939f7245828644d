// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/class_builder.h"
#include "model/describe_model.h"
#include "units/format_dimension.h"
#include "units/unit_symbols.h"

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
  kinds_.resize(id.index() + 1);
  while (same_parent_.size() <= id.index()) {
    same_parent_.push_back(static_cast<uint32_t>(same_parent_.size()));
    kind_parent_.push_back(static_cast<uint32_t>(kind_parent_.size()));
  }
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

std::optional<DimensionVector> ClassBuilder::FindDimension(const DimExpr& dim) {
  std::optional<DimensionVector> value = dim.constant;
  for (const auto& term : dim.terms) {
    const auto found = dimensions_.FindValue(term.variable);
    const auto power = found ? Power(*found, term.exponent) : std::nullopt;
    value = power && value ? Multiply(*value, *power) : std::nullopt;
  }
  return value;
}

std::string ClassBuilder::DimText(const DimExpr& dim) {
  const auto value = FindDimension(dim);
  if (!value) return "a dimension not yet known";
  if (const std::string text = TextOfHints(dim); !text.empty()) return text;
  if (value->IsOne()) return "1 (a pure number)";
  return FormatDimension(*value, [&](GenericId id) { return builder_.NameText(cls_->generics[id.index()]); });
}

/* The same in the units of what is connected: V*s/rad, not the Wb that has its dimension. Empty: these are
not known. */
std::string ClassBuilder::TextOfHints(const DimExpr& dim) {
  if (dim.known() || !dim.constant.generics.empty()) return {};
  std::string text = dim.constant.IsOne() ? "1" : builder_.DimensionText(dim.constant.si);
  for (const auto& term : dim.terms) {
    const std::string& hint = hints_[UnknownRoot(term.variable.value)];
    if (hint.empty() || hint == "1" || hint.find('$') != std::string::npos || !term.exponent.IsInteger() ||
        std::abs(term.exponent.num) > 4)
      return {};
    for (int k = 0; k < std::abs(term.exponent.num); ++k)
      text += (term.exponent.num > 0 ? "*(" : "/(") + hint + ")";
  }
  return SimplifyUnit(text);
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

namespace {

/// `mm/rev` of a Lead, for a help: the unit people read, with the angle given.
std::string PerAngleUnit(const Type& type, std::string_view angle) {
  const size_t slash = type.unit.find('/');
  const std::string extent = type.unit.substr(0, slash);
  return (extent == "m" ? "mm" : extent == "m^3" ? "cm^3" : extent) + "/" + std::string(angle);
}

}  // namespace

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
  // From 2^53 on not every whole number is a number: the text may have been rounded.
  const bool exact = !pool_.IsNumber(value.expr) || std::fabs(pool_.NumberValue(value.expr)) < 0x1p53;
  const bool integer_given =
      value.base == BaseType::kInteger ||
      (value.bare && (pool_.AsInteger(value.expr).has_value() || !pool_.IsNumber(value.expr)));
  const bool fits = type.base == BaseType::kReal ? number
                    : integer_wanted             ? number && integer_given && exact
                                                 : value.base == type.base;
  if (!fits) {
    const std::string plain =
        what.size() > 2 && what[0] == '`' ? std::string(what.substr(1, what.size() - 2)) : std::string(what);
    const std::string is = integer_wanted && number ? "`" + text + "`" : BaseTypeText(value.base);
    auto& report = Report(
        messages::kWrongBaseType, node,
        {plain,
         integer_wanted ? exact ? "a whole number" : "a whole number below 2^53" : BaseTypeText(type.base),
         is});
    if (type.base == BaseType::kBoolean)
      report.Help(number ? "write `true` or `false`, or a comparison" : "write `true` or `false`");
    return false;
  }
  if (type.base != BaseType::kReal) return true;
  if (value.bare) {
    if (IsZeroValue(value.expr)) return true;
    const bool angle = type.kind == KindHint::kAngle;
    const bool declared = type.declared && type.dimension.generics.empty() && dim.known() &&
                          dim.constant.generics.empty() && (angle || !dim.constant.IsOne());
    if (declared) {
      auto& report = Report(messages::kMissingUnit, node, {text, what, TypeText(type, dim)});
      const NodeKind kind = tree_->kind(node);
      const bool literal = pool_.IsNumber(value.expr) || kind == NodeKind::kArray;
      if (!literal) report.helps.assign(1, "give its numbers units, e.g. `1 " + TypeText(type, dim) + "`");
      if (literal && angle) report.helps.assign(1, "write `" + text + " deg` or `" + text + " rad`");
      if (literal && type.kind == KindHint::kPerAngle)
        report.helps.assign(1, "write it per turn or per radian, such as `" + text + " " +
                                   PerAngleUnit(type, "rev") + "` or `" + text + " " +
                                   PerAngleUnit(type, "rad") + "`");
      return false;
    }
    LinkKinds(dim, node);
    return true;
  }
  if (value.absolute && !IsAbsoluteTemperature(builder_.model, type)) {
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
      HelpWithUnits(report, node);
      return false;
    }
    case Equated::kYes:
      break;
  }
  if (type.kind == KindHint::kPerAngle && value.kind == KindHint::kExtent) {
    const bool literal = tree_->kind(node) == NodeKind::kQuantityLiteral;
    const std::string with = literal ? text : "(" + text + ")";
    Report(messages::kExtentPerAngle, node,
           {text, UnitText(value), what, TypeText(type, dim), literal ? text + "/rev" : with + "/(1 rev)",
            literal ? text + "/rad" : with + "/(1 rad)"});
    return false;
  }
  const Kinded wanted = KindedOf(type.kind, dim, CountedUnknownOf(dim));
  if (const auto clash = JoinKinds(wanted, KindedOf(value), {node, NodeId::None()})) {
    ReportClash(node, text, what, *clash, dim);
    return false;
  }
  Hint(wanted, value.unit);
  return true;
}

// `2 m*d`: a variable that bears the name of a unit was taken for one.
void ClassBuilder::HelpWithUnits(Diagnostic& report, NodeId node) const {
  for (uint32_t k = (*tree_)[node].first_token + 1; k <= (*tree_)[node].last_token; ++k) {
    const TokenKind before = tree_->tokens[k - 1].kind();
    if ((before != TokenKind::kStar && before != TokenKind::kSlash) ||
        tree_->tokens[k - 1].end() != tree_->tokens[k].offset || !FindUnitSymbol(tree_->TokenText(k)) ||
        !cls_->members.Find(builder_.Intern(tree_->TokenText(k))))
      continue;
    report.Help("`" + std::string(tree_->TokenText(k)) +
                "` is read as a unit here; if the variable is meant, put blanks around the operator");
    return;
  }
}

// `10 m/s*s`, where s is a time, too: either reading fits.
void ClassBuilder::WarnOfUnits(NodeId literal, NodeId unit) {
  for (uint32_t k = (*tree_)[unit].first_token + 1; k <= (*tree_)[unit].last_token; ++k) {
    const TokenKind before = tree_->tokens[k - 1].kind();
    if (before != TokenKind::kStar && before != TokenKind::kSlash) continue;
    const auto symbol = FindUnitSymbol(tree_->TokenText(k));
    const auto member =
        symbol ? cls_->members.Find(builder_.Intern(tree_->TokenText(k))) : std::optional<Member>();
    const Type* type = !member                                  ? nullptr
                       : member->kind == MemberKind::kParameter ? &cls_->parameters[member->index].type
                       : member->kind == MemberKind::kVariable  ? &cls_->variables[member->index].type
                                                                : nullptr;
    if (type == nullptr || type->dimension != DimensionVector(symbol->dimension) || !type->declared) continue;
    Report(messages::kUnitOrName, unit,
           {tree_->TokenText(k), TextOf(literal),
            member->kind == MemberKind::kParameter ? "the parameter" : "the variable"});
    return;
  }
}

bool ClassBuilder::IsZeroValue(ExprId expr) const {
  if (pool_.op(expr) == Op::kElement) expr = pool_.operand(expr, 0);
  if (pool_.op(expr) != Op::kArray) return pool_.IsZero(expr);
  const auto elements = pool_.operands(expr);
  return std::all_of(elements.begin(), elements.end(), [&](ExprId e) { return IsZeroValue(e); });
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
