// SPDX-License-Identifier: Apache-2.0
#include "plot/cairo_canvas.h"

#include <cmath>
#include <cstdlib>

#include "plot/cairo_library.h"

namespace cotree {

struct CairoCanvas::State {
  cairo_surface_t* surface;
  cairo_t* context;

  void Colour(const std::string& text) const {
    const unsigned long rgb = std::strtoul(text.c_str() + 1, nullptr, 16);
    const auto part = [&](int shift) { return static_cast<double>((rgb >> shift) & 0xFF) / 255; };
    Cairo().cairo_set_source_rgb(context, part(16), part(8), part(0));
  }
  void Apply(const Stroke& stroke) const {
    Colour(stroke.colour);
    Cairo().cairo_set_line_width(context, stroke.width);
    Cairo().cairo_set_dash(context, stroke.dash.data(), static_cast<int>(stroke.dash.size()), 0);
    Cairo().cairo_stroke(context);
  }
};

bool CairoCanvas::Available() {
  return Cairo().loaded;
}

CairoCanvas::CairoCanvas(double width, double height, double scale) : state_(std::make_unique<State>()) {
  state_->surface =
      Cairo().cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::lround(width * scale)),
                                         static_cast<int>(std::lround(height * scale)));
  state_->context = Cairo().cairo_create(state_->surface);
  Cairo().cairo_scale(state_->context, scale, scale);
  Cairo().cairo_set_line_join(state_->context, CAIRO_LINE_JOIN_ROUND);
}

CairoCanvas::~CairoCanvas() {
  Cairo().cairo_destroy(state_->context);
  Cairo().cairo_surface_destroy(state_->surface);
}

void CairoCanvas::Line(std::span<const PlotPoint> points, const Stroke& stroke) {
  if (points.size() < 2) return;
  for (const PlotPoint& p : points) Cairo().cairo_line_to(state_->context, p.x, p.y);
  state_->Apply(stroke);
}

void CairoCanvas::Circle(PlotPoint centre, double radius, const Stroke& stroke) {
  Cairo().cairo_new_sub_path(state_->context);
  Cairo().cairo_arc(state_->context, centre.x, centre.y, radius, 0, 2 * M_PI);
  state_->Apply(stroke);
}

void CairoCanvas::Fill(const PlotBox& box, const std::string& colour) {
  state_->Colour(colour);
  Cairo().cairo_rectangle(state_->context, box.left, box.top, box.width(), box.height());
  Cairo().cairo_fill(state_->context);
}

void CairoCanvas::Text(PlotPoint at, std::string_view text, const TextStyle& style) {
  cairo_t* context = state_->context;
  const std::string copy = ValidUtf8(text);
  Cairo().cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                                 style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  Cairo().cairo_set_font_size(context, style.size);
  cairo_text_extents_t extents;
  Cairo().cairo_text_extents(context, copy.c_str(), &extents);
  const double before = style.anchor == TextStyle::Anchor::kStart    ? 0
                        : style.anchor == TextStyle::Anchor::kMiddle ? extents.x_advance / 2
                                                                     : extents.x_advance;
  state_->Colour(style.colour);
  Cairo().cairo_save(context);
  Cairo().cairo_translate(context, at.x, at.y);
  if (style.upwards) Cairo().cairo_rotate(context, -M_PI / 2);
  Cairo().cairo_move_to(context, -before, 0);
  Cairo().cairo_show_text(context, copy.c_str());
  Cairo().cairo_restore(context);
  Cairo().cairo_new_path(context);
}

void CairoCanvas::BeginClip(const PlotBox& box) {
  Cairo().cairo_save(state_->context);
  Cairo().cairo_rectangle(state_->context, box.left, box.top, box.width(), box.height());
  Cairo().cairo_clip(state_->context);
}

void CairoCanvas::EndClip() {
  Cairo().cairo_restore(state_->context);
}

bool CairoCanvas::WritePng(const std::string& path) const {
  return Cairo().cairo_surface_write_to_png(state_->surface, path.c_str()) == CAIRO_STATUS_SUCCESS;
}

}  // namespace cotree
