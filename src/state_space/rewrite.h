// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expr/expr_pool.h"
#include "expr/walk.h"

namespace cotree {

/// The expression with `change(node)` in the place of every node for which it gives something, operands
/// first: `change` sees nodes whose operands are changed already. A loop.
template <class Change>
ExprId Rewrite(ExprPool& pool, ExprId expr, Change&& change) {
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  std::vector<ExprId> made(order.nodes.size());
  std::vector<ExprId> operands;
  for (size_t k = 0; k < order.nodes.size(); ++k) {
    ExprId id = order.nodes[k];
    const auto old = pool.operands(id);
    operands.clear();
    bool same = true;
    for (const ExprId operand : old) {
      operands.push_back(made[order.PositionOf(operand)]);
      same = same && operands.back() == operand;
    }
    if (!same) id = pool.Rebuild(id, operands);
    const std::optional<ExprId> other = change(id);
    made[k] = other.value_or(id);
  }
  return made[order.PositionOf(expr)];
}

/// All symbols below, those inside pre(...) and delay(...) too; each once, in the order of the structure.
inline std::vector<SymbolId> AllSymbols(const ExprPool& pool, ExprId expr) {
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  std::vector<SymbolId> out;
  for (const ExprId id : order.nodes) {
    if (pool.IsSymbol(id)) out.push_back(pool.SymbolOf(id));
  }
  return out;
}

}  // namespace cotree
