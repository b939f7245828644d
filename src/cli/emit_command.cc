// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/prepare_run.h"
#include "cli/run_result.h"
#include "emission/emit_c.h"

namespace cotree {
namespace {

// The columns of the CSV of `simulate`: each one's source, and its sign.
std::vector<EmitColumn> ColumnsOf(const ResultHeader& header, const std::vector<uint32_t>& slots) {
  const auto by_name = header.ByName();
  std::vector<EmitColumn> out;
  for (size_t k = 0; k < header.columns.size(); ++k) {
    const ResultColumn& column = header.columns[k];
    const size_t from = column.stored() ? k : by_name.at(column.alias_of);
    out.push_back({column.name, column.unit, slots[from], column.stored() ? 1 : column.alias_sign});
  }
  return out;
}

}  // namespace

int RunEmit(const SimulateOptions& given, const Console& console) {
  SimulateOptions options = given;
  options.quick_motion = true;  // as `simulate` does
  options.written = {{"--out", options.output}};
  options.runs = false;
  if (options.step && options.solver == "auto") options.solver = "rk4";
  DiskReader reader;
  const PreparedRun p = PrepareRun(options, reader);
  SayPrepared(p, console);
  if (p.exit != kExitOk) return p.exit;
  const std::vector<uint32_t> slots = SlotsOfComponents(*p.translation);
  const ResultHeader header = HeaderOfRun(*p.loaded, *p.translation, p.simulation, slots, options.settings);
  EmitOptions emit;
  emit.run = p.simulation;
  emit.columns = ColumnsOf(header, slots);
  emit.head.push_back(fmt::format("system {} of {}{}{}; model hash {}", header.model,
                                  std::filesystem::path(options.file).filename().string(),
                                  header.experiment.empty() ? "" : ", experiment ", header.experiment,
                                  header.model_hash));
  for (const std::string& setting : options.settings) emit.head.push_back("set " + setting);
  std::string problem;
  const std::string text = EmitC(*p.translation->program, p.translation->starts, emit, &problem);
  if (!problem.empty()) {
    fmt::print(stderr, "cotree: {}: {}\n", options.file, problem);
    return problem.starts_with("at the start") ? kExitNumerical : kExitModel;
  }
  if (options.output.empty()) {
    std::fputs(text.c_str(), stdout);
    return kExitOk;
  }
  if (!WriteFileSafely(options.output, text)) return kExitForeign;
  fmt::print(
      "{}: {}, {}; {} in {}\n", header.model, Plural(p.translation->sorted->states.size(), "state"),
      Plural(emit.columns.size(), "output"),
      emit.run.method == Method::kAutomatic
          ? "steps as errors allow"
          : fmt::format("{} with steps of {}", MethodName(emit.run.method),
                        emit.run.step > 0 ? fmt::format("{:g} s", emit.run.step) : "the output's interval"),
      options.output);
  return kExitOk;
}

}  // namespace cotree
