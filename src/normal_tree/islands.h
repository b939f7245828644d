// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/large_vector.h"
#include "normal_tree/group_values.h"

namespace cotree {

/** The parts of the system graph that know nothing of each other when the tree is chosen.

A *block* is a 2-connected component: two edges are in one block if a circuit contains both. A fundamental
circuit or cut-set never leaves its block, so a spanning forest is a spanning tree of every block, chosen
freely. Reference vertices are vertices like others: circuits that meet in one vertex only are apart. An edge
in no circuit, and an edge whose ends are joined, are blocks by themselves.

An *island* is a set of blocks tied by groups of edges that share terminal equations. It is *coupled* if it
holds such a group.

Theory: docs/theory/normal_tree.md, NT.5. */
struct Islands {
  LargeVector<uint32_t> block;            // by edge
  LargeVector<uint32_t> root;             // by block: its vertex nearest to the reference
  LargeVector<uint32_t> island;           // by block: the island, named by the smallest of its blocks
  LargeVector<uint8_t> coupled;           // by block: whether its island is
  uint32_t count = 0, coupled_count = 0;  // of islands

  bool Coupled(uint32_t edge) const { return !block.empty() && coupled[block[edge]] != 0; }
};

/// Linear (union-find: almost), without recursion.
Islands FindIslands(const SystemGraph& graph, const std::vector<ElementGroups>& groups);

}  // namespace cotree
