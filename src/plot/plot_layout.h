// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plot/axis_scale.h"
#include "plot/canvas.h"

namespace cotree {

/** How a series looks: from Okabe and Ito's palette, whose colours people with any colour vision tell apart,
and a dash that tells them apart in print. */
struct SeriesStyle {
  std::string colour;
  std::vector<double> dash;
  double width;
};

struct LegendEntry {
  size_t series;
  std::string text;  // shortened where there is no room
  PlotPoint at;      // where its sample begins, on the middle line of the text
};

struct PaneLayout {
  PlotBox box;  // the frame of the axes
  AxisScale x, y;
  std::string x_label, y_label, title;  // as shown, with units; may be empty
  bool x_numbers = true;                // under the axis
  std::vector<SeriesStyle> styles;      // by series
  std::vector<LegendEntry> legend;
};

struct PlotLayout {
  double width = 0, height = 0;
  std::vector<std::string> title;  // its lines
  double title_middle = 0;         // x
  std::vector<PaneLayout> panes;
};

constexpr double kNumberSize = 11, kLabelSize = 12, kTitleSize = 14, kTitleLine = 18;
constexpr double kSampleLength = 24, kSampleGap = 6;

/// Places for everything. No text overlaps another one or a pane, and none leaves the figure, as far as fonts
/// keep to base/text_metric.h.
PlotLayout FindPlotLayout(const Figure& figure);

}  // namespace cotree
