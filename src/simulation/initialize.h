// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

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
  int iterations = 0;
};

struct InitializeOptions {
  double time = 0;
  bool steady = false;
  bool keep_discrete = false;  // discrete variables have their values already
};

/// Sets all values of `run` at the beginning.
Initialization Initialize(ProgramRun& run, const Program& program, const std::vector<StartEntry>& starts,
                          const InitializeOptions& options = {});

}  // namespace cotree
