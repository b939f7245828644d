// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "expr/expr_pool.h"

namespace cotree {

/** One variable an expression depends on structurally, with the highest derivative order in which it occurs.
 */
struct Dependence {
  SymbolId base;       // of order 0
  uint32_t order = 0;  // highest that occurs
};

/** What occurs in an expression, ordered by name. All kinds but loop variables are listed, parameters too:
ask `pool.kind`. What stands inside pre(...) or delay(...) is a value from before and does not count. An array
counts as one variable, whichever element is used. Linear. */
std::vector<Dependence> FindDependence(const ExprPool& pool, ExprId expr);

/// The symbols themselves (each order its own), ordered by name and order, under the same rules.
std::vector<SymbolId> FindSymbols(const ExprPool& pool, ExprId expr);

/// Whether `symbol` (this order) occurs, under the same rules.
bool DependsOn(const ExprPool& pool, ExprId expr, SymbolId symbol);

}  // namespace cotree
