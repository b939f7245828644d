// SPDX-License-Identifier: Apache-2.0
#include "expr/dependence.h"

#include <algorithm>

#include "expr/builtins.h"
#include "expr/walk.h"

namespace cotree {

std::vector<SymbolId> FindSymbols(const ExprPool& pool, ExprId expr) {
  std::vector<SymbolId> found;
  std::vector<ExprId> stack = {expr};
  ExprMap seen;
  seen.Insert(expr, 0);
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (pool.IsSymbol(id) && pool.kind(pool.SymbolOf(id)) != SymbolKind::kIndex)
      found.push_back(pool.SymbolOf(id));
    if (pool.op(id) == Op::kCall && IsPastBuiltin(FindBuiltin(pool.FunctionName(pool.FunctionOf(id)))))
      continue;
    for (ExprId operand : pool.operands(id)) {
      if (seen.Insert(operand, 0)) stack.push_back(operand);
    }
  }
  std::sort(found.begin(), found.end(),
            [&](SymbolId a, SymbolId b) { return pool.CompareSymbols(a, b) < 0; });
  return found;
}

std::vector<Dependence> FindDependence(const ExprPool& pool, ExprId expr) {
  std::vector<Dependence> result;
  for (SymbolId symbol : FindSymbols(pool, expr)) {
    const SymbolInfo& info = pool.symbol(symbol);
    if (!result.empty() && result.back().base == info.base) {
      result.back().order = info.order;  // sorted by order within a name
    } else {
      result.push_back({info.base, info.order});
    }
  }
  return result;
}

bool DependsOn(const ExprPool& pool, ExprId expr, SymbolId symbol) {
  const auto symbols = FindSymbols(pool, expr);
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

}  // namespace cotree
