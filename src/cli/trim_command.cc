// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/linear_model.h"
#include "cli/quantities.h"
#include "cli/system_command.h"
#include "cli/text_table.h"
#include "control/trim.h"
#include "simulation/events.h"
#include "units/unit.h"

namespace cotree {
namespace {

using Json = nlohmann::ordered_json;

/** "load.w = 955 rpm", taken apart. */
struct Demand {
  std::string name, unit;
  double number = 0;
};

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

bool ParseDemand(const std::string& text, Demand* out) {
  const size_t equals = text.find('=');
  if (equals != std::string::npos) {
    out->name = Trimmed(text.substr(0, equals));
    const std::string value = Trimmed(text.substr(equals + 1));
    char* end = nullptr;
    out->number = std::strtod(value.c_str(), &end);
    out->unit = Trimmed(end);
    if (end != value.c_str() && !out->name.empty() && std::isfinite(out->number)) return true;
  }
  fmt::print(stderr, "cotree: --fix wants `variable = value`, as in --fix \"load.w = 100\"; got `{}`\n", text);
  return false;
}

// In SI units; false and a message where the unit is none, or one of something else.
bool ToSi(const EquationSystem& system, VariableRef ref, Demand* demand) {
  if (demand->unit.empty()) return true;
  const UnitResult unit = ParseUnit(demand->unit);
  if (!unit.ok()) {
    fmt::print(stderr, "cotree: --fix {}: `{}` is not a unit: {}\n", demand->name, demand->unit, unit.error().reason);
    return false;
  }
  const std::string own = UnitOf(system, ref);
  const UnitResult wanted = ParseUnit(own.empty() ? "1" : own);
  if (wanted.ok() && !own.empty() && !(wanted.unit().dimension == unit.unit().dimension)) {
    fmt::print(stderr, "cotree: --fix {}: `{}` does not fit; it is measured in {}\n", demand->name, demand->unit, own);
    return false;
  }
  demand->number = unit.unit().ToSi(demand->number);
  return true;
}

std::string Quantity(double value, const std::string& unit) {
  return ShortNumber(value) + (unit.empty() ? "" : " " + unit);
}

class TrimCommand {
 public:
  TrimCommand(const TrimOptions& options, Translation& t) : options_(options), t_(t) {}

  int Run(const std::vector<Demand>& demands, const Console& colours, SystemOutput* out) {
    const Program& program = *t_.program;
    std::vector<std::string> names;
    for (const Demand& d : demands) names.push_back(d.name);
    std::vector<VariableRef> refs;
    if (!FindOutputs(t_, names, &refs)) return kExitUsage;
    TrimProblem problem;
    for (size_t k = 0; k < refs.size(); ++k) {
      Demand demand = demands[k];
      if (!ToSi(*t_.equations, refs[k], &demand)) return kExitUsage;
      problem.fixed.push_back({t_.sorted->Slot(refs[k]), demand.number});
    }
    if (!program.unsupported.empty()) {
      fmt::print(stderr, "cotree: {} cannot be computed in this version\n", program.unsupported.front());
      return kExitModel;
    }
    if (program.state_slots.size() > kMostStatesOfTrim) {
      fmt::print(stderr, "cotree: {} states are too many for `trim` (at most {})\n", program.state_slots.size(),
                 kMostStatesOfTrim);
      return kExitNumerical;
    }
    for (const VariableRef& input : t_.equations->inputs) problem.free.push_back(t_.sorted->Slot(input));
    ProgramRun run(program);
    run.switch_time = 1e-9;
    ExternalComponents external(run, program, {});
    if (!external.Load()) {
      fmt::print(stderr, "cotree: {}\n", external.problem());
      return kExitForeign;
    }
    Events events(run, program, &external);
    const Initialization start = events.Begin(t_.starts, {});
    if (!start.ok) {
      fmt::print(stderr, "cotree: at the start: {}\n", start.problem);
      return events.foreign() ? kExitForeign : kExitNumerical;
    }
    // Conditions of the model keep their values while the point is sought, then are asked again.
    Trim trim;
    for (int round = 0; round < 20; ++round) {
      trim = FindTrim(run, program, problem);
      if (!trim.failure.empty() || !program.HasEvents() || !events.Crossed(0)) break;
      if (!events.Settle(0, {false, false, true})) {
        fmt::print(stderr, "cotree: {}\n", events.problem());
        return events.foreign() ? kExitForeign : kExitNumerical;
      }
      trim.ok = false;
    }
    if (run.failure().foreign) {
      fmt::print(stderr, "cotree: {}\n", run.FailureText());
      return kExitForeign;
    }
    if (!trim.ok) return Contradiction(trim, demands.size());
    run.Run(0);
    if (options_.format == "json")
      SayJson(run, trim, out);
    else
      out->text = SayText(run, trim, colours);
    return kExitOk;
  }

 private:
  static constexpr size_t kMostStatesOfTrim = 400;

  std::string UnitOfSlot(uint32_t slot) const { return UnitOf(*t_.equations, t_.sorted->OfSlot(slot)); }
  std::string UnitOfInput(size_t k) const {
    // An input has the unit of the variable it stands for.
    const NameFinder finder(*t_.equations->model, *t_.graph);
    const VariableRef ref = FindVariable(*t_.equations, finder, t_.equations->input_names[k]);
    return ref.variable == UINT32_MAX ? "" : UnitOf(*t_.equations, ref);
  }

  int Contradiction(const Trim& trim, size_t fixed) const {
    if (!trim.failure.empty()) {
      fmt::print(stderr, "cotree: no operating point was found: {}\n", trim.failure);
      return kExitNumerical;
    }
    fmt::print(stderr, "cotree: there is no operating point near the start:\n");
    for (size_t k = 0; k < std::min<size_t>(trim.unmet.size(), 5); ++k) {
      const Trim::Unmet& u = trim.unmet[k];
      const std::string name = t_.sorted->SlotName(u.slot), unit = UnitOfSlot(u.slot);
      if (u.derivative)
        fmt::print(stderr, "  {} should be 0, but stays at {}\n", name, Quantity(u.reached, unit));
      else
        fmt::print(stderr, "  {} should be {}, but comes to {}\n", name, Quantity(u.wanted, unit), Quantity(u.reached, unit));
    }
    const size_t free = options_.free.size();
    if (fixed > free)
      fmt::print(stderr, "{} {} given with --fix, and {} may move: name another input with --free, or fix less\n",
                 Plural(fixed, "variable"), fixed == 1 ? "is" : "are", free == 0 ? "no input" : Plural(free, "input"));
    else
      fmt::print(stderr, "what is free does not act on these; name another input with --free, or give start values "
                         "nearer to the point\n");
    return kExitNumerical;
  }

  std::string SayText(const ProgramRun& run, const Trim& trim, const Console& colours) const {
    std::string text = SystemHeading(t_, colours) +
                       fmt::format(" at an operating point, found in {}\n", Plural(static_cast<size_t>(trim.iterations), "step"));
    const EquationSystem& system = *t_.equations;
    TextTable inputs("lrl"), states("lrll");
    inputs.Add({"found", "", ""});
    for (size_t k = 0; k < system.inputs.size(); ++k)
      inputs.Add({system.input_names[k], ShortNumber(run.values[t_.sorted->Slot(system.inputs[k])]), UnitOfInput(k)});
    if (inputs.rows() > 1) text += "\n" + inputs.Text("  ", colours);
    states.Add({"states", "", "", ""});
    for (size_t k = 0; k < t_.program->state_slots.size(); ++k) {
      const uint32_t slot = t_.program->state_slots[k];
      std::string moving;
      for (const Trim::Drift& d : trim.drifting) {
        if (d.state == k)
          moving = "moves with " + Quantity(d.rate, UnitOfSlot(t_.program->derivative_slots[k])) + "; nothing holds it";
      }
      states.Add({t_.sorted->SlotName(slot), ShortNumber(run.values[slot]), UnitOfSlot(slot), moving});
    }
    if (states.rows() > 1) text += "\n" + states.Text("  ", colours);
    if (trim.undetermined > 0)
      text += fmt::format("\n  {} not determined by this and stayed near the start: fix more\n",
                          trim.undetermined == 1 ? "1 value is" : fmt::format("{} values are", trim.undetermined));
    return text;
  }

  void SayJson(const ProgramRun& run, const Trim& trim, SystemOutput* out) const {
    const EquationSystem& system = *t_.equations;
    const Model& model = *system.model;
    out->json["name"] = model.Text(model[t_.graph->system].name);
    Json inputs = Json::array(), states = Json::array(), values = Json::array(), moving = Json::array();
    const auto add = [](Json& list, const std::string& name, double value) {
      list.push_back({{"name", name}, {"value", value}});
    };
    for (size_t k = 0; k < system.inputs.size(); ++k)
      add(inputs, system.input_names[k], run.values[t_.sorted->Slot(system.inputs[k])]);
    for (const uint32_t slot : t_.program->state_slots) add(states, t_.sorted->SlotName(slot), run.values[slot]);
    for (const Trim::Drift& d : trim.drifting) add(moving, t_.sorted->SlotName(t_.program->state_slots[d.state]), d.rate);
    for (uint32_t slot = 0; slot < t_.sorted->first_slot[system.part_variables]; ++slot) {
      const VariableRef ref = t_.sorted->OfSlot(slot);
      if (system.PartOfVariable(ref.variable) < t_.graph->components.size())
        add(values, t_.sorted->SlotName(slot), run.values[slot]);
    }
    out->json["inputs"] = inputs;
    out->json["states"] = states;
    out->json["moving"] = moving;
    out->json["undetermined"] = trim.undetermined;
    out->json["values"] = values;
  }

  const TrimOptions& options_;
  Translation& t_;
};

}  // namespace

int RunTrim(const TrimOptions& options, const Console& console) {
  std::vector<Demand> demands;
  for (const std::string& text : options.fixed) {
    Demand demand;
    if (!ParseDemand(text, &demand)) return kExitUsage;
    demands.push_back(demand);
  }
  TranslateOptions translate;
  translate.free_inputs = options.free;
  return RunOnSystem(options, "cotree.trim/1", translate, console,
                     [&](Translation& t, const Console& colours, SystemOutput* out) {
                       return TrimCommand(options, t).Run(demands, colours, out);
                     });
}

}  // namespace cotree
