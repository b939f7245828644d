// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "pipeline/translate.h"
#include "results/result.h"
#include "simulation/simulate.h"

namespace cotree {

/** What a run gave, as a result: names, units, steps of discrete variables, switching times as events, what
the experiment wants drawn (or else the states), and who computed it from what. */
Result ResultOfRun(const LoadedModel& loaded, const Translation& translation,
                   const SimulationOptions& options, const Trajectory& trajectory,
                   const std::vector<std::string>& settings);

/// The name under which a variable, as a user writes it, stands in the result; empty if it is not there.
std::string ColumnOf(const LoadedModel& loaded, const Translation& translation, const std::string& name);

}  // namespace cotree
