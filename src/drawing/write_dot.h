// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drawing/picture.h"

namespace cotree {

/** The picture in Graphviz's language. All sizes are given, so that the places do not depend on the fonts of
a machine.

Nodes are named v<VertexId>, e<EdgeId> (the label of an edge) and c<ComponentId> (a signal box), lines have
the attribute id="l<index>": by these names ReadLayout finds them again. */
std::string WriteDot(const Picture& picture);

/** In which order things are told; Graphviz's places depend on it. Each list has every index once. */
struct DotOrder {
  std::vector<uint32_t> domains, nodes, links;
};
/** What Graphviz needs to find the places: the same without any text. It measures texts by libraries that
free their memory in an order which differs from run to run (expat salts its tables), and takes clusters in
the order of the addresses of their names: with texts, of several graphs in one input, only the first has the
same places in every run. */
std::string WriteDotOfPlaces(const Picture& picture, const DotOrder& order);
DotOrder NaturalOrder(const Picture& picture);

/// "v3", "e5", "c7".
std::string DotName(const PictureNode& node);

}  // namespace cotree
