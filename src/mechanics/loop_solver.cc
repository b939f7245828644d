// SPDX-License-Identifier: Apache-2.0
#include "mechanics/loop_solver.h"

#include <algorithm>
#include <cmath>

#include "expr/evaluate.h"
#include "linear_algebra/decompositions.h"

namespace cotree {
namespace {

size_t LargestAt(const std::vector<double>& x) {
  const auto smaller = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  return static_cast<size_t>(std::max_element(x.begin(), x.end(), smaller) - x.begin());
}

}  // namespace

struct LoopSolver::Work {
  ExprPool& pool;
  const MotionEquations& motion;
  std::vector<Tape> tapes;
  std::vector<SymbolId> targets;
  std::vector<SymbolId> readings;
  std::unique_ptr<Tape> rows;  // values, then entries of the Jacobian; the same of measures
  std::vector<double> results;
  Environment<double> environment;
  Workspace<double> workspace;
  std::vector<double> gap, measures;
  Matrix jacobian, measure_jacobian;

  Work(ExprPool& p, const MotionEquations& m) : pool(p), motion(m) {}
  void Evaluate();
  /// What is left of the gaps, or infinity.
  double Size() const { return IsFinite(gap) ? Norm(gap) : INFINITY; }
  /// The Jacobian without rows that are about velocities only.
  Matrix OfPositions() const {
    Matrix out = jacobian;
    for (size_t k = 0; k < motion.loops.size(); ++k) {
      if (motion.loops[k].value.IsNone()) out.ClearRow(k);
    }
    return out;
  }
  void Move(std::span<const double> step);
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
  for (const MotionMeasure& measure : motion.measures) roots.push_back(measure.value);
  for (const MotionMeasure& measure : motion.measures) {
    for (const auto& [f, entry] : measure.jacobian) roots.push_back(entry);
  }
  work_->rows = std::make_unique<Tape>(pool, roots);
  work_->results.resize(roots.size());
  work_->environment.scalars.assign(pool.symbol_count(), 0);
  for (const auto& [symbol, value] : motion.constants) work_->environment.scalars[symbol.index()] = value;
  work_->gap.resize(motion.loops.size());
  work_->jacobian = Matrix(motion.loops.size(), motion.freedoms.size());
  work_->measures.resize(motion.measures.size());
  work_->measure_jacobian = Matrix(motion.measures.size(), motion.freedoms.size());
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
  jacobian.Clear();
  size_t next = motion.loops.size();
  for (size_t k = 0; k < motion.loops.size(); ++k) {
    gap[k] = results[k];
    for (const auto& [f, entry] : motion.loops[k].jacobian) jacobian(k, f) = results[next++];
  }
  measure_jacobian.Clear();
  for (double& value : measures) value = results[next++];
  for (size_t k = 0; k < measures.size(); ++k) {
    for (const auto& [f, entry] : motion.measures[k].jacobian) measure_jacobian(k, f) = results[next++];
  }
}

void LoopSolver::Work::Move(std::span<const double> step) {
  const auto at = [&](uint32_t reading) -> double& { return environment.scalars[readings[reading].index()]; };
  for (size_t f = 0; f < motion.freedoms.size(); ++f) {
    if (motion.freedoms[f].position != UINT32_MAX) at(motion.freedoms[f].position) += step[f];
  }
  for (const MotionQuaternion& quaternion : motion.quaternions) {
    double* q[4];
    for (size_t k = 0; k < 4; ++k) q[k] = &at(quaternion.numbers[k]);
    const size_t first = quaternion.first_freedom;
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
  for (int round = 0; round < 100; ++round) {
    w.Evaluate();
    const double gap = w.Size();
    if (!(gap < INFINITY)) return INFINITY;
    if (gap < kClosed * 1e-3) break;
    Matrix free = w.OfPositions();
    for (size_t f = 0; f < held.size(); ++f) {
      if (held[f]) free.ClearColumn(f);
    }
    const double damping = 1e-13 + 1e-3 * std::min(1.0, gap * gap);
    Matrix square = free * free.Transposed();
    for (size_t k = 0; k < square.rows(); ++k) square(k, k) += damping;
    // step = -J' (J J' + damping)^-1 gap
    std::vector<double> step = TransposedTimes(free, SolveSymmetric(square, w.gap));
    const double length = Norm(step), factor = length > 0.5 ? -0.5 / length : -1;
    for (double& x : step) x *= factor;
    w.Move(step);
  }
  return w.Size();
}

void LoopSolver::Move(std::span<const double> step) {
  work_->Move(step);
}

double LoopSolver::Gap() {
  work_->Evaluate();
  return work_->Size();
}

size_t LoopSolver::WorstRow() const {
  return LargestAt(work_->gap);
}

const Matrix& LoopSolver::Jacobian() const {
  return work_->jacobian;
}

const std::vector<double>& LoopSolver::Gaps() const {
  return work_->gap;
}

const std::vector<double>& LoopSolver::Measures() const {
  return work_->measures;
}

const Matrix& LoopSolver::MeasureJacobian() const {
  return work_->measure_jacobian;
}

std::vector<bool> FindDependent(Matrix rest, const std::vector<int>& rank) {
  std::vector<bool> dependent(rank.size(), false);
  const double size = rest.Largest();
  std::vector<int> levels = rank;
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  for (const int level : levels) {
    for (;;) {
      size_t best = rest.columns();
      double largest = 1e-8 * size;
      for (size_t f = 0; f < rest.columns(); ++f) {
        if (rank[f] != level || dependent[f]) continue;
        const double left = Norm(rest.Column(f));
        if (left <= largest) continue;
        largest = left;
        best = f;
      }
      if (best == rest.columns()) break;
      dependent[best] = true;
      std::vector<double> direction = rest.Column(best);
      for (double& x : direction) x /= largest;
      RemoveAlong(rest, direction);
    }
  }
  return dependent;
}

}  // namespace cotree
