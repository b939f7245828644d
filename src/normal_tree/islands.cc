// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/islands.h"

#include "graph/union_find.h"

namespace cotree {

namespace {

/** Neighbours of each vertex, one for each edge between them. */
struct Neighbours {
  LargeVector<uint32_t> first;  // by vertex, and one more
  LargeVector<uint32_t> list;
};

Neighbours FindNeighbours(const SystemGraph& graph) {
  Neighbours out;
  out.first.assign(graph.vertex_count() + 2, 0);
  for (const GraphEdge& e : graph.edges) {
    if (e.from == e.to) continue;
    ++out.first[e.from.index() + 2];
    ++out.first[e.to.index() + 2];
  }
  for (size_t v = 2; v < out.first.size(); ++v) out.first[v] += out.first[v - 1];
  out.list.resize(out.first.back());
  for (const GraphEdge& e : graph.edges) {
    if (e.from == e.to) continue;
    out.list[out.first[e.from.index() + 1]++] = e.to.value;
    out.list[out.first[e.to.index() + 1]++] = e.from.value;
  }
  return out;
}

/** Depth-first search: vertices in the order of discovery ("numbers"), what their subtrees reach. */
struct Search {
  LargeVector<uint32_t> number;  // by vertex
  LargeVector<uint32_t> vertex;  // by number
  LargeVector<uint32_t> parent;  // by number: the number of the parent; itself at a root
  LargeVector<uint32_t> low;     // by number: the smallest number next to its subtree
};

// `next` is, by vertex, the neighbour to look at next. That a vertex sees its own parent does no harm: it
// counts only whether something above the parent is reached.
void SearchFrom(uint32_t start, const Neighbours& neighbours, LargeVector<uint32_t>* next, Search* out) {
  if (out->number[start] != UINT32_MAX) return;
  const auto discover = [&](uint32_t v, uint32_t parent) {
    const auto number = static_cast<uint32_t>(out->vertex.size());
    out->number[v] = number;
    out->vertex.push_back(v);
    out->parent.push_back(parent == UINT32_MAX ? number : parent);
    out->low.push_back(number);
    return number;
  };
  const uint32_t root = discover(start, UINT32_MAX);
  for (uint32_t at = root;;) {
    const uint32_t v = out->vertex[at];
    if ((*next)[v] < neighbours.first[v + 1]) {
      const uint32_t w = neighbours.list[(*next)[v]++];
      const uint32_t number = out->number[w];
      if (number == UINT32_MAX)
        at = discover(w, at);
      else if (number < out->low[at])
        out->low[at] = number;
      continue;
    }
    if (at == root) return;
    const uint32_t parent = out->parent[at];
    if (out->low[at] < out->low[parent]) out->low[parent] = out->low[at];
    at = parent;
  }
}

Search SearchDepthFirst(const SystemGraph& graph) {
  const Neighbours neighbours = FindNeighbours(graph);
  const auto vertices = static_cast<uint32_t>(graph.vertex_count());
  Search out;
  out.number.assign(vertices, UINT32_MAX);
  out.vertex.reserve(vertices);
  out.parent.reserve(vertices);
  out.low.reserve(vertices);
  LargeVector<uint32_t> next(neighbours.first.begin(), neighbours.first.end() - 1);
  for (const DomainGraph& domain : graph.domains) {
    if (domain.vertex_count > 0) SearchFrom(domain.reference.value, neighbours, &next, &out);
  }
  for (uint32_t v = 0; v < vertices; ++v) SearchFrom(v, neighbours, &next, &out);
  return out;
}

// A vertex begins a block with its parent unless its subtree reaches above the parent; then it belongs to the
// block of the parent. An edge belongs to the block of its later vertex.
void NumberBlocks(const SystemGraph& graph, const Search& search, Islands* out) {
  const auto vertices = static_cast<uint32_t>(search.vertex.size());
  LargeVector<uint32_t> block_of(vertices, UINT32_MAX);  // by number
  for (uint32_t n = 0; n < vertices; ++n) {
    const uint32_t parent = search.parent[n];
    if (parent == n) continue;
    if (search.low[n] >= parent) {
      block_of[n] = static_cast<uint32_t>(out->root.size());
      out->root.push_back(search.vertex[parent]);
    } else {
      block_of[n] = block_of[parent];
    }
  }
  out->block.resize(graph.edges.size());
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const GraphEdge& edge = graph.edges[e];
    if (edge.from == edge.to) {
      out->block[e] = static_cast<uint32_t>(out->root.size());
      out->root.push_back(edge.from.value);
    } else {
      const uint32_t from = search.number[edge.from.index()], to = search.number[edge.to.index()];
      out->block[e] = block_of[from > to ? from : to];
    }
  }
}

void TieBlocks(const SystemGraph& graph, const std::vector<ElementGroups>& groups, Islands* out) {
  const auto blocks = static_cast<uint32_t>(out->root.size());
  UnionFind tied(blocks);
  LargeVector<uint8_t> holds(blocks, 0);
  for (const Component& component : graph.components) {
    for (const auto& edges : groups[component.element.index()].edges) {
      if (edges.size() < 2) continue;
      const uint32_t first = out->block[component.first_edge + edges.front()];
      holds[first] = 1;
      for (const uint32_t e : edges) tied.Join(first, out->block[component.first_edge + e]);
    }
  }
  out->island.resize(blocks);
  out->coupled.assign(blocks, 0);
  for (uint32_t b = 0; b < blocks; ++b) {
    out->island[b] = tied.Find(b);
    if (out->island[b] == b) ++out->count;
    uint8_t& coupled = out->coupled[out->island[b]];
    if (holds[b] != 0 && coupled == 0) {
      coupled = 1;
      ++out->coupled_count;
    }
  }
  for (uint32_t b = 0; b < blocks; ++b) out->coupled[b] = out->coupled[out->island[b]];
}

}  // namespace

Islands FindIslands(const SystemGraph& graph, const std::vector<ElementGroups>& groups) {
  Islands out;
  NumberBlocks(graph, SearchDepthFirst(graph), &out);
  TieBlocks(graph, groups, &out);
  return out;
}

}  // namespace cotree
