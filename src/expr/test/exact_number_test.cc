// SPDX-License-Identifier: Apache-2.0
#include "expr/exact_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace cotree {
namespace {

TEST(ExactNumber, FractionsAndMultiplesOfPi) {
  constexpr double kPi = std::numbers::pi;
  struct Row {
    double value;
    int64_t numerator, denominator;  // 0: none
    int pi_power;
  };
  for (const Row& row : std::vector<Row>{{1.0 / 12, 1, 12, 0},
                                         {-5.0 / 6, -5, 6, 0},
                                         {100.0 / 3, 100, 3, 0},
                                         {kPi, 1, 1, 1},
                                         {-2 * kPi, -2, 1, 1},
                                         {22.5 * kPi / 180, 1, 8, 1},
                                         {180 / kPi, 180, 1, -1},
                                         {kPi * kPi / 4, 1, 4, 2},
                                         {0.125, 0, 0, 0},
                                         {9.80665, 0, 0, 0},
                                         {0.333333, 0, 0, 0},
                                         {3.14159, 0, 0, 0},
                                         {3.141592653589, 0, 0, 0},
                                         {0.1 + 0.2, 0, 0, 0},
                                         {std::sqrt(2.0), 0, 0, 0},
                                         {std::exp(1.0), 0, 0, 0},
                                         {std::nextafter(1.0 / 12, 1), 0, 0, 0},
                                         {0, 0, 0, 0}}) {
    const auto found = FindExact(row.value);
    ASSERT_EQ(found.has_value(), row.denominator != 0) << row.value;
    if (!found) continue;
    EXPECT_EQ(found->numerator, row.numerator) << row.value;
    EXPECT_EQ(found->denominator, row.denominator) << row.value;
    EXPECT_EQ(found->pi_power, row.pi_power) << row.value;
  }
}

// Numbers of 16 digits that mean nothing are none of these.
TEST(ExactNumber, NoneByChance) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-3, 4);
  for (int k = 0; k < 20000; ++k) {
    const double value = std::pow(10, exponent(random));
    EXPECT_FALSE(FindExact(value)) << value;
  }
}

}  // namespace
}  // namespace cotree
