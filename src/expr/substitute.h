// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "expr/expr_pool.h"

namespace cotree {

using Replacement = std::pair<SymbolId, ExprId>;

/** Puts expressions in the place of symbols, all at the same time: x → y, y → x swaps. Each order of a
variable is a symbol of its own. Nodes in which nothing is replaced stay the same nodes. Each shared node is
rebuilt once; a loop.

The loop variable of a sum is bound: it is not replaced inside, and where a replacement mentions a variable of
the same name the loop gets another one (k_, k__, ...), so that nothing is captured. A symbol replaced twice
takes the first replacement. */
std::vector<ExprId> Substitute(ExprPool& pool, std::span<const ExprId> roots,
                               std::span<const Replacement> replacements);
ExprId Substitute(ExprPool& pool, ExprId root, std::span<const Replacement> replacements);
ExprId Substitute(ExprPool& pool, ExprId root, SymbolId symbol, ExprId replacement);

}  // namespace cotree
