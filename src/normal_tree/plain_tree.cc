// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/plain_tree.h"

#include <array>

#include "graph/union_find.h"

namespace cotree {

NormalTree FindPlainTree(const SystemGraph& graph) {
  const auto n = static_cast<uint32_t>(graph.edges.size());
  NormalTree tree;
  tree.primary.assign(n, NormalTree::kThroughPrimary);
  std::array<std::vector<uint32_t>, 5> ranks;
  for (uint32_t e = 0; e < n; ++e) {
    const ElementEdge& edge = graph.ElementEdgeOf(EdgeId(e));
    const int rank = edge.fixes_through                        ? 4
                     : edge.fixes_across                       ? 0
                     : edge.across_order > edge.through_order  ? 1
                     : edge.across_order == edge.through_order ? 2
                                                               : 3;
    ranks[static_cast<size_t>(rank)].push_back(e);
  }
  UnionFind joined(graph.vertex_count());
  for (const auto& rank : ranks) {
    for (const uint32_t e : rank) {
      bool apart = false;
      joined.Join(graph.edges[e].from.value, graph.edges[e].to.value, &apart);
      if (apart) tree.primary[e] = NormalTree::kAcrossPrimary;
    }
  }
  return tree;
}

}  // namespace cotree
