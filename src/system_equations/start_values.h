// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "system_equations/equation_system.h"

namespace cotree {

/** A start value of the system: a proposal, or (fixed) a demand.
Theory: docs/theory/system_equations.md, SE.5. */
struct StartEntry {
  VariableRef variable;
  double value = 0;
  bool fixed = false;
  bool prefer = false;  // declared `prefer`: wanted as a state
  bool given = true;    // false: only `prefer` was said, no value
};

/// All start values: those of classes first, then those of the composites around (which count more), then
/// those of `experiment` (which count most). One entry a variable and order.
std::vector<StartEntry> FindStarts(const EquationSystem& system,
                                   const std::vector<StartValue>* experiment = nullptr);

}  // namespace cotree
