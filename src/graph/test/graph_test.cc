// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "graph/strong_components.h"
#include "graph/union_find.h"

namespace cotree {
namespace {

size_t Below(std::mt19937& random, size_t n) {
  return std::uniform_int_distribution<size_t>(0, n - 1)(random);
}

// --- UnionFind ---------------------------------------------------------------------------------------

/** A partition by labels: joining relabels everything. */
class Labels {
 public:
  explicit Labels(size_t n) {
    for (size_t i = 0; i < n; ++i) label_.push_back(static_cast<uint32_t>(i));
  }
  bool Join(uint32_t a, uint32_t b) {
    const uint32_t from = std::max(label_[a], label_[b]), to = std::min(label_[a], label_[b]);
    for (uint32_t& l : label_) l = l == from ? to : l;
    return from != to;
  }
  uint32_t Of(uint32_t v) const { return label_[v]; }  // the smallest member

 private:
  std::vector<uint32_t> label_;
};

TEST(UnionFind, AgreesWithRelabelling) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const size_t n = 1 + Below(random, 60);
    UnionFind sets(n);
    Labels labels(n);
    for (size_t k = 0, joins = Below(random, 2 * n); k < joins; ++k) {
      const auto a = static_cast<uint32_t>(Below(random, n)), b = static_cast<uint32_t>(Below(random, n));
      bool joined = round % 2 == 0;
      const uint32_t root = sets.Join(a, b, &joined);
      EXPECT_EQ(joined, labels.Join(a, b));
      EXPECT_EQ(root, labels.Of(a));
      const auto c = static_cast<uint32_t>(Below(random, n)), d = static_cast<uint32_t>(Below(random, n));
      EXPECT_EQ(sets.Same(c, d), labels.Of(c) == labels.Of(d));
    }
    for (uint32_t v = 0; v < n; ++v)
      EXPECT_EQ(sets.Find(v), labels.Of(v)) << "the root is the smallest member";
  }
}

TEST(UnionFind, DoesNotDependOnTheOrderOfJoining) {
  std::mt19937 random(2);
  for (int round = 0; round < 50; ++round) {
    const size_t n = 2 + Below(random, 100);
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (size_t k = 0; k < n; ++k)
      pairs.emplace_back(static_cast<uint32_t>(Below(random, n)), static_cast<uint32_t>(Below(random, n)));
    std::vector<uint32_t> roots;
    for (int order = 0; order < 4; ++order) {
      UnionFind sets(n);
      for (const auto& [a, b] : pairs) order % 2 == 0 ? sets.Join(a, b) : sets.Join(b, a);
      std::vector<uint32_t> now;
      for (uint32_t v = 0; v < n; ++v) now.push_back(sets.Find(v));
      EXPECT_TRUE(order == 0 || now == roots);
      roots = now;
      std::shuffle(pairs.begin(), pairs.end(), random);
    }
  }
}

TEST(UnionFind, GrowsWithoutForgetting) {
  UnionFind sets;
  EXPECT_EQ(sets.size(), 0u);
  sets.Grow(3);
  sets.Join(2, 1);
  sets.Grow(6);
  EXPECT_EQ(sets.size(), 6u);
  EXPECT_EQ(sets.Find(2), 1u);
  for (const uint32_t v : {0u, 3u, 4u, 5u}) EXPECT_EQ(sets.Find(v), v);
  sets.Join(5, 2);
  sets.Grow(6);
  EXPECT_EQ(sets.Find(5), 1u);
}

TEST(UnionFind, AChainOfAMillionInTheWorstOrder) {
  constexpr uint32_t kSize = 1'000'000;
  UnionFind sets(kSize);
  for (uint32_t v = kSize - 1; v > 0; --v) sets.Join(v, v - 1);
  for (uint32_t v = 0; v < kSize; v += 999) ASSERT_EQ(sets.Find(v), 0u);
  EXPECT_TRUE(sets.Same(0, kSize - 1));
}

// --- Strong components -------------------------------------------------------------------------------

DirectedGraph GraphOf(size_t n, const std::vector<std::pair<uint32_t, uint32_t>>& arcs) {
  DirectedGraph graph;
  for (uint32_t v = 0; v < n; ++v) {
    graph.first.push_back(static_cast<uint32_t>(graph.targets.size()));
    for (const auto& [a, b] : arcs) {
      if (a == v) graph.targets.push_back(b);
    }
  }
  graph.first.push_back(static_cast<uint32_t>(graph.targets.size()));
  return graph;
}

TEST(StrongComponents, AgreeWithTheTransitiveClosure) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    const size_t n = 1 + Below(random, 24), count = Below(random, 3 * n);
    std::vector<std::pair<uint32_t, uint32_t>> arcs;
    std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
    for (size_t v = 0; v < n; ++v) reach[v][v] = true;
    for (size_t k = 0; k < count; ++k) {  // loops and repeated arcs too
      const size_t a = Below(random, n), b = Below(random, n);
      arcs.emplace_back(static_cast<uint32_t>(a), static_cast<uint32_t>(b));
      reach[a][b] = true;
    }
    for (size_t k = 0; k < n; ++k) {
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
          if (reach[i][k] && reach[k][j]) reach[i][j] = true;
        }
      }
    }
    const StrongComponents strong = FindStrongComponents(GraphOf(n, arcs));
    ASSERT_EQ(strong.component_of.size(), n);
    std::vector<bool> used(strong.count, false);
    for (size_t i = 0; i < n; ++i) {
      ASSERT_LT(strong.component_of[i], strong.count);
      used[strong.component_of[i]] = true;
      for (size_t j = 0; j < n; ++j)
        EXPECT_EQ(strong.component_of[i] == strong.component_of[j], reach[i][j] && reach[j][i]);
    }
    EXPECT_EQ(std::count(used.begin(), used.end(), true), static_cast<std::ptrdiff_t>(strong.count));
    for (const auto& [a, b] : arcs)
      EXPECT_GE(strong.component_of[a], strong.component_of[b]) << "arcs go to equal or lower numbers";
  }
}

TEST(StrongComponents, OfNothingAndOfVerticesAlone) {
  EXPECT_EQ(FindStrongComponents({}).count, 0u);
  EXPECT_EQ(FindStrongComponents({{0}, {}}).count, 0u);
  EXPECT_EQ(FindStrongComponents(GraphOf(3, {})).count, 3u);
  EXPECT_EQ(FindStrongComponents(GraphOf(1, {{0, 0}})).count, 1u);
}

// No recursion: these would need a stack of a million frames.
TEST(StrongComponents, APathAndACircleOfAMillion) {
  constexpr uint32_t kSize = 1'000'000;
  DirectedGraph path;
  for (uint32_t v = 0; v < kSize; ++v) {
    path.first.push_back(static_cast<uint32_t>(path.targets.size()));
    if (v + 1 < kSize) path.targets.push_back(v + 1);
  }
  path.first.push_back(static_cast<uint32_t>(path.targets.size()));
  const StrongComponents apart = FindStrongComponents(path);
  ASSERT_EQ(apart.count, kSize);
  for (uint32_t v = 0; v + 1 < kSize; ++v) ASSERT_EQ(apart.component_of[v], apart.component_of[v + 1] + 1);
  path.targets.push_back(0);
  ++path.first.back();
  const StrongComponents together = FindStrongComponents(path);
  EXPECT_EQ(together.count, 1u);
}

}  // namespace
}  // namespace cotree
