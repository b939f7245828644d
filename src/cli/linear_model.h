// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/console.h"
#include "control/sampled_model.h"
#include "pipeline/translate.h"
#include "simulation/linearize.h"

namespace cotree {

constexpr size_t kMostStates = 5000;  // matrices are full

/** The linear model at the start of a run. */
struct LinearStart {
  LinearModel model;
  std::vector<double> states;  // their values there
  std::vector<double> values;  // of all variables, by slot
  double switch_time = 0;
};

/// None, with a message and the exit code, where an output is unknown or the start cannot be computed.
/// `continuous`: sampled variables are constant.
std::optional<LinearStart> LinearizeAtStart(const Translation& translation,
                                            const std::vector<std::string>& outputs, bool continuous,
                                            const ComponentOptions& foreign_code, int* exit);

/// At the point of a run; where something sampled acts and not `continuous`, the model at its samples, at the
/// rate of the loop if one is cut. Its notes say what holds its output there. None, with a message and the
/// exit code, where there is no model.
std::optional<LinearModel> LinearizeAtPoint(ProgramRun& run, const Translation& translation,
                                            const std::vector<VariableRef>& outputs, double time,
                                            bool continuous, const std::optional<LoopCut>& cut, int* exit);

/// Matrices with names at their rows and columns.
std::string MatricesText(const LinearModel& model, const Console& console);
/// states, inputs, outputs, A, B, C, D and those of the inputs' derivatives; `dt` of a sampled model.
Json MatricesJson(const LinearModel& model);

}  // namespace cotree
