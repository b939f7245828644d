// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "plot/canvas.h"

namespace cotree {

/** Pixels, through Cairo; `scale` pixels of the picture a pixel of the figure. */
class CairoCanvas : public Canvas {
 public:
  /// Whether Cairo is there; otherwise there can be no such canvas.
  static bool Available();
  CairoCanvas(double width, double height, double scale);
  ~CairoCanvas() override;
  void Line(std::span<const PlotPoint> points, const Stroke& stroke) override;
  void Circle(PlotPoint centre, double radius, const Stroke& stroke) override;
  void Fill(const PlotBox& box, const std::string& colour) override;
  void Text(PlotPoint at, std::string_view text, const TextStyle& style) override;
  void BeginClip(const PlotBox& box) override;
  void EndClip() override;
  bool WritePng(const std::string& path) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cotree
