// SPDX-License-Identifier: Apache-2.0
// Blocks against the definition (two edges are in one block if a circuit holds both), islands, equal islands,
// large chains.
#include "normal_tree/islands.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "graph/union_find.h"
#include "normal_tree/check_normal_tree.h"
#include "normal_tree/test/networks.h"

namespace cotree {
namespace {

using namespace testing_networks;  // NOLINT

// Two edges are on a common circuit iff, with any one vertex taken away, they stay connected; blocks are the
// classes of edges that share, vertex by vertex, one connected rest.
bool SameBlock(const SystemGraph& graph, uint32_t a, uint32_t b) {
  if (a == b) return true;
  const auto loop = [&](uint32_t e) { return graph.edges[e].from == graph.edges[e].to; };
  if (loop(a) || loop(b)) return false;
  const auto edges = static_cast<uint32_t>(graph.edges.size());
  for (uint32_t gone = 0; gone <= graph.vertex_count(); ++gone) {  // the last: none
    // Edges are connected where they meet in a vertex that is still there.
    UnionFind connected(edges);
    for (uint32_t e = 0; e < edges; ++e) {
      for (uint32_t f = 0; f < e; ++f) {
        for (const VertexId v : {graph.edges[e].from, graph.edges[e].to}) {
          const bool meet = v == graph.edges[f].from || v == graph.edges[f].to;
          if (meet && v.value != gone) connected.Join(e, f);
        }
      }
    }
    if (!connected.Same(a, b)) return false;
  }
  return true;
}

TEST(Islands, BlocksByDefinition) {
  const auto kinds = AllKinds();
  std::mt19937 random(8);
  for (int round = 0; round < 150; ++round) {
    const auto vertices = static_cast<uint32_t>(2 + random() % 7);
    std::vector<Part> parts;
    for (uint32_t k = 0; k < 1 + random() % 10; ++k) {
      const auto from = static_cast<uint32_t>(random() % vertices),
                 to = static_cast<uint32_t>(random() % vertices);
      parts.push_back({kR, {{from, to}}});
    }
    Network n = MakeNetwork(kinds, vertices, parts);
    const Islands islands = FindIslands(n.graph, n.groups);
    EXPECT_EQ(islands.coupled_count, 0u);
    for (uint32_t a = 0; a < n.graph.edges.size(); ++a) {
      for (uint32_t b = 0; b < a; ++b)
        EXPECT_EQ(islands.block[a] == islands.block[b], SameBlock(n.graph, a, b))
            << round << " " << a << " " << b;
    }
  }
}

TEST(Islands, CouplersTieAndReferencesSeparate) {
  // Two drives: source, resistor and primary; secondary and load. And one circuit that is coupled to nothing.
  std::vector<Part> parts;
  for (uint32_t k = 0; k < 2; ++k) {
    const uint32_t v = 1 + 3 * k;
    parts.push_back({kV, {{v, 0}}});
    parts.push_back({kR, {{v, v + 1}}});
    parts.push_back({kTransformer, {{v + 1, 0}, {v + 2, 0}}});
    parts.push_back({kC, {{v + 2, 0}}});
  }
  parts.push_back({kC, {{7, 0}}});
  parts.push_back({kR, {{7, 0}}});
  Network n = MakeNetwork(AllKinds(), 8, parts);
  const Islands islands = FindIslands(n.graph, n.groups);
  EXPECT_EQ(islands.count, 3u);
  EXPECT_EQ(islands.coupled_count, 2u);
  const NormalTree tree = SelectNormalTree(n.graph, n.groups);
  EXPECT_EQ(tree.statistics.copied_islands, 1u);
  EXPECT_EQ(tree.degree, 3);
  EXPECT_EQ(CheckNormalTree(n.graph, n.groups, tree), "");
  for (uint32_t e = 0; e < 5; ++e) EXPECT_EQ(tree.primary[e], tree.primary[e + 5]);
}

// The certificate proves larger networks that cannot be searched through.
TEST(Islands, RandomLargeNetworks) {
  const auto kinds = AllKinds();
  std::mt19937 random(12);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  int regular = 0;
  for (int round = 0; round < 400; ++round) {
    const uint32_t vertices = 5 + below(60);
    std::vector<Part> parts;
    // A resistor at every vertex and between many: most of these are regular.
    for (uint32_t v = 1; v < vertices; ++v) {
      parts.push_back({below(3), {{v, below(v)}}});
      parts.push_back({kR, {{v, below(vertices)}}});
    }
    for (uint32_t k = 0; k < below(vertices); ++k) {
      const uint32_t kind = below(8) == 0 ? below(kKinds) : kTransformer + below(2);
      Part part{kind, {}};
      for (uint32_t i = 0; i < kinds[kind].equations.edges; ++i)
        part.ends.emplace_back(below(vertices), below(vertices));
      parts.push_back(part);
    }
    Network n = MakeNetwork(kinds, vertices, parts);
    const NormalTree tree = SelectNormalTree(n.graph, n.groups);
    ASSERT_EQ(CheckNormalTree(n.graph, n.groups, tree), "") << round;
    regular += tree.singular ? 0 : 1;
    // Again: the same bits.
    const NormalTree again = SelectNormalTree(n.graph, n.groups);
    EXPECT_EQ(again.primary, tree.primary);
    EXPECT_EQ(again.potentials, tree.potentials);
  }
  EXPECT_GT(regular, 50);
}

TEST(Islands, ChainsOfGearsAndTransformers) {
  constexpr uint32_t kCount = 1000;
  std::vector<Part> parts;
  uint32_t v = 1;
  for (uint32_t k = 0; k < kCount; ++k, v += 2) {
    parts.push_back({kTransformer, {{v, 0}, {v + 1, 0}}});
    parts.push_back({kMass, {{v + 1, 0}}});
    parts.push_back({kTransformer, {{v + 1, 0}, {v + 2, 0}}});
    parts.push_back({kC, {{v + 2, 0}}});
    parts.push_back({kR, {{v + 2, 0}}});
  }
  Network n = MakeNetwork(AllKinds(), v + 1, parts);
  const NormalTree tree = SelectNormalTree(n.graph, n.groups);
  EXPECT_EQ(CheckNormalTree(n.graph, n.groups, tree), "");
  EXPECT_EQ(tree.degree, 2);
  for (const uint8_t primary : tree.primary) EXPECT_TRUE(primary == 1 || primary == 2) << "T = T'";
}

}  // namespace
}  // namespace cotree
