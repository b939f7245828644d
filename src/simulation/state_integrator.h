// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/evaluate_fused.h"
#include "simulation/error_scale.h"
#include "simulation/vector_operations.h"

namespace cotree {

/** A first step that moves the states by about one part in a hundred of what counts, for a method of some
order (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.4; NU.5c).
`derivatives(time, states, slopes)` is false where there are no values; `may_retry()`, whether a shorter step
may have them. */
template <class Derivatives, class MayRetry>
double FirstStepOf(const ErrorScale& scale, const SimulationOptions& options, double time, double stop,
                   const double* y, const double* slope, int order, size_t n, Derivatives&& derivatives,
                   MayRetry&& may_retry) {
  const double* floor = scale.floor();
  const double unit = scale.unit();
  const double size = std::sqrt(MeanSquare(y, y, floor, unit, n));
  const double rate = std::sqrt(MeanSquare(slope, y, floor, unit, n));
  double h = size < 1e-5 || rate < 1e-5 ? 1e-6 * (stop - time) : 0.01 * size / rate;
  // What passes through zero tells nothing.
  h = std::max({h, 1e-10 * (options.stop - options.start), 1e-14 * std::fabs(time)});
  h = std::min(h, stop - time);
  std::vector<double> trial(n), trial_slope(n);
  const double* slopes[] = {slope};
  for (int tries = 0;; ++tries) {  // what is far away may have no values
    Combine(trial.data(), y, slopes, &h, 1, n);
    if (derivatives(time + h, trial.data(), trial_slope.data())) break;
    h /= 100;
    if (tries >= 10 || !may_retry() || !(time + h > time)) return h;
  }
  const double bend = std::sqrt(MeanSquareOfDifference(trial_slope.data(), slope, y, floor, unit, n)) / h;
  const double most = std::max(rate, bend);
  const double longer =
      most <= 1e-15 ? std::max(1e-6 * (stop - time), 1e-3 * h) : std::pow(0.01 / most, 1.0 / (order + 1));
  return std::min({100 * h, longer, stop - time});
}

/** What our own integrators share: derivatives by a fused program, with states in its order; error scales;
the way to and from the values of the run. */
class StateIntegrator : public Integrator {
 public:
  StateIntegrator(ProgramRun& run, const Program& program, const SimulationOptions& options)
      : run_(run),
        program_(program),
        options_(options),
        right_(run, FuseDerivatives(program), options.tier),
        scale_(program, options, right_.program().state_slots),
        n_(program.state_slots.size()) {}

  const FusedProgram* fused() const override { return &right_.program(); }
  std::string problem() const override { return problem_; }
  bool Continue(double stop) override {
    stop_ = stop;
    return true;
  }
  ErrorScale* error_scale() override { return &scale_; }
  std::string ProgramText() const override { return right_.Description(); }
  bool Interpolate(double time) override {
    interpolated_.resize(n_);
    if (!InterpolateAll(time, interpolated_.data())) return false;
    const std::vector<uint32_t>& slots = right_.program().state_slots;
    for (size_t k = 0; k < n_; ++k) run_.values[slots[k]] = interpolated_[k];
    return true;
  }

 protected:
  virtual bool InterpolateAll(double time, double* states) = 0;
  void TakeStates(double* y) const {
    const std::vector<uint32_t>& slots = right_.program().state_slots;
    for (size_t k = 0; k < n_; ++k) y[k] = run_.values[slots[k]];
  }
  /// False: they have no values there, `problem_` says why.
  bool Derivatives(double time, const double* y, double* out) {
    if (right_.Evaluate(time, y, out) && AllFinite(out, n_)) return true;
    FindProblem(time, y);
    return false;
  }
  /// Whether another, shorter step may do.
  bool may_retry() const { return !run_.failure().final; }
  double FirstStep(double time, double stop, const double* y, const double* slope, int order) {
    return FirstStepOf(
        scale_, options_, time, stop, y, slope, order, n_,
        [&](double at, const double* trial, double* out) {
          if (!Derivatives(at, trial, out)) return false;
          problem_.clear();
          return true;
        },
        [&] { return may_retry(); });
  }

  ProgramRun& run_;
  const Program& program_;
  SimulationOptions options_;
  FusedEvaluation right_;
  ErrorScale scale_;
  size_t n_;
  std::string problem_;
  double time_ = 0, stop_ = 0;  // where it stands, and where it must not go beyond

 private:
  // The whole program says what it stumbles over.
  void FindProblem(double time, const double* y) {
    const std::vector<uint32_t>& slots = right_.program().state_slots;
    for (size_t k = 0; k < n_; ++k) run_.values[slots[k]] = y[k];
    problem_ = run_.Run(time) ? "a value is not finite" : run_.FailureText();
  }
  std::vector<double> interpolated_;
};

}  // namespace cotree
