// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "expr/expr_pool.h"
#include "expr/print_loop.h"

namespace cotree {

/** The language's own notation, with as few parentheses as its grammar allows: `R*i + L*der(i)`.

Reading it back gives the same node, provided the reader builds a chain of + (or of *) by one Sum (Product),
takes a leading minus as belonging to the whole term (-a*b is -(a*b), -x^2 is -(x^2)), and reads a/b*c as
(a/b)*c. Loosest first:

 | | |
 |---|---|
 | `if c then a else b` | in parentheses wherever it is an operand |
 | `or`, `and`, `not` | |
 | `< <= == !=` | do not chain |
 | `+ -` | |
 | `* /` | from the left |
 | `^` | operands are primary: `(x^2)^y`, `x^(-1)` |
 | `f(x)`, `x[i, j]`, `{a, b}`, `der(x)`, `sum(body for k in 1:n)`, `time`, `true`, `false` | |

A closed function differentiated (1, 0) times by its arguments is `partial(f(x, y), 1, 0)`. Beyond the limit:
`…` and the end. With PrintOptions::unicode: for people, in the same order. */
std::string PrintText(const ExprPool& pool, ExprId expr, const PrintOptions& options = {});

/// "phi_load" as "φ_load", as PrintText has it with `unicode`.
std::string UnicodeName(std::string_view name);

}  // namespace cotree
