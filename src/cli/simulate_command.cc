// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/quantities.h"
#include "cli/result_files.h"
#include "cli/run_result.h"
#include "cli/simulation_output.h"
#include "pipeline/translate.h"
#include "plot/plot_result.h"
#include "results/select_columns.h"
#include "simulation/events.h"
#include "simulation/simulate.h"

namespace cotree {
namespace {

/* The model, translated, with everything said that there is to say; null and the exit code otherwise. */
struct Prepared {
  std::unique_ptr<LoadedModel> loaded;
  std::unique_ptr<Translation> translation;
  SimulationOptions simulation;
  int exit = kExitOk;
};

const Experiment* FindExperiment(const Model& model, std::string_view name) {
  for (const Experiment& e : model.experiments) {
    const std::string_view own = model.names.Text(e.name);
    if (own == name || (name.empty() && own != kSettingsExperiment)) return &e;
  }
  return nullptr;
}

double Setting(const Model& model, ExprId expr, double otherwise) {
  if (expr.IsNone()) return otherwise;
  return EvaluateConstant(model.expressions, expr, {}).value_or(otherwise);
}

Prepared Prepare(const SimulateOptions& options, const Console& console) {
  Prepared out;
  DiskReader reader;
  LoadOptions load{.library = options.library};
  load.settings = options.settings;
  load.system = options.system;
  out.loaded = LoadModel(options.file, reader, load);
  const Model& model = out.loaded->model;
  TranslateOptions translate;
  translate.system = options.system;
  const Experiment* experiment = nullptr;
  if (out.loaded->readable && out.loaded->diagnostics.ok()) {
    experiment = FindExperiment(model, options.experiment);
    const bool other = experiment != nullptr && !options.system.empty() &&
                       model.names.Text(model[experiment->system].name) != options.system;
    if (other && options.experiment.empty()) experiment = nullptr;
    if (experiment == nullptr && !options.experiment.empty()) {
      std::vector<std::string_view> names;
      for (const Experiment& e : model.experiments) names.push_back(model.names.Text(e.name));
      const std::string_view near = Nearest(options.experiment, names);
      fmt::print(stderr, "cotree: there is no experiment `{}` in {}{}\n", options.experiment, options.file,
                 near.empty() ? "" : fmt::format("; did you mean `{}`?", near));
      out.exit = kExitUsage;
      return out;
    }
    if (experiment == nullptr && options.system.empty() && model.systems.size() > 1) {
      std::string list;
      for (const ClassId id : model.systems) list += (list.empty() ? "" : ", ") + model.Text(model[id].name);
      fmt::print(stderr, "cotree: {} has several systems; choose one with --system: {}\n", options.file,
                 list);
      out.exit = kExitUsage;
      return out;
    }
    if (experiment != nullptr) translate.experiment = model.names.Text(experiment->name);
    out.translation = Translate(*out.loaded, translate);
  }
  PrintDiagnostics(out.loaded->diagnostics, model.files, console);
  if (!out.loaded->readable) {
    out.exit = kExitForeign;
    return out;
  }
  if (!out.loaded->diagnostics.ok()) {
    out.exit = kExitModel;
    return out;
  }
  if (out.translation == nullptr || !out.translation->ok) {
    if (model.systems.empty()) {
      fmt::print(stderr, "cotree: {} has no system\n", options.file);
      out.exit = kExitUsage;
    } else {
      out.exit = kExitModel;
    }
    return out;
  }
  const Program& program = *out.translation->program;
  if (!program.unsupported.empty()) {
    fmt::print(stderr, "cotree: {} cannot be computed in this version\n", program.unsupported.front());
    out.exit = kExitModel;
    return out;
  }
  SimulationOptions& s = out.simulation;
  if (experiment != nullptr) {
    s.start = Setting(model, experiment->settings.begin, 0);
    s.stop = Setting(model, experiment->settings.stop, s.start + 1);
    s.interval = Setting(model, experiment->settings.interval, 0);
    s.rtol = Setting(model, experiment->settings.tolerance, s.rtol);
    s.steady = experiment->settings.steady;
  }
  s.steady = s.steady || model[out.translation->graph->system].steady;
  if (options.stop) s.stop = *options.stop;
  if (options.rtol) s.rtol = *options.rtol;
  if (options.interval) s.interval = *options.interval;
  s.method = MethodOf(options.solver);
  if (options.step) s.step = *options.step;
  if (options.max_step) s.max_step = *options.max_step;
  const auto refuse = [&](const std::string& text) {
    fmt::print(stderr, "cotree: {}\n", text);
    out.exit = kExitUsage;
  };
  if (!(s.rtol >= 1e-13 && s.rtol <= 0.1))
    refuse(fmt::format("a tolerance of {} is not between 1e-13 and 0.1", s.rtol));
  if ((options.step && !(*options.step > 0)) || (options.max_step && !(*options.max_step > 0)))
    refuse("a step must be longer than 0");
  if (options.interval && !(*options.interval > 0)) refuse("the interval of the output must be positive");
  if (!std::isfinite(s.stop)) refuse("the run would never end");
  if (out.exit == kExitOk && !(s.stop > s.start)) {
    fmt::print(stderr, "cotree: the run would end at {} s, not after its beginning at {} s\n", s.stop,
               s.start);
    out.exit = kExitUsage;
  }
  return out;
}

// Where the picture goes if nothing is said.
std::string PicturePath(const SimulateOptions& options) {
  namespace fs = std::filesystem;
  if (!options.plot_output.empty()) return options.plot_output;
  if (!options.output.empty()) return fs::path(options.output).replace_extension(".svg").string();
  return fs::path(options.file).stem().string() + "_plot.svg";
}

// What shall be drawn, as names of the result; nothing and a message if something is not there.
std::optional<std::vector<std::string>> NamesToPlot(const Prepared& p, const SimulateOptions& options,
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

// A curve in one line: the values between smallest and largest in eight steps.
std::string Sparkline(const std::vector<double>& times, const std::vector<double>& values, size_t width) {
  static const char* const kLevels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::string out;
  size_t row = 0;
  for (size_t k = 0; k < width; ++k) {
    const double t = times.front() + (times.back() - times.front()) * (static_cast<double>(k) + 0.5) /
                                         static_cast<double>(width);
    while (row + 1 < times.size() && times[row + 1] <= t) ++row;
    const double level = *high > *low ? (values[row] - *low) / (*high - *low) : 0;
    out += kLevels[std::min<size_t>(7, static_cast<size_t>(level * 8))];
  }
  return out;
}

// What the summary shows: what the experiment plots, or else the first states.
std::vector<std::string> NamesToSummarise(const Prepared& p) {
  std::vector<std::string> names;
  if (p.translation->experiment != nullptr) names = p.translation->experiment->plot_texts;
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

void PrintSummary(const Prepared& p, const Trajectory& trajectory, const SimulationOutput& output,
                  const SimulateOptions& options, double seconds, const Console& console) {
  const SortedSystem& sorted = *p.translation->sorted;
  const Model& model = p.loaded->model;
  const Result& kept = output.kept();
  const double end = kept.times.empty() ? p.simulation.start : kept.times.back();
  fmt::print(
      "{}: {} states, {} unknowns; {:g} s in {} steps{}, {:.3g} s of computing\n",
      console.Bold(model.Text(model[p.translation->graph->system].name)), sorted.states.size(),
      sorted.equations.size(), end - p.simulation.start, trajectory.steps,
      trajectory.event_times.empty() ? "" : fmt::format(" and {} events", trajectory.event_times.size()),
      seconds);
  if (!trajectory.initialization.determined.empty())
    fmt::print("{}\n", console.Dim("  " + BeginningText(sorted, trajectory.initialization)));
  if (!trajectory.method.empty()) fmt::print("{}\n", console.Dim("  " + trajectory.method));
  if (!trajectory.stop_reason.empty())
    fmt::print("the model ended the run at {:.6g} s: {}\n", end, trajectory.stop_reason);
  const std::vector<std::string> names = NamesToSummarise(p);
  size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  if (!kept.times.empty() && !names.empty())
    fmt::print("{}\n", console.Dim(fmt::format("  {:<{}}  {:>12}  {:>12}  {:>12}", "", width, "smallest",
                                               "largest", "at the end")));
  for (const std::string& name : names) {
    const auto at = kept.header.Find(ColumnOf(*p.loaded, *p.translation, name));
    if (!at || kept.columns[*at].empty()) continue;
    const auto& column = kept.columns[*at];
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    fmt::print("  {:<{}}  {:>12.6g}  {:>12.6g}  {:>12.6g} {:<6} {}\n", name, width, *low, *high,
               column.back(), kept.header.columns[*at].unit, console.Cyan(Sparkline(kept.times, column, 40)));
  }
  if (!options.output.empty())
    fmt::print("{} rows of {} variables in {}\n", output.rows(), output.written(), options.output);
}

// Ctrl-C: the run ends in order, with all that it has. A second one ends the program at once.
volatile std::sig_atomic_t interrupted = 0;
void Interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

/* A line on the terminal while a run takes its time: how far, how fast, how long still. */
class ProgressLine {
 public:
  explicit ProgressLine(const SimulationOptions& options)
      : options_(options), begin_(std::chrono::steady_clock::now()), show_(isatty(2) != 0) {}
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  void Show(double time) {
    if (!show_ || (++calls_ % 16 != 0 && shown_ == 0)) return;
    const double now = elapsed();
    if (now < shown_ + 0.2 || now < 1) return;
    shown_ = now;
    const double done = time - options_.start, all = options_.stop - options_.start;
    fmt::print(stderr, "\r{:5.1f} %  {:.4g} of {:g} s  {:.3g} times real time, {} to go   ", 100 * done / all,
               time, options_.stop, done / now, Duration(done > 0 ? now * (all - done) / done : 0));
    std::fflush(stderr);
  }
  void Clear() const {
    if (shown_ > 0) fmt::print(stderr, "\r{:70}\r", "");
  }

 private:
  static std::string Duration(double seconds) {
    if (seconds < 100) return fmt::format("{:.0f} s", seconds);
    if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
  }
  const SimulationOptions& options_;
  std::chrono::steady_clock::time_point begin_;
  bool show_;
  double shown_ = 0;
  uint64_t calls_ = 0;
};

// The state of an earlier run; the exit code.
int Resume(const SimulateOptions& options, const ResultHeader& header, const std::string& settings,
           SimulationOptions& simulation, Checkpoint& from) {
  std::string problem;
  if (!LoadCheckpoint(options.checkpoint, &from, &problem)) {
    fmt::print(stderr, "cotree: {}: {}\n", options.checkpoint, problem);
    return kExitForeign;
  }
  if (from.model_hash != header.model_hash || from.settings != settings) {
    fmt::print(stderr, "cotree: {}: the checkpoint is of another {}; start anew without --resume\n",
               options.checkpoint,
               from.model_hash != header.model_hash ? "model" : "experiment or tolerance");
    return kExitUsage;
  }
  simulation.resume = from.state;
  return kExitOk;
}

}  // namespace

int RunSimulate(const SimulateOptions& options, const Console& console) {
  if (options.plot && !CheckPicturePath(PicturePath(options))) return kExitUsage;
  Prepared p = Prepare(options, console);
  if (p.exit != kExitOk) return p.exit;
  const std::vector<uint32_t> slots = SlotsOfComponents(*p.translation);
  const ResultHeader header = HeaderOfRun(*p.loaded, *p.translation, p.simulation, slots, options.settings);
  const auto plotted = NamesToPlot(p, options, header);
  if (!plotted) return kExitUsage;
  std::set<size_t> kept;
  for (const std::vector<std::string>& names : {NamesToSummarise(p), *plotted}) {
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
  SimulationOutput output(header, options.output, options.csv && options.output.empty(), std::move(kept),
                          columns);
  const SimulationOptions& s = p.simulation;
  const std::string settings = fmt::format("{} {} {} {} {} {} {}", s.start, s.stop, s.interval, s.rtol,
                                           s.step, s.max_step, options.solver);
  Checkpoint from;
  if (options.resume) {
    const int exit = Resume(options, header, settings, p.simulation, from);
    if (exit != kExitOk) return exit;
  }
  if (options.resume && !options.output.empty() ? !output.TakeOver(from.rows) : !output.Begin())
    return kExitForeign;
  ProgressLine line(p.simulation);
  interrupted = 0;
  const auto before = std::signal(SIGINT, Interrupt);
  p.simulation.progress = [&](double time) {
    line.Show(time);
    return interrupted == 0;
  };
  bool written = true;
  p.simulation.row = [&](double time, std::span<const double> values) {
    written = output.Row(time, values);
    return written;
  };
  p.simulation.event = [&](double time, const std::string& what) { output.Event(time, what); };
  if (!options.checkpoint.empty()) {
    p.simulation.checkpoint = [&](double time, uint64_t rows, const std::string& state) {
      if (output.Flush())
        SaveCheckpoint({header.model_hash, settings, time, rows, state}, options.checkpoint);
    };
  }
  const Trajectory trajectory = Simulate(*p.translation->program, p.translation->starts, p.simulation, slots);
  std::signal(SIGINT, before);
  line.Clear();
  const bool finished = output.Finish(!trajectory.ok       ? "failed " + trajectory.problem
                                      : trajectory.stopped ? "interrupted"
                                                           : std::string(kComplete));
  if (!options.csv || !options.output.empty())
    PrintSummary(p, trajectory, output, options, line.elapsed(), console);
  int exit = finished && written ? kExitOk : kExitForeign;
  if (options.plot && !output.kept().times.empty()) {
    const std::string title = header.model + (header.experiment.empty() ? "" : ": ");
    const int drawn = SaveFigure(FigureOfResult({{&output.kept(), ""}}, *plotted, title + header.experiment),
                                 PicturePath(options));
    if (exit == kExitOk) exit = drawn;
  }
  for (const std::string& note : trajectory.notes) fmt::print(stderr, "cotree: note: {}\n", note);
  if (trajectory.stopped && interrupted != 0) {
    fmt::print(stderr, "cotree: interrupted; what was computed is kept{}\n",
               options.output.empty() ? "" : " in " + options.output);
    return kExitInterrupted;
  }
  if (trajectory.ok) return exit;
  fmt::print(stderr, "cotree: the run failed {}\n", trajectory.problem);
  return trajectory.foreign ? kExitForeign : kExitNumerical;
}

int RunValues(const SimulateOptions& options, const Console& console) {
  SimulateOptions at = options;
  Prepared p = Prepare(at, console);
  if (p.exit == kExitUsage && p.translation == nullptr) return p.exit;
  if (p.exit != kExitOk && p.exit != kExitUsage) return p.exit;
  const double when = options.stop.value_or(p.simulation.start);
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
    for (uint32_t slot = 0; slot < sorted.first_slot[p.translation->equations->part_variables]; ++slot) {
      slots.push_back(slot);
      row.push_back(run.values[slot]);
    }
  }
  if (!problem.empty()) {
    fmt::print(stderr, "cotree: {}\n", problem);
    return foreign ? kExitForeign : kExitNumerical;
  }
  size_t width = 0;
  for (const uint32_t slot : slots) width = std::max(width, sorted.SlotName(slot).size());
  for (size_t k = 0; k < slots.size(); ++k) {
    const VariableRef ref = sorted.OfSlot(slots[k]);
    fmt::print("  {:<{}}  {:>14.8g} {:<8}{}\n", sorted.SlotName(slots[k]), width, row[k],
               UnitOf(*p.translation->equations, ref), sorted.IsState(ref) ? console.Dim(" state") : "");
  }
  return kExitOk;
}

}  // namespace cotree
