// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "program/compile_fused.h"
#include "program/run_fused.h"
#include "program/run_program.h"

namespace cotree {

/** What computes: the interpreter, machine code, or whatever is quicker in the end: the interpreter at once,
code from the disk when an evaluation has cost some milliseconds, and a compiler in the background when it
goes on. All give the same bits. */
enum class ProgramTier : uint8_t { kAutomatic, kInterpreter, kCompiled };
/// "auto", "interpreter", "jit": as users write them.
ProgramTier TierOf(std::string_view name);

/** A fused program with what computes it. Belongs to one thread. */
class TieredProgram {
 public:
  TieredProgram(FusedProgram program, ProgramTier tier);
  ~TieredProgram();

  const FusedProgram& program() const { return program_; }
  /// Other numbers may be put in their places.
  LargeVector<double>& constants() { return program_.constants; }
  /// Before some evaluations: what computes them may change here.
  void Begin(uint32_t evaluations);
  /// Runs a step that is a run, and perhaps those behind it; the number of the next one.
  size_t Run(size_t step, const FusedArrays& arrays);
  /// Some instances of it.
  void RunPart(size_t step, const FusedArrays& arrays, uint32_t first, uint32_t count);
  /// "2 kernels for 20000 instances, machine code from the cache".
  std::string Description() const;

 private:
  void ConsiderCompiling();
  FusedProgram program_;
  FusedInterpreter interpreter_;
  ProgramTier tier_;
  double cost_ = 0, spent_ = 0;  // nanoseconds of interpreting, about: of an evaluation, so far
  enum class Stage : uint8_t { kYoung, kLookedUp, kCompiling, kDone } stage_ = Stage::kYoung;
  std::unique_ptr<CompiledProgram> compiled_;  // in use
  std::unique_ptr<CompiledProgram> made_;      // by the thread
  std::atomic<bool> ready_{false};
  std::string problem_;
  std::thread compiler_;
};

/** Evaluates a fused program for a run: what it keeps between events, its past, blocks and foreign code are
those of the run. Belongs to one thread. */
class FusedEvaluation {
 public:
  FusedEvaluation(ProgramRun& run, FusedProgram program, ProgramTier tier = ProgramTier::kAutomatic);

  /// The results at some states, in the order of program().states. False: `run.failure()` says why. The
  /// states of the run are not touched, but where blocks are solved.
  bool Evaluate(double time, const double* states, double* results);
  /// Evaluations that are made of parts (plan_strips.h): first of all their number, then part by part. Only
  /// for compact programs of runs without delays.
  void BeginParts(uint32_t count);
  void RunPart(uint32_t step, uint32_t first, uint32_t count, double time, const double* states,
               double* results);
  const FusedProgram& program() const { return tiers_.program(); }
  /// The states that the results depend on, as places; ascending.
  const std::vector<uint32_t>& states_read() const { return states_read_; }
  uint64_t evaluations = 0;
  std::string Description() const { return tiers_.Description(); }

 private:
  ProgramRun& run_;
  TieredProgram tiers_;
  std::vector<double> work_, scratch_;
  std::vector<uint32_t> states_read_;
};

}  // namespace cotree
