// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <vector>

#include "control/channel.h"

namespace cotree {

struct StepResponse {
  std::vector<double> times, values;
};
/// Of a step of 1 at 0, exact at its points; until it has settled, or (unstable) has grown a thousandfold.
/// Derivatives of the step are left out: impulses at 0. Of a sampled channel, its samples: 20 or more, 20000
/// at most.
StepResponse FindStepResponse(const Channel& channel, size_t points = 1000);

/** The solutions of 1 + k L = 0 over the gain. Each branch is one pole as it moves. */
struct RootLocus {
  std::vector<double> gains;
  std::vector<std::vector<std::complex<double>>> branches;  // by pole, then by gain
};
/// From 0 to `most`, steps small enough that poles are not mistaken for each other.
RootLocus FindRootLocus(const Channel& loop, double most = 1000);

}  // namespace cotree
