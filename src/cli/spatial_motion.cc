// SPDX-License-Identifier: Apache-2.0
#include "cli/spatial_motion.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "cli/run_result.h"
#include "results/extremes.h"

namespace cotree {

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
    fmt::print(stderr, "cotree: the run failed {}\n", out.trajectory.problem);
    out.exit = watch.interrupted() ? kExitInterrupted : kExitNumerical;
    if (out.trajectory.times.size() < 2) return out;
  }
  std::vector<bool> stepwise;
  std::vector<ResultExtreme> extremes;
  for (const ResultColumn& column : header.columns) stepwise.push_back(column.stepwise);
  for (const Trajectory::Extreme& e : out.trajectory.extremes)
    extremes.push_back({e.column, e.time, e.value});
  AddRowsAtExtremes(stepwise, std::move(extremes), &out.trajectory.times, &out.trajectory.columns);
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
