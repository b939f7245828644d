// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "simulation/linearize.h"

namespace cotree {

std::vector<std::complex<double>> Eigenvalues(const std::vector<double>& matrix, size_t n) {
  std::vector<std::complex<double>> out;
  if (n == 0) return out;
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::MatrixXd a =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(matrix.data(),
                                                                                               size, size);
  // Balancing by powers of two (Parlett, Reinsch 1969): states of different units differ by many decades.
  for (bool again = true; again;) {
    again = false;
    for (Eigen::Index i = 0; i < size; ++i) {
      double column = 0, row = 0;
      for (Eigen::Index j = 0; j < size; ++j) {
        if (j == i) continue;
        column += std::abs(a(j, i));
        row += std::abs(a(i, j));
      }
      if (column == 0 || row == 0) continue;
      double factor = 1;
      const double sum = column + row;
      while (column < row / 2) {
        column *= 4;
        factor *= 2;
      }
      while (column >= row * 2) {
        column /= 4;
        factor /= 2;
      }
      if ((column + row) / factor >= 0.95 * sum) continue;
      again = true;
      a.row(i) /= factor;
      a.col(i) *= factor;
    }
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(a, false);
  for (Eigen::Index k = 0; k < size; ++k) out.push_back(solver.eigenvalues()[k]);
  std::sort(out.begin(), out.end(), [](const auto& x, const auto& y) {
    return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
  });
  return out;
}

}  // namespace cotree
