// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cotree {

/// What the code may use: SSE2; AVX2; AVX-512 F, BW, CD, DQ, VL.
enum class MachineLevel { kBase, kAvx2, kAvx512 };

MachineLevel ThisMachine();

struct CompileOptions {
  /// 0: quickest to compile; 1: good code; 2: LLVM's own passes before, which turn scalar loops into vectors.
  int level = 1;
  MachineLevel machine = MachineLevel::kBase;
};

/** LLVM IR as text to an x86-64 object (ELF, position-independent) in memory, for MachineCode to load. The
same text and options give the same bytes.

Arithmetic stays as written: a product and a sum are never fused. Text that would allow it (fast-math flags,
llvm.fmuladd) is refused. Globals and functions whose addresses are taken are `internal` or `dso_local`.

LLVM 19 is loaded at the first call and stays. Safe in several threads. Empty: `problem` says why. */
std::vector<char> CompileIr(const std::string& ir, const CompileOptions& options, std::string* problem);

/// False: `why` says which package to install.
bool HasLlvm(std::string* why);

}  // namespace cotree
