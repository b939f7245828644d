// SPDX-License-Identifier: Apache-2.0
// The only file that knows SUNDIALS.
#include <ida/ida.h>
#include <ida/ida_impl.h>  // the differences of its past, which a projection moves
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <algorithm>
#include <cmath>

#include "base/plural.h"
#include "simulation/projection.h"
#include "simulation/state_integrator.h"

namespace cotree {
namespace {

/* What all methods share: the right side, error weights, the vector of states, perhaps with unknowns of open
blocks behind them. */
class SundialsIntegrator : public Integrator {
 public:
  SundialsIntegrator(ProgramRun& run, const Program& program, const SimulationOptions& options,
                     std::vector<uint32_t> open)
      : run_(run),
        program_(program),
        options_(options),
        open_(std::move(open)),
        slots_(WithUnknowns(program, open_)),
        scale_(program, options, slots_) {
    SUNContext_Create(nullptr, &context_);
    const auto n = static_cast<sunindextype>(slots_.size());
    y_ = N_VNew_Serial(n, context_);
    interpolated_ = N_VNew_Serial(n, context_);
  }
  ~SundialsIntegrator() override {
    N_VDestroy(y_);
    N_VDestroy(interpolated_);
    SUNContext_Free(&context_);
  }

  std::string problem() const override { return problem_; }
  ErrorScale* error_scale() override { return &scale_; }
  void Exchange(Archive& archive) override { scale_.Exchange(archive); }

 protected:
  static std::vector<uint32_t> WithUnknowns(const Program& program, const std::vector<uint32_t>& open) {
    std::vector<uint32_t> slots = program.state_slots;
    for (const uint32_t b : open)
      slots.insert(slots.end(), program.blocks[b].unknowns.begin(), program.blocks[b].unknowns.end());
    return slots;
  }
  void TakeStates(double time) {
    double* y = N_VGetArrayPointer(y_);
    time_ = time;
    fresh_ = true;
    for (size_t k = 0; k < slots_.size(); ++k) y[k] = run_.values[slots_[k]];
    scale_.Take(y);
  }
  static int Weights(N_Vector y, N_Vector weights, void* self) {
    return static_cast<SundialsIntegrator*>(self)->ErrorWeights(y, weights);
  }

  bool Evaluate(double t, N_Vector y) {
    const double* values = N_VGetArrayPointer(y);
    for (size_t k = 0; k < slots_.size(); ++k) run_.values[slots_[k]] = values[k];
    run_.Open(open_);
    const bool ok = run_.Run(t);
    if (!ok) problem_ = run_.FailureText();
    run_.Open({});
    return ok;
  }
  virtual int ErrorWeights(N_Vector y, N_Vector weights) = 0;
  bool TakeFresh(double time) {
    if (!fresh_ || time != time_) return false;
    TakeFrom(y_);
    return true;
  }
  // What stands behind the states is where open blocks begin their iteration.
  void TakeFrom(N_Vector from) {
    const double* y = N_VGetArrayPointer(from);
    for (size_t k = 0; k < slots_.size(); ++k) run_.values[slots_[k]] = y[k];
  }
  void Remember() { scale_.Remember(N_VGetArrayPointer(y_)); }

  static void WritePattern(const JacobianPattern& pattern, SUNMatrix matrix) {
    sunindextype* first = SM_INDEXPTRS_S(matrix);
    sunindextype* rows = SM_INDEXVALS_S(matrix);
    sunindextype at = 0;
    for (const auto& column : pattern.rows_of_column) {
      *first++ = at;
      for (const uint32_t i : column) rows[at++] = i;
    }
    *first = at;
  }
  /* The values of a matrix by tangents: `entry` gives that in a row after a run along all columns of a
   * colour. */
  template <class Entry>
  void FillColumns(double t, const JacobianPattern& pattern, SUNMatrix matrix, Entry&& entry) {
    ++jacobians;
    const auto n = static_cast<uint32_t>(slots_.size());
    const sunindextype* first = SM_INDEXPTRS_S(matrix);
    double* data = SM_DATA_S(matrix);
    run_.Open(open_);
    for (uint32_t colour = 0; colour < pattern.colours; ++colour) {
      for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
      for (uint32_t j = 0; j < n; ++j)
        run_.tangents[slots_[j]] = pattern.colour_of_column[j] == colour ? 1 : 0;
      run_.RunTangent(t);
      for (uint32_t j = 0; j < n; ++j) {
        if (pattern.colour_of_column[j] != colour) continue;
        sunindextype k = first[j];
        for (const uint32_t i : pattern.rows_of_column[j]) data[k++] = entry(i);
      }
    }
    run_.Open({});
  }

  ProgramRun& run_;
  const Program& program_;
  SimulationOptions options_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, interpolated_ = nullptr;
  std::vector<uint32_t> open_;   // implicit blocks
  std::vector<uint32_t> slots_;  // what y is: states, unknowns of open blocks
  ErrorScale scale_;
  std::string problem_;
  double time_ = 0;
  bool fresh_ = true;  // no step since the restart at time_
};

/* Residual form: 0 = (state' - derivative; rows of the open blocks) in y = (states; unknowns of the open
blocks). One sparse matrix holds what BDF would solve block by block in each evaluation. It begins at the
solution of the blocks themselves, with the slopes of their unknowns along the motion.

Where loops are closed, an accepted step is projected as in BDF: the whole past moves with its end, by p, and
the differences stay as they are. Between steps p grows from 0.

Theory: docs/theory/numerics.md, NU.4c (weights), NU.4d (of open unknowns), NU.6, NU.8;
docs/theory/program.md, PR.9a. */
class IdaIntegrator : public SundialsIntegrator {
 public:
  IdaIntegrator(ProgramRun& run, const Program& program, const SimulationOptions& options,
                Projection* projection)
      : SundialsIntegrator(run, program, options, Largest(program)),
        states_(program.state_slots.size()),
        projection_(projection),
        unit_(projection == nullptr
                  ? scale_.unit()
                  : std::max(kOfLoops * scale_.unit(), kOfDividedDifferences * kLeastProjectedUnit)),
        pattern_(FindJacobianPattern(program, open_, true)) {
    if (projection != nullptr) moved_.assign(states_, 0);
    const auto n = static_cast<sunindextype>(slots_.size());
    slopes_ = N_VNew_Serial(n, context_);
    id_ = N_VNew_Serial(n, context_);
    for (size_t k = 0; k < slots_.size(); ++k)
      N_VGetArrayPointer(id_)[k] = k < program.state_slots.size() ? 1 : 0;
    size_t entries = 0;
    for (uint32_t k = 0; k < program.state_slots.size(); ++k) {
      const auto& rows = pattern_.rows_of_column[k];
      diagonal_.push_back(entries +
                          static_cast<size_t>(std::lower_bound(rows.begin(), rows.end(), k) - rows.begin()));
      entries += rows.size();
    }
    for (const uint32_t b : open_) {
      for (size_t r = 0; r < program.blocks[b].rows.size(); ++r) rows_.emplace_back(b, r);
    }
    N_VConst(0, y_);
    N_VConst(0, slopes_);
    ida_ = IDACreate(context_);
    IDAInit(ida_, Residual, options.start, y_, slopes_);
    IDASetUserData(ida_, static_cast<SundialsIntegrator*>(this));
    IDAWFtolerances(ida_, Weights);
    IDASetId(ida_, id_);
    IDASetSuppressAlg(ida_, SUNTRUE);
    IDASetMaxNumSteps(ida_, 1000000);
    IDASetMaxErrTestFails(ida_, 15);
    IDASetMaxConvFails(ida_, 25);
    IDASetErrHandlerFn(
        ida_, [](int, const char*, const char*, char*, void*) {}, nullptr);
    matrix_ = SUNSparseMatrix(n, n, static_cast<sunindextype>(std::max<size_t>(pattern_.entries, 1)), CSC_MAT,
                              context_);
    solver_ = SUNLinSol_KLU(y_, matrix_, context_);
    IDASetLinearSolver(ida_, solver_, matrix_);
    IDASetJacFn(ida_, Jacobian);
    newton_ = SUNNonlinSol_Newton(y_, context_);
    IDASetNonlinearSolver(ida_, newton_);
    SUNNonlinSolSetConvTestFn(newton_, Converged, static_cast<SundialsIntegrator*>(this));
    IDASetMaxNonlinIters(ida_, kMostTurns);
  }
  ~IdaIntegrator() override {
    IDAFree(&ida_);
    SUNNonlinSolFree(newton_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    N_VDestroy(slopes_);
    N_VDestroy(id_);
  }

  std::string Description() const override {
    std::string text = "IDA in residual form";
    size_t largest = 0;
    for (const uint32_t b : open_) largest = std::max(largest, program_.blocks[b].unknowns.size());
    if (projection_ != nullptr && unit_ > kOfLoops * scale_.unit())
      text += " (loops are closed to rounding: it counts as a tolerance of 1.5e-10)";
    if (open_.empty()) return text;
    const bool one = open_.size() == 1;
    text += one ? ": a" : ": " + std::to_string(open_.size());
    if (one) text += program_.blocks[open_[0]].kind == BlockKind::kNonlinear ? " nonlinear" : " linear";
    return text + (one ? " block of " : " blocks, the largest of ") + Plural(largest, "unknown");
  }
  bool Restart(double time, double stop) override {
    if (!run_.Run(time)) {
      problem_ = run_.FailureText();
      return false;
    }
    TakeStates(time);
    TakeSlopes(time);
    partials_.clear();
    std::fill(moved_.begin(), moved_.end(), 0.0);
    turns_before_ = iterations;
    MeasureNoise(time);
    step_ = FirstStep(time, stop);
    if (IDAReInit(ida_, time, y_, slopes_) != IDA_SUCCESS) return false;
    const double most = LargestStep(run_, options_);
    step_ = std::min(step_, most);
    IDASetMaxStep(ida_, most);
    IDASetInitStep(ida_, step_);
    return Continue(stop);
  }
  bool Continue(double stop) override {
    stop_ = stop;
    return IDASetStopTime(ida_, stop) == IDA_SUCCESS;
  }
  bool Step(double* time) override {
    problem_.clear();
    if (fresh_) begin_.assign(N_VGetArrayPointer(y_), N_VGetArrayPointer(y_) + slots_.size());
    const int flag = IDASolve(ida_, stop_, time, y_, slopes_, IDA_ONE_STEP);
    ++steps;
    long turns = 0;
    IDAGetNumNonlinSolvIters(ida_, &turns);
    iterations = turns_before_ + static_cast<uint64_t>(turns);
    if (flag < 0) {
      *time = time_;
      if (fresh_) std::copy(begin_.begin(), begin_.end(), N_VGetArrayPointer(y_));
      if (problem_.empty()) problem_ = ProblemOf(flag);
      return false;
    }
    problem_.clear();
    IDAGetCurrentStep(ida_, &step_);
    IDAGetLastStep(ida_, &length_);
    fresh_ = false;
    time_ = *time;
    if (projection_ != nullptr && !Project(*time)) return false;
    Remember();
    return true;
  }
  bool Interpolate(double time) override {
    if (fresh_ || IDAGetDky(ida_, time, 0, interpolated_) != IDA_SUCCESS) return TakeFresh(time);
    const double left = length_ > 0 ? (time_ - time) / length_ : 0;
    for (size_t k = 0; k < moved_.size(); ++k) N_VGetArrayPointer(interpolated_)[k] -= left * moved_[k];
    TakeFrom(interpolated_);
    return true;
  }

 private:
  static std::vector<uint32_t> Largest(const Program& program) {
    std::vector<uint32_t> blocks = BlocksToOpen(program, kLargeBlock);
    return blocks.empty() ? BlocksToOpen(program, 1) : blocks;
  }
  static std::string ProblemOf(int flag) {
    return flag == IDA_TOO_MUCH_WORK ? "too many steps"
           : flag == IDA_ERR_FAIL    ? "the error test fails again and again: something jumps"
           : flag == IDA_CONV_FAIL || flag == IDA_LSETUP_FAIL || flag == IDA_LSOLVE_FAIL
               ? "the corrector does not converge"
           : flag == IDA_TOO_MUCH_ACC ? "the tolerance is too small for the numbers"
                                      : "the integrator gave up";
  }
  /* States are held to the tolerance. Unknowns of open blocks only matter by what they make of the states,
  which the corrector sees: so they need be no better than to a part of what they change in this step. Their
  own size may tell nothing: a voltage begins at zero, and a nonlinear block needs more turns for a millionth
  of a millionth of a volt than the corrector has; a multiplier that is zero for ever has only its rounding to
  show. */
  int ErrorWeights(N_Vector y, N_Vector weights) override {
    const double* values = N_VGetArrayPointer(y);
    const double* slopes = N_VGetArrayPointer(slopes_);
    double* out = N_VGetArrayPointer(weights);
    for (size_t k = 0; k < slots_.size(); ++k) {
      double least = unit_ * std::max(std::fabs(values[k]), scale_.floor()[k]);
      if (k >= states_)
        least = std::max({least, unit_ * kLeastUnknown, kOfTheirChange * std::fabs(slopes[k]) * step_,
                          noise_[k - states_]});
      out[k] = 1 / least;
    }
    return 0;
  }
  // What a change of states and time in their last digits makes of the unknowns.
  void MeasureNoise(double time) {
    constexpr double kLastDigits = 0x1p-45;
    noise_.assign(slots_.size() - states_, 0);
    if (noise_.empty()) return;
    const std::vector<double> values = run_.values;
    for (const double digits : {kLastDigits, -kLastDigits}) {
      for (size_t k = 0; k < states_; ++k) run_.values[slots_[k]] *= 1 + (k % 2 == 0 ? digits : -digits / 3);
      if (run_.Run(time * (1 + digits))) {
        for (size_t k = 0; k < noise_.size(); ++k) {
          const uint32_t slot = slots_[states_ + k];
          const double change = std::fabs(run_.values[slot] - values[slot]);
          if (std::isfinite(change)) noise_[k] = std::max(noise_[k], kOfRounding * change);
        }
      }
      run_.values = values;
    }
  }
  // As in BDF, with derivatives by the whole program: blocks are closed in it.
  double FirstStep(double time, double stop) {
    const std::vector<double> values = run_.values;
    const uint64_t evaluations = run_.evaluations;
    const double until = std::max(stop, time + 1e-3 * (options_.stop - options_.start));
    const double step = FirstStepOf(
        scale_, options_, time, until, N_VGetArrayPointer(y_), N_VGetArrayPointer(slopes_), 1, states_,
        [&](double at, const double* trial, double* out) {
          for (size_t k = 0; k < states_; ++k) run_.values[program_.state_slots[k]] = trial[k];
          const bool computed = run_.Run(at);
          for (size_t k = 0; k < states_; ++k) out[k] = run_.values[program_.derivative_slots[k]];
          return computed && AllFinite(out, states_);
        },
        [&] { return !run_.failure().final; });
    run_.values = values;
    run_.evaluations = evaluations + 1;
    return step;
  }
  bool Project(double time) {
    double* y = N_VGetArrayPointer(y_);
    projected_.assign(y, y + states_);
    if (!projection_->Project(time, projected_.data(), true)) {
      problem_ = run_.FailureText();
      return false;
    }
    double* end = N_VGetArrayPointer(static_cast<IDAMem>(ida_)->ida_phi[0]);
    for (size_t k = 0; k < states_; ++k) {
      moved_[k] = projected_[k] - y[k];
      y[k] = projected_[k];
      end[k] += moved_[k];
    }
    return true;
  }
  // At the beginning: how the unknowns of the open blocks move with the states.
  void TakeSlopes(double time) {
    double* slopes = N_VGetArrayPointer(slopes_);
    for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
    for (size_t k = 0; k < program_.state_slots.size(); ++k)
      run_.tangents[program_.state_slots[k]] = run_.values[program_.derivative_slots[k]];
    run_.RunTangent(time, 1);
    for (size_t k = 0; k < slots_.size(); ++k) {
      const bool state = k < program_.state_slots.size();
      const double slope = state ? run_.values[program_.derivative_slots[k]] : run_.tangents[slots_[k]];
      slopes[k] = std::isfinite(slope) ? slope : 0;
    }
  }
  static int Residual(double t, N_Vector y, N_Vector slopes, N_Vector residual, void* self) {
    return static_cast<IdaIntegrator*>(static_cast<SundialsIntegrator*>(self))
        ->FillResidual(t, y, slopes, residual);
  }
  int FillResidual(double t, N_Vector y, N_Vector slopes, N_Vector residual) {
    turns_ = t == turned_ ? turns_ + 1 : 1;
    turned_ = t;
    if (!Evaluate(t, y)) return run_.failure().final ? -1 : 1;
    const double* slope = N_VGetArrayPointer(slopes);
    double* out = N_VGetArrayPointer(residual);
    const size_t states = program_.state_slots.size();
    for (size_t k = 0; k < states; ++k) out[k] = slope[k] - run_.values[program_.derivative_slots[k]];
    size_t at = states;
    for (const uint32_t b : open_) {
      for (const double r : run_.RowsOf(b)) {
        if (!std::isfinite(r)) return 1;
        out[at++] = r;
      }
    }
    return 0;
  }
  static int Converged(SUNNonlinearSolver newton, N_Vector, N_Vector change, double, N_Vector weights,
                       void* self) {
    int turn = 0;
    SUNNonlinSolGetCurIter(newton, &turn);
    return static_cast<IdaIntegrator*>(static_cast<SundialsIntegrator*>(self))
        ->TestTurn(turn, N_VGetArrayPointer(change), N_VGetArrayPointer(weights));
  }
  /* Whether Newton's method is there: as in BDF, by its last correction and the rate at which they shrink, of
  the states and of the unknowns. IDA's own test takes corrections that do not shrink for divergence, also
  where they are rounding. */
  int TestTurn(int turn, const double* change, const double* weights) {
    double of[2] = {0, 0};  // of states, of unknowns
    for (size_t k = 0; k < slots_.size(); ++k) {
      const double x = change[k] * weights[k];
      of[k < states_ ? 0 : 1] += x * x;
    }
    of[0] = std::sqrt(of[0] / static_cast<double>(states_));
    of[1] = std::sqrt(of[1] / static_cast<double>(std::max<size_t>(slots_.size() - states_, 1)));
    if (!std::isfinite(of[0]) || !std::isfinite(of[1])) return SUN_NLS_CONV_RECVR;
    bool there = true;
    for (int part = 0; part < 2; ++part) {
      if (turn == 0) {
        rate_[part] = 1;
      } else if (last_change_[part] > 0) {
        rate_[part] = std::max(0.3 * rate_[part], of[part] / last_change_[part]);
      }
      last_change_[part] = of[part];
      there = there && of[part] * std::min(1.0, rate_[part]) <= kNewtonTolerance;
    }
    if (there) return SUN_NLS_SUCCESS;
    return turn > 0 && std::max(rate_[0], rate_[1]) > 2 ? SUN_NLS_CONV_RECVR : SUN_NLS_CONTINUE;
  }
  static int Jacobian(double t, double cj, N_Vector y, N_Vector, N_Vector, SUNMatrix matrix, void* self,
                      N_Vector, N_Vector, N_Vector) {
    return static_cast<IdaIntegrator*>(static_cast<SundialsIntegrator*>(self))
        ->FillJacobian(t, cj, y, matrix);
  }
  // IDA asks whenever the step changes: the partial derivatives are kept for some steps, as CVODE does.
  int FillJacobian(double t, double cj, N_Vector y, SUNMatrix matrix) {
    WritePattern(pattern_, matrix);
    double* data = SM_DATA_S(matrix);
    const size_t states = program_.state_slots.size();
    long failures = 0;
    IDAGetNumNonlinSolvConvFails(ida_, &failures);
    // Asked in the middle of a step, too: the corrector did not converge with those it had.
    if (partials_.empty() || failures != failures_ || steps >= renewal_ || turns_ > 1) {
      if (!Evaluate(t, y)) return run_.failure().final ? -1 : 1;
      FillColumns(t, pattern_, matrix, [&](uint32_t i) {
        if (i < states) return -run_.tangents[program_.derivative_slots[i]];
        return run_.RowTangentsOf(rows_[i - states].first)[rows_[i - states].second];
      });
      partials_.assign(data, data + pattern_.entries);
      failures_ = failures;
      renewal_ = steps + kKeepPartials;
    } else {
      std::copy(partials_.begin(), partials_.end(), data);
    }
    for (size_t k = 0; k < states; ++k) data[diagonal_[k]] += cj;
    return 0;
  }

  static constexpr uint64_t kKeepPartials = 20;  // steps
  static constexpr double kOfTheirChange = 1e-3;
  static constexpr double kOfDividedDifferences = 3;  // they carry the rounding of projected states farther
  static constexpr double kNewtonTolerance = 0.03;
  static constexpr double kOfRounding = 100;
  static constexpr double kLeastUnknown = 1e-6;  // in SI: what an unknown begins at is no size to be expected
  std::vector<double> noise_;                    // of the unknowns
  static constexpr int kMostTurns = 7;
  double rate_[2] = {1, 1}, last_change_[2] = {0, 0};  // of Newton's corrections
  SUNNonlinearSolver newton_ = nullptr;
  size_t states_;
  Projection* projection_;
  double unit_;                                    // of errors
  std::vector<double> begin_, projected_, moved_;  // moved_: p of the last step
  double step_ = 0, length_ = 0;                   // the next step, and the last
  double turned_ = NAN;                            // where residuals were asked for last,
  int turns_ = 0;                                  // and how often
  uint64_t turns_before_ = 0;                      // of Newton's method, before the restart
  JacobianPattern pattern_;
  std::vector<std::pair<uint32_t, size_t>> rows_;  // of open blocks, one after the other
  std::vector<size_t> diagonal_;                   // where the entry of each state in its own row stands
  std::vector<double> partials_;                   // of the residuals by y, as in the matrix; empty: none yet
  long failures_ = 0;                              // of the corrector when they were found
  uint64_t renewal_ = 0;                           // the step at which they are found anew
  void* ida_ = nullptr;
  N_Vector slopes_ = nullptr, id_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  double stop_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> MakeIda(ProgramRun& run, const Program& program, const SimulationOptions& options,
                                    Projection* projection) {
  return std::make_unique<IdaIntegrator>(run, program, options, projection);
}

}  // namespace cotree
