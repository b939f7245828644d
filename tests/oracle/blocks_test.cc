// SPDX-License-Identifier: Apache-2.0
// The reference for the sorted system itself: known blocks, and laws.

#include "oracle/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "oracle/random_network.h"

namespace cotree::oracle {
namespace {

using Sizes = std::vector<size_t>;

Element One(Type type, int plus, int minus) {
  Element e;
  e.type = type;
  e.ports = {{Domain::kElectrical, plus, minus}};
  e.values = {{1, 1}};
  return e;
}

TEST(BlockSizes, OfSmallSystems) {
  EXPECT_EQ(BlockSizes({{0}, {0, 1}, {1, 2}}, 3), (Sizes{1, 1, 1}));
  EXPECT_EQ(BlockSizes({{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 2}}, 5), (Sizes{1, 4}));
  EXPECT_EQ(BlockSizes({{0}, {0}}, 2), std::nullopt);
  EXPECT_EQ(BlockSizes({{0}}, 2), std::nullopt);
}

TEST(ReferenceBlockSizes, OfKnownNetworks) {
  const Network low_pass{
      {One(Type::kVoltageSource, 1, 0), One(Type::kResistor, 1, 2), One(Type::kCapacitor, 2, 0)}};
  EXPECT_EQ(ReferenceBlockSizes(low_pass, {0, 2}, {0, 2}), Sizes(6, 1));
  EXPECT_EQ(GreedyTree(low_pass), (Sizes{0, 2}));
  // v = v1 + v2, both resistors, i1 = i2: a loop of x1, y1, x2, y2; then the source's current.
  const Network divider{
      {One(Type::kVoltageSource, 1, 0), One(Type::kResistor, 1, 2), One(Type::kResistor, 2, 0)}};
  EXPECT_EQ(ReferenceBlockSizes(divider, {0, 1}, {0, 1}), (Sizes{1, 1, 4}));
  // The capacitor of a loop with the source is no state.
  const Network loop{{One(Type::kVoltageSource, 1, 0), One(Type::kCapacitor, 1, 0)}};
  EXPECT_EQ(ReferenceBlockSizes(loop, {0}, {0}), std::nullopt);
  // Not a tree.
  EXPECT_EQ(ReferenceBlockSizes(divider, {0}, {0}), std::nullopt);
}

// x by the tree is x by potentials; y by the tree obeys Kirchhoff at every node.
TEST(FundamentalMatrices, ObeyKirchhoff) {
  size_t networks = 0;
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    const Network network = RandomNetworkMaker(seed, false).Make();
    const std::vector<Port> edges = EdgesOf(network);
    const auto f = FundamentalMatrices(edges, GreedyTree(network));
    ASSERT_TRUE(f);
    ++networks;
    std::mt19937 random(seed);
    std::map<std::pair<Domain, int>, int> potential, sum;
    for (const Port& e : edges) {
      for (int node : {e.plus, e.minus})
        potential[{e.domain, node}] = node == 0 ? 0 : static_cast<int>(Below(random, 1000));
    }
    std::vector<int> x, y;
    for (const Port& e : edges) {
      x.push_back(potential[{e.domain, e.plus}] - potential[{e.domain, e.minus}]);
      y.push_back(static_cast<int>(Below(random, 1000)));
    }
    for (size_t b = 0; b < edges.size(); ++b) {
      if (!f->in_tree[b]) continue;
      y[b] = 0;
      for (size_t c = 0; c < edges.size(); ++c) y[b] -= f->in_tree[c] ? 0 : f->q[b][c] * y[c];
    }
    for (size_t c = 0; c < edges.size(); ++c) {
      sum[{edges[c].domain, edges[c].plus}] += y[c];
      sum[{edges[c].domain, edges[c].minus}] -= y[c];
      if (f->in_tree[c]) continue;
      int by_tree = 0;
      for (size_t b = 0; b < edges.size(); ++b) by_tree += f->in_tree[b] ? f->q[b][c] * x[b] : 0;
      EXPECT_EQ(by_tree, x[c]);
    }
    for (const auto& [node, value] : sum) EXPECT_EQ(value, 0);
  }
  EXPECT_EQ(networks, 300u);
}

// Blocks do not depend on the matching: equations in another order give the same sizes.
TEST(BlockSizes, DoNotDependOnTheOrder) {
  size_t compared = 0, with_loops = 0;
  for (uint32_t seed = 0; seed < 700; seed += kFamilies) {  // RLC
    const Network network = RandomNetworkMaker(seed, false).Make();
    const std::vector<size_t> tree = GreedyTree(network);
    auto structure = StructureOf(network, tree, tree);
    if (!structure) continue;
    const auto sizes = BlockSizes(structure->equations, structure->unknowns);
    if (!sizes) continue;
    ++compared;
    if (sizes->back() > 1) ++with_loops;
    std::mt19937 random(seed);
    Shuffle(structure->equations, random);
    for (auto& equation : structure->equations) Shuffle(equation, random);
    EXPECT_EQ(BlockSizes(structure->equations, structure->unknowns), sizes);
  }
  EXPECT_GT(compared, 20u);
  EXPECT_GT(with_loops, 5u);
}

}  // namespace
}  // namespace cotree::oracle
