// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "block_triangular/sorted_system.h"

namespace cotree {

/** An equation of the sorted system solved for its unknown, in the names of the system: the right side of
`unknown = ...`, as the program computes it. None where it cannot be solved. */
std::optional<ExprId> SolvedRight(const SortedSystem& sorted, uint32_t sorted_equation);
std::optional<std::string> SolvedText(const SortedSystem& sorted, uint32_t sorted_equation);

/// The symbol of a variable's name in the system: `der(c.v)` is c.v differentiated once, not a letter of that
/// name.
ExprId SymbolOfName(ExprPool& pool, std::string_view name);

/// An expression of a part's class in the names of the system.
ExprId InSystemNames(const SortedSystem& sorted, const Part& part, ExprId expr);

}  // namespace cotree
