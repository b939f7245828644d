// SPDX-License-Identifier: Apache-2.0
// Blocks of random networks of two-terminal elements against those of dense circuit and cut-set matrices of
// the same tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "oracle/ask.h"
#include "oracle/blocks.h"
#include "oracle/random_network.h"

namespace cotree::oracle {
namespace {

TEST(RandomBlocks, AreThoseOfDenseMatrices) {
  size_t compared = 0, different = 0, with_loops = 0;
  for (uint32_t seed = 1; seed <= 1400; ++seed) {
    RandomNetworkMaker maker(seed, false);
    const Network network = maker.Make();
    // One edge an element, so that names are numbers of edges.
    if (EdgesOf(network).size() != network.elements.size()) continue;
    const Answer answer = AskCotree(NetworkText(network));
    if (answer.refused) continue;
    std::vector<size_t> tree;
    bool known = true;
    for (const std::string& branch : answer.branches) {
      const auto at = std::find_if(network.elements.begin(), network.elements.end(),
                                   [&](const Element& e) { return e.name == branch; });
      known = known && at != network.elements.end();
      tree.push_back(static_cast<size_t>(at - network.elements.begin()));
    }
    if (!known) continue;
    std::sort(tree.begin(), tree.end());
    const auto expected = ReferenceBlockSizes(network, tree, tree);
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
    if (wanted == got) continue;
    ++different;
    if (different <= 3) {
      ADD_FAILURE() << NetworkText(network) << ::testing::PrintToString(wanted) << " expected, got "
                    << ::testing::PrintToString(got);
    }
  }
  std::printf("blocks compared %zu (with loops %zu), different %zu\n", compared, with_loops, different);
  EXPECT_GT(compared, 40u);
  EXPECT_EQ(different, 0u);
}

}  // namespace
}  // namespace cotree::oracle
