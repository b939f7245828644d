// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "linear_algebra/matrix.h"

namespace cotree {

/// The solution of a square system, by elimination with partial pivoting. Not finite: the matrix is singular.
std::vector<double> SolveSquare(const Matrix& a, std::span<const double> right);
std::vector<std::complex<double>> SolveSquare(const std::vector<std::complex<double>>& row_by_row,
                                              const std::vector<std::complex<double>>& right);
/// That of a symmetric one, by L D L'.
std::vector<double> SolveSymmetric(const Matrix& a, std::span<const double> right);

/** Solutions of A x = b: the best ones where there is none, and of these the least. By complete orthogonal
decomposition; pivots below `threshold` of the largest count as 0 (0: what rounding leaves). */
class LeastSquares {
 public:
  explicit LeastSquares(const Matrix& a, double threshold = 0);
  ~LeastSquares();
  LeastSquares(LeastSquares&&) noexcept;
  LeastSquares& operator=(LeastSquares&&) noexcept;

  size_t rank() const;
  std::vector<double> Solve(std::span<const double> right) const;
  Matrix Solve(const Matrix& right) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

/** A = U diag(values) V', values from the largest to the least. */
struct SingularValues {
  std::vector<double> values;
  Matrix V;  // columns by columns of A; empty where only the values are asked
};
SingularValues FindSingularValues(const Matrix& a, bool vectors = false);

/// Eigenvectors of a symmetric matrix as columns, from the least eigenvalue to the largest.
Matrix SymmetricEigenvectors(const Matrix& a);

/// Columns of length 1, across each other, that span what the columns of a matrix of full rank do.
Matrix OrthogonalColumns(const Matrix& a);

}  // namespace cotree
