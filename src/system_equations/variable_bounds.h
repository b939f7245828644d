// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.h"
#include "model/check_bounds.h"
#include "system_equations/equation_system.h"
#include "system_equations/start_values.h"

namespace cotree {

/// Between what a variable must lie: by its declaration, by its quantity, and, for the across variable of an
/// edge to the reference, by its domain. A difference of two places in a domain has no bounds.
NumberBounds BoundsOf(const EquationSystem& system, VariableRef ref);

/// COT2120 for each start value that was given and lies outside. True: there is none.
bool CheckStarts(const EquationSystem& system, const std::vector<StartEntry>& starts,
                 Diagnostics& diagnostics);

}  // namespace cotree
