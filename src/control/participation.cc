// SPDX-License-Identifier: Apache-2.0
#include "control/participation.h"

#include <algorithm>

#include "linear_algebra/eigenvalues.h"

namespace cotree {

std::vector<Mode> FindModes(const std::vector<double>& matrix, size_t n) {
  std::vector<Mode> out;
  if (n == 0) return out;
  const EigenVectors vectors = FindEigenVectors(Matrix(n, n, matrix));
  double largest = 0;
  for (const std::complex<double>& value : vectors.values) largest = std::max(largest, std::abs(value));
  for (size_t k = 0; k < vectors.values.size(); ++k) {
    std::complex<double> pole = vectors.values[k];
    if (std::abs(pole) < 1e-12 * largest) pole = 0;  // rounding
    if (pole.imag() < 0) continue;
    Mode mode{pole, {}};
    if (!vectors.left.empty()) {
      double sum = 0;
      for (size_t i = 0; i < n; ++i) {
        mode.participation.push_back(std::abs(vectors.left[k * n + i] * vectors.right[i * n + k]));
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
