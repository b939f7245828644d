// SPDX-License-Identifier: Apache-2.0
#include "linear_algebra/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "linear_algebra/eigen_matrix.h"

namespace cotree {

std::vector<double> SolveSymmetric(const Matrix& a, std::span<const double> right) {
  return FromEigen(Eigen::VectorXd(ToEigen(a).ldlt().solve(ToEigen(right))));
}

struct LeastSquares::Factors {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
};

LeastSquares::LeastSquares(const Matrix& a, double threshold) : factors_(std::make_unique<Factors>()) {
  if (threshold > 0) factors_->decomposition.setThreshold(threshold);
  factors_->decomposition.compute(ToEigen(a));
}
LeastSquares::~LeastSquares() = default;
LeastSquares::LeastSquares(LeastSquares&&) noexcept = default;
LeastSquares& LeastSquares::operator=(LeastSquares&&) noexcept = default;

size_t LeastSquares::rank() const {
  return static_cast<size_t>(factors_->decomposition.rank());
}

std::vector<double> LeastSquares::Solve(std::span<const double> right) const {
  return FromEigen(Eigen::VectorXd(factors_->decomposition.solve(ToEigen(right))));
}

Matrix LeastSquares::Solve(const Matrix& right) const {
  Matrix out(static_cast<size_t>(factors_->decomposition.cols()), right.columns());
  for (size_t j = 0; j < right.columns(); ++j) {
    const std::vector<double> x = Solve(right.Column(j));
    for (size_t i = 0; i < x.size(); ++i) out(i, j) = x[i];
  }
  return out;
}

SingularValues FindSingularValues(const Matrix& a, bool vectors) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(ToEigen(a), vectors ? unsigned{Eigen::ComputeFullV} : 0u);
  SingularValues out;
  out.values = FromEigen(Eigen::VectorXd(svd.singularValues()));
  if (vectors) out.V = FromEigen(svd.matrixV());
  return out;
}

Matrix SymmetricEigenvectors(const Matrix& a) {
  return FromEigen(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(ToEigen(a)).eigenvectors());
}

Matrix OrthogonalColumns(const Matrix& a) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(ToEigen(a));
  const Eigen::MatrixXd q =
      qr.householderQ() * Eigen::MatrixXd::Identity(AsIndex(a.rows()), AsIndex(a.columns()));
  return FromEigen(q);
}

}  // namespace cotree
