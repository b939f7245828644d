// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "block_triangular/initial_order.h"
#include "program/run_program.h"
#include "system_equations/start_values.h"

namespace cotree {

/** How a run begins (design §7): fixed starts and `initial` equations hold; states keep their proposed start
(0 where there is none) as far as these leave them free; `steady` asks for derivatives of 0. */
struct Initialization {
  bool ok = true;
  std::string problem;               // for people, where not ok
  std::vector<uint32_t> kept;        // states that keep their start though nothing demands it
  std::vector<uint32_t> determined;  // states found from conditions
  uint64_t iterations = 0;
  uint64_t homotopies = 0;  // blocks in which Newton's method alone failed
};

struct InitializeOptions {
  double time = 0;
  bool steady = false;
};

/** What is demanded of the variables of a program at the beginning, with the values. `values`: by pinned
slot, then by fixed state, as `held` names them. */
struct InitialValues {
  InitialDemands demands;
  std::vector<double> pinned;    // values, by demands.pinned
  std::vector<double> proposed;  // by demands.proposed
};
InitialValues FindInitialValues(const Program& program, const std::vector<StartEntry>& starts, bool steady);

/// The least x with G x = right, G row by row with a row for each element of `right`; rows that depend on
/// others are left out. False: all of them are zero.
/// Theory: docs/theory/numerics.md, NU.9a; docs/theory/events.md, EV.5.
bool LeastChange(const std::vector<double>& rows, std::vector<double> right, std::vector<double>* x);

/** Finds the values with which a run begins. Where something is demanded besides the starts of states, the
equations get an order of their own (SortInitial) and a program of their own, built once; what it gives is
checked by the program of the run: every demand must be met there. Where that order has no solution (a stuck
brake at rest: its torque is what holds the rest), the states are sought by the program of the run instead, as
near to their starts as the demands allow. Where `steady` finds no rest, steady motion is sought (FindTrim):
shafts with springs between them that turn together.

Theory: docs/theory/program.md, PR.6; docs/theory/numerics.md, NU.9. */
class Initializer {
 public:
  Initializer(ProgramRun& run, const Program& program, const std::vector<StartEntry>& starts,
              const InitializeOptions& options);
  ~Initializer();

  /// Sets all values of the run. `keep_discrete`: discrete variables have their values already.
  Initialization Solve(bool keep_discrete);

 private:
  void PlaceStarts(bool keep_discrete);
  void ChooseDependent();
  void FindOrder();
  bool FindValuesWithoutProposals(bool keep_discrete);
  void ListStates();
  std::string ConstraintContradiction(uint32_t slot) const;
  bool FindValues();
  bool SolveInOrder();
  bool SolveByStates();
  bool SolveMoving();
  std::string FindContradiction() const;
  std::string FindUnsteady() const;
  std::string Reasons(const std::vector<uint32_t>& slots) const;
  std::string InitialFailure() const;
  void Sides(const EquationSystem::InitialEquation& equation, double* left, double* right) const;

  ProgramRun& run_;
  const Program& program_;
  const SortedSystem& sorted_;
  const EquationSystem& system_;
  const std::vector<StartEntry>& starts_;
  InitializeOptions options_;
  InitialValues initial_;
  InitialOrder order_;
  std::unique_ptr<Program> initial_program_;  // null: nothing is demanded
  std::unique_ptr<ProgramRun> initial_run_;
  Initialization out_;
};

}  // namespace cotree
