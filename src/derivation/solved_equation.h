// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "block_triangular/sorted_system.h"

namespace cotree {

/** An equation of the sorted system solved for its unknown, in the names of the system: the right side of
`unknown = ...`, as the program computes it. None where it cannot be solved. */
std::optional<ExprId> SolvedRight(const SortedSystem& sorted, uint32_t sorted_equation);
std::optional<std::string> SolvedText(const SortedSystem& sorted, uint32_t sorted_equation);

/// An expression of a part's class in the names of the system.
ExprId InSystemNames(const SortedSystem& sorted, const Part& part, ExprId expr);

}  // namespace cotree
