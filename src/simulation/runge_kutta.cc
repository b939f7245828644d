// SPDX-License-Identifier: Apache-2.0
// The explicit method of Dormand and Prince, of order 5, with its own interpolation of order 4.
#include <algorithm>
#include <cmath>

#include "program/plan_strips.h"
#include "simulation/dormand_prince.h"
#include "simulation/lanes.h"
#include "simulation/projection.h"
#include "simulation/state_integrator.h"

namespace cotree {
namespace {

using namespace dormand_prince;  // NOLINT: its coefficients

/* Step control after Hairer, Norsett, Wanner, II.4.

Theory: docs/theory/numerics.md, (NU.2b), (NU.4c), (NU.5b). */
class RungeKutta : public StateIntegrator {
 public:
  RungeKutta(ProgramRun& run, const Program& program, const SimulationOptions& options,
             Projection* projection)
      : StateIntegrator(run, program, options), projection_(projection) {
    for (auto& v : k_) v.resize(n_);
    y_.resize(n_);
    next_.resize(n_);
    stage_.resize(n_);
  }

  std::string Description() const override { return "explicit Runge-Kutta of order 5"; }
  bool resumes() const override { return true; }
  void Exchange(Archive& archive) override {
    scale_.Exchange(archive);
    archive.Number(time_);
    archive.Number(step_);
    archive.Number(last_error_);
    archive.Numbers(next_);
    fresh_ = true;
    y_ = next_;
    slope_known_ = false;
    begin_ = time_;
  }
  void Forget() override { slope_known_ = false; }

  bool Restart(double time, double stop) override {
    TakeStates(y_.data());
    next_ = y_;
    scale_.Take(y_.data());
    time_ = begin_ = time;
    fresh_ = true;
    slope_known_ = false;
    last_error_ = 1e-4;
    stop_ = stop;
    step_ = 0;
    return true;
  }

  bool Step(double* time) override {
    problem_.clear();
    if (TakeStep(time)) return true;
    next_ = y_;  // where it stands
    fresh_ = true;
    return false;
  }
  bool EndStepAt(double time) override {
    if (fresh_ || !(time > begin_)) return false;
    const double end = std::exchange(time_, begin_), length = length_;
    const auto take = [&](double to, double h) {
      const double error = Try(h, to);
      if (!std::isfinite(error) || (projection_ != nullptr && !Project(to))) return false;
      time_ = to;
      length_ = h;
      return true;
    };
    if (take(time, time - begin_)) return true;
    problem_.clear();
    take(end, length);
    return false;
  }
  // The rate of the fastest mode that the last two stages saw: they differ by it (Hairer, Wanner, IV.2;
  // NU.3b).
  double FastestRate() override {
    if (fresh_) return 0;
    const double* floor = scale_.floor();
    const double slopes = MeanSquareOfDifference(k_[6].data(), k_[5].data(), next_.data(), floor, 1, n_);
    const double places = MeanSquareOfDifference(next_.data(), stage_.data(), next_.data(), floor, 1, n_);
    return places > 0 ? std::sqrt(slopes / places) : 0;
  }

  bool InterpolateSome(double time, std::span<const uint32_t> places, double* out) override {
    double c[8];
    if (!Coefficients(time, c)) {
      for (const uint32_t k : places) out[k] = next_[k];
      return true;
    }
    for (const uint32_t k : places)
      out[k] = c[0] * y_[k] + c[1] * next_[k] +
               (c[2] * k_[0][k] + c[3] * k_[2][k] + c[4] * k_[3][k] + c[5] * k_[4][k] + c[6] * k_[5][k] +
                c[7] * k_[6][k]);
    return true;
  }

 protected:
  bool InterpolateAll(double time, double* out) override {
    double c[8];
    if (!Coefficients(time, c)) {
      std::copy(next_.begin(), next_.end(), out);
      return true;
    }
    for (size_t k = 0; k < n_; ++k)
      out[k] = c[0] * y_[k] + c[1] * next_[k] +
               (c[2] * k_[0][k] + c[3] * k_[2][k] + c[4] * k_[3][k] + c[5] * k_[4][k] + c[6] * k_[5][k] +
                c[7] * k_[6][k]);
    return true;
  }

 private:
  // The polynomial of order 4 through the step as weights of both ends and the stages; false: at its end.
  bool Coefficients(double time, double* c) const {
    if (fresh_ || time >= time_) return false;
    const double h = length_, s = (time - begin_) / h, r = 1 - s;
    const double difference = s * (1 + r * (-1 + 2 * s));  // of next - y
    c[0] = 1 - difference;
    c[1] = difference;
    const double dense = s * r * s * r * h;
    c[2] = s * r * h * (1 - s) + dense * kDense[0];
    for (int j = 1; j < 5; ++j) c[2 + j] = dense * kDense[j];
    c[7] = -s * r * s * h + dense * kDense[5];
    return true;
  }

  bool TakeStep(double* time) {
    if (!Begin()) return false;
    const double most = LargestStep(run_, options_);
    int without_values = 0;
    for (int tries = 0; tries < 100; ++tries) {
      step_ = std::min(step_, most);
      double h = step_;
      // Ends at the stop, in two equal steps where one is not enough.
      const double rest = stop_ - time_;
      const bool last = h >= rest * (1 - 1e-10);
      if (last)
        h = rest;
      else if (2 * h > rest)
        h = rest / 2;
      const double end = last ? stop_ : time_ + h;
      if (!(end > time_)) break;
      const double error = Try(h, end);
      if (error <= 1) {
        begin_ = time_;
        length_ = h;
        *time = time_ = end;
        ++steps;
        fresh_ = false;
        // The controller of Gustafsson: the error before counts as well.
        const double safe = std::max(error, 1e-10);
        double factor = 0.9 * std::pow(safe, -0.7 / 5) * std::pow(last_error_, 0.4 / 5);
        factor = std::clamp(factor, 0.2, rejected_ ? 1.0 : 10.0);
        last_error_ = std::max(safe, 1e-4);
        rejected_ = false;
        step_ = h < step_ ? std::max(step_, h * factor) : h * factor;
        if (projection_ != nullptr && !Project(end)) return false;
        scale_.Remember(next_.data());
        return true;
      }
      if (!std::isfinite(error) && (!may_retry() || ++without_values > kMostWithoutValues)) return false;
      rejected_ = true;
      step_ = h * (std::isfinite(error) ? std::max(0.1, 0.9 * std::pow(error, -0.2)) : 0.25);
    }
    if (problem_.empty()) problem_ = "the steps become too small: something grows without bound, or jumps";
    return false;
  }

  static constexpr int kMostWithoutValues = 40;  // tries of a step: down to where a branch ends
  static constexpr size_t kLeastStrips = 10000;  // states

  // What the last step gave becomes the beginning of the next.
  bool Begin() {
    if (!fresh_) {
      std::swap(y_, next_);
      std::swap(k_[0], k_[6]);
    }
    fresh_ = false;
    if (!slope_known_) {
      if (!Derivatives(time_, y_.data(), k_[0].data())) return false;
      slope_known_ = true;
    }
    if (step_ == 0) {
      const double stop = std::max(stop_, time_ + 1e-3 * (options_.stop - options_.start));
      step_ = FirstStep(time_, stop, y_.data(), k_[0].data(), 5);
    }
    return true;
  }

  // The error of a step, relative to what it may be; infinite where there are no values.
  double Try(double h, double end) {
    const double square =
        options_.lanes != nullptr && fused()->compact ? TryInLanes(h, end) : TryAlone(h, end);
    if (std::isfinite(square)) return std::sqrt(square);
    Derivatives(end, next_.data(), k_[6].data());  // says why
    return INFINITY;
  }
  double TryInLanes(double h, double end) {
    LaneTry& request = request_;
    if (request.program == nullptr) {
      request.program = fused();
      request.shape = ShapeOf(*fused());
      request.run = NextRunNumber();
    }
    request.copies = run_.values.data();
    request.time = time_;
    request.h = h;
    request.end = end;
    request.switch_time = run_.switch_time;
    request.unit = scale_.unit();
    request.y = y_.data();
    request.floor = scale_.floor();
    for (int s = 0; s < kStages; ++s) request.k[s] = k_[s].data();
    request.stage = stage_.data();
    request.next = next_.data();
    // What is delayed depends on the time: each evaluation looks it up.
    if (!run_.delay_lines.empty() || !options_.lanes->Try(request)) return TryAlone(h, end);
    run_.evaluations += kStages - 1;
    return request.square;
  }
  // What a stage adds to the states at the beginning of the step, and where and when its slopes are found.
  struct Stage {
    const double* k[6];
    double c[6];
    int count;
    double* at;
    double time;
  };
  Stage StageOf(int s, double h, double end) {
    Stage stage;
    const bool final = s == kStages - 1;
    stage.count = final ? 5 : s;
    for (int j = 0; j < stage.count; ++j) {
      stage.k[j] = k_[final && j > 0 ? j + 1 : j].data();
      stage.c[j] = h * kStage[s][j];
    }
    stage.at = final ? next_.data() : stage_.data();
    stage.time = s >= 5 ? end : time_ + kTime[s] * h;
    return stage;
  }
  Stage ErrorStage(double h) const {
    Stage stage;
    stage.count = 6;
    for (int j = 0; j < 6; ++j) {
      stage.k[j] = k_[j > 0 ? j + 1 : j].data();
      stage.c[j] = h * kError[j];
    }
    return stage;
  }
  // The mean square of the error.
  double TryAlone(double h, double end) {
    if (TakesStrips()) return TryInStrips(h, end);
    for (int s = 1; s < kStages; ++s) {
      const Stage stage = StageOf(s, h, end);
      Combine(stage.at, y_.data(), stage.k, stage.c, stage.count, n_);
      if (!right_.Evaluate(stage.time, stage.at, k_[s].data())) return INFINITY;
    }
    const Stage error = ErrorStage(h);
    return CombinedError(error.k, error.c, y_.data(), next_.data(), scale_.floor(), scale_.unit(), n_);
  }
  // Where the vectors of a step do not fit into the cache but near states depend on near ones.
  bool TakesStrips() {
    if (n_ < kLeastStrips || !run_.delay_lines.empty()) return false;
    if (!planned_) {
      planned_ = true;
      strips_ = PlanStrips(right_.program(), kStages - 1, 11 * sizeof(double));
      if (!strips_.tasks.empty()) spare_.resize(n_);
    }
    return !strips_.tasks.empty();
  }
  double TryInStrips(double h, double end) {
    Stage stages[kStages];
    for (int s = 1; s < kStages; ++s) stages[s] = StageOf(s, h, end);
    const Stage error = ErrorStage(h);
    double* terms = k_[1].data();  // nobody reads the second slope any more
    right_.BeginParts(kStages - 1);
    const double* k[6];
    const auto from = [&](const Stage& stage, uint32_t first) {
      for (int j = 0; j < stage.count; ++j) k[j] = stage.k[j] + first;
    };
    const StripTask* before = nullptr;
    for (const StripTask& task : strips_.tasks) {
      const Stage& stage = stages[task.stage];
      const uint32_t first = task.first;
      switch (task.kind) {
        case StripTask::Kind::kCombine:
          from(stage, first);
          Combine(stage.at + first, y_.data() + first, k, stage.c, stage.count, task.count);
          break;
        case StripTask::Kind::kRun:
          right_.RunPart(task.step, first, task.count, stage.time, stage.at, k_[task.stage].data());
          break;
        case StripTask::Kind::kSingle:
          if (before == nullptr || before->kind != task.kind || before->step != task.step ||
              before->stage != task.stage)
            right_.RunPart(task.step, 0, 1, stage.time, stage.at, spare_.data());
          k_[task.stage][first] = spare_[first];
          break;
        case StripTask::Kind::kEnd:
          from(error, first);
          CombinedErrorTerms(terms + first, k, error.c, y_.data() + first, next_.data() + first,
                             scale_.floor() + first, scale_.unit(), task.count);
          break;
      }
      before = &task;
    }
    return MeanSquare(terms, n_);
  }

  bool Project(double end) {
    const std::vector<uint32_t>& states = right_.program().states;
    by_state_.resize(n_);
    for (size_t k = 0; k < n_; ++k) by_state_[states[k]] = next_[k];
    if (!projection_->Project(end, by_state_.data())) {
      problem_ = run_.FailureText();
      return false;
    }
    for (size_t k = 0; k < n_; ++k) next_[k] = by_state_[states[k]];
    return Derivatives(end, next_.data(), k_[6].data());
  }

  Projection* projection_;
  LaneTry request_;                       // for lanes
  std::vector<double> k_[kStages];        // slopes of the stages
  std::vector<double> y_, next_, stage_;  // at the beginning and the end of the step
  std::vector<double> by_state_;
  StripPlan strips_;           // no tasks: whole passes
  std::vector<double> spare_;  // results of straight-line code in strips
  bool planned_ = false;
  double begin_ = 0, length_ = 0, step_ = 0, last_error_ = 1e-4;
  bool fresh_ = true;  // no step yet: next_ is where it begins
  bool slope_known_ = false, rejected_ = false;
};

}  // namespace

std::unique_ptr<Integrator> MakeRungeKutta(ProgramRun& run, const Program& program,
                                           const SimulationOptions& options, Projection* projection) {
  return std::make_unique<RungeKutta>(run, program, options, projection);
}

}  // namespace cotree
