// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.h"
#include "cli/prepare_run.h"
#include "mechanics/poses.h"

namespace cotree {

/** A run of a system with what moves in space: times and the poses of its composites. */
struct SpatialMotion {
  PreparedRun prepared;
  Trajectory trajectory;
  std::vector<std::vector<SpatialPose>> poses;  // by row, by composite
  int exit = kExitOk;
};

/// Runs the system as `simulate` would; what fails is said on stderr. `between`: with rows where what the
/// experiment plots has extremes.
SpatialMotion RunInSpace(const SimulateOptions& options, bool between, const Console& console);

}  // namespace cotree
