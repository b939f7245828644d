// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/views.h"

#include <algorithm>

namespace cotree {

ForestView ViewForest(const SystemGraph& graph, const std::vector<EdgeId>& forest) {
  const size_t count = graph.edges.size();
  std::vector<bool> in_forest(count, false);
  for (const EdgeId e : forest) in_forest[e.index()] = true;
  const RootedForest rooted = RootForest(graph, in_forest);

  ForestView out;
  std::vector<uint32_t> row_of(count, UINT32_MAX);
  for (uint32_t e = 0; e < count; ++e) {
    if (!in_forest[e]) continue;
    row_of[e] = static_cast<uint32_t>(out.branches.size());
    out.branches.emplace_back(e);
    out.cut_sets.push_back({{EdgeId(e), 1}});
  }
  for (uint32_t e = 0; e < count; ++e) {
    if (in_forest[e]) continue;
    out.chords.emplace_back(e);
    std::vector<SignedEdge> row{{EdgeId(e), 1}};
    for (const SignedEdge& branch : FundamentalCircuit(graph, rooted, EdgeId(e))) {
      row.push_back({branch.edge, static_cast<int8_t>(-branch.sign)});
      out.cut_sets[row_of[branch.edge.index()]].push_back({EdgeId(e), branch.sign});
    }
    out.circuits.push_back(std::move(row));
  }
  const auto by_edge = [](const SignedEdge& a, const SignedEdge& b) { return a.edge < b.edge; };
  for (auto& row : out.cut_sets) std::sort(row.begin(), row.end(), by_edge);
  for (auto& row : out.circuits) std::sort(row.begin(), row.end(), by_edge);
  return out;
}

std::vector<EdgeId> TreeEdges(const NormalTree& tree) {
  std::vector<EdgeId> out;
  for (uint32_t e = 0; e < tree.primary.size(); ++e) {
    if (tree.InTree(EdgeId(e))) out.emplace_back(e);
  }
  return out;
}

std::vector<EdgeId> ThroughTreeEdges(const NormalTree& tree) {
  std::vector<EdgeId> out;
  for (uint32_t e = 0; e < tree.primary.size(); ++e) {
    if (tree.InThroughTree(EdgeId(e))) out.emplace_back(e);
  }
  return out;
}

std::vector<int> DenseRow(const SystemGraph& graph, const std::vector<SignedEdge>& row) {
  std::vector<int> out(graph.edges.size(), 0);
  for (const SignedEdge& entry : row) out[entry.edge.index()] = entry.sign > 0 ? 1 : -1;
  return out;
}

}  // namespace cotree
