// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/text_metric.h"
#include "drawing/layout.h"
#include "drawing/picture.h"
#include "drawing/svg_text.h"

namespace cotree {

/// The end of an association: an open diamond whose tip is there.
std::string SvgDiamond(Point tip, Point direction);
/// The sign, 12 pixels wide, beginning at `at` and centred on its height.
std::string SvgGlyph(Glyph glyph, Point at, const std::string& colour);

/// How joints and forces are drawn: the attributes of the line, and the class of its group.
std::string StrokeInSpace(EdgeStyle style, const std::string& colour);
const char* NameInSpace(EdgeStyle style);
constexpr const char* kLeftOutColour = "#aaaaaa";
/// The lines that tie edges of one component, and those of `associate`.
constexpr const char* kTieStroke =
    "stroke=\"#777777\" stroke-width=\"1.1\" stroke-linecap=\"round\" stroke-dasharray=\"0.1 3.5\"";
constexpr const char* kAssociationColour = "#444444";
constexpr const char* kAssociationStroke =
    "stroke=\"#444444\" stroke-width=\"1.2\" stroke-dasharray=\"9 3 2 3\"";
/// How wide the lines of the normal tree are, and how they are dashed.
std::string StrokeInTree(TreeRole role, const std::string& colour);
/// "branch", "chord", "branch-for-circuits", "branch-for-cut-sets".
const char* NameInTree(TreeRole role);
/// The outline around the label of storage without a state of its own.
constexpr const char* kDependentOutline = "stroke-width=\"1.2\" stroke-dasharray=\"3 2\" fill=\"none\"";

struct Legend {
  std::string svg;
  double width = 0;  // from its left end
  double bottom = 0;
};

/** Entries one after the other, a sample and a text each, in a new row where there is no more room. */
class LegendWriter {
 public:
  LegendWriter(Point at, double width) : left_(at.x), width_(width), x_(at.x), y_(at.y + kRow / 2) {}

  /// `draw` gets the place of the sample: its left end, at half its height.
  template <class DrawSample>
  void Add(const std::string& text, double sample, const DrawSample& draw) {
    const double width = sample + 5 + TextWidth(text, kSize);
    if (x_ > left_ && x_ + width > left_ + width_) NewRow();
    legend_.svg +=
        draw(Point{x_, y_}) + SvgText({x_ + sample + 5, y_ + kSize * 0.36}, text, kSize, "start", kGrey);
    legend_.width = std::max(legend_.width, x_ + width - left_);
    x_ += width + kGap;
  }
  void AddLine(const std::string& text, const std::string& attributes);
  void NewRow();
  Legend Finish();

  static constexpr const char* kGrey = "#555555";

 private:
  static constexpr double kSize = 10;    // of the text
  static constexpr double kRow = 18;     // from row to row
  static constexpr double kSample = 24;  // of a sample of a line
  static constexpr double kGap = 18;     // between two entries
  double left_, width_, x_, y_;
  Legend legend_;
};

/// The colours, signs and lines that the picture uses, in rows of at most `width` (where one entry is not
/// wider).
Legend WriteLegend(const Picture& picture, Point at, double width);

}  // namespace cotree
