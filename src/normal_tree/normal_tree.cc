// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/normal_tree.h"

#include <algorithm>

namespace cotree {

namespace {

/** The edges of a forest at each vertex. */
struct Adjacency {
  LargeVector<uint32_t> first;  // by vertex, and one more
  LargeVector<uint32_t> edges;
};

Adjacency AdjacencyOf(const SystemGraph& graph, const std::vector<bool>& in_forest) {
  Adjacency out;
  out.first.assign(graph.vertex_count() + 1, 0);
  const auto count = static_cast<uint32_t>(graph.edges.size());
  const auto each = [&](const auto& visit) {
    for (uint32_t e = 0; e < count; ++e) {
      if (!in_forest[e] || graph.edges[e].from == graph.edges[e].to) continue;
      visit(graph.edges[e].from, e);
      visit(graph.edges[e].to, e);
    }
  };
  each([&](VertexId v, uint32_t) { ++out.first[v.index() + 1]; });
  for (size_t v = 0; v < graph.vertex_count(); ++v) out.first[v + 1] += out.first[v];
  out.edges.resize(out.first.back());
  LargeVector<uint32_t> next(out.first.begin(), out.first.end() - 1);
  each([&](VertexId v, uint32_t e) { out.edges[next[v.index()]++] = e; });
  return out;
}

}  // namespace

RootedForest RootForest(const SystemGraph& graph, const std::vector<bool>& in_forest) {
  const size_t vertices = graph.vertex_count();
  const Adjacency adjacency = AdjacencyOf(graph, in_forest);
  RootedForest out;
  out.parent_edge.assign(vertices, UINT32_MAX);
  out.parent.assign(vertices, UINT32_MAX);
  out.depth.assign(vertices, UINT32_MAX);
  out.order.reserve(vertices);
  const auto grow = [&](uint32_t root) {
    if (out.depth[root] != UINT32_MAX) return;
    out.depth[root] = 0;
    out.order.push_back(root);
    for (size_t at = out.order.size() - 1; at < out.order.size(); ++at) {
      const uint32_t v = out.order[at];
      for (uint32_t k = adjacency.first[v]; k < adjacency.first[v + 1]; ++k) {
        const GraphEdge& edge = graph.edges[adjacency.edges[k]];
        const uint32_t w = edge.from.value == v ? edge.to.value : edge.from.value;
        if (out.depth[w] != UINT32_MAX) continue;
        out.depth[w] = out.depth[v] + 1;
        out.parent[w] = v;
        out.parent_edge[w] = adjacency.edges[k];
        out.order.push_back(w);
      }
    }
  };
  for (const DomainGraph& domain : graph.domains) {
    if (domain.vertex_count > 0) grow(domain.reference.value);
  }
  for (uint32_t v = 0; v < vertices; ++v) grow(v);
  return out;
}

std::vector<SignedEdge> FundamentalCircuit(const SystemGraph& graph, const RootedForest& forest,
                                           EdgeId chord) {
  // x_chord = potential(from) - potential(to): from `from` up to where the ways meet, and down to `to`.
  std::vector<SignedEdge> out, down;
  uint32_t a = graph.edges[chord.index()].from.value, b = graph.edges[chord.index()].to.value;
  const auto climb = [&](uint32_t& v, int8_t upwards, std::vector<SignedEdge>& into) {
    const uint32_t e = forest.parent_edge[v];
    const bool along = graph.edges[e].from.value == v;
    into.push_back({EdgeId(e), static_cast<int8_t>(along ? upwards : -upwards)});
    v = forest.parent[v];
  };
  while (a != b) {
    if (forest.depth[a] >= forest.depth[b]) {
      if (forest.parent_edge[a] == UINT32_MAX) return {};  // not connected by the forest
      climb(a, 1, out);
    } else {
      climb(b, -1, down);
    }
  }
  out.insert(out.end(), down.rbegin(), down.rend());
  return out;
}

}  // namespace cotree
