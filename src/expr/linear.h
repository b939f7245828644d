// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expr/expr_pool.h"

namespace cotree {

/** An expression as coefficients * unknowns + remainder. */
struct LinearForm {
  bool linear = false;
  std::vector<ExprId>
      coefficients;  // if linear: one per unknown, free of unknowns; the number 0 where it does not occur
  ExprId remainder;  // if linear: the expression with all unknowns 0, free of unknowns
  std::optional<SymbolId> nonlinear;  // if not: the unknown, first by name, in the first node that spoils it
};

/** Decides by structure whether `expr` is linear in the unknowns together: x*y is not if both are unknown;
(a*x + b)/c is; what stands in a condition, an index, or a function is not (noevent and smooth are
transparent, pre(x) does not depend on x). No expansion, so (x + 1)^2 - x^2 counts as nonlinear. */
LinearForm LinearCoefficients(ExprPool& pool, ExprId expr, std::span<const SymbolId> unknowns);

}  // namespace cotree
