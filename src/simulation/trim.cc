// SPDX-License-Identifier: Apache-2.0
#include "simulation/trim.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear_algebra/decompositions.h"

namespace cotree {
namespace {

using Vector = std::vector<double>;

class Trimmer {
 public:
  Trimmer(ProgramRun& run, const Program& program, const TrimProblem& problem)
      : run_(run), program_(program), problem_(problem), unknowns_(program.state_slots) {
    unknowns_.insert(unknowns_.end(), problem.free.begin(), problem.free.end());
    for (const TrimProblem::Parameter& p : problem.parameters) out_.parameters.push_back(p.value);
    n_ = program.state_slots.size();
    slots_ = unknowns_.size();
    all_ = slots_ + out_.parameters.size();
    rows_ = n_ + problem.fixed.size();
  }

  Trim Solve() {
    // Fixed variables that are states begin where they shall end.
    for (const TrimProblem::Fixed& f : problem_.fixed) {
      if (std::find(unknowns_.begin(), unknowns_.end(), f.slot) != unknowns_.end())
        run_.values[f.slot] = f.value;
    }
    if (!Evaluate()) return Failed();
    if (all_ == 0 || rows_ == 0) return WithoutUnknowns();
    constexpr int kMost = 200;
    for (out_.iterations = 1; out_.iterations <= kMost; ++out_.iterations) {
      Differentiate();
      FindHeld();
      const Vector residual = Projected(values_);
      const double size = Norm(residual);
      const LeastSquares solver(ProjectedMatrix(), 1e-10);
      Vector step = solver.Solve(residual);
      for (double& x : step) x = -x;
      out_.undetermined = all_ - solver.rank() - drift_.columns();
      const Vector before = Unknowns(), at = scaled(before);
      double change = 0;
      for (size_t k = 0; k < all_; ++k)
        change = std::max(change, std::fabs(step[k]) / (std::fabs(at[k]) + 1e-6));
      if (size == 0 || (change < 1e-11 && Small(residual))) break;
      if (TakeStep(before, unscaled(step), residual)) continue;
      Place(before);
      if (!Evaluate()) return Failed();
      break;  // as near as it gets
    }
    Differentiate();
    FindHeld();
    Judge();
    return std::move(out_);
  }

 private:
  Trim Failed() {
    out_.failure = run_.FailureText();
    return std::move(out_);
  }
  // Nothing moves: what is fixed has its value, or not.
  Trim WithoutUnknowns() {
    out_.ok = true;
    out_.undetermined = all_;
    for (size_t k = 0; k < problem_.fixed.size(); ++k) {
      const TrimProblem::Fixed& f = problem_.fixed[k];
      const double reached = run_.values[f.slot];
      if (std::fabs(reached - f.value) <= 1e-9 * std::fabs(f.value)) continue;
      out_.ok = false;
      out_.unmet.push_back({f.slot, f.value, reached, false});
    }
    return std::move(out_);
  }
  Vector Unknowns() const {
    Vector x(all_);
    for (size_t k = 0; k < slots_; ++k) x[k] = run_.values[unknowns_[k]];
    for (size_t k = slots_; k < all_; ++k) x[k] = out_.parameters[k - slots_];
    return x;
  }
  void Place(const Vector& x) {
    for (size_t k = 0; k < slots_; ++k) run_.values[unknowns_[k]] = x[k];
    for (size_t k = slots_; k < all_; ++k) SetParameter(k - slots_, x[k]);
  }
  void SetParameter(size_t k, double value) {
    if (out_.parameters[k] == value) return;
    out_.parameters[k] = value;
    problem_.parameters[k].set(value);
  }
  Vector scaled(Vector x) const {
    for (size_t k = 0; k < x.size(); ++k) x[k] /= column_[k];
    return x;
  }
  Vector unscaled(Vector x) const {
    for (size_t k = 0; k < x.size(); ++k) x[k] *= column_[k];
    return x;
  }

  // A part of a step that makes the residual less: if possible one on which the linear model is true to a
  // half and the slope along the step at its end is at most doubled, so that an angle does not leap over
  // whole turns to another solution.
  bool TakeStep(const Vector& from, const Vector& step, const Vector& residual) {
    const double size = Norm(residual);
    const Vector slope = SlopeAlong(step);
    // The length of a - factor b.
    const auto off = [](Vector a, double factor, const Vector& b) {
      AddTimes(a, -factor, b);
      return Norm(a);
    };
    for (const bool faithful : {true, false}) {
      for (double part = 1; part > (faithful ? 1e-6 : 1e-7); part /= 2) {
        Vector to = from;
        AddTimes(to, part, step);
        Place(to);
        if (!Evaluate()) continue;
        const Vector now = Projected(values_);
        if (faithful ? off(now, 1 - part, residual) <= part / 2 * size &&
                           off(SlopeAlong(step), 1, slope) <= Norm(slope)
                     : Norm(now) < size)
          return true;
      }
    }
    return false;
  }
  // What the residual changes with along a step of states and inputs, here.
  Vector SlopeAlong(const Vector& step) {
    ClearTangents();
    for (size_t j = 0; j < slots_; ++j) run_.tangents[unknowns_[j]] = step[j];
    run_.RunTangent(problem_.time);
    Vector out(rows_);
    for (size_t i = 0; i < rows_; ++i) out[i] = run_.tangents[SlotOfRow(i)];
    return Projected(out);
  }
  void ClearTangents() {
    for (const uint32_t slot : program_.state_slots) run_.tangents[slot] = 0;
    for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
  }
  uint32_t SlotOfRow(size_t i) const {
    return i < n_ ? program_.derivative_slots[i] : problem_.fixed[i - n_].slot;
  }

  // Derivatives of the states, then what fixed variables lack.
  bool Evaluate() {
    if (!run_.Run(problem_.time)) return false;
    values_.resize(rows_);
    for (size_t i = 0; i < rows_; ++i)
      values_[i] = run_.values[SlotOfRow(i)] - (i < n_ ? 0 : problem_.fixed[i - n_].value);
    return IsFinite(values_);
  }

  void Differentiate() {
    jacobian_ = Matrix(rows_, all_);
    for (size_t j = slots_; j < all_; ++j)
      jacobian_.SetBlock(0, j, Matrix(rows_, 1, SlopeOfParameter(j - slots_)));
    for (size_t j = 0; j < slots_; ++j) {
      ClearTangents();
      run_.tangents[unknowns_[j]] = 1;
      run_.RunTangent(problem_.time);
      for (size_t i = 0; i < rows_; ++i) jacobian_(i, j) = run_.tangents[SlotOfRow(i)];
    }
    // Units differ by many decades: rows and columns of one size, by powers of two.
    row_.assign(rows_, 1);
    column_.assign(all_, 1);
    for (int turn = 0; turn < 8; ++turn) {
      Vector by_row(rows_, 0), by_column(all_, 0);
      for (size_t i = 0; i < rows_; ++i) {
        for (size_t j = 0; j < all_; ++j)
          by_row[i] = std::max(by_row[i], std::fabs(jacobian_(i, j)) * column_[j]);
        Balance(by_row[i], row_[i]);
      }
      for (size_t i = 0; i < rows_; ++i) {
        for (size_t j = 0; j < all_; ++j)
          by_column[j] = std::max(by_column[j], std::fabs(jacobian_(i, j)) / row_[i]);
      }
      for (size_t j = 0; j < all_; ++j) Balance(by_column[j], column_[j], true);
    }
    for (size_t i = 0; i < rows_; ++i) {
      for (size_t j = 0; j < all_; ++j) jacobian_(i, j) *= column_[j] / row_[i];
    }
  }
  // Parameters have no tangents: central differences.
  Vector SlopeOfParameter(size_t k) {
    const double at = out_.parameters[k], step = 1e-6 * (at != 0 ? std::fabs(at) : 1);
    Vector slope(rows_, 0.0);
    bool ok = true;
    for (const double side : {1.0, -1.0}) {
      SetParameter(k, at + side * step);
      ok = Evaluate() && ok;
      AddTimes(slope, side / (2 * step), values_);
    }
    SetParameter(k, at);
    Evaluate();
    if (!ok) slope.assign(rows_, 0);
    return slope;
  }
  static void Balance(double largest, double& scale, bool inverse = false) {
    if (!(largest > 0) || !std::isfinite(largest)) return;
    const double power = std::exp2(std::round(std::log2(largest)));
    scale = inverse ? 1 / power : power;
  }

  // Directions of the states that change nothing.
  void FindHeld() {
    drift_ = Matrix(n_, 0);
    if (n_ == 0) return;
    const SingularValues svd = FindSingularValues(jacobian_.Block(0, rows_, 0, n_), true);
    size_t rank = 0;
    while (rank < svd.values.size() && svd.values[rank] > 1e-10 * svd.values[0]) ++rank;
    // The derivatives may lie along these directions: x' = drift * a, in the units of x' an orthogonal basis.
    Matrix rates = svd.V.Block(0, n_, rank, n_ - rank);
    if (rates.columns() == 0) return;
    for (size_t i = 0; i < n_; ++i) {
      for (double& x : rates.row(i)) x *= column_[i] / row_[i];
    }
    drift_ = OrthogonalColumns(rates);
  }
  // x - drift drift' x, of the rows that are derivatives of states.
  Matrix WithoutDrift(Matrix x) const {
    if (drift_.columns() == 0) return x;
    Matrix top = x.Block(0, n_, 0, x.columns());
    top -= drift_ * (drift_.Transposed() * top);
    x.SetBlock(0, 0, top);
    return x;
  }
  Vector Projected(Vector values) const {
    for (size_t i = 0; i < rows_; ++i) values[i] /= row_[i];
    return WithoutDrift(Matrix(rows_, 1, std::move(values))).data();
  }
  Matrix ProjectedMatrix() const { return WithoutDrift(jacobian_); }
  // Whether a state may move steadily.
  bool MayDrift(size_t state) const { return drift_.columns() > 0 && Norm(drift_.row(state)) > 1e-9; }

  // Against what the terms of a row amount to.
  bool Small(const Vector& residual) const {
    const Matrix terms = Terms();
    for (size_t i = 0; i < rows_; ++i) {
      if (!(std::fabs(residual[i]) <= 1e-8 * (Sum(terms.row(i)) + 1e-6))) return false;
    }
    return true;
  }
  // What each unknown contributes to each row, by absolute value.
  Matrix Terms() const {
    const Vector x = scaled(Unknowns());
    Matrix out(rows_, all_);
    for (size_t i = 0; i < rows_; ++i) {
      for (size_t j = 0; j < all_; ++j) out(i, j) = std::fabs(jacobian_(i, j) * x[j]);
    }
    return out;
  }
  static double Sum(std::span<const double> x) { return std::accumulate(x.begin(), x.end(), 0.0); }

  // What is next to nothing in every row is 0 but for rounding.
  void ClearRounding() {
    const Vector x = scaled(Unknowns());
    const Matrix terms = Terms();
    Vector size;
    for (size_t i = 0; i < rows_; ++i) size.push_back(Sum(terms.row(i)));
    Vector cleared = Unknowns();
    for (size_t j = 0; j < all_; ++j) {
      bool small = false, large = false;
      for (size_t i = 0; i < rows_; ++i) {
        if (jacobian_(i, j) == 0 || terms(i, j) == size[i]) continue;  // alone: says that it is 0
        (terms(i, j) <= 1e-13 * size[i] || x[j] == 0 || std::fabs(x[j]) < 1e-25 ? small : large) = true;
      }
      if (small && !large) cleared[j] = 0;
    }
    const Vector before = Unknowns();
    Place(cleared);
    if (Evaluate() && Small(Projected(values_))) return;
    Place(before);
    Evaluate();
  }

  // Whether the rates stay as they are along the motion: where a slope is zero by chance (at the foot of a
  // parabola), a direction only looks as if nothing depended on it.
  bool StaysSteady() {
    const Vector before = Unknowns(), rates = values_;
    double fastest = 0;
    for (const Trim::Drift& d : out_.drifting)
      fastest = std::max(fastest, std::fabs(d.rate) / (1 + std::fabs(before[d.state])));
    bool steady = true;
    for (const double part : {0.01, -0.3, 1.0}) {
      Vector moved = before;
      for (const Trim::Drift& d : out_.drifting) moved[d.state] += part * d.rate / fastest;
      Place(moved);
      steady = steady && Evaluate();
      for (size_t i = 0; i < n_ && steady; ++i)
        steady = std::fabs(values_[i] - rates[i]) <= 1e-6 * (std::fabs(rates[i]) + row_[i] * 1e-3);
    }
    Place(before);
    Evaluate();
    return steady;
  }

  void Judge() {
    const Vector residual = Projected(values_);
    out_.ok = Small(residual);
    for (size_t i = 0; i < n_; ++i) {
      if (MayDrift(i) && std::fabs(values_[i]) > 1e-9 * row_[i])
        out_.drifting.push_back({static_cast<uint32_t>(i), values_[i]});
    }
    if (out_.ok && !out_.drifting.empty() && !StaysSteady()) {
      out_.ok = false;
      for (const Trim::Drift& d : out_.drifting)
        out_.unmet.push_back({program_.derivative_slots[d.state], 0, d.rate, true});
      return;
    }
    if (out_.ok) {
      ClearRounding();
      return;
    }
    std::vector<std::pair<double, size_t>> order;
    const double largest = Largest(residual);
    for (size_t i = 0; i < rows_; ++i) {
      if (std::fabs(residual[i]) > 1e-3 * largest) order.emplace_back(-std::fabs(residual[i]), i);
    }
    std::sort(order.begin(), order.end());
    // What may move steadily is to blame last.
    const auto moves = [&](const std::pair<double, size_t>& x) {
      return x.second < n_ && MayDrift(x.second);
    };
    const auto blamed = std::remove_if(order.begin(), order.end(), moves);
    if (blamed != order.begin()) order.erase(blamed, order.end());
    for (const auto& [unused, i] : order) {
      if (i < n_) {
        out_.unmet.push_back({program_.derivative_slots[i], 0, values_[i], true});
      } else {
        const TrimProblem::Fixed& f = problem_.fixed[i - n_];
        out_.unmet.push_back({f.slot, f.value, f.value + values_[i], false});
      }
    }
  }

  ProgramRun& run_;
  const Program& program_;
  const TrimProblem& problem_;
  std::vector<uint32_t> unknowns_;
  size_t n_ = 0, slots_ = 0, all_ = 0, rows_ = 0;
  Vector values_, row_, column_;
  Matrix jacobian_, drift_;
  Trim out_;
};

}  // namespace

Trim FindTrim(ProgramRun& run, const Program& program, const TrimProblem& problem) {
  return Trimmer(run, program, problem).Solve();
}

}  // namespace cotree
