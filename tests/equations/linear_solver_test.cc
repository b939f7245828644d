// SPDX-License-Identifier: Apache-2.0
#include "program/linear_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace cotree::test {
namespace {

// The second difference (-1, 2, -1) of size n has the determinant n + 1; exchanging two rows changes its
// sign, scaling one by -3 multiplies it by that.
TEST(LinearSolver, DeterminantOfTheSecondDifference) {
  std::mt19937 random(5);
  for (const uint32_t n : {1u, 2u, 5u, 32u, 33u, 200u}) {
    std::vector<uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    int sign = 1;
    for (int trial = 0; trial < 6; ++trial) {
      std::vector<std::vector<uint32_t>> pattern(n);
      std::vector<double> values;
      for (uint32_t r = 0; r < n; ++r) {
        const uint32_t k = order[r];
        const double factor = r == 0 ? -3 : 1;
        for (uint32_t c = k > 0 ? k - 1 : 0; c <= std::min(k + 1, n - 1); ++c) {
          pattern[r].push_back(c);
          values.push_back(factor * (c == k ? 2 : -1));
        }
      }
      LinearSolver solver(n, pattern);
      EXPECT_EQ(solver.FindDeterminant().sign, 0) << "nothing is factored yet";
      ASSERT_TRUE(solver.Factor(values));
      const LinearSolver::Determinant found = solver.FindDeterminant();
      EXPECT_EQ(found.sign, -sign) << n << ", trial " << trial;
      EXPECT_NEAR(found.log, std::log(3.0 * (n + 1)), 1e-9) << n << ", trial " << trial;
      if (n == 1) break;
      const auto a = random() % n, b = (a + 1 + random() % (n - 1)) % n;
      std::swap(order[a], order[b]);
      sign = -sign;
    }
  }
}

}  // namespace
}  // namespace cotree::test
