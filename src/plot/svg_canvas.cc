// SPDX-License-Identifier: Apache-2.0
#include "plot/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/xml_text.h"

namespace cotree {
namespace {

// Two digits at most, whatever the locale.
void AppendNumber(double value, std::string* out) {
  const long long hundredths = std::llround(std::clamp(value, -1e9, 1e9) * 100);
  const long long size = std::llabs(hundredths);
  if (hundredths < 0) *out += '-';
  fmt::format_to(std::back_inserter(*out), "{}", size / 100);
  if (size % 100 == 0) return;
  if (size % 10 == 0)
    fmt::format_to(std::back_inserter(*out), ".{}", size % 100 / 10);
  else
    fmt::format_to(std::back_inserter(*out), ".{:02}", size % 100);
}

std::string Number(double value) {
  std::string out;
  AppendNumber(value, &out);
  return out;
}

std::string StrokeText(const Stroke& stroke) {
  std::string out =
      fmt::format(" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"", stroke.colour, Number(stroke.width));
  for (size_t k = 0; k < stroke.dash.size(); ++k)
    out += (k == 0 ? " stroke-dasharray=\"" : " ") + Number(stroke.dash[k]);
  return stroke.dash.empty() ? out : out + "\"";
}

}  // namespace

SvgCanvas::SvgCanvas(double width, double height, std::string_view title) {
  const std::string w = Number(width), h = Number(height);
  text_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\" "
      "stroke-linejoin=\"round\">\n<title>{2}</title>\n",
      w, h, Escaped(ValidUtf8(title)));
}

void SvgCanvas::Line(std::span<const PlotPoint> points, const Stroke& stroke) {
  if (points.size() < 2) return;
  text_ += "<path d=\"M";
  for (size_t k = 0; k < points.size(); ++k) {
    if (k > 0) text_ += ' ';
    AppendNumber(points[k].x, &text_);
    text_ += ',';
    AppendNumber(points[k].y, &text_);
  }
  text_ += "\"" + StrokeText(stroke) + "/>\n";
}

void SvgCanvas::Circle(PlotPoint centre, double radius, const Stroke& stroke) {
  text_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", Number(centre.x), Number(centre.y),
                       Number(radius), StrokeText(stroke));
}

void SvgCanvas::Fill(const PlotBox& box, const std::string& colour) {
  text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", Number(box.left),
                       Number(box.top), Number(box.width()), Number(box.height()), colour);
}

void SvgCanvas::Text(PlotPoint at, std::string_view text, const TextStyle& style) {
  static const char* const kAnchors[] = {"start", "middle", "end"};
  const std::string x = Number(at.x), y = Number(at.y);
  text_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}{}>{}</text>\n", x, y,
      Number(style.size), kAnchors[static_cast<int>(style.anchor)], style.colour,
      style.bold ? " font-weight=\"bold\"" : "",
      style.upwards ? fmt::format(" transform=\"rotate(-90 {} {})\"", x, y) : "", Escaped(ValidUtf8(text)));
}

void SvgCanvas::BeginClip(const PlotBox& box) {
  ++clips_;
  text_ += fmt::format(
      "<clipPath id=\"pane{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n<g "
      "clip-path=\"url(#pane{})\">\n",
      clips_, Number(box.left), Number(box.top), Number(box.width()), Number(box.height()), clips_);
}

void SvgCanvas::EndClip() {
  text_ += "</g>\n";
}

void SvgCanvas::BeginGroup(std::string_view kind, std::string_view tooltip) {
  text_ += fmt::format("<g class=\"{}\">", kind);
  if (!tooltip.empty()) text_ += "<title>" + Escaped(ValidUtf8(tooltip)) + "</title>";
  text_ += "\n";
}

void SvgCanvas::EndGroup() {
  text_ += "</g>\n";
}

}  // namespace cotree
