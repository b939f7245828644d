// SPDX-License-Identifier: Apache-2.0
// Backward differentiation of order 1 to 5, for stiff systems.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/stages.h"
#include "simulation/integrator_problem.h"
#include "simulation/projection.h"
#include "simulation/state_integrator.h"

namespace cotree {
namespace {

constexpr int kHighest = 5;

/** Numerical differentiation formulas in backward differences, with steps that stay equal for a while
(Shampine, Reichelt, The MATLAB ODE suite, SIAM J. Sci. Comput. 18, 1997; Klopfenstein's coefficients).

Of the differences D_0 ... D_q of the solution, predicted y = D_0 + ... + D_q. The corrector solves
d = c f(t, y + d) - psi, c = h / alpha_q, by Newton's method with a matrix 1 - c J that is kept while c is
near that of its factors (a step is then shortened by 2 / (1 + ratio)) and Newton's method converges.

Where loops are closed, an accepted step is projected. The whole past moves with its end, by p: the
differences stay as they are, since p is next to rounding and would be amplified in them. Between steps p
grows from 0, so that no step begins elsewhere than the last one ended.

Theory: docs/theory/numerics.md, NU.2c to NU.2e; step and order NU.4c; between steps NU.5d; projection NU.8.
*/
class BackwardDifferences : public StateIntegrator {
 public:
  BackwardDifferences(ProgramRun& run, const Program& program, const SimulationOptions& options,
                      Projection* projection)
      : StateIntegrator(run, program, options),
        projection_(projection),
        unit_(projection == nullptr ? scale_.unit()
                                    : std::max(kOfLoops * scale_.unit(), kLeastProjectedUnit)) {
    if (projection != nullptr) moved_.assign(n_, 0);
    for (auto& d : difference_) d.assign(n_, 0);
    for (int k = 1; k <= kHighest + 1; ++k) gamma_[k] = gamma_[k - 1] + 1.0 / k;
    for (int k = 0; k <= kHighest; ++k) {
      alpha_[k] = (1 - kKappa[k]) * gamma_[k];
      error_[k] = kKappa[k] * gamma_[k] + 1.0 / (k + 1);
    }
    for (std::vector<double>* v : {&y_, &slope_, &psi_, &correction_, &residual_}) v->assign(n_, 0);
    FindPattern();
  }

  std::string Description() const override {
    return unit_ > kOfLoops * scale_.unit() && projection_ != nullptr
               ? "BDF (loops are closed to rounding: it counts as a tolerance of 5e-11)"
               : "BDF";
  }
  bool resumes() const override { return true; }
  void Exchange(Archive& archive) override {
    scale_.Exchange(archive);
    for (double* x : {&time_, &step_, &length_, &next_factor_, &rate_}) archive.Number(*x);
    for (int* x : {&order_, &next_order_, &last_order_, &equal_, &failures_}) archive.Number(*x);
    for (auto& d : difference_) archive.Numbers(d);
    archive.Numbers(moved_);
    archive.Number(fresh_);
    Forget();
  }
  // Factors and Jacobian are found anew.
  void Forget() override {
    factored_ = have_jacobian_ = false;
    rate_ = 1;
    direction_.clear();
    solver_->Forget();
  }

  bool Restart(double time, double stop) override {
    time_ = time;
    stop_ = stop;
    TakeStates(difference_[0].data());
    scale_.Take(difference_[0].data());
    order_ = next_order_ = last_order_ = 1;
    equal_ = failures_ = 0;
    next_factor_ = 1;
    step_ = length_ = 0;
    fresh_ = true;
    have_jacobian_ = false;
    rate_ = 1;
    return true;
  }

  bool Step(double* time) override {
    problem_.clear();
    if (step_ == 0 && !Begin()) return false;
    Change(next_factor_, next_order_);
    next_factor_ = 1;
    const double most = LargestStep(run_, options_);
    if (step_ > most) Change(most / step_, order_);
    int refused = 0;
    for (int tries = 0; tries < 100; ++tries) {
      const double rest = stop_ - time_;
      const bool last = step_ >= rest * (1 - 1e-10);
      if (last && step_ != rest)
        Change(rest / step_, order_);
      else if (!last && 2 * step_ > rest)
        Change(rest / 2 / step_, order_);
      const double end = last ? stop_ : time_ + step_;
      if (!(end > time_)) break;
      if (!Correct(end)) {
        if (!may_retry()) return false;
        if (!current_) {
          have_jacobian_ = false;  // of an older point: anew
          continue;
        }
        have_jacobian_ = false;
        if (++refused > kMostRefused) return GiveUp("the corrector does not converge");
        Change(0.25, order_);
        continue;
      }
      const double error =
          error_[order_] * std::sqrt(MeanSquare(correction_.data(), y_.data(), scale_.floor(), unit_, n_));
      const double safety = 0.9 * (2 * kIterations + 1) / (2 * kIterations + iterations_);
      if (!(error <= 1)) {
        const double factor =
            std::isfinite(error) ? std::max(0.2, safety * std::pow(error, -1.0 / (order_ + 1))) : 0.2;
        // Again and again: the differences tell nothing any more.
        if (++failures_ >= 3 && order_ > 1) {
          Change(std::min(factor, 0.2), 1);
        } else {
          Change(factor, order_);
        }
        continue;
      }
      if (projection_ != nullptr && !Project(end)) {
        if (!may_retry()) return false;
        if (++refused > kMostRefused) return GiveUp("the loops cannot be closed");
        Change(0.25, order_);
        continue;
      }
      failures_ = 0;
      ++steps;
      fresh_ = false;
      *time = time_ = end;
      length_ = step_;
      last_order_ = order_;
      double* d[kHighest + 3];
      for (int k = 0; k < kHighest + 3; ++k) d[k] = difference_[k].data();
      Advance(d, correction_.data(), order_, n_);
      for (size_t k = 0; k < moved_.size(); ++k) difference_[0][k] += moved_[k];
      scale_.Remember(difference_[0].data());
      ++equal_;
      if (equal_ > order_) ChooseNext(error, safety);
      return true;
    }
    return GiveUp(
        "the corrector does not converge, or the error test fails again and again: something jumps");
  }

  bool InterpolateSome(double time, std::span<const uint32_t> places, double* out) override {
    double c[kHighest + 1];
    const int q = Coefficients(time, c);
    // The same sums as of all states, bit for bit: conditions are looked at here and there.
    for (const uint32_t k : places) {
      double sum = q > 0 ? c[1] * difference_[1][k] : 0;
      for (int j = 2; j <= q; ++j) sum += c[j] * difference_[j][k];
      out[k] = q > 0 ? difference_[0][k] + sum : difference_[0][k];
    }
    if (q > 0 && !moved_.empty()) {
      for (const uint32_t k : places) out[k] += c[1] * moved_[k];
    }
    return true;
  }

  // By power iteration with the Jacobian that there is.
  double FastestRate() override {
    if (!have_jacobian_) return 0;
    if (direction_.size() != n_) {
      direction_.resize(n_);
      for (size_t k = 0; k < n_; ++k) direction_[k] = 1 + 0.37 * static_cast<double>(k % 7);
    }
    std::vector<double> image(n_);
    double rate = 0;
    for (int turn = 0; turn < 6; ++turn) {
      double norm = 0;
      for (const double x : direction_) norm += x * x;
      if (!(norm > 0) || !std::isfinite(norm)) return 0;
      for (double& x : direction_) x /= std::sqrt(norm);
      std::fill(image.begin(), image.end(), 0.0);
      for (size_t j = 0; j < n_; ++j) {
        for (int k = first_[j]; k < first_[j + 1]; ++k)
          image[static_cast<size_t>(rows_[static_cast<size_t>(k)])] +=
              jacobian_[static_cast<size_t>(k)] * direction_[j];
      }
      norm = 0;
      for (const double x : image) norm += x * x;
      rate = std::sqrt(norm);
      direction_.swap(image);
    }
    return rate;
  }

 protected:
  bool InterpolateAll(double time, double* out) override {
    double c[kHighest + 1];
    const int q = Coefficients(time, c);
    if (q == 0) {
      std::copy(difference_[0].begin(), difference_[0].end(), out);
      return true;
    }
    const double* d[kHighest];
    for (int j = 1; j <= q; ++j) d[j - 1] = difference_[j].data();
    Combine(out, difference_[0].data(), d, c + 1, q, n_);
    for (size_t k = 0; k < moved_.size(); ++k) out[k] += c[1] * moved_[k];
    return true;
  }

 private:
  static constexpr double kKappa[kHighest + 1] = {0, -0.1850, -1.0 / 9, -0.0823, -0.0415, 0};
  static constexpr int kIterations = 4;
  static constexpr int kMostRefused = 25;  // times that a step does not converge, or has no values
  static constexpr double kNewtonTolerance = 0.03;
  // How far c may be from that of the factors; farther where factors cost as much as a dozen iterations.
  static constexpr double kKeep = 0.3, kKeepDear = 0.6;

  /* The reason, and the state that is off the most: by its last correction, against its tolerance. Where that
  is no more than the rounding of the state, nothing jumps. */
  bool GiveUp(const std::string& reason) {
    if (!problem_.empty()) return false;
    double most = 0;
    size_t worst = n_;
    for (size_t k = 0; k < n_; ++k) {
      const double off = std::fabs(correction_[k]) / (unit_ * std::max(std::fabs(y_[k]), scale_.floor()[k]));
      if (!(off > most) && std::isfinite(off)) continue;
      most = off;
      worst = k;
    }
    problem_ = reason;
    if (worst == n_) return false;
    const double size = std::max(std::fabs(y_[worst]), scale_.floor()[worst]), tolerance = unit_ * size;
    // What a step adds up of it.
    const double rounding = 100 * std::numeric_limits<double>::epsilon() * size;
    const bool limited = tolerance <= rounding || (projection_ != nullptr && unit_ <= kLeastProjectedUnit);
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, " was last corrected by %.2g; its tolerance is %.2g",
                  std::fabs(correction_[worst]), tolerance);
    problem_ += "; " + StateWithBlock(program_, right_.program().states[worst]) + numbers;
    if (limited) problem_ += ": rounding limits it, a larger --rtol leaves it room";
    return false;
  }

  // Weights of the differences at a time in the last step; how many.
  int Coefficients(double time, double* c) const {
    if (fresh_ || time == time_) return 0;
    double product = 1;
    for (int j = 0; j < last_order_; ++j) {
      product *= (time - (time_ - length_ * j)) / (length_ * (1 + j));
      c[j + 1] = product;
    }
    return last_order_;
  }

  void FindPattern() {
    EndStage("run");
    FusedJacobian fused = FuseJacobian(program_, right_.program());
    if (fused.program.complete) {
      first_ = std::move(fused.first);
      rows_ = std::move(fused.rows);
      jacobian_ = std::move(fused.values);
      by_kernels_.emplace(run_, std::move(fused.program), options_.tier);
    } else {
      // By tangents, column after column of one colour at once.
      pattern_ = FindJacobianPattern(program_, {}, true);
      const std::vector<uint32_t>& states = right_.program().states;
      std::vector<int> place(n_);
      for (size_t k = 0; k < n_; ++k) place[states[k]] = static_cast<int>(k);
      first_.push_back(0);
      for (size_t k = 0; k < n_; ++k) {
        const size_t begin = rows_.size();
        for (const uint32_t i : pattern_.rows_of_column[states[k]]) rows_.push_back(place[i]);
        std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(begin), rows_.end());
        first_.push_back(static_cast<int>(rows_.size()));
      }
    }
    jacobian_.resize(rows_.size(), 0);
    matrix_.assign(rows_.size(), 0);
    diagonal_.resize(n_);
    for (size_t j = 0; j < n_; ++j) {
      for (int k = first_[j]; k < first_[j + 1]; ++k) {
        if (rows_[static_cast<size_t>(k)] == static_cast<int>(j)) diagonal_[j] = static_cast<uint32_t>(k);
      }
    }
    solver_.emplace(first_, rows_);
    EndStage("fuse");
  }

  bool FindJacobian(double time) {
    ++jacobians;
    if (by_kernels_) {
      by_kernels_->Evaluate(time, y_.data(), jacobian_.data());
    } else {
      const std::vector<uint32_t>& slots = right_.program().state_slots;
      const std::vector<uint32_t>& states = right_.program().states;
      for (size_t k = 0; k < n_; ++k) run_.values[slots[k]] = y_[k];
      if (!run_.Run(time)) {
        problem_ = run_.FailureText();
        return false;
      }
      for (uint32_t colour = 0; colour < pattern_.colours; ++colour) {
        for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
        for (size_t j = 0; j < n_; ++j)
          run_.tangents[slots[j]] = pattern_.colour_of_column[states[j]] == colour ? 1 : 0;
        run_.RunTangent(time);
        for (size_t j = 0; j < n_; ++j) {
          if (pattern_.colour_of_column[states[j]] != colour) continue;
          for (int k = first_[j]; k < first_[j + 1]; ++k) {
            const auto row = static_cast<size_t>(rows_[static_cast<size_t>(k)]);
            jacobian_[static_cast<size_t>(k)] = run_.tangents[program_.derivative_slots[states[row]]];
          }
        }
      }
    }
    if (AllFinite(jacobian_.data(), jacobian_.size())) return true;
    for (size_t j = 0; j < n_ && problem_.empty(); ++j) {
      for (int k = first_[j]; k < first_[j + 1] && problem_.empty(); ++k) {
        if (std::isfinite(jacobian_[static_cast<size_t>(k)])) continue;
        const auto row = static_cast<size_t>(rows_[static_cast<size_t>(k)]);
        const SortedSystem& sorted = *program_.sorted;
        const std::vector<uint32_t>& states = right_.program().states;
        problem_ = "the derivative of `" + sorted.SlotName(program_.derivative_slots[states[row]]) +
                   "` by `" + sorted.SlotName(program_.state_slots[states[j]]) + "` is not finite";
      }
    }
    return false;
  }

  bool Begin() {
    std::copy(difference_[0].begin(), difference_[0].end(), y_.begin());
    if (!Derivatives(time_, y_.data(), slope_.data())) return false;
    const double stop = std::max(stop_, time_ + 1e-3 * (options_.stop - options_.start));
    step_ = FirstStep(time_, stop, y_.data(), slope_.data(), 1);
    for (size_t k = 0; k < n_; ++k) difference_[1][k] = step_ * slope_[k];
    for (int j = 2; j < kHighest + 3; ++j) std::fill(difference_[j].begin(), difference_[j].end(), 0.0);
    next_factor_ = 1;
    return true;
  }

  // Another length of the step, and another order.
  void Change(double factor, int order) {
    order_ = order;
    next_order_ = order;
    if (factor == 1) return;
    const int q = order, size = q + 1;
    double r[(kHighest + 1) * (kHighest + 1)], u[(kHighest + 1) * (kHighest + 1)],
        m[(kHighest + 1) * (kHighest + 1)];
    const auto fill = [&](double* out, double by) {
      for (int j = 0; j < size; ++j) out[j] = 1;
      for (int i = 1; i < size; ++i) {
        out[i * size] = 0;
        for (int j = 1; j < size; ++j) out[i * size + j] = out[(i - 1) * size + j] * (i - 1 - by * j) / i;
      }
    };
    fill(r, factor);
    fill(u, 1);
    // The new differences are (r u) transposed, times the old ones.
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) {
        double sum = 0;
        for (int k = 0; k < size; ++k) sum += r[j * size + k] * u[k * size + i];
        m[i * size + j] = sum;
      }
    }
    double* d[kHighest + 1];
    for (int k = 0; k <= kHighest; ++k) d[k] = difference_[k].data();
    Transform(d, m, q, n_);
    step_ *= factor;
    equal_ = 0;
  }

  bool Factor(double c) {
    for (size_t k = 0; k < matrix_.size(); ++k) matrix_[k] = -c * jacobian_[k];
    for (const uint32_t k : diagonal_) matrix_[k] += 1;
    factored_ = solver_->FactorColumns(matrix_);
    factored_c_ = c;
    rate_ = 1;
    return factored_;
  }

  /* Newton's method. `current_`: the Jacobian was found at this very point. */
  bool Correct(double end) {
    const double c = step_ / alpha_[order_];
    const double* d[kHighest + 1];
    for (int k = 0; k <= kHighest; ++k) d[k] = difference_[k].data();
    double g[kHighest + 1] = {};
    for (int j = 1; j <= order_; ++j) g[j] = gamma_[j] / alpha_[order_];
    Predict(y_.data(), psi_.data(), d, g, order_, n_);
    current_ = false;
    if (!have_jacobian_) {
      if (!FindJacobian(end)) {
        current_ = true;
        return false;
      }
      have_jacobian_ = current_ = true;
      factored_ = false;
    }
    const bool dear = solver_->has_much_fill();
    if (!factored_ || std::fabs(c / factored_c_ - 1) > (dear ? kKeepDear : kKeep)) {
      if (!Factor(c)) return false;
    }
    const double shorten = 2 / (1 + c / factored_c_);
    // Factors of another c let the fastest modes converge no better than this.
    const double least = dear ? std::fabs(c - factored_c_) / (c + factored_c_) : 0;
    std::fill(correction_.begin(), correction_.end(), 0.0);
    double before = 0;
    for (iterations_ = 1; iterations_ <= kIterations; ++iterations_) {
      ++iterations;
      if (!right_.Evaluate(end, y_.data(), slope_.data())) {
        problem_ = run_.FailureText();
        return false;
      }
      Residual(residual_.data(), slope_.data(), c, psi_.data(), correction_.data(), n_);
      solver_->Solve(residual_);
      AddToBoth(y_.data(), correction_.data(), residual_.data(), shorten, n_);
      const double norm = std::sqrt(MeanSquare(residual_.data(), y_.data(), scale_.floor(), unit_, n_));
      if (!std::isfinite(norm)) return false;
      if (iterations_ > 1) {
        const double rate = norm / before;
        rate_ = std::max(0.3 * rate_, rate);
        if (rate > 2) return false;
      }
      if (norm * std::min(1.0, std::max(rate_, least)) <= kNewtonTolerance) return true;
      if (iterations_ > 1 && rate_ < 1) {
        double left = norm;
        for (int k = iterations_; k < kIterations; ++k) left *= rate_;
        if (left * rate_ > 10 * kNewtonTolerance) return false;
      }
      before = norm;
    }
    return false;
  }

  // Moves the end of a step to the nearest states at which loops are closed, and the correction with it.
  bool Project(double end) {
    const std::vector<uint32_t>& states = right_.program().states;
    by_state_.resize(n_);
    for (size_t k = 0; k < n_; ++k) by_state_[states[k]] = y_[k];
    if (!projection_->Project(end, by_state_.data(), true)) {
      problem_ = run_.FailureText();
      return false;
    }
    for (size_t k = 0; k < n_; ++k) moved_[k] = by_state_[states[k]] - y_[k];
    return true;
  }

  // The order and step that promise the most.
  void ChooseNext(double error, double safety) {
    const auto size = [&](int q, int difference) {
      return error_[q] * std::sqrt(MeanSquare(difference_[difference].data(), difference_[0].data(),
                                              scale_.floor(), unit_, n_));
    };
    const auto factor = [&](double e, int q) { return std::pow(std::max(e, 1e-10), -1.0 / (q + 1)); };
    double best = factor(error, order_);
    int order = order_;
    if (order_ > 1) {
      const double lower = factor(size(order_ - 1, order_), order_ - 1);
      if (lower > best) {
        best = lower;
        order = order_ - 1;
      }
    }
    if (order_ < kHighest) {
      const double higher = factor(size(order_ + 1, order_ + 2), order_ + 1);
      if (higher > best) {
        best = higher;
        order = order_ + 1;
      }
    }
    best = std::min(10.0, safety * best);
    // A little more is not worth new factors.
    if (best > 0.9 && best < 1.2) {
      equal_ = 0;
      return;
    }
    next_factor_ = best;
    next_order_ = order;
  }

  Projection* projection_;
  double unit_;                           // of errors
  std::vector<double> by_state_, moved_;  // moved_: p of the last step
  double gamma_[kHighest + 2] = {};
  double alpha_[kHighest + 1] = {}, error_[kHighest + 1] = {};
  std::vector<double> difference_[kHighest + 3];
  std::vector<double> y_, slope_, psi_, correction_, residual_, direction_;
  std::optional<FusedEvaluation> by_kernels_;  // the Jacobian
  JacobianPattern pattern_;                    // otherwise
  std::vector<int> first_, rows_;
  std::vector<double> jacobian_, matrix_;
  std::vector<uint32_t> diagonal_;
  std::optional<LinearSolver> solver_;
  double step_ = 0, length_ = 0, next_factor_ = 1;
  double factored_c_ = 0, rate_ = 1;
  int order_ = 1, next_order_ = 1, last_order_ = 1, equal_ = 0, failures_ = 0, iterations_ = 0;
  bool fresh_ = true, factored_ = false, have_jacobian_ = false, current_ = false;
};

}  // namespace

std::unique_ptr<Integrator> MakeBackwardDifferences(ProgramRun& run, const Program& program,
                                                    const SimulationOptions& options,
                                                    Projection* projection) {
  return std::make_unique<BackwardDifferences>(run, program, options, projection);
}

}  // namespace cotree
