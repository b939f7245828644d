// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "mechanics/mechanism.h"

namespace cotree {

struct NormalTree;

/** The normal tree to be drawn into a graph, with the storage that has no state of its own. */
struct ShownTree {
  const NormalTree* tree = nullptr;  // none: not shown
  std::vector<EdgeId> dependent{};
};

/// The system graph in Graphviz's language, complete in itself: `dot -Tsvg` draws it. `mechanism`: what it
/// has in space; empty: nothing of that is shown.
std::string GraphDot(const Model& model, const SystemGraph& graph, const Mechanism& mechanism = {});

/** A drawing, or why there is none. */
struct Drawing {
  std::string svg;
  std::string problem;  // empty if all went well; otherwise a sentence with the remedy
};
/// The system graph as SVG: the program `dot` of Graphviz finds the places, the drawing is ours. What it
/// shows and how: README.md. With a tree, its branches are bold. Safe to call from several threads.
Drawing DrawGraph(const Model& model, const SystemGraph& graph, const Mechanism& mechanism = {},
                  const ShownTree& tree = {});

}  // namespace cotree
