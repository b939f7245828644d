// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cairo.h>

namespace cotree {

// Every function of Cairo that is used.
#define COTREE_CAIRO_FUNCTIONS(X) \
  X(cairo_arc)                    \
  X(cairo_clip)                   \
  X(cairo_create)                 \
  X(cairo_destroy)                \
  X(cairo_fill)                   \
  X(cairo_image_surface_create)   \
  X(cairo_line_to)                \
  X(cairo_move_to)                \
  X(cairo_new_path)               \
  X(cairo_new_sub_path)           \
  X(cairo_rectangle)              \
  X(cairo_restore)                \
  X(cairo_rotate)                 \
  X(cairo_save)                   \
  X(cairo_scale)                  \
  X(cairo_select_font_face)       \
  X(cairo_set_dash)               \
  X(cairo_set_font_size)          \
  X(cairo_set_line_join)          \
  X(cairo_set_line_width)         \
  X(cairo_set_source_rgb)         \
  X(cairo_show_text)              \
  X(cairo_stroke)                 \
  X(cairo_surface_destroy)        \
  X(cairo_surface_write_to_png)   \
  X(cairo_text_extents)           \
  X(cairo_translate)

/** Cairo, loaded when it is first needed, so that only who wants a PNG waits for it and its fonts. */
struct CairoLibrary {
#define COTREE_MEMBER(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  COTREE_CAIRO_FUNCTIONS(COTREE_MEMBER)
#undef COTREE_MEMBER
  bool loaded = false;
};

/// Only if it is loaded may anything of it be called.
const CairoLibrary& Cairo();

}  // namespace cotree
