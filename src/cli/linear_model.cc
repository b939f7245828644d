// SPDX-License-Identifier: Apache-2.0
#include "cli/linear_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/json.h"
#include "cli/system_command.h"
#include "cli/text_table.h"
#include "simulation/events.h"

namespace cotree {
namespace {

std::vector<std::string> Primed(std::vector<std::string> names, size_t times) {
  for (std::string& name : names) name.append(times, '\'');
  return names;
}

// x', or x[k+1].
std::vector<std::string> RowsOfStates(const LinearModel& model) {
  if (model.period == 0) return Primed(model.states, 1);
  std::vector<std::string> names = model.states;
  for (std::string& name : names) name += " [k+1]";
  return names;
}

// Columns get numbers where their names are too long for a line.
class MatrixPrinter {
 public:
  MatrixPrinter(const LinearModel& model, const Console& console) : model_(model), console_(console) {
    size_t width = 0;
    for (const std::string& name : model.states) width += std::max<size_t>(name.size(), 8) + 2;
    numbered_ = width > kWidestLine;
  }

  std::string Text(const std::string& name, const std::vector<double>& matrix, std::vector<std::string> rows,
                   std::vector<std::string> columns) const {
    if (rows.empty() || columns.empty()) return {};
    if (rows.size() > kMostRows || columns.size() > kMostColumns)
      return fmt::format("\n  {} is {} x {}; --format json has it\n", console_.Cyan(name), rows.size(),
                         columns.size());
    if (numbered_ && rows == RowsOfStates(model_)) {
      for (size_t i = 0; i < rows.size(); ++i) rows[i] = fmt::format("{:>2} {}", i + 1, rows[i]);
    }
    if (numbered_ && columns == model_.states) {
      for (size_t j = 0; j < columns.size(); ++j) columns[j] = std::to_string(j + 1);
    }
    TextTable table("l" + std::string(columns.size(), 'r'));
    std::vector<std::string> heading{name};
    heading.insert(heading.end(), columns.begin(), columns.end());
    table.Add(heading);
    for (size_t i = 0; i < rows.size(); ++i) {
      std::vector<std::string> cells{rows[i]};
      for (size_t j = 0; j < columns.size(); ++j)
        cells.push_back(ShortNumber(matrix[i * columns.size() + j]));
      table.Add(cells);
    }
    return "\n" + table.Text("  ", console_);
  }

 private:
  static constexpr size_t kWidestLine = 110, kMostColumns = 16, kMostRows = 40;
  const LinearModel& model_;
  const Console& console_;
  bool numbered_ = false;
};

Json MatrixJson(const std::vector<double>& matrix, size_t rows, size_t columns) {
  Json out = Json::array();
  for (size_t i = 0; i < rows; ++i) {
    Json row = Json::array();
    for (size_t j = 0; j < columns; ++j) row.push_back(matrix[i * columns + j]);
    out.push_back(row);
  }
  return out;
}

// The inputs' derivatives that really occur.
bool Occurs(const LinearModel& model, size_t order) {
  const auto nonzero = [](double x) { return x != 0; };
  return std::any_of(model.B[order].begin(), model.B[order].end(), nonzero) ||
         std::any_of(model.D[order].begin(), model.D[order].end(), nonzero);
}

// "`x`": whose row has an entry that is no number; empty: none.
std::string FirstNotFinite(const LinearModel& m) {
  const auto look = [](const std::vector<double>& matrix, size_t columns,
                       const std::vector<std::string>& rows) -> std::string {
    for (size_t k = 0; k < matrix.size(); ++k) {
      if (!std::isfinite(matrix[k])) return "`" + rows[k / columns] + "`";
    }
    return "";
  };
  std::string out = look(m.A, m.n(), m.states);
  if (out.empty()) out = look(m.C, m.n(), m.outputs);
  for (const auto& B : m.B) out = out.empty() ? look(B, m.m(), m.states) : out;
  for (const auto& D : m.D) out = out.empty() ? look(D, m.m(), m.outputs) : out;
  return out;
}

/** What components give to others as signals, and which of them do not follow their inputs at a point. */
class Signals {
 public:
  explicit Signals(const Translation& t) : t_(t), drivers_(ResolveDrivers(*t.equations->model, *t.graph)) {
    const Model& model = *t.equations->model;
    const NameFinder finder(model, *t.graph);
    constexpr size_t kMost = 1000;
    for (const Driver& driver : drivers_) {
      if (driver.component.IsNone() || given_.size() >= kMost) continue;
      const std::string name = DriverName(model, *t.graph, driver);
      if (row_of_.count(name) > 0) continue;
      const VariableRef ref = FindVariable(*t.equations, finder, name);
      if (!t.sorted->HasSlot(ref)) continue;
      row_of_[name] = given_.size();
      giver_.push_back(driver.component.value);
      given_.push_back(ref);
    }
  }
  const std::vector<VariableRef>& given() const { return given_; }

  /// Adds a note for each component that has an input that moves and gives only what does not. The rows of
  /// what is given begin at `first`.
  void FindHeld(const LinearModel& model, size_t first, const ProgramRun& run,
                const std::vector<std::string>& told, const std::vector<uint32_t>& stuck,
                std::vector<std::string>* notes) const {
    const auto moves = [&](size_t k) {
      const auto any = [&](const std::vector<double>& matrix, size_t columns) {
        const auto row = matrix.begin() + static_cast<std::ptrdiff_t>((first + k) * columns);
        return std::any_of(row, row + static_cast<std::ptrdiff_t>(columns), [](double x) { return x != 0; });
      };
      return any(model.C, model.n()) ||
             std::any_of(model.D.begin(), model.D.end(), [&](const auto& D) { return any(D, model.m()); });
    };
    std::map<uint32_t, std::vector<size_t>> gives;
    for (size_t k = 0; k < given_.size(); ++k) gives[giver_[k]].push_back(k);
    std::set<uint32_t> others;  // what is said of delays and samples is said elsewhere
    for (const Program::Delay& d : t_.program->delays) others.insert(d.component);
    for (const Program::Clock& c : t_.program->clocks) {
      if (model.period == 0) others.insert(c.component);
    }
    for (const auto& [component, rows] : gives) {
      const bool held_at_ticks = std::any_of(rows.begin(), rows.end(), [&](size_t k) {
        return std::count(stuck.begin(), stuck.end(), t_.sorted->Slot(given_[k])) > 0;
      });
      if ((others.count(component) > 0 && !held_at_ticks) || std::any_of(rows.begin(), rows.end(), moves))
        continue;
      const std::string driver = MovingInput(ComponentId(component), moves);
      const std::string name = ComponentName(*t_.equations->model, *t_.graph, ComponentId(component));
      if (driver.empty() || std::count(told.begin(), told.end(), "`" + name + "`") > 0) continue;
      const uint32_t slot = t_.sorted->Slot(given_[rows.front()]);
      notes->push_back(
          fmt::format("`{}` does not follow {} at this point: a limit or a condition holds `{}` at {}, and "
                      "no loop through "
                      "it is closed in the linear model; --at TIME linearises where it follows",
                      name, driver, t_.sorted->SlotName(slot), ShortNumber(run.values[slot])));
    }
  }

 private:
  // An input of a component that moves at this point, by the name of who gives it; empty: none does.
  template <class Moves>
  std::string MovingInput(ComponentId component, Moves&& moves) const {
    const Model& model = *t_.equations->model;
    const ElementClass& element = t_.graph->ElementOf(component);
    for (uint32_t slot = 0; slot < element.slot_variable.size(); ++slot) {
      const Driver& driver = drivers_[t_.graph->components[component.index()].first_input + slot];
      if (driver.component.IsNone()) continue;
      const std::string name = DriverName(model, *t_.graph, driver);
      const auto row = row_of_.find(name);
      if (row != row_of_.end() && moves(row->second)) return "`" + name + "`";
    }
    return "";
  }

  const Translation& t_;
  LargeVector<Driver> drivers_;
  std::vector<VariableRef> given_;
  std::vector<uint32_t> giver_;  // component of each
  std::map<std::string, size_t> row_of_;
};

}  // namespace

std::optional<LinearModel> LinearizeAtPoint(ProgramRun& run, const Translation& translation,
                                            const std::vector<VariableRef>& outputs, double time,
                                            bool continuous, const std::optional<LoopCut>& cut, int* exit) {
  *exit = kExitOk;
  const Program& program = *translation.program;
  const auto linearize = [&](const std::vector<VariableRef>& of) {
    SampledModel out;
    if (!continuous && !program.clocks.empty()) out = LinearizeSampled(run, program, of, time, cut);
    if (!out.model && out.problem.empty()) out.model = Linearize(run, program, of, time);
    return out;
  };
  SampledModel found = linearize(outputs);
  if (!found.model) {
    fmt::print(stderr, "cotree: {}\n", found.problem);
    *exit = kExitModel;
    return std::nullopt;
  }
  LinearModel& model = *found.model;
  if (const std::string without = FirstNotFinite(model); !without.empty()) {
    fmt::print(
        stderr,
        "cotree: the linear model is not finite at this point: {} has no derivative there; try another "
        "time with --at\n",
        without);
    *exit = kExitNumerical;
    return std::nullopt;
  }
  for (const std::string& name : found.held)
    model.notes.push_back(
        fmt::format("{} samples slower than this loop (every {} s): what it gives is taken as constant", name,
                    ShortNumber(model.period)));
  // What components tell each other, with the outputs before it, since a cut names one of these.
  const Signals signals(translation);
  constexpr size_t kMostStatesForNotes = 500;
  if (signals.given().empty() || program.state_slots.size() > kMostStatesForNotes) return std::move(model);
  std::vector<VariableRef> all = outputs;
  all.insert(all.end(), signals.given().begin(), signals.given().end());
  if (const SampledModel told = linearize(all); told.model)
    signals.FindHeld(*told.model, outputs.size(), run, found.held, found.stuck, &model.notes);
  return std::move(model);
}

std::optional<LinearStart> LinearizeAtStart(const Translation& translation,
                                            const std::vector<std::string>& outputs, bool continuous,
                                            const ComponentOptions& foreign_code, int* exit) {
  const Program& program = *translation.program;
  const SortedSystem& sorted = *translation.sorted;
  std::vector<VariableRef> found;
  *exit = kExitUsage;
  if (!FindOutputs(translation, outputs, &found)) return std::nullopt;
  *exit = kExitModel;
  if (!program.unsupported.empty()) {
    fmt::print(stderr, "cotree: {} cannot be computed in this version\n", program.unsupported.front());
    return std::nullopt;
  }
  *exit = kExitNumerical;
  if (sorted.states.size() > kMostStates) {
    fmt::print(stderr, "cotree: {} states are too many for matrices (at most {})\n", sorted.states.size(),
               kMostStates);
    return std::nullopt;
  }
  ProgramRun run(program);
  const InitializeOptions options = BeginningOf(translation);
  run.switch_time = JustBehind(options.time);
  ExternalComponents external(run, program, foreign_code);
  if (!external.Load()) {
    fmt::print(stderr, "cotree: {}\n", external.problem());
    *exit = kExitForeign;
    return std::nullopt;
  }
  Events events(run, program, &external);
  const Initialization start = events.Begin(translation.starts, options);
  if (!start.ok) {
    fmt::print(stderr, "cotree: at the start: {}\n", start.problem);
    if (events.foreign()) *exit = kExitForeign;
    return std::nullopt;
  }
  if (const std::string without = events.FindNoValue(options.time); !without.empty()) {
    fmt::print(stderr, "cotree: at the start: {}\n", without);
    return std::nullopt;
  }
  if (const auto violated = events.Violated(options.time)) {
    fmt::print(stderr, "cotree: at the start: {}\n", *violated);
    return std::nullopt;
  }
  auto model = LinearizeAtPoint(run, translation, found, options.time, continuous, std::nullopt, exit);
  if (!model) return std::nullopt;
  if (run.failure().foreign) {
    fmt::print(stderr, "cotree: at the start: {}\n", run.FailureText());
    *exit = kExitForeign;
    return std::nullopt;
  }
  LinearStart out{std::move(*model), {}, {}, 0};
  for (const uint32_t slot : program.state_slots) out.states.push_back(run.values[slot]);
  out.values.assign(run.values.begin(), run.values.end());
  out.switch_time = run.switch_time;
  return out;
}

std::string MatricesText(const LinearModel& m, const Console& console) {
  const MatrixPrinter printer(m, console);
  const std::vector<std::string> rates = RowsOfStates(m);
  std::string text = printer.Text("A", m.A, rates, m.states);
  if (!m.B.empty()) text += printer.Text("B", m.B[0], rates, m.inputs);
  text += printer.Text("C", m.C, m.outputs, m.states);
  if (!m.D.empty()) text += printer.Text("D", m.D[0], m.outputs, m.inputs);
  for (size_t k = 1; k < m.B.size(); ++k) {
    if (!Occurs(m, k)) continue;
    text += printer.Text("B_du" + std::to_string(k), m.B[k], rates, Primed(m.inputs, k));
    text += printer.Text("D_du" + std::to_string(k), m.D[k], m.outputs, Primed(m.inputs, k));
  }
  return text;
}

Json MatricesJson(const LinearModel& m) {
  Json out;
  if (m.period > 0) out["dt"] = m.period;
  out["states"] = m.states;
  out["inputs"] = m.inputs;
  out["outputs"] = m.outputs;
  const std::vector<double> none(std::max(m.n(), m.p()) * m.m(), 0.0);
  out["A"] = MatrixJson(m.A, m.n(), m.n());
  out["B"] = MatrixJson(m.B.empty() ? none : m.B[0], m.n(), m.m());
  out["C"] = MatrixJson(m.C, m.p(), m.n());
  out["D"] = MatrixJson(m.D.empty() ? none : m.D[0], m.p(), m.m());
  Json derivatives = Json::array();
  for (size_t k = 1; k < m.B.size(); ++k) {
    if (!Occurs(m, k)) continue;
    derivatives.push_back({{"order", k},
                           {"B_du", MatrixJson(m.B[k], m.n(), m.m())},
                           {"D_du", MatrixJson(m.D[k], m.p(), m.m())}});
  }
  out["input_derivatives"] = derivatives;
  if (!m.notes.empty()) out["notes"] = m.notes;
  return out;
}

}  // namespace cotree
