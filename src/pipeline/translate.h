// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/build_graphs.h"
#include "program/program.h"
#include "system_equations/start_values.h"

namespace cotree {

struct TranslateOptions {
  std::string system;                    // by name; empty: the only one
  std::vector<std::string> free_inputs;  // cut from their drivers
  std::vector<std::pair<std::string, std::string>> settings;  // "motor.R" and "0.3 ohm"
  bool program = true;                   // false: stop at the sorted equations
};

/** A system translated, stage by stage. Without errors in the diagnostics everything up to the stage asked for
is there. */
struct Translation {
  const SystemGraph* graph = nullptr;
  NormalTree tree;
  std::unique_ptr<EquationSystem> equations;
  std::shared_ptr<SortedSystem> sorted;
  std::unique_ptr<Program> program;
  std::vector<SystemGraph> graphs;  // of all systems of the file
  bool ok = false;
};

/// Graph, tree, equations, order, program; findings are added to `loaded.diagnostics`.
std::unique_ptr<Translation> Translate(LoadedModel& loaded, const TranslateOptions& options = {});

}  // namespace cotree
