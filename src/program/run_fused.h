// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "program/fused_program.h"

namespace cotree {

/** The arrays of one evaluation. */
struct FusedArrays {
  const double* states = nullptr;  // in the order of the program
  double* derivatives = nullptr;   // results
  double* work = nullptr;
  double* scratch = nullptr;
  double time = 0, switch_time = 0;
  uint32_t count = 0;  // instances of every run; 0: as many as it has
};

/** Runs of a fused program in strips: one instruction after the other, each for some hundred instances at
once, in vectors where the machine has them. No instance sees another one's arithmetic, so the bits are those
of one instance after the other. Holds the registers: belongs to one thread; allocates nothing while it runs.

Theory: docs/theory/program.md, PR.11. */
class FusedInterpreter {
 public:
  explicit FusedInterpreter(const FusedProgram& program);
  void Run(const FusedRun& run, const FusedArrays& arrays);
  /// Some of its instances.
  void Run(const FusedRun& run, const FusedArrays& arrays, uint32_t first, uint32_t count);

 private:
  static constexpr uint32_t kStrip = 256;
  static constexpr uint32_t kFew = 6;  // instances: one after the other
  struct View {
    const double* data;
    bool many;  // one value for each instance; otherwise one for all
  };
  void RunStrip(const FusedRun& run, const FusedArrays& arrays, uint32_t first, uint32_t count);
  void RunSingle(const FusedRun& run, const FusedArrays& arrays, uint32_t first, uint32_t count);
  double* ArrayOf(Operand::Base base, const FusedArrays& arrays) const;

  const FusedProgram& program_;
  struct Plan {
    std::vector<uint32_t> room;  // by instruction: its strip of registers
    uint32_t rooms = 0;
  };
  std::vector<Plan> plans_;  // by kernel
  std::vector<double> strips_, registers_;
  std::vector<View> views_;  // by instruction
  std::vector<const double*> leaves_;
};

}  // namespace cotree
