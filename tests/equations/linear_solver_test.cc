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

struct Columns {
  std::vector<int> first{0}, rows;
  std::vector<double> values;
  size_t size() const { return first.size() - 1; }
  std::vector<double> Times(const std::vector<double>& x) const {
    std::vector<double> out(size(), 0);
    for (size_t j = 0; j < size(); ++j) {
      for (auto k = static_cast<size_t>(first[j]); k < static_cast<size_t>(first[j + 1]); ++k)
        out[static_cast<size_t>(rows[k])] += values[k] * x[j];
    }
    return out;
  }
};

// 1 - c J of a plane grid of `side` nodes a side, neighbours with random conductances and capacitances over
// three decades; `couple`: how much of the current of each neighbour a node loses again, which makes values
// unsymmetric.
Columns Grid(int side, double c, double couple, uint32_t seed) {
  std::mt19937 random(seed);
  const auto number = [&] { return static_cast<double>(random() % 1000 + 1) / 1000; };
  Columns out;
  std::vector<double> capacity(static_cast<size_t>(side * side));
  for (double& x : capacity) x = std::pow(10, 3 * number());
  for (int j = 0; j < side * side; ++j) {
    for (const int i : {j - side, j - 1, j, j + 1, j + side}) {
      if (i < 0 || i >= side * side || (i == j - 1 && j % side == 0) || (i == j + 1 && i % side == 0))
        continue;
      const double of_row = c / capacity[static_cast<size_t>(i)];
      out.rows.push_back(i);
      out.values.push_back(i == j ? 1 + 5 * of_row : -of_row * (number() * (1 - couple) + couple * 0.5));
    }
    out.first.push_back(static_cast<int>(out.rows.size()));
  }
  return out;
}

// Large fill goes through dense fronts: the solution that was put in comes out, again and again with other
// values, and where pivots must not stay on the diagonal KLU takes over.
TEST(LinearSolver, FrontsGiveTheSolution) {
  std::mt19937 random(11);
  for (const int side : {60, 83}) {
    Columns matrix = Grid(side, 1, 0.5, 1);
    LinearSolver solver(matrix.first, matrix.rows);
    EXPECT_TRUE(solver.has_much_fill()) << side;
    for (const double c : {0.0, 1e-3, 1.0, 1e4}) {
      matrix.values = Grid(side, c, 0.2, static_cast<uint32_t>(side)).values;
      std::vector<double> x(matrix.size());
      for (double& v : x) v = static_cast<double>(random() % 2001) / 1000 - 1;
      std::vector<double> b = matrix.Times(x);
      ASSERT_TRUE(solver.FactorColumns(matrix.values));
      solver.Solve(b);
      double worst = 0;
      for (size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::fabs(b[k] - x[k]));
      EXPECT_LT(worst, 1e-9) << side << ", c " << c;
    }
    // A diagonal of zeros here and there, and nothing else changed.
    for (size_t j = 0; j + 1 < matrix.size(); j += 7) {
      for (auto k = static_cast<size_t>(matrix.first[j]); k < static_cast<size_t>(matrix.first[j + 1]); ++k) {
        if (matrix.rows[k] == static_cast<int>(j)) matrix.values[k] = 0;
      }
    }
    std::vector<double> x(matrix.size(), 1);
    std::vector<double> b = matrix.Times(x);
    ASSERT_TRUE(solver.FactorColumns(matrix.values));
    solver.Solve(b);
    double worst = 0;
    for (const double v : b) worst = std::max(worst, std::fabs(v - 1));
    EXPECT_LT(worst, 1e-6) << side;
  }
  const Columns chain = Grid(20, 1, 0.5, 1);
  EXPECT_FALSE(LinearSolver(chain.first, chain.rows).has_much_fill());
}

}  // namespace
}  // namespace cotree::test
