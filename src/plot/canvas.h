// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cotree {

/** Pixels, x to the right, y down. */
struct PlotPoint {
  double x = 0, y = 0;
};
struct PlotBox {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

struct Stroke {
  std::string colour = "#000000";  // "#rrggbb"
  double width = 1;
  std::vector<double> dash{};  // pixels on, off, ...
};

struct TextStyle {
  enum class Anchor { kStart, kMiddle, kEnd };
  double size = 12;
  Anchor anchor = Anchor::kStart;
  std::string colour = "#222222";
  bool bold = false;
  bool upwards = false;  // turned by 90 degrees, read from below
};

/// The text with ? for every byte that is no UTF-8; Cairo and XML bear no other.
std::string ValidUtf8(std::string_view text);

/** What a figure is painted on: SVG (svg_canvas.h) or pixels (cairo_canvas.h). */
class Canvas {
 public:
  Canvas() = default;
  virtual ~Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  virtual void Line(std::span<const PlotPoint> points, const Stroke& stroke) = 0;
  virtual void Circle(PlotPoint centre, double radius, const Stroke& stroke) = 0;
  virtual void Fill(const PlotBox& box, const std::string& colour) = 0;
  /// The base line begins, has its middle or ends at `at`.
  virtual void Text(PlotPoint at, std::string_view text, const TextStyle& style) = 0;
  /// Until EndClip nothing is painted outside of the box.
  virtual void BeginClip(const PlotBox& box) = 0;
  virtual void EndClip() = 0;
  /// What belongs together, with a tooltip; only SVG knows it.
  virtual void BeginGroup(std::string_view /*kind*/, std::string_view /*tooltip*/) {}
  virtual void EndGroup() {}
};

}  // namespace cotree
