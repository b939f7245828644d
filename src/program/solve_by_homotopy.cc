// SPDX-License-Identifier: Apache-2.0
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "program/run_program.h"

namespace cotree {

bool ProgramRun::SolveByHomotopy(uint32_t index, double time) {
  for (const Homotopy kind : {Homotopy::kNewton, Homotopy::kFixedPoint, Homotopy::kOpposite}) {
    if (Follow(index, time, kind)) return true;
  }
  return false;
}

/* The path of solutions of r(x) = (1 - s) r(x0) (Newton's homotopy), or of s r(x) + (1 - s) d (x - x0) = 0
(the fixed point's, d with the signs of the matched derivatives, or the opposite ones): at s = 0 the present
values x0 solve it, at s = 1 it is the block. It is followed by its length (Allgower and Georg 1990), so that
it may turn back in s on the way. True: s = 1 was reached, and Newton's method may finish; otherwise the
values are as they were. */
bool ProgramRun::Follow(uint32_t index, double time, Homotopy kind) {
  using Eigen::Index;
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  const ImplicitBlock& block = program_.blocks[index];
  BlockState& state = blocks_[index];
  const auto n = static_cast<Index>(block.unknowns.size());
  constexpr Index kLargest = 300;
  if (n > kLargest) return false;               // the failure of Newton's method stands
  VectorXd column(n), row = VectorXd::Ones(n);  // sizes of unknowns and residuals
  for (Index k = 0; k < n; ++k)
    column[k] = std::max(1.0, std::fabs(values[block.unknowns[static_cast<size_t>(k)]]));
  MatrixXd matrix(n + 1, n + 1);
  VectorXd residual(n), begin, first, sign = VectorXd::Ones(n);
  // Residuals and their derivatives by the scaled unknowns and s at a point (x / column, s).
  const auto evaluate = [&](const VectorXd& z) {
    for (Index k = 0; k < n; ++k) values[block.unknowns[static_cast<size_t>(k)]] = z[k] * column[k];
    EvaluateBlock(block, state, time);
    matrix.setZero();
    for (Index r = 0; r < n; ++r) {
      const auto number = static_cast<size_t>(r);
      residual[r] = state.residual[number] / row[r];
      for (size_t k = 0; k < block.rows[number].columns.size(); ++k) {
        const Index c = block.rows[number].columns[k];
        matrix(r, c) += state.jacobian[state.first_entry[number] + k] * column[c] / row[r];
      }
      if (begin.size() == 0) continue;
      if (kind == Homotopy::kNewton) {
        matrix(r, n) = begin[r];
        residual[r] -= (1 - z[n]) * begin[r];
        continue;
      }
      const double from = sign[r] * (z[r] - first[r]);
      matrix.row(r) *= z[n];
      matrix(r, r) += (1 - z[n]) * sign[r];
      matrix(r, n) = residual[r] - from;
      residual[r] = z[n] * residual[r] + (1 - z[n]) * from;
    }
    return residual.allFinite() && matrix.allFinite();
  };
  VectorXd at = VectorXd::Zero(n + 1), along = VectorXd::Zero(n + 1);
  for (Index k = 0; k < n; ++k) at[k] = values[block.unknowns[static_cast<size_t>(k)]] / column[k];
  if (!evaluate(at)) return false;
  for (Index r = 0; r < n; ++r) {
    const double largest = matrix.row(r).cwiseAbs().maxCoeff();
    if (largest > 0) row[r] = largest;
  }
  evaluate(at);
  for (Index r = 0; r < n; ++r) sign[r] = (matrix(r, r) < 0) == (kind == Homotopy::kOpposite) ? 1 : -1;
  begin = residual;
  first = at;
  along[n] = 1;
  const auto give_up = [&] {
    for (Index k = 0; k < n; ++k) values[block.unknowns[static_cast<size_t>(k)]] = first[k] * column[k];
    return false;
  };
  double length = 0.1;
  // A bound on the work, since each step costs some eliminations.
  const auto cube = static_cast<double>(n * n * n);
  const int most_steps = static_cast<int>(std::clamp(4e8 / cube, 40.0, 3000.0));
  for (int step = 0; step < most_steps; ++step) {
    if (!evaluate(at)) return give_up();
    matrix.row(n) = along.transpose();
    VectorXd right = VectorXd::Zero(n + 1);
    right[n] = 1;
    VectorXd tangent = matrix.partialPivLu().solve(right);
    if (!tangent.allFinite() || tangent.norm() == 0) return give_up();
    tangent /= tangent.norm();
    if (tangent.dot(along) < 0) tangent = -tangent;
    bool moved = false;
    for (; length > 1e-9; length /= 2) {
      VectorXd next = at + length * tangent;
      bool converged = false;
      int turn = 0;
      for (; turn < 6 && evaluate(next); ++turn) {
        matrix.row(n) = tangent.transpose();
        right.head(n) = -residual;
        right[n] = length - tangent.dot(next - at);
        const VectorXd change = matrix.partialPivLu().solve(right);
        if (!change.allFinite() || change.norm() > 2 * length) break;
        next += change;
        converged = change.norm() < 1e-8 * (1 + next.norm());
        if (converged) break;
      }
      if (!converged) continue;
      if (next[n] >= 1) {
        const double part = (1 - at[n]) / (next[n] - at[n]);
        for (Index k = 0; k < n; ++k)
          values[block.unknowns[static_cast<size_t>(k)]] = (at[k] + part * (next[k] - at[k])) * column[k];
        return true;
      }
      at = next;
      along = tangent;
      if (turn < 3) length = std::min(length * 2, 1e3);
      moved = true;
      break;
    }
    if (!moved) return give_up();
  }
  return give_up();
}

}  // namespace cotree
