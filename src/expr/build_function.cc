// SPDX-License-Identifier: Apache-2.0
// Canonical elementary functions, logic, arrays and loops.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "expr/expr_pool.h"
#include "expr/inline_buffer.h"

namespace cotree {

namespace {

/// f(value) where that is exact, else NaN.
double ExactValue(Op op, double value) {
  switch (op) {
    case Op::kSin:
    case Op::kTan:
    case Op::kAsin:
    case Op::kAtan:
    case Op::kSinh:
    case Op::kTanh:
      return value == 0 ? 0.0 : NAN;
    case Op::kCos:
    case Op::kCosh:
    case Op::kExp:
      return value == 0 ? 1.0 : NAN;
    case Op::kAcos:
    case Op::kLog:
      return value == 1 ? 0.0 : NAN;
    case Op::kLog10: {
      double power = 1;
      for (int k = 0; k <= 22; ++k, power *= 10) {
        if (power == value) return k;
      }
      return NAN;
    }
    case Op::kSqrt: {
      if (value == 0) return 0;
      const double root = std::sqrt(value);
      return value > 1e-280 && std::isfinite(value) && std::fma(root, root, -value) == 0 ? root : NAN;
    }
    case Op::kAbs:
      return std::fabs(value);
    case Op::kSign:
      return value > 0 ? 1 : value < 0 ? -1 : 0;
    case Op::kFloor:
      return std::floor(value);
    case Op::kCeil:
      return std::ceil(value);
    default:
      return NAN;
  }
}

bool IsRounding(Op op) {
  return op == Op::kFloor || op == Op::kCeil;
}

}  // namespace

ExprId ExprPool::Unary(Op op, ExprId a) {
  COTREE_CHECK(IsUnaryFunction(op));
  if (IsNumber(a)) {
    const double exact = ExactValue(op, NumberValue(a));
    if (!std::isnan(exact)) return Number(exact);
  }
  const Op inner = this->op(a);
  if (op == Op::kAbs && (inner == Op::kAbs || inner == Op::kSqrt || inner == Op::kExp)) return a;
  if (IsRounding(op) && IsRounding(inner)) return a;
  if (IsNegative(a)) {
    if (IsOddFunction(op)) return Negate(Intern(op, {Negate(a)}));
    if (IsEvenFunction(op)) return Unary(op, Negate(a));
  }
  return Intern(op, {a});
}

ExprId ExprPool::Binary(Op op, ExprId a, ExprId b) {
  COTREE_CHECK(IsBinaryFunction(op));
  const bool numbers = IsNumber(a) && IsNumber(b);
  if (op == Op::kMin || op == Op::kMax) {
    if (a == b) return a;
    if (numbers) return ((NumberValue(a) < NumberValue(b)) == (op == Op::kMin)) ? a : b;
    if (Precedes(b, a)) std::swap(a, b);
  } else if (op == Op::kMod) {
    const auto x = AsInteger(a), y = AsInteger(b);
    if (x && y && *y != 0) {
      const int64_t rest = *x % *y;
      return Number(static_cast<double>(rest != 0 && (rest < 0) != (*y < 0) ? rest + *y : rest));
    }
  } else if (op == Op::kAtan2 && IsZero(a) && IsNumber(b) && NumberValue(b) > 0) {
    return zero_;
  }
  return Intern(op, {a, b});
}

// ---- Logic --------------------------------------------------------------------------------------------

ExprId ExprPool::Relation(Op op, ExprId a, ExprId b) {
  COTREE_CHECK(IsRelation(op));
  if (a == b) return Boolean(op == Op::kLessEqual || op == Op::kEqual);
  if (IsNumber(a) && IsNumber(b)) {
    const double x = NumberValue(a), y = NumberValue(b);
    return Boolean(op == Op::kLess ? x < y : op == Op::kLessEqual ? x <= y : op == Op::kNotEqual);
  }
  if ((op == Op::kEqual || op == Op::kNotEqual) && Precedes(b, a)) std::swap(a, b);
  return Intern(op, {a, b});
}

ExprId ExprPool::Not(ExprId a) {
  switch (op(a)) {
    case Op::kBoolean:
      return Boolean(!BooleanValue(a));
    case Op::kNot:
      return operand(a, 0);
    case Op::kLess:
      return Relation(Op::kLessEqual, operand(a, 1), operand(a, 0));
    case Op::kLessEqual:
      return Relation(Op::kLess, operand(a, 1), operand(a, 0));
    case Op::kEqual:
      return Relation(Op::kNotEqual, operand(a, 0), operand(a, 1));
    case Op::kNotEqual:
      return Relation(Op::kEqual, operand(a, 0), operand(a, 1));
    default:
      return Intern(Op::kNot, {a});
  }
}

ExprId ExprPool::Connective(Op op, std::span<const ExprId> operands) {
  COTREE_CHECK(op == Op::kAnd || op == Op::kOr);
  const bool neutral = op == Op::kAnd;
  InlineBuffer<ExprId, 36> all;
  for (ExprId id : operands) {
    if (this->op(id) == op && node(id).count() <= kMergeLimit) {
      for (ExprId inner : this->operands(id)) all.push_back(inner);
    } else if (this->op(id) != Op::kBoolean) {
      all.push_back(id);
    } else if (BooleanValue(id) != neutral) {
      return id;
    }
  }
  std::sort(all.begin(), all.end(), [this](ExprId a, ExprId b) { return Precedes(a, b); });
  all.resize_down(static_cast<size_t>(std::unique(all.begin(), all.end()) - all.begin()));
  // c and not c. The negation of a relation is a relation, so Not makes the partner to look for.
  const size_t count = all.size();
  for (size_t k = 0; k < count; ++k) {
    if (this->op(all[k]) != Op::kNot && !IsRelation(this->op(all[k]))) continue;
    const ExprId opposite = Not(all[k]);
    const auto found = std::lower_bound(all.begin(), all.end(), opposite,
                                        [this](ExprId a, ExprId b) { return Precedes(a, b); });
    if (found != all.end() && *found == opposite) return Boolean(!neutral);
  }
  if (all.empty()) return Boolean(neutral);
  if (all.size() == 1) return all[0];
  return Intern(op, {all.data(), all.size()});
}

ExprId ExprPool::If(ExprId condition, ExprId then_value, ExprId else_value) {
  if (op(condition) == Op::kBoolean) return BooleanValue(condition) ? then_value : else_value;
  if (then_value == else_value) return then_value;
  if (op(condition) == Op::kNot) {
    condition = operand(condition, 0);
    std::swap(then_value, else_value);
  }
  return Intern(Op::kIf, {condition, then_value, else_value});
}

// ---- Arrays and loops ---------------------------------------------------------------------------------

ExprId ExprPool::Array(std::span<const ExprId> elements) {
  COTREE_CHECK(!elements.empty());
  return Intern(Op::kArray, elements);
}

ExprId ExprPool::Element(ExprId array, std::span<const ExprId> indices) {
  while (!indices.empty() && op(array) == Op::kArray) {
    const auto index = AsInteger(indices[0]);
    if (!index || *index < 1 || *index > static_cast<int64_t>(node(array).count())) break;
    array = operand(array, static_cast<size_t>(*index - 1));
    indices = indices.subspan(1);
  }
  if (indices.empty() || IsNumber(array)) return array;
  InlineBuffer<ExprId, 8> all;
  all.push_back(array);
  for (ExprId index : indices) all.push_back(index);
  return Intern(Op::kElement, {all.data(), all.size()});
}

ExprId ExprPool::SumOver(SymbolId loop, ExprId from, ExprId to, ExprId body) {
  COTREE_CHECK(kind(loop) == SymbolKind::kIndex);
  if (IsZero(body)) return zero_;
  if (IsNumber(from) && IsNumber(to) && NumberValue(to) < NumberValue(from)) return zero_;
  const ExprId operands[] = {from, to, body};
  return Intern(Op::kSumOver, loop.value, symbol_hashes_[loop.index()], operands);
}

ExprId ExprPool::Rebuild(ExprId like, std::span<const ExprId> operands) {
  const Op op = this->op(like);
  switch (op) {
    case Op::kAdd:
      return operands.size() == 2 ? Add(operands[0], operands[1]) : Sum(operands);
    case Op::kMultiply:
      return operands.size() == 2 ? Multiply(operands[0], operands[1]) : Product(operands);
    case Op::kDivide:
      return Divide(operands[0], operands[1]);
    case Op::kPower:
      return Power(operands[0], operands[1]);
    case Op::kAnd:
    case Op::kOr:
      return Connective(op, operands);
    case Op::kNot:
      return Not(operands[0]);
    case Op::kIf:
      return If(operands[0], operands[1], operands[2]);
    case Op::kElement:
      return Element(operands[0], operands.subspan(1));
    case Op::kSumOver:
      return SumOver(SymbolOf(like), operands[0], operands[1], operands[2]);
    case Op::kArray:
      return Array(operands);
    case Op::kCall:
      return Intern(op, node(like).payload, function_hashes_[node(like).payload], operands);
    default:
      if (IsUnaryFunction(op)) return Unary(op, operands[0]);
      if (IsBinaryFunction(op)) return Binary(op, operands[0], operands[1]);
      if (IsRelation(op)) return Relation(op, operands[0], operands[1]);
      return like;
  }
}

}  // namespace cotree
