// SPDX-License-Identifier: Apache-2.0
#include "cli/readable_equations.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/linear_model.h"
#include "cli/text_table.h"
#include "derivation/describe_state_space.h"
#include "document/report_script.h"
#include "document/write_document.h"
#include "expr/print_latex.h"
#include "expr/print_text.h"

namespace cotree {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostEquations = 5000;

// What --symbolic asks for; false, with a message, where a name fits nothing.
SymbolChoice ChoiceOf(const std::vector<std::string>& words) {
  SymbolChoice out;
  if (words.empty()) return out;
  if (words.size() == 1 && words[0] == "all") {
    out.kind = SymbolChoice::Kind::kAll;
  } else if (words.size() == 1 && words[0] == "none") {
    out.kind = SymbolChoice::Kind::kNone;
  } else {
    out.kind = SymbolChoice::Kind::kListed;
    out.names = words;
  }
  return out;
}

std::string RoleWord(ReadableSymbol::Role role) {
  using Role = ReadableSymbol::Role;
  return role == Role::kState       ? "state"
         : role == Role::kInput     ? "input"
         : role == Role::kParameter ? "parameter"
         : role == Role::kDefined   ? "variable"
                                    : "discrete";
}

Json SpaceJson(ExprPool& pool, const StateSpace& space) {
  Json symbols = Json::array();
  for (const ReadableSymbol& s : space.symbols) {
    Json entry{{"name", s.name},
               {"path", s.path},
               {"component", s.component},
               {"unit", s.unit},
               {"role", RoleWord(s.role)}};
    if (s.role == ReadableSymbol::Role::kParameter) entry["value"] = s.value;
    symbols.push_back(std::move(entry));
  }
  const auto text = [&](ExprId e) { return PrintText(pool, Renamed(pool, space, e)); };
  const auto list = [&](const std::vector<ReadableEquation>& equations) {
    Json out = Json::array();
    for (const ReadableEquation& e : equations)
      out.push_back({{"symbol", text(e.symbol)},
                     {"right", text(e.right)},
                     {"latex", PrintLatex(pool, Renamed(pool, space, e.right))},
                     {"component", e.component}});
    return out;
  };
  const auto texts = [&](const std::vector<ExprId>& all) {
    Json out = Json::array();
    for (const ExprId e : all) out.push_back(text(e));
    return out;
  };
  Json steps = Json::array();
  for (const ReadableStep& step : space.steps) {
    if (!step.is_group) {
      const ReadableEquation& e = space.definitions[step.index];
      steps.push_back({{"symbol", text(e.symbol)}, {"right", text(e.right)}, {"component", e.component}});
      continue;
    }
    const ReadableGroup& group = space.groups[step.index];
    Json matrix = Json::array();
    for (const auto& row : group.matrix) matrix.push_back(texts(row));
    steps.push_back({{"unknowns", texts(group.unknowns)},
                     {"linear", group.linear},
                     {"motion", group.is_motion},
                     {"matrix", std::move(matrix)},
                     {"right", texts(group.right)},
                     {"residuals", texts(group.residuals)}});
  }
  return {{"symbols", std::move(symbols)},
          {"steps", std::move(steps)},
          {"derivatives", list(space.derivatives)},
          {"outputs", list(space.outputs)}};
}

}  // namespace

int SayReadable(const EquationsOptions& options, Translation& t, const Console& console, SystemOutput* out) {
  ExprPool& pool = t.equations->model->expressions;
  const Model& model = *t.equations->model;
  const std::string name = model.Text(model[t.graph->system].name);
  if (t.sorted->equations.size() > kMostEquations) {
    fmt::print(stderr,
               "cotree: {} equations are too many to be written as formulas (at most {}); `cotree derive` "
               "tells the same class by class\n",
               t.sorted->equations.size(), kMostEquations);
    return kExitUsage;
  }
  StateSpaceOptions how;
  how.symbols = ChoiceOf(options.symbolic);
  how.expand = options.expand;
  how.solve_motion = options.form == "accelerations";
  if (!FindOutputs(t, options.outputs, &how.outputs)) return kExitUsage;
  const StateSpace space = FindStateSpace(*t.sorted, how);

  if (options.format == "sympy" || options.format == "modelica") {
    out->text = options.format == "sympy" ? WriteSympy(pool, space, name) : WriteModelica(pool, space, name);
    return kExitOk;
  }
  if (options.format == "json") {
    out->json["linear"] = space.linear;
    out->json["state_space"] = SpaceJson(pool, space);
    return kExitOk;
  }
  Document document;
  document.digits = options.digits;
  document.title = name;
  document.description = model[t.graph->system].documentation;
  document.file = options.file;
  SetOwners(pool, space, &document);
  document.sections.push_back(DescribeEquations(pool, space));
  for (DocumentSection section : {DescribeNames(pool, space), DescribeParameters(pool, space)}) {
    if (!section.items.empty()) document.sections.push_back(std::move(section));
  }
  if (options.format == "latex") out->text = WriteLatex(document);
  if (options.format == "markdown") out->text = WriteMarkdown(document);
  if (options.format == "mathml") out->text = WriteMathml(document);
  if (options.format == "html") out->text = WritePage(document, ReportScript());
  if (options.format == "text") {
    document.sections[0].title.clear();
    out->text +=
        fmt::format("{}{}\n", Plural(t.sorted->states.size(), "state"), space.linear ? ", linear" : "");
    out->text += WriteText(document, {console.colours_out(), 100});
  }
  return kExitOk;
}

}  // namespace cotree
