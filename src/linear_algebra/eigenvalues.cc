// SPDX-License-Identifier: Apache-2.0
#include "linear_algebra/eigenvalues.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "graph/strong_components.h"
#include "linear_algebra/eigen_matrix.h"

namespace cotree {

std::vector<double> Balance(Matrix& a) {
  const size_t size = a.rows();
  std::vector<double> factors(size, 1.0);
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < size; ++i) {
      double column = 0, row = 0;
      for (size_t j = 0; j < size; ++j) {
        if (j == i) continue;
        column += std::fabs(a(j, i));
        row += std::fabs(a(i, j));
      }
      if (column == 0 || row == 0 || !std::isfinite(column + row)) continue;
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
      factors[i] *= factor;
      for (size_t j = 0; j < size; ++j) a(i, j) /= factor;
      for (size_t j = 0; j < size; ++j) a(j, i) *= factor;
    }
  }
  return factors;
}

std::vector<StillMode> FindStillModes(const Matrix& a) {
  constexpr double kRounding = 1e-12;
  std::vector<StillMode> out;
  if (a.rows() == 0 || !a.IsFinite()) return out;
  Eigen::MatrixXd rows = ToEigen(a);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double size = rows.row(i).cwiseAbs().maxCoeff();
    if (size > 0) rows.row(i) /= size;
  }
  // rows P = Q R; where the last of R are nothing, R v = 0 is solved from the ones before them up.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows);
  const auto& r = qr.matrixR();
  Eigen::Index rank = 0;
  while (rank < rows.cols() && std::fabs(r(rank, rank)) > kRounding * std::fabs(r(0, 0))) ++rank;
  for (Eigen::Index free = rank; free < rows.cols(); ++free) {
    Eigen::VectorXd v = Eigen::VectorXd::Zero(rows.cols());
    v[free] = 1;
    if (rank > 0)
      v.head(rank) =
          -r.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solve(r.col(free).head(rank));
    v = (qr.colsPermutation() * v).eval();
    const double largest = v.cwiseAbs().maxCoeff();
    StillMode mode{FromEigen(v), static_cast<size_t>(qr.colsPermutation().indices()[free])};
    for (double& x : mode.direction) {
      if (std::fabs(x) < 1e-11 * largest) x = 0;  // rounding: such states have no part in it
    }
    out.push_back(std::move(mode));
  }
  return out;
}

std::optional<StillMode> FindStillMode(const Matrix& a) {
  const std::vector<StillMode> all = FindStillModes(a);
  if (all.empty()) return std::nullopt;
  StillMode out = all.front();
  for (size_t k = 0; k < out.direction.size(); ++k) {
    if (std::fabs(out.direction[k]) > std::fabs(out.direction[out.pivot])) out.pivot = k;
  }
  const double largest = out.direction[out.pivot];
  for (double& x : out.direction) x /= largest;
  return out;
}

Matrix WithoutMode(const Matrix& a, const StillMode& mode) {
  Matrix out(a.rows() - 1, a.columns() - 1);
  for (size_t i = 0, to = 0; i < a.rows(); ++i) {
    if (i == mode.pivot) continue;
    for (size_t j = 0, at = 0; j < a.columns(); ++j) {
      if (j != mode.pivot) out(to, at++) = a(i, j) - mode.direction[i] * a(mode.pivot, j);
    }
    ++to;
  }
  return out;
}

// Taken apart, several integrators have eigenvalues of exactly 0, where the whole matrix would give the root
// of the rounding error.
std::vector<std::complex<double>> Eigenvalues(const std::vector<double>& matrix, size_t n, double still) {
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
    Matrix a(part.size(), part.size());
    for (size_t i = 0; i < part.size(); ++i) {
      for (size_t j = 0; j < part.size(); ++j) a(i, j) = matrix[part[i] * n + part[j]] - (i == j ? still : 0);
    }
    Balance(a);
    while (const std::optional<StillMode> mode = FindStillMode(a)) {
      out.emplace_back(still);
      a = WithoutMode(a, *mode);
    }
    if (a.rows() == 0) continue;
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(ToEigen(a), false);
    for (const std::complex<double>& value : solver.eigenvalues()) out.push_back(value + still);
  }
  std::sort(out.begin(), out.end(), [](const auto& x, const auto& y) {
    return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
  });
  return out;
}

EigenVectors FindEigenVectors(const Matrix& a) {
  EigenVectors out;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(ToEigen(a));
  if (solver.info() != Eigen::Success) return out;
  for (const std::complex<double>& value : solver.eigenvalues()) out.values.push_back(value);
  const auto data = [](const Eigen::MatrixXcd& m) {
    std::vector<std::complex<double>> rows;
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
      for (Eigen::Index j = 0; j < m.cols(); ++j) rows.push_back(m(i, j));
    }
    return rows;
  };
  const Eigen::MatrixXcd right = solver.eigenvectors();
  out.right = data(right);
  const Eigen::FullPivLU<Eigen::MatrixXcd> lu(right);
  if (lu.isInvertible() && lu.rcond() > 1e-12) out.left = data(lu.inverse());
  return out;
}

std::vector<std::complex<double>> GeneralizedEigenvalues(const Matrix& a, const Matrix& b) {
  const Eigen::GeneralizedEigenSolver<Eigen::MatrixXd> solver(ToEigen(a), ToEigen(b), false);
  std::vector<std::complex<double>> out;
  for (Eigen::Index k = 0; k < solver.alphas().size(); ++k) {
    const std::complex<double> value = solver.alphas()[k] / solver.betas()[k];
    if (std::isfinite(value.real()) && std::isfinite(value.imag())) out.push_back(value);
  }
  return out;
}

}  // namespace cotree
