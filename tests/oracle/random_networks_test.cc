// SPDX-License-Identifier: Apache-2.0
// Random networks against the oracle: refused if and only if the pencil is singular; order; poles; the same
// bits for reordered text; the same order and poles for renamed instances. COTREE_LONG: ten times as many.

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <random>
#include <string>

#include "oracle/check.h"
#include "oracle/random_network.h"

namespace cotree::oracle {
namespace {

void CheckSeeds(uint32_t first, uint32_t last, bool decimals) {
  Tally tally;
  for (uint32_t seed = first; seed <= last; ++seed) {
    RandomNetworkMaker maker(seed, decimals);
    const Network network = maker.Make();
    ASSERT_TRUE(IsConnected(network)) << NetworkText(network);
    std::mt19937 random(seed);
    const std::string title = "seed " + std::to_string(seed) + ", " + FamilyName(maker.family());
    CheckNetwork(network, title, {.reordered = true, .renamed = true, .random = &random}, tally);
  }
  std::cout << tally.Summary() << ", poles compared " << tally.poles_compared << std::endl;
  EXPECT_EQ(tally.disagreements(), 0u) << tally.report;
}

TEST(RandomNetworks, AgreeWithTheOracle) {
  CheckSeeds(1, LongTests() ? 2000 : 200, false);
}

// Values such as 0.1, which no binary number is equal to: what cancels in decimals must cancel.
TEST(RandomNetworks, WithDecimalValues) {
  CheckSeeds(10001, LongTests() ? 10400 : 10040, true);
}

}  // namespace
}  // namespace cotree::oracle
