// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "expr/substitute.h"
#include "language/lex.h"
#include "model/check_sizes.h"
#include "model/class_builder.h"
#include "units/format_dimension.h"

namespace cotree {

namespace messages = model_messages;

std::vector<ExprId> ClassBuilder::CanonicalIndices(size_t rank) {
  std::vector<ExprId> indices;
  for (size_t k = 0; k < rank; ++k) indices.push_back(pool_.Symbol(builder_.IndexSymbol(k)));
  return indices;
}

// The element of an array value at given indices.
ExprId ClassBuilder::AtIndices(ExprId expr, std::span<const ExprId> indices) {
  std::vector<Replacement> replacements;
  for (size_t k = 0; k < indices.size(); ++k) replacements.emplace_back(builder_.IndexSymbol(k), indices[k]);
  return Substitute(pool_, expr, replacements);
}

bool ClassBuilder::Numeric(const Value& value, NodeId node) {
  if (!value.ok) return false;
  if (value.base == BaseType::kReal || value.base == BaseType::kInteger) return true;
  Report(messages::kBooleanInArithmetic, node, {TextOf(node), BaseTypeText(value.base)});
  return false;
}

// Arrays combine element by element; a single value goes with all elements.
bool ClassBuilder::SameShape(Value& a, Value& b, NodeId left_node, NodeId right_node, Shape& shape) {
  shape = a.shape.empty() ? b.shape : a.shape;
  if (a.shape.empty() || b.shape.empty()) return true;
  if (a.shape.size() != b.shape.size()) {
    Report(messages::kArrayWanted, right_node,
           {TextOf(right_node), std::to_string(a.shape.size()), std::to_string(b.shape.size())});
    return false;
  }
  (void)left_node;
  for (size_t i = 0; i < a.shape.size(); ++i)
    AddSizeCheck(SizeCheck::Kind::kEqual, b.shape[i], a.shape[i], right_node);
  return true;
}

Value ClassBuilder::Lower(NodeId node) {
  if (node.IsNone()) return Failed();
  switch (tree_->kind(node)) {
    case NodeKind::kNumber:
    case NodeKind::kQuantityLiteral:
      return LowerLiteral(node);
    case NodeKind::kTrue:
    case NodeKind::kFalse: {
      Value value = Number(0, false);
      value.base = BaseType::kBoolean;
      value.expr = pool_.Boolean(tree_->kind(node) == NodeKind::kTrue);
      return value;
    }
    case NodeKind::kString: {
      Value value = Number(0, false);
      value.base = BaseType::kString;
      return value;
    }
    case NodeKind::kParenthesis:
      return Lower((*tree_)[node].first_child);
    case NodeKind::kPath: {
      const Resolved resolved = ResolvePath(node);
      if (!resolved.ok) return Failed();
      if (resolved.kind == Resolved::Kind::kValue) return resolved.value;
      const char* what = resolved.kind == Resolved::Kind::kTerminal   ? "a terminal"
                         : resolved.kind == Resolved::Kind::kInstance ? "a component"
                         : resolved.kind == Resolved::Kind::kEdge     ? "an edge"
                                                                      : "a reference vertex";
      auto& report = Report(messages::kNotHere, node, {std::string(what), "an expression"});
      if (resolved.kind == Resolved::Kind::kEdge) {
        const std::string variable =
            resolved.own ? builder_.NameText(
                               builder_.model.domains[cls_->edges[resolved.member].domain.index()].across)
                         : "...";
        report.Help("name one of its variables, such as `" + TextOf(node) + "." + variable + "`");
      } else
        report.Help("name a variable of it");
      return Failed();
    }
    case NodeKind::kNegate:
    case NodeKind::kPlus:
    case NodeKind::kNot:
      return LowerUnary(node);
    case NodeKind::kAdd:
    case NodeKind::kSubtract:
    case NodeKind::kMultiply:
    case NodeKind::kDivide:
    case NodeKind::kLess:
    case NodeKind::kLessEqual:
    case NodeKind::kGreater:
    case NodeKind::kGreaterEqual:
    case NodeKind::kEqual:
    case NodeKind::kNotEqual:
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return LowerBinary(node);
    case NodeKind::kPower_:
      return LowerPower(node);
    case NodeKind::kConditional:
      return LowerConditional(node);
    case NodeKind::kCall:
      return LowerCall(node);
    case NodeKind::kArray:
      return LowerArray(node);
    case NodeKind::kComprehension:
      return LowerComprehension(node);
    case NodeKind::kRange:
    case NodeKind::kAll:
      Report(messages::kNotHere, node, {"a range", "an expression"})
          .Help("ranges stand in indices and behind `in`");
      return Failed();
    default:
      return Failed();
  }
}

Value ClassBuilder::LowerScalar(NodeId node) {
  Value value = Lower(node);
  if (value.ok && !value.shape.empty()) {
    Report(messages::kArrayHere, node, {TextOf(node)});
    return Failed();
  }
  return value;
}

ExprId ClassBuilder::LowerCondition(NodeId node) {
  const Value value = LowerScalar(node);
  if (!value.ok) return ExprId::None();
  if (value.base != BaseType::kBoolean) {
    Report(messages::kConditionWanted, node, {TextOf(node), BaseTypeText(value.base)});
    return ExprId::None();
  }
  return value.expr;
}

Value ClassBuilder::LowerLiteral(NodeId node) {
  const double number = NumberValue(tree_->Name(node));
  if (!std::isfinite(number)) {
    Report(messages::kNumberTooLarge, node, {TextOf(node)});
    return Failed();
  }
  Value value = Number(number, true);
  if (pool_.AsInteger(value.expr) && tree_->Name(node).find_first_of(".eE") == std::string_view::npos)
    value.base = BaseType::kInteger;
  if (tree_->kind(node) == NodeKind::kNumber) return value;
  const NodeId unit_node = (*tree_)[node].first_child;
  const UnitResult& unit = builder_.model.units.Lookup(tree_->Text(unit_node));
  if (!unit) {
    builder_.ReportUnit(*tree_, unit_node, unit.error());
    return Failed();
  }
  const double si = unit->ToSi(number);
  if (!std::isfinite(si)) {
    Report(messages::kNumberTooLarge, node, {TextOf(node)});
    return Failed();
  }
  value = Number(si, false);
  value.dim = {unit->dimension, {}};
  value.kind = unit->kind;
  value.absolute = unit->offset != 0;
  value.unit = builder_.UnitDisplay(unit);
  WarnOfUnits(node, unit_node);
  return value;
}

Value ClassBuilder::LowerUnary(NodeId node) {
  const NodeId operand = (*tree_)[node].first_child;
  Value value = Lower(operand);
  if (!value.ok) return value;
  if (tree_->kind(node) == NodeKind::kNot) {
    if (value.base != BaseType::kBoolean) {
      Report(messages::kConditionWanted, operand, {TextOf(operand), BaseTypeText(value.base)});
      return Failed();
    }
    value.expr = pool_.Not(value.expr);
    return value;
  }
  if (!Numeric(value, operand)) return Failed();
  if (tree_->kind(node) == NodeKind::kNegate) {
    if (value.absolute) {
      // -5 degC means the temperature, not minus 278.15 K.
      if (tree_->kind(operand) == NodeKind::kQuantityLiteral) {
        const UnitResult& unit = builder_.model.units.Lookup(tree_->Text((*tree_)[operand].first_child));
        value.expr = pool_.Number(unit->ToSi(-NumberValue(tree_->Name(operand))));
        return value;
      }
      Report(messages::kAbsoluteTemperature, operand, {"degC", TextOf(node)});
      return Failed();
    }
    value.expr = pool_.Negate(value.expr);
  }
  return value;
}

// Chains of binary operators lean to the left and may be as long as the text; so the left side is walked by a
// loop.
Value ClassBuilder::LowerBinary(NodeId node) {
  std::vector<NodeId> spine;
  NodeId at = node;
  const auto is_binary = [&](NodeId n) {
    const NodeKind k = tree_->kind(n);
    return (k >= NodeKind::kAdd && k <= NodeKind::kDivide) || (k >= NodeKind::kLess && k <= NodeKind::kOr);
  };
  while (!at.IsNone() && is_binary(at)) {
    spine.push_back(at);
    at = (*tree_)[at].first_child;
  }
  Value value = Lower(at);
  for (size_t i = spine.size(); i-- > 0;) {
    const NodeId left_node = (*tree_)[spine[i]].first_child;
    const NodeId right_node = (*tree_)[left_node].next_sibling;
    if (right_node.IsNone()) return Failed();
    Value right = Lower(right_node);
    value = Combine(tree_->kind(spine[i]), spine[i], right_node, std::move(value), std::move(right));
  }
  return value;
}

Value ClassBuilder::Combine(NodeKind op, NodeId node, NodeId right_node, Value left, Value right) {
  if (!left.ok || !right.ok) return Failed();
  const NodeId left_node = (*tree_)[node].first_child;
  switch (op) {
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return Logical(op, std::move(left), std::move(right), left_node, right_node);
    case NodeKind::kAdd:
    case NodeKind::kSubtract:
      if (!Numeric(left, left_node) || !Numeric(right, right_node)) return Failed();
      return Additive(op, node, std::move(left), std::move(right), left_node, right_node);
    case NodeKind::kMultiply:
    case NodeKind::kDivide:
      if (!Numeric(left, left_node) || !Numeric(right, right_node)) return Failed();
      return Multiplicative(op, node, std::move(left), std::move(right));
    default:
      return Compare(op, node, left, right, left_node, right_node);
  }
}

Value ClassBuilder::Logical(NodeKind op, Value left, Value right, NodeId left_node, NodeId right_node) {
  for (const auto& [value, node] : {std::pair(&left, left_node), std::pair(&right, right_node)}) {
    if (value->base == BaseType::kBoolean) continue;
    Report(messages::kConditionWanted, node, {TextOf(node), BaseTypeText(value->base)});
    return Failed();
  }
  Shape shape;
  if (!SameShape(left, right, left_node, right_node, shape)) return Failed();
  left.expr = op == NodeKind::kAnd ? pool_.And(left.expr, right.expr) : pool_.Or(left.expr, right.expr);
  left.shape = shape;
  return left;
}

// What + - comparisons, min, max and branches share: equal dimensions, and plain numbers that need a unit.
Value ClassBuilder::Additive(NodeKind op, NodeId node, Value left, Value right, NodeId left_node,
                             NodeId right_node) {
  Shape shape;
  if (!SameShape(left, right, left_node, right_node, shape)) return Failed();
  const char* verb = op == NodeKind::kAdd        ? "added to"
                     : op == NodeKind::kSubtract ? "subtracted from"
                                                 : "compared with";
  const auto bare_clash = [&](const Value& bare, NodeId bare_node, const Value& other, NodeId other_node) {
    if (pool_.IsZero(bare.expr) || !other.dim.known() || !other.dim.constant.generics.empty() ||
        other.dim.IsOne())
      return false;
    Report(messages::kMissingUnit, bare_node,
           {TextOf(bare_node), "`" + TextOf(other_node) + "`", UnitText(other)});
    return true;
  };
  Value out = left;
  if (left.bare && right.bare) {
    out.bare = true;
    out.base = left.base == BaseType::kInteger && right.base == BaseType::kInteger ? BaseType::kInteger
                                                                                   : BaseType::kReal;
  } else if (left.bare) {
    if (bare_clash(left, left_node, right, right_node)) return Failed();
    out = right;
  } else if (right.bare) {
    if (bare_clash(right, right_node, left, left_node)) return Failed();
  } else {
    switch (Equate(left.dim, right.dim, node)) {
      case Equated::kReported:
        return Failed();
      case Equated::kMismatch: {
        builder_.diagnostics.Report(
            messages::kSumOfDimensions, tree_->SpanOfToken((*tree_)[node].token),
            {op == NodeKind::kSubtract ? "`" + TextOf(right_node) + "`" : "`" + TextOf(left_node) + "`", verb,
             op == NodeKind::kSubtract ? "`" + TextOf(left_node) + "`" : "`" + TextOf(right_node) + "`",
             TextOf(left_node), UnitText(left), TextOf(right_node), UnitText(right)});
        return Failed();
      }
      case Equated::kYes:
        break;
    }
    if (const auto clash = JoinKinds(KindedOf(left), KindedOf(right), {node, NodeId::None()})) {
      ReportClash(right_node, TextOf(right_node), "`" + TextOf(left_node) + "`", *clash, right.dim);
      return Failed();
    }
    if (left.kind != right.kind) out.kind = KindHint::kNone;
    if (left.follows.IsNone() && !right.follows.IsNone()) out.follows = right.follows;
    if (left.unit != right.unit && left.unit == "1") out.unit = right.unit;
    if (left.absolute || right.absolute) {
      // A temperature and a difference give a temperature, two temperatures a difference; two cannot be
      // added.
      const auto is_temperature = [](const Value& v) { return v.absolute || v.temperature; };
      if (op == NodeKind::kAdd && is_temperature(left) && is_temperature(right)) {
        const NodeId guilty = left.absolute ? left_node : right_node;
        Report(messages::kAbsoluteTemperature, guilty, {"degC", TextOf(guilty)});
        return Failed();
      }
      out.absolute =
          op != NodeKind::kSubtract || (left.absolute && pool_.IsNumber(right.expr) && !right.absolute);
    }
    out.temperature = (left.temperature || right.temperature) && op != NodeKind::kSubtract;
  }
  if (left.base != BaseType::kInteger || right.base != BaseType::kInteger) out.base = BaseType::kReal;
  out.shape = shape;
  out.expr = op == NodeKind::kAdd ? pool_.Add(left.expr, right.expr) : pool_.Subtract(left.expr, right.expr);
  return out;
}

Value ClassBuilder::Compare(NodeKind op, NodeId node, const Value& left, const Value& right, NodeId left_node,
                            NodeId right_node) {
  const bool equality = op == NodeKind::kEqual || op == NodeKind::kNotEqual;
  const bool numbers = (left.base == BaseType::kReal || left.base == BaseType::kInteger) &&
                       (right.base == BaseType::kReal || right.base == BaseType::kInteger);
  Value out = Number(0, false);
  out.base = BaseType::kBoolean;
  if (!numbers) {
    const NodeKind inner = tree_->kind(left_node);
    if (inner >= NodeKind::kLess && inner <= NodeKind::kNotEqual)
      return Failed();  // a < b < c: said by the parser
    const bool same = equality && left.base == right.base &&
                      (left.base != BaseType::kEnumeration || left.enumeration == right.enumeration);
    if (!same) {
      const NodeId guilty =
          left.base == BaseType::kReal || left.base == BaseType::kInteger ? right_node : left_node;
      const Value& value = guilty == right_node ? right : left;
      Report(messages::kBooleanInArithmetic, guilty, {TextOf(guilty), BaseTypeText(value.base)});
      return Failed();
    }
    out.expr =
        op == NodeKind::kEqual ? pool_.Equal(left.expr, right.expr) : pool_.NotEqual(left.expr, right.expr);
    return out;
  }
  const Value checked = Additive(NodeKind::kLess, node, left, right, left_node, right_node);
  if (!checked.ok) return Failed();
  out.shape = checked.shape;
  switch (op) {
    case NodeKind::kLess:
      out.expr = pool_.Less(left.expr, right.expr);
      break;
    case NodeKind::kLessEqual:
      out.expr = pool_.LessEqual(left.expr, right.expr);
      break;
    case NodeKind::kGreater:
      out.expr = pool_.Greater(left.expr, right.expr);
      break;
    case NodeKind::kGreaterEqual:
      out.expr = pool_.GreaterEqual(left.expr, right.expr);
      break;
    case NodeKind::kEqual:
      out.expr = pool_.Equal(left.expr, right.expr);
      break;
    default:
      out.expr = pool_.NotEqual(left.expr, right.expr);
      break;
  }
  return out;
}

Value ClassBuilder::Multiplicative(NodeKind op, NodeId node, Value left, Value right) {
  const NodeId left_node = (*tree_)[node].first_child;
  const NodeId right_node = (*tree_)[left_node].next_sibling;
  for (const auto& [value, at] : {std::pair(&left, left_node), std::pair(&right, right_node)}) {
    if (!value->absolute) continue;
    Report(messages::kAbsoluteTemperature, at, {"degC", TextOf(at)});
    return Failed();
  }
  Value out;
  out.ok = true;
  out.bare = left.bare && right.bare;
  const bool integers = left.base == BaseType::kInteger && right.base == BaseType::kInteger;
  out.base = integers && op == NodeKind::kMultiply ? BaseType::kInteger : BaseType::kReal;
  out.dim = DimTimes(left.dim, right.dim, node, op == NodeKind::kMultiply ? 1 : -1);
  // A pure number changes no kind: 2*f is still a frequency. (2*pi*f is not: pi is marked by not being bare.)
  // Nor does a time change what is counted: f*time is a number of cycles.
  for (const auto& [number, other] : {std::pair(&left, &right), std::pair(&right, &left)}) {
    if (number == &left && op == NodeKind::kDivide) continue;
    if (!number->bare && !IsTime(*number)) continue;
    out.kind = number->bare ? other->kind : CountedKind(other->kind);
    out.follows = other->follows;
    out.unit = number->bare ? other->unit : std::string();
  }
  if (op == NodeKind::kDivide) {
    if (!right.shape.empty()) {
      Report(messages::kArrayHere, right_node, {TextOf(right_node)});
      return Failed();
    }
    if (pool_.IsZero(right.expr)) {
      Report(messages::kDivisionByZero, right_node, {TextOf(node)}).Label("this is zero");
      return Failed();
    }
    out.shape = left.shape;
    out.expr = pool_.Divide(left.expr, right.expr);
    return out;
  }
  const size_t a = left.shape.size(), b = right.shape.size();
  if (a == 0 || b == 0) {
    out.shape = a == 0 ? right.shape : left.shape;
    out.expr = pool_.Multiply(left.expr, right.expr);
    return out;
  }
  if (a > 2 || b > 2) {
    Report(messages::kArrayWanted, node, {TextOf(node), "one or two", std::to_string(std::max(a, b))});
    return Failed();
  }
  // Scalar product, matrix times vector, vector times matrix, matrix times matrix: a sum over the inner
  // index.
  AddSizeCheck(SizeCheck::Kind::kEqual, left.shape[a - 1], right.shape[0], right_node);
  const SymbolId inner = pool_.DeclareSymbol("#s" + std::to_string(++loop_counter_), SymbolKind::kIndex);
  std::vector<ExprId> left_indices, right_indices;
  size_t free = 0;
  if (a == 2) left_indices.push_back(pool_.Symbol(builder_.IndexSymbol(free++)));
  left_indices.push_back(pool_.Symbol(inner));
  right_indices.push_back(pool_.Symbol(inner));
  if (b == 2) right_indices.push_back(pool_.Symbol(builder_.IndexSymbol(free++)));
  if (a == 2) out.shape.push_back(left.shape[0]);
  if (b == 2) out.shape.push_back(right.shape[1]);
  out.expr =
      pool_.SumOver(inner, pool_.One(), left.shape[a - 1],
                    pool_.Multiply(AtIndices(left.expr, left_indices), AtIndices(right.expr, right_indices)));
  return out;
}

Value ClassBuilder::LowerPower(NodeId node) {
  const NodeId base_node = (*tree_)[node].first_child;
  const NodeId exponent_node = base_node.IsNone() ? NodeId::None() : (*tree_)[base_node].next_sibling;
  if (exponent_node.IsNone()) return Failed();
  Value base = Lower(base_node);
  const Value exponent = LowerScalar(exponent_node);
  if (!Numeric(base, base_node) || !Numeric(exponent, exponent_node)) return Failed();
  if (base.absolute) {
    Report(messages::kAbsoluteTemperature, base_node, {"degC", TextOf(base_node)});
    return Failed();
  }
  if (!exponent.bare && !exponent.dim.IsOne()) {
    const auto equated = Equate(exponent.dim, One(), exponent_node);
    if (equated != Equated::kYes) {
      if (equated == Equated::kMismatch)
        Report(messages::kNotANumber, exponent_node,
               {TextOf(exponent_node), UnitText(exponent), "exponents are pure numbers"});
      return Failed();
    }
  }
  Value out = base;
  out.temperature = false;
  out.kind = KindHint::kNone;
  out.follows = DimVarId::None();
  out.unit.clear();
  out.expr = pool_.Power(base.expr, exponent.expr);
  if (base.base != BaseType::kInteger || exponent.base != BaseType::kInteger) out.base = BaseType::kReal;
  if (!base.shape.empty()) {
    Report(messages::kArrayHere, base_node, {TextOf(base_node)});
    return Failed();
  }
  if (base.bare || base.dim.IsOne()) {
    out.bare = base.bare && exponent.bare;
    return out;
  }
  // The exponent as a fraction: a number, or a quotient of whole numbers.
  std::optional<Rational> fraction;
  const ExprId e = exponent.expr;
  const auto rational = [&](double value) -> std::optional<Rational> {
    for (int64_t d = 1; d <= 12; ++d) {
      const double n = value * static_cast<double>(d);
      if (std::abs(n) <= 1000 && n == std::floor(n)) return Rational::Make(static_cast<int64_t>(n), d);
    }
    return std::nullopt;
  };
  if (pool_.IsNumber(e)) fraction = rational(pool_.NumberValue(e));
  if (pool_.op(e) == Op::kDivide) {
    const auto n = pool_.AsInteger(pool_.operand(e, 0)), d = pool_.AsInteger(pool_.operand(e, 1));
    if (n && d) fraction = Rational::Make(*n, *d);
  }
  if (!fraction) {
    if (base.dim.known() && base.dim.constant.generics.empty()) {
      Report(messages::kExponent, node, {TextOf(base_node), UnitText(base)});
      return Failed();
    }
    if (Equate(base.dim, One(), base_node) == Equated::kMismatch) {
      Report(messages::kExponent, node, {TextOf(base_node), UnitText(base)});
      return Failed();
    }
    return out;
  }
  const size_t errors = builder_.diagnostics.errors();
  out.dim = DimPower(base.dim, *fraction, node);
  return builder_.diagnostics.errors() == errors ? out : Failed();
}

Value ClassBuilder::LowerConditional(NodeId node) {
  std::vector<NodeId> parts;
  for (const NodeId child : tree_->Children(node)) parts.push_back(child);
  if (parts.size() != 3) return Failed();
  const ExprId condition = LowerCondition(parts[0]);
  Value a = Lower(parts[1]);
  Value b = Lower(parts[2]);
  if (condition.IsNone() || !a.ok || !b.ok) return Failed();
  const auto number = [](const Value& v) {
    return v.base == BaseType::kReal || v.base == BaseType::kInteger;
  };
  Value out = a;
  if (number(a) && number(b)) {
    out = Additive(NodeKind::kLess, node, a, b, parts[1], parts[2]);
    if (!out.ok) return out;
  } else if (a.base != b.base || a.enumeration != b.enumeration) {
    Report(messages::kWrongBaseType, parts[2],
           {TextOf(parts[2]), BaseTypeText(a.base) + ", as the other branch", BaseTypeText(b.base)});
    return Failed();
  }
  out.expr = pool_.If(condition, a.expr, b.expr);
  return out;
}

// A plain number that can be computed at once.
std::optional<double> ClassBuilder::ConstantNumber(NodeId node) {
  const Value value = LowerScalar(node);
  if (!value.ok) return std::nullopt;
  if (pool_.IsNumber(value.expr)) return pool_.NumberValue(value.expr);
  if (const auto constant = EvaluateConstant(pool_, value.expr, {})) return constant;
  Report(messages::kNotConstant, node, {TextOf(node)});
  return std::nullopt;
}

}  // namespace cotree
