// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cotree {

/** A directed graph in compressed rows: the arcs of v go to targets[first[v]] ... targets[first[v + 1] - 1].
Theory: docs/theory/block_triangular.md, BT.4. */
struct DirectedGraph {
  std::vector<uint32_t> first;  // number of vertices + 1
  std::vector<uint32_t> targets;

  size_t vertices() const { return first.empty() ? 0 : first.size() - 1; }
  std::span<const uint32_t> Arcs(uint32_t v) const {
    return std::span(targets).subspan(first[v], first[v + 1] - first[v]);
  }
};

/** The strongly connected components (Tarjan 1972), without recursion, in linear time. Components are
numbered so that arcs go from higher to equal or lower numbers: the number is a reverse topological order. */
struct StrongComponents {
  std::vector<uint32_t> component_of;  // by vertex
  uint32_t count = 0;
};
StrongComponents FindStrongComponents(const DirectedGraph& graph);

}  // namespace cotree
