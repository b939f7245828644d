// SPDX-License-Identifier: Apache-2.0
#include "program/cancellations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "program/eliminate_block.h"
#include "program/linear_solver.h"

namespace cotree {

std::vector<double> LeftNullVector(size_t n, std::vector<double> a, double tolerance) {
  // Equilibrate by powers of two, rows then columns.
  std::vector<double> row_scale(n, 1), column_scale(n, 1);
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (size_t r = 0; r < n; ++r) {
      double most = 0;
      for (size_t c = 0; c < n; ++c) most = std::max(most, std::fabs(a[r * n + c]));
      if (most == 0) continue;
      const double s = std::ldexp(1.0, -std::ilogb(most));
      row_scale[r] *= s;
      for (size_t c = 0; c < n; ++c) a[r * n + c] *= s;
    }
    for (size_t c = 0; c < n; ++c) {
      double most = 0;
      for (size_t r = 0; r < n; ++r) most = std::max(most, std::fabs(a[r * n + c]));
      if (most == 0) continue;
      const double s = std::ldexp(1.0, -std::ilogb(most));
      column_scale[c] *= s;
      for (size_t r = 0; r < n; ++r) a[r * n + c] *= s;
    }
  }
  // Complete pivoting: P A Q = L U with L unit lower triangular, kept below the diagonal.
  std::vector<size_t> rows(n);
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::vector<size_t> columns = rows;
  size_t rank = 0;
  for (; rank < n; ++rank) {
    size_t best_r = rank, best_c = rank;
    double best = 0;
    for (size_t r = rank; r < n; ++r) {
      for (size_t c = rank; c < n; ++c) {
        const double value = std::fabs(a[rows[r] * n + columns[c]]);
        if (value > best) {
          best = value;
          best_r = r;
          best_c = c;
        }
      }
    }
    if (!(best > tolerance)) break;
    std::swap(rows[rank], rows[best_r]);
    std::swap(columns[rank], columns[best_c]);
    const double pivot = a[rows[rank] * n + columns[rank]];
    for (size_t r = rank + 1; r < n; ++r) {
      const double factor = a[rows[r] * n + columns[rank]] / pivot;
      if (factor == 0) continue;
      for (size_t c = rank + 1; c < n; ++c)
        a[rows[r] * n + columns[c]] -= factor * a[rows[rank] * n + columns[c]];
      a[rows[r] * n + columns[rank]] = factor;
    }
  }
  if (rank == n) return {};
  // x^T L = e_rank^T restricted to the first rank + 1 rows: back substitution with L^T.
  std::vector<double> y(rank + 1, 0);
  y[rank] = 1;
  for (size_t k = rank; k-- > 0;) {
    double sum = 0;
    for (size_t r = k + 1; r <= rank; ++r) sum += a[rows[r] * n + columns[k]] * y[r];
    y[k] = -sum;
  }
  std::vector<double> out(n, 0);
  double most = 0;
  for (size_t k = 0; k <= rank; ++k) most = std::max(most, std::fabs(y[k]));
  for (size_t k = 0; k <= rank; ++k) {
    if (std::fabs(y[k]) > 1e-11 * most) out[rows[k]] = y[k] * row_scale[rows[k]];
  }
  return out;
}

Cancellation FindSurplus(EquationSystem& system, const Offsets& offsets) {
  constexpr size_t kMostEquations = 400;
  Cancellation out;
  std::vector<uint32_t> equations;
  std::vector<std::map<std::pair<uint32_t, uint32_t>, double>> rows;
  std::map<std::pair<uint32_t, uint32_t>, size_t> columns;
  if (offsets.over_equations.size() > kMostEquations) return out;
  for (const uint32_t equation : offsets.over_equations) {
    auto row = LinearNumbers(system, equation);
    if (row.empty()) continue;
    for (const auto& [key, value] : row) columns.try_emplace(key, columns.size());
    equations.push_back(equation);
    rows.push_back(std::move(row));
  }
  const size_t n = rows.size();
  if (n <= columns.size()) return out;
  std::vector<double> dense(n * n, 0);
  for (size_t r = 0; r < n; ++r) {
    for (const auto& [key, value] : rows[r]) dense[r * n + columns[key]] = value;
  }
  const std::vector<double> null = LeftNullVector(n, std::move(dense));
  for (size_t r = 0; r < null.size(); ++r) {
    if (null[r] != 0) out.terms.push_back({equations[r], 0, null[r]});
  }
  for (const auto& [key, column] : columns) {
    double sum = 0, size = 0;
    for (size_t r = 0; r < n; ++r) {
      const auto at = rows[r].find(key);
      if (at == rows[r].end()) continue;
      sum += null[r] * at->second;
      size += std::fabs(null[r] * at->second);
    }
    if (std::fabs(sum) > 1e-12 * size) return {};
    out.cancelled.push_back({key.first, key.second});
  }
  for (const uint32_t variable : offsets.under_variables) out.undetermined.push_back({variable, 0});
  return out;
}

std::vector<Cancellation> FindCancellations(const Program& program) {
  const SortedSystem& sorted = *program.sorted;
  const EquationSystem& system = *sorted.system;
  std::vector<Cancellation> out;
  constexpr size_t kDenseLimit = 400;
  program.OverImplicit([&](const ImplicitBlock& block) {
    if (block.kind != BlockKind::kLinearConstant) return;
    const size_t n = block.unknowns.size();
    const std::vector<double> entries = ConstantEntries(program, block);
    std::vector<std::vector<uint32_t>> pattern;
    for (const BlockRow& row : block.rows) pattern.push_back(row.columns);
    if (n > kDenseLimit) {
      LinearSolver solver(n, pattern);
      if (solver.Factor(entries)) return;
      if (n > 4000) return;  // the run will say so
    }
    std::vector<double> dense(n * n, 0);
    size_t at = 0;
    for (size_t r = 0; r < n; ++r) {
      for (const uint32_t c : pattern[r]) dense[r * n + c] += entries[at++];
    }
    std::vector<double> transposed(n * n);
    for (size_t r = 0; r < n; ++r) {
      for (size_t c = 0; c < n; ++c) transposed[c * n + r] = dense[r * n + c];
    }
    const std::vector<double> null = LeftNullVector(n, std::move(dense));
    if (null.empty()) return;
    Cancellation found;
    const std::vector<double> free = LeftNullVector(n, std::move(transposed));
    for (size_t c = 0; c < free.size(); ++c) {
      if (free[c] != 0) found.undetermined.push_back(sorted.OfSlot(block.unknowns[c]));
    }
    found.block = block.block;
    const auto equations = sorted.Block(block.block);
    uint32_t least = UINT32_MAX;
    for (size_t r = 0; r < n; ++r) {
      if (null[r] == 0) continue;
      const SortedEquation& e = sorted.equations[equations[r]];
      found.terms.push_back({e.equation, e.times, null[r]});
      least = std::min(least, e.times);
    }
    // The least differentiated first; among these one of a component rather than topology.
    std::stable_sort(found.terms.begin(), found.terms.end(),
                     [&](const CombinationTerm& a, const CombinationTerm& b) {
                       if (a.times != b.times) return a.times < b.times;
                       return system.IsRow(a.equation) < system.IsRow(b.equation);
                     });
    for (CombinationTerm& term : found.terms) term.times -= least;
    for (const uint32_t slot : block.unknowns) {
      VariableRef ref = sorted.OfSlot(slot);
      if (ref.order < least) continue;
      ref.order -= least;
      found.cancelled.push_back(ref);
    }
    out.push_back(std::move(found));
  });
  return out;
}

}  // namespace cotree
