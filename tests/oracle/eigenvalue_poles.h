// SPDX-License-Identifier: Apache-2.0
// Reference poles by another route than poles.h, in double precision: eigenvalues mu of (A - sigma*E)^-1*E;
// the poles are sigma + 1/mu for the largest |mu|. Infinite poles in long chains spoil the smallest mu: see
// `gap`.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <eigen3/Eigen/Dense>
#include <numeric>
#include <random>
#include <vector>

#include "oracle/poles.h"

namespace cotree::oracle {

struct EigenvalueResult {
  Poles poles;
  std::vector<double> condition;  // of each: 1/|cosine| between left and right eigenvector, at least 1
  double gap = 0;                 // smallest |mu| kept by largest |mu| left out; large is good
};

inline EigenvalueResult EigenvaluePoles(const Pencil& pencil, int order, uint32_t seed = 1) {
  const auto n = static_cast<Eigen::Index>(pencil.size);
  Eigen::MatrixXd e = Eigen::MatrixXd::Zero(n, n), a = Eigen::MatrixXd::Zero(n, n);
  for (const PencilEntry& entry : pencil.entries) {
    const auto row = static_cast<Eigen::Index>(entry.row), column = static_cast<Eigen::Index>(entry.column);
    e(row, column) = static_cast<double>(entry.c1);
    a(row, column) = -static_cast<double>(entry.c0);
  }
  std::mt19937 random(seed);
  const double sigma = 0.3 + 0.7 * static_cast<double>(random() % 1000) / 1000;
  const Eigen::MatrixXd m = (a - sigma * e).fullPivLu().solve(e);
  EigenvalueResult result;
  if (n == 0 || order == 0) return result;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(m);
  const Eigen::VectorXcd mu = solver.eigenvalues();
  std::vector<Eigen::Index> by_size(static_cast<size_t>(n));
  std::iota(by_size.begin(), by_size.end(), Eigen::Index{0});
  std::sort(by_size.begin(), by_size.end(),
            [&](Eigen::Index i, Eigen::Index j) { return std::abs(mu(i)) > std::abs(mu(j)); });
  const auto count = static_cast<size_t>(order);
  const Eigen::MatrixXcd right = solver.eigenvectors();
  const Eigen::MatrixXcd left = right.fullPivLu().inverse();
  for (size_t k = 0; k < count; ++k) {
    const Eigen::Index i = by_size[k];
    result.poles.push_back(sigma + 1.0 / mu(i));
    const double condition = left.row(i).norm() * right.col(i).norm();
    result.condition.push_back(std::isfinite(condition) ? std::max(1.0, condition) : 1e300);
  }
  const double kept = std::abs(mu(by_size[count - 1]));
  const double left_out = count < by_size.size() ? std::abs(mu(by_size[count])) : 0;
  result.gap = left_out > 0 ? kept / left_out : 1e300;
  return result;
}

}  // namespace cotree::oracle
