// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "program/fused_program.h"

namespace cotree {

/** A piece of a step of an explicit method. */
struct StripTask {
  enum class Kind : uint8_t {
    kCombine,  // states of a stage from those at the beginning and the slopes so far
    kRun,      // instances of a run
    kSingle,   // one result of straight-line code
    kEnd       // what is done with states and slopes when all are there
  } kind;
  uint8_t stage;          // 1 ... stages; of kEnd: stages
  uint32_t step;          // of the program: kRun, kSingle
  uint32_t first, count;  // instances of kRun, else places of states
};

/** The stages of an explicit method in strips. What is near each other goes through all stages while it is in
the cache, instead of each stage going through memory.

Every state, every result and every value that is kept has a position, found from who reads whom: an instance
stands where what it reads stands. No instance reads farther than `reach` positions. The tasks of phase g (a
stage has one phase for its states, and one or more for its runs) of strip t are then those at positions
[t w - g reach, (t + 1) w - g reach): all that they read is there, and nothing is overwritten that is still to
be read. Strip after strip, in each phase after phase: a slanted wave through positions and stages.

Operations and their order for one state are those of whole passes, so the bits are the same.

Theory: docs/theory/program.md, PR.15 (PR.15a). */
struct StripPlan {
  std::vector<StripTask> tasks;  // in order; none: the program is not local, or too small
  uint32_t width = 0, reach = 0;
};

/// `bytes`: that the method touches for each state, in all its vectors.
StripPlan PlanStrips(const FusedProgram& program, uint32_t stages, size_t bytes);

}  // namespace cotree
