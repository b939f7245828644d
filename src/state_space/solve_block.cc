// SPDX-License-Identifier: Apache-2.0
#include "state_space/solve_block.h"

#include <algorithm>

#include "closed_form/fraction.h"
#include "expr/dependence.h"
#include "expr/linear.h"
#include "expr/substitute.h"

namespace cotree {
namespace {

struct Pivot {
  size_t equation = SIZE_MAX, unknown = 0;
  ExprId value;
  uint64_t cost = UINT64_MAX;
};

}  // namespace

BlockSolution SolveBlock(ExprPool& pool, std::vector<ExprId> residuals, std::vector<SymbolId> unknowns,
                         const std::vector<bool>& kept, const std::vector<bool>& wanted,
                         const std::vector<bool>& whole, const std::function<bool(ExprId)>& is_zero) {
  BlockSolution out;
  std::vector<bool> used(residuals.size(), false), gone(unknowns.size(), false);
  // First the plain ones (coefficient ±1), then numbers, then parameters; what is kept after all others.
  for (const auto& [round, all] :
       {std::pair(0, false), {1, false}, {2, false}, {0, true}, {1, true}, {2, true}}) {
    for (;;) {
      Pivot best;
      for (size_t e = 0; e < residuals.size(); ++e) {
        if (used[e] || (!whole.empty() && whole[e])) continue;
        const std::vector<SymbolId> symbols = FindSymbols(pool, residuals[e]);
        const uint64_t size = SizeOf(pool, residuals[e]).operations;
        if (size >= best.cost) continue;
        for (size_t u = 0; u < unknowns.size(); ++u) {
          if (gone[u] || kept[u] || (!all && !wanted.empty() && wanted[u])) continue;
          if (std::find(symbols.begin(), symbols.end(), unknowns[u]) == symbols.end()) continue;
          const LinearForm form = LinearCoefficients(pool, residuals[e], std::span(&unknowns[u], 1));
          if (!form.linear) continue;
          const ExprId c = form.coefficients[0];
          const bool number = pool.IsNumber(c);
          const bool fits = round == 0   ? pool.IsNumber(c, 1) || pool.IsNumber(c, -1)
                            : round == 1 ? number && !pool.IsZero(c)
                                         : IsOfParameters(pool, c) && !is_zero(c);
          if (!fits) continue;
          best = {e, u, pool.Negate(pool.Divide(form.remainder, c)), size};
          if (pool.IsNumber(c, 1)) best.value = pool.Negate(form.remainder);
          if (pool.IsNumber(c, -1)) best.value = form.remainder;
          break;
        }
      }
      if (best.equation == SIZE_MAX) break;
      used[best.equation] = true;
      gone[best.unknown] = true;
      const Replacement replacement{unknowns[best.unknown], best.value};
      for (size_t e = 0; e < residuals.size(); ++e) {
        if (!used[e]) residuals[e] = Substitute(pool, residuals[e], std::span(&replacement, 1));
      }
      out.solved.emplace_back(unknowns[best.unknown], best.value);
    }
  }
  // Each was solved with those in it that went later: the last one needs the core only.
  std::reverse(out.solved.begin(), out.solved.end());
  for (size_t u = 0; u < unknowns.size(); ++u) {
    if (!gone[u]) out.core.push_back(unknowns[u]);
  }
  for (size_t e = 0; e < residuals.size(); ++e) {
    if (used[e]) continue;
    out.residuals.push_back(residuals[e]);
    out.rows.push_back(e);
  }
  out.linear = !out.core.empty();
  for (const ExprId residual : out.residuals) {
    const LinearForm form = LinearCoefficients(pool, residual, out.core);
    out.linear = out.linear && form.linear;
    if (!out.linear) break;
    // The first coefficient of a row that is not zero shall be positive.
    const auto lead = std::find_if(form.coefficients.begin(), form.coefficients.end(),
                                   [&](ExprId c) { return !pool.IsZero(c); });
    const bool turn = lead == form.coefficients.end() || !pool.IsNegative(*lead);
    out.matrix.emplace_back();
    for (const ExprId c : form.coefficients) out.matrix.back().push_back(turn ? c : pool.Negate(c));
    out.right.push_back(turn ? pool.Negate(form.remainder) : form.remainder);
  }
  if (!out.linear) out.matrix.clear(), out.right.clear();
  return out;
}

CoreSolution SolveCore(ExprPool& pool, const BlockSolution& block, size_t most, bool expand, ExprId letter) {
  CoreSolution out;
  if (!block.linear) return out;
  std::vector<ExprId> all = block.right;
  for (const auto& row : block.matrix) all.insert(all.end(), row.begin(), row.end());
  FractionField field(pool, all);
  std::vector<std::vector<Fraction>> matrix;
  std::vector<Fraction> right;
  for (size_t i = 0; i < block.right.size(); ++i) {
    matrix.emplace_back();
    for (const ExprId entry : block.matrix[i]) {
      const auto fraction = field.Convert(entry);
      if (!fraction) return out;
      matrix.back().push_back(*fraction);
    }
    const auto fraction = field.Convert(block.right[i]);
    if (!fraction) return out;
    right.push_back(*fraction);
  }
  const std::vector<Fraction> values = field.Solve(matrix, right);
  constexpr uint64_t kShortest = 3;  // operations of a determinant that is worth a name
  const bool shared = !expand && values.size() > 1 &&
                      std::all_of(values.begin(), values.end(),
                                  [&](const Fraction& v) { return v.denominator == values[0].denominator; });
  if (shared) {
    const ExprId determinant = field.Shortest(values[0].denominator);
    if (SizeOf(pool, determinant).operations > kShortest) out.determinant = determinant;
  }
  size_t total = 0;
  for (const Fraction& value : values) {
    out.values.push_back(expand                     ? field.Expanded(value)
                         : out.determinant.IsNone() ? field.Shortest(value)
                                                    : pool.Divide(field.Shortest(value.numerator), letter));
    total += SizeOf(pool, out.values.back()).operations;
  }
  if (total > most) out.values.clear();
  return out;
}

}  // namespace cotree
