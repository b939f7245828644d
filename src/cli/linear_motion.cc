// SPDX-License-Identifier: Apache-2.0
#include "cli/linear_motion.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/files.h"
#include "cli/linear_model.h"
#include "cli/system_command.h"
#include "pipeline/choose_system.h"
#include "simulation/events.h"
#include "simulation/simulate.h"

namespace cotree {
namespace {

/** Everything of one instant of the whole system. */
struct Instant {
  std::vector<double> values;
  std::vector<DelayLine> delay_lines;
  double switch_time = 0;
  std::string kept;  // by foreign code
};

bool Take(const Translation& closed, double time, const ComponentOptions& foreign_code, Instant* out,
          std::string* problem, bool* foreign) {
  const Program& program = *closed.program;
  const InitializeOptions beginning = BeginningOf(closed);
  const auto keep = [&](double, ProgramRun& run) {
    out->values = run.values;
    out->delay_lines = run.delay_lines;
    out->switch_time = run.switch_time;
    Archive archive;
    if (auto* external = dynamic_cast<ExternalComponents*>(run.foreign)) external->Exchange(archive);
    out->kept = archive.bytes();
  };
  if (time == beginning.time) {
    ProgramRun run(program);
    run.switch_time = JustBehind(time);
    ExternalComponents external(run, program, foreign_code);
    if (!external.Load()) {
      *problem = external.problem();
      *foreign = true;
      return false;
    }
    Events events(run, program, &external);
    const Initialization start = events.Begin(closed.starts, beginning);
    if (!start.ok) *problem = "at the start: " + start.problem;
    std::string without = start.ok ? events.FindNoValue(time) : "";
    if (start.ok && without.empty()) without = events.Violated(time).value_or("");
    if (!without.empty()) *problem = "at the start: " + without;
    *foreign = events.foreign();
    keep(time, run);
    return problem->empty();
  }
  SimulationOptions simulation;
  simulation.start = beginning.time;
  simulation.stop = time;
  simulation.steady = beginning.steady;
  simulation.rtol = 1e-8;
  simulation.components = foreign_code;
  simulation.row = [](double, std::span<const double>) { return true; };
  simulation.at_stop = keep;
  const Trajectory run = Simulate(program, closed.starts, simulation, {0});
  if (!run.ok) *problem = run.problem;
  *foreign = run.foreign;
  if (run.ok && out->values.empty())
    *problem = fmt::format("the model ends its run before {:g} s: {}", time, run.stop_reason);
  return run.ok && !out->values.empty();
}

// Slots that are held between events, by component in the order of their slots.
std::map<uint32_t, std::vector<uint32_t>> HeldSlots(const Program& program) {
  std::map<uint32_t, std::vector<uint32_t>> out;
  for (const auto& r : program.relations) out[r.component].push_back(r.slot);
  for (auto& [component, slots] : out) std::sort(slots.begin(), slots.end());
  return out;
}

// The free inputs stand between the variables of components and those the system adds: all else is the same.
void Place(const Translation& open, const Translation& closed, const Instant& instant, ProgramRun& run) {
  const uint32_t count = static_cast<uint32_t>(open.equations->inputs.size());
  const uint32_t first = count == 0 ? UINT32_MAX : open.equations->inputs[0].variable;
  for (uint32_t slot = 0; slot < open.sorted->slots(); ++slot) {
    VariableRef ref = open.sorted->OfSlot(slot);
    if (ref.variable >= first && ref.variable < first + count) continue;
    if (ref.variable >= first) ref.variable -= count;
    if (ref.variable < closed.equations->variable_count && closed.sorted->HasSlot(ref))
      run.values[slot] = instant.values[closed.sorted->Slot(ref)];
  }
  for (const auto& pre : open.program->pres) run.values[pre.slot] = run.values[pre.of];
  const auto own = HeldSlots(*open.program), others = HeldSlots(*closed.program);
  for (const auto& [component, slots] : own) {
    const auto other = others.find(component);
    if (other == others.end() || other->second.size() != slots.size()) continue;
    for (size_t k = 0; k < slots.size(); ++k) run.values[slots[k]] = instant.values[other->second[k]];
  }
  run.switch_time = instant.switch_time;
  if (run.delay_lines.size() == instant.delay_lines.size()) run.delay_lines = instant.delay_lines;
  const NameFinder finder(*closed.equations->model, *closed.graph);
  for (uint32_t k = 0; k < count; ++k) {
    const VariableRef driver =
        FindVariable(*closed.equations, finder, DriverOfInput(open, open.equations->input_names[k]));
    if (driver.variable == UINT32_MAX) continue;
    for (uint32_t order = 0; open.sorted->HasSlot({open.equations->inputs[k].variable, order}); ++order) {
      const VariableRef from{driver.variable, driver.order + order};
      if (closed.sorted->HasSlot(from))
        run.values[open.sorted->Slot({open.equations->inputs[k].variable, order})] =
            instant.values[closed.sorted->Slot(from)];
    }
  }
}

}  // namespace

std::string DriverOfInput(const Translation& t, const std::string& input) {
  const Model& model = *t.equations->model;
  const LargeVector<Driver> drivers = ResolveDrivers(model, *t.graph);
  for (uint32_t i = 0; i < t.graph->components.size(); ++i) {
    const ElementClass& element = t.graph->ElementOf(ComponentId(i));
    for (uint32_t slot = 0; slot < element.slot_variable.size(); ++slot) {
      const std::string name = InputName(model, *t.graph, ComponentId(i), slot);
      const bool only =
          element.slot_variable.size() == 1 && ComponentName(model, *t.graph, ComponentId(i)) == input;
      if (name != input && !only) continue;
      const Driver& driver = drivers[t.graph->components[i].first_input + slot];
      return driver.component.IsNone() ? "" : DriverName(model, *t.graph, driver);
    }
  }
  return input;
}

std::optional<LinearModel> LinearizeOnMotion(const LinearizeOptions& options, const Translation& open,
                                             const std::vector<std::string>& outputs,
                                             const std::optional<LoopCut>& cut, const Console& console,
                                             int* exit) {
  std::vector<VariableRef> found;
  *exit = kExitUsage;
  if (!FindOutputs(open, outputs, &found)) return std::nullopt;
  const double begin = BeginningOf(open).time, time = options.at.value_or(begin);
  if (time < begin) {
    fmt::print(stderr, "cotree: --at: the experiment begins at {:g} s, behind {:g} s\n", begin, time);
    return std::nullopt;
  }
  *exit = kExitModel;
  if (!open.program->unsupported.empty()) {
    fmt::print(stderr, "cotree: {} cannot be computed in this version\n", open.program->unsupported.front());
    return std::nullopt;
  }
  DiskReader reader;
  LoadOptions load;
  load.library = options.library;
  const auto loaded = LoadModel(options.file, reader, load);
  ChooseSystem(*loaded, RequestOf(options), options.file);
  TranslateOptions translate;
  translate.foreign = ForeignAccess::kRun;
  translate.keep_constraints = true;
  translate.components = ForeignCodeOf(options.foreign);
  const auto closed = Translate(*loaded, translate);
  if (!closed->ok) {
    PrintDiagnostics(loaded->diagnostics, loaded->model.files, console);
    fmt::print(stderr,
               "cotree: the system itself, with nothing cut, cannot be translated: there is no motion to "
               "linearise around; leave --open and --at away\n");
    return std::nullopt;
  }
  *exit = kExitNumerical;
  if (open.sorted->states.size() > kMostStates) {
    fmt::print(stderr, "cotree: {} states are too many for matrices (at most {})\n",
               open.sorted->states.size(), kMostStates);
    return std::nullopt;
  }
  Instant instant;
  std::string problem;
  bool foreign = false;
  if (!Take(*closed, time, translate.components, &instant, &problem, &foreign)) {
    fmt::print(stderr, "cotree: {}\n", problem);
    if (foreign) *exit = kExitForeign;
    return std::nullopt;
  }
  ProgramRun run(*open.program);
  ExternalComponents external(run, *open.program, translate.components);
  Archive kept(instant.kept);
  if (!external.Load() || !external.Exchange(kept)) {
    fmt::print(stderr, "cotree: {}\n", external.problem());
    *exit = kExitForeign;
    return std::nullopt;
  }
  Place(open, *closed, instant, run);
  const bool computed = run.Run(time);
  std::optional<LinearModel> linear;
  if (computed) {
    linear = LinearizeAtPoint(run, open, found, time, options.continuous, cut, exit);
    if (!linear) return std::nullopt;
  }
  if (!computed || run.failure().foreign) {
    fmt::print(stderr, "cotree: {}\n", run.FailureText());
    if (run.failure().foreign) *exit = kExitForeign;
    return std::nullopt;
  }
  *exit = kExitOk;
  return linear;
}

}  // namespace cotree
