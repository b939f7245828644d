// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plot/figure.h"

namespace cotree {

struct Tick {
  double value;  // of the data
  std::string label;
};

/** An axis with its range, ticks and unit. Ticks are multiples of 1, 2 or 5 times a power of ten (of 15, 30,
45, 90 for degrees); on logarithmic axes decades, and 2 and 5 within them where there are few. */
struct AxisScale {
  bool log = false;
  double low = 0, high = 1;  // low < high
  std::string unit;          // as shown, with its prefix
  std::vector<Tick> ticks;
  std::vector<double> minor;  // logarithmic axes: lines without a number

  /// 0 at `low`, 1 at `high`; not finite where there is no such place.
  double Place(double value) const;
};

/** What values an axis must cover. */
struct DataRange {
  double low = 0, high = 0;
  bool empty = true;
  void Add(double value, bool log);
};

/** The scale for an axis of so many pixels. `room`: the part of the range that is added at each end of the
data. `spacing`: pixels from tick to tick, at least. A range that is nothing but rounding error is shown as
constant. */
AxisScale FindScale(const Axis& axis, const DataRange& data, double pixels, double spacing, double room);

/// The same with the range given: nothing is added.
AxisScale ScaleOver(const Axis& axis, double low, double high, double pixels, double spacing);

}  // namespace cotree
