// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/fibers.h"
#include "program/fused_program.h"

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

/** Runs of one model with other parameters, a lane of the machine's vectors each. Each run goes its own way,
on a fiber of its own, with its own times and steps; only the stages of the steps that they try are computed
together. No lane sees another one's arithmetic: the bits are those of a run alone.

Belongs to one thread. Theory: docs/theory/program.md, PR.11. */
class LaneBatch {
 public:
  static constexpr size_t kLanes = 8;
  explicit LaneBatch(Fibers& fibers) : fibers_(fibers) {}

  /// In a task: waits until the step has been computed. False: no other run is like it, it must be tried
  /// alone.
  bool Try(LaneTry& request);
  /// When all tasks wait: computes what they wait for.
  void Together();

 private:
  void Compute(LaneTry* const* lanes, size_t count);
  void Evaluate(const FusedProgram& program, const double* states, double* derivatives, const double* time);

  Fibers& fibers_;
  std::vector<LaneTry*> waiting_, all_;
  uint64_t in_lane_[kLanes] = {};  // runs whose constants stand in the lanes
  std::vector<double> memory_, constants_, work_, scratch_, registers_, switch_times_;
  std::vector<const double*> inputs_, at_;
};

}  // namespace cotree
