// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <numeric>
#include <thread>
#include <tuple>

#include "base/plural.h"
#include "cli/certify.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/measured_data.h"
#include "cli/prepare_run.h"
#include "cli/progress_line.h"
#include "cli/quantities.h"
#include "cli/result_files.h"
#include "cli/run_result.h"
#include "cli/say_failure.h"
#include "cli/simulation_output.h"
#include "cli/system_command.h"
#include "plot/plot_result.h"
#include "results/select_columns.h"
#include "simulation/events.h"

namespace cotree {
namespace {

// Where the picture goes if nothing is said.
std::string PicturePath(const SimulateOptions& options) {
  namespace fs = std::filesystem;
  if (!options.plot_output.empty()) return options.plot_output;
  if (!options.output.empty()) return fs::path(options.output).replace_extension(".svg").string();
  return fs::path(options.file).stem().string() + "_plot.svg";
}

// What shall be drawn, as names of the result; nothing and a message if something is not there.
std::optional<std::vector<std::string>> NamesToPlot(const PreparedRun& p, const SimulateOptions& options,
                                                    const ResultHeader& header) {
  std::vector<std::string> names = header.plots;
  if (options.plot_names.empty()) return names;
  names.clear();
  for (const std::string& word : SplitNames(options.plot_names)) {
    const std::string column = ColumnOf(*p.loaded, *p.translation, word);
    if (!column.empty()) {
      names.push_back(column);
      continue;
    }
    const auto found = FindColumns(header, {word}, options.file);
    if (!found) return std::nullopt;
    for (const size_t k : *found) names.push_back(header.columns[k].name);
  }
  return names;
}

// A curve in one line: the values between smallest and largest in eight steps, these two wherever they are.
std::string Sparkline(const std::vector<double>& times, const std::vector<double>& values, size_t width) {
  static const char* const kLevels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::string out;
  size_t row = 0;
  for (size_t k = 0; k < width; ++k) {
    const double t = times.front() + (times.back() - times.front()) * (static_cast<double>(k) + 0.5) /
                                         static_cast<double>(width);
    while (row + 1 < times.size() && times[row + 1] <= t) ++row;
    const auto is_here = [&](auto extreme) {
      const double at = times[static_cast<size_t>(extreme - values.begin())];
      const double place = (at - times.front()) / (times.back() - times.front()) * static_cast<double>(width);
      return place >= static_cast<double>(k) && place < static_cast<double>(k + 1);
    };
    const double value = is_here(high) ? *high : is_here(low) ? *low : values[row];
    const double level = *high > *low ? (value - *low) / (*high - *low) : 0;
    out += kLevels[std::min<size_t>(7, static_cast<size_t>(level * 8))];
  }
  return out;
}

// What the summary shows: what the experiment plots, or else the first states.
std::vector<std::string> NamesToSummarise(const PreparedRun& p, const SimulateOptions& options) {
  std::vector<std::string> names = options.shown;
  if (!names.empty()) return names;
  names = PlotNames(*p.translation);
  if (!names.empty()) return names;
  for (const VariableRef& state : p.translation->sorted->states) {
    if (names.size() == 8) break;
    names.push_back(p.translation->equations->VariableName(state.variable, state.order));
  }
  return names;
}

// How the states began, where more than their own starts was demanded.
std::string BeginningText(const SortedSystem& sorted, const Initialization& begin) {
  const auto list = [&](const std::vector<uint32_t>& states) {
    std::string text;
    constexpr size_t kMost = 6;
    for (size_t k = 0; k < states.size() && k < kMost; ++k)
      text += (k > 0 ? ", " : "") + sorted.SlotName(sorted.Slot(sorted.states[states[k]]));
    return states.size() > kMost ? text + fmt::format(" and {} more", states.size() - kMost) : text;
  };
  std::string text = "began with " + list(begin.determined) + " from what is demanded at the start";
  if (!begin.kept.empty()) text += "; " + list(begin.kept) + " as proposed";
  if (begin.homotopies > 0) text += "; found by homotopy";
  return text;
}

void PrintSummary(const PreparedRun& p, const Trajectory& trajectory, const SimulationOutput& output,
                  const SimulateOptions& options, double seconds, const Console& console) {
  const SortedSystem& sorted = *p.translation->sorted;
  const Model& model = p.loaded->model;
  const Result& kept = output.kept();
  const double end = kept.times.empty() ? p.simulation.start : kept.times.back();
  fmt::print("{}: {}, {}; {:g} s in {}{}, {:.3g} s of computing\n",
             console.Bold(model.Text(model[p.translation->graph->system].name)),
             Plural(sorted.states.size(), "state"), Plural(sorted.equations.size(), "unknown"),
             end - p.simulation.start, Plural(trajectory.steps, "step"),
             trajectory.event_times.empty() ? "" : " and " + Plural(trajectory.event_times.size(), "event"),
             seconds);
  if (!trajectory.initialization.determined.empty())
    fmt::print("{}\n", console.Dim("  " + BeginningText(sorted, trajectory.initialization)));
  constexpr size_t kMostKept = 3;
  const auto& constraints = p.translation->equations->kept_constraints;
  for (size_t k = 0; k < std::min(constraints.size(), kMostKept); ++k)
    fmt::print("{}\n", console.Dim("  kept as a constraint, all that it ties together are states: " +
                                   p.translation->equations->EquationText(constraints[k].equation)));
  if (constraints.size() > kMostKept)
    fmt::print("{}\n", console.Dim(fmt::format("  and {} more", constraints.size() - kMostKept)));
  if (!trajectory.method.empty()) {
    const std::string work = trajectory.iterations > 0
                                 ? fmt::format("; {}, {}, {}", Plural(trajectory.evaluations, "evaluation"),
                                               Plural(trajectory.iterations, "Newton iteration"),
                                               Plural(trajectory.jacobians, "Jacobian"))
                                 : "";
    fmt::print("{}\n", console.Dim("  " + trajectory.method + work));
  }
  if (!trajectory.program.empty() && (options.tier != "auto" || sorted.states.size() >= 1000))
    fmt::print("{}\n", console.Dim("  " + trajectory.program));
  if (!trajectory.stop_reason.empty())
    fmt::print("the model ended the run at {:.6g} s: {}\n", end, trajectory.stop_reason);
  const std::vector<std::string> names = NamesToSummarise(p, options);
  size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  if (!kept.times.empty() && !names.empty())
    fmt::print("{}\n", console.Dim(fmt::format("  {:<{}}  {:>12}  {:>12}  {:>12}", "", width, "smallest",
                                               "largest", "at the end")));
  for (const std::string& name : names) {
    const std::string own = ColumnOf(*p.loaded, *p.translation, name);
    const auto at = kept.header.Find(own.empty() ? name : own);
    if (!at || kept.columns[*at].empty()) continue;
    const ResultCurve curve = CurveOf(kept, *at);
    const auto [low, high] = std::minmax_element(curve.values.begin(), curve.values.end());
    fmt::print("  {:<{}}  {:>12.6g}  {:>12.6g}  {:>12.6g} {:<6} {}\n", name, width, *low, *high,
               curve.values.back(), kept.header.columns[*at].unit,
               console.Cyan(Sparkline(curve.times, curve.values, 40)));
  }
  if (!options.output.empty())
    fmt::print("{} of {} in {}\n", Plural(output.rows(), "row"), Plural(output.written(), "variable"),
               options.output);
}

// All that the bits of a run depend on, in words.
std::vector<std::pair<std::string, std::string>> IdentityOfRun(const PreparedRun& p,
                                                               const SimulateOptions& options,
                                                               const ResultHeader& header) {
  const SimulationOptions& s = p.simulation;
  const Model& model = p.loaded->model;
  std::string others;  // files that are no texts of the model
  for (const Table& table : model.tables) others += fmt::format(" {}", table.file_hash);
  const auto joined = [](const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : "; ") + word;
    return text;
  };
  const auto hash = [](const std::string& path) {
    std::string ignored;
    return HashOfTexts({ReadInputFile(path, {.most = kMostResultBytes}, &ignored).value_or("")});
  };
  std::string libraries, data;
  for (const Program::External& external : p.translation->program->externals)
    libraries += " " + hash(external.library);
  for (const std::string& input : options.inputs) data += " " + hash(MeasuredFile(input));
  return {{"the model", HashOfModel(model.files, {}) + others},
          {"the version of cotree", COTREE_VERSION},
          {"the system", header.model},
          {"the experiment", header.experiment},
          {"--set", joined(options.settings)},
          {"the beginning", fmt::format("{}{}", s.start, s.steady ? " steady" : "")},
          {"--stop", fmt::format("{}", s.stop)},
          {"--interval", fmt::format("{}", s.interval)},
          {"--steps", s.every_step ? "given" : ""},
          {"--rtol", fmt::format("{}", s.rtol)},
          {"--step", fmt::format("{}", s.step)},
          {"--max-step", fmt::format("{}", s.max_step)},
          {"--solver", options.solver},
          {"--scale", joined(options.scales)},
          {"--input", joined(options.inputs)},
          {"the data of --input", data},
          {"--motion", joined(options.motions)},
          {"--free", joined(options.freed)},
          {"--only", joined(options.only)},
          {"foreign code", libraries}};
}

// The state of an earlier run; the exit code.
int Resume(const SimulateOptions& options, const Checkpoint& own, SimulationOptions& simulation,
           Checkpoint& from) {
  std::string problem;
  if (!LoadCheckpoint(options.checkpoint, &from, &problem)) {
    fmt::print(stderr, "cotree: {}: {}\n", options.checkpoint, problem);
    return kExitForeign;
  }
  const std::string differs = WhatDiffers(from.of, own.of);
  if (!differs.empty()) {
    fmt::print(stderr, "cotree: {}: the checkpoint is of another run: {}; start anew without --resume\n",
               options.checkpoint, differs);
    return kExitUsage;
  }
  simulation.resume = from.state;
  return kExitOk;
}

int SimulateOnce(SimulateOptions options, DiskReader& reader, const Console& console) {
  options.quick_motion = true;
  PreparedRun p = PrepareRun(options, reader);
  SayPrepared(p, console);
  if (p.exit != kExitOk) return p.exit;
  if (const std::string problem = EndingProblem("--out", options.output); !problem.empty()) {
    fmt::print(stderr, "cotree: {}\n", problem);
    return kExitUsage;
  }
  // Where only some variables are asked for by their names, no other needs one.
  std::optional<std::vector<uint32_t>> few;
  if (!options.only.empty() && !options.plot) {
    std::vector<std::string> names = NamesToSummarise(p, options);
    for (const std::string& word : options.only) {
      for (std::string& name : SplitNames(word)) names.push_back(std::move(name));
    }
    few = SlotsNamed(*p.loaded, *p.translation, names);
  }
  const std::vector<uint32_t> slots = few ? *few : SlotsOfComponents(*p.translation);
  const ResultHeader header = HeaderOfRun(*p.loaded, *p.translation, p.simulation, slots, options.settings);
  for (const std::string& name : options.shown) {
    const std::string own = ColumnOf(*p.loaded, *p.translation, name);
    if (header.Find(own.empty() ? name : own)) continue;
    fmt::print(stderr, "cotree: {}\n", UnknownVariable(*p.translation, name));
    return kExitUsage;
  }
  const auto plotted = options.plot ? NamesToPlot(p, options, header) : std::vector<std::string>{};
  if (!plotted) return kExitUsage;
  std::set<size_t> kept;
  for (const std::vector<std::string>& names : {NamesToSummarise(p, options), *plotted}) {
    for (const std::string& name : names) {
      const std::string own = ColumnOf(*p.loaded, *p.translation, name);
      if (const auto at = header.Find(own.empty() ? name : own)) kept.insert(*at);
    }
  }
  std::vector<size_t> columns(header.columns.size());
  std::iota(columns.begin(), columns.end(), 0);
  if (!options.only.empty()) {
    const auto found = FindColumns(header, options.only, options.file);
    if (!found) return kExitUsage;
    columns = *found;
  }
  const SimulationOptions& s = p.simulation;
  SimulationOutput output(header, options.output, options.csv && options.output.empty(), kept, columns,
                          s.start, s.stop);
  p.simulation.every_step = options.steps;
  if (!options.steps) p.simulation.watched = output.Watched();
  Checkpoint own, from;
  if (!options.checkpoint.empty()) own.of = IdentityOfRun(p, options, header);
  if (options.resume) {
    const int exit = Resume(options, own, p.simulation, from);
    if (exit != kExitOk) return exit;
  }
  if (options.resume && !options.output.empty() ? !output.TakeOver(from) : !output.Begin())
    return kExitForeign;
  ProgressLine line;
  const InterruptWatch watch;
  p.simulation.components.interrupted = [&] { return watch.interrupted(); };
  p.simulation.progress = [&](double time) {
    const double done = time - s.start, all = s.stop - s.start;
    line.Show(done / all, [&] {
      return fmt::format("{:.4g} of {:g} s  {:.3g} times real time", time, s.stop, done / line.elapsed());
    });
    return !watch.interrupted();
  };
  bool written = true;
  RunRecord record = RecordFor(header);
  p.simulation.row = [&](double time, std::span<const double> values) {
    if (options.certify) record.Add(time, values);
    written = output.Row(time, values);
    return written;
  };
  p.simulation.extreme = [&](uint32_t column, double time, double value) {
    output.Extreme(column, time, value);
  };
  p.simulation.event = [&](double time, const std::string& what) { output.Event(time, what); };
  bool saved = true;
  if (!options.checkpoint.empty()) {
    p.simulation.checkpoint = [&](double time, uint64_t rows, const std::string& state) {
      own.time = time;
      own.rows = rows;
      own.digest = output.digest();
      own.state = state;
      saved = output.Flush() && SaveCheckpoint(own, options.checkpoint) && saved;
    };
  }
  const Trajectory trajectory = Simulate(*p.translation->program, p.translation->starts, p.simulation, slots);
  line.Clear();
  const bool finished = output.Finish(!trajectory.ok       ? "failed " + trajectory.problem
                                      : trajectory.stopped ? "interrupted"
                                                           : std::string(kComplete));
  if (!options.csv || !options.output.empty())
    PrintSummary(p, trajectory, output, options, line.elapsed(), console);
  int exit = finished && written && saved ? kExitOk : kExitForeign;
  if (options.plot && !output.kept().times.empty()) {
    const std::string title = header.model + (header.experiment.empty() ? "" : ": ");
    const int drawn = SaveFigure(FigureOfResult({{&output.kept(), ""}}, *plotted, title + header.experiment),
                                 PicturePath(options));
    if (exit == kExitOk) exit = drawn;
  }
  for (const std::string& note : trajectory.notes) fmt::print(stderr, "cotree: note: {}\n", note);
  if (trajectory.stopped && watch.interrupted()) {
    fmt::print(stderr, "cotree: interrupted; what was computed is kept{}\n",
               options.output.empty() ? "" : " in " + options.output);
    return kExitInterrupted;
  }
  if (trajectory.ok && options.certify) {
    record.Take(trajectory);
    const int certified = Certify(options, p, record);
    return certified == kExitOk ? exit : certified;
  }
  if (trajectory.ok) return exit;
  SayFailure(p, "the run failed " + trajectory.problem);
  return trajectory.foreign ? kExitForeign : kExitNumerical;
}

/* Reads from the disk, and knows afterwards what it was asked for. */
class RememberingReader : public DiskReader {
 public:
  std::optional<std::string> Read(const std::string& path) override {
    files_[path] = StampOf(path);
    return DiskReader::Read(path);
  }
  std::optional<std::string> ReadNamed(const std::string& path) override {
    files_[path] = StampOf(path);
    return DiskReader::ReadNamed(path);
  }
  void Add(const std::string& path) { files_[path] = StampOf(path); }
  /// The first file that is not as it was when it was read; empty: none.
  std::string Changed() const {
    for (const auto& [path, stamp] : files_) {
      if (StampOf(path) != stamp) return path;
    }
    return {};
  }

 private:
  using Stamp = std::tuple<int64_t, int64_t, int64_t, uint64_t>;  // time, size, number; zeros: not there
  static Stamp StampOf(const std::string& path) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return {};
    return {info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size, info.st_ino};
  }
  std::map<std::string, Stamp> files_;
};

// Again whenever a file of the model is saved, until Ctrl-C.
int SimulateAgain(const SimulateOptions& options, const Console& console) {
  while (true) {
    RememberingReader reader;
    for (const std::string& input : options.inputs) reader.Add(MeasuredFile(input));
    const int exit = SimulateOnce(options, reader, console);
    if (exit == kExitInterrupted || exit == kExitUsage) return exit;
    fmt::print("{}\n", console.Dim("waiting for a change; Ctrl-C ends"));
    std::fflush(stdout);
    const InterruptWatch watch;
    std::string changed;
    while (changed.empty() && !watch.interrupted()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      changed = reader.Changed();
    }
    if (watch.interrupted()) return kExitInterrupted;
    // An editor may write in several steps.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::time_t now = std::time(nullptr);
    char clock[16];
    std::strftime(clock, sizeof clock, "%H:%M:%S", std::localtime(&now));
    fmt::print("\n{}\n", console.Bold(fmt::format("---- {} {} ----", clock, changed)));
  }
}

}  // namespace

int RunSimulate(const SimulateOptions& given, const Console& console) {
  SimulateOptions options = given;
  AddResultOutput("--out", options.output, &options.written);
  if (options.resume && !options.output.empty())
    options.written.push_back({"--out", options.output + ".before"});
  if (options.plot) options.written.push_back({"--plot-out", PicturePath(options)});
  options.written.push_back({"--checkpoint", options.checkpoint});
  if (options.plot && !CheckPicturePath(PicturePath(options))) return kExitUsage;
  if (options.watch) return SimulateAgain(options, console);
  DiskReader reader;
  return SimulateOnce(options, reader, console);
}

int RunValues(SimulateOptions options, const Console& console) {
  DiskReader reader;
  const std::optional<double> at = std::exchange(options.stop, std::nullopt);  // no end of a run
  PreparedRun p = PrepareRun(options, reader);
  SayPrepared(p, console);
  if (p.exit != kExitOk) return p.exit;
  const double when = at.value_or(p.simulation.start);
  const std::string wrong =
      when < p.simulation.start
          ? fmt::format("{:g} s is before the beginning of the run at {:g} s", when, p.simulation.start)
          : TimeProblem(when);
  if (!wrong.empty()) {
    fmt::print(stderr, "cotree: --at: {}\n", wrong);
    return kExitUsage;
  }
  const SortedSystem& sorted = *p.translation->sorted;
  std::vector<double> row;
  std::vector<uint32_t> slots;
  std::string problem;
  bool foreign = false;
  if (when > p.simulation.start) {
    p.simulation.stop = when;
    p.simulation.interval = when - p.simulation.start;
    const Trajectory trajectory = Simulate(*p.translation->program, p.translation->starts, p.simulation);
    problem = trajectory.problem;
    foreign = trajectory.foreign;
    slots = trajectory.slots;
    for (const auto& column : trajectory.columns) row.push_back(column.empty() ? NAN : column.back());
    if (!trajectory.stop_reason.empty() && trajectory.times.back() < when)
      fmt::print(
          stderr,
          "cotree: note: the model ends the run at {:.9g} s ({}): the values are those of that moment\n",
          trajectory.times.back(), trajectory.stop_reason);
  } else {
    ProgramRun run(*p.translation->program);
    run.switch_time = p.simulation.start + 1e-9 * std::max(1.0, std::fabs(p.simulation.start));
    ExternalComponents external(run, *p.translation->program, p.simulation.components);
    Events events(run, *p.translation->program, &external);
    if (external.Load())
      problem = events.Begin(p.translation->starts, {p.simulation.start, p.simulation.steady}).problem;
    else
      problem = external.problem();
    foreign = events.foreign() || run.foreign == nullptr;
    if (problem.empty()) problem = events.FindNoValue(p.simulation.start);
    if (problem.empty()) problem = events.Violated(p.simulation.start).value_or("");
    for (uint32_t slot = 0; slot < sorted.first_slot[p.translation->equations->part_variables]; ++slot) {
      slots.push_back(slot);
      row.push_back(run.values[slot]);
    }
  }
  if (!problem.empty()) {
    SayFailure(p, problem);
    return foreign ? kExitForeign : kExitNumerical;
  }
  size_t width = 0;
  for (const uint32_t slot : slots) width = std::max(width, sorted.SlotName(slot).size());
  for (size_t k = 0; k < slots.size(); ++k) {
    const VariableRef ref = sorted.OfSlot(slots[k]);
    fmt::print("  {:<{}}  {:>14.8g} {:<8}{}\n", sorted.SlotName(slots[k]), width, 0.0 + row[k],
               UnitOf(*p.translation->equations, ref), sorted.IsState(ref) ? console.Dim(" state") : "");
  }
  return kExitOk;
}

}  // namespace cotree
