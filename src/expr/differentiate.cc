// SPDX-License-Identifier: Apache-2.0
#include "expr/differentiate.h"

#include <algorithm>

#include "base/check.h"
#include "expr/builtins.h"
#include "expr/inline_buffer.h"

namespace cotree {

namespace {

constexpr size_t kLongProduct = 16;

ExprId ProductWithout(ExprPool& pool, std::span<const ExprId> factors, size_t skip, ExprId t) {
  InlineBuffer<ExprId, 20> all;
  all.push_back(t);
  for (size_t k = 0; k < factors.size(); ++k) {
    if (k != skip) all.push_back(factors[k]);
  }
  return pool.Product({all.data(), all.size()});
}

/// Sum over k of t[k] * product of the other factors, in linear size: products of the factors before k and
/// after k are shared.
ExprId LongProductDerivative(ExprPool& pool, std::span<const ExprId> factors, std::span<const ExprId> t) {
  const size_t n = factors.size();
  std::vector<ExprId> after(n + 1, pool.One());
  for (size_t k = n; k-- > 0;) after[k] = pool.Multiply(factors[k], after[k + 1]);
  std::vector<ExprId> terms;
  ExprId before = pool.One();
  for (size_t k = 0; k < n; ++k) {
    if (!pool.IsZero(t[k])) terms.push_back(pool.Multiply(pool.Multiply(before, t[k]), after[k + 1]));
    before = pool.Multiply(before, factors[k]);
  }
  return pool.Sum(terms);
}

/// t * f'(x) for f of one place.
ExprId ScaledUnary(ExprPool& p, ExprId node, ExprId t) {
  const ExprId x = p.operand(node, 0);
  const ExprId one = p.One();
  switch (p.op(node)) {
    case Op::kSin:
      return p.Multiply(p.Cos(x), t);
    case Op::kCos:
      return p.Negate(p.Multiply(p.Sin(x), t));
    case Op::kTan:
      return p.Multiply(p.Add(one, p.Power(node, 2)), t);
    case Op::kAsin:
      return p.Divide(t, p.Sqrt(p.Subtract(one, p.Power(x, 2))));
    case Op::kAcos:
      return p.Negate(p.Divide(t, p.Sqrt(p.Subtract(one, p.Power(x, 2)))));
    case Op::kAtan:
      return p.Divide(t, p.Add(one, p.Power(x, 2)));
    case Op::kSinh:
      return p.Multiply(p.Unary(Op::kCosh, x), t);
    case Op::kCosh:
      return p.Multiply(p.Unary(Op::kSinh, x), t);
    case Op::kTanh:
      return p.Multiply(p.Subtract(one, p.Power(node, 2)), t);
    case Op::kExp:
      return p.Multiply(node, t);
    case Op::kLog:
      return p.Divide(t, x);
    case Op::kLog10:
      return p.Divide(t, p.Multiply(p.Log(p.Number(10)), x));
    case Op::kSqrt:
      return p.Divide(t, p.Multiply(p.Number(2), node));
    case Op::kAbs:
      return p.Multiply(p.Unary(Op::kSign, x), t);
    default:
      return p.Zero();  // sign, floor, ceil
  }
}

ExprId ScaledPower(ExprPool& p, ExprId node, size_t k, ExprId t) {
  const ExprId base = p.operand(node, 0), exponent = p.operand(node, 1);
  if (k == 1) return p.Product({node, p.Log(base), t});
  return p.Product({exponent, p.Power(base, p.Subtract(exponent, p.One())), t});
}

ExprId ScaledBinary(ExprPool& p, ExprId node, size_t k, ExprId t) {
  const ExprId a = p.operand(node, 0), b = p.operand(node, 1);
  switch (p.op(node)) {
    case Op::kAtan2: {
      const ExprId square = p.Add(p.Power(a, 2), p.Power(b, 2));
      return k == 0 ? p.Divide(p.Multiply(b, t), square) : p.Negate(p.Divide(p.Multiply(a, t), square));
    }
    case Op::kMin:
      return k == 0 ? p.If(p.Less(a, b), t, p.Zero()) : p.If(p.Less(a, b), p.Zero(), t);
    case Op::kMax:
      return k == 0 ? p.If(p.Less(a, b), p.Zero(), t) : p.If(p.Less(a, b), t, p.Zero());
    case Op::kMod:
      return k == 0 ? t : p.Negate(p.Multiply(p.Unary(Op::kFloor, p.Divide(a, b)), t));
    default:
      return p.Zero();
  }
}

}  // namespace

bool IsPiecewiseConstant(const ExprPool& pool, ExprId id) {
  const Op op = pool.op(id);
  return op == Op::kNumber || IsLogical(op) || op == Op::kSign || op == Op::kFloor || op == Op::kCeil ||
         (op == Op::kCall && IsDiscreteBuiltin(FindBuiltin(pool.FunctionName(pool.FunctionOf(id)))));
}

ExprId ScaledPartial(ExprPool& p, ExprId node, size_t k, ExprId t) {
  const auto operands = p.operands(node);
  switch (p.op(node)) {
    case Op::kAdd:
      return t;
    case Op::kMultiply:
      return ProductWithout(p, operands, k, t);
    case Op::kDivide:
      if (k == 0) return p.Divide(t, operands[1]);
      return p.Negate(p.Divide(p.Multiply(operands[0], t), p.Power(operands[1], 2)));
    case Op::kPower:
      return ScaledPower(p, node, k, t);
    case Op::kCall: {
      const FunctionInfo& function = p.function(p.FunctionOf(node));
      std::vector<uint32_t> orders = function.orders;
      orders.resize(operands.size(), 0);
      ++orders[k];
      return p.Multiply(p.Call(p.FunctionName(p.FunctionOf(node)), operands, orders), t);
    }
    default:
      if (IsUnaryFunction(p.op(node))) return ScaledUnary(p, node, t);
      return ScaledBinary(p, node, k, t);
  }
}

Differentiator Differentiator::Partial(ExprPool* pool, ExprId with_respect_to) {
  const Op op = pool->op(with_respect_to);
  COTREE_CHECK(op == Op::kSymbol || op == Op::kTime ||
               (op == Op::kElement && pool->IsSymbol(pool->operand(with_respect_to, 0))));
  return Differentiator(pool, with_respect_to);
}

Differentiator Differentiator::TotalTime(ExprPool* pool) {
  return Differentiator(pool, ExprId());
}

ExprId Differentiator::OfLeaf(ExprId id) const {
  if (id == with_respect_to_) return pool_->One();
  if (!with_respect_to_.IsNone()) return pool_->Zero();
  if (pool_->op(id) == Op::kTime) return pool_->One();
  if (!pool_->IsSymbol(id)) return pool_->Zero();
  const SymbolId symbol = pool_->SymbolOf(id);
  const SymbolKind kind = pool_->kind(symbol);
  if (kind != SymbolKind::kVariable && kind != SymbolKind::kInput) return pool_->Zero();
  return pool_->Symbol(symbol, static_cast<int>(pool_->symbol(symbol).order) + 1);
}

ExprId Differentiator::Derivative(ExprId expr) {
  struct Visit {
    ExprId id;
    uint32_t next;
  };
  std::vector<Visit> stack;
  const auto enter = [&](ExprId id) {
    if (memo_.Contains(id)) return;
    if (pool_->operands(id).empty() || IsPiecewiseConstant(*pool_, id)) {
      memo_.Insert(id, OfLeaf(id).value);
    } else {
      stack.push_back({id, 0});
    }
  };
  enter(expr);
  while (!stack.empty()) {
    const ExprId id = stack.back().id;
    const auto operands = pool_->operands(id);
    if (stack.back().next < operands.size()) {
      enter(operands[stack.back().next++]);
      continue;
    }
    stack.pop_back();
    if (memo_.Contains(id)) continue;
    ++pool_->mutable_statistics().derivatives;
    memo_.Insert(id, OfNode(id).value);
  }
  return Known(expr);
}

ExprId Differentiator::OfElement(ExprId id) {
  const auto operands = pool_->operands(id);
  if (!with_respect_to_.IsNone() && pool_->op(with_respect_to_) == Op::kElement) {
    const auto target = pool_->operands(with_respect_to_);
    if (operands[0] == target[0] && operands.size() == target.size()) {  // Kronecker
      std::vector<ExprId> equal;
      for (size_t k = 1; k < operands.size(); ++k) equal.push_back(pool_->Equal(operands[k], target[k]));
      return pool_->If(pool_->Connective(Op::kAnd, equal), pool_->One(), pool_->Zero());
    }
  }
  return pool_->Element(Known(operands[0]), operands.subspan(1));
}

ExprId Differentiator::OfCall(ExprId id) {
  const auto operands = pool_->operands(id);
  const Builtin builtin = FindBuiltin(pool_->FunctionName(pool_->FunctionOf(id)));
  if (builtin == Builtin::kNoEvent && operands.size() == 1) {
    const ExprId t = Known(operands[0]);
    return pool_->IsNumber(t) ? t : pool_->Call("noevent", {t});
  }
  if (builtin == Builtin::kSmooth && operands.size() == 2) {
    const ExprId t = Known(operands[1]);
    if (pool_->IsNumber(t)) return t;
    const double order = pool_->IsNumber(operands[0]) ? pool_->NumberValue(operands[0]) : 0;
    return pool_->Call("smooth", {pool_->Number(std::max(order - 1, 0.0)), t});
  }
  if (builtin == Builtin::kDelay && operands.size() >= 2) {
    const ExprId t = Known(operands[0]);
    if (!with_respect_to_.IsNone() || pool_->IsZero(t)) return pool_->Zero();
    return pool_->Call("delay", {t, operands[1], pool_->Zero()});
  }
  std::vector<ExprId> terms;
  for (size_t k = 0; k < operands.size(); ++k) {
    const ExprId t = Known(operands[k]);
    if (!pool_->IsZero(t)) terms.push_back(ScaledPartial(*pool_, id, k, t));
  }
  return pool_->Sum(terms);
}

ExprId Differentiator::OfNode(ExprId id) {
  const auto operands = pool_->operands(id);
  const Op op = pool_->op(id);
  std::vector<ExprId> t(operands.size());
  bool depends = false;
  for (size_t k = 0; k < operands.size(); ++k) {
    t[k] = Known(operands[k]);
    depends |= !pool_->IsZero(t[k]);
  }
  const bool kronecker =
      op == Op::kElement && !with_respect_to_.IsNone() && pool_->op(with_respect_to_) == Op::kElement;
  if (!depends && !kronecker) return pool_->Zero();
  switch (op) {
    case Op::kAdd:
      return pool_->Sum(t);
    case Op::kMultiply:
      if (operands.size() > kLongProduct) return LongProductDerivative(*pool_, operands, t);
      break;
    case Op::kMin:
      return pool_->If(pool_->Less(operands[0], operands[1]), t[0], t[1]);
    case Op::kMax:
      return pool_->If(pool_->Less(operands[0], operands[1]), t[1], t[0]);
    case Op::kIf:
      return pool_->If(operands[0], t[1], t[2]);
    case Op::kArray:
      return pool_->Array(t);
    case Op::kElement:
      return OfElement(id);
    case Op::kSumOver:
      // The range is made of integers; the loop variable is bound and so is not the symbol asked for.
      if (pool_->Symbol(pool_->SymbolOf(id)) == with_respect_to_) return pool_->Zero();
      return pool_->SumOver(pool_->SymbolOf(id), operands[0], operands[1], t[2]);
    case Op::kCall:
      return OfCall(id);
    default:
      break;
  }
  InlineBuffer<ExprId, 16> terms;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!pool_->IsZero(t[k])) terms.push_back(ScaledPartial(*pool_, id, k, t[k]));
  }
  return pool_->Sum({terms.data(), terms.size()});
}

ExprId Differentiate(ExprPool& pool, ExprId expr, ExprId with_respect_to) {
  return Differentiator::Partial(&pool, with_respect_to).Derivative(expr);
}

ExprId Differentiate(ExprPool& pool, ExprId expr, SymbolId symbol) {
  return Differentiate(pool, expr, pool.Symbol(symbol));
}

ExprId TimeDerivative(ExprPool& pool, ExprId expr, int order) {
  if (order == 0) return expr;
  Differentiator total = Differentiator::TotalTime(&pool);
  for (int k = 0; k < order; ++k) expr = total.Derivative(expr);
  return expr;
}

}  // namespace cotree
