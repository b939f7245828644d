// SPDX-License-Identifier: Apache-2.0
#include "simulation/trim.h"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

namespace cotree {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class Trimmer {
 public:
  Trimmer(ProgramRun& run, const Program& program, const TrimProblem& problem)
      : run_(run), program_(program), problem_(problem), unknowns_(program.state_slots) {
    unknowns_.insert(unknowns_.end(), problem.free.begin(), problem.free.end());
    for (const TrimProblem::Parameter& p : problem.parameters) out_.parameters.push_back(p.value);
    n_ = static_cast<Index>(program.state_slots.size());
    slots_ = static_cast<Index>(unknowns_.size());
    all_ = slots_ + static_cast<Index>(out_.parameters.size());
    rows_ = n_ + static_cast<Index>(problem.fixed.size());
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
      const VectorXd residual = Projected(values_);
      const double size = residual.norm();
      const MatrixXd matrix = ProjectedMatrix();
      Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
      solver.setThreshold(1e-10);
      solver.compute(matrix);
      const VectorXd step = solver.solve(-residual);
      out_.undetermined = static_cast<size_t>(all_ - solver.rank() - drift_.cols());
      const VectorXd before = Unknowns();
      const double change = (step.array().abs() / (scaled(before).array().abs() + 1e-6)).maxCoeff();
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
    out_.undetermined = static_cast<size_t>(all_);
    for (size_t k = 0; k < problem_.fixed.size(); ++k) {
      const TrimProblem::Fixed& f = problem_.fixed[k];
      const double reached = run_.values[f.slot];
      if (std::fabs(reached - f.value) <= 1e-9 * std::fabs(f.value)) continue;
      out_.ok = false;
      out_.unmet.push_back({f.slot, f.value, reached, false});
    }
    return std::move(out_);
  }
  VectorXd Unknowns() const {
    VectorXd x(all_);
    for (Index k = 0; k < slots_; ++k) x[k] = run_.values[unknowns_[static_cast<size_t>(k)]];
    for (Index k = slots_; k < all_; ++k) x[k] = out_.parameters[static_cast<size_t>(k - slots_)];
    return x;
  }
  void Place(const VectorXd& x) {
    for (Index k = 0; k < slots_; ++k) run_.values[unknowns_[static_cast<size_t>(k)]] = x[k];
    for (Index k = slots_; k < all_; ++k) SetParameter(static_cast<size_t>(k - slots_), x[k]);
  }
  void SetParameter(size_t k, double value) {
    if (out_.parameters[k] == value) return;
    out_.parameters[k] = value;
    problem_.parameters[k].set(value);
  }
  VectorXd scaled(const VectorXd& x) const { return (x.array() / column_.array()).matrix(); }
  VectorXd unscaled(const VectorXd& x) const { return (x.array() * column_.array()).matrix(); }

  // A part of a step that makes the residual less: if possible one on which the linear model is true to a
  // half and the slope along the step at its end is at most doubled, so that an angle does not leap over
  // whole turns to another solution.
  bool TakeStep(const VectorXd& from, const VectorXd& step, const VectorXd& residual) {
    const double size = residual.norm();
    const VectorXd slope = SlopeAlong(step);
    for (const bool faithful : {true, false}) {
      for (double part = 1; part > (faithful ? 1e-6 : 1e-7); part /= 2) {
        Place(from + step * part);
        if (!Evaluate()) continue;
        const VectorXd now = Projected(values_);
        if (faithful ? (now - (1 - part) * residual).norm() <= part / 2 * size &&
                           (SlopeAlong(step) - slope).norm() <= slope.norm()
                     : now.norm() < size)
          return true;
      }
    }
    return false;
  }
  // What the residual changes with along a step of states and inputs, here.
  VectorXd SlopeAlong(const VectorXd& step) {
    ClearTangents();
    for (Index j = 0; j < slots_; ++j) run_.tangents[unknowns_[static_cast<size_t>(j)]] = step[j];
    run_.RunTangent(problem_.time);
    VectorXd out(rows_);
    for (Index i = 0; i < rows_; ++i) out[i] = run_.tangents[SlotOfRow(i)];
    return Projected(out);
  }
  void ClearTangents() {
    for (const uint32_t slot : program_.state_slots) run_.tangents[slot] = 0;
    for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
  }
  uint32_t SlotOfRow(Index i) const {
    const auto k = static_cast<size_t>(i);
    return i < n_ ? program_.derivative_slots[k] : problem_.fixed[k - program_.state_slots.size()].slot;
  }

  // Derivatives of the states, then what fixed variables lack.
  bool Evaluate() {
    if (!run_.Run(problem_.time)) return false;
    values_.resize(rows_);
    for (Index i = 0; i < rows_; ++i) {
      const auto k = static_cast<size_t>(i);
      values_[i] = i < n_ ? run_.values[program_.derivative_slots[k]]
                          : run_.values[problem_.fixed[k - program_.state_slots.size()].slot] -
                                problem_.fixed[k - program_.state_slots.size()].value;
    }
    return values_.allFinite();
  }

  void Differentiate() {
    jacobian_.resize(rows_, all_);
    for (Index j = slots_; j < all_; ++j)
      jacobian_.col(j) = SlopeOfParameter(static_cast<size_t>(j - slots_));
    for (Index j = 0; j < slots_; ++j) {
      ClearTangents();
      run_.tangents[unknowns_[static_cast<size_t>(j)]] = 1;
      run_.RunTangent(problem_.time);
      for (Index i = 0; i < rows_; ++i) jacobian_(i, j) = run_.tangents[SlotOfRow(i)];
    }
    // Units differ by many decades: rows and columns of one size, by powers of two.
    row_ = VectorXd::Ones(rows_);
    column_ = VectorXd::Ones(all_);
    for (int turn = 0; turn < 8; ++turn) {
      for (Index i = 0; i < rows_; ++i)
        Balance(jacobian_.row(i).cwiseAbs().cwiseProduct(column_.transpose()).maxCoeff(), row_[i]);
      for (Index j = 0; j < all_; ++j)
        Balance(jacobian_.col(j).cwiseAbs().cwiseQuotient(row_).maxCoeff(), column_[j], true);
    }
    jacobian_ = (row_.cwiseInverse().asDiagonal() * jacobian_ * column_.asDiagonal()).eval();
  }
  // Parameters have no tangents: central differences.
  VectorXd SlopeOfParameter(size_t k) {
    const double at = out_.parameters[k], step = 1e-6 * (at != 0 ? std::fabs(at) : 1);
    VectorXd slope = VectorXd::Zero(rows_);
    bool ok = true;
    for (const double side : {1.0, -1.0}) {
      SetParameter(k, at + side * step);
      ok = Evaluate() && ok;
      slope += side * values_ / (2 * step);
    }
    SetParameter(k, at);
    Evaluate();
    if (!ok) slope.setZero();
    return slope;
  }
  static void Balance(double largest, double& scale, bool inverse = false) {
    if (!(largest > 0) || !std::isfinite(largest)) return;
    const double power = std::exp2(std::round(std::log2(largest)));
    scale = inverse ? 1 / power : power;
  }

  // Directions of the states that change nothing.
  void FindHeld() {
    drift_.resize(n_, 0);
    if (n_ == 0) return;
    const Eigen::JacobiSVD<MatrixXd> svd(jacobian_.leftCols(n_), Eigen::ComputeFullV);
    const double largest = svd.singularValues().size() > 0 ? svd.singularValues()[0] : 0;
    Index rank = 0;
    while (rank < svd.singularValues().size() && svd.singularValues()[rank] > 1e-10 * largest) ++rank;
    // The derivatives may lie along these directions: x' = drift * a, in the units of x' an orthogonal basis.
    MatrixXd rates =
        column_.head(n_).cwiseQuotient(row_.head(n_)).asDiagonal() * svd.matrixV().rightCols(n_ - rank);
    if (rates.cols() == 0) return;
    const Eigen::HouseholderQR<MatrixXd> qr(rates);
    drift_ = qr.householderQ() * MatrixXd::Identity(n_, rates.cols());
  }
  template <class T>
  T WithoutDrift(T x) const {
    if (drift_.cols() > 0) x.topRows(n_) -= (drift_ * (drift_.transpose() * x.topRows(n_))).eval();
    return x;
  }
  VectorXd Projected(const VectorXd& values) const {
    return WithoutDrift<VectorXd>((values.array() / row_.array()).matrix());
  }
  MatrixXd ProjectedMatrix() const { return WithoutDrift<MatrixXd>(jacobian_); }

  // Against what the terms of a row amount to.
  bool Small(const VectorXd& residual) const {
    const VectorXd x = scaled(Unknowns()).cwiseAbs();
    const VectorXd size = jacobian_.cwiseAbs() * x;
    for (Index i = 0; i < rows_; ++i) {
      if (!(std::fabs(residual[i]) <= 1e-8 * (size[i] + 1e-6))) return false;
    }
    return true;
  }

  // What is next to nothing in every row is 0 but for rounding.
  void ClearRounding() {
    const VectorXd x = scaled(Unknowns());
    const MatrixXd terms = jacobian_.cwiseAbs() * x.cwiseAbs().asDiagonal();
    const VectorXd size = terms.rowwise().sum();
    VectorXd cleared = Unknowns();
    for (Index j = 0; j < all_; ++j) {
      bool small = false, large = false;
      for (Index i = 0; i < rows_; ++i) {
        if (jacobian_(i, j) == 0 || terms(i, j) == size[i]) continue;  // alone: says that it is 0
        (terms(i, j) <= 1e-13 * size[i] || x[j] == 0 || std::fabs(x[j]) < 1e-25 ? small : large) = true;
      }
      if (small && !large) cleared[j] = 0;
    }
    const VectorXd before = Unknowns();
    Place(cleared);
    if (Evaluate() && Small(Projected(values_))) return;
    Place(before);
    Evaluate();
  }

  void Judge() {
    const VectorXd residual = Projected(values_);
    out_.ok = Small(residual);
    for (Index i = 0; i < n_; ++i) {
      const bool free = drift_.cols() > 0 && drift_.row(i).norm() > 1e-9;
      if (free && std::fabs(values_[i]) > 1e-9 * row_[i])
        out_.drifting.push_back({static_cast<uint32_t>(i), values_[i]});
    }
    if (out_.ok) {
      ClearRounding();
      return;
    }
    std::vector<std::pair<double, Index>> order;
    const double largest = residual.cwiseAbs().maxCoeff();
    for (Index i = 0; i < rows_; ++i) {
      if (std::fabs(residual[i]) > 1e-3 * largest) order.emplace_back(-std::fabs(residual[i]), i);
    }
    std::sort(order.begin(), order.end());
    // What may move steadily is to blame last.
    const auto moves = [&](const std::pair<double, Index>& x) {
      return x.second < n_ && drift_.cols() > 0 && drift_.row(x.second).norm() > 1e-9;
    };
    const auto blamed = std::remove_if(order.begin(), order.end(), moves);
    if (blamed != order.begin()) order.erase(blamed, order.end());
    for (const auto& [unused, i] : order) {
      const auto k = static_cast<size_t>(i);
      if (i < n_) {
        out_.unmet.push_back({program_.derivative_slots[k], 0, values_[i], true});
      } else {
        const TrimProblem::Fixed& f = problem_.fixed[k - program_.state_slots.size()];
        out_.unmet.push_back({f.slot, f.value, f.value + values_[i], false});
      }
    }
  }

  ProgramRun& run_;
  const Program& program_;
  const TrimProblem& problem_;
  std::vector<uint32_t> unknowns_;
  Index n_ = 0, slots_ = 0, all_ = 0, rows_ = 0;
  VectorXd values_, row_, column_;
  MatrixXd jacobian_, drift_;
  Trim out_;
};

}  // namespace

Trim FindTrim(ProgramRun& run, const Program& program, const TrimProblem& problem) {
  return Trimmer(run, program, problem).Solve();
}

}  // namespace cotree
