// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "program/run_fused.h"

namespace cotree {

class MachineCode;

/** Machine code for the runs of a fused program, by LLVM, with the same bits as the interpreter.

A run of many instances is a loop over its operands, in the vectors of the machine (8, 4 or 2 lanes), with the
elementary functions of SLEEF for so many lanes; the code knows neither their number nor where they stand, so
that it is the same for every system of the same classes, and is found again on disk (compile/kernel_cache.h).
Runs of few instances one after the other are straight-line code, cut into pieces.

Theory: docs/theory/program.md, PR.12. */
class CompiledProgram {
 public:
  enum class Search : uint8_t { kCacheOnly, kCompile };
  /// Null: there is no compiled code for all of it (`problem` says why; empty: not in the cache).
  static std::unique_ptr<CompiledProgram> Make(const FusedProgram& program, Search search,
                                               std::string* problem);
  ~CompiledProgram();

  /// Runs the step, and perhaps those behind it; the number of the next one. Several threads may do so at
  /// once.
  size_t Run(size_t step, const FusedArrays& arrays) const;
  size_t functions() const { return codes_.size(); }
  size_t code_bytes() const;
  bool from_cache() const { return from_cache_; }

 private:
  struct Call;
  CompiledProgram() = default;

  const FusedProgram* program_ = nullptr;
  std::vector<Call> calls_;  // by step; those inside straight-line code are empty
  std::vector<std::unique_ptr<MachineCode>> codes_;
  std::vector<void*> functions_;  // that the code calls
  bool from_cache_ = true;
};

/// LLVM IR of a loop over the instances of runs like this one; for tests and people who want to look.
std::string LoopIr(const FusedProgram& program, const FusedRun& run);

}  // namespace cotree
