// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "program/delay_line.h"
#include "program/foreign_code.h"
#include "program/linear_solver.h"
#include "program/program.h"

namespace cotree {

/** Runs a program in the interpreter: the reference for all tiers. Holds all values of one instant; belongs
to one thread; nothing is allocated while it runs, but inside KLU.

Run(t) computes everything from the states (and inputs) in `values`; RunTangent the derivatives of everything
along one direction of states, inputs and time, at the point of the last Run (of foreign code: not along the
time). */
class ProgramRun {
 public:
  explicit ProgramRun(const Program& program);

  std::vector<double> values;    // by slot; the caller sets states, inputs and guesses
  std::vector<double> tangents;  // by slot; the caller sets those of states and inputs

  /// A time strictly between the known switching times around the present one: what relations on time see.
  double switch_time = 0;

  /// False: a block could not be solved, or a value is not finite; `failure` says which.
  bool Run(double time);
  void RunTangent(double time, double time_tangent = 0);

  /** What went wrong, for people. */
  struct Failure {
    double time = 0;
    uint32_t block = UINT32_MAX;  // of the SortedSystem
    std::string reason;
    bool foreign = false;  // foreign code failed,
    bool final = false;    // and no other point will do
  };
  const Failure& failure() const { return failure_; }
  std::string FailureText() const;

  uint64_t evaluations = 0, iterations = 0;

  /// The results of code that is run at events, at the present values; the first one.
  double Compute(const Program::Bound& bound, double time, std::span<double> results = {});
  /// The past of each delay(...): filled by who integrates, read by Run.
  std::vector<DelayLine> delay_lines;

  /// Computes the continuous foreign code of the program; outlives the run. None: its values are NaN.
  ForeignCode* foreign = nullptr;

  /// What follows depends on `values` alone, not on pivots and factors of before.
  void Forget();

  /// The numbers of an argument of known switches at a time.
  double Evaluate(uint32_t code, uint32_t parameters, double time) const;
  /// Residuals of all sorted equations at the present values, by sorted equation: for checks.
  std::vector<double> Residuals(double time) const;

 private:
  struct BlockState {
    std::unique_ptr<LinearSolver> solver;
    std::vector<double> jacobian, residual, old;
    bool constant_done = false;
  };
  void EvaluateBlock(const ImplicitBlock& block, BlockState& state, double time);
  bool SolveBlock(uint32_t index, double time);
  void TangentBlock(uint32_t index, double time, double time_tangent);
  bool Fail(double time, uint32_t block, std::string reason);
  bool FailForeign(double time, std::vector<double>& results);
  bool ComputeForeign(uint32_t group, double time);
  const std::vector<double>& ForeignPartials(uint32_t group, double time);
  bool RunForeign(uint32_t group, double time);
  void TangentForeign(uint32_t group, double time);
  double ForeignTangent(uint32_t group, uint32_t result, double time);
  void EvaluateForeign(const ImplicitBlock& block, double time);
  double ForeignRow(const BlockRow& row, double* partials) const;
  CodeContext<double> Context(double time) const;

  const Program& program_;
  const SortedSystem& sorted_;
  std::vector<BlockState> blocks_;
  struct ForeignState {
    std::vector<double> results, partials;
    uint64_t partials_at = 0;  // the evaluation they belong to
  };
  std::vector<ForeignState> foreign_;  // by group of foreign code
  std::vector<double> registers_;
  std::vector<Dual> dual_registers_;
  std::vector<Dual> dual_values_;
  Failure failure_;
};

}  // namespace cotree
