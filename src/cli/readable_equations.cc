// SPDX-License-Identifier: Apache-2.0
#include "cli/readable_equations.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/json.h"
#include "cli/describe_linear.h"
#include "cli/linear_model.h"
#include "cli/system_command.h"
#include "cli/text_table.h"
#include "cli/write_form.h"
#include "closed_form/fraction.h"
#include "derivation/derive.h"
#include "derivation/describe_events.h"
#include "derivation/describe_state_space.h"
#include "document/write_document.h"
#include "expr/print_latex.h"
#include "expr/print_text.h"
#include "state_space/motion_chains.h"

namespace cotree {
namespace {

constexpr size_t kMostEquations = 5000;

// What --symbolic asks for.
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

// Whether every name that was given is one of a parameter or component.
bool CheckNames(const std::vector<std::string>& words, const SymbolChoice& choice,
                const EquationSystem& system, std::string* problem) {
  if (choice.kind != SymbolChoice::Kind::kListed) return true;
  std::vector<std::string> all;
  for (uint32_t c = 0; c < system.graph->components.size(); ++c) {
    const std::string owner = ComponentName(*system.model, *system.graph, ComponentId(c));
    all.push_back(owner);
    const ElementId element = system.graph->components[c].element;
    for (const ScalarParameter& p : system.scalars[element.index()].parameters) {
      const std::string own(system.model->expressions.SymbolName(p.symbol));
      all.push_back(owner.empty() ? own : owner + "." + own);
    }
  }
  for (const std::string& word : words) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const std::string& name) {
      return name == word || name.ends_with("." + word) || name.starts_with(word + ".") ||
             name.starts_with(word + "[");
    });
    if (known) continue;
    *problem = "there is no parameter or component `" + word + "`" + DidYouMean(word, all);
    return false;
  }
  return true;
}

// Outputs of components that drive nothing: what a system without states is there for.
std::vector<VariableRef> OutputsReadByNobody(const Translation& t) {
  const EquationSystem& system = *t.equations;
  std::set<std::string> read;
  for (const Driver& driver : ResolveDrivers(*system.model, *t.graph)) {
    if (!driver.component.IsNone()) read.insert(DriverName(*system.model, *t.graph, driver));
  }
  std::vector<VariableRef> out;
  for (uint32_t c = 1; c < t.graph->components.size(); ++c) {
    const Part& part = system.parts[c];
    const ScalarElement& scalar = system.scalars[part.scalar];
    const ComponentClass& cls = t.graph->ClassOf(*system.model, ComponentId(c));
    for (uint32_t v = 0; v < scalar.continuous; ++v) {
      const VariableRef ref{part.first_variable + v, 0};
      if (scalar.variables[v].role != ScalarVariable::Role::kVariable ||
          cls.variables[scalar.variables[v].index].role != VariableRole::kOutput || !t.sorted->HasSlot(ref) ||
          read.contains(system.VariableName(ref.variable)))
        continue;
      out.push_back(ref);
    }
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
    Json told({{"unknowns", texts(group.unknowns)},
               {"linear", group.linear},
               {"motion", group.is_motion},
               {"matrix", std::move(matrix)},
               {"coriolis", texts(group.coriolis)},
               {"gravity", texts(group.gravity)},
               {"right", texts(group.right)},
               {"residuals", texts(group.residuals)}});
    if (group.freedoms > 0) {
      told["freedoms"] = group.freedoms;
      told["rows"] = group.row_names;
    }
    steps.push_back(std::move(told));
  }
  return {{"symbols", std::move(symbols)},
          {"steps", std::move(steps)},
          {"derivatives", list(space.derivatives)},
          {"outputs", list(space.outputs)}};
}

}  // namespace

int FindReadable(const EquationsOptions& options, const Translation& t, StateSpace* space) {
  StateSpaceOptions how;
  how.symbols = ChoiceOf(options.symbolic);
  how.expand = options.expand;
  how.solve_motion = options.form == "accelerations" || options.form == "linear";
  how.inline_all = options.form == "linear";
  for (const std::string& word : options.prefer) {
    if (word == "currents" || word == "through") how.prefer = StateSpaceOptions::Prefer::kThrough;
    if (word == "voltages" || word == "across") how.prefer = StateSpaceOptions::Prefer::kAcross;
    if (word == "voltages" || word == "currents") how.prefer_domain = "electrical";
  }
  if (!FindOutputs(t, options.outputs, &how.outputs)) return kExitUsage;
  if (t.sorted->states.empty() && how.outputs.empty()) how.outputs = OutputsReadByNobody(t);
  if (t.sorted->equations.size() > kMostEquations) {
    fmt::print(stderr,
               "cotree: {} equations are too many to be written as formulas (at most {}); `cotree derive` "
               "tells them class by class\n",
               t.sorted->equations.size(), kMostEquations);
    return kExitUsage;
  }
  how.chains = FindChains(t.mechanism);
  *space = FindStateSpace(*t.sorted, how);
  for (const std::string& note : space->notes) fmt::print(stderr, "cotree: note: {}\n", note);
  // What nobody reads is not printed.
  constexpr uint64_t kMostOperations = 60000;
  const ExprPool& pool = t.equations->model->expressions;
  uint64_t operations = 0;
  for (const auto* list : {&space->definitions, &space->derivatives, &space->outputs}) {
    for (const ReadableEquation& e : *list) operations += SizeOf(pool, e.right).operations;
  }
  if (operations > kMostOperations) {
    fmt::print(
        stderr,
        "cotree: solved for the derivatives the equations have {} operations, more than anybody reads; "
        "--form state-space keeps equations of motion together\n",
        operations);
    return kExitUsage;
  }
  std::string unknown;
  if (!CheckNames(options.symbolic, how.symbols, *t.equations, &unknown)) {
    fmt::print(stderr, "cotree: --symbolic: {}\n", unknown);
    return kExitUsage;
  }
  return kExitOk;
}

// What a linear form with continuous states leaves out: components whose outputs it takes as constant.
static std::vector<std::string> TakenAsConstant(const Translation& t) {
  std::vector<std::string> notes;
  if (!t.program->delays.empty())
    notes.push_back("a delay has no finite linear form: what " + OwnersOf(t, t.program->delays) +
                    " gives is taken as constant");
  if (!t.program->clocks.empty())
    notes.push_back(
        "what " + OwnersOf(t, t.program->clocks) +
        " samples is taken as constant: this is the system between two samples; `cotree linearize` "
        "has the sampled one");
  return notes;
}

int SayReadable(const EquationsOptions& options, Translation& t, const Console& console, SystemOutput* out) {
  ExprPool& pool = t.equations->model->expressions;
  const Model& model = *t.equations->model;
  const std::string name = model.Text(model[t.graph->system].name);
  StateSpace space;
  int exit = FindReadable(options, t, &space);
  if (exit != kExitOk) return exit;
  if (options.format == "sympy" || options.format == "modelica") {
    if (options.format == "sympy") {
      out->text = WriteSympy(pool, space, name);
      return kExitOk;
    }
    // Where it begins, as far as that can be said without foreign code.
    std::vector<double> start;
    if (t.program->unsupported.empty() && t.program->externals.empty() && !t.sorted->states.empty()) {
      if (const auto linear = LinearizeAtStart(t, {}, true, ForeignCodeOf(options.foreign), &exit))
        start = linear->states;
    }
    out->text = WriteModelica(pool, space, name, start);
    return kExitOk;
  }
  Document document;
  document.digits = options.digits;
  document.title = name;
  document.description = model[t.graph->system].documentation;
  document.file = std::filesystem::path(options.file).filename().string();
  document.components = DescribeComponents(t);
  SetOwners(pool, space, &document);
  std::optional<LinearStart> start;
  if (options.form == "linear") {
    if (!t.program->externals.empty()) {
      fmt::print(
          stderr,
          "cotree: there is no linear form in symbols: `{}` is foreign code, which this command does not "
          "run; `cotree linearize` gives numbers\n",
          t.program->externals.front().instance);
      return kExitModel;
    }
    start = LinearizeAtStart(t, options.outputs, true, ForeignCodeOf(options.foreign), &exit);
    if (!start) return exit;
    document.sections = DescribeLinear(pool, space, *start, FindStorageShares(t, *start), &document);
    const std::vector<std::string> constant = TakenAsConstant(t);
    for (const std::string& note : constant) fmt::print(stderr, "cotree: note: {}\n", note);
    if (document.sections.empty()) {
      const std::string reason = t.sorted->states.empty() ? "the system has no states"
                                 : !space.groups.empty()
                                     ? "equations that hold together are not solved in symbols (" +
                                           space.Find(space.groups[0].unknowns[0])->path +
                                           " is one of their unknowns)"
                                     : "its states are bound to each other (closed loops, quaternions)";
      const std::string note = "There is no linear form in symbols: " + reason + ". These are numbers.";
      document.sections = DescribeLinearNumbers(pool, space, *start, note);
      if (document.sections.empty()) {
        fmt::print(stderr, "cotree: there is no linear form: {}\n", reason);
        return kExitNumerical;
      }
      fmt::print(stderr, "cotree: note: there is no linear form in symbols: {}; numbers are printed\n",
                 reason);
    }
    for (const std::string& note : constant)
      document.sections[0].items.insert(document.sections[0].items.begin(), TextItem{"Note: " + note + "."});
  } else {
    document.sections.push_back(DescribeEquations(pool, space));
    document.sections[0].title.clear();
  }
  if (space.derivatives.empty() && space.outputs.empty())
    document.sections[0].items.emplace_back(
        TextItem{"The system has no states; --output NAME prints the formula of a variable."});
  for (DocumentSection section : {DescribeEvents(*t.sorted), DescribeNames(pool, space),
                                  DescribeParameters(pool, space, options.digits)}) {
    if (!section.items.empty()) document.sections.push_back(std::move(section));
  }
  if (options.format == "json") {
    out->json["linear"] = space.linear;
    out->json["state_space"] = SpaceJson(pool, space);
    out->json["document"] = WriteJson(document);
    return kExitOk;
  }
  if (options.format == "text")
    out->text += fmt::format("{}{}\n", Plural(t.sorted->states.size(), "state"),
                             space.linear && !t.sorted->states.empty() ? ", linear" : "");
  return WriteForm(document, options.format, console, &out->text) ? kExitOk : kExitForeign;
}

}  // namespace cotree
