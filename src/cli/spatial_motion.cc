// SPDX-License-Identifier: Apache-2.0
#include "cli/spatial_motion.h"

#include <fmt/core.h>

#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"

namespace cotree {

MechanismReadings::MechanismReadings(const Translation& translation, const Trajectory& trajectory)
    : t_(translation), run_(trajectory), column_(translation.sorted->slots(), UINT32_MAX) {
  for (uint32_t k = 0; k < run_.slots.size(); ++k) column_[run_.slots[k]] = k;
}

double MechanismReadings::At(uint32_t reading, uint32_t order, size_t row) const {
  const EquationSystem& system = *t_.equations;
  VariableRef ref = system.bindings[system.parts[t_.graph->components.size()].first_binding + reading];
  ref.order += order;
  if (!t_.sorted->HasSlot(ref)) return 0;
  const uint32_t column = column_[t_.sorted->Slot(ref)];
  return column == UINT32_MAX ? 0 : run_.columns[column][row];
}

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
    fmt::print(stderr, "cotree: the run failed {}\n", out.trajectory.problem);
    out.exit = watch.interrupted() ? kExitInterrupted : kExitNumerical;
    if (out.trajectory.times.size() < 2) return out;
  }
  const EquationSystem& system = *t.equations;
  const MechanismReadings readings(t, out.trajectory);
  const SpatialNumbers numbers(out.prepared.loaded->model, *t.graph, system.scalars, system.parameters);
  for (size_t row = 0; row < out.trajectory.times.size(); ++row) {
    out.poses.push_back(FindPoses(t.mechanism, t.motion, numbers,
                                  [&](uint32_t reading) { return readings.At(reading, 0, row); }));
  }
  return out;
}

}  // namespace cotree
