// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "block_triangular/offsets.h"
#include "expr/linear.h"

namespace cotree {
namespace {

/* The assignment of rows to columns of largest total weight (the Hungarian method with potentials, n <= m
after padding). Entries below zero are not allowed. */
std::vector<uint32_t> Assign(const std::vector<std::vector<int>>& weight, size_t columns) {
  const size_t n = weight.size(), m = std::max(columns, n) + n;
  constexpr int64_t kFar = 1'000'000, kInfinity = std::numeric_limits<int64_t>::max() / 4;
  const auto cost = [&](size_t i, size_t j) -> int64_t {
    return j < columns && weight[i][j] >= 0 ? -weight[i][j] : kFar;
  };
  std::vector<int64_t> u(n + 1, 0), v(m + 1, 0);
  std::vector<size_t> row_of(m + 1, 0), way(m + 1, 0);
  for (size_t i = 1; i <= n; ++i) {
    row_of[0] = i;
    size_t j0 = 0;
    std::vector<int64_t> least(m + 1, kInfinity);
    std::vector<bool> used(m + 1, false);
    do {
      used[j0] = true;
      const size_t i0 = row_of[j0];
      int64_t delta = kInfinity;
      size_t j1 = 0;
      for (size_t j = 1; j <= m; ++j) {
        if (used[j]) continue;
        const int64_t reduced = cost(i0 - 1, j - 1) - u[i0] - v[j];
        if (reduced < least[j]) {
          least[j] = reduced;
          way[j] = j0;
        }
        if (least[j] < delta) {
          delta = least[j];
          j1 = j;
        }
      }
      for (size_t j = 0; j <= m; ++j) {
        if (used[j]) {
          u[row_of[j]] += delta;
          v[j] -= delta;
        } else {
          least[j] -= delta;
        }
      }
      j0 = j1;
    } while (row_of[j0] != 0);
    do {
      const size_t j1 = way[j0];
      row_of[j0] = row_of[j1];
      j0 = j1;
    } while (j0 != 0);
  }
  std::vector<uint32_t> out(n, UINT32_MAX);
  for (size_t j = 1; j <= columns; ++j) {
    const size_t i = row_of[j];
    if (i > 0 && weight[i - 1][j - 1] >= 0) out[i - 1] = static_cast<uint32_t>(j - 1);
  }
  return out;
}

// Equations of a class matched with the variables it may be solved for.
std::vector<uint32_t> MatchClass(ExprPool& pool, const ScalarElement& scalar,
                                 const std::vector<uint8_t>& primary) {
  std::vector<uint32_t> columns(scalar.owned, UINT32_MAX), local;
  for (uint32_t v = 0; v < scalar.continuous; ++v) {
    const ScalarVariable& variable = scalar.variables[v];
    const bool allowed = variable.role == ScalarVariable::Role::kVariable ||
                         (variable.role == ScalarVariable::Role::kAcross &&
                          (primary[variable.index] & NormalTree::kAcrossPrimary) != 0) ||
                         (variable.role == ScalarVariable::Role::kThrough &&
                          (primary[variable.index] & NormalTree::kThroughPrimary) != 0);
    if (!allowed) continue;
    columns[v] = static_cast<uint32_t>(local.size());
    local.push_back(v);
  }
  std::vector<uint32_t> out(scalar.always, UINT32_MAX);
  // Small classes: the assignment of the highest orders. Large ones: the left side first, then what is free.
  constexpr uint32_t kSmall = 64;
  if (scalar.always <= kSmall) {
    std::vector<std::vector<int>> weight(scalar.always, std::vector<int>(local.size(), -1));
    for (uint32_t e = 0; e < scalar.always; ++e) {
      const ScalarEquation& row = scalar.equations[e];
      for (const ScalarUse& use : row.uses) {
        if (use.variable >= scalar.owned || columns[use.variable] == UINT32_MAX) continue;
        const SymbolId symbol =
            pool.SymbolOfOrder(scalar.variables[use.variable].symbol, static_cast<int>(use.order));
        const bool linear = LinearCoefficients(pool, row.residual, std::span(&symbol, 1)).linear;
        weight[e][columns[use.variable]] = static_cast<int>(use.order) * 4 + (linear ? 1 : 0);
      }
    }
    const auto assigned = Assign(weight, local.size());
    for (uint32_t e = 0; e < scalar.always; ++e) {
      if (assigned[e] != UINT32_MAX) out[e] = local[assigned[e]];
    }
    return out;
  }
  std::vector<uint32_t> taken(local.size(), UINT32_MAX);
  for (const bool left_only : {true, false}) {
    for (uint32_t e = 0; e < scalar.always; ++e) {
      if (out[e] != UINT32_MAX) continue;
      const ScalarEquation& row = scalar.equations[e];
      uint32_t best = UINT32_MAX, order = 0;
      for (const ScalarUse& use : row.uses) {
        if (use.variable >= scalar.owned) continue;
        const uint32_t column = columns[use.variable];
        if (column == UINT32_MAX || taken[column] != UINT32_MAX) continue;
        if (left_only && !(pool.IsSymbol(row.left) && pool.symbol(pool.SymbolOf(row.left)).base ==
                                                          scalar.variables[use.variable].symbol))
          continue;
        if (best != UINT32_MAX && use.order <= order) continue;
        best = use.variable;
        order = use.order;
      }
      if (best == UINT32_MAX) continue;
      out[e] = best;
      taken[columns[best]] = e;
    }
  }
  return out;
}

}  // namespace

LargeVector<uint32_t> FindCausality(const EquationSystem& system) {
  const SystemGraph& graph = *system.graph;
  LargeVector<uint32_t> out(system.equation_count(), UINT32_MAX);
  std::map<std::pair<uint32_t, std::vector<uint8_t>>, std::vector<uint32_t>> known;
  std::vector<const std::vector<uint32_t>*> last(system.scalars.size(), nullptr);
  std::vector<std::vector<uint8_t>> last_primary(system.scalars.size());
  std::vector<uint8_t> primary;
  for (uint32_t p = 0; p < system.parts.size(); ++p) {
    const Part& part = system.parts[p];
    const ScalarElement& scalar = system.scalars[part.scalar];
    if (scalar.always == 0) continue;
    primary.clear();
    if (p < graph.components.size()) {
      const Component& c = graph.components[p];
      for (size_t k = 0; k < graph.elements[c.element.index()].edges.size(); ++k)
        primary.push_back(system.tree->primary[c.first_edge + k]);
    }
    if (last[part.scalar] == nullptr || last_primary[part.scalar] != primary) {
      const auto [at, fresh] = known.try_emplace({part.scalar, primary});
      if (fresh) at->second = MatchClass(system.model->expressions, scalar, primary);
      last[part.scalar] = &at->second;
      last_primary[part.scalar] = primary;
    }
    const auto& match = *last[part.scalar];
    for (uint32_t e = 0; e < scalar.always; ++e) {
      if (match[e] != UINT32_MAX) out[part.first_equation + e] = part.first_variable + match[e];
    }
  }
  for (uint32_t r = 0; r < system.row_defined.size(); ++r)
    out[system.part_equations + r] = system.row_defined[r];
  return out;
}

}  // namespace cotree
