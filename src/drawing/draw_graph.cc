// SPDX-License-Identifier: Apache-2.0
#include "drawing/draw_graph.h"

#include <algorithm>

#include "drawing/find_layout.h"
#include "drawing/picture.h"
#include "drawing/write_dot.h"
#include "drawing/write_svg.h"
#include "normal_tree/normal_tree.h"

namespace cotree {
namespace {

constexpr size_t kMostThings = 400;  // more cannot be read, and take Graphviz minutes

// The column of text in which a picture stands, on a page or in a browser: what is larger is made smaller
// there, its texts, too.
constexpr double kColumn = 880, kPage = 1100;

// By how much it is too large.
double Excess(const Box& box) {
  return std::max({(box.right - box.left) / kColumn, (box.bottom - box.top) / kPage, 1.0});
}

}  // namespace

std::string GraphDot(const Model& model, const SystemGraph& graph, const Mechanism& mechanism) {
  return WriteDot(BuildPicture(model, graph, mechanism));
}

Drawing DrawGraph(const Model& model, const SystemGraph& graph, const Mechanism& mechanism,
                  const ShownTree& tree) {
  Drawing drawing;
  const auto too_many = [&](size_t count, const char* things) {
    drawing.problem = "the system has " + std::to_string(count) + " " + things +
                      ", too many for a readable drawing (at most " + std::to_string(kMostThings) +
                      "): use --format json or dot, or draw a composite alone";
    return drawing;
  };
  if (graph.edges.size() > kMostThings) return too_many(graph.edges.size(), "edges");
  if (graph.components.size() > 4 * kMostThings) return too_many(graph.components.size(), "components");

  // What to draw; where, by Graphviz; and the drawing.
  Picture picture = BuildPicture(model, graph, mechanism);
  if (tree.tree != nullptr) {
    for (uint32_t e = 0; e < graph.edges.size(); ++e) {
      const bool across = tree.tree->InTree(EdgeId(e)), through = tree.tree->InThroughTree(EdgeId(e));
      picture.tree.push_back(across && through ? TreeRole::kBranch
                             : across          ? TreeRole::kCircuitsOnly
                             : through         ? TreeRole::kCutSetsOnly
                                               : TreeRole::kChord);
      picture.dependent.push_back(std::find(tree.dependent.begin(), tree.dependent.end(), EdgeId(e)) !=
                                  tree.dependent.end());
    }
  }
  if (picture.nodes.size() > 3 * kMostThings)
    return too_many(picture.nodes.size(), "vertices, edges and signal components");
  FoundLayout found = FindLayout(picture);
  drawing.problem = found.problem;
  if (!drawing.problem.empty()) return drawing;
  const double excess = Excess(BoundsOf(picture, found.layout));
  if (excess > 1) {
    const Picture sideways = Sideways(picture);
    FoundLayout other = FindLayout(sideways);
    if (other.problem.empty() && Excess(BoundsOf(sideways, other.layout)) < 0.9 * excess) {
      picture = sideways;
      found = std::move(other);
    }
  }
  drawing.svg = WriteSvg(picture, found.layout);
  return drawing;
}

}  // namespace cotree
