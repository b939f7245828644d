// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

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

struct SweepPlan {
  size_t first = 0, count = 0;  // points
  unsigned threads = 1;
  /// Called in the thread of the worker; never null.
  std::function<std::unique_ptr<SweepWorker>()> make_worker;
  /// Takes the rows in the order of the points, one at a time, as soon as their turn comes; false stops.
  std::function<bool(size_t point, const SweepRow& row)> take;
  /// Told, one call at a time, how many runs are finished; false stops.
  std::function<bool(size_t finished)> progress;
};

/// False if it was stopped: what was taken until then has no gap.
bool RunPoints(const SweepPlan& plan);

}  // namespace cotree
