// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/fibers.h"
#include "sweep/sweep_file.h"

namespace cotree {

/** Runs points of a sweep one after another. Belongs to one thread, with all that it holds: models are not
shared, since expressions may be added to them at any time. */
class SweepWorker {
 public:
  virtual ~SweepWorker() = default;
  /// Nothing if the run was interrupted.
  virtual std::optional<SweepRow> Run(size_t point) = 0;
};

/** Workers of one thread whose runs are computed together. */
class SweepLanes {
 public:
  virtual ~SweepLanes() = default;
  virtual std::vector<std::unique_ptr<SweepWorker>>& workers() = 0;
  /// When all of them wait.
  virtual void Together() = 0;
};

struct SweepPlan {
  size_t first = 0, count = 0;  // points
  unsigned threads = 1;
  /// Called in the thread of the worker; never null.
  std::function<std::unique_ptr<SweepWorker>()> make_worker;
  /// Instead of a worker alone: several, on fibers of a thread.
  std::function<std::unique_ptr<SweepLanes>(Fibers& fibers)> make_lanes;
  /// Takes the rows in the order of the points, one at a time, as soon as their turn comes; false stops.
  std::function<bool(size_t point, const SweepRow& row)> take;
  /// Told, one call at a time, how many runs are finished; false stops.
  std::function<bool(size_t finished)> progress;
};

/// False if it was stopped: what was taken until then has no gap.
bool RunPoints(const SweepPlan& plan);

}  // namespace cotree
