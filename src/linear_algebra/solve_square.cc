// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear_algebra/decompositions.h"

namespace cotree {
namespace {

// Elimination with partial pivoting, in place: rows of a, and x from the right-hand side to the solution.
template <class Number>
void Eliminate(std::vector<Number>& a, std::vector<Number>& x) {
  const size_t n = x.size();
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto row = [&](size_t k) { return a.data() + order[k] * n; };
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; ++i) {
      if (std::abs(row(i)[k]) > std::abs(row(pivot)[k])) pivot = i;
    }
    std::swap(order[k], order[pivot]);
    for (size_t i = k + 1; i < n; ++i) {
      const Number factor = row(i)[k] / row(k)[k];
      if (factor == Number(0)) continue;
      for (size_t j = k + 1; j < n; ++j) row(i)[j] -= factor * row(k)[j];
      x[order[i]] -= factor * x[order[k]];
    }
  }
  std::vector<Number> out(n);
  for (size_t k = n; k-- > 0;) {
    Number sum = x[order[k]];
    for (size_t j = k + 1; j < n; ++j) sum -= row(k)[j] * out[j];
    out[k] = sum / row(k)[k];
  }
  x = std::move(out);
}

}  // namespace

std::vector<double> SolveSquare(const Matrix& a, std::span<const double> right) {
  std::vector<double> rows = a.data(), x(right.begin(), right.end());
  Eliminate(rows, x);
  return x;
}

std::vector<std::complex<double>> SolveSquare(const std::vector<std::complex<double>>& row_by_row,
                                              const std::vector<std::complex<double>>& right) {
  std::vector<std::complex<double>> rows = row_by_row, x = right;
  Eliminate(rows, x);
  return x;
}

}  // namespace cotree
