// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/expr_pool.h"

namespace cotree {

/** What must hold for a solution to be one. */
struct SolveCondition {
  enum class Kind { kNonzero, kPositive, kNonnegative };
  Kind kind;
  ExprId expr;  // never a number: those are decided at once. May contain the unknown where a denominator did.
};

/** unknown = value. */
struct Solution {
  ExprId value;                            // free of the unknown
  std::vector<SolveCondition> conditions;  // in the order in which they arose, each once
  bool unique = true;                      // false: other values solve it too (sin, cos, even powers, abs)
  bool linear = false;                     // the residual was linear in the unknown
};

/** Solves residual = 0 for one symbol (EX.14): if the residual is linear in it, by -remainder/coefficient;
otherwise by undoing one operation after the other as long as the unknown stands in one operand only: + * / ^
exp log log10 sqrt abs, the trigonometric and hyperbolic functions and their inverses, noevent, smooth. A
quotient with the unknown above and below is cleared of its denominator.

Where several values qualify the one with the principal value of the inverse function is taken, and `unique`
is false. Nothing is returned where no rule fits, or where a condition on numbers fails (sqrt(x) = -1). */
std::optional<Solution> SolveFor(ExprPool& pool, ExprId residual, SymbolId unknown);

/// "coefficient R must not be zero", for people.
std::string DescribeCondition(const ExprPool& pool, const SolveCondition& condition);

}  // namespace cotree
