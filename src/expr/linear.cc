// SPDX-License-Identifier: Apache-2.0
#include "expr/linear.h"

#include <algorithm>

#include "expr/builtins.h"
#include "expr/jacobian.h"
#include "expr/walk.h"

namespace cotree {

namespace {

enum class Degree : uint8_t { kFree, kLinear, kOther };

Degree DegreeOf(const ExprPool& pool, ExprId id, std::span<const Degree> operands) {
  const auto highest = [&](size_t from) {
    return from >= operands.size()
               ? Degree::kFree
               : *std::max_element(operands.begin() + static_cast<ptrdiff_t>(from), operands.end());
  };
  if (highest(0) == Degree::kFree) return Degree::kFree;
  switch (pool.op(id)) {
    case Op::kAdd:
    case Op::kArray:
      return highest(0);
    case Op::kMultiply:
      return std::ranges::count(operands, Degree::kFree) + 1 == std::ssize(operands) ? highest(0)
                                                                                     : Degree::kOther;
    case Op::kDivide:
      return operands[1] == Degree::kFree ? operands[0] : Degree::kOther;
    case Op::kIf:
      return operands[0] == Degree::kFree ? highest(1) : Degree::kOther;
    case Op::kElement:
      return highest(1) == Degree::kFree ? operands[0] : Degree::kOther;
    case Op::kSumOver:
      return operands[0] == Degree::kFree && operands[1] == Degree::kFree ? operands[2] : Degree::kOther;
    case Op::kCall:
      switch (FindBuiltin(pool.FunctionName(pool.FunctionOf(id)))) {
        case Builtin::kPre:
        case Builtin::kDelay:
          return Degree::kFree;
        case Builtin::kNoEvent:
          return operands[0];
        case Builtin::kSmooth:
          return operands.back();
        default:
          return Degree::kOther;
      }
    default:
      return Degree::kOther;
  }
}

}  // namespace

LinearForm LinearCoefficients(ExprPool& pool, ExprId expr, std::span<const SymbolId> unknowns) {
  LinearForm form;
  ExprMap is_unknown;
  for (SymbolId unknown : unknowns) is_unknown.Insert(pool.Symbol(unknown), 0);
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  std::vector<Degree> degrees(order.nodes.size());
  std::vector<Degree> of_operands;
  for (size_t at = 0; at < order.nodes.size(); ++at) {
    const ExprId id = order.nodes[at];
    if (is_unknown.Contains(id)) {
      degrees[at] = Degree::kLinear;
      continue;
    }
    of_operands.clear();
    for (ExprId operand : pool.operands(id)) of_operands.push_back(degrees[order.PositionOf(operand)]);
    degrees[at] = DegreeOf(pool, id, of_operands);
    if (degrees[at] != Degree::kOther) continue;
    // Name the unknown: the first by name below this node.
    ExprOrder below;
    FindOrder(pool, std::span(&id, 1), &below);
    for (ExprId node : below.nodes) {
      if (!is_unknown.Contains(node)) continue;
      if (!form.nonlinear || pool.CompareSymbols(pool.SymbolOf(node), *form.nonlinear) < 0)
        form.nonlinear = pool.SymbolOf(node);
    }
    return form;
  }
  form.linear = true;
  form.coefficients.assign(unknowns.size(), pool.Zero());
  for (const JacobianEntry& entry : Gradient(pool, expr, unknowns))
    form.coefficients[entry.column] = entry.value;
  // The value at 0; nodes free of unknowns stay, and so does x inside pre(x).
  std::vector<ExprId> at_zero(order.nodes.size());
  std::vector<ExprId> operands;
  for (size_t at = 0; at < order.nodes.size(); ++at) {
    const ExprId id = order.nodes[at];
    at_zero[at] = id;
    if (degrees[at] == Degree::kFree) continue;
    if (is_unknown.Contains(id)) {
      at_zero[at] = pool.Zero();
      continue;
    }
    operands.clear();
    for (ExprId operand : pool.operands(id)) operands.push_back(at_zero[order.PositionOf(operand)]);
    if (pool.op(id) == Op::kDivide && pool.IsZero(operands[0])) {
      at_zero[at] = pool.Zero();  // 0/b, where b is not 0 or the expression has no value at all
    } else if (pool.op(id) == Op::kCall && pool.IsNumber(operands.back())) {
      at_zero[at] = operands.back();  // noevent, smooth
    } else {
      at_zero[at] = pool.Rebuild(id, operands);
    }
  }
  form.remainder = at_zero.back();
  return form;
}

}  // namespace cotree
