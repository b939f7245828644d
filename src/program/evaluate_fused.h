// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "program/run_fused.h"
#include "program/run_program.h"

namespace cotree {

/** Evaluates a fused program for a run: what it keeps between events, its past, blocks and foreign code are
those of the run. Belongs to one thread. */
class FusedEvaluation {
 public:
  FusedEvaluation(ProgramRun& run, FusedProgram program);

  /// The results at some states, in the order of program().states. False: `run.failure()` says why. The
  /// states of the run are not touched, but where blocks are solved.
  bool Evaluate(double time, const double* states, double* results);
  const FusedProgram& program() const { return program_; }
  /// The states that the results depend on, as places; ascending.
  const std::vector<uint32_t>& states_read() const { return states_read_; }
  uint64_t evaluations = 0;

 private:
  ProgramRun& run_;
  FusedProgram program_;
  FusedInterpreter interpreter_;
  std::vector<double> work_;
  std::vector<uint32_t> states_read_;
};

}  // namespace cotree
