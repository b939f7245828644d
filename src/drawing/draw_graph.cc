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

// How large a page 1.5 times as wide as high would have to be.
double Reach(const Box& box) {
  return std::max((box.right - box.left) / 1.5, box.bottom - box.top);
}

bool IsMuchTooWide(const Box& box) {
  return box.right - box.left > 1800 && box.right - box.left > 4 * (box.bottom - box.top);
}

}  // namespace

std::string GraphDot(const Model& model, const SystemGraph& graph, const Mechanism& mechanism) {
  return WriteDot(BuildPicture(model, graph, mechanism));
}

Drawing DrawGraph(const Model& model, const SystemGraph& graph, const Mechanism& mechanism,
                  const NormalTree* tree) {
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
  if (tree != nullptr) {
    for (uint32_t e = 0; e < picture.edge_styles.size(); ++e)
      picture.branches.push_back(e < graph.edges.size() && tree->InTree(EdgeId(e)));
  }
  if (picture.nodes.size() > 3 * kMostThings)
    return too_many(picture.nodes.size(), "vertices, edges and signal components");
  FoundLayout found = FindLayout(picture);
  drawing.problem = found.problem;
  if (!drawing.problem.empty()) return drawing;
  if (IsMuchTooWide(BoundsOf(picture, found.layout))) {
    const Picture sideways = Sideways(picture);
    FoundLayout other = FindLayout(sideways);
    if (other.problem.empty() &&
        Reach(BoundsOf(sideways, other.layout)) < Reach(BoundsOf(picture, found.layout))) {
      picture = sideways;
      found = std::move(other);
    }
  }
  drawing.svg = WriteSvg(picture, found.layout);
  return drawing;
}

}  // namespace cotree
