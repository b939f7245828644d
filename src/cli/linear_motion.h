// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "control/sampled_model.h"
#include "pipeline/translate.h"
#include "simulation/linearize.h"

namespace cotree {

/// What drives a free input in the whole system: the name of the variable behind an input, or the output that
/// was cut itself; empty if nothing does.
std::string DriverOfInput(const Translation& translation, const std::string& input);

/** The linear model of a system with free inputs around the motion of the whole system, in which nothing is
cut: at its start, or after a run to `options.at`. The free inputs have the values of what drives them. None,
with a message and the exit code, where that cannot be computed. `cut`: a loop, of which the model has the
rate. */
std::optional<LinearModel> LinearizeOnMotion(const LinearizeOptions& options, const Translation& open,
                                             const std::vector<std::string>& outputs,
                                             const std::optional<LoopCut>& cut, const Console& console,
                                             int* exit);

}  // namespace cotree
