// SPDX-License-Identifier: Apache-2.0
// Which method integrates.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "simulation/error_scale.h"

namespace cotree {
namespace {

constexpr std::pair<std::string_view, Method> kNames[] = {
    {"auto", Method::kAutomatic},  {"bdf", Method::kBdf},
    {"ida", Method::kIda},         {"erk", Method::kExplicit},
    {"euler", Method::kEuler},     {"heun", Method::kHeun},
    {"rk4", Method::kRungeKutta4}, {"ieuler", Method::kImplicitEuler}};

}  // namespace

std::string_view MethodName(Method method) {
  for (const auto& [name, of] : kNames) {
    if (of == method) return name;
  }
  return kNames[0].first;
}

Method MethodOf(std::string_view name) {
  for (const auto& [own, method] : kNames) {
    if (own == name) return method;
  }
  return Method::kAutomatic;
}

double UnitOfTime(double time, double start, double stop) {
  return std::max({std::fabs(time), std::fabs(start), 1e-9 * (stop - start)});
}

double LargestStep(const ProgramRun& run, const SimulationOptions& options) {
  double most = options.max_step > 0 ? options.max_step : (options.stop - options.start) / 100;
  for (const DelayLine& line : run.delay_lines) most = std::min(most, line.delay);
  return most;
}

namespace {

/* Nothing is integrated: time just goes on. */
class NoIntegrator : public Integrator {
 public:
  NoIntegrator(const ProgramRun& run, const SimulationOptions& options) : run_(run), options_(options) {}
  bool Restart(double time, double stop) override {
    time_ = time;
    return Continue(stop);
  }
  bool Continue(double stop) override {
    stop_ = stop;
    return true;
  }
  std::string Description() const override { return "nothing to integrate"; }
  bool Step(double* time) override {
    *time = time_ = std::min(stop_, time_ + LargestStep(run_, options_));
    ++steps;
    return true;
  }
  bool Interpolate(double) override { return true; }
  std::string problem() const override { return {}; }

 private:
  const ProgramRun& run_;
  SimulationOptions options_;
  double time_ = 0, stop_ = 0;
};

/* Explicit steps as long as accuracy limits them; BDF where stability would: h times the fastest rate is at
the border of the method's region then. Looked at now and then; the other method takes over with the next
step, so that the last one can still be looked into. */
class AutomaticIntegrator : public Integrator {
 public:
  AutomaticIntegrator(ProgramRun& run, const Program& program, const SimulationOptions& options,
                      Projection* projection)
      : run_(run), program_(program), options_(options), projection_(projection) {
    explicit_ = MakeRungeKutta(run, program, options, projection);
    at_ = next_ = explicit_.get();
  }

  std::string Description() const override {
    if (changes_ == 0 || bdf_->steps == 0) return explicit_->Description();
    char text[200];
    if (first_rate_ == 0) {
      std::snprintf(text, sizeof text, ", BDF from %.4g s on (explicit steps got no further)%s", first_time_,
                    changes_ > 1 ? ", and changes later" : "");
      return explicit_->Description() + text;
    }
    std::snprintf(text, sizeof text,
                  ", BDF from %.4g s on (stiff: a mode of %.3g/s held the steps at %.3g s)%s", first_time_,
                  first_rate_, first_step_, changes_ > 1 ? ", and changes later" : "");
    return explicit_->Description() + text;
  }
  bool Restart(double time, double stop) override {
    LookAtEvents(time);
    time_ = time;
    stop_ = stop;
    if (at_ != next_ && at_->error_scale() != nullptr && next_->error_scale() != nullptr)
      *next_->error_scale() = *at_->error_scale();
    at_ = next_;
    return at_->Restart(time, stop);
  }
  bool Continue(double stop) override {
    stop_ = stop;
    return at_->Continue(stop);
  }
  bool Step(double* time) override {
    const double before = *time;
    if (next_ != at_ && !TakeOver(before)) return false;
    bool ok = at_->Step(time);
    if (!ok && at_ == explicit_.get()) {  // the other one may get through
      Change(before, 0, 0);
      *time = before;
      ok = TakeOver(before) && at_->Step(time);
    }
    steps = explicit_->steps + (bdf_ != nullptr ? bdf_->steps : 0);
    jacobians = bdf_ != nullptr ? bdf_->jacobians : 0;
    iterations = bdf_ != nullptr ? bdf_->iterations : 0;
    time_ = *time;
    longest_ = std::max(longest_, *time - before);
    if (ok && ++since_ >= kLook) Look(*time);
    return ok;
  }
  bool EndStepAt(double time) override {
    if (!at_->EndStepAt(time)) return false;
    time_ = time;
    return true;
  }
  bool Interpolate(double time) override { return at_->Interpolate(time); }
  bool InterpolateSome(double time, std::span<const uint32_t> places, double* states) override {
    return at_->InterpolateSome(time, places, states);
  }
  const FusedProgram* fused() const override { return at_->fused(); }
  std::string ProgramText() const override { return at_->ProgramText(); }
  bool resumes() const override { return explicit_->resumes() && (bdf_ == nullptr || bdf_->resumes()); }
  std::string problem() const override { return at_->problem(); }
  void Forget() override {
    since_ = votes_ = 0;
    longest_ = 0;
    explicit_->Forget();
    if (bdf_ != nullptr) bdf_->Forget();
  }
  void Exchange(Archive& archive) override {
    bool has_bdf = bdf_ != nullptr, now_bdf = at_ == bdf_.get() && has_bdf,
         next_bdf = next_ == bdf_.get() && has_bdf;
    for (bool* x : {&has_bdf, &now_bdf, &next_bdf}) archive.Number(*x);
    archive.Number(stop_);
    for (double* x : {&first_time_, &first_rate_, &first_step_}) archive.Number(*x);
    archive.Number(changes_);
    for (double* x : {&restarted_, &fastest_}) archive.Number(*x);
    archive.Number(hurried_);
    if (has_bdf && bdf_ == nullptr) bdf_ = MakeBackwardDifferences(run_, program_, options_, projection_);
    explicit_->Exchange(archive);
    if (has_bdf) bdf_->Exchange(archive);
    at_ = now_bdf ? bdf_.get() : explicit_.get();
    next_ = next_bdf ? bdf_.get() : explicit_.get();
  }

 private:
  static constexpr int kLook = 40;
  static constexpr double kBorder = 2.5;  // of the region of stability, about: 3.3 along the real axis

  bool TakeOver(double time) { return at_->Interpolate(time) && Restart(time, stop_); }
  /* Events that follow each other within what a stiff mode takes to settle: an explicit step is wrong by more
  there than what the next condition is about (the current of a diode with a small resistance), and makes it. */
  void LookAtEvents(double time) {
    if (at_ != explicit_.get() || next_ != at_) return;
    const double rate = at_->FastestRate(), gap = time - restarted_;
    restarted_ = time;
    fastest_ = std::max(rate, 0.1 * fastest_);
    const double most = LargestStep(run_, options_);
    hurried_ = gap * kHurry < most && fastest_ * most > kHurry ? hurried_ + 1 : 0;
    if (hurried_ < kMostHurried) return;
    hurried_ = 0;
    Change(time, fastest_, gap);
  }
  // The method for the next steps, by the longest of the last ones.
  void Look(double time) {
    since_ = 0;
    const double step = longest_, rate = at_->FastestRate();
    longest_ = 0;
    const bool now_explicit = at_ == explicit_.get();
    const bool better = now_explicit ? step * rate > kBorder && step < 0.2 * LargestStep(run_, options_)
                                     : rate > 0 && step * rate < 0.3;
    votes_ = better ? votes_ + 1 : 0;
    if (votes_ >= (now_explicit ? 2 : 4)) Change(time, rate, step);
  }
  void Change(double time, double rate, double step) {
    votes_ = 0;
    if (++changes_ == 1) {
      first_time_ = time;
      first_rate_ = rate;
      first_step_ = step;
    }
    if (bdf_ == nullptr) bdf_ = MakeBackwardDifferences(run_, program_, options_, projection_);
    next_ = at_ == explicit_.get() ? bdf_.get() : explicit_.get();
  }

  ProgramRun& run_;
  const Program& program_;
  SimulationOptions options_;
  Projection* projection_;
  std::unique_ptr<Integrator> explicit_, bdf_;
  Integrator *at_ = nullptr, *next_ = nullptr;
  double time_ = 0, stop_ = 0, longest_ = 0, first_time_ = 0, first_rate_ = 0, first_step_ = 0;
  static constexpr double kHurry = 1e3;
  static constexpr int kMostHurried = 20;
  double restarted_ = -INFINITY, fastest_ = 0;  // the last time; of the fastest modes since some restarts
  int since_ = 0, votes_ = 0, changes_ = 0, hurried_ = 0;
};

/* IDA as long as it gets through; BDF from where it does not. Residual form needs a matrix that is regular in
all unknowns together, and a solution near the one before: a block that is singular (brakes that share a load)
or turns sharply has neither, but can be solved by itself. */
class ResidualFormIntegrator : public Integrator {
 public:
  ResidualFormIntegrator(ProgramRun& run, const Program& program, const SimulationOptions& options,
                         Projection* projection)
      : run_(run),
        program_(program),
        options_(options),
        projection_(projection),
        ida_(MakeIda(run, program, options, projection)),
        at_(ida_.get()) {}

  std::string Description() const override {
    if (bdf_ == nullptr) return ida_->Description();
    char text[60];
    std::snprintf(text, sizeof text, ", BDF from %.4g s on (IDA got no further)", change_time_);
    return ida_->Description() + text;
  }
  bool Restart(double time, double stop) override {
    stop_ = stop;
    slow_ = 0;
    return at_->Restart(time, stop);
  }
  bool Continue(double stop) override {
    stop_ = stop;
    return at_->Continue(stop);
  }
  bool Step(double* time) override {
    const double before = *time;
    // What creeps gets no further either.
    if (slow_ > kMostSlow && at_ == ida_.get() && !TakeOver(before)) return false;
    bool ok = at_->Step(time);
    if (!ok && at_ == ida_.get() && !run_.failure().final && !run_.failure().foreign) {
      *time = before;
      ok = TakeOver(before) && at_->Step(time);
    }
    const bool creeps = *time - before < kCreeps * UnitOfTime(before, options_.start, options_.stop);
    slow_ = ok && creeps && *time < stop_ ? slow_ + 1 : 0;
    steps = ida_->steps + (bdf_ != nullptr ? bdf_->steps : 0);
    jacobians = ida_->jacobians + (bdf_ != nullptr ? bdf_->jacobians : 0);
    iterations = ida_->iterations + (bdf_ != nullptr ? bdf_->iterations : 0);
    return ok;
  }
  bool Interpolate(double time) override { return at_->Interpolate(time); }
  bool InterpolateSome(double time, std::span<const uint32_t> places, double* states) override {
    return at_->InterpolateSome(time, places, states);
  }
  const FusedProgram* fused() const override { return at_->fused(); }
  std::string ProgramText() const override { return at_->ProgramText(); }
  bool resumes() const override { return at_->resumes(); }
  std::string problem() const override { return at_->problem(); }
  ErrorScale* error_scale() override { return at_->error_scale(); }
  void Forget() override { at_->Forget(); }
  void Exchange(Archive& archive) override {
    bool now_bdf = bdf_ != nullptr;
    archive.Number(now_bdf);
    archive.Number(stop_);
    archive.Number(change_time_);
    archive.Number(slow_);
    if (now_bdf && bdf_ == nullptr) bdf_ = MakeBackwardDifferences(run_, program_, options_, projection_);
    at_ = now_bdf ? bdf_.get() : ida_.get();
    at_->Exchange(archive);
  }

 private:
  static constexpr double kCreeps = 1e-13;
  static constexpr int kMostSlow = 100;  // steps in a row

  bool TakeOver(double time) {
    if (!ida_->Interpolate(time)) return false;
    change_time_ = time;
    bdf_ = MakeBackwardDifferences(run_, program_, options_, projection_);
    if (ida_->error_scale() != nullptr) bdf_->error_scale()->TakeSizesOf(*ida_->error_scale());
    at_ = bdf_.get();
    return at_->Restart(time, stop_);
  }

  ProgramRun& run_;
  const Program& program_;
  SimulationOptions options_;
  Projection* projection_;
  std::unique_ptr<Integrator> ida_, bdf_;
  Integrator* at_;
  double stop_ = 0, change_time_ = 0;
  int slow_ = 0;
};

// Looking for events solves linear blocks as often as residual form saves it.
// Mechanisms are left out: their blocks are accelerations and multipliers, of which IDA would have to guess
// how fast they change.
bool PaysResidualForm(const Program& program) {
  if (program.sorted->system->in_space) return false;
  const std::vector<uint32_t> large = BlocksToOpen(program, kLargeBlock);
  return std::any_of(large.begin(), large.end(), [&](uint32_t b) {
    return program.blocks[b].kind == BlockKind::kNonlinear || program.relations.empty();
  });
}

}  // namespace

std::unique_ptr<Integrator> MakeIntegrator(ProgramRun& run, const Program& program,
                                           const SimulationOptions& options, Projection* projection) {
  if (program.state_slots.empty()) return std::make_unique<NoIntegrator>(run, options);
  switch (options.method) {
    case Method::kBdf:
      return MakeBackwardDifferences(run, program, options, projection);
    case Method::kIda:
      return std::make_unique<ResidualFormIntegrator>(run, program, options, projection);
    case Method::kExplicit:
      return MakeRungeKutta(run, program, options, projection);
    case Method::kAutomatic:
      if (PaysResidualForm(program))
        return std::make_unique<ResidualFormIntegrator>(run, program, options, projection);
      return std::make_unique<AutomaticIntegrator>(run, program, options, projection);
    default:
      return MakeFixedStep(run, program, options, projection);
  }
}

}  // namespace cotree
