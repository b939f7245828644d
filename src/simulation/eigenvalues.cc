// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "graph/strong_components.h"
#include "simulation/linearize.h"

namespace cotree {
namespace {

// Of a matrix that is not to be taken apart.
void AddEigenvalues(Eigen::MatrixXd& a, std::vector<std::complex<double>>& out) {
  const Eigen::Index size = a.rows();
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
}

}  // namespace

// States that act on each other in one direction only are apart: so several integrators have poles of exactly
// 0, where the whole matrix would give the root of the rounding error.
std::vector<std::complex<double>> Eigenvalues(const std::vector<double>& matrix, size_t n) {
  std::vector<std::complex<double>> out;
  if (n == 0) return out;
  DirectedGraph graph;
  graph.first.push_back(0);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      if (i != j && matrix[i * n + j] != 0) graph.targets.push_back(static_cast<uint32_t>(j));
    }
    graph.first.push_back(static_cast<uint32_t>(graph.targets.size()));
  }
  const StrongComponents components = FindStrongComponents(graph);
  std::vector<std::vector<size_t>> members(components.count);
  for (size_t i = 0; i < n; ++i) members[components.component_of[i]].push_back(i);
  for (const std::vector<size_t>& part : members) {
    if (part.size() == 1) {
      out.emplace_back(matrix[part[0] * n + part[0]]);
      continue;
    }
    const auto size = static_cast<Eigen::Index>(part.size());
    Eigen::MatrixXd a(size, size);
    for (Eigen::Index i = 0; i < size; ++i) {
      for (Eigen::Index j = 0; j < size; ++j)
        a(i, j) = matrix[part[static_cast<size_t>(i)] * n + part[static_cast<size_t>(j)]];
    }
    AddEigenvalues(a, out);
  }
  std::sort(out.begin(), out.end(), [](const auto& x, const auto& y) {
    return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
  });
  return out;
}

}  // namespace cotree
