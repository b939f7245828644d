// SPDX-License-Identifier: Apache-2.0
#include "simulation/linearize.h"

#include <Eigen/Dense>

namespace cotree {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Matrix> View(const std::vector<double>& data, size_t rows, size_t columns) {
  return {data.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns)};
}

std::vector<double> Data(const Matrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

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
  for (Eigen::Index i = 0; i < H.rows(); ++i) {
    const double size = H.row(i).norm();
    if (size > 0) H.row(i) /= size;
  }
  std::vector<bool> out(columns.size(), false);
  const auto take = [&](Eigen::Index j) {
    out[static_cast<size_t>(j)] = true;
    const Eigen::VectorXd direction = H.col(j).normalized();
    for (int twice = 0; twice < 2; ++twice) H -= direction * (direction.transpose() * H);
  };
  const auto level = [&](size_t k) { return columns[k].inner ? 0 : columns[k].of.order == 0 ? 1 : 2; };
  for (int now = 0; now < 3; ++now) {
    for (;;) {
      Eigen::Index best = -1;
      double largest = kNothing;
      for (Eigen::Index j = 0; j < H.cols(); ++j) {
        const auto k = static_cast<size_t>(j);
        if (level(k) != now || out[k] || H.col(j).norm() <= largest * (1 + 1e-9)) continue;
        largest = H.col(j).norm();
        best = j;
      }
      if (best < 0) break;
      take(best);
      const VariableRef of = columns[static_cast<size_t>(best)].of;
      for (size_t k = 0; k < columns.size(); ++k) {
        const auto j = static_cast<Eigen::Index>(k);
        if (columns[k].of.variable == of.variable && !out[k] && H.col(j).norm() > kNothing) take(j);
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
  std::vector<Eigen::Index> kept, rest;
  for (size_t k = 0; k < following.size(); ++k)
    (following[k] ? rest : kept).push_back(static_cast<Eigen::Index>(k));
  if (rest.empty()) return;
  const size_t n = model.n(), m = model.m(), p = model.p();
  const Matrix A = View(model.A, n, n), C = View(model.C, p, n);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solve(H(Eigen::all, rest));
  // x = N z + sum L_k u^(k)
  Matrix N = Matrix::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(kept.size()));
  for (size_t k = 0; k < kept.size(); ++k) N(kept[k], static_cast<Eigen::Index>(k)) = 1;
  const Eigen::MatrixXd follow = -solve.solve(Eigen::MatrixXd(H(Eigen::all, kept)));
  for (size_t k = 0; k < rest.size(); ++k) N.row(rest[k]) = follow.row(static_cast<Eigen::Index>(k));
  for (size_t order = 0; order < model.B.size(); ++order) {
    Matrix L = Matrix::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(m));
    const Eigen::MatrixXd driven = -solve.solve(Eigen::MatrixXd(G[order]));
    for (size_t k = 0; k < rest.size(); ++k) L.row(rest[k]) = driven.row(static_cast<Eigen::Index>(k));
    const Matrix B = A * L + View(model.B[order], n, m);
    const Matrix D = C * L + View(model.D[order], p, m);
    model.B[order] = Data(B(kept, Eigen::all));
    model.D[order] = Data(D);
  }
  const Matrix moved = A * N;
  model.A = Data(moved(kept, Eigen::all));
  model.C = Data(C * N);
  std::vector<std::string> states;
  for (const Eigen::Index k : kept) states.push_back(model.states[static_cast<size_t>(k)]);
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
    zero_slots.push_back(sorted.Slot({invariant.variable, 0}));
  out.A.resize(n * n);
  out.C.resize(p * n);
  const auto zeros = static_cast<Eigen::Index>(zero_slots.size());
  Matrix H(zeros, static_cast<Eigen::Index>(n));
  std::vector<Matrix> G;
  const auto along = [&](uint32_t slot, Matrix& zero, size_t column) {
    for (const uint32_t s : program.state_slots) run.tangents[s] = 0;
    for (const uint32_t s : program.input_slots) run.tangents[s] = 0;
    run.tangents[slot] = 1;
    run.RunTangent(time);
    for (size_t i = 0; i < zero_slots.size(); ++i)
      zero(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(column)) = run.tangents[zero_slots[i]];
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
        G.emplace_back(Matrix::Zero(zeros, static_cast<Eigen::Index>(m)));
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
