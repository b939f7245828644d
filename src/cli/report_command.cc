// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>

#include "cli/commands.h"
#include "cli/describe_linear.h"
#include "cli/draw_tree.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/prepare_run.h"
#include "cli/progress_line.h"
#include "cli/readable_equations.h"
#include "cli/run_energy.h"
#include "cli/run_result.h"
#include "cli/say_failure.h"
#include "cli/text_table.h"
#include "cli/write_form.h"
#include "closed_form/fraction.h"
#include "derivation/derive.h"
#include "derivation/describe_state_space.h"
#include "results/extremes.h"
#include "results/select_columns.h"
#include "state_space/motion_chains.h"

namespace cotree {
namespace {

constexpr size_t kMostPoints = 800;    // of a curve on the page
constexpr size_t kMostEnergies = 240;  // times of the picture of powers

// What the energy lacks, in words: rates that need the derivative of a step. Empty: nothing.
std::string LeftOut(const Translation& t, const Model& model) {
  std::vector<std::string> rates;
  for (uint32_t i = 0; i < t.graph->components.size(); ++i) {
    const ElementClass& element = t.graph->ElementOf(ComponentId(i));
    for (uint32_t k = 0; k < element.edges.size(); ++k) {
      const VariableRef rate{t.equations->parts[i].first_variable + 2 * k, 1};
      if (!model.domains[element.edges[k].domain.index()].rate.IsNone() && !t.sorted->HasSlot(rate))
        rates.push_back(t.equations->VariableName(rate.variable, rate.order));
    }
  }
  if (rates.empty()) return {};
  constexpr size_t kMost = 6;
  std::string names;
  for (size_t k = 0; k < rates.size() && k < kMost; ++k) names += (k > 0 ? ", `" : "`") + rates[k] + "`";
  if (rates.size() > kMost) names += fmt::format(" and {} more", rates.size() - kMost);
  return "left out: " + names + (rates.size() == 1 ? " needs" : " need") +
         " the derivative of a signal that has none (a step), so the powers there have no value";
}

class ReportWriter {
 public:
  ReportWriter(const SimulateOptions& options, PreparedRun& prepared, const Trajectory& run, double seconds)
      : options_(options),
        p_(prepared),
        t_(*prepared.translation),
        model_(*t_.equations->model),
        pool_(t_.equations->model->expressions),
        run_(run),
        seconds_(seconds) {}

  Document Run() {
    document_.title = model_.Text(model_[t_.graph->system].name);
    document_.description = model_[t_.graph->system].documentation;
    document_.file = std::filesystem::path(options_.file).filename().string();
    document_.components = DescribeComponents(t_);
    document_.pool = &pool_;
    Overview();
    Plots();
    Energy();
    if (IsSmallEnoughToDerive(t_)) {
      StateSpaceOptions how;
      how.chains = FindChains(t_.mechanism);
      const StateSpace space = FindStateSpace(*t_.sorted, how);
      SetOwners(pool_, space, &document_);
      for (DocumentSection& s : DeriveSteps(t_, space, DrawTree(t_).svg, &document_))
        document_.sections.push_back(std::move(s));
      if (IsPlain(space)) Linear();
    } else {
      for (DocumentSection& s : DeriveByClass(t_, &document_)) document_.sections.push_back(std::move(s));
    }
    Statistics();
    return std::move(document_);
  }

 private:
  void Overview() {
    DocumentSection s{"overview", "Overview", {}};
    TableItem table{{"", ""}, "ll", {}};
    const auto add = [&](const std::string& what, const std::string& value) {
      table.rows.push_back({{{what}, {value}}});
    };
    add("components", std::to_string(t_.graph->CountParts(model_)));
    add("graph", Plural(t_.graph->vertex_count(), "vertex", "vertices") + ", " +
                     Plural(t_.graph->edges.size(), "edge"));
    add("states", std::to_string(t_.sorted->states.size()));
    add("equations",
        Plural(t_.sorted->equations.size(), "equation") + " in " + Plural(t_.sorted->blocks(), "block"));
    if (p_.translation->experiment != nullptr) add("experiment", model_.Text(t_.experiment->name));
    add("run", fmt::format("{:g} s to {:g} s, {}", p_.simulation.start, p_.simulation.stop,
                           run_.ok ? "complete" : "failed " + run_.problem));
    s.items.emplace_back(std::move(table));
    document_.sections.push_back(std::move(s));
  }

  std::string ComponentOf(const std::string& path) const {
    std::string name = path;
    const auto is_component = [&](const std::string& x) {
      return std::any_of(document_.components.begin(), document_.components.end(),
                         [&](const DocumentComponent& c) { return c.id == x; });
    };
    while (!name.empty() && !is_component(name)) {
      const size_t dot = name.rfind('.');
      name = dot == std::string::npos ? "" : name.substr(0, dot);
    }
    return name;
  }

  void Plots() {
    DocumentSection s{"simulation", "Simulation", {}};
    if (!run_.ok)
      s.items.emplace_back(
          TextItem{"The run failed " + run_.problem + ". What was computed so far is shown."});
    if (run_.times.size() > 1) {
      const ResultHeader header = HeaderOfRun(*p_.loaded, t_, p_.simulation, run_.slots, options_.settings);
      std::vector<std::string> names = header.plots;
      constexpr size_t kMostCurves = 24;
      if (names.size() > kMostCurves) names.resize(kMostCurves);
      // Curves of one unit in one picture.
      std::vector<std::vector<size_t>> pictures;  // columns
      const Result result = ResultOfRun(header, run_);
      for (const std::string& name : names) {
        const std::string own = ColumnOf(*p_.loaded, t_, name);
        const auto at = header.Find(own.empty() ? name : own);
        if (!at) continue;
        auto picture = std::find_if(pictures.begin(), pictures.end(), [&](const std::vector<size_t>& x) {
          return header.columns[x[0]].unit == header.columns[*at].unit;
        });
        if (picture == pictures.end()) picture = pictures.insert(pictures.end(), std::vector<size_t>());
        picture->push_back(*at);
      }
      std::vector<PlotItem> plots;
      for (const std::vector<size_t>& picture : pictures) plots.push_back(PlotOf(result, picture));
      constexpr size_t kMostMarks = 2000;
      for (PlotItem& plot : plots) {
        for (const ResultEvent& e : events_) {
          if (plot.events.size() < kMostMarks) plot.events.push_back({e.time, e.text});
        }
        std::string title;
        for (const PlotItem::Curve& c : plot.curves) title += (title.empty() ? "" : ", ") + c.name;
        plot.title = title;
        s.items.emplace_back(std::move(plot));
      }
      Events(s);
    }
    document_.sections.push_back(std::move(s));
  }

  // As many points as a page shows, none of the extremes lost.
  PlotItem PlotOf(const Result& run, const std::vector<size_t>& columns) const {
    const Result result = SelectColumns(run, columns);
    std::vector<std::vector<double>> values;
    for (size_t k = 0; k < columns.size(); ++k) values.push_back(result.Values(k));
    const size_t parts = std::max<size_t>(kMostPoints / 4, 2 * kMostPoints / (1 + columns.size()));
    const std::vector<size_t> rows = RowsToShow(result.times, values, parts);
    PlotItem plot{"", {}, {}, {}};
    for (const size_t r : rows) plot.times.push_back(result.times[r]);
    for (size_t k = 0; k < columns.size(); ++k) {
      const ResultColumn& column = result.header.columns[k];
      PlotItem::Curve curve{column.name, column.unit, ComponentOf(column.name), {}};
      for (const size_t r : rows) curve.values.push_back(values[k][r]);
      const ResultCurve between = ExtremesOf(result, k);
      for (const size_t e : RowsToShow(between.times, {between.values}, parts))
        curve.extremes.push_back({between.times[e], between.values[e]});
      plot.curves.push_back(std::move(curve));
    }
    return plot;
  }

  void Energy() {
    if (run_.times.size() < 2) return;
    EnergyItem energy = FindEnergy(t_, run_, kMostEnergies);
    if (energy.islands.empty() && energy.stored.empty()) return;
    DocumentSection s{"energy", "Energy", {}};
    std::string text;
    if (!energy.stored.empty()) text = "What each component stores.";
    if (t_.mechanism.composites.size() > 1)
      text +=
          " Bodies in space have kinetic energy and, above their lowest place in this run, potential energy.";
    if (!energy.islands.empty())
      text +=
          " Where power flows: power into each component, summed over its edges in one connected part of the "
          "graph. The powers of a part sum to zero.";
    s.items.emplace_back(TextItem{text});
    if (std::string note = LeftOut(t_, model_); !note.empty())
      s.items.emplace_back(TextItem{std::move(note)});
    s.items.emplace_back(std::move(energy));
    document_.sections.push_back(std::move(s));
  }

  void Events(DocumentSection& s) const {
    if (events_.empty()) return;
    constexpr size_t kMost = 200;
    TableItem table{{"time", "event"}, "rl", {}};
    for (const ResultEvent& e : events_) {
      if (table.rows.size() >= kMost) break;
      table.rows.push_back({{{fmt::format("{:.6g} s", e.time)}, {e.text}}});
    }
    s.items.emplace_back(DetailsItem{Plural(events_.size(), "event"), {std::move(table)}});
  }

  // Whether its derivatives are short enough to be differentiated in symbols, without cases.
  bool IsPlain(const StateSpace& space) const {
    constexpr uint64_t kMostOperations = 400;
    uint64_t operations = 0;
    for (const ReadableEquation& e : space.definitions) operations += SizeOf(pool_, e.right).operations;
    for (const ReadableEquation& e : space.derivatives) operations += SizeOf(pool_, e.right).operations;
    for (const ReadableGroup& g : space.groups) {
      if (!g.linear || g.unknowns.size() > 2) return false;
      for (const auto& row : g.matrix) {
        for (const ExprId entry : row) operations += 4 * SizeOf(pool_, entry).operations;
      }
    }
    return operations <= kMostOperations && t_.program->relations.size() < 12;
  }

  void Linear() {
    constexpr size_t kMostStates = 10;
    if (t_.sorted->states.empty() || t_.sorted->states.size() > kMostStates ||
        !t_.program->unsupported.empty() || !t_.program->clocks.empty() || !t_.program->externals.empty())
      return;
    StateSpaceOptions how;
    how.solve_motion = how.inline_all = true;
    const StateSpace space = FindStateSpace(*t_.sorted, how);
    if (!space.groups.empty()) return;
    int exit = kExitOk;
    const auto start = LinearizeAtStart(t_, {}, true, {}, &exit);
    if (!start) return;
    SetOwners(pool_, space, &document_);
    for (DocumentSection& s : DescribeLinear(pool_, space, *start, FindStorageShares(t_, *start), &document_))
      document_.sections.push_back(std::move(s));
  }

  void Statistics() {
    DocumentSection s{"statistics", "Solver statistics", {}};
    TableItem table{{"", ""}, "ll", {}};
    const auto add = [&](const std::string& what, const std::string& value) {
      table.rows.push_back({{{what}, {value}}});
    };
    add("method", run_.method);
    add("steps", std::to_string(run_.steps));
    add("evaluations", std::to_string(run_.evaluations));
    add("Jacobians", std::to_string(run_.jacobians));
    add("events", std::to_string(run_.events));
    add("rows", std::to_string(run_.times.size()));
    add("time of computation", fmt::format("{:.3g} s", seconds_));
    add("kernels", std::to_string(t_.program->kernels()));
    s.items.emplace_back(std::move(table));
    for (const std::string& note : run_.notes) s.items.emplace_back(TextItem{note});
    document_.sections.push_back(std::move(s));
  }

 public:
  std::vector<ResultEvent> events_;

 private:
  const SimulateOptions& options_;
  PreparedRun& p_;
  Translation& t_;
  const Model& model_;
  ExprPool& pool_;
  const Trajectory& run_;
  double seconds_;
  Document document_;
};

}  // namespace

int RunReport(const SimulateOptions& given, const Console& console) {
  if (!HasReportScript()) return kExitForeign;
  SimulateOptions options = given;
  options.rates = true;  // powers need them
  if (options.output.empty())
    options.output = std::filesystem::path(options.file).stem().string() + "_report.html";
  options.written = {{"--out", options.output}};
  DiskReader reader;
  PreparedRun p = PrepareRun(options, reader);
  SayPrepared(p, console);
  if (p.exit != kExitOk) return p.exit;
  ProgressLine line;
  const InterruptWatch watch;
  p.simulation.components.interrupted = [&] { return watch.interrupted(); };
  const SimulationOptions& s = p.simulation;
  // As many points as a page shows; what is between them is watched.
  p.simulation.interval = (s.stop - s.start) / static_cast<double>(kMostPoints);
  std::vector<uint32_t> slots(p.translation->sorted->first_slot[p.translation->equations->part_variables]);
  std::iota(slots.begin(), slots.end(), 0);
  p.simulation.watched = PlottedColumns(HeaderOfRun(*p.loaded, *p.translation, s, slots, options.settings));
  p.simulation.progress = [&](double time) {
    line.Show((time - s.start) / (s.stop - s.start),
              [&] { return fmt::format("{:.4g} of {:g} s", time, s.stop); });
    return !watch.interrupted();
  };
  std::vector<ResultEvent> events;
  p.simulation.event = [&](double time, const std::string& what) { events.push_back({time, what}); };
  const auto began = std::chrono::steady_clock::now();
  const Trajectory run = Simulate(*p.translation->program, p.translation->starts, p.simulation, slots);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  line.Clear();
  if (!run.ok) SayFailure(p, "the run failed " + run.problem);
  if (const std::string note = LeftOut(*p.translation, p.loaded->model); !note.empty())
    fmt::print(stderr, "cotree: note: {}\n", note);
  for (const std::string& note : run.notes) fmt::print(stderr, "cotree: note: {}\n", note);
  ReportWriter writer(options, p, run, seconds);
  writer.events_ = std::move(events);
  std::string text;
  if (!WriteForm(writer.Run(), "html", console, &text)) return kExitForeign;
  const int written = WriteOutput(text, options.output);
  if (written != kExitOk) return written;
  fmt::print("{} in {} ({:.0f} kB)\n", "report", options.output, static_cast<double>(text.size()) / 1000);
  if (watch.interrupted()) return kExitInterrupted;
  return run.ok ? kExitOk : run.foreign ? kExitForeign : kExitNumerical;
}

}  // namespace cotree
