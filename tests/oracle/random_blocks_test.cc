// SPDX-License-Identifier: Apache-2.0
// Blocks of random networks, couplers among them, against those of dense circuit and cut-set matrices of the
// same trees.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "oracle/ask.h"
#include "oracle/blocks.h"
#include "oracle/random_network.h"

namespace cotree::oracle {
namespace {

/// The tree as numbers of the network's edges; none where an element is written as several components.
std::optional<std::vector<size_t>> TreeOf(const Network& network, const Answer& answer,
                                          const std::vector<std::string>& branches) {
  std::vector<size_t> tree;
  size_t edge = 0;
  for (const Element& e : network.elements) {
    std::vector<std::string> own;
    for (const std::string& name : answer.edges) {
      if (name == e.name || name.starts_with(e.name + ".")) own.push_back(name);
    }
    if (own.size() != e.ports.size()) return std::nullopt;
    for (const std::string& name : own) {
      if (std::find(branches.begin(), branches.end(), name) != branches.end()) tree.push_back(edge);
      ++edge;
    }
  }
  return tree;
}

TEST(RandomBlocks, AreThoseOfDenseMatrices) {
  size_t compared = 0, different = 0, with_loops = 0, with_couplers = 0;
  for (uint32_t seed = 1; seed <= 1400; ++seed) {
    RandomNetworkMaker maker(seed, false);
    const Network network = maker.Make();
    const Answer answer = AskCotree(NetworkText(network));
    if (answer.refused) continue;
    const auto across = TreeOf(network, answer, answer.branches),
               through = TreeOf(network, answer, answer.through_branches);
    if (!across || !through) continue;
    const auto structure = StructureOf(network, *across, *through);
    // Numbers that cancel cost states; what then takes the place of an equation is a choice.
    if (!structure || structure->states != static_cast<size_t>(answer.order)) continue;
    const auto expected = BlockSizes(structure->equations, structure->unknowns);
    if (!expected) continue;
    // Signals that drive sources are blocks of one besides.
    std::vector<size_t> wanted, got;
    for (const size_t size : *expected) {
      if (size > 1) wanted.push_back(size);
    }
    for (const size_t size : answer.block_sizes) {
      if (size > 1) got.push_back(size);
    }
    std::sort(wanted.begin(), wanted.end());
    std::sort(got.begin(), got.end());
    ++compared;
    with_loops += wanted.empty() ? 0u : 1u;
    with_couplers += answer.edges.size() > network.elements.size() ? 1u : 0u;
    if (wanted == got) continue;
    ++different;
    if (different <= 3) {
      ADD_FAILURE() << NetworkText(network) << ::testing::PrintToString(wanted) << " expected, got "
                    << ::testing::PrintToString(got);
    }
  }
  std::printf("blocks compared %zu (with loops %zu, with couplers %zu), different %zu\n", compared,
              with_loops, with_couplers, different);
  EXPECT_GT(compared, 200u);
  EXPECT_GT(with_couplers, 50u);
  EXPECT_EQ(different, 0u);
}

}  // namespace
}  // namespace cotree::oracle
