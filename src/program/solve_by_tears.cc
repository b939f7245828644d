// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "program/run_program.h"

namespace cotree {

bool UsesTears(const ImplicitBlock& block) {
  // A constant matrix is factored once; foreign code is asked for a whole block at a time; a dense matrix of
  // many tears costs more than the sparse block.
  return block.kind != BlockKind::kLinearConstant && block.foreign.empty() &&
         block.tearing.tears.size() * 2 <= block.unknowns.size() &&
         block.tearing.tears.size() <= LinearSolver::kDense;
}

/* The unknowns that follow from the tears, one after another, then the residuals that are left. An inner row
is linear in its unknown with a constant coefficient, so its other partial derivatives, found on the way, are
those at the new point. */
bool ProgramRun::Sweep(const ImplicitBlock& block, BlockState& state, double time) {
  const CodeContext<double> context = Context(time);
  const auto evaluate = [&](uint32_t row) {
    EvaluateRow(block.rows[row], context, &state.residual[row],
                state.jacobian.data() + state.first_entry[row]);
    return std::isfinite(state.residual[row]);
  };
  for (const Tearing::Inner& inner : block.tearing.inner) {
    double& value = values[block.unknowns[inner.column]];
    value = 0;
    if (!evaluate(inner.row)) return false;
    value = -state.residual[inner.row] / state.jacobian[state.first_entry[inner.row] + inner.entry];
    if (!std::isfinite(value)) return false;
  }
  return std::all_of(block.tearing.rows.begin(), block.tearing.rows.end(), evaluate);
}

/* Newton's step of the tears: derivatives of the residuals by the tears are a Schur complement of the block's
matrix, since the inner rows are lower triangular. */
bool ProgramRun::StepOfTears(const ImplicitBlock& block, BlockState& state, std::vector<double>& step) {
  const size_t tears = block.tearing.tears.size();
  double* of = state.sensitivity.data();
  for (size_t j = 0; j < tears; ++j) {
    double* own = of + block.tearing.tears[j] * tears;
    std::fill(own, own + tears, 0.0);
    own[j] = 1;
  }
  const auto add = [&](uint32_t row, uint32_t without, double* sum) {
    const std::vector<uint32_t>& columns = block.rows[row].columns;
    const double* partials = state.jacobian.data() + state.first_entry[row];
    for (size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] == without || partials[k] == 0) continue;
      const double* other = of + columns[k] * tears;
      for (size_t j = 0; j < tears; ++j) sum[j] += partials[k] * other[j];
    }
  };
  for (const Tearing::Inner& inner : block.tearing.inner) {
    double* own = of + inner.column * tears;
    std::fill(own, own + tears, 0.0);
    add(inner.row, inner.column, own);
    const double pivot = -state.jacobian[state.first_entry[inner.row] + inner.entry];
    for (size_t j = 0; j < tears; ++j) own[j] /= pivot;
  }
  std::fill(state.schur.begin(), state.schur.end(), 0.0);
  for (size_t i = 0; i < tears; ++i) add(block.tearing.rows[i], UINT32_MAX, state.schur.data() + i * tears);
  if (!state.by_tears->Factor(state.schur)) return false;
  for (size_t i = 0; i < tears; ++i) step[i] = -state.residual[block.tearing.rows[i]];
  state.by_tears->Solve(step);
  return std::all_of(step.begin(), step.end(), [](double x) { return std::isfinite(x); });
}

/* False: the tears lead nowhere here, or their solution leaves a residual in the whole block; the unknowns
are then as they were, or at that solution, for the whole block to go on from. */
bool ProgramRun::SolveByTears(uint32_t index, double time) {
  const ImplicitBlock& block = program_.blocks[index];
  BlockState& state = blocks_[index];
  const Tearing& tearing = block.tearing;
  const size_t n = block.unknowns.size();
  const bool linear = block.kind == BlockKind::kLinear;
  std::vector<double>&begin = state.begin, &step = state.step, &before = state.before;
  begin.assign(n, 0);
  step.assign(tearing.tears.size(), 0);
  before.assign(tearing.tears.size(), 0);
  for (size_t k = 0; k < n; ++k) begin[k] = values[block.unknowns[k]];
  const auto give_up = [&] {
    for (size_t k = 0; k < n; ++k) values[block.unknowns[k]] = begin[k];
    return false;
  };
  for (const uint32_t c : tearing.tears) {
    double& value = values[block.unknowns[c]];
    if (linear || !std::isfinite(value)) value = 0;
  }
  const auto norm = [&] {
    double sum = 0;
    for (const uint32_t r : tearing.rows) sum += state.residual[r] * state.residual[r];
    return std::sqrt(sum);
  };
  if (!Sweep(block, state, time)) return give_up();
  double size = norm();
  constexpr int kMostIterations = 30;
  const int most = linear ? 1 : kMostIterations;
  bool converged = linear;
  for (int iteration = 0; iteration < most; ++iteration) {
    ++iterations;
    if (!StepOfTears(block, state, step)) return give_up();
    for (size_t k = 0; k < n; ++k) state.old[k] = values[block.unknowns[k]];
    double damping = 1;
    for (int halving = 0;; ++halving) {
      for (size_t j = 0; j < step.size(); ++j)
        values[block.unknowns[tearing.tears[j]]] = state.old[tearing.tears[j]] + damping * step[j];
      const double next = Sweep(block, state, time) ? norm() : INFINITY;
      double change = 0;
      for (size_t j = 0; j < step.size(); ++j)
        change = std::max(change, std::fabs(damping * step[j]) /
                                      (std::fabs(values[block.unknowns[tearing.tears[j]]]) + 1e-6));
      if (next <= size || linear || (std::isfinite(next) && change < 1e-9)) {
        size = next;
        break;
      }
      if (halving >= 30) return give_up();
      damping /= 2;
    }
    double change = 0;
    for (size_t k = 0; k < n; ++k) {
      const double value = values[block.unknowns[k]];
      change = std::max(change, std::fabs(value - state.old[k]) / (std::fabs(value) + 1e-6));
    }
    converged = converged || (damping == 1 && change < 1e-12) || size == 0;
    if (converged) break;
  }
  if (!converged) return give_up();
  // What counts is the whole block.
  EvaluateBlock(block, state, time);
  if (!Agrees(block, state, 1e-12, 1e-288)) return false;
  state.stale = true;
  return true;
}

}  // namespace cotree
