// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system_equations/equation_system.h"

namespace cotree {

/// The variable by which conditions of loops may give way, 0 but near positions in which they depend on each
/// other (mechanics/close_loops.cc); UINT32_MAX: there is none.
inline uint32_t GiveVariable(const EquationSystem& system) {
  if (!system.in_space) return UINT32_MAX;
  const Part& main = system.parts[system.graph->components.size()];  // the equations of motion
  const ScalarElement& scalar = system.scalars[main.scalar];
  return scalar.owned > scalar.continuous ? main.first_variable + scalar.owned - 1 : UINT32_MAX;
}

}  // namespace cotree
