// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

#include "linear_algebra/eigen_matrix.h"
#include "linear_algebra/eigenvalues.h"

namespace cotree {
namespace {

// By row: what it depends on, directly or through others; itself too.
std::vector<std::vector<bool>> Reached(const Matrix& a) {
  const size_t n = a.rows();
  std::vector<std::vector<bool>> out(n, std::vector<bool>(n, false));
  for (size_t from = 0; from < n; ++from) {
    std::vector<size_t> open{from};
    out[from][from] = true;
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      for (size_t to = 0; to < n; ++to) {
        if (a(at, to) == 0 || out[from][to]) continue;
        out[from][to] = true;
        open.push_back(to);
      }
    }
  }
  return out;
}

}  // namespace

/* What does not act on a state has no part in its motion: these entries are exactly 0, where scaling and
squaring leaves rounding. A state that nothing acts back on moves by exp of its own entry, so that an
integrator keeps its eigenvalue of exactly 1. And what A does not move, A v = 0, exp A leaves where it is:
exp(A) v = v gives the column of the pivot of v from the others. */
Matrix Exponential(const Matrix& a) {
  Matrix out = FromEigen(Eigen::MatrixXd(ToEigen(a).exp()));
  const std::vector<std::vector<bool>> reached = Reached(a);
  for (size_t i = 0; i < a.rows(); ++i) {
    bool alone = true;
    for (size_t j = 0; j < a.columns(); ++j) {
      if (!reached[i][j]) out(i, j) = 0;
      alone = alone && (i == j || !reached[i][j] || !reached[j][i]);
    }
    if (alone) out(i, i) = std::exp(a(i, i));
  }
  Matrix balanced = a;
  const std::vector<double> factors = Balance(balanced);
  for (const StillMode& mode : FindStillModes(balanced)) {
    const size_t p = mode.pivot;
    for (size_t i = 0; i < a.rows(); ++i) {
      if (mode.direction[i] == 0 && out(i, p) == 0) continue;
      double sum = mode.direction[i] * factors[i];
      for (size_t j = 0; j < a.columns(); ++j) {
        if (j != p) sum -= out(i, j) * (mode.direction[j] * factors[j]);
      }
      out(i, p) = sum / factors[p];
    }
  }
  return out;
}

}  // namespace cotree
