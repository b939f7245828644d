// SPDX-License-Identifier: Apache-2.0
#include "plot/trace.h"

#include <algorithm>
#include <cmath>

namespace cotree {
namespace {

constexpr double kFar = 4000;  // pixels beyond the box

std::vector<PlotPoint> ThinByColumns(const std::vector<PlotPoint>& points) {
  std::vector<PlotPoint> kept;
  size_t first = 0;
  const auto end_column = [&](size_t end) {
    size_t low = first, high = first;
    for (size_t k = first; k < end; ++k) {
      if (points[k].y < points[low].y) low = k;
      if (points[k].y > points[high].y) high = k;
    }
    size_t keep[] = {first, std::min(low, high), std::max(low, high), end - 1};
    size_t last = SIZE_MAX;
    for (const size_t k : keep) {
      if (k != last) kept.push_back(points[k]);
      last = k;
    }
  };
  for (size_t k = 1; k < points.size(); ++k) {
    if (std::floor(points[k].x) == std::floor(points[first].x)) continue;
    end_column(k);
    first = k;
  }
  end_column(points.size());
  return kept;
}

std::vector<PlotPoint> ThinByDistance(const std::vector<PlotPoint>& points) {
  std::vector<PlotPoint> kept{points.front()};
  for (size_t k = 1; k < points.size(); ++k) {
    const bool near =
        std::fabs(points[k].x - kept.back().x) < 0.1 && std::fabs(points[k].y - kept.back().y) < 0.1;
    if (!near || k + 1 == points.size()) kept.push_back(points[k]);
  }
  return kept;
}

}  // namespace

PlotPoint PlaceOf(double x_value, double y_value, const AxisScale& x, const AxisScale& y,
                  const PlotBox& box) {
  return {std::clamp(box.left + x.Place(x_value) * box.width(), box.left - kFar, box.right + kFar),
          std::clamp(box.bottom - y.Place(y_value) * box.height(), box.top - kFar, box.bottom + kFar)};
}

std::vector<std::vector<PlotPoint>> TraceSeries(const Series& series, const AxisScale& x, const AxisScale& y,
                                                const PlotBox& box) {
  std::vector<std::vector<PlotPoint>> lines;
  std::vector<PlotPoint> line;
  bool rising = true;
  const auto end_line = [&] {
    if (!line.empty()) {
      const bool many = static_cast<double>(line.size()) > 4 * box.width();
      lines.push_back(!rising ? ThinByDistance(line) : many ? ThinByColumns(line) : line);
    }
    line.clear();
    rising = true;
  };
  for (size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
    if (!std::isfinite(x.Place(series.x[k])) || !std::isfinite(y.Place(series.y[k]))) {
      end_line();
      continue;
    }
    const PlotPoint p = PlaceOf(series.x[k], series.y[k], x, y, box);
    if (!line.empty() && p.x < line.back().x) rising = false;
    if (series.steps && !line.empty() && p.y != line.back().y) line.push_back({p.x, line.back().y});
    line.push_back(p);
  }
  end_line();
  return lines;
}

}  // namespace cotree
