// SPDX-License-Identifier: Apache-2.0
// The only file that knows SUNDIALS.
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <cmath>

#include "base/plural.h"
#include "simulation/error_scale.h"

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
  int ErrorWeights(N_Vector y, N_Vector weights) {
    const double* values = N_VGetArrayPointer(y);
    double* out = N_VGetArrayPointer(weights);
    for (size_t k = 0; k < slots_.size(); ++k)
      out[k] = 1 / (scale_.unit() * std::max(std::fabs(values[k]), scale_.floor()[k]));
    return 0;
  }
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
solution of the blocks themselves, with the slopes of their unknowns along the motion. */
class IdaIntegrator : public SundialsIntegrator {
 public:
  IdaIntegrator(ProgramRun& run, const Program& program, const SimulationOptions& options)
      : SundialsIntegrator(run, program, options, Largest(program)),
        pattern_(FindJacobianPattern(program, open_, true)) {
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
    IDASetErrHandlerFn(
        ida_, [](int, const char*, const char*, char*, void*) {}, nullptr);
    matrix_ = SUNSparseMatrix(n, n, static_cast<sunindextype>(std::max<size_t>(pattern_.entries, 1)), CSC_MAT,
                              context_);
    solver_ = SUNLinSol_KLU(y_, matrix_, context_);
    IDASetLinearSolver(ida_, solver_, matrix_);
    IDASetJacFn(ida_, Jacobian);
  }
  ~IdaIntegrator() override {
    IDAFree(&ida_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    N_VDestroy(slopes_);
    N_VDestroy(id_);
  }

  std::string Description() const override {
    std::string text = "IDA in residual form";
    size_t largest = 0;
    for (const uint32_t b : open_) largest = std::max(largest, program_.blocks[b].unknowns.size());
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
    if (IDAReInit(ida_, time, y_, slopes_) != IDA_SUCCESS) return false;
    IDASetMaxStep(ida_, LargestStep(run_, options_));
    return Continue(stop);
  }
  bool Continue(double stop) override {
    stop_ = stop;
    return IDASetStopTime(ida_, stop) == IDA_SUCCESS;
  }
  bool Step(double* time) override {
    problem_.clear();
    fresh_ = false;
    const int flag = IDASolve(ida_, stop_, time, y_, slopes_, IDA_ONE_STEP);
    ++steps;
    Remember();
    time_ = *time;
    if (flag >= 0) return true;
    if (problem_.empty()) {
      problem_ = flag == IDA_TOO_MUCH_WORK ? "too many steps"
                 : flag == IDA_ERR_FAIL    ? "the error test fails again and again: something jumps"
                 : flag == IDA_CONV_FAIL || flag == IDA_LSETUP_FAIL ? "the corrector does not converge"
                 : flag == IDA_TOO_MUCH_ACC ? "the tolerance is too small for the numbers"
                                            : "the integrator gave up";
    }
    return false;
  }
  bool Interpolate(double time) override {
    if (fresh_ || IDAGetDky(ida_, time, 0, interpolated_) != IDA_SUCCESS) return TakeFresh(time);
    TakeFrom(interpolated_);
    return true;
  }

 private:
  static std::vector<uint32_t> Largest(const Program& program) {
    std::vector<uint32_t> blocks = BlocksToOpen(program, kLargeBlock);
    return blocks.empty() ? BlocksToOpen(program, 1) : blocks;
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
    if (partials_.empty() || failures != failures_ || steps >= renewal_) {
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

std::unique_ptr<Integrator> MakeIda(ProgramRun& run, const Program& program, const SimulationOptions& options) {
  return std::make_unique<IdaIntegrator>(run, program, options);
}

}  // namespace cotree
