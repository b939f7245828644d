// SPDX-License-Identifier: Apache-2.0
#include "drawing/svg_legend.h"

#include <algorithm>

namespace cotree {
namespace {

const char* TextOf(Glyph glyph) {
  switch (glyph) {
    case Glyph::kPlates:
      return "stores, as a capacitor";
    case Glyph::kBlock:
      return "stores, as a mass";
    case Glyph::kCoil:
      return "stores, as a coil or spring";
    case Glyph::kDissipates:
      return "dissipates";
    case Glyph::kDrives:
      return "drives";
    case Glyph::kCouples:
      return "couples";
    case Glyph::kMeasures:
      return "measures";
  }
  return "";
}

}  // namespace

void LegendWriter::AddLine(const std::string& text, const std::string& attributes) {
  Add(text, kSample, [&](Point at) {
    return "<path d=\"M" + Pair(at) + "h" + Number(kSample) + "\" fill=\"none\" " + attributes + "/>";
  });
}

void LegendWriter::NewRow() {
  if (x_ == left_) return;
  x_ = left_;
  y_ += kRow;
}

Legend LegendWriter::Finish() {
  legend_.bottom = y_ + (x_ > left_ ? kRow / 2 : -kRow / 2);
  legend_.svg = "<g class=\"legend\">" + legend_.svg + "</g>\n";
  return std::move(legend_);
}

std::string StrokeInTree(TreeRole role, const std::string& colour) {
  const char* const rest = role == TreeRole::kBranch         ? "3.6\""
                           : role == TreeRole::kChord        ? "1.2\""
                           : role == TreeRole::kCircuitsOnly ? "3.6\" stroke-dasharray=\"9 4\""
                                                             : "3.6\" stroke-dasharray=\"3 3\"";
  return "stroke=\"" + colour + "\" stroke-width=\"" + rest;
}

const char* NameInTree(TreeRole role) {
  switch (role) {
    case TreeRole::kBranch:
      return "branch";
    case TreeRole::kCircuitsOnly:
      return "branch-for-circuits";
    case TreeRole::kCutSetsOnly:
      return "branch-for-cut-sets";
    default:
      return "chord";
  }
}

std::string StrokeInSpace(EdgeStyle style, const std::string& colour) {
  const auto stroke = [](const std::string& of, const char* rest) {
    return "stroke=\"" + of + "\" stroke-width=\"" + rest;
  };
  switch (style) {
    case EdgeStyle::kBranch:
      return stroke(colour, "3.2\"");
    case EdgeStyle::kChord:
      return stroke(colour, "1.7\" stroke-dasharray=\"7 4\"");
    case EdgeStyle::kLeftOut:
      return stroke(kLeftOutColour, "1.7\"");
    default:
      return stroke(colour, "1\"");
  }
}

const char* NameInSpace(EdgeStyle style) {
  switch (style) {
    case EdgeStyle::kBranch:
      return "branch";
    case EdgeStyle::kChord:
      return "chord";
    case EdgeStyle::kLeftOut:
      return "left-out";
    default:
      return "force";
  }
}

std::string SvgDiamond(Point tip, Point direction) {
  const Point d = direction, n{-d.y, d.x};
  const Point middle{tip.x - 4 * d.x, tip.y - 4 * d.y};
  return "<path d=\"M" + Pair(tip) + "L" + Pair({middle.x + 3 * n.x, middle.y + 3 * n.y}) + " " +
         Pair({tip.x - 8 * d.x, tip.y - 8 * d.y}) + " " + Pair({middle.x - 3 * n.x, middle.y - 3 * n.y}) +
         "z\" fill=\"#ffffff\" stroke=\"" + kAssociationColour + "\" stroke-width=\"1.2\"/>";
}

std::string SvgGlyph(Glyph glyph, Point at, const std::string& colour) {
  const std::string move = "M" + Pair(at);
  const auto stroked = [&](const std::string& path) {
    return "<path d=\"" + move + path + "\" fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.3\"/>";
  };
  switch (glyph) {
    case Glyph::kPlates:  // of a capacitor
      return stroked("h4.5m0-5v10m3 0v-10m0 5h4.5");
    case Glyph::kBlock:  // a mass
      return stroked("h2m0-4h8v8h-8zm8 4h2");
    case Glyph::kCoil:  // three windings
      return stroked("a2 2.4 0 0 1 4 0a2 2.4 0 0 1 4 0a2 2.4 0 0 1 4 0");
    case Glyph::kDissipates:  // a zigzag
      return stroked("l1.5-4 3 8 3-8 3 8 1.5-4");
    case Glyph::kDrives:  // a source: a ring with its centre
      return stroked("m1 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0m3.4 0a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0-3.2 0");
    case Glyph::kCouples:  // two links of a chain
      return stroked("a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0m5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0");
    case Glyph::kMeasures:  // a dial
      return stroked("m1 3.5a5.2 5.2 0 1 1 10 0zm5-0.5l2.5-4.5");
  }
  return {};
}

Legend WriteLegend(const Picture& picture, Point at, double width) {
  LegendWriter legend(at, width);
  for (const PictureDomain& domain : picture.domains)
    legend.AddLine(domain.name, "stroke=\"" + domain.colour + "\" stroke-width=\"1.7\"");
  constexpr std::pair<TreeRole, const char*> kInTree[] = {
      {TreeRole::kBranch, "branch of the normal tree"},
      {TreeRole::kChord, "chord"},
      {TreeRole::kCircuitsOnly, "branch for circuits only"},
      {TreeRole::kCutSetsOnly, "branch for cut-sets only"}};
  for (const auto& [role, text] : kInTree) {
    if (std::find(picture.tree.begin(), picture.tree.end(), role) != picture.tree.end())
      legend.AddLine(text, StrokeInTree(role, LegendWriter::kGrey));
  }
  if (std::find(picture.dependent.begin(), picture.dependent.end(), true) != picture.dependent.end())
    legend.Add("storage without a state of its own", 24, [&](Point p) {
      return "<rect x=\"" + Number(p.x) + "\" y=\"" + Number(p.y - 6) +
             "\" width=\"24\" height=\"12\" rx=\"3\" stroke=\"" + LegendWriter::kGrey + "\" " +
             kDependentOutline + "/>";
    });
  const auto has = [&](PictureLink::Kind kind) {
    return std::any_of(picture.links.begin(), picture.links.end(),
                       [&](const PictureLink& link) { return link.kind == kind; });
  };
  if (has(PictureLink::Kind::kSignal))
    legend.AddLine("signal", std::string("stroke=\"") + kSignalColour +
                                 "\" stroke-width=\"1.3\" stroke-dasharray=\"5 3\"");
  if (has(PictureLink::Kind::kTie)) legend.AddLine("edges of one component", kTieStroke);
  if (has(PictureLink::Kind::kAssociation))
    legend.Add("association: follows a variable", 30, [&](Point p) {
      return "<path d=\"M" + Pair(p) + "h22\" fill=\"none\" " + kAssociationStroke + "/>" +
             SvgDiamond({p.x + 30, p.y}, {1, 0});
    });
  constexpr std::pair<EdgeStyle, const char*> kInSpace[] = {{EdgeStyle::kBranch, "joint with coordinates"},
                                                            {EdgeStyle::kChord, "joint that closes a loop"},
                                                            {EdgeStyle::kLeftOut, "joint left out"},
                                                            {EdgeStyle::kForce, "exerts forces"}};
  const auto& styles = picture.edge_styles;
  if (std::count(styles.begin(), styles.end(), EdgeStyle::kLinear) < std::ssize(styles)) legend.NewRow();
  for (const auto& [style, text] : kInSpace) {
    if (std::find(styles.begin(), styles.end(), style) != styles.end())
      legend.AddLine(text, StrokeInSpace(style, picture.domains.back().colour));
  }
  legend.NewRow();
  bool used[7] = {};
  for (const auto& glyphs : picture.edge_glyphs) {
    for (const Glyph glyph : glyphs) used[static_cast<size_t>(glyph)] = true;
  }
  for (const Glyph glyph : {Glyph::kDrives, Glyph::kPlates, Glyph::kBlock, Glyph::kCoil, Glyph::kDissipates,
                            Glyph::kCouples, Glyph::kMeasures}) {
    if (!used[static_cast<size_t>(glyph)]) continue;
    legend.Add(TextOf(glyph), 12, [&](Point p) { return SvgGlyph(glyph, p, LegendWriter::kGrey); });
  }
  return legend.Finish();
}

}  // namespace cotree
