// SPDX-License-Identifier: Apache-2.0
#include "expr/check_expr.h"

#include "expr/print_text.h"
#include "expr/walk.h"

namespace cotree {

std::optional<std::string> CheckExpr(ExprPool& pool, ExprId expr) {
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  const PrintOptions brief{.limit = 200};
  for (ExprId id : order.nodes) {
    const auto operands = pool.operands(id);
    for (ExprId operand : operands) {
      if (operand.value >= id.value)
        return "an operand is younger than its user: " + PrintText(pool, id, brief);
    }
    if (pool.op(id) == Op::kMultiply) {
      for (size_t k = 1; k < operands.size(); ++k) {
        if (pool.IsNumber(operands[k]))
          return "a number stands behind a factor: " + PrintText(pool, id, brief);
      }
    }
    if (operands.empty()) continue;
    const ExprId again = pool.Rebuild(id, operands);
    if (again != id)
      return "not canonical: " + PrintText(pool, id, brief) + " becomes " + PrintText(pool, again, brief);
  }
  return std::nullopt;
}

}  // namespace cotree
