// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "drawing/layout.h"
#include "drawing/picture.h"

namespace cotree {

/** The small signs before an edge's label: what the component does with energy. */
enum class Glyph : uint8_t { kStores, kDissipates, kDrives, kCouples, kMeasures };
std::vector<Glyph> GlyphsOf(uint8_t kinds);
/// The sign, 12 pixels wide, beginning at `at` and centred on its height.
std::string SvgGlyph(Glyph glyph, Point at, const std::string& colour);

struct Legend {
  std::string svg;
  double width = 0;  // from its left end
  double bottom = 0;
};
/// The colours, signs and lines that the picture uses, in rows of at most `width` (where one entry is not
/// wider).
Legend WriteLegend(const Picture& picture, Point at, double width);

}  // namespace cotree
