// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "system_equations/equation_system.h"

namespace cotree {

/// The SI unit of a variable as people write it ("V", "rad/s"); empty where it has none or it was inferred.
std::string UnitOf(const EquationSystem& system, VariableRef ref);
/// Whether it may be given in degC: it is declared to be a Temperature, or only its dimension is known.
bool MayBeInCelsius(const EquationSystem& system, VariableRef ref);

}  // namespace cotree
