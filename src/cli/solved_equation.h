// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "block_triangular/sorted_system.h"

namespace cotree {

/** An equation of the sorted system solved for its unknown, in the names of the system: the right side of
`unknown = ...`, as the program computes it. None where it cannot be solved. */
std::optional<std::string> SolvedText(const SortedSystem& sorted, uint32_t sorted_equation);

/// Whether an equation changes with time by itself: time or a discrete variable occurs in it.
bool DependsOnTime(const SortedSystem& sorted, uint32_t sorted_equation);

/// Whether every equation is linear in all variables, with coefficients of parameters only.
bool IsLinear(const SortedSystem& sorted);

}  // namespace cotree
