// SPDX-License-Identifier: Apache-2.0
#include "simulation/linearize.h"

#include "linear_algebra/decompositions.h"
#include "linear_algebra/eigenvalues.h"

namespace cotree {
namespace {

/** A state, for the choice of those that are kept. */
struct StateColumn {
  VariableRef of;
  bool inner;  // no component shows it
};

/* Which states follow from the others where H x = 0: as many as the rank of H, those of the largest columns
first; states that no component shows before all others, positions before velocities, and each with its own
derivative, so that pairs are left. */
std::vector<bool> FindFollowing(Matrix H, const std::vector<StateColumn>& columns) {
  constexpr double kNothing = 1e-7;
  for (size_t i = 0; i < H.rows(); ++i) {
    const double size = Norm(H.row(i));
    if (!(size > 0)) continue;
    for (double& x : H.row(i)) x /= size;
  }
  std::vector<bool> out(columns.size(), false);
  const auto size_of = [&](size_t j) { return Norm(H.Column(j)); };
  const auto take = [&](size_t j) {
    out[j] = true;
    std::vector<double> direction = H.Column(j);
    const double size = Norm(direction);
    for (double& x : direction) x /= size;
    for (int twice = 0; twice < 2; ++twice) RemoveAlong(H, direction);
  };
  const auto level = [&](size_t k) { return columns[k].inner ? 0 : columns[k].of.order == 0 ? 1 : 2; };
  for (int now = 0; now < 3; ++now) {
    for (;;) {
      size_t best = columns.size();
      double largest = kNothing;
      for (size_t j = 0; j < columns.size(); ++j) {
        if (level(j) != now || out[j] || size_of(j) <= largest * (1 + 1e-9)) continue;
        largest = size_of(j);
        best = j;
      }
      if (best == columns.size()) break;
      take(best);
      const VariableRef of = columns[best].of;
      for (size_t k = 0; k < columns.size(); ++k) {
        if (columns[k].of.variable == of.variable && !out[k] && size_of(k) > kNothing) take(k);
      }
    }
  }
  return out;
}

/* The same model in as many states as are free: H x + sum G_k u^(k) = 0 holds in every motion, so some states
follow from the others and the inputs, and what would only die out if it did not hold is no part of it. */
void KeepFree(LinearModel& model, const Matrix& H, const std::vector<Matrix>& G,
              const std::vector<StateColumn>& columns) {
  const std::vector<bool> following = FindFollowing(H, columns);
  std::vector<size_t> kept, rest;
  for (size_t k = 0; k < following.size(); ++k) (following[k] ? rest : kept).push_back(k);
  if (rest.empty()) return;
  const size_t n = model.n(), m = model.m(), p = model.p();
  const Matrix A(n, n, model.A), C(p, n, model.C);
  const LeastSquares solve(H.Columns(rest));
  // Rows of `to` that follow: -solve(right).
  const auto follow = [&](const Matrix& right, Matrix& to) {
    const Matrix found = solve.Solve(right);
    for (size_t k = 0; k < rest.size(); ++k) {
      for (size_t j = 0; j < found.columns(); ++j) to(rest[k], j) = -found(k, j);
    }
  };
  // x = N z + sum L_k u^(k)
  Matrix N(n, kept.size());
  for (size_t k = 0; k < kept.size(); ++k) N(kept[k], k) = 1;
  follow(H.Columns(kept), N);
  for (size_t order = 0; order < model.B.size(); ++order) {
    Matrix L(n, m);
    follow(G[order], L);
    Matrix B = A * L, D = C * L;
    B += Matrix(n, m, model.B[order]);
    D += Matrix(p, m, model.D[order]);
    model.B[order] = B.Rows(kept).data();
    model.D[order] = D.data();
  }
  model.A = (A * N).Rows(kept).data();
  model.C = (C * N).data();
  std::vector<std::string> states;
  for (const size_t k : kept) states.push_back(model.states[k]);
  model.states = std::move(states);
}

}  // namespace

LinearModel Linearize(ProgramRun& run, const Program& program, const std::vector<VariableRef>& outputs,
                      double time) {
  const SortedSystem& sorted = *program.sorted;
  const EquationSystem& system = *sorted.system;
  LinearModel out;
  const size_t n = program.state_slots.size(), p = outputs.size(), m = system.inputs.size();
  std::vector<StateColumn> columns;
  for (const VariableRef& state : sorted.states) {
    out.states.push_back(system.VariableName(state.variable, state.order));
    columns.push_back({state, system.IsInner(state.variable)});
  }
  out.inputs = system.input_names;
  std::vector<uint32_t> output_slots, zero_slots;
  for (const VariableRef& ref : outputs) {
    out.outputs.push_back(system.VariableName(ref.variable, ref.order));
    output_slots.push_back(sorted.Slot(ref));
  }
  for (const EquationSystem::Invariant& invariant : system.invariants)
    zero_slots.push_back(sorted.Slot({invariant.variable, invariant.order}));
  out.A.resize(n * n);
  out.C.resize(p * n);
  const size_t zeros = zero_slots.size();
  Matrix H(zeros, n);
  std::vector<Matrix> G;
  const auto along = [&](uint32_t slot, Matrix& zero, size_t column) {
    for (const uint32_t s : program.state_slots) run.tangents[s] = 0;
    for (const uint32_t s : program.input_slots) run.tangents[s] = 0;
    run.tangents[slot] = 1;
    run.RunTangent(time);
    for (size_t i = 0; i < zeros; ++i) zero(i, column) = run.tangents[zero_slots[i]];
  };
  for (size_t j = 0; j < n; ++j) {
    along(program.state_slots[j], H, j);
    for (size_t i = 0; i < n; ++i) out.A[i * n + j] = run.tangents[program.derivative_slots[i]];
    for (size_t i = 0; i < p; ++i) out.C[i * n + j] = run.tangents[output_slots[i]];
  }
  for (size_t j = 0; j < m; ++j) {
    const VariableRef input = system.inputs[j];
    for (uint32_t order = 0; order <= sorted.offsets.variable[input.variable]; ++order) {
      while (out.B.size() <= order) {
        out.B.emplace_back(n * m, 0.0);
        out.D.emplace_back(p * m, 0.0);
        G.emplace_back(zeros, m);
      }
      along(sorted.Slot({input.variable, order}), G[order], j);
      for (size_t i = 0; i < n; ++i) out.B[order][i * m + j] = run.tangents[program.derivative_slots[i]];
      for (size_t i = 0; i < p; ++i) out.D[order][i * m + j] = run.tangents[output_slots[i]];
    }
  }
  if (zeros > 0) KeepFree(out, H, G, columns);
  if (out.n() <= 2000) out.poles = Eigenvalues(out.A, out.n());
  return out;
}

}  // namespace cotree
