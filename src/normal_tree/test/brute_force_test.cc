// SPDX-License-Identifier: Apache-2.0
// The chosen pair of forests against all subsets of the 2e variables, on small random networks of all kinds.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <optional>
#include <random>

#include "graph/union_find.h"
#include "normal_tree/check_normal_tree.h"
#include "normal_tree/test/networks.h"

namespace cotree {
namespace {

using namespace testing_networks;  // NOLINT

bool IsSpanningForest(const SystemGraph& graph, uint32_t edges, uint32_t rank) {
  if (static_cast<uint32_t>(std::popcount(edges)) != rank) return false;
  UnionFind parts(graph.vertex_count());
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    if (((edges >> e) & 1) == 0) continue;
    bool joined = false;
    parts.Join(graph.edges[e].from.value, graph.edges[e].to.value, &joined);
    if (!joined) return false;
  }
  return true;
}

uint32_t RankOf(const SystemGraph& graph) {
  UnionFind parts(graph.vertex_count());
  uint32_t rank = 0;
  for (const GraphEdge& e : graph.edges) {
    bool joined = false;
    parts.Join(e.from.value, e.to.value, &joined);
    rank += joined ? 1 : 0;
  }
  return rank;
}

// The sum of the values of the groups, or nothing where one cannot be solved. `across` and `through` are the
// edges whose across, whose through variable is primary.
std::optional<int64_t> ValueOf(Network& network, uint32_t across, uint32_t through) {
  int64_t sum = 0;
  for (const Component& component : network.graph.components) {
    ElementGroups& groups = network.groups[component.element.index()];
    GroupValues::Choice choice;
    for (uint32_t i = 0; i < groups.edges[0].size(); ++i) {
      const uint32_t e = component.first_edge + i;
      if ((across >> e) & 1) choice.push_back(2 * i);
      if ((through >> e) & 1) choice.push_back(2 * i + 1);
    }
    if (choice.size() != groups.edges[0].size()) return std::nullopt;
    const int32_t value = groups.values[0].Value(choice);
    if (value == GroupValues::kNone) return std::nullopt;
    sum += value;
  }
  return sum;
}

/** The greatest value of all pairs of forests, and the fewest edges with both variables primary that it
 * needs. */
struct Best {
  int64_t value;
  int alone;
};

std::optional<Best> BestOfAll(Network& network) {
  const auto edges = static_cast<uint32_t>(network.graph.edges.size());
  const uint32_t all = (1u << edges) - 1, rank = RankOf(network.graph);
  std::vector<uint32_t> forests;
  for (uint32_t set = 0; set <= all; ++set) {
    if (IsSpanningForest(network.graph, set, rank)) forests.push_back(set);
  }
  std::optional<Best> best;
  for (const uint32_t t : forests) {
    for (const uint32_t through_tree : forests) {
      const auto value = ValueOf(network, t, all & ~through_tree);
      if (!value || (best && *value < best->value)) continue;
      const int alone = std::popcount(t & ~through_tree);
      if (!best || *value > best->value || alone < best->alone) best = {*value, alone};
    }
  }
  return best;
}

std::string Describe(const std::vector<Kind>& kinds, const Network& network, const NormalTree& tree) {
  std::string out;
  for (const Component& c : network.graph.components) {
    out += kinds[c.element.index()].name;
    for (uint32_t i = 0; i < network.graph.elements[c.element.index()].edges.size(); ++i) {
      const GraphEdge& e = network.graph.edges[c.first_edge + i];
      out += " " + std::to_string(e.from.value) + "-" + std::to_string(e.to.value) + ":" +
             std::to_string(tree.primary[c.first_edge + i]);
    }
    out += "; ";
  }
  return out;
}

/** A random network of at most 7 edges. */
Network RandomNetwork(const std::vector<Kind>& kinds, std::mt19937& random) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const uint32_t vertices = 1 + below(5), most = 2 + below(6);
  std::vector<Part> parts;
  for (uint32_t edges = 0; edges < most;) {
    const uint32_t kind = below(3) == 0 ? below(kKinds) : below(2) == 0 ? below(3) : below(kTransformer + 2);
    const uint32_t count = kinds[kind].equations.edges;
    if (edges + count > 7) break;
    Part part{kind, {}};
    for (uint32_t i = 0; i < count; ++i) part.ends.emplace_back(below(vertices), below(vertices));
    parts.push_back(part);
    edges += count;
  }
  return MakeNetwork(kinds, vertices, parts);
}

std::pair<uint32_t, uint32_t> PrimaryOf(const NormalTree& tree) {
  uint32_t across = 0, through = 0;
  for (uint32_t e = 0; e < tree.primary.size(); ++e) {
    across |= (tree.primary[e] & 1u) << e;
    through |= ((tree.primary[e] >> 1) & 1u) << e;
  }
  return {across, through};
}

int Rounds() {
  return std::getenv("COTREE_LONG") != nullptr ? 200000 : 6000;
}

TEST(BruteForce, RandomNetworks) {
  const std::vector<Kind> kinds = AllKinds();
  std::mt19937 random(17);
  int regular = 0, coupled = 0, singular = 0, paired = 0;
  for (int round = 0; round < Rounds(); ++round) {
    Network network = RandomNetwork(kinds, random);
    const NormalTree tree = SelectNormalTree(network.graph, network.groups);
    const auto best = BestOfAll(network);
    const std::string text = Describe(kinds, network, tree);
    ASSERT_EQ(tree.singular, !best.has_value()) << text;
    ASSERT_EQ(CheckNormalTree(network.graph, network.groups, tree), "") << text;
    if (tree.singular) {
      ++singular;
      continue;
    }
    ++regular;
    coupled += tree.statistics.coupled_islands > 0 ? 1 : 0;
    ASSERT_EQ(tree.degree, best->value) << text;
    const auto [across, through] = PrimaryOf(tree);
    EXPECT_EQ(ValueOf(network, across, through), best->value) << text;
    EXPECT_GE(std::popcount(across & through), best->alone);
    paired += std::popcount(across & through) == best->alone ? 1 : 0;
  }
  EXPECT_GT(coupled, 200);
  EXPECT_GT(regular, 500);
  EXPECT_GT(singular, 500);
  EXPECT_GT(paired, regular * 99 / 100) << "T = T' wherever possible, almost";
}

// Wishes of the user: no pair of forests of the same value has a greater sum of wishes.
TEST(BruteForce, Wishes) {
  const std::vector<Kind> kinds = AllKinds();
  std::mt19937 random(23);
  for (int round = 0; round < Rounds() / 4; ++round) {
    Network network = RandomNetwork(kinds, random);
    const auto edges = static_cast<uint32_t>(network.graph.edges.size());
    std::vector<int> across_wish(edges), through_wish(edges);
    TreePreferences wishes;
    for (uint32_t e = 0; e < edges; ++e) {
      if (random() % 2 == 0)
        wishes.across.emplace_back(EdgeId(e), across_wish[e] = static_cast<int>(random() % 9) - 4);
      if (random() % 2 == 0)
        wishes.through.emplace_back(EdgeId(e), through_wish[e] = static_cast<int>(random() % 9) - 4);
    }
    const NormalTree tree = SelectNormalTree(network.graph, network.groups, wishes);
    ASSERT_EQ(CheckNormalTree(network.graph, network.groups, tree, wishes), "");
    if (tree.singular) continue;
    const auto worth = [&](uint32_t across, uint32_t through) {
      const auto value = ValueOf(network, across, through);
      if (!value) return INT64_MIN;
      int64_t sum = *value * 1000;
      for (uint32_t e = 0; e < edges; ++e) {
        sum += (across >> e) & 1 ? across_wish[e] : 0;
        sum += (through >> e) & 1 ? through_wish[e] : 0;
      }
      return sum;
    };
    const uint32_t all = (1u << edges) - 1, rank = RankOf(network.graph);
    const auto [across, through] = PrimaryOf(tree);
    const int64_t own = worth(across, through);
    for (uint32_t t = 0; t <= all; ++t) {
      if (!IsSpanningForest(network.graph, t, rank)) continue;
      for (uint32_t u = 0; u <= all; ++u) {
        if (!IsSpanningForest(network.graph, u, rank)) continue;
        ASSERT_LE(worth(t, all & ~u), own) << Describe(kinds, network, tree);
      }
    }
  }
}

}  // namespace
}  // namespace cotree
