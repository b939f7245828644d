// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "linear_algebra/decompositions.h"
#include "linear_algebra/eigenvalues.h"
#include "linear_algebra/least_correction.h"

namespace cotree {
namespace {

Matrix Random(size_t rows, size_t columns, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  Matrix out(rows, columns);
  for (size_t i = 0; i < rows; ++i) {
    for (double& x : out.row(i)) x = any(random);
  }
  return out;
}

double Distance(Matrix a, const Matrix& b) {
  return (a -= b).Largest();
}

TEST(LinearAlgebra, ProductsAgreeWithTheirDefinition) {
  const Matrix a = Random(4, 3, 1), b = Random(3, 5, 2), c = a * b;
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 5; ++j) EXPECT_NEAR(c(i, j), Dot(a.row(i), b.Column(j)), 1e-15);
  }
  EXPECT_LT(Distance((a * b).Transposed(), b.Transposed() * a.Transposed()), 1e-15);
}

TEST(LinearAlgebra, SolutionsSolve) {
  for (const uint32_t seed : {3u, 4u, 5u}) {
    const Matrix a = Random(6, 6, seed);
    const std::vector<double> b = Random(6, 1, seed + 100).Column(0);
    std::vector<double> off = a * SolveSquare(a, b);
    AddTimes(off, -1, b);
    EXPECT_LT(Largest(off), 1e-12);
    const Matrix square = a * a.Transposed();
    off = square * SolveSymmetric(square, b);
    AddTimes(off, -1, b);
    EXPECT_LT(Largest(off), 1e-9);
  }
  EXPECT_FALSE(IsFinite(SolveSquare(Matrix(2, 2), std::vector<double>{1, 1})));
}

TEST(LinearAlgebra, ComplexSolutionsSolve) {
  const std::vector<std::complex<double>> a{{0, 1}, 2, 3, {4, -1}}, b{1, {0, 5}};
  const auto x = SolveSquare(a, b);
  EXPECT_LT(std::abs(a[0] * x[0] + a[1] * x[1] - b[0]), 1e-14);
  EXPECT_LT(std::abs(a[2] * x[0] + a[3] * x[1] - b[1]), 1e-14);
}

TEST(LinearAlgebra, LeastSquaresGiveTheLeastSolution) {
  // Rank 2 of 3: the third column is the sum of the others, so the least solution shares.
  const Matrix a(3, 3, {1, 0, 1, 0, 1, 1, 1, 1, 2});
  const LeastSquares solver(a);
  EXPECT_EQ(solver.rank(), 2u);
  const std::vector<double> x = solver.Solve(std::vector<double>{3, 0, 3});
  EXPECT_NEAR(x[0], 2, 1e-14);
  EXPECT_NEAR(x[1], -1, 1e-14);
  EXPECT_NEAR(x[2], 1, 1e-14);
}

TEST(LinearAlgebra, SingularVectorsAndBases) {
  const Matrix a = Random(3, 5, 9);
  const SingularValues svd = FindSingularValues(a, true);
  EXPECT_LT(Distance(svd.V.Transposed() * svd.V, Matrix::Identity(5, 5)), 1e-14);
  EXPECT_LT((a * svd.V.Block(0, 5, 3, 2)).Largest(), 1e-14);  // what the matrix does not see
  const Matrix q = OrthogonalColumns(a.Transposed());
  EXPECT_LT(Distance(q.Transposed() * q, Matrix::Identity(3, 3)), 1e-14);
  const Matrix square = a * a.Transposed(), v = SymmetricEigenvectors(square);
  const Matrix diagonal = v.Transposed() * square * v;
  EXPECT_LE(diagonal(0, 0), diagonal(1, 1));
  EXPECT_NEAR(diagonal(2, 2), svd.values[0] * svd.values[0], 1e-13);
  EXPECT_NEAR(diagonal(0, 1), 0, 1e-14);
}

TEST(LinearAlgebra, IntegratorsKeepTheirPoles) {
  // x1' = x2, x2' = -3 x2 + x3, x3' = x2 - x3: x1 is a free angle.
  const std::vector<double> a{0, 1, 0, 0, -3, 1, 0, 1, -1};
  EXPECT_EQ(Eigenvalues(a, 3).back(), 0.0);
  Matrix scaled(3, 3, a);
  const Matrix flow = Exponential(scaled *= 0.01);
  EXPECT_EQ(flow(0, 0), 1);
  EXPECT_EQ(flow(1, 0), 0);
  EXPECT_EQ(flow(2, 0), 0);
  EXPECT_EQ(Eigenvalues(flow.data(), 3).back(), 1.0);
}

// Two inertias with a spring and a damper between them, one driven through a gear: the whole turns freely,
// and where nothing brakes it, it also keeps its speed.
TEST(LinearAlgebra, WhatTurnsFreelyHasPolesOfExactlyZero) {
  for (const double ratio : {1.0, 3.0, 0.1, 17.3}) {
    for (const double brake : {0.0, 1e-6, 0.3}) {
      const double k = 523.7, d = 0.21, J1 = 5.3e-4, J2 = 0.0021;
      // phi1, w1, phi2, w2
      const std::vector<double> a{
          0, 1, 0, 0, -k / J1,        -(d + brake) / J1, k * ratio / J1,          d * ratio / J1,
          0, 0, 0, 1, k * ratio / J2, d * ratio / J2,    -k * ratio * ratio / J2, -d * ratio * ratio / J2};
      const auto poles = Eigenvalues(a, 4);
      const auto still = std::count(poles.begin(), poles.end(), std::complex<double>(0));
      EXPECT_EQ(still, brake == 0 ? 2 : 1) << ratio << " " << brake;
      Matrix step(4, 4, a);
      const auto sampled = Eigenvalues(Exponential(step *= 1e-3).data(), 4, 1);
      const auto stays = std::count(sampled.begin(), sampled.end(), std::complex<double>(1));
      // An exponential is known to its rounding only: of two poles that coincide it may let one go.
      EXPECT_GE(stays, 1) << ratio << " " << brake;
      if (brake > 0) {
        EXPECT_EQ(stays, 1) << ratio << " " << brake;
      }
    }
  }
}

TEST(LinearAlgebra, SlowPolesAreNotTakenForZero) {
  // A time constant of 1e8 s beside one of 1e-6 s, coupled both ways.
  const double slow = 1e-8, fast = 1e6;
  const auto poles = Eigenvalues({-fast, fast / 2, slow, -slow}, 2);
  EXPECT_NEAR(poles[1].real(), -slow / 2, 1e-3 * slow);
}

TEST(LinearAlgebra, ExponentialOfARotation) {
  const double angle = 2.5;
  const Matrix turn = Exponential(Matrix(2, 2, {0, -angle, angle, 0}));
  EXPECT_NEAR(turn(0, 0), std::cos(angle), 1e-14);
  EXPECT_NEAR(turn(1, 0), std::sin(angle), 1e-14);
}

TEST(LinearAlgebra, EigenvectorsAreThose) {
  const Matrix a = Random(5, 5, 11);
  const EigenVectors v = FindEigenVectors(a);
  ASSERT_EQ(v.values.size(), 5u);
  ASSERT_FALSE(v.left.empty());
  for (size_t k = 0; k < 5; ++k) {
    for (size_t i = 0; i < 5; ++i) {
      std::complex<double> sum = 0;
      for (size_t j = 0; j < 5; ++j) sum += a(i, j) * v.right[j * 5 + k];
      EXPECT_LT(std::abs(sum - v.values[k] * v.right[i * 5 + k]), 1e-13);
    }
  }
  // A double eigenvalue with one vector only.
  EXPECT_TRUE(FindEigenVectors(Matrix(2, 2, {1, 1, 0, 1})).left.empty());
}

TEST(LinearAlgebra, GeneralizedEigenvaluesLeaveOutInfinity) {
  const auto found = GeneralizedEigenvalues(Matrix(2, 2, {6, 0, 0, 1}), Matrix(2, 2, {2, 0, 0, 0}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].real(), 3, 1e-14);
}

TEST(LinearAlgebra, LeastCorrectionMends) {
  // x1 + x2 is off by 2, x2 - x3 by 1: the least change by hand.
  LeastCorrection change;
  const std::vector<SparseEntry> rows{{0, 0, 1}, {0, 1, 1}, {1, 1, 1}, {1, 2, -1}};
  change.Factor(2, 3, rows);
  const std::vector<double> x = change.Solve(std::vector<double>{2, 1});
  EXPECT_NEAR(x[0] + x[1], 2, 1e-7);
  EXPECT_NEAR(x[1] - x[2], 1, 1e-7);
  EXPECT_NEAR(x[0] - x[1] - x[2], 0, 1e-7);  // across what does not matter
  EXPECT_EQ(
      FindEliminationOrder(2, std::vector<std::pair<uint32_t, uint32_t>>{{0, 0}, {1, 0}, {1, 1}}).size(), 2u);
}

}  // namespace
}  // namespace cotree
