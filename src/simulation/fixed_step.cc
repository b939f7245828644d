// SPDX-License-Identifier: Apache-2.0
// Methods with fixed steps, for real time: the work of a step is known before.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "simulation/projection.h"
#include "simulation/simulate.h"

namespace cotree {

double FixedStepOf(const SimulationOptions& options) {
  return options.step > 0       ? options.step
         : options.interval > 0 ? options.interval
                                : (options.stop - options.start) / 1000;
}

namespace {

/** A method with a fixed step. Steps lie on a grid from the start of the run; one that meets an event ends
there, and the next goes on to the grid. In between, a cubic through values and slopes. */
class FixedStep : public Integrator {
 public:
  FixedStep(ProgramRun& run, const Program& program, const SimulationOptions& options, Projection* projection)
      : run_(run),
        program_(program),
        options_(options),
        projection_(projection),
        n_(program.state_slots.size()),
        step_(FixedStepOf(options)) {
    if (options.method != Method::kImplicitEuler) return;
    pattern_ = FindJacobianPattern(program);
    std::vector<std::vector<uint32_t>> columns(n_);
    for (uint32_t j = 0; j < n_; ++j) {
      for (const uint32_t i : pattern_.rows_of_column[j]) columns[i].push_back(j);
    }
    for (uint32_t i = 0; i < n_; ++i) {
      if (!std::binary_search(columns[i].begin(), columns[i].end(), i)) {
        columns[i].push_back(i);
        std::sort(columns[i].begin(), columns[i].end());
      }
    }
    columns_ = columns;
    solver_ = std::make_unique<LinearSolver>(n_, columns);
  }

  std::string Description() const override {
    const char* name = options_.method == Method::kEuler         ? "Euler"
                       : options_.method == Method::kHeun        ? "Heun"
                       : options_.method == Method::kRungeKutta4 ? "Runge-Kutta of order 4"
                                                                 : "linearly implicit Euler";
    return std::string(name) + " with fixed steps";
  }
  bool Restart(double time, double stop) override {
    time_ = before_ = time;
    y_.resize(n_);
    for (size_t k = 0; k < n_; ++k) y_[k] = run_.values[program_.state_slots[k]];
    start_ = y_;
    return Slopes(time, y_, slope_) && Continue(stop);
  }
  bool Continue(double stop) override {
    stop_ = stop;
    return true;
  }
  bool Step(double* time) override {
    const double turns = std::floor((time_ - options_.start) / step_ * (1 + 1e-12) + 1e-9) + 1;
    double end = std::min(stop_, options_.start + turns * step_);
    start_ = y_;
    start_slope_ = slope_;
    before_ = time_;
    // Where a branch ends within it (a root of what becomes negative), half a step, and half of that.
    while (!Advances(end)) {
      y_ = start_;
      slope_ = start_slope_;
      const double middle = time_ + (end - time_) / 2;
      const bool tiny = end - time_ <= 1e-13 * std::max(std::fabs(time_), step_);
      if (run_.failure().final || run_.failure().block != UINT32_MAX || program_.relations.empty() || tiny)
        return false;
      end = middle;
    }
    *time = time_ = end;
    ++steps;
    return true;
  }
  bool Advances(double end) {
    if (!Advance(end - time_)) return false;
    if (projection_ != nullptr && !projection_->Project(end, y_.data())) {
      problem_ = run_.FailureText();
      return false;
    }
    return Slopes(end, y_, slope_);
  }
  bool Interpolate(double time) override {
    const double h = time_ - before_;
    if (time >= time_ || h <= 0) {
      for (size_t k = 0; k < n_; ++k) run_.values[program_.state_slots[k]] = y_[k];
      return true;
    }
    const double s = (time - before_) / h, a = s * s * (3 - 2 * s), b = s * (1 - s) * (1 - s),
                 c = s * s * (s - 1);
    for (size_t k = 0; k < n_; ++k)
      run_.values[program_.state_slots[k]] =
          start_[k] + a * (y_[k] - start_[k]) + h * (b * start_slope_[k] + c * slope_[k]);
    return true;
  }
  std::string problem() const override { return problem_; }

 private:
  bool Slopes(double time, const std::vector<double>& y, std::vector<double>& out) {
    for (size_t k = 0; k < n_; ++k) run_.values[program_.state_slots[k]] = y[k];
    if (!run_.Run(time)) {
      problem_ = run_.FailureText();
      return false;
    }
    out.resize(n_);
    for (size_t k = 0; k < n_; ++k) out[k] = run_.values[program_.derivative_slots[k]];
    return true;
  }
  std::vector<double> Moved(double h, const std::vector<double>& slope) const {
    std::vector<double> out(start_);
    for (size_t k = 0; k < n_; ++k) out[k] += h * slope[k];
    return out;
  }
  bool Advance(double h) {
    std::vector<double> k2, k3, k4;
    switch (options_.method) {
      case Method::kEuler:
        y_ = Moved(h, start_slope_);
        return true;
      case Method::kHeun:
        if (!Slopes(time_ + h, Moved(h, start_slope_), k2)) return false;
        for (size_t k = 0; k < n_; ++k) y_[k] = start_[k] + h / 2 * (start_slope_[k] + k2[k]);
        return true;
      case Method::kImplicitEuler:
        return AdvanceImplicit(h);
      default:
        if (!Slopes(time_ + h / 2, Moved(h / 2, start_slope_), k2) ||
            !Slopes(time_ + h / 2, Moved(h / 2, k2), k3) || !Slopes(time_ + h, Moved(h, k3), k4))
          return false;
        for (size_t k = 0; k < n_; ++k)
          y_[k] = start_[k] + h / 6 * (start_slope_[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
        return true;
    }
  }
  // (1 - h J) change = h f(t + h, y): one linear system a step.
  bool AdvanceImplicit(double h) {
    std::vector<double> right;
    if (!Slopes(time_ + h, start_, right)) return false;
    std::vector<std::vector<double>> jacobian(n_);
    for (uint32_t i = 0; i < n_; ++i) jacobian[i].assign(columns_[i].size(), 0);
    for (uint32_t colour = 0; colour < pattern_.colours; ++colour) {
      for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
      for (uint32_t j = 0; j < n_; ++j)
        run_.tangents[program_.state_slots[j]] = pattern_.colour_of_column[j] == colour ? 1 : 0;
      run_.RunTangent(time_ + h);
      for (uint32_t j = 0; j < n_; ++j) {
        if (pattern_.colour_of_column[j] != colour) continue;
        for (const uint32_t i : pattern_.rows_of_column[j]) {
          const auto at = std::lower_bound(columns_[i].begin(), columns_[i].end(), j) - columns_[i].begin();
          jacobian[i][static_cast<size_t>(at)] = -h * run_.tangents[program_.derivative_slots[i]];
        }
      }
    }
    std::vector<double> entries;
    for (uint32_t i = 0; i < n_; ++i) {
      for (size_t k = 0; k < columns_[i].size(); ++k)
        entries.push_back(jacobian[i][k] + (columns_[i][k] == i ? 1 : 0));
      right[i] *= h;
    }
    if (!solver_->Factor(entries)) {
      problem_ = "the matrix of the implicit step is singular; try another step";
      return false;
    }
    ++jacobians;
    solver_->Solve(right);
    for (size_t k = 0; k < n_; ++k) y_[k] = start_[k] + right[k];
    return true;
  }

  ProgramRun& run_;
  const Program& program_;
  SimulationOptions options_;
  Projection* projection_;
  size_t n_;
  double step_, time_ = 0, before_ = 0, stop_ = 0;
  std::vector<double> y_, start_, slope_, start_slope_;
  JacobianPattern pattern_;
  std::vector<std::vector<uint32_t>> columns_;
  std::unique_ptr<LinearSolver> solver_;
  std::string problem_;
};

}  // namespace

std::string FixedStepProblem(const ProgramRun& run, const Program& program,
                             const SimulationOptions& options) {
  const bool looks_ahead = options.method == Method::kHeun || options.method == Method::kRungeKutta4 ||
                           options.method == Method::kImplicitEuler;
  const EquationSystem& system = *program.sorted->system;
  for (size_t k = 0; k < run.delay_lines.size() && looks_ahead; ++k) {
    const double delay = run.delay_lines[k].delay, step = FixedStepOf(options);
    if (step <= delay * (1 + 1e-9)) continue;
    return fmt::format(
        "the step of {:.6g} s is longer than the delay of `{}`, {:.6g} s, so a step would need what it is "
        "yet "
        "to find; choose --step {:.6g} or less",
        step, ComponentName(*system.model, *system.graph, ComponentId(program.delays[k].component)), delay,
        delay);
  }
  return {};
}

std::unique_ptr<Integrator> MakeFixedStep(ProgramRun& run, const Program& program,
                                          const SimulationOptions& options, Projection* projection) {
  return std::make_unique<FixedStep>(run, program, options, projection);
}

}  // namespace cotree
