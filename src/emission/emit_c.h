// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "simulation/simulate.h"

namespace cotree {

/** A column of the CSV that the emitted program writes: a slot, or its opposite. */
struct EmitColumn {
  std::string name, unit;
  uint32_t slot = 0;
  double sign = 1;
};

struct EmitOptions {
  SimulationOptions run;  // method: euler, heun or rk4; what `main` does unless it is told otherwise
  std::vector<EmitColumn> columns;  // what is written
  std::vector<std::string> head;    // lines about the model, for the comment at the top
};

/** A program as one self-contained C99 file: tables and code of the model, the same arithmetic as ProgramRun
in the same order, the LU of implicit blocks, events, and a `main` with fixed steps that does what Simulate
does (docs/manual/emit.md). The values with which a run begins are found here and written as constants.

Empty, and the reason in `problem` with the components it is about and what to do, where something has no
counterpart in C: foreign code, blocks of more than 32 unknowns, unless these follow from 32 or fewer (tears).
*/
std::string EmitC(const Program& program, const std::vector<StartEntry>& starts, const EmitOptions& options,
                  std::string* problem);

}  // namespace cotree
