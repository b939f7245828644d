// SPDX-License-Identifier: Apache-2.0
#include "control/participation.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>

namespace cotree {

std::vector<Mode> FindModes(const std::vector<double>& matrix, size_t n) {
  std::vector<Mode> out;
  if (n == 0) return out;
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::MatrixXd a(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) a(i, j) = matrix[static_cast<size_t>(i * size + j)];
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(a);
  if (solver.info() != Eigen::Success) return out;
  const Eigen::MatrixXcd right = solver.eigenvectors();
  const Eigen::FullPivLU<Eigen::MatrixXcd> lu(right);
  const bool full = lu.isInvertible() && lu.rcond() > 1e-12;
  const Eigen::MatrixXcd left = full ? lu.inverse().eval() : Eigen::MatrixXcd();
  double largest = 0;
  for (Eigen::Index k = 0; k < size; ++k) largest = std::max(largest, std::abs(solver.eigenvalues()(k)));
  for (Eigen::Index k = 0; k < size; ++k) {
    std::complex<double> pole = solver.eigenvalues()(k);
    if (std::abs(pole) < 1e-12 * largest) pole = 0;  // rounding
    if (pole.imag() < 0) continue;
    Mode mode{pole, {}};
    if (full) {
      double sum = 0;
      for (Eigen::Index i = 0; i < size; ++i) {
        mode.participation.push_back(std::abs(left(k, i) * right(i, k)));
        sum += mode.participation.back();
      }
      for (double& p : mode.participation) p /= sum;
    }
    out.push_back(std::move(mode));
  }
  std::stable_sort(out.begin(), out.end(), [](const Mode& a_, const Mode& b_) {
    return std::make_pair(-a_.pole.real(), a_.pole.imag()) < std::make_pair(-b_.pole.real(), b_.pole.imag());
  });
  return out;
}

}  // namespace cotree
