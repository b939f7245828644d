// SPDX-License-Identifier: Apache-2.0
#include "cli/spatial_motion.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "cli/say_failure.h"

namespace cotree {

SpatialMotion RunInSpace(const SimulateOptions& options, const Console& console) {
  SpatialMotion out;
  DiskReader reader;
  out.prepared = PrepareRun(options, reader);
  SayPrepared(out.prepared, console);
  out.exit = out.prepared.exit;
  if (out.exit != kExitOk) return out;
  Translation& t = *out.prepared.translation;
  if (t.mechanism.composites.size() < 2) {
    fmt::print(stderr, "cotree: {} has nothing that moves in space; `cotree simulate --plot` draws curves\n",
               options.file);
    out.exit = kExitUsage;
    return out;
  }
  ProgressLine line;
  const InterruptWatch watch;
  const SimulationOptions& s = out.prepared.simulation;
  out.prepared.simulation.progress = [&](double time) {
    line.Show((time - s.start) / (s.stop - s.start),
              [&] { return fmt::format("{:.4g} of {:g} s", time, s.stop); });
    return !watch.interrupted();
  };
  out.trajectory = Simulate(*t.program, t.starts, out.prepared.simulation);
  line.Clear();
  if (!out.trajectory.ok) {
    SayFailure(out.prepared, "the run failed " + out.trajectory.problem);
    out.exit = watch.interrupted() ? kExitInterrupted : kExitNumerical;
    if (out.trajectory.times.size() < 2) return out;
  }
  const EquationSystem& system = *t.equations;
  const Part& main = system.parts[t.graph->components.size()];
  std::vector<const std::vector<double>*> column;
  for (uint32_t k = 0; k < t.motion.parts.front().readings.size(); ++k) {
    column.push_back(nullptr);
    const VariableRef ref = system.bindings[main.first_binding + k];
    if (!t.sorted->HasSlot(ref)) continue;
    const auto at = std::find(out.trajectory.slots.begin(), out.trajectory.slots.end(), t.sorted->Slot(ref));
    if (at != out.trajectory.slots.end())
      column.back() = &out.trajectory.columns[static_cast<size_t>(at - out.trajectory.slots.begin())];
  }
  const SpatialNumbers numbers(out.prepared.loaded->model, *t.graph, system.scalars, system.parameters);
  for (size_t row = 0; row < out.trajectory.times.size(); ++row) {
    out.poses.push_back(FindPoses(t.mechanism, t.motion, numbers, [&](uint32_t reading) {
      return column[reading] == nullptr ? 0 : (*column[reading])[row];
    }));
  }
  return out;
}

}  // namespace cotree
