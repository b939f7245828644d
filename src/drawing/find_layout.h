// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "drawing/layout.h"
#include "drawing/picture.h"

namespace cotree {

struct FoundLayout {
  Layout layout;
  std::string problem;  // empty if all went well; otherwise a sentence with the remedy
};

/** Finds places with Graphviz. What it makes of a graph depends on the order in which the graph is told, so a
small picture is told in several orders (always the same ones) and the best layout is taken. */
FoundLayout FindLayout(const Picture& picture);

/// The room all nodes and frames take.
Box BoundsOf(const Picture& picture, const Layout& layout);
/// How hard a layout is to read: crossings, the worst those of two edges, then the length of the lines. Less
/// is better.
double ScoreLayout(const Picture& picture, const Layout& layout);

}  // namespace cotree
