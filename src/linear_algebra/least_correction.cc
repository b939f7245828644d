// SPDX-License-Identifier: Apache-2.0
#include "linear_algebra/least_correction.h"

#include <Eigen/SparseCholesky>
#include <algorithm>

namespace cotree {

struct LeastCorrection::Factors {
  Eigen::SparseMatrix<double> rows;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> square;
};

LeastCorrection::LeastCorrection() : factors_(std::make_unique<Factors>()) {}
LeastCorrection::~LeastCorrection() = default;

void LeastCorrection::Factor(size_t row_count, size_t column_count, std::span<const SparseEntry> entries) {
  std::vector<Eigen::Triplet<double>> triplets;
  for (const SparseEntry& e : entries)
    triplets.emplace_back(static_cast<int>(e.row), static_cast<int>(e.column), e.value);
  Eigen::SparseMatrix<double>& rows = factors_->rows;
  rows.resize(static_cast<Eigen::Index>(row_count), static_cast<Eigen::Index>(column_count));
  rows.setFromTriplets(triplets.begin(), triplets.end());
  Eigen::SparseMatrix<double> square = rows * Eigen::SparseMatrix<double>(rows.transpose());
  double largest = 0;
  for (Eigen::Index k = 0; k < square.rows(); ++k) largest = std::max(largest, square.coeff(k, k));
  for (Eigen::Index k = 0; k < square.rows(); ++k) square.coeffRef(k, k) += 1e-8 * largest;
  factors_->square.compute(square);
}

std::vector<double> LeastCorrection::Solve(std::span<const double> off) const {
  const Eigen::Map<const Eigen::VectorXd> right(off.data(), static_cast<Eigen::Index>(off.size()));
  const Eigen::VectorXd change = factors_->rows.transpose() * factors_->square.solve(right);
  return {change.data(), change.data() + change.size()};
}

std::vector<uint32_t> FindEliminationOrder(size_t rows,
                                           std::span<const std::pair<uint32_t, uint32_t>> lower) {
  // The order depends on the pattern alone; the numbers make it definite.
  std::vector<Eigen::Triplet<double>> triplets;
  for (const auto& [i, j] : lower) {
    triplets.emplace_back(static_cast<int>(i), static_cast<int>(j),
                          i == j ? static_cast<double>(rows + 1) : 1.0);
    if (i != j) triplets.emplace_back(static_cast<int>(j), static_cast<int>(i), 1.0);
  }
  const auto n = static_cast<Eigen::Index>(rows);
  Eigen::SparseMatrix<double> square(n, n);
  square.setFromTriplets(triplets.begin(), triplets.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(square);
  std::vector<uint32_t> out;
  const bool natural = factors.permutationP().size() == 0;
  for (Eigen::Index k = 0; k < n; ++k)
    out.push_back(static_cast<uint32_t>(natural ? k : factors.permutationP().indices()[k]));
  return out;
}

}  // namespace cotree
