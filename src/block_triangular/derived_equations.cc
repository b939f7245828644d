// SPDX-License-Identifier: Apache-2.0
#include "block_triangular/derived_equations.h"

#include <algorithm>

#include "expr/dependence.h"

namespace cotree {

uint32_t DerivedEquations::VariableOf(uint32_t scalar, SymbolId base) {
  if (symbol_variable_.size() <= scalar) symbol_variable_.resize(system_.scalars.size());
  auto& map = symbol_variable_[scalar];
  const auto& variables = system_.scalars[scalar].variables;
  if (map.empty()) {
    for (uint32_t v = 0; v < variables.size(); ++v) map.try_emplace(variables[v].symbol.value, v);
  }
  const auto at = map.find(base.value);
  return at == map.end() ? UINT32_MAX : at->second;
}

const DerivedEquation& DerivedEquations::Get(uint32_t scalar, uint32_t equation, uint32_t times) {
  const uint64_t key = (uint64_t{scalar} << 40) | (uint64_t{equation} << 8) | times;
  auto& slot = made_[key];
  if (slot) return *slot;
  ExprPool& pool = system_.model->expressions;
  auto fresh = std::make_unique<DerivedEquation>();
  fresh->residual = times == 0 ? system_.scalars[scalar].equations[equation].residual
                               : rate_.Derivative(Get(scalar, equation, times - 1).residual);
  for (const SymbolId symbol :
       FindSymbolsBetweenEvents(pool, fresh->residual, system_.scalars[scalar].held)) {
    const SymbolInfo info = pool.symbol(symbol);
    const SymbolKind kind = pool.kind(info.base);
    if (kind == SymbolKind::kParameter || kind == SymbolKind::kIndex) continue;
    const uint32_t v = VariableOf(scalar, info.base);
    if (v == UINT32_MAX || system_.scalars[scalar].variables[v].role == ScalarVariable::Role::kDiscrete)
      continue;
    fresh->uses.push_back({v, info.order});
  }
  std::sort(fresh->uses.begin(), fresh->uses.end(), [](const ScalarUse& a, const ScalarUse& b) {
    return a.variable != b.variable ? a.variable < b.variable : a.order < b.order;
  });
  auto& again = made_[key];  // Get above may have grown the table
  again = std::move(fresh);
  return *again;
}

}  // namespace cotree
