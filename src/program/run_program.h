// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "program/delay_line.h"
#include "program/foreign_code.h"
#include "program/linear_solver.h"
#include "program/program.h"

namespace cotree {

/// Whether a run solves the block by its tears (solve_by_tears.cc).
bool UsesTears(const ImplicitBlock& block);

/** Runs a program in the interpreter: the reference for all tiers. Holds all values of one instant; belongs
to one thread; nothing is allocated while it runs, but inside KLU.

Run(t) computes everything from the states (and inputs) in `values`; RunTangent the derivatives of everything
along one direction of states, inputs, discrete variables and time, at the point of the last Run (of foreign
code: not along the time).

Theory: docs/theory/program.md, PR.4. */
class ProgramRun {
 public:
  explicit ProgramRun(const Program& program);

  std::vector<double> values;    // by slot; the caller sets states, inputs and guesses
  std::vector<double> tangents;  // by slot; the caller sets those of states, inputs and what is held

  /// A time strictly between the known switching times around the present one: what relations on time see.
  double switch_time = 0;

  /// At the beginning of a run. Where Newton's method fails in a block, its solution is followed from the
  /// present values by a homotopy.
  bool homotopy = false;
  /// Blocks are solved from the present values on; where equations leave something free, it changes least.
  bool least_change = false;

  /// False: a block could not be solved, or a value is not finite; `failure` says which.
  bool Run(double time);
  void RunTangent(double time, double time_tangent = 0);

  /** Parts of Run, for evaluations that compute less than all (evaluate_fused.h). */
  void Begin(double time);
  bool RunBlock(uint32_t block, double time);
  bool RunGroup(uint32_t group, double time) { return RunForeign(group, time); }

  /** Implicit blocks that are not solved but left open, for integrators that solve them together with their
  own equations: their unknowns are given like states, their rows are evaluated. */
  void Open(const std::vector<uint32_t>& blocks) { open_ = blocks; }
  /// The residuals of an open block at the last Run; the tangents of these at the last RunTangent.
  std::span<const double> RowsOf(uint32_t block) const { return blocks_[block].residual; }
  std::span<const double> RowTangentsOf(uint32_t block) const { return blocks_[block].row_tangents; }

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
  /// Singular blocks that have their least solution: how often, and by block how many loads are free to be
  /// shared in other ways now.
  uint64_t least_solutions = 0;
  std::vector<uint32_t> least_solved;
  /// What counts as no contradiction in a singular block is measured by its largest load, and by this.
  double least_load = 1e-3;
  /// A singular block whose equations contradict gets the values that come nearest, and the run fails at its
  /// end.
  bool pass_contradictions = false;
  bool contradicted = false;  // at the last Run
  uint64_t homotopies = 0;
  uint64_t torn_solves = 0, torn_refused = 0;  // solved by tears; and not, though there are some

  /// The results of code that is run at events, at the present values; the first one.
  double Compute(const Program::Bound& bound, double time, std::span<double> results = {});
  /// The derivative of its first result along the direction of the last RunTangent.
  double ComputeTangent(const Program::Bound& bound, double time, double time_tangent = 0);
  /// The past of each delay(...): filled by who integrates, read by Run.
  std::vector<DelayLine> delay_lines;

  /// Of the matrix with which an implicit block of the program was solved last.
  LinearSolver::Determinant Determinant(uint32_t block) { return Factors(blocks_[block]).FindDeterminant(); }
  /// "solving for x, y": what a block of the sorted system computes.
  std::string BlockText(uint32_t block) const;
  /// Computes the continuous foreign code of the program; outlives the run. None: its values are NaN.
  ForeignCode* foreign = nullptr;

  /// How often in a row tears led nowhere in a block: after some times they are not tried any more.
  uint32_t RefusedTears(uint32_t block) const { return blocks_[block].refused; }
  static constexpr uint32_t kMostRefused = 8;

  /// What follows depends on `values` alone, not on pivots and factors of before.
  void Forget();

  /// The numbers of an argument of known switches at a time.
  double Evaluate(uint32_t code, uint32_t parameters, double time) const;
  /// Residuals of all sorted equations at the present values, by sorted equation: for checks.
  std::vector<double> Residuals(double time) const;

 private:
  struct BlockState {
    std::unique_ptr<LinearSolver> solver;
    std::vector<double> jacobian, residual, old, row_tangents, step, begin, before;
    std::vector<uint32_t> first_entry;  // by row, in `jacobian`
    bool constant_done = false;
    bool stale = false;                      // `jacobian` is not factored yet: solved by tears
    std::unique_ptr<LinearSolver> by_tears;  // null: the block is solved as a whole
    std::vector<double> schur, sensitivity;  // derivatives by the tears: of the residuals, of all unknowns
    uint32_t refused = 0;                    // times in a row that tears led nowhere
    bool shared = false;                     // nonlinear, and solved by the least solution before
    std::vector<uint32_t> motion;            // columns of derivatives of states
  };
  void EvaluateRow(const BlockRow& row, const CodeContext<double>& context, double* residual,
                   double* partials);
  void EvaluateBlock(const ImplicitBlock& block, BlockState& state, double time);
  LinearSolver& Factors(BlockState& state);
  bool SolveBlock(uint32_t index, double time);
  bool SolveLinear(uint32_t index, double time);
  bool SolveNonlinear(uint32_t index, double time);
  bool SolveByTears(uint32_t index, double time);
  bool Sweep(const ImplicitBlock& block, BlockState& state, double time);
  bool StepOfTears(const ImplicitBlock& block, BlockState& state, std::vector<double>& step);
  enum class Homotopy : uint8_t { kNewton, kFixedPoint, kOpposite };
  bool SolveByHomotopy(uint32_t index, double time);
  bool Follow(uint32_t index, double time, Homotopy kind);
  bool Agrees(const ImplicitBlock& block, const BlockState& state, double tolerance, double least) const;
  bool DeterminesMotion(const BlockState& state) const;
  bool TakeLeast(const ImplicitBlock& block, BlockState& state, double time);
  void CountLeast(uint32_t index);
  bool FailSingular(uint32_t index, double time);
  bool FailToConverge(uint32_t index, double time);
  bool IsOpen(uint32_t block) const { return std::find(open_.begin(), open_.end(), block) != open_.end(); }
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
  CodeContext<Dual> DualContext(double time, double time_tangent) const;

  const Program& program_;
  const SortedSystem& sorted_;
  std::vector<BlockState> blocks_;
  std::vector<uint32_t> open_;
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
