// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/quantities.h"
#include "cli/result_files.h"
#include "cli/run_result.h"
#include "pipeline/translate.h"
#include "plot/plot_result.h"
#include "results/csv_format.h"
#include "results/select_columns.h"
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
  if (program.when_clauses > 0 || program.sampled_components > 0)
    fmt::print(
        stderr,
        "cotree: note: events and samples are not simulated in this version; discrete values keep their "
        "start\n");
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
  if (options.solver == "erk") s.method = Method::kExplicit;
  const auto refuse = [&](const std::string& text) {
    fmt::print(stderr, "cotree: {}\n", text);
    out.exit = kExitUsage;
  };
  if (!(s.rtol >= 1e-13 && s.rtol <= 0.1))
    refuse(fmt::format("a tolerance of {} is not between 1e-13 and 0.1", s.rtol));
  if (options.interval && !(*options.interval > 0)) refuse("the interval of the output must be positive");
  if (!std::isfinite(s.stop)) refuse("the run would never end");
  if (!program.events.empty() && program.when_clauses == 0)
    fmt::print(stderr,
               "cotree: note: conditions that depend on the motion switch without being located in this "
               "version; compare "
               "with a smaller --rtol\n");
  if (out.exit == kExitOk && !(s.stop > s.start)) {
    fmt::print(stderr, "cotree: the run would end at {} s, not after its beginning at {} s\n", s.stop,
               s.start);
    out.exit = kExitUsage;
  }
  return out;
}

std::string Csv(const Result& result) {
  std::string text = CsvNames(result.header);
  std::vector<double> row(result.columns.size());
  for (size_t r = 0; r < result.times.size(); ++r) {
    for (size_t k = 0; k < row.size(); ++k) row[k] = result.columns[k][r];
    AppendCsvRow(result.times[r], row, &text);
  }
  return text;
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

void PrintSummary(const Prepared& p, const Trajectory& trajectory, const SimulateOptions& options,
                  double seconds, const Console& console) {
  const SortedSystem& sorted = *p.translation->sorted;
  const Model& model = p.loaded->model;
  fmt::print("{}: {} states, {} unknowns; {:g} s in {} steps, {:.3g} s of computing\n",
             console.Bold(model.Text(model[p.translation->graph->system].name)), sorted.states.size(),
             sorted.equations.size(),
             trajectory.times.empty() ? 0.0 : trajectory.times.back() - p.simulation.start, trajectory.steps,
             seconds);
  std::vector<std::string> names;
  if (p.translation->experiment != nullptr) names = p.translation->experiment->plot_texts;
  if (names.empty()) {
    for (const VariableRef& state : sorted.states) {
      if (names.size() == 8) break;
      names.push_back(p.translation->equations->VariableName(state.variable, state.order));
    }
  }
  const NameFinder finder(model, *p.translation->graph);
  size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  if (!trajectory.times.empty() && !names.empty())
    fmt::print("{}\n", console.Dim(fmt::format("  {:<{}}  {:>12}  {:>12}  {:>12}", "", width, "smallest",
                                               "largest", "at the end")));
  for (const std::string& name : names) {
    const VariableRef ref = FindVariable(*p.translation->equations, finder, name);
    if (!sorted.HasSlot(ref)) continue;
    const auto at = std::find(trajectory.slots.begin(), trajectory.slots.end(), sorted.Slot(ref));
    if (at == trajectory.slots.end()) continue;
    const auto& column = trajectory.columns[static_cast<size_t>(at - trajectory.slots.begin())];
    if (column.empty()) continue;
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    const std::string unit = UnitOf(*p.translation->equations, ref);
    fmt::print("  {:<{}}  {:>12.6g}  {:>12.6g}  {:>12.6g} {:<6} {}\n", name, width, *low, *high,
               column.back(), unit, console.Cyan(Sparkline(trajectory.times, column, 40)));
  }
  if (!options.output.empty())
    fmt::print("{} rows of {} variables in {}\n", trajectory.times.size(), trajectory.slots.size(),
               options.output);
}

}  // namespace

int RunSimulate(const SimulateOptions& options, const Console& console) {
  if (options.plot && !CheckPicturePath(PicturePath(options))) return kExitUsage;
  Prepared p = Prepare(options, console);
  if (p.exit != kExitOk) return p.exit;
  const auto header_of = [&](const std::vector<uint32_t>& slots) {
    return HeaderOfRun(*p.loaded, *p.translation, p.simulation, slots, options.settings);
  };
  const auto plotted = NamesToPlot(p, options, header_of(SlotsOfComponents(*p.translation)));
  if (!plotted) return kExitUsage;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const bool show = isatty(2) != 0;
  double shown = 0;
  p.simulation.progress = [&](double time) {
    if (show && elapsed() > shown + 0.2 && elapsed() > 1) {
      shown = elapsed();
      const double part = (time - p.simulation.start) / (p.simulation.stop - p.simulation.start);
      fmt::print(stderr, "\r{:5.1f} %  {:.4g} of {:g} s", 100 * part, time, p.simulation.stop);
      std::fflush(stderr);
    }
    return true;
  };
  const Trajectory trajectory = Simulate(*p.translation->program, p.translation->starts, p.simulation);
  if (shown > 0) fmt::print(stderr, "\r{:40}\r", "");
  const Result result = ResultOfRun(header_of(trajectory.slots), trajectory);
  int exit = kExitOk;
  if (!options.output.empty())
    exit = SaveResult(result, options.output, FormatOfPath(options.output).value_or(ResultFormat::kCsv));
  if (exit != kExitOk) return exit;
  if (options.output.empty() && options.csv) {
    std::fputs(Csv(result).c_str(), stdout);
  } else {
    PrintSummary(p, trajectory, options, elapsed(), console);
  }
  if (options.plot) {
    const std::string title = result.header.model + (result.header.experiment.empty() ? "" : ": ");
    exit = SaveFigure(FigureOfResult({{&result, ""}}, *plotted, title + result.header.experiment),
                      PicturePath(options));
  }
  if (trajectory.ok) return exit;
  fmt::print(stderr, "cotree: the run failed {}\n", trajectory.problem);
  return kExitNumerical;
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
  if (when > p.simulation.start) {
    p.simulation.stop = when;
    p.simulation.interval = when - p.simulation.start;
    const Trajectory trajectory = Simulate(*p.translation->program, p.translation->starts, p.simulation);
    problem = trajectory.problem;
    slots = trajectory.slots;
    for (const auto& column : trajectory.columns) row.push_back(column.empty() ? NAN : column.back());
  } else {
    ProgramRun run(*p.translation->program);
    run.switch_time = p.simulation.start + 1e-9 * std::max(1.0, std::fabs(p.simulation.start));
    const Initialization begin = Initialize(run, *p.translation->program, p.translation->starts,
                                            {p.simulation.start, p.simulation.steady});
    problem = begin.problem;
    for (uint32_t slot = 0; slot < sorted.first_slot[p.translation->equations->part_variables]; ++slot) {
      slots.push_back(slot);
      row.push_back(run.values[slot]);
    }
  }
  if (!problem.empty()) {
    fmt::print(stderr, "cotree: {}\n", problem);
    return kExitNumerical;
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
