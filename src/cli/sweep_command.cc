// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/measured_data.h"
#include "cli/prepare_run.h"
#include "cli/progress_line.h"
#include "cli/quantities.h"
#include "cli/result_files.h"
#include "cli/run_result.h"
#include "cli/system_command.h"
#include "cli/text_table.h"
#include "model/diagnostics.h"
#include "plot/unit_text.h"
#include "simulation/lanes.h"
#include "sweep/run_sweep.h"

namespace cotree {
namespace {

/** What all workers of a sweep look at; nobody changes it but where it is said. */
struct Sweep {
  const SweepOptions& options;
  SweepGrid grid;
  std::vector<KeptFigure> figures;
  Variation variation;                         // all values of the axes that are parameters
  std::vector<std::optional<uint32_t>> first;  // by axis: its first alternative; none: a setting of the run
  std::vector<std::string> figure_units;
  std::atomic<size_t> translations{0};
  std::mutex lock;
  std::set<std::string> structural;  // guarded by `lock`: parameters that changed the structure

  std::vector<std::string> Variables() const {
    std::vector<std::string> names;
    for (const KeptFigure& figure : figures) {
      for (const Measure& measure : figure.measures) names.push_back(measure.variable);
    }
    return names;
  }
  std::vector<uint32_t> Chosen(size_t point) const {
    const std::vector<size_t> at = grid.At(point);
    std::vector<uint32_t> chosen;
    for (size_t k = 0; k < at.size(); ++k) {
      if (first[k]) chosen.push_back(*first[k] + static_cast<uint32_t>(at[k]));
    }
    return chosen;
  }
  /// What the axes that are settings of the run say at a point.
  void Set(size_t point, SimulationOptions& simulation) const {
    const std::vector<size_t> at = grid.At(point);
    for (size_t k = 0; k < at.size(); ++k) {
      if (first[k]) continue;
      const SweepAxis& axis = grid.axes()[k];
      const double value = *ParseTime(axis.values[at[k]] + axis.unit);
      (axis.name == "stop"       ? simulation.stop
       : axis.name == "interval" ? simulation.interval
                                 : simulation.rtol) = value;
    }
  }
};

bool IsRunSetting(const std::string& name) {
  return name == "stop" || name == "interval" || name == "tolerance";
}

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string FirstError(const PreparedRun& prepared) {
  if (!prepared.problem.empty()) return prepared.problem;
  for (const Diagnostic& d : prepared.loaded->diagnostics.list()) {
    if (d.info->severity == Severity::kError) return CodeText(*d.info) + ": " + d.message;
  }
  return "it cannot be translated";
}

/* A model of its own, translated once, or again where a value changes its structure. */
class ModelWorker : public SweepWorker {
 public:
  ModelWorker(Sweep& sweep, const InterruptWatch& watch, std::optional<PreparedRun> ready,
              LaneBatch* lanes = nullptr)
      : sweep_(sweep), watch_(watch), prepared_(std::move(ready)), lanes_(lanes) {}

  std::optional<SweepRow> Run(size_t point) override {
    SweepRow row;
    if (!Translated(sweep_.Chosen(point))) {
      row.status = FirstError(*prepared_);
    } else if (!FindSlots(&row.status)) {
      return row;
    } else if (!Simulated(point, row)) {
      return std::nullopt;
    }
    row.status = OneLine(std::move(row.status));
    return row;
  }

 private:
  // The model with these values: its numbers changed, or translated anew.
  bool Translated(const std::vector<uint32_t>& chosen) {
    const bool usable = prepared_ && prepared_->exit == kExitOk;
    if (usable && prepared_->translated_with.chosen == chosen) return true;
    if (usable) {
      const std::vector<uint32_t> before = std::exchange(prepared_->translated_with.chosen, chosen);
      if (ChangeParameters(*prepared_->loaded, *prepared_->translation, prepared_->translated_with))
        return true;
      Blame(before, chosen);
    }
    slots_.clear();
    prepared_ = PrepareRun(sweep_.options.run, reader_, {sweep_.variation.alternatives, chosen});
    ++sweep_.translations;
    return prepared_->exit == kExitOk;
  }
  void Blame(const std::vector<uint32_t>& before, const std::vector<uint32_t>& chosen) {
    std::vector<std::string> changed;
    for (size_t k = 0, n = 0; k < sweep_.first.size(); ++k) {
      if (!sweep_.first[k]) continue;
      if (before[n] != chosen[n]) changed.push_back(sweep_.grid.axes()[k].name);
      ++n;
    }
    // Of several that changed at once, the slowest: those behind it have begun anew.
    const std::lock_guard guard(sweep_.lock);
    if (std::none_of(changed.begin(), changed.end(),
                     [&](const std::string& name) { return sweep_.structural.contains(name); }))
      sweep_.structural.insert(changed.front());
  }
  bool FindSlots(std::string* problem) {
    if (!slots_.empty()) return true;
    std::vector<VariableRef> refs;
    if (!FindOutputs(*prepared_->translation, sweep_.Variables(), &refs, problem)) return false;
    for (const VariableRef& ref : refs) slots_.push_back(prepared_->translation->sorted->Slot(ref));
    const ResultHeader header =
        HeaderOfRun(*prepared_->loaded, *prepared_->translation, prepared_->simulation, slots_, {});
    stepwise_.clear();
    for (const ResultColumn& column : header.columns) stepwise_.push_back(column.stepwise);
    return true;
  }
  // False: interrupted.
  bool Simulated(size_t point, SweepRow& row) {
    std::vector<MeasureRecorder> recorders;
    for (const KeptFigure& figure : sweep_.figures) {
      for (const Measure& measure : figure.measures)
        recorders.emplace_back(measure, stepwise_[recorders.size()]);
    }
    SimulationOptions simulation = prepared_->simulation;
    sweep_.Set(point, simulation);
    simulation.lanes = lanes_;
    simulation.progress = [&](double) { return !watch_.interrupted(); };
    simulation.components.interrupted = [&] { return watch_.interrupted(); };
    simulation.row = [&](double time, std::span<const double> values) {
      for (size_t k = 0; k < recorders.size(); ++k) recorders[k].Row(time, values[k]);
      return true;
    };
    for (uint32_t k = 0; k < recorders.size(); ++k) {
      if (recorders[k].wants_extremes()) simulation.watched.push_back(k);
    }
    simulation.extreme = [&](uint32_t column, double, double value) { recorders[column].Extreme(value); };
    const Trajectory trajectory =
        Simulate(*prepared_->translation->program, prepared_->translation->starts, simulation, slots_);
    if (watch_.interrupted()) return false;
    if (!trajectory.ok) {
      row.status = "the run failed " + trajectory.problem;
      return true;
    }
    size_t next = 0;
    for (const KeptFigure& figure : sweep_.figures) {
      std::vector<double> values;
      for (const Measure& measure : figure.measures) {
        const auto value = recorders[next++].Value();
        if (!value && row.ok())
          row.status = fmt::format("the run ended before {:g} s, where `{}` is to be kept", measure.time,
                                   measure.variable);
        values.push_back(value.value_or(NAN));
      }
      row.figures.push_back(figure.Value(values));
      if (row.ok() && !std::isfinite(row.figures.back()))
        row.status = fmt::format("`{}` is not finite: {}", figure.text, row.figures.back());
    }
    if (!row.ok()) row.figures.clear();
    return true;
  }

  Sweep& sweep_;
  const InterruptWatch& watch_;
  DiskReader reader_;
  std::optional<PreparedRun> prepared_;
  std::vector<uint32_t> slots_;
  std::vector<bool> stepwise_;
  LaneBatch* lanes_;
};

/* As many models as the machine has lanes. */
class ModelLanes : public SweepLanes {
 public:
  ModelLanes(Fibers& fibers, ProgramTier tier, size_t lanes,
             const std::function<std::unique_ptr<SweepWorker>(LaneBatch*)>& make)
      : batch_(fibers, tier) {
    for (size_t k = 0; k < lanes; ++k) workers_.push_back(make(&batch_));
  }
  std::vector<std::unique_ptr<SweepWorker>>& workers() override { return workers_; }
  void Together() override { batch_.Together(); }

 private:
  LaneBatch batch_;
  std::vector<std::unique_ptr<SweepWorker>> workers_;
};

bool Refuse(const std::string& text) {
  fmt::print(stderr, "cotree: {}\n", text);
  return false;
}

// Reads what is varied and what is kept; false and a message if it cannot be.
bool ReadRequest(const SweepOptions& options, std::vector<SweepAxis>* axes,
                 std::vector<KeptFigure>* figures) {
  std::string problem;
  for (const std::string& text : options.vary) {
    auto axis = ReadAxis(text, options.log, &problem);
    if (!axis) return Refuse("--vary: " + problem);
    for (const SweepAxis& other : *axes) {
      if (other.name == axis->name) return Refuse(fmt::format("--vary: `{}` is varied twice", axis->name));
    }
    if (IsRunSetting(axis->name)) {
      for (size_t k = 0; k < axis->values.size(); ++k) {
        const auto value = ParseTime(axis->values[k] + axis->unit);
        const bool tolerance = axis->name == "tolerance";
        if (value && *value > 0 && (!tolerance || (axis->unit.empty() && *value >= 1e-13 && *value <= 0.1)))
          continue;
        return Refuse(fmt::format("--vary: {} is no {}", axis->Setting(k),
                                  tolerance ? "tolerance between 1e-13 and 0.1; write 1e-4,1e-6"
                                            : "time; write \"2.5 s\" or \"40 ms\""));
      }
    }
    axes->push_back(std::move(*axis));
  }
  for (const std::string& text : options.keep) {
    auto figure = ReadFigure(text, &problem);
    if (!figure) return Refuse("--keep: " + problem);
    figures->push_back(std::move(*figure));
  }
  const size_t size = SweepGrid(*axes).size();
  return size <= SweepGrid::kMost || Refuse(fmt::format("more than {} runs", SweepGrid::kMost));
}

// Whether times of x@T are within the run, and all that is kept is computed; the units of the figures.
bool CheckFigures(Sweep& sweep, const PreparedRun& prepared) {
  std::vector<VariableRef> refs;
  if (!FindOutputs(*prepared.translation, sweep.Variables(), &refs)) return false;
  const double start = prepared.simulation.start;
  double stop = prepared.simulation.stop;
  for (const SweepAxis& axis : sweep.grid.axes()) {
    if (axis.name != "stop") continue;
    stop = INFINITY;
    for (const std::string& value : axis.values) stop = std::min(stop, *ParseTime(value + axis.unit));
    if (!(stop > start))
      return Refuse(
          fmt::format("--vary: a run would end at {} s, not after its beginning at {} s", stop, start));
  }
  size_t next = 0;
  for (size_t f = 0; f < sweep.figures.size(); ++f) {
    const KeptFigure& figure = sweep.figures[f];
    if (figure.tokens.size() == 1 && figure.measures.size() == 1)
      sweep.figure_units[f] = UnitOf(*prepared.translation->equations, refs[next]);
    next += figure.measures.size();
    for (const Measure& m : figure.measures) {
      if (m.kind == Measure::Kind::kAt && (m.time < start || m.time > stop))
        return Refuse(fmt::format("--keep {}: {:g} s is not within the run, which goes from {:g} s to {:g} s",
                                  figure.text, m.time, start, stop));
    }
  }
  return true;
}

// What the table says of its origin: two with the same line may be parts of one.
std::string About(const SweepOptions& options, const SourceFiles& files) {
  const SimulateOptions& run = options.run;
  std::vector<std::string> told = run.settings;
  told.insert(told.end(), run.scales.begin(), run.scales.end());
  for (const std::string& input : run.inputs) {
    told.push_back(input);
    std::string ignored;
    told.push_back(ReadInputFile(MeasuredFile(input), {.most = kMostResultBytes}, &ignored).value_or(""));
  }
  std::string out =
      fmt::format("cotree sweep 1: {}, model {}",
                  OneLine(std::filesystem::path(run.file).filename().string()), HashOfModel(files, told));
  if (!run.system.empty()) out += ", system " + run.system;
  if (!run.experiment.empty()) out += ", experiment " + run.experiment;
  for (const auto& [name, value] :
       {std::pair("stop", run.stop), std::pair("rtol", run.rtol), std::pair("interval", run.interval),
        std::pair("step", run.step), std::pair("max-step", run.max_step)}) {
    if (value) out += fmt::format(", {} {}", name, *value);
  }
  return out + (run.solver == "auto" ? "" : ", solver " + run.solver);
}

constexpr size_t kMostLines = 12;  // in a plot

// A little more than the numbers, so that no marker lies on the frame.
void SetRange(const std::vector<double>& numbers, Axis& axis) {
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  axis.log = axis.log && *low > 0;
  const double room = axis.log ? std::pow(*high / *low, 0.025) : 0.025 * (*high - *low);
  axis.low = axis.log ? *low / room : *low - room;
  axis.high = axis.log ? *high * room : *high + room;
}

// One pane a figure over the first axis, a line for each combination of the others.
Figure PlotOf(const Sweep& sweep, const std::vector<SweepRow>& rows, const std::string& title) {
  Figure out;
  out.title = title;
  const std::vector<SweepAxis>& axes = sweep.grid.axes();
  const SweepAxis& x = axes[0];
  const size_t lines = sweep.grid.size() / x.values.size();
  for (size_t f = 0; f < sweep.figures.size(); ++f) {
    Pane pane;
    pane.x = {.label = x.name, .unit = x.unit, .log = x.log};
    if (!x.numbers.empty()) SetRange(x.numbers, pane.x);
    if (x.numbers.empty()) pane.x = {.label = x.name + " (number of the value)", .whole = true};
    pane.y = {.label = sweep.figures[f].text, .unit = sweep.figure_units[f]};
    for (size_t line = 0; line < lines; ++line) {
      Series series;
      series.marker = Marker::kCircle;
      series.dash = Dash::kSolid;
      series.colour = line;
      if (lines > 1 && f == 0) {
        const std::vector<size_t> at = sweep.grid.At(line);
        for (size_t k = 1; k < axes.size(); ++k)
          series.name += (k == 1 ? "" : ", ") + axes[k].name + " = " + axes[k].values[at[k]] +
                         (axes[k].unit.empty() ? "" : " " + PrettyUnit(axes[k].unit));
      }
      for (size_t k = 0; k < x.values.size(); ++k) {
        const size_t point = k * lines + line;
        series.x.push_back(x.numbers.empty() ? static_cast<double>(k + 1) : x.numbers[k]);
        series.y.push_back(point < rows.size() && rows[point].ok() ? rows[point].figures[f] : NAN);
      }
      pane.series.push_back(std::move(series));
    }
    out.panes.push_back(std::move(pane));
  }
  return out;
}

void PrintFigures(const Sweep& sweep, const std::vector<SweepRow>& rows, const Console& console) {
  TextTable table("lrlrl");
  table.Add({"", "smallest", "at", "largest", "at"});
  for (size_t f = 0; f < sweep.figures.size(); ++f) {
    size_t low = SIZE_MAX, high = SIZE_MAX;
    for (size_t k = 0; k < rows.size(); ++k) {
      if (!rows[k].ok() || std::isnan(rows[k].figures[f])) continue;
      if (low == SIZE_MAX || rows[k].figures[f] < rows[low].figures[f]) low = k;
      if (high == SIZE_MAX || rows[k].figures[f] > rows[high].figures[f]) high = k;
    }
    if (low == SIZE_MAX) continue;
    const std::string unit = sweep.figure_units[f].empty() ? "" : " " + sweep.figure_units[f];
    table.Add({sweep.figures[f].text, ShortNumber(rows[low].figures[f]) + unit, sweep.grid.Text(low),
               ShortNumber(rows[high].figures[f]) + unit, sweep.grid.Text(high)});
  }
  if (table.rows() > 1) fmt::print("{}", table.Text("  ", console));
}

// All rows for people, where they go into no file.
void PrintRows(const Sweep& sweep, const std::vector<SweepRow>& rows, const Console& console) {
  constexpr size_t kMostRows = 100;
  TextTable table(std::string(sweep.grid.axes().size() + sweep.figures.size(), 'r') + "l");
  std::vector<std::string> heading;
  for (const SweepAxis& axis : sweep.grid.axes()) heading.push_back(axis.Label());
  for (size_t f = 0; f < sweep.figures.size(); ++f)
    heading.push_back(sweep.figures[f].text +
                      (sweep.figure_units[f].empty() ? "" : " [" + sweep.figure_units[f] + "]"));
  heading.emplace_back();
  table.Add(std::move(heading));
  for (size_t k = 0; k < rows.size() && k < kMostRows; ++k) {
    const std::vector<size_t> at = sweep.grid.At(k);
    std::vector<std::string> cells;
    for (size_t a = 0; a < at.size(); ++a) cells.push_back(sweep.grid.axes()[a].values[at[a]]);
    for (size_t f = 0; f < sweep.figures.size(); ++f)
      cells.push_back(rows[k].ok() ? ShortNumber(rows[k].figures[f]) : "");
    cells.push_back(rows[k].ok() ? "" : rows[k].status);
    table.Add(std::move(cells));
  }
  fmt::print("{}", table.Text("  ", console));
  if (rows.size() > kMostRows)
    fmt::print("  ... {} more; --out F.csv keeps them all\n", Plural(rows.size() - kMostRows, "row"));
}

void PrintFailures(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  constexpr size_t kMostShown = 5;
  size_t shown = 0, failed = 0;
  for (size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].ok()) continue;
    if (++failed > kMostShown) continue;
    ++shown;
    fmt::print(stderr, "cotree: {}: {}\n", sweep.grid.Text(k), rows[k].status);
  }
  if (failed > shown) fmt::print(stderr, "cotree: ... and {} more failed\n", failed - shown);
}

std::string Listed(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "`" : ", `") + name + "`";
  return out;
}

// Whether `--vary` names an element that is not there.
bool MissesElement(const PreparedRun& run) {
  const auto& said = run.loaded->diagnostics.list();
  return run.exit == kExitModel && std::any_of(said.begin(), said.end(), [&](const Diagnostic& d) {
           return (d.info == &model_messages::kIndexOutOfRange || d.info == &model_messages::kBadSetting) &&
                  run.loaded->model.files[d.where.file].path() == "--vary";
         });
}

}  // namespace

int RunSweep(const SweepOptions& given, const Console& console) {
  SweepOptions options = given;
  options.run.written = {{"--out", options.run.output}, {"--plot", options.run.plot_output}};
  std::vector<SweepAxis> axes;
  std::vector<KeptFigure> figures;
  if (!ReadRequest(options, &axes, &figures)) return kExitUsage;
  const std::string& picture = options.run.plot_output;
  if (!picture.empty() && !CheckPicturePath(picture)) return kExitUsage;
  Sweep sweep{options, SweepGrid(std::move(axes)), std::move(figures), {}, {}, {}, {}, {}, {}};
  const size_t size = sweep.grid.size(), lines = size / sweep.grid.axes()[0].values.size();
  if (!picture.empty() && lines > kMostLines) {
    Refuse(
        fmt::format("--plot: {} lines would be too many, up to {} can be told apart; vary less, or put "
                    "the parameter with the most values first",
                    lines, kMostLines));
    return kExitUsage;
  }
  sweep.figure_units.resize(sweep.figures.size());
  Variation beginning;  // the first value of each parameter: what is wrong with all is said once
  for (const SweepAxis& axis : sweep.grid.axes()) {
    if (IsRunSetting(axis.name)) {
      sweep.first.emplace_back();
      continue;
    }
    sweep.first.emplace_back(static_cast<uint32_t>(sweep.variation.alternatives.size()));
    beginning.alternatives.push_back(axis.Setting(0));
    for (size_t k = 0; k < axis.values.size(); ++k) sweep.variation.alternatives.push_back(axis.Setting(k));
  }

  DiskReader reader;
  PreparedRun first = PrepareRun(options.run, reader, beginning);
  if (first.translation != nullptr && !first.translation->foreign)
    first = PrepareRun(options.run, reader, {sweep.variation.alternatives, sweep.Chosen(0)});
  SayPrepared(first, console);
  // Without consent, or a library that can be loaded, there is no run.
  if (first.translation == nullptr || first.translation->foreign || first.exit == kExitUsage)
    return first.exit;
  // An element that is there neither at the first point nor at the last is there at none.
  if (MissesElement(first) &&
      MissesElement(PrepareRun(options.run, reader, {sweep.variation.alternatives, sweep.Chosen(size - 1)})))
    return first.exit;
  if (first.exit == kExitOk && !CheckFigures(sweep, first)) return kExitUsage;
  ++sweep.translations;

  std::vector<std::string> names;
  for (size_t f = 0; f < sweep.figures.size(); ++f)
    names.push_back(sweep.figures[f].text +
                    (sweep.figure_units[f].empty() ? "" : " [" + sweep.figure_units[f] + "]"));
  SweepFile file(sweep.grid, names, About(options, first.loaded->model.files));
  std::vector<SweepRow> rows;
  const std::string& path = options.run.output;
  if (!path.empty()) {
    bool other = false;
    std::string problem;
    if (!file.Open(path, options.force, &rows, &other, &problem)) {
      Refuse(other ? fmt::format("{} is there, but {}; choose another --out, or begin anew with --force",
                                 path, problem)
                   : problem);
      return other ? kExitUsage : kExitForeign;
    }
  }
  const size_t before = rows.size();
  const SystemGraph* graph = first.translation->graph;
  const Model& own = first.loaded->model;
  const std::string model = own.Text(own[graph != nullptr ? graph->system : own.systems[0]].name);

  ProgressLine line;
  const InterruptWatch watch;
  std::optional<PreparedRun> ready(std::move(first));
  SweepPlan plan;
  plan.first = before;
  plan.count = size - before;
  plan.threads = options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  const auto make = [&](LaneBatch* lanes) -> std::unique_ptr<SweepWorker> {
    const std::lock_guard guard(sweep.lock);
    return std::make_unique<ModelWorker>(sweep, watch, std::exchange(ready, std::nullopt), lanes);
  };
  plan.make_worker = [&] { return make(nullptr); };
  // Lanes pay where there are many runs of a small system: each has a model of its own, translated once.
  size_t lanes = options.lanes;
  if (lanes == 0) {
    lanes = std::min(LaneBatch::kLanes, plan.count / plan.threads / 16);
    if (lanes < 4 || ready->exit != kExitOk ||
        !PaysInLanes(*ready->translation->program, ready->simulation.method))
      lanes = 1;
  }
  if (lanes > 1)
    plan.make_lanes = [&, lanes](Fibers& fibers) {
      return std::make_unique<ModelLanes>(fibers, TierOf(options.run.tier), lanes, make);
    };
  bool written = true;
  plan.take = [&](size_t point, const SweepRow& row) {
    rows.push_back(row);
    written = path.empty() || file.Append(point, row);
    return written;
  };
  plan.progress = [&](size_t finished) {
    line.Show(static_cast<double>(finished) / static_cast<double>(plan.count), [&] {
      return fmt::format("{} of {}, {:.3g} a second", before + finished, Plural(size, "run"),
                         static_cast<double>(finished) / line.elapsed());
    });
    return !watch.interrupted();
  };
  const bool whole = plan.count == 0 || RunPoints(plan);
  line.Clear();
  if (!written) {
    Refuse(file.Problem());
    return kExitForeign;
  }

  const auto failed = static_cast<size_t>(
      std::count_if(rows.begin(), rows.end(), [](const SweepRow& row) { return !row.ok(); }));
  fmt::print("{}: {} of {}{}; {:.3g} s of computing\n", console.Bold(model), Plural(rows.size(), "run"), size,
             failed == 0 ? "" : fmt::format(", {} failed", failed), line.elapsed());
  if (before > 0)
    fmt::print("{}\n", console.Dim(fmt::format("  {} in {} already", Plural(before, "was", "were"), path)));
  if (!sweep.structural.empty())
    fmt::print("{}\n",
               console.Dim(fmt::format(
                   "  translated {}, since {} the structure", Plural(sweep.translations.load(), "time"),
                   Listed(sweep.structural) + (sweep.structural.size() == 1 ? " changes" : " change"))));
  if (path.empty()) PrintRows(sweep, rows, console);
  PrintFigures(sweep, rows, console);
  PrintFailures(sweep, rows);
  if (!path.empty()) fmt::print("{} in {}\n", Plural(rows.size(), "row"), path);
  int exit = kExitOk;
  if (!picture.empty() && failed < rows.size()) exit = SaveFigure(PlotOf(sweep, rows, model), picture);
  if (!whole) {
    fmt::print(stderr, "cotree: interrupted after {} of {}{}\n", rows.size(), Plural(size, "run"),
               path.empty() ? "" : "; the same command goes on from there");
    return kExitInterrupted;
  }
  return failed == rows.size() ? kExitNumerical : exit;
}

}  // namespace cotree
