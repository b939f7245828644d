// SPDX-License-Identifier: Apache-2.0
#include "expr/dependence.h"

#include <algorithm>

#include "expr/builtins.h"
#include "expr/walk.h"

namespace cotree {
namespace {

bool ById(ExprId a, ExprId b) {
  return a.value < b.value;
}

}  // namespace

std::vector<SymbolId> FindSymbols(const ExprPool& pool, ExprId expr) {
  return FindSymbolsBetweenEvents(pool, expr, {});
}

std::vector<SymbolId> FindSymbolsBetweenEvents(const ExprPool& pool, ExprId expr,
                                               std::span<const ExprId> held) {
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
    // mod(x, y) follows x in between, and jumps by y.
    if (pool.op(id) != Op::kMod && std::binary_search(held.begin(), held.end(), id, ById)) continue;
    for (ExprId operand : pool.operands(id)) {
      if (seen.Insert(operand, 0)) stack.push_back(operand);
    }
  }
  std::sort(found.begin(), found.end(),
            [&](SymbolId a, SymbolId b) { return pool.CompareSymbols(a, b) < 0; });
  return found;
}

std::vector<ExprId> FindHeld(const ExprPool& pool, std::span<const ExprId> roots) {
  std::vector<ExprId> found, stack(roots.begin(), roots.end());
  ExprMap seen;
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (id.IsNone() || !seen.Insert(id, 0)) continue;
    const Op op = pool.op(id);
    if (op == Op::kCall) {
      const Builtin builtin = FindBuiltin(pool.FunctionName(pool.FunctionOf(id)));
      if (builtin == Builtin::kNoEvent || builtin == Builtin::kSmooth) continue;
    }
    if (op == Op::kLess || op == Op::kLessEqual || op == Op::kFloor || op == Op::kCeil || op == Op::kSign ||
        op == Op::kMod)
      found.push_back(id);
    for (const ExprId operand : pool.operands(id)) stack.push_back(operand);
  }
  std::sort(found.begin(), found.end(), ById);
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

bool IsOfParameters(const ExprPool& pool, ExprId expr) {
  std::vector<ExprId> stack = {expr};
  ExprMap seen;
  seen.Insert(expr, 0);
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (pool.op(id) == Op::kTime || pool.op(id) == Op::kCall) return false;
    if (pool.IsSymbol(id) && pool.kind(pool.SymbolOf(id)) != SymbolKind::kParameter) return false;
    for (const ExprId operand : pool.operands(id)) {
      if (seen.Insert(operand, 0)) stack.push_back(operand);
    }
  }
  return true;
}

}  // namespace cotree
