// SPDX-License-Identifier: Apache-2.0
#include "plot/draw_figure.h"

#include <algorithm>
#include <cmath>

#include "base/text_metric.h"
#include "plot/cairo_canvas.h"
#include "plot/plot_layout.h"
#include "plot/svg_canvas.h"
#include "plot/trace.h"

namespace cotree {
namespace {

constexpr const char *kFrame = "#555555", *kGrid = "#E4E4E4", *kFineGrid = "#F1F1F1", *kEvent = "#8A8A8A",
                     *kSpan = "#B02A37";
constexpr double kTick = 4, kMarkerRadius = 4;
using Anchor = TextStyle::Anchor;

void Straight(Canvas& canvas, PlotPoint a, PlotPoint b, const Stroke& stroke) {
  const PlotPoint points[] = {a, b};
  canvas.Line(points, stroke);
}

void PaintGrid(Canvas& canvas, const PaneLayout& pane) {
  const PlotBox& box = pane.box;
  const auto vertical = [&](double value, const char* colour) {
    const double x = box.left + pane.x.Place(value) * box.width();
    Straight(canvas, {x, box.top}, {x, box.bottom}, {colour, 0.8});
  };
  const auto horizontal = [&](double value, const char* colour) {
    const double y = box.bottom - pane.y.Place(value) * box.height();
    Straight(canvas, {box.left, y}, {box.right, y}, {colour, 0.8});
  };
  for (const double value : pane.x.minor) vertical(value, kFineGrid);
  for (const double value : pane.y.minor) horizontal(value, kFineGrid);
  for (const Tick& tick : pane.x.ticks) vertical(tick.value, kGrid);
  for (const Tick& tick : pane.y.ticks) horizontal(tick.value, kGrid);
}

void PaintMarks(Canvas& canvas, const Pane& pane, const PaneLayout& layout) {
  const PlotBox& box = layout.box;
  double last = -1e9;
  for (const Mark& mark : pane.marks) {
    const double place = layout.x.Place(mark.x);
    const double x = box.left + place * box.width();
    // One tick a pixel says all there is to see.
    if (!(place >= 0 && place <= 1) || x - last < 1) continue;
    last = x;
    canvas.BeginGroup("mark", mark.text);
    Straight(canvas, {x, box.bottom}, {x, box.bottom - 7}, {kEvent, 0.9});
    Straight(canvas, {x, box.top}, {x, box.top + 7}, {kEvent, 0.9});
    canvas.EndGroup();
  }
}

// A line with an end at each level, and its words at the side where there is room, on white.
void PaintSpans(Canvas& canvas, const Pane& pane, const PaneLayout& layout) {
  const PlotBox& box = layout.box;
  for (const UprightSpan& span : pane.spans) {
    const double x = box.left + layout.x.Place(span.x) * box.width();
    double low = box.bottom - layout.y.Place(span.low) * box.height(),
           high = box.bottom - layout.y.Place(span.high) * box.height();
    if (!(x >= box.left && x <= box.right) || !std::isfinite(low) || !std::isfinite(high)) continue;
    low = std::clamp(low, box.top, box.bottom);
    high = std::clamp(high, box.top, box.bottom);
    const Stroke stroke{kSpan, 1.6};
    canvas.BeginGroup("span", span.text);
    Straight(canvas, {x, low}, {x, high}, stroke);
    for (const double y : {low, high}) Straight(canvas, {x - 4, y}, {x + 4, y}, stroke);
    const double width = TextWidth(span.text, kNumberSize), gap = 8, height = kNumberSize + 5;
    const double y = std::clamp((low + high) / 2, box.top + height, box.bottom - height);
    const bool right = x + gap + width + 4 <= box.right;
    const double from = right ? x + gap : std::max(x - gap - width, box.left + 2);
    canvas.Fill({from - 2, y - height / 2, from + width + 2, y + height / 2}, "#ffffff");
    canvas.Text({from, y + kNumberSize * 0.36}, span.text, {kNumberSize, Anchor::kStart, kSpan});
    canvas.EndGroup();
  }
}

void PaintMarker(Canvas& canvas, PlotPoint p, Marker marker, const std::string& colour) {
  const Stroke stroke{colour, 1.5};
  const double r = kMarkerRadius;
  if (marker == Marker::kCircle) canvas.Circle(p, r, stroke);
  if (marker != Marker::kCross) return;
  Straight(canvas, {p.x - r, p.y - r}, {p.x + r, p.y + r}, stroke);
  Straight(canvas, {p.x - r, p.y + r}, {p.x + r, p.y - r}, stroke);
}

void PaintSeries(Canvas& canvas, const Pane& pane, const PaneLayout& layout) {
  canvas.BeginClip(layout.box);
  for (const double level : pane.levels) {
    const double y = layout.box.bottom - layout.y.Place(level) * layout.box.height();
    if (std::isfinite(y)) Straight(canvas, {layout.box.left, y}, {layout.box.right, y}, {"#777777", 0.9});
  }
  for (size_t k = 0; k < pane.series.size(); ++k) {
    const Series& series = pane.series[k];
    const SeriesStyle& style = layout.styles[k];
    canvas.BeginGroup("series", series.name);
    if (series.line) {
      for (const auto& line : TraceSeries(series, layout.x, layout.y, layout.box))
        canvas.Line(line, {style.colour, style.width, style.dash});
    }
    for (size_t i = 0; series.marker != Marker::kNone && i < series.x.size(); ++i) {
      if (!std::isfinite(layout.x.Place(series.x[i])) || !std::isfinite(layout.y.Place(series.y[i])))
        continue;
      const PlotPoint p = PlaceOf(series.x[i], series.y[i], layout.x, layout.y, layout.box);
      PaintMarker(canvas, p, series.marker, style.colour);
    }
    canvas.EndGroup();
  }
  canvas.EndClip();
}

void PaintAxes(Canvas& canvas, const PaneLayout& pane) {
  const PlotBox& box = pane.box;
  const PlotPoint corners[] = {{box.left, box.top},
                               {box.right, box.top},
                               {box.right, box.bottom},
                               {box.left, box.bottom},
                               {box.left, box.top}};
  canvas.Line(corners, {kFrame, 1});
  for (const Tick& tick : pane.y.ticks) {
    const double y = box.bottom - pane.y.Place(tick.value) * box.height();
    Straight(canvas, {box.left - kTick, y}, {box.left, y}, {kFrame, 1});
    canvas.Text({box.left - kTick - 3, y + kNumberSize * 0.36}, tick.label, {kNumberSize, Anchor::kEnd});
  }
  for (const Tick& tick : pane.x.ticks) {
    const double x = box.left + pane.x.Place(tick.value) * box.width();
    Straight(canvas, {x, box.bottom}, {x, box.bottom + kTick}, {kFrame, 1});
    if (pane.x_numbers)
      canvas.Text({x, box.bottom + kTick + kNumberSize + 2}, tick.label, {kNumberSize, Anchor::kMiddle});
  }
  const double middle = (box.left + box.right) / 2;
  if (!pane.x_label.empty())
    canvas.Text({middle, box.bottom + kTick + kNumberSize + kLabelSize + 9}, pane.x_label,
                {kLabelSize, Anchor::kMiddle});
  if (pane.y_label.empty()) return;
  TextStyle upwards{kLabelSize, Anchor::kMiddle};
  upwards.upwards = true;
  canvas.Text({10 + kLabelSize, (box.top + box.bottom) / 2}, pane.y_label, upwards);
}

void PaintLegend(Canvas& canvas, const Pane& pane, const PaneLayout& layout) {
  for (const LegendEntry& entry : layout.legend) {
    const Series& series = pane.series[entry.series];
    const SeriesStyle& style = layout.styles[entry.series];
    const PlotPoint end{entry.at.x + kSampleLength, entry.at.y};
    if (series.line) Straight(canvas, entry.at, end, {style.colour, style.width + 0.2, style.dash});
    PaintMarker(canvas, {(entry.at.x + end.x) / 2, end.y}, series.marker, style.colour);
    canvas.Text({end.x + kSampleGap, end.y + kNumberSize * 0.36}, entry.text, {kNumberSize});
  }
}

void Paint(const Figure& figure, const PlotLayout& layout, Canvas& canvas) {
  canvas.Fill({0, 0, layout.width, layout.height}, "#ffffff");
  for (size_t k = 0; k < layout.title.size() && !layout.panes.empty(); ++k)
    canvas.Text({layout.title_middle, 10 + kTitleSize + kTitleLine * static_cast<double>(k)}, layout.title[k],
                {kTitleSize, Anchor::kMiddle, "#222222", true});
  for (size_t k = 0; k < layout.panes.size(); ++k) {
    const PaneLayout& pane = layout.panes[k];
    double above = pane.box.top - 8;
    for (const LegendEntry& entry : pane.legend) above = std::min(above, entry.at.y - 12);
    if (!pane.title.empty())
      canvas.Text({pane.box.left, above}, pane.title, {kLabelSize, Anchor::kStart, "#222222", true});
    PaintGrid(canvas, pane);
    PaintSeries(canvas, figure.panes[k], pane);
    PaintMarks(canvas, figure.panes[k], pane);
    PaintSpans(canvas, figure.panes[k], pane);
    PaintAxes(canvas, pane);
    PaintLegend(canvas, figure.panes[k], pane);
  }
}

}  // namespace

std::string DrawSvg(const Figure& figure) {
  const PlotLayout layout = FindPlotLayout(figure);
  SvgCanvas canvas(layout.width, layout.height, figure.title);
  Paint(figure, layout, canvas);
  return canvas.Finish();
}

bool WritePng(const Figure& figure, const std::string& path, double scale, std::string* problem) {
  const auto fail = [&](const std::string& what) {
    if (problem != nullptr) *problem = what;
    return false;
  };
  if (!CairoCanvas::Available())
    return fail(
        "the library Cairo (libcairo.so.2) is not installed: apt-get install libcairo2, or draw a .svg");
  const PlotLayout layout = FindPlotLayout(figure);
  CairoCanvas canvas(layout.width, layout.height, scale);
  Paint(figure, layout, canvas);
  return canvas.WritePng(path) || fail("cannot write `" + path + "`");
}

}  // namespace cotree
