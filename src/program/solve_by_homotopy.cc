// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "linear_algebra/decompositions.h"
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
  using Vector = std::vector<double>;
  const ImplicitBlock& block = program_.blocks[index];
  BlockState& state = blocks_[index];
  const size_t n = block.unknowns.size();
  constexpr size_t kLargest = 300;
  if (n > kLargest) return false;  // the failure of Newton's method stands
  Vector column(n), row(n, 1.0);   // sizes of unknowns and residuals
  for (size_t k = 0; k < n; ++k) column[k] = std::max(1.0, std::fabs(values[block.unknowns[k]]));
  Matrix matrix(n + 1, n + 1);
  Vector residual(n), begin, first, sign(n, 1.0);
  // Residuals and their derivatives by the scaled unknowns and s at a point (x / column, s).
  const auto evaluate = [&](const Vector& z) {
    for (size_t k = 0; k < n; ++k) values[block.unknowns[k]] = z[k] * column[k];
    EvaluateBlock(block, state, time);
    matrix.Clear();
    for (size_t r = 0; r < n; ++r) {
      residual[r] = state.residual[r] / row[r];
      for (size_t k = 0; k < block.rows[r].columns.size(); ++k) {
        const size_t c = block.rows[r].columns[k];
        matrix(r, c) += state.jacobian[state.first_entry[r] + k] * column[c] / row[r];
      }
      if (begin.size() == 0) continue;
      if (kind == Homotopy::kNewton) {
        matrix(r, n) = begin[r];
        residual[r] -= (1 - z[n]) * begin[r];
        continue;
      }
      const double from = sign[r] * (z[r] - first[r]);
      for (double& x : matrix.row(r)) x *= z[n];
      matrix(r, r) += (1 - z[n]) * sign[r];
      matrix(r, n) = residual[r] - from;
      residual[r] = z[n] * residual[r] + (1 - z[n]) * from;
    }
    return IsFinite(residual) && matrix.IsFinite();
  };
  Vector at(n + 1, 0.0), along(n + 1, 0.0);
  for (size_t k = 0; k < n; ++k) at[k] = values[block.unknowns[k]] / column[k];
  if (!evaluate(at)) return false;
  for (size_t r = 0; r < n; ++r) {
    const double largest = Largest(matrix.row(r));
    if (largest > 0) row[r] = largest;
  }
  evaluate(at);
  for (size_t r = 0; r < n; ++r) sign[r] = (matrix(r, r) < 0) == (kind == Homotopy::kOpposite) ? 1 : -1;
  begin = residual;
  first = at;
  along[n] = 1;
  const auto give_up = [&] {
    for (size_t k = 0; k < n; ++k) values[block.unknowns[k]] = first[k] * column[k];
    return false;
  };
  double length = 0.1;
  // A bound on the work, since each step costs some eliminations.
  const auto cube = static_cast<double>(n * n * n);
  const int most_steps = static_cast<int>(std::clamp(4e8 / cube, 40.0, 3000.0));
  for (int step = 0; step < most_steps; ++step) {
    if (!evaluate(at)) return give_up();
    std::copy(along.begin(), along.end(), matrix.row(n).begin());
    Vector right(n + 1, 0.0);
    right[n] = 1;
    Vector tangent = SolveSquare(matrix, right);
    const double size = Norm(tangent);
    if (!IsFinite(tangent) || size == 0) return give_up();
    const double turn_to = Dot(tangent, along) < 0 ? -size : size;
    for (double& x : tangent) x /= turn_to;
    bool moved = false;
    for (; length > 1e-9; length /= 2) {
      Vector next = at;
      AddTimes(next, length, tangent);
      bool converged = false;
      int turn = 0;
      for (; turn < 6 && evaluate(next); ++turn) {
        std::copy(tangent.begin(), tangent.end(), matrix.row(n).begin());
        for (size_t k = 0; k < n; ++k) right[k] = -residual[k];
        right[n] = length - (Dot(tangent, next) - Dot(tangent, at));
        const Vector change = SolveSquare(matrix, right);
        const double moves = Norm(change);
        if (!IsFinite(change) || moves > 2 * length) break;
        AddTimes(next, 1, change);
        converged = moves < 1e-8 * (1 + Norm(next));
        if (converged) break;
      }
      if (!converged) continue;
      if (next[n] >= 1) {
        const double part = (1 - at[n]) / (next[n] - at[n]);
        for (size_t k = 0; k < n; ++k)
          values[block.unknowns[k]] = (at[k] + part * (next[k] - at[k])) * column[k];
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
