// SPDX-License-Identifier: Apache-2.0
#include "drawing/write_svg.h"

#include <algorithm>
#include <cmath>

#include "base/text_metric.h"
#include "drawing/curve.h"
#include "drawing/svg_legend.h"
#include "drawing/svg_text.h"

namespace cotree {
namespace {

constexpr double kMargin = 16;
constexpr double kInputSize = 9;

double LineWidth(uint8_t kinds) {
  if ((kinds & kDrives) != 0) return 3.2;
  return kinds == 0 ? 1 : 1.7;
}

Box BoxAround(Point centre, double width, double height) {
  return {centre.x - width / 2, centre.y - height / 2, centre.x + width / 2, centre.y + height / 2};
}

class SvgWriter {
 public:
  SvgWriter(const Picture& picture, const Layout& layout) : picture_(picture), layout_(layout) {}

  std::string Write() {
    Prepare();
    Frames();
    for (uint32_t i = 0; i < picture_.links.size(); ++i) {
      if (picture_.links[i].kind == PictureLink::Kind::kTie) Tie(i);
      if (picture_.links[i].kind == PictureLink::Kind::kAssociation) Association(i);
    }
    for (uint32_t i = 0; i < picture_.links.size(); ++i) {
      if (picture_.links[i].kind == PictureLink::Kind::kSignal) Connection(i);
    }
    Edges();
    for (uint32_t i = 0; i < picture_.nodes.size(); ++i) {
      const PictureNode::Kind kind = picture_.nodes[i].kind;
      if (kind == PictureNode::Kind::kVertex) Vertex(i);
      if (kind == PictureNode::Kind::kReference) Reference(i);
      if (kind == PictureNode::Kind::kSignalBox) SignalBox(i);
      if (kind == PictureNode::Kind::kBody) Body(i);
    }
    FrameNames();
    return Finish();
  }

 private:
  // What is where, before anything is written: obstacles for the names of inputs.
  void Prepare() {
    lines_ = layout_.lines;
    for (size_t i = 0; i < lines_.size(); ++i) {
      const PictureLink& link = picture_.links[i];
      if (picture_.nodes[link.tail].kind == PictureNode::Kind::kReference)
        ExtendCurve(&lines_[i], layout_.centres[link.tail], kReferenceRadius, true);
      if (picture_.nodes[link.head].kind == PictureNode::Kind::kReference)
        ExtendCurve(&lines_[i], layout_.centres[link.head], kReferenceRadius, false);
      samples_.push_back(SampleCurve(lines_[i]));
      for (const Point& p : lines_[i]) Include({p.x, p.y, p.x, p.y});
    }
    for (size_t i = 0; i < picture_.nodes.size(); ++i) {
      const PictureNode& node = picture_.nodes[i];
      obstacles_.push_back(BoxAround(layout_.centres[i], node.width, node.height));
      Include(obstacles_.back());
    }
    for (size_t d = 0; d < layout_.frames.size(); ++d) {
      const Box& f = layout_.frames[d];
      Include(f);
      const double width = TextWidth(picture_.domains[d].name, kTitleSize, true);
      obstacles_.push_back({f.left + 10, f.top + 4, f.left + 10 + width, f.top + 22});
    }
  }

  void Include(const Box& box) {
    if (empty_) bounds_ = box;
    empty_ = false;
    bounds_ = {std::min(bounds_.left, box.left), std::min(bounds_.top, box.top),
               std::max(bounds_.right, box.right), std::max(bounds_.bottom, box.bottom)};
  }

  void Frames() {
    for (size_t d = 0; d < layout_.frames.size(); ++d) {
      const Box& f = layout_.frames[d];
      const PictureDomain& domain = picture_.domains[d];
      out_ += "<g class=\"domain\" data-domain=\"" + Escaped(domain.name) + "\"><rect x=\"" + Number(f.left) +
              "\" y=\"" + Number(f.top) + "\" width=\"" + Number(f.right - f.left) + "\" height=\"" +
              Number(f.bottom - f.top) + "\" rx=\"12\" fill=\"" + domain.colour +
              "\" fill-opacity=\"0.05\" stroke=\"" + domain.colour + "\" stroke-opacity=\"0.35\"/></g>\n";
    }
  }

  // Above all lines, each with a white rim, so that a line that must pass there does not hide it.
  void FrameNames() {
    out_ += "<g paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"3\">";
    for (size_t d = 0; d < layout_.frames.size(); ++d) {
      const Box& f = layout_.frames[d];
      const PictureDomain& domain = picture_.domains[d];
      out_ += SvgText({f.left + 10, f.top + 17}, domain.name, kTitleSize, "start", domain.colour, true);
    }
    out_ += "</g>\n";
  }

  std::string Path(uint32_t link) const {
    const std::vector<Point>& p = lines_[link];
    std::string d = "M" + Pair(p[0]);
    for (size_t i = 1; i < p.size(); ++i) d += (i % 3 == 1 ? "C" : " ") + Pair(p[i]);
    return d;
  }

  static std::string Arrow(const PointOnCurve& tip, double length, double width) {
    const Point d = tip.direction, n{-d.y, d.x};
    const Point back{tip.at.x - d.x * length, tip.at.y - d.y * length};
    return "M" + Pair(tip.at) + "L" + Pair({back.x + n.x * width / 2, back.y + n.y * width / 2}) + " " +
           Pair({back.x - n.x * width / 2, back.y - n.y * width / 2}) + "z";
  }

  void Tie(uint32_t i) {
    const PictureLink& link = picture_.links[i];
    out_ += "<g class=\"tie\"><title>" + Escaped(link.tooltip) + "</title><path d=\"" + Path(i) +
            "\" fill=\"none\" " + kTieStroke + "/></g>\n";
  }

  void Association(uint32_t i) {
    const PointOnCurve end = samples_[i].back();
    out_ += "<g class=\"association\"><title>" + Escaped(picture_.links[i].tooltip) + "</title><path d=\"" +
            Path(i) + "\" fill=\"none\" " + kAssociationStroke + "/>" + SvgDiamond(end.at, end.direction) +
            "</g>\n";
  }

  void Connection(uint32_t i) {
    const PictureLink& link = picture_.links[i];
    const size_t arrow = link.tooltip.find(" -> ");
    const PointOnCurve tip = samples_[i].back();
    out_ += "<g class=\"connection\" data-from=\"" + Escaped(link.tooltip.substr(0, arrow)) +
            "\" data-to=\"" + Escaped(link.tooltip.substr(arrow + 4)) + "\"><title>" + Escaped(link.tooltip) +
            "</title><path d=\"" + Path(i) + "\" fill=\"none\" stroke=\"" + kSignalColour +
            "\" stroke-width=\"1.3\" stroke-dasharray=\"5 3\"/><path d=\"" + Arrow(tip, 8, 6) + "\" fill=\"" +
            kSignalColour + "\"/>" + InputLabel(i) + "</g>\n";
  }

  bool CrossesALine(const Box& box) const {
    const auto inside = [&](Point p) {
      return p.x > box.left && p.x < box.right && p.y > box.top && p.y < box.bottom;
    };
    for (const auto& samples : samples_) {
      for (size_t k = 0; k < samples.size(); ++k) {
        if (inside(samples[k].at)) return true;
        if (k == 0) continue;
        // Long pieces are looked at every 3 pixels.
        const Point a = samples[k - 1].at, b = samples[k].at;
        const double steps = std::ceil(std::hypot(b.x - a.x, b.y - a.y) / 3);
        for (double s = 1; s < steps; ++s) {
          if (inside({a.x + (b.x - a.x) * s / steps, a.y + (b.y - a.y) * s / steps})) return true;
        }
      }
    }
    for (const Box& f : layout_.frames) {
      const bool within =
          box.left > f.left && box.right < f.right && box.top > f.top && box.bottom < f.bottom;
      if (box.Overlaps(f) && !within) return true;
    }
    return false;
  }

  // The input's name beside its arrow, as near to the tip as there is room; none where there is not.
  std::string InputLabel(uint32_t i) {
    const std::string& text = picture_.links[i].text;
    const double width = TextWidth(text, kInputSize), height = kInputSize * (kTextAscent + kTextDescent);
    const double length = LengthOf(samples_[i]);
    for (const double gap : {5.0, 3.0, 8.0}) {
      for (double back = 8; back <= std::min(length - 4, 70.0); back += 3) {
        const PointOnCurve place = PlaceAlong(samples_[i], length - back);
        for (const double side : {1.0, -1.0}) {
          const Point n{-place.direction.y * side, place.direction.x * side};
          const double reach = gap + std::abs(n.x) * width / 2 + std::abs(n.y) * height / 2;
          const Point centre{place.at.x + n.x * reach, place.at.y + n.y * reach};
          const Box box = BoxAround(centre, width, height), wide = BoxAround(centre, width + 6, height);
          const bool taken = std::any_of(obstacles_.begin(), obstacles_.end(),
                                         [&](const Box& other) { return wide.Overlaps(other); });
          if (taken || CrossesALine(box)) continue;
          obstacles_.push_back(box);
          Include(box);
          return SvgText({centre.x, box.top + kTextAscent * kInputSize}, text, kInputSize, "middle",
                         kSignalColour);
        }
      }
    }
    return {};
  }

  void Edges() {
    std::vector<std::pair<uint32_t, uint32_t>> halves(picture_.edge_names.size());
    for (uint32_t i = 0; i < picture_.links.size(); ++i) {
      const PictureLink& link = picture_.links[i];
      if (link.kind == PictureLink::Kind::kFromHalf) halves[link.edge].first = i;
      if (link.kind == PictureLink::Kind::kToHalf) halves[link.edge].second = i;
    }
    for (uint32_t e = 0; e < halves.size(); ++e) {
      const auto [from, to] = halves[e];
      const uint32_t label = picture_.links[from].head;
      const PictureNode& node = picture_.nodes[label];
      const std::string& colour = picture_.domains[node.domain].colour;
      const uint8_t kinds = picture_.edge_kinds[e];
      const EdgeStyle style = picture_.edge_styles[e];
      // Where the normal tree is shown, its branches are the bold ones.
      const bool in_tree = e < picture_.tree.size();
      const std::string stroke =
          style != EdgeStyle::kLinear ? StrokeInSpace(style, colour)
          : in_tree                   ? StrokeInTree(picture_.tree[e], colour)
                    : "stroke=\"" + colour + "\" stroke-width=\"" + Number(LineWidth(kinds)) + "\"";
      const double size = (kinds & kDrives) != 0 || style == EdgeStyle::kBranch ? 11 : 8.5;
      // The arrow stands on the second half, near the label, where lines are apart.
      const PointOnCurve tip =
          PlaceAlong(samples_[to], std::min(LengthOf(samples_[to]) / 2 + size / 2, 30.0));
      const std::string component = "data-component=\"" + Escaped(picture_.edge_components[e]) + "\"";
      out_ += style == EdgeStyle::kLinear
                  ? "<g class=\"edge\" data-edge=\"" + std::to_string(e) + "\" " + component +
                        " data-name=\"" + Escaped(picture_.edge_names[e]) + "\" data-kinds=\"" +
                        KindsText(kinds) + "\"" +
                        (in_tree ? std::string(" data-tree=\"") + NameInTree(picture_.tree[e]) + "\"" : "") +
                        (in_tree && picture_.dependent[e] ? " data-storage=\"dependent\">" : ">")
                  : "<g class=\"" + std::string(NameInSpace(style)) + "\" " + component + ">";
      out_ += "<title>" + Escaped(node.tooltip) + "</title><path d=\"" + Path(from) + Path(to) +
              "\" fill=\"none\" " + stroke + "/><path d=\"" + Arrow(tip, size, size * 0.85) + "\" fill=\"" +
              (style == EdgeStyle::kLeftOut ? kLeftOutColour : colour) + "\"/>";
      const Point centre = layout_.centres[label];
      double x = centre.x - node.width / 2 + 3;
      if (in_tree && picture_.dependent[e])
        out_ += "<rect x=\"" + Number(centre.x - node.width / 2 - 1) + "\" y=\"" +
                Number(centre.y - node.height / 2) + "\" width=\"" + Number(node.width + 2) + "\" height=\"" +
                Number(node.height) + "\" rx=\"4\" stroke=\"" + colour + "\" " + kDependentOutline + "/>";
      for (const Glyph glyph : picture_.edge_glyphs[e]) {
        out_ += SvgGlyph(glyph, {x, centre.y}, colour);
        x += kGlyphWidth;
      }
      out_ += SvgText({x, centre.y + kLabelSize * 0.36}, node.text, kLabelSize) + "</g>\n";
    }
  }

  std::string NodeBegin(const PictureNode& node, const std::string& attributes) const {
    return "<g " + attributes + "><title>" + Escaped(node.tooltip) + "</title>";
  }

  void Vertex(uint32_t i) {
    const PictureNode& node = picture_.nodes[i];
    const Point c = layout_.centres[i];
    out_ += NodeBegin(node, "class=\"vertex\" data-vertex=\"" + std::to_string(node.id) + "\"") +
            "<rect x=\"" + Number(c.x - node.width / 2) + "\" y=\"" + Number(c.y - node.height / 2) +
            "\" width=\"" + Number(node.width) + "\" height=\"" + Number(node.height) + "\" rx=\"" +
            Number(node.height / 2) + "\" fill=\"#ffffff\" stroke=\"" + picture_.domains[node.domain].colour +
            "\" stroke-width=\"1.5\"/>" +
            SvgText({c.x, c.y + kVertexSize * 0.36}, node.text, kVertexSize, "middle") + "</g>\n";
  }

  // A filled dot, the sign for ground hanging from it, its name behind that.
  void Reference(uint32_t i) {
    const PictureNode& node = picture_.nodes[i];
    const Point c = layout_.centres[i];
    const std::string& colour = picture_.domains[node.domain].colour;
    const bool sideways = picture_.sideways;
    const Point name =
        sideways ? Point{c.x + 20, c.y + kLabelSize * 0.36} : Point{c.x, c.y + 18 + kLabelSize * kTextAscent};
    out_ += NodeBegin(node, "class=\"vertex reference\" data-vertex=\"" + std::to_string(node.id) + "\"") +
            "<circle cx=\"" + Number(c.x) + "\" cy=\"" + Number(c.y) + "\" r=\"" + Number(kReferenceRadius) +
            "\" fill=\"" + colour + "\"/><path d=\"M" + Pair(c) +
            (sideways ? "h10m0-9v18m3-15v12m3-9v6" : "v9m-9 0h18m-15 3h12m-9 3h6") +
            "\" fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.6\"/>" +
            Lines(name, node.text, sideways ? "start" : "middle") + "</g>\n";
  }

  // One below the other, the first at this place.
  static std::string Lines(Point at, const std::string& text, const char* anchor) {
    std::string out;
    for (const std::string& line : LinesOf(text)) {
      out += SvgText(at, line, kLabelSize, anchor);
      at.y += kLineHeight;
    }
    return out;
  }

  // What is rigidly joined, in a box.
  void Body(uint32_t i) {
    const PictureNode& node = picture_.nodes[i];
    const Point c = layout_.centres[i];
    const double first = c.y - node.height / 2 + 5 + kLineHeight / 2 + kLabelSize * 0.36;
    out_ += NodeBegin(node, "class=\"body\"") + "<rect x=\"" + Number(c.x - node.width / 2) + "\" y=\"" +
            Number(c.y - node.height / 2) + "\" width=\"" + Number(node.width) + "\" height=\"" +
            Number(node.height) + "\" rx=\"4\" fill=\"#ffffff\" stroke=\"" +
            picture_.domains[node.domain].colour + "\" stroke-width=\"1.5\"/>" +
            Lines({c.x, first}, node.text, "middle") + "</g>\n";
  }

  void SignalBox(uint32_t i) {
    const PictureNode& node = picture_.nodes[i];
    const Point c = layout_.centres[i];
    out_ += NodeBegin(node, "class=\"signal\" data-component=\"" + Escaped(node.text) + "\"") + "<rect x=\"" +
            Number(c.x - node.width / 2) + "\" y=\"" + Number(c.y - node.height / 2) + "\" width=\"" +
            Number(node.width) + "\" height=\"" + Number(node.height) +
            "\" rx=\"7\" fill=\"#fdf3f9\" stroke=\"" + kSignalColour + "\" stroke-width=\"1.3\"/>" +
            SvgText({c.x, c.y + kLabelSize * 0.36}, node.text, kLabelSize, "middle") + "</g>\n";
  }

  // Heading above, legend below, and all of it moved to begin at 0, 0 by the view box.
  std::string Finish() {
    const std::string heading = Shortened(picture_.title, kTitleLength);
    const double heading_width = TextWidth(heading, kTitleSize, true);
    double width = std::max({bounds_.right - bounds_.left, heading_width, 360.0});
    const Legend legend = WriteLegend(picture_, {bounds_.left, bounds_.bottom + 18}, width);
    width = std::max(width, legend.width);
    const double left = bounds_.left - kMargin, top = bounds_.top - kMargin - 24;
    const double right = bounds_.left + width + kMargin, bottom = legend.bottom + kMargin;
    return SvgPage({left, top, right, bottom}, picture_.title,
                   SvgText({bounds_.left, bounds_.top - 14}, heading, kTitleSize, "start", "#222222", true) +
                       "\n" + out_ + legend.svg);
  }

  const Picture& picture_;
  const Layout& layout_;
  std::string out_;
  std::vector<std::vector<Point>> lines_;           // by link, up to the dots
  std::vector<std::vector<PointOnCurve>> samples_;  // by link
  std::vector<Box> obstacles_;
  Box bounds_;
  bool empty_ = true;
};

}  // namespace

std::string WriteSvg(const Picture& picture, const Layout& layout) {
  return SvgWriter(picture, layout).Write();
}

}  // namespace cotree
