// SPDX-License-Identifier: Apache-2.0
// The only file that knows SUNDIALS.
#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <cmath>

#include "simulation/simulate.h"

namespace cotree {
namespace {

/* What both methods share: the right side, error weights, the vector of states. */
class SundialsIntegrator : public Integrator {
 public:
  SundialsIntegrator(ProgramRun& run, const Program& program, const SimulationOptions& options)
      : run_(run), program_(program), options_(options) {
    SUNContext_Create(nullptr, &context_);
    const auto n = static_cast<sunindextype>(program.state_slots.size());
    y_ = N_VNew_Serial(n, context_);
    interpolated_ = N_VNew_Serial(n, context_);
    largest_.assign(program.state_slots.size(), 0);
  }
  ~SundialsIntegrator() override {
    N_VDestroy(y_);
    N_VDestroy(interpolated_);
    SUNContext_Free(&context_);
  }

  std::string problem() const override { return problem_; }
  void Exchange(Archive& archive) override {
    archive.Numbers(largest_);
    archive.Numbers(least_);
  }

 protected:
  void TakeStates(double time) {
    double* y = N_VGetArrayPointer(y_);
    time_ = time;
    fresh_ = true;
    const bool first = least_.empty();
    if (first) least_.assign(largest_.size(), 1e-6);
    for (size_t k = 0; k < program_.state_slots.size(); ++k) {
      y[k] = run_.values[program_.state_slots[k]];
      if (first && y[k] != 0) least_[k] = std::min(1e-6, 1e-6 * std::fabs(y[k]));
      largest_[k] = std::max(largest_[k], std::fabs(y[k]));
    }
  }
  static int Right(double t, N_Vector y, N_Vector derivative, void* self) {
    return static_cast<SundialsIntegrator*>(self)->Derivatives(t, y, derivative);
  }
  static int Weights(N_Vector y, N_Vector weights, void* self) {
    return static_cast<SundialsIntegrator*>(self)->ErrorWeights(y, weights);
  }

  bool Evaluate(double t, N_Vector y) {
    const double* values = N_VGetArrayPointer(y);
    for (size_t k = 0; k < program_.state_slots.size(); ++k) run_.values[program_.state_slots[k]] = values[k];
    if (run_.Run(t)) return true;
    problem_ = run_.FailureText();
    return false;
  }
  int Derivatives(double t, N_Vector y, N_Vector derivative) {
    if (!Evaluate(t, y)) return run_.failure().final ? -1 : 1;
    double* out = N_VGetArrayPointer(derivative);
    for (size_t k = 0; k < program_.derivative_slots.size(); ++k)
      out[k] = run_.values[program_.derivative_slots[k]];
    return 0;
  }
  // Relative to the largest a state has been: what passes through zero is not asked for digits it has not. A
  // start value tells the size to be expected, so that picocoulombs are not taken for zero.
  int ErrorWeights(N_Vector y, N_Vector weights) {
    const double* values = N_VGetArrayPointer(y);
    double* out = N_VGetArrayPointer(weights);
    for (size_t k = 0; k < largest_.size(); ++k) {
      const double size = std::max(std::fabs(values[k]), 1e-2 * std::max(largest_[k], std::fabs(values[k])));
      out[k] = 1 / (kSafety * options_.rtol * std::max(size, least_[k]));
    }
    return 0;
  }
  bool TakeFresh(double time, std::vector<double>& states) {
    if (!fresh_ || time != time_) return false;
    const double* y = N_VGetArrayPointer(y_);
    states.assign(y, y + largest_.size());
    return true;
  }
  void Remember() {
    const double* y = N_VGetArrayPointer(y_);
    for (size_t k = 0; k < largest_.size(); ++k) largest_[k] = std::max(largest_[k], std::fabs(y[k]));
  }

  // Errors of single steps add up over a run: they are held to a part of the tolerance that is asked for.
  static constexpr double kSafety = 0.1;

  ProgramRun& run_;
  const Program& program_;
  SimulationOptions options_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, interpolated_ = nullptr;
  std::vector<double> largest_, least_;
  std::string problem_;
  double time_ = 0;
  bool fresh_ = true;  // no step since the restart at time_
};

class BdfIntegrator : public SundialsIntegrator {
 public:
  BdfIntegrator(ProgramRun& run, const Program& program, const SimulationOptions& options)
      : SundialsIntegrator(run, program, options), pattern_(FindJacobianPattern(program)) {
    cvode_ = CVodeCreate(CV_BDF, context_);
    CVodeInit(cvode_, Right, options.start, y_);
    CVodeSetUserData(cvode_, static_cast<SundialsIntegrator*>(this));
    CVodeWFtolerances(cvode_, Weights);
    CVodeSetMaxNumSteps(cvode_, 1000000);
    CVodeSetMaxErrTestFails(cvode_, 15);
    CVodeSetErrHandlerFn(
        cvode_, [](int, const char*, const char*, char*, void*) {}, nullptr);
    const auto n = static_cast<sunindextype>(program.state_slots.size());
    const auto entries =
        static_cast<sunindextype>(std::max<size_t>(pattern_.entries + program.state_slots.size(), 1));
    matrix_ = SUNSparseMatrix(n, n, entries, CSC_MAT, context_);
    solver_ = SUNLinSol_KLU(y_, matrix_, context_);
    CVodeSetLinearSolver(cvode_, solver_, matrix_);
    CVodeSetJacFn(cvode_, Jacobian);
  }
  ~BdfIntegrator() override {
    CVodeFree(&cvode_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
  }

  std::string Description() const override { return "BDF"; }
  bool Restart(double time, double stop) override {
    TakeStates(time);
    if (CVodeReInit(cvode_, time, y_) != CV_SUCCESS) return false;
    CVodeSetMaxStep(cvode_, LargestStep(run_, options_));
    return Continue(stop);
  }
  bool Continue(double stop) override { return CVodeSetStopTime(cvode_, stop) == CV_SUCCESS; }
  bool Step(double* time) override {
    problem_.clear();
    fresh_ = false;
    const int flag = CVode(cvode_, INFINITY, y_, time, CV_ONE_STEP);
    ++steps;
    Remember();
    time_ = *time;
    if (flag >= 0) return true;
    if (problem_.empty()) {
      problem_ = flag == CV_TOO_MUCH_WORK  ? "too many steps"
                 : flag == CV_ERR_FAILURE  ? "the error test fails again and again: something jumps"
                 : flag == CV_CONV_FAILURE ? "the corrector does not converge"
                 : flag == CV_TOO_MUCH_ACC ? "the tolerance is too small for the numbers"
                                           : "the integrator gave up";
    }
    return false;
  }
  bool Interpolate(double time, std::vector<double>& states) override {
    if (fresh_ || CVodeGetDky(cvode_, time, 0, interpolated_) != CV_SUCCESS) return TakeFresh(time, states);
    const double* y = N_VGetArrayPointer(interpolated_);
    states.assign(y, y + largest_.size());
    return true;
  }

 private:
  static int Jacobian(double t, N_Vector y, N_Vector, SUNMatrix matrix, void* self, N_Vector, N_Vector,
                      N_Vector) {
    return static_cast<BdfIntegrator*>(static_cast<SundialsIntegrator*>(self))->FillJacobian(t, y, matrix);
  }
  int FillJacobian(double t, N_Vector y, SUNMatrix matrix) {
    if (!Evaluate(t, y)) return run_.failure().final ? -1 : 1;
    ++jacobians;
    const auto n = static_cast<uint32_t>(program_.state_slots.size());
    sunindextype* first = SM_INDEXPTRS_S(matrix);
    sunindextype* rows = SM_INDEXVALS_S(matrix);
    double* data = SM_DATA_S(matrix);
    sunindextype at = 0;
    for (uint32_t j = 0; j < n; ++j) {
      first[j] = at;
      for (const uint32_t i : pattern_.rows_of_column[j]) rows[at++] = i;
    }
    first[n] = at;
    for (uint32_t colour = 0; colour < pattern_.colours; ++colour) {
      for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
      for (uint32_t j = 0; j < n; ++j)
        run_.tangents[program_.state_slots[j]] = pattern_.colour_of_column[j] == colour ? 1 : 0;
      run_.RunTangent(t);
      for (uint32_t j = 0; j < n; ++j) {
        if (pattern_.colour_of_column[j] != colour) continue;
        sunindextype k = first[j];
        for (const uint32_t i : pattern_.rows_of_column[j])
          data[k++] = run_.tangents[program_.derivative_slots[i]];
      }
    }
    return 0;
  }

  JacobianPattern pattern_;
  void* cvode_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
};

class ExplicitIntegrator : public SundialsIntegrator {
 public:
  ExplicitIntegrator(ProgramRun& run, const Program& program, const SimulationOptions& options)
      : SundialsIntegrator(run, program, options) {
    arkode_ = ARKStepCreate(Right, nullptr, options.start, y_, context_);
    ARKStepSetUserData(arkode_, static_cast<SundialsIntegrator*>(this));
    ARKStepWFtolerances(arkode_, Weights);
    ARKStepSetOrder(arkode_, 5);
    ARKStepSetMaxNumSteps(arkode_, 10000000);
    ARKStepSetErrHandlerFn(
        arkode_, [](int, const char*, const char*, char*, void*) {}, nullptr);
    ARKStepSetInterpolantType(arkode_, ARK_INTERP_HERMITE);
  }
  ~ExplicitIntegrator() override { ARKStepFree(&arkode_); }

  std::string Description() const override { return "explicit Runge-Kutta of order 5"; }
  bool Restart(double time, double stop) override {
    TakeStates(time);
    if (ARKStepReInit(arkode_, Right, nullptr, time, y_) != ARK_SUCCESS) return false;
    ARKStepSetMaxStep(arkode_, LargestStep(run_, options_));
    return Continue(stop);
  }
  bool Continue(double stop) override { return ARKStepSetStopTime(arkode_, stop) == ARK_SUCCESS; }
  bool Step(double* time) override {
    problem_.clear();
    fresh_ = false;
    const int flag = ARKStepEvolve(arkode_, INFINITY, y_, time, ARK_ONE_STEP);
    ++steps;
    Remember();
    if (flag >= 0) return true;
    if (problem_.empty())
      problem_ = flag == ARK_TOO_MUCH_WORK ? "too many steps: the system may be stiff, try --solver bdf"
                                           : "the integrator gave up";
    return false;
  }
  bool Interpolate(double time, std::vector<double>& states) override {
    if (fresh_ || ARKStepGetDky(arkode_, time, 0, interpolated_) != ARK_SUCCESS)
      return TakeFresh(time, states);
    const double* y = N_VGetArrayPointer(interpolated_);
    states.assign(y, y + largest_.size());
    return true;
  }

 private:
  void* arkode_ = nullptr;
};

}  // namespace

std::unique_ptr<Integrator> MakeSundials(ProgramRun& run, const Program& program,
                                         const SimulationOptions& options, Method method) {
  if (method == Method::kExplicit) return std::make_unique<ExplicitIntegrator>(run, program, options);
  return std::make_unique<BdfIntegrator>(run, program, options);
}

}  // namespace cotree
