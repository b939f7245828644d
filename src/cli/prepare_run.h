// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "pipeline/translate.h"
#include "simulation/simulate.h"

namespace cotree {

/** Values of which one run takes some (LoadOptions::alternatives, TranslateOptions::chosen). */
struct Variation {
  std::vector<std::string> alternatives{};
  std::vector<uint32_t> chosen{};
};

/** A model ready to run, as it was told; or the exit code, with the findings in `loaded` and, where these do
not say it, the reason in `problem`. */
struct PreparedRun {
  std::unique_ptr<LoadedModel> loaded;
  std::unique_ptr<Translation> translation;
  TranslateOptions translated_with;
  SimulationOptions simulation;
  int exit = kExitOk;
  std::string problem;
  std::vector<std::string> notes;
};

/// Reads and translates what `simulate`, `values` and `sweep` run. Prints nothing.
PreparedRun PrepareRun(const SimulateOptions& options, DiskReader& reader, const Variation& variation = {});

/// Findings, notes and the problem, on stderr.
void SayPrepared(const PreparedRun& prepared, const Console& console);

}  // namespace cotree
