// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/expr_pool.h"
#include "expr/field.h"

namespace cotree {

/** The value of an expression modulo p = 2^61 - 1 at a pseudo-random point: a certificate of equality or of
being different from zero (EX.15).

A symbol's value is a hash of its name, its order and `seed`; numbers are exact; + - * / and integer powers
are the field's. Two expressions that are equal as rational functions have equal values (where defined); two
that differ agree with a chance of about degree/p, below 1e-15 for degree 1000. So a difference of values
proves that they are different, and agreement for one seed is as good as proof.

What is not rational becomes a fixed hash of (function, value of argument), built so that the pool's own
rewrites and linearity keep:
 - odd functions x*h(x^2), even ones h(x^2);
 - a relation is a hash in [1, p), its negation 1 minus that; and is the product, not is 1 - c, or by de
Morgan;
 - if c then a else b is c*a + (1-c)*b; min is a symmetric hash, max is a + b - min;
 - a sum over a range that is no small number is h(range) * body at a hash of the range; elements likewise.
So sin(x + y) = sin(y + x) is seen, sin(x)^2 + cos(x)^2 = 1 is not. Literal constants that were rounded when
folded (0.1 + 0.2) count as what they were rounded to. */
std::vector<FieldElement> EvaluateField(const ExprPool& pool, std::span<const ExprId> roots, uint64_t seed);
FieldElement EvaluateField(const ExprPool& pool, ExprId expr, uint64_t seed);

/// Equal for each of some seeds (where defined for one at least).
bool AreProbablyEqual(const ExprPool& pool, ExprId a, ExprId b, int trials = 2);

}  // namespace cotree
