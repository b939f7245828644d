// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plot/canvas.h"

namespace cotree {

/** SVG: texts stay texts, coordinates have two digits. For programs: <g class="series"> and <g class="mark">
 * with <title>. */
class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height, std::string_view title);
  void Line(std::span<const PlotPoint> points, const Stroke& stroke) override;
  void Circle(PlotPoint centre, double radius, const Stroke& stroke) override;
  void Fill(const PlotBox& box, const std::string& colour) override;
  void Text(PlotPoint at, std::string_view text, const TextStyle& style) override;
  void BeginClip(const PlotBox& box) override;
  void EndClip() override;
  void BeginGroup(std::string_view kind, std::string_view tooltip) override;
  void EndGroup() override;
  /// The whole file.
  std::string Finish() const { return text_ + "</svg>\n"; }

 private:
  std::string text_;
  int clips_ = 0;
};

}  // namespace cotree
