// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <numeric>

#include "base/json.h"
#include "base/stages.h"
#include "cli/check_json.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/prepare_run.h"
#include "cli/profile_report.h"
#include "cli/result_files.h"
#include "cli/run_result.h"
#include "cli/simulation_output.h"
#include "results/select_columns.h"

namespace cotree {
namespace {

constexpr size_t kMostKernels = 200;

Json EvaluationJson(const EvaluationCost& e) {
  static constexpr const char* kKinds[] = {"kernel", "block", "foreign"};
  Json out;
  out["interpreted"] = e.interpreted;
  out["compiled"] = e.compiled ? Json(*e.compiled) : Json();
  out["not_compiled"] = e.not_compiled;
  out["compiling"] = e.compiling;
  out["from_cache"] = e.from_cache;
  out["states"] = e.states;
  out["instances"] = e.instances;
  out["instructions"] = e.instructions;
  out["code_bytes"] = e.code_bytes;
  out["machine_code_bytes"] = e.machine_bytes;
  out["table_bytes"] = e.table_bytes;
  out["table_bytes_per_state"] = static_cast<double>(e.table_bytes) / static_cast<double>(e.states);
  out["kernel_count"] = e.kernels.size();
  out["kernels"] = Json::array();
  const double all = e.of_kernels(e.compiled.has_value());
  for (size_t k = 0; k < e.kernels.size() && k < kMostKernels; ++k) {
    const KernelCost& cost = e.kernels[k];
    const double each = 1 / static_cast<double>(std::max<uint64_t>(1, cost.instances));
    out["kernels"].push_back({{"kind", kKinds[static_cast<size_t>(cost.kind)]},
                              {"computes", cost.what},
                              {"runs", cost.runs},
                              {"instances", cost.instances},
                              {"instructions", cost.instructions},
                              {"interpreted", cost.interpreted},
                              {"interpreted_each", cost.interpreted * each},
                              {"compiled", cost.compiled ? Json(*cost.compiled) : Json()},
                              {"compiled_each", cost.compiled ? Json(*cost.compiled * each) : Json()},
                              {"share", all > 0 ? cost.compiled.value_or(cost.interpreted) / all : 0}});
  }
  return out;
}

Json ProfileJson(const Profile& p) {
  Json out;
  out["name"] = p.system;
  out["states"] = p.states;
  out["unknowns"] = p.unknowns;
  out["run"] = {{"ok", p.problem.empty()},  {"problem", p.problem},       {"start", p.start},
                {"reached", p.reached},     {"steps", p.steps},           {"evaluations", p.evaluations},
                {"jacobians", p.jacobians}, {"iterations", p.iterations}, {"events", p.events},
                {"rows", p.rows},           {"method", p.method},         {"program", p.program}};
  out["wall"] = p.sum.wall;
  out["cpu"] = p.sum.cpu;
  out["peak"] = p.sum.peak;
  out["stages"] = Json::array();
  for (const StageCost& s : p.stages)
    out["stages"].push_back({{"name", s.name},
                             {"title", StageTitle(s.name)},
                             {"wall", s.wall},
                             {"cpu", s.cpu},
                             {"memory", s.memory},
                             {"peak", s.peak}});
  out["evaluation"] = p.evaluation ? EvaluationJson(*p.evaluation) : Json();
  return out;
}

/* A run as `simulate` does it, with a clock. */
class Profiler {
 public:
  Profiler(const ProfileOptions& options, const Console& console)
      : options_(options),
        console_(console),
        listener_([this](std::string_view stage) { clock_.End(stage); }) {}

  int Run() {
    DiskReader reader;
    PreparedRun p = PrepareRun(options_.run, reader);
    const bool model = p.exit == kExitOk || p.exit == kExitModel;
    if (!options_.json || !model || !p.problem.empty()) SayPrepared(p, console_);
    if (p.exit != kExitOk) {
      if (options_.json && model) Write(p, Json());
      return p.exit;
    }
    if (const std::string problem = EndingProblem("--out", options_.run.output); !problem.empty()) {
      fmt::print(stderr, "cotree: {}\n", problem);
      return kExitUsage;
    }
    const int exit = Simulated(p);
    if (exit != kExitOk && profile_.system.empty()) return exit;
    profile_.stages = clock_.stages();
    profile_.sum = clock_.Sum();
    if (exit != kExitInterrupted) profile_.evaluation = MeasureEvaluation(p);
    if (options_.json)
      Write(p, ProfileJson(profile_));
    else
      fmt::print("{}", ProfileText(profile_, console_));
    std::fflush(stdout);
    if (!message_.empty()) fmt::print(stderr, "cotree: {}\n", message_);
    if (options_.picture.empty()) return exit;
    const int drawn = SaveProfilePicture(profile_, options_.picture);
    if (drawn == kExitOk && !options_.json) fmt::print("{}\n", options_.picture);
    return exit == kExitOk ? drawn : exit;
  }

 private:
  void Write(const PreparedRun& p, Json system) {
    Json document = JsonHead("cotree.profile/1", options_.run.file, *p.loaded);
    document["ok"] = p.exit == kExitOk;
    document["system"] = std::move(system);
    fmt::print("{}", DumpJson(document));
  }

  int Simulated(PreparedRun& p) {
    const SimulateOptions& options = options_.run;
    const Translation& translation = *p.translation;
    EndStage("checks");
    std::optional<std::vector<uint32_t>> few;
    if (!options.only.empty()) {
      std::vector<std::string> names;
      for (const std::string& word : options.only) {
        for (std::string& name : SplitNames(word)) names.push_back(std::move(name));
      }
      few = SlotsNamed(*p.loaded, translation, names);
    }
    const std::vector<uint32_t> slots = few ? *few : SlotsOfComponents(translation);
    const ResultHeader header = HeaderOfRun(*p.loaded, translation, p.simulation, slots, options.settings);
    std::vector<size_t> columns(header.columns.size());
    std::iota(columns.begin(), columns.end(), 0);
    if (!options.only.empty()) {
      const auto found = FindColumns(header, options.only, options.file);
      if (!found) return kExitUsage;
      columns = *found;
    }
    SimulationOutput output(header, options.output, false, {}, columns, p.simulation.start,
                            p.simulation.stop);
    p.simulation.watched = output.Watched();
    p.simulation.extreme = [&](uint32_t column, double time, double value) {
      output.Extreme(column, time, value);
    };
    if (!output.Begin()) return kExitForeign;
    EndStage("names");
    double reached = p.simulation.start;
    bool written = true;
    const InterruptWatch watch;
    p.simulation.components.interrupted = [&] { return watch.interrupted(); };
    p.simulation.progress = [&](double) { return !watch.interrupted(); };
    p.simulation.row = [&](double time, std::span<const double> values) {
      EndStage("run");
      reached = time;
      written = output.Row(time, values);
      EndStage("output");
      return written;
    };
    p.simulation.event = [&](double time, const std::string& what) { output.Event(time, what); };
    const Trajectory trajectory = Simulate(*translation.program, translation.starts, p.simulation, slots);
    EndStage("run");
    const bool finished = output.Finish(!trajectory.ok       ? "failed " + trajectory.problem
                                        : trajectory.stopped ? "interrupted"
                                                             : std::string(kComplete));
    EndStage("output");
    const Model& model = p.loaded->model;
    profile_.system = model.Text(model[translation.graph->system].name);
    profile_.states = translation.sorted->states.size();
    profile_.unknowns = translation.sorted->equations.size();
    profile_.start = p.simulation.start;
    profile_.reached = reached;
    profile_.steps = trajectory.steps;
    profile_.evaluations = trajectory.evaluations;
    profile_.jacobians = trajectory.jacobians;
    profile_.iterations = trajectory.iterations;
    profile_.events = trajectory.event_times.size();
    profile_.rows = output.rows();
    profile_.method = trajectory.method;
    profile_.program = trajectory.program;
    profile_.problem = trajectory.problem;
    for (const std::string& note : trajectory.notes) fmt::print(stderr, "cotree: note: {}\n", note);
    if (trajectory.stopped && watch.interrupted()) {
      message_ = "interrupted; the profile is of what was computed";
      return kExitInterrupted;
    }
    if (trajectory.ok) return finished && written ? kExitOk : kExitForeign;
    message_ = "the run failed " + trajectory.problem;
    return trajectory.foreign ? kExitForeign : kExitNumerical;
  }

  const ProfileOptions& options_;
  const Console& console_;
  StageClock clock_;
  StageListener listener_;
  Profile profile_;
  std::string message_;  // for the end
};

}  // namespace

int RunProfile(const ProfileOptions& given, const Console& console) {
  ProfileOptions options = given;
  AddResultOutput("--out", options.run.output, &options.run.written);
  options.run.written.push_back({"--plot", options.picture});
  if (!options.picture.empty() && !CheckPicturePath(options.picture)) return kExitUsage;
  return Profiler(options, console).Run();
}

}  // namespace cotree
