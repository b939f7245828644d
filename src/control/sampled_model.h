// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulation/linearize.h"

namespace cotree {

/** The linear model of a system with sampled components at its samples,

    x[k+1] = A x[k] + B u[k],   y[k] = C x[k] + D u[k],   t[k+1] = t[k] + period.

x are the continuous states and those discrete variables that carry something over a sample, both just before
the tick at t[k]; inputs are held from t[k] to t[k+1]; outputs are read just behind the tick. Between ticks
x' = A x + E d + B u is solved exactly (van Loan's exponential of the matrix with E and B beside A); a tick is
the derivative of what `when sample(...)` does: what it assigns, all of one round together, then `reinit`.
Several clocks: the period is their least common multiple.

Constant are, as in a continuous model, conditions and delays, variables that are no Real numbers, and
generators of noise: those that nothing drives and that use floor or mod. */
struct SampledModel {
  std::optional<LinearModel> model;
  std::string problem;            // for people, where there is none though something sampled acts
  std::vector<std::string> held;  // components that sample slower than the loop: what they give is constant
  std::vector<uint32_t> stuck;    // slots that ticks set to what depends on nothing: a limit holds there
};

/** Where a loop is cut: the last input and the last output, by number.

A loop has the rate of what samples where it is cut: of the fastest clock that sets what the output is, or,
where none does, that reads the input. The input is held over that period, not over the common one, which
would put another hold into the loop; slower components (the outer controllers of a cascade) are taken as
constant, and faster ones must fit into it a whole number of times. */
struct LoopCut {
  size_t input, output;
};

/// At the point of the last `run.Run(time)`. No model and no problem: nothing sampled acts on states and
/// outputs, and the continuous model says all.
SampledModel LinearizeSampled(ProgramRun& run, const Program& program,
                              const std::vector<VariableRef>& outputs, double time,
                              const std::optional<LoopCut>& cut = std::nullopt);

}  // namespace cotree
