// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
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

/// Nodes whose values are held between events (sorted): inequalities, floor, ceil, sign and mod, where they
/// do not stand inside noevent(...) or smooth(...). Derivatives of abs, min and max have inequalities of
/// their own, which make no events: so what is held is asked of equations as they were written.
std::vector<ExprId> FindHeld(const ExprPool& pool, std::span<const ExprId> roots);

/// What the value depends on between two events: as FindSymbols, without what only decides conditions among
/// `held`. So `on = v > 0` is computed from nothing, and a switch closes no algebraic loop by its condition.
std::vector<SymbolId> FindSymbolsBetweenEvents(const ExprPool& pool, ExprId expr,
                                               std::span<const ExprId> held);

/// Whether `symbol` (this order) occurs, under the same rules.
bool DependsOn(const ExprPool& pool, ExprId expr, SymbolId symbol);

/// Whether nothing but numbers and parameters stands in it: no variable, no time, no call.
bool IsOfParameters(const ExprPool& pool, ExprId expr);

}  // namespace cotree
