// SPDX-License-Identifier: Apache-2.0
#include "mechanics/loop_solver.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "expr/evaluate.h"

namespace cotree {

struct LoopSolver::Work {
  ExprPool& pool;
  const MotionEquations& motion;
  std::vector<Tape> tapes;
  std::vector<SymbolId> targets;
  std::vector<SymbolId> readings;
  std::unique_ptr<Tape> rows;  // values, then entries of the Jacobian
  std::vector<double> results;
  Environment<double> environment;
  Workspace<double> workspace;
  Eigen::VectorXd gap;
  Eigen::MatrixXd jacobian;

  Work(ExprPool& p, const MotionEquations& m) : pool(p), motion(m) {}
  void Evaluate();
  /// The Jacobian without rows that are about velocities only.
  Eigen::MatrixXd OfPositions() const {
    Eigen::MatrixXd out = jacobian;
    for (size_t k = 0; k < motion.loops.size(); ++k) {
      if (motion.loops[k].value.IsNone()) out.row(static_cast<Eigen::Index>(k)).setZero();
    }
    return out;
  }
  void Move(const Eigen::VectorXd& step);
};

LoopSolver::LoopSolver(ExprPool& pool, const MotionEquations& motion)
    : work_(std::make_unique<Work>(pool, motion)) {
  const ScalarElement& main = motion.parts.front().scalar;
  for (size_t k = main.owned; k < main.variables.size(); ++k)
    work_->readings.push_back(main.variables[k].symbol);
  // Intermediate results come in an order in which they can be computed, as far as positions decide them.
  for (const ScalarEquation& e : main.equations) {
    if (e.initial || !pool.IsSymbol(e.left)) continue;
    work_->tapes.emplace_back(pool, std::span(&e.right, 1));
    work_->targets.push_back(pool.SymbolOf(e.left));
  }
  std::vector<ExprId> roots;
  for (const LoopRow& row : motion.loops) roots.push_back(row.value.IsNone() ? pool.Number(0) : row.value);
  for (const LoopRow& row : motion.loops) {
    for (const auto& [f, entry] : row.jacobian) roots.push_back(entry);
  }
  work_->rows = std::make_unique<Tape>(pool, roots);
  work_->results.resize(roots.size());
  work_->environment.scalars.assign(pool.symbol_count(), 0);
  for (const auto& [symbol, value] : motion.constants) work_->environment.scalars[symbol.index()] = value;
  work_->gap.resize(static_cast<Eigen::Index>(motion.loops.size()));
  work_->jacobian.resize(static_cast<Eigen::Index>(motion.loops.size()),
                         static_cast<Eigen::Index>(motion.freedoms.size()));
}

LoopSolver::~LoopSolver() = default;

double& LoopSolver::reading(uint32_t number) {
  return work_->environment.scalars[work_->readings[number].index()];
}

double LoopSolver::ValueOf(SymbolId symbol) const {
  return work_->environment.scalars[symbol.index()];
}

void LoopSolver::Work::Evaluate() {
  for (size_t k = 0; k < tapes.size(); ++k)
    EvaluateDouble(tapes[k], environment, workspace, std::span(&environment.scalars[targets[k].index()], 1));
  EvaluateDouble(*rows, environment, workspace, results);
  jacobian.setZero();
  size_t next = motion.loops.size();
  for (size_t k = 0; k < motion.loops.size(); ++k) {
    gap[static_cast<Eigen::Index>(k)] = results[k];
    for (const auto& [f, entry] : motion.loops[k].jacobian)
      jacobian(static_cast<Eigen::Index>(k), f) = results[next++];
  }
}

void LoopSolver::Work::Move(const Eigen::VectorXd& step) {
  const auto at = [&](uint32_t reading) -> double& { return environment.scalars[readings[reading].index()]; };
  for (size_t f = 0; f < motion.freedoms.size(); ++f) {
    if (motion.freedoms[f].position != UINT32_MAX)
      at(motion.freedoms[f].position) += step[static_cast<Eigen::Index>(f)];
  }
  for (const MotionQuaternion& quaternion : motion.quaternions) {
    double* q[4];
    for (size_t k = 0; k < 4; ++k) q[k] = &at(quaternion.numbers[k]);
    const Eigen::Index first = quaternion.first_freedom;
    const double x = step[first] / 2, y = step[first + 1] / 2, z = step[first + 2] / 2;
    const double s = *q[0], a = *q[1], b = *q[2], c = *q[3];
    *q[0] = s - a * x - b * y - c * z;
    *q[1] = a + s * x + b * z - c * y;
    *q[2] = b + s * y + c * x - a * z;
    *q[3] = c + s * z + a * y - b * x;
    const double length = std::sqrt(*q[0] * *q[0] + *q[1] * *q[1] + *q[2] * *q[2] + *q[3] * *q[3]);
    for (double* v : q) *v /= length;
  }
}

double LoopSolver::Close(const std::vector<bool>& held) {
  Work& w = *work_;
  const Eigen::Index m = w.gap.size();
  for (int round = 0; round < 100; ++round) {
    w.Evaluate();
    if (!w.gap.allFinite()) return INFINITY;
    if (w.gap.norm() < kClosed * 1e-3) break;
    Eigen::MatrixXd free = w.OfPositions();
    for (size_t f = 0; f < held.size(); ++f) {
      if (held[f]) free.col(static_cast<Eigen::Index>(f)).setZero();
    }
    const double damping = 1e-13 + 1e-3 * std::min(1.0, w.gap.squaredNorm());
    const Eigen::MatrixXd square = free * free.transpose() + damping * Eigen::MatrixXd::Identity(m, m);
    Eigen::VectorXd step = -free.transpose() * square.ldlt().solve(w.gap);
    const double length = step.norm();
    if (length > 0.5) step *= 0.5 / length;
    w.Move(step);
  }
  return w.gap.allFinite() ? w.gap.norm() : INFINITY;
}

void LoopSolver::Move(const Eigen::VectorXd& step) {
  work_->Move(step);
}

double LoopSolver::Gap() {
  work_->Evaluate();
  return work_->gap.allFinite() ? work_->gap.norm() : INFINITY;
}

size_t LoopSolver::WorstRow() const {
  Eigen::Index at = 0;
  if (work_->gap.size() > 0) work_->gap.cwiseAbs().maxCoeff(&at);
  return static_cast<size_t>(at);
}

double LoopSolver::RateGap(const std::vector<bool>& held, const std::vector<double>& velocities,
                           size_t* worst) const {
  Eigen::MatrixXd free = work_->jacobian;
  Eigen::VectorXd rest = Eigen::VectorXd::Zero(free.rows());
  for (size_t f = 0; f < held.size(); ++f) {
    if (!held[f]) continue;
    const auto column = static_cast<Eigen::Index>(f);
    rest += free.col(column) * velocities[f];
    free.col(column).setZero();
  }
  rest += free * free.completeOrthogonalDecomposition().solve(-rest);
  Eigen::Index at = 0;
  const double size = rest.size() > 0 ? rest.cwiseAbs().maxCoeff(&at) : 0;
  *worst = static_cast<size_t>(at);
  return size;
}

const Eigen::MatrixXd& LoopSolver::Jacobian() const {
  return work_->jacobian;
}

std::vector<bool> LoopSolver::FindDependent(const std::vector<int>& rank, bool velocities) const {
  Eigen::MatrixXd rest = velocities ? work_->jacobian : work_->OfPositions();
  std::vector<bool> dependent(rank.size(), false);
  if (rest.size() == 0) return dependent;
  const double size = rest.cwiseAbs().maxCoeff();
  std::vector<int> levels = rank;
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  for (const int level : levels) {
    for (;;) {
      Eigen::Index best = -1;
      double largest = 1e-8 * size;
      for (Eigen::Index f = 0; f < rest.cols(); ++f) {
        const auto k = static_cast<size_t>(f);
        if (rank[k] != level || dependent[k] || rest.col(f).norm() <= largest) continue;
        largest = rest.col(f).norm();
        best = f;
      }
      if (best < 0) break;
      dependent[static_cast<size_t>(best)] = true;
      const Eigen::VectorXd direction = rest.col(best).normalized();
      rest -= direction * (direction.transpose() * rest);
    }
  }
  return dependent;
}

}  // namespace cotree
