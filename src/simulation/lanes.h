// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/fibers.h"
#include "simulation/simulate.h"

namespace cotree {

/** A step that an explicit method tries: where it begins and where its stages go. */
struct LaneTry {
  const FusedProgram* program = nullptr;
  uint64_t shape = 0;              // equal: the same code and tables, with other constants
  uint64_t run = 0;                // whose step it is
  const double* copies = nullptr;  // values of the run, by slot
  double time = 0, h = 0, end = 0, switch_time = 0, unit = 0;
  const double *y = nullptr, *floor = nullptr;
  double *k[7] = {}, *stage = nullptr, *next = nullptr;  // k[0] is there already
  double square = 0;                                     // the mean square of its error
  bool done = false;
};

/// Of the code, operands and tables of a program: never 0.
uint64_t ShapeOf(const FusedProgram& program);
uint64_t NextRunNumber();

/** The same program for several runs at once, a lane each. Place k of an array becomes `lanes` places, one
for each lane, and an instance becomes a run over the lanes: what computes many instances of a kernel computes
many lanes of an instance. The times of the lanes stand behind what is kept: at `work` their times, then the
switch times. Only of compact programs.

Theory: docs/theory/program.md, PR.14. */
FusedProgram SpreadOverLanes(const FusedProgram& program, uint32_t lanes);

/// Whether runs of a program are quicker in lanes: an explicit method computes them without blocks, and most
/// of the work is in kernels of few instances. Many instances of a kernel fill vectors by themselves.
bool PaysInLanes(const Program& program, Method method);

/** Runs of one model with other parameters, a lane of the machine's vectors each. Each run goes its own way,
on a fiber of its own, with its own times and steps; only the stages of the steps that they try are computed
together. No lane sees another one's arithmetic: the bits are those of a run alone.

Belongs to one thread. Theory: docs/theory/program.md, PR.14. */
class LaneBatch {
 public:
  static constexpr size_t kLanes = 16;
  static constexpr size_t kVector = 8;  // lanes are computed in multiples of it
  explicit LaneBatch(Fibers& fibers, ProgramTier tier = ProgramTier::kAutomatic);
  ~LaneBatch();

  /// In a task: waits until the step has been computed. False: no other run is like it, it must be tried
  /// alone.
  bool Try(LaneTry& request);
  /// When all tasks wait: computes what they wait for.
  void Together();
  uint64_t computed = 0;  // steps of runs, with others

 private:
  struct Kind;
  void Compute(LaneTry* const* lanes, size_t count);

  Fibers& fibers_;
  ProgramTier tier_;
  std::vector<LaneTry*> waiting_, all_;
  std::vector<std::unique_ptr<Kind>> kinds_;  // by shape, the last used first
};

}  // namespace cotree
