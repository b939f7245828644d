// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "language/lex.h"
#include "model/model_builder.h"
#include "units/format_dimension.h"

namespace cotree {

namespace messages = model_messages;

std::string_view KindName(KindHint kind, const Dimension& dimension) {
  const bool rate = dimension == Dimension::Of(0, 0, -1);
  switch (kind) {
    case KindHint::kFrequency:
      return rate ? "a frequency" : dimension.IsOne() ? "a number of cycles" : "counted in cycles";
    case KindHint::kAngularVelocity:
      return rate ? "an angular velocity" : dimension.IsOne() ? "an angle" : "counted in radians";
    case KindHint::kTorque:
      return "a torque";
    case KindHint::kEnergy:
      return "an energy";
    case KindHint::kAngle:
      return "an angle";
    case KindHint::kExtent:
      return "a length, area or volume";
    case KindHint::kPerAngle:
      return "a length, area or volume per angle";
    case KindHint::kNone:
      break;
  }
  return "something else";
}

std::string BaseTypeText(BaseType base) {
  switch (base) {
    case BaseType::kReal:
      return "a number";
    case BaseType::kInteger:
      return "an Integer";
    case BaseType::kBoolean:
      return "true or false";
    case BaseType::kString:
      return "a string";
    case BaseType::kEnumeration:
      return "a value of an enumeration";
  }
  return {};
}

namespace {

/** Reads a type term by term; recursion is as deep as the parser allowed. */
class TypeReader {
 public:
  TypeReader(ModelBuilder& builder, const SyntaxTree& tree, std::vector<NameId>* generics)
      : builder_(builder), tree_(tree), generics_(generics) {}

  bool Read(NodeId node, DimensionVector& out, std::string& text, int& terms) {
    switch (tree_.kind(node)) {
      case NodeKind::kTypeOne:
        text = "1";
        return true;
      case NodeKind::kTypeGeneric: {
        if (generics_ == nullptr) {
          builder_.diagnostics
              .Report(messages::kNotHere, tree_.SpanOf(node), {"a generic dimension", "this type"})
              .Help("generic dimensions belong to the signals and parameters of components");
          return false;
        }
        const NameId name = builder_.Intern(tree_.Name(node));
        const auto known = std::find(generics_->begin(), generics_->end(), name);
        const auto index = static_cast<size_t>(known - generics_->begin());
        if (known == generics_->end()) generics_->push_back(name);
        out = DimensionVector::Generic(GenericId(index));
        text = tree_.Name(node);
        ++terms;
        return true;
      }
      case NodeKind::kTypeName:
        return ReadName(node, out, text, terms);
      case NodeKind::kParenthesis: {
        const NodeId inner = tree_[node].first_child;
        if (inner.IsNone() || !Read(inner, out, text, terms)) return false;
        text = "(" + text + ")";
        return true;
      }
      case NodeKind::kTypeProduct:
      case NodeKind::kTypeQuotient: {
        const NodeId left = tree_[node].first_child;
        const NodeId right = left.IsNone() ? NodeId::None() : tree_[left].next_sibling;
        DimensionVector a, b;
        std::string left_text, right_text;
        if (right.IsNone() || !Read(left, a, left_text, terms) || !Read(right, b, right_text, terms))
          return false;
        const bool product = tree_.kind(node) == NodeKind::kTypeProduct;
        const bool compound = right_text.find_first_of("*/") != std::string::npos && right_text[0] != '(';
        text = left_text + (product ? "*" : "/") + (compound ? "(" + right_text + ")" : right_text);
        return Keep(product ? Multiply(a, b) : Divide(a, b), node, out);
      }
      case NodeKind::kTypePower: {
        const NodeId base = tree_[node].first_child;
        const NodeId exponent = base.IsNone() ? NodeId::None() : tree_[base].next_sibling;
        DimensionVector a;
        if (exponent.IsNone() || !Read(base, a, text, terms)) return false;
        const auto power = ReadExponent(tree_.Text(exponent));
        if (!power) {
          builder_.diagnostics.Report(messages::kNotConstant, tree_.SpanOf(exponent), {tree_.Text(exponent)});
          return false;
        }
        text += "^" + std::string(tree_.Text(exponent));
        ++terms;
        return Keep(Power(a, *power), node, out);
      }
      default:
        return false;
    }
  }

  static std::optional<Rational> ReadExponent(std::string_view text) {
    if (text.size() > 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
    const size_t slash = text.find('/');
    int64_t n = 0, d = 1;
    const auto number = [](std::string_view t, int64_t& value) {
      const auto result = std::from_chars(t.data(), t.data() + t.size(), value);
      return !t.empty() && result.ec == std::errc() && result.ptr == t.data() + t.size();
    };
    if (!number(text.substr(0, slash), n)) return std::nullopt;
    if (slash != std::string_view::npos && !number(text.substr(slash + 1), d)) return std::nullopt;
    return Rational::Make(n, d);
  }

  QuantityId quantity;  // the last one met
  KindHint kind = KindHint::kNone;

 private:
  bool Keep(const std::optional<DimensionVector>& result, NodeId node, DimensionVector& out) {
    if (!result) {
      builder_.diagnostics.Report(messages::kDimensionTooLarge, tree_.SpanOf(node));
      return false;
    }
    out = *result;
    return true;
  }

  bool ReadName(NodeId node, DimensionVector& out, std::string& text, int& terms) {
    ++terms;
    const NodeId path = tree_[node].first_child;
    std::vector<NameId> names;
    for (const NodeId segment : tree_.Children(path)) names.push_back(builder_.Intern(tree_.Name(segment)));
    const NameId package = names.size() > 1 ? names[names.size() - 2] : NameId::None();
    if (const auto found = builder_.QuantityNamed(package, names.back(), tree_.file)) {
      const Quantity& q = builder_.model.quantities[found->index()];
      out = q.dimension;
      text = q.unit;
      quantity = *found;
      kind = q.kind;
      return true;
    }
    const std::string_view name = tree_.Text(path);
    if (name == "Real") {
      text = "1";
      return true;
    }
    const UnitResult& unit = builder_.model.units.Lookup(name);
    if (unit && unit->offset == 0) {
      out = unit->dimension;
      text = name;
      kind = unit->kind;
      return true;
    }
    auto& report = builder_.diagnostics.Report(messages::kUnknownType, tree_.SpanOf(node), {name});
    const auto is_quantity = [](NodeKind k) {
      return k == NodeKind::kQuantity || k == NodeKind::kEnumeration;
    };
    std::vector<std::string_view> candidates = builder_.declarations.Names(is_quantity);
    for (const std::string_view builtin : {"Real", "Integer", "Boolean", "String"})
      candidates.push_back(builtin);
    const std::string_view near = Nearest(name, candidates);
    if (!near.empty())
      report.Help("did you mean `" + std::string(near) + "`?");
    else
      report.Help(
          "a type is a quantity such as Voltage, a unit such as N*m/A, Real, Integer, Boolean or an "
          "enumeration");
    return false;
  }

  ModelBuilder& builder_;
  const SyntaxTree& tree_;
  std::vector<NameId>* generics_;
};

}  // namespace

bool ModelBuilder::ResolveType(const SyntaxTree& tree, NodeId node, std::vector<NameId>* generics,
                               Type& out) {
  out = Type{};
  const NodeId term = tree[node].first_child;
  if (term.IsNone()) return false;
  out.declared = true;
  if (tree.kind(term) == NodeKind::kTypeName) {
    const NodeId path = tree[term].first_child;
    const std::string_view name = tree.Text(path);
    if (name == "Integer" || name == "Boolean" || name == "String") {
      out.base = name == "Integer"   ? BaseType::kInteger
                 : name == "Boolean" ? BaseType::kBoolean
                                     : BaseType::kString;
      out.unit = "1";
      return true;
    }
    std::vector<NameId> names;
    for (const NodeId segment : tree.Children(path)) names.push_back(Intern(tree.Name(segment)));
    const NameId package = names.size() > 1 ? names[names.size() - 2] : NameId::None();
    if (const auto enumeration = EnumerationNamed(package, names.back(), tree.file)) {
      out.base = BaseType::kEnumeration;
      out.enumeration = *enumeration;
      out.unit = "1";
      return true;
    }
  }
  TypeReader reader(*this, tree, generics);
  int terms = 0;
  if (!reader.Read(term, out.dimension, out.unit, terms)) return false;
  if (terms == 1) {
    out.quantity = reader.quantity;
    out.kind = reader.kind;
  } else if (out.dimension.generics.empty()) {
    // A unit product such as N*m means a torque.
    const UnitResult& unit = model.units.Lookup(out.unit);
    if (unit) out.kind = unit->kind;
  }
  return true;
}

// "a Resistance", for messages.
std::string ModelBuilder::QuantityArticle(const Type& type) const {
  if (type.quantity.IsNone()) return {};
  const std::string name = NameText(model.quantities[type.quantity.index()].name);
  const bool vowel = std::string("AEIOU").find(name[0]) != std::string::npos;
  return (vowel ? "an " : "a ") + name;
}

const std::string& ModelBuilder::DimensionText(const Dimension& dimension, KindHint kind) {
  std::string& text = dimension_texts_[{dimension, kind}];
  if (text.empty()) text = FormatDimension(dimension, kind);
  return text;
}

const std::string& ModelBuilder::UnitDisplay(const UnitResult& unit) {
  std::string& text = unit_displays_[&unit];
  if (text.empty()) {
    text = DimensionText(unit->dimension, unit->kind);
    if (unit->mentions_angle) text = unit->dimension.IsOne() ? "rad" : unit->factor == 1 ? unit->text : text;
  }
  return text;
}

void ModelBuilder::ReportUnit(const SyntaxTree& tree, NodeId unit, const UnitError& error) {
  Span span = tree.SpanOf(unit);
  if (error.end > error.begin && span.begin + error.end <= span.end) {
    span.end = span.begin + error.end;
    span.begin += error.begin;
  }
  const std::string whole(tree.Text(unit));
  if (error.code == UnitError::Code::kOffsetCombined) {
    diagnostics.Report(messages::kAbsoluteTemperature, span, {error.symbol, whole});
    return;
  }
  auto& report = diagnostics.Report(messages::kUnknownUnit, span, {whole, error.reason});
  if (error.reason == "`" + whole + "` is not a unit") report.message = error.reason;  // once is enough
  if (!error.suggestion.empty()) report.Help("did you mean `" + error.suggestion + "`?");
}

}  // namespace cotree
