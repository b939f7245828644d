// SPDX-License-Identifier: Apache-2.0
#include "cli/spatial_motion.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "cli/run_result.h"
#include "cli/say_failure.h"
#include "results/extremes.h"

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

SpatialMotion RunInSpace(const SimulateOptions& given, bool between, const Console& console) {
  SpatialMotion out;
  SimulateOptions options = given;
  options.written = {{"--out", options.output}};
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
  constexpr double kMostPictures = 1e6;  // all of them are kept
  const double pictures = (out.prepared.simulation.stop - out.prepared.simulation.start) /
                          std::max(out.prepared.simulation.interval, 1e-300);
  if (out.prepared.simulation.interval > 0 && pictures > kMostPictures) {
    fmt::print(stderr, "cotree: an interval of {} s means {:.3g} pictures; at most {:g} are kept\n",
               out.prepared.simulation.interval, pictures, kMostPictures);
    out.exit = kExitUsage;
    return out;
  }
  ProgressLine line;
  const InterruptWatch watch;
  out.prepared.simulation.components.interrupted = [&] { return watch.interrupted(); };
  const SimulationOptions& s = out.prepared.simulation;
  out.prepared.simulation.progress = [&](double time) {
    line.Show((time - s.start) / (s.stop - s.start),
              [&] { return fmt::format("{:.4g} of {:g} s", time, s.stop); });
    return !watch.interrupted();
  };
  std::vector<uint32_t> slots(t.sorted->first_slot[t.equations->part_variables]);
  std::iota(slots.begin(), slots.end(), 0);
  const ResultHeader header = HeaderOfRun(*out.prepared.loaded, t, s, slots, options.settings);
  if (between) out.prepared.simulation.watched = PlottedColumns(header);
  out.trajectory = Simulate(*t.program, t.starts, out.prepared.simulation, slots);
  line.Clear();
  if (!out.trajectory.ok) {
    SayFailure(out.prepared, "the run failed " + out.trajectory.problem);
    out.exit = out.trajectory.foreign ? kExitForeign : kExitNumerical;
  }
  std::vector<bool> stepwise;
  std::vector<ResultExtreme> extremes;
  for (const ResultColumn& column : header.columns) stepwise.push_back(column.stepwise);
  for (const Trajectory::Extreme& e : out.trajectory.extremes)
    extremes.push_back({e.column, e.time, e.value});
  AddRowsAtExtremes(stepwise, std::move(extremes), &out.trajectory.times, &out.trajectory.columns);
  if (watch.interrupted()) out.exit = kExitInterrupted;
  if (out.exit != kExitOk && out.trajectory.times.size() < 2) return out;
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
