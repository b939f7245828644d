// SPDX-License-Identifier: Apache-2.0
#include "drawing/write_dot.h"

#include <cmath>
#include <numeric>

#include "base/text_metric.h"

namespace cotree {
namespace {

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string HtmlEscaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

// Inches with four digits, whatever the locale.
std::string Inches(double pixels) {
  const auto ten_thousandths = std::lround(pixels / 72 * 10000);
  std::string fraction = std::to_string(ten_thousandths % 10000);
  return std::to_string(ten_thousandths / 10000) + "." + std::string(4 - fraction.size(), '0') + fraction;
}

std::string NodeLine(const PictureNode& node, const std::string& colour, uint8_t kinds, bool texts) {
  std::string out = DotName(node) + " [label=" + Quoted(texts ? node.text : "") +
                    " width=" + Inches(node.width) + " height=" + Inches(node.height);
  if (texts) out += " tooltip=" + Quoted(node.tooltip);
  switch (node.kind) {
    case PictureNode::Kind::kVertex:
      out += " style=\"rounded,filled\" fillcolor=white fontsize=9 color=" + Quoted(colour);
      break;
    case PictureNode::Kind::kReference:
      out += " style=\"rounded,filled\" fontcolor=white fillcolor=" + Quoted(colour) +
             " color=" + Quoted(colour);
      break;
    case PictureNode::Kind::kEdgeLabel:
      out +=
          std::string(" shape=plaintext") + ((kinds & kDrives) != 0 ? " fontname=\"DejaVu Sans Bold\"" : "");
      break;
    case PictureNode::Kind::kSignalBox:
      out += std::string(" style=\"rounded\" color=\"") + kSignalColour + "\"";
      break;
    case PictureNode::Kind::kBody:
      out += " style=\"rounded,filled\" fillcolor=white color=" + Quoted(colour);
      break;
  }
  return out + "];\n";
}

const char* LineStyle(const Picture& picture, uint32_t edge) {
  switch (picture.edge_styles[edge]) {
    case EdgeStyle::kLinear:
      return (picture.edge_kinds[edge] & kDrives) != 0 ? " penwidth=3" : " penwidth=1.6";
    case EdgeStyle::kBranch:
      return " penwidth=3";
    case EdgeStyle::kChord:
      return " penwidth=1.6 style=dashed";
    case EdgeStyle::kLeftOut:
      return " penwidth=1.6 color=\"#aaaaaa\"";
    case EdgeStyle::kForce:
      return " penwidth=1";
  }
  return "";
}

// A cell of fixed size keeps room for the name; without texts, an empty line of the same height.
std::string DomainLabel(const PictureDomain& domain, bool texts) {
  if (!texts) return "\"\\n\" fontsize=15;\n";
  const auto width = static_cast<int>(TextWidth(domain.name, kTitleSize, true)) + 8;
  return "<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\"><TR><TD "
         "FIXEDSIZE=\"TRUE\" WIDTH=\"" +
         std::to_string(width) + "\" HEIGHT=\"18\">" + HtmlEscaped(domain.name) + "</TD></TR></TABLE>>;\n";
}

std::string Write(const Picture& picture, const DotOrder& order, bool texts) {
  std::string out =
      "digraph system {\n  graph [label=" + Quoted(texts ? picture.title : "") + " labelloc=t " +
      (picture.sideways ? "rankdir=LR nodesep=0.12 ranksep=0.5" : "rankdir=TB nodesep=0.25 ranksep=0.36") +
      " mclimit=8 remincross=true fontname=\"DejaVu Sans\" "
      "fontsize=12];\n"
      "  node [shape=box fixedsize=true fontname=\"DejaVu Sans\" fontsize=11];\n"
      "  edge [arrowsize=0.6];\n";
  for (const uint32_t d : order.domains) {
    const PictureDomain& domain = picture.domains[d];
    out += "  subgraph cluster_" + std::to_string(d) +
           " {\n    labeljust=l style=\"rounded,filled\" margin=12 color=" + Quoted(domain.colour + "59") +
           " fillcolor=" + Quoted(domain.colour + "0d") + " fontcolor=" + Quoted(domain.colour) +
           "\n    label=" + DomainLabel(domain, texts);
    for (const uint32_t n : order.nodes) {
      const PictureNode& node = picture.nodes[n];
      if (node.kind == PictureNode::Kind::kSignalBox || node.domain != d) continue;
      out += "    " +
             NodeLine(node, domain.colour,
                      node.kind == PictureNode::Kind::kEdgeLabel ? picture.edge_kinds[node.id] : uint8_t{0},
                      texts);
    }
    out += "  }\n";
  }
  for (const uint32_t n : order.nodes) {
    const PictureNode& node = picture.nodes[n];
    if (node.kind == PictureNode::Kind::kSignalBox) out += "  " + NodeLine(node, "", 0, texts);
  }
  for (const uint32_t i : order.links) {
    const PictureLink& link = picture.links[i];
    const std::string tail = DotName(picture.nodes[link.tail]), head = DotName(picture.nodes[link.head]);
    out += "  " + (link.upwards ? head + " -> " + tail : tail + " -> " + head) + " [id=l" + std::to_string(i);
    switch (link.kind) {
      case PictureLink::Kind::kFromHalf:
      case PictureLink::Kind::kToHalf: {
        const bool last = link.kind == PictureLink::Kind::kToHalf;
        const std::string& colour = picture.domains[picture.nodes[link.tail].domain].colour;
        out += std::string(" dir=") +
               (!last          ? "none"
                : link.upwards ? "back"
                               : "forward") +
               " weight=4 color=" + Quoted(colour) + LineStyle(picture, link.edge);
        break;
      }
      case PictureLink::Kind::kSignal:
        out += std::string(link.upwards ? " dir=back" : "") + " style=dashed color=\"" + kSignalColour + "\"";
        break;
      case PictureLink::Kind::kTie:
        out += " style=dotted dir=none weight=2 color=\"#777777\"";
        break;
      case PictureLink::Kind::kAssociation:
        out += " style=dashed dir=forward arrowhead=odiamond weight=2 color=\"#444444\"";
        break;
    }
    if (link.loose) out += " constraint=false";
    if (texts && !link.tooltip.empty()) out += " tooltip=" + Quoted(link.tooltip);
    out += "];\n";
  }
  return out + "}\n";
}

}  // namespace

std::string DotName(const PictureNode& node) {
  const char* prefix = "v";
  if (node.kind == PictureNode::Kind::kEdgeLabel) prefix = "e";
  if (node.kind == PictureNode::Kind::kSignalBox) prefix = "c";
  return prefix + std::to_string(node.id);
}

DotOrder NaturalOrder(const Picture& picture) {
  DotOrder order;
  order.domains.resize(picture.domains.size());
  order.nodes.resize(picture.nodes.size());
  order.links.resize(picture.links.size());
  for (auto* list : {&order.domains, &order.nodes, &order.links}) std::iota(list->begin(), list->end(), 0u);
  return order;
}

std::string WriteDot(const Picture& picture) {
  return Write(picture, NaturalOrder(picture), true);
}

std::string WriteDotOfPlaces(const Picture& picture, const DotOrder& order) {
  return Write(picture, order, false);
}

}  // namespace cotree
