// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plot/axis_scale.h"
#include "plot/canvas.h"

namespace cotree {

/** The lines of a series in pixels, one for each run without a gap.

Where x never falls, a column of one pixel keeps four points, the first, the lowest, the highest and the last:
what is painted covers the same pixels, and a million points become some thousands. Elsewhere (loci) points
nearer than a tenth of a pixel to the one before are left out. */
std::vector<std::vector<PlotPoint>> TraceSeries(const Series& series, const AxisScale& x, const AxisScale& y,
                                                const PlotBox& box);

/// A place inside the box; far outside places are brought near, so that no canvas meets huge numbers.
PlotPoint PlaceOf(double x_value, double y_value, const AxisScale& x, const AxisScale& y, const PlotBox& box);

}  // namespace cotree
