// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/archive.h"

namespace cotree {

/** The past of a signal, for delay(u, T): points along each step of the integrator, read by interpolation
with cubics that never reach across a jump. Older points than T are forgotten.

Theory: docs/theory/events.md, EV.9. */
class DelayLine {
 public:
  double delay = 0;  // T

  /// The value at the beginning, and that of all times before.
  void Begin(double time, double value, double before);
  /// A point behind all others; or, at the time of the last, the value behind a jump or kink there.
  void Add(double time, double value);
  void Break(double time, double value);
  /// The last point, if it is of this time, is a corner: the value goes on there, but not its slope.
  void Corner(double time);
  /// The value at `time`; at the time of a jump that behind it where `inside` (a time of the segment that is
  /// computed, less T) is behind it.
  double At(double time, double inside) const;
  double last_value() const { return values_.back(); }
  double before() const { return before_; }
  /// Forgets what is not needed from `time` on.
  void Forget(double time);
  void Exchange(Archive& archive);

 private:
  double start_ = 0, before_ = 0;  // the value of all times before the start
  std::vector<double> times_, values_;
  std::vector<size_t> breaks_;   // points that begin a smooth part; the first is 0
  std::vector<size_t> corners_;  // points within such parts at which one polynomial ends and another begins
};

}  // namespace cotree
