// SPDX-License-Identifier: Apache-2.0
#include "cli/linear_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/system_command.h"
#include "cli/text_table.h"
#include "control/sampled_model.h"
#include "simulation/events.h"

namespace cotree {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

std::optional<LinearModel> LinearizeAtPoint(ProgramRun& run, const Program& program,
                                            const std::vector<VariableRef>& outputs, double time,
                                            bool continuous, int* exit) {
  *exit = kExitOk;
  if (!continuous && !program.clocks.empty()) {
    SampledModel sampled = LinearizeSampled(run, program, outputs, time);
    if (sampled.model) return std::move(sampled.model);
    if (!sampled.problem.empty()) {
      fmt::print(stderr, "cotree: {}\n", sampled.problem);
      *exit = kExitModel;
      return std::nullopt;
    }
  }
  return Linearize(run, program, outputs, time);
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
  auto model = LinearizeAtPoint(run, program, found, options.time, continuous, exit);
  if (!model) return std::nullopt;
  if (run.failure().foreign) {
    fmt::print(stderr, "cotree: at the start: {}\n", run.FailureText());
    *exit = kExitForeign;
    return std::nullopt;
  }
  LinearStart out{std::move(*model), {}};
  for (const uint32_t slot : program.state_slots) out.states.push_back(run.values[slot]);
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
  return out;
}

}  // namespace cotree
