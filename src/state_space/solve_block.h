// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "expr/expr_pool.h"

namespace cotree {

/** Equations that hold together, solved as far as symbols go (CF.8). */
struct BlockSolution {
  std::vector<std::pair<SymbolId, ExprId>> solved;  // in order: each needs those before it, and the core
  std::vector<SymbolId> core;                       // unknowns that are left
  std::vector<ExprId> residuals;                    // as many
  std::vector<size_t> rows;                         // which equation each of them was
  bool linear = false;                              // in the core's unknowns
  std::vector<std::vector<ExprId>> matrix;          // if linear: matrix * core = right
  std::vector<ExprId> right;
};

/// Unknowns with a number, or an expression of parameters, as coefficient are put into the other equations;
/// those `wanted` after all others (none: no wish), those `kept` never. Equations that are `whole` (none: no
/// wish) are not solved for anything. `is_zero`: whether a coefficient of parameters is 0 at the present
/// numbers.
BlockSolution SolveBlock(ExprPool& pool, std::vector<ExprId> residuals, std::vector<SymbolId> unknowns,
                         const std::vector<bool>& kept, const std::vector<bool>& wanted,
                         const std::vector<bool>& whole, const std::function<bool(ExprId)>& is_zero);

/** What Cramer's rule gives for the core of a block. */
struct CoreSolution {
  std::vector<ExprId> values;  // by unknown; none: it was too large
  ExprId determinant;          // where all values are over the same one and it is worth a name: they are over
                               // `letter`, not over it
};
/// If the outcome has at most `most` operations altogether; `letter`: what may stand for the determinant.
CoreSolution SolveCore(ExprPool& pool, const BlockSolution& block, size_t most, bool expand, ExprId letter);

}  // namespace cotree
