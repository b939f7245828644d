// SPDX-License-Identifier: Apache-2.0
#include "plot/cairo_canvas.h"

#include <cairo.h>

#include <cmath>
#include <cstdlib>

namespace cotree {

struct CairoCanvas::State {
  cairo_surface_t* surface;
  cairo_t* context;

  void Colour(const std::string& text) const {
    const unsigned long rgb = std::strtoul(text.c_str() + 1, nullptr, 16);
    const auto part = [&](int shift) { return static_cast<double>((rgb >> shift) & 0xFF) / 255; };
    cairo_set_source_rgb(context, part(16), part(8), part(0));
  }
  void Apply(const Stroke& stroke) const {
    Colour(stroke.colour);
    cairo_set_line_width(context, stroke.width);
    cairo_set_dash(context, stroke.dash.data(), static_cast<int>(stroke.dash.size()), 0);
    cairo_stroke(context);
  }
};

CairoCanvas::CairoCanvas(double width, double height, double scale) : state_(std::make_unique<State>()) {
  state_->surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::lround(width * scale)),
                                 static_cast<int>(std::lround(height * scale)));
  state_->context = cairo_create(state_->surface);
  cairo_scale(state_->context, scale, scale);
  cairo_set_line_join(state_->context, CAIRO_LINE_JOIN_ROUND);
}

CairoCanvas::~CairoCanvas() {
  cairo_destroy(state_->context);
  cairo_surface_destroy(state_->surface);
}

void CairoCanvas::Line(std::span<const PlotPoint> points, const Stroke& stroke) {
  if (points.size() < 2) return;
  for (const PlotPoint& p : points) cairo_line_to(state_->context, p.x, p.y);
  state_->Apply(stroke);
}

void CairoCanvas::Circle(PlotPoint centre, double radius, const Stroke& stroke) {
  cairo_new_sub_path(state_->context);
  cairo_arc(state_->context, centre.x, centre.y, radius, 0, 2 * M_PI);
  state_->Apply(stroke);
}

void CairoCanvas::Fill(const PlotBox& box, const std::string& colour) {
  state_->Colour(colour);
  cairo_rectangle(state_->context, box.left, box.top, box.width(), box.height());
  cairo_fill(state_->context);
}

void CairoCanvas::Text(PlotPoint at, std::string_view text, const TextStyle& style) {
  cairo_t* context = state_->context;
  const std::string copy = ValidUtf8(text);
  cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, style.size);
  cairo_text_extents_t extents;
  cairo_text_extents(context, copy.c_str(), &extents);
  const double before = style.anchor == TextStyle::Anchor::kStart    ? 0
                        : style.anchor == TextStyle::Anchor::kMiddle ? extents.x_advance / 2
                                                                     : extents.x_advance;
  state_->Colour(style.colour);
  cairo_save(context);
  cairo_translate(context, at.x, at.y);
  if (style.upwards) cairo_rotate(context, -M_PI / 2);
  cairo_move_to(context, -before, 0);
  cairo_show_text(context, copy.c_str());
  cairo_restore(context);
  cairo_new_path(context);
}

void CairoCanvas::BeginClip(const PlotBox& box) {
  cairo_save(state_->context);
  cairo_rectangle(state_->context, box.left, box.top, box.width(), box.height());
  cairo_clip(state_->context);
}

void CairoCanvas::EndClip() {
  cairo_restore(state_->context);
}

bool CairoCanvas::WritePng(const std::string& path) const {
  return cairo_surface_write_to_png(state_->surface, path.c_str()) == CAIRO_STATUS_SUCCESS;
}

}  // namespace cotree
