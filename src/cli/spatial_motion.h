// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.h"
#include "cli/prepare_run.h"
#include "mechanics/poses.h"

namespace cotree {

/** What a run recorded of the coordinates of a mechanism: the readings of the main part of its motion. */
class MechanismReadings {
 public:
  MechanismReadings(const Translation& translation, const Trajectory& trajectory);
  /// A reading, differentiated so often; 0 where it was not recorded.
  double At(uint32_t reading, uint32_t order, size_t row) const;

 private:
  const Translation& t_;
  const Trajectory& run_;
  std::vector<uint32_t> column_;  // by slot
};

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
