// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/json.h"
#include "cli/linear_model.h"
#include "cli/quantities.h"
#include "cli/system_command.h"
#include "cli/text_table.h"
#include "model/describe_model.h"
#include "simulation/events.h"
#include "simulation/trim.h"
#include "units/unit.h"

namespace cotree {
namespace {

std::string Quantity(double value, const std::string& unit) {
  return ShortNumber(value) + (unit.empty() ? "" : " " + unit);
}

class TrimCommand {
 public:
  TrimCommand(const TrimOptions& options, Translation& t) : options_(options), t_(t) {}

  int Run(const std::vector<NamedValue>& demands, const Console& colours, SystemOutput* out) {
    const Program& program = *t_.program;
    std::vector<std::string> names;
    for (const NamedValue& d : demands) names.push_back(d.name);
    std::vector<VariableRef> refs;
    if (!FindOutputs(t_, names, &refs)) return kExitUsage;
    TrimProblem problem;
    for (size_t k = 0; k < refs.size(); ++k) {
      NamedValue demand = demands[k];
      const std::string problem_of_unit = ConvertToSi(*t_.equations, refs[k], &demand);
      if (!problem_of_unit.empty()) {
        fmt::print(stderr, "cotree: --fix {}: {}\n", demand.name, problem_of_unit);
        return kExitUsage;
      }
      problem.fixed.push_back({t_.sorted->Slot(refs[k]), demand.number});
    }
    if (!program.unsupported.empty()) {
      fmt::print(stderr, "cotree: {} cannot be computed in this version\n", program.unsupported.front());
      return kExitModel;
    }
    if (program.state_slots.size() > kMostStatesOfTrim) {
      fmt::print(stderr, "cotree: {} states are too many for `trim` (at most {})\n",
                 program.state_slots.size(), kMostStatesOfTrim);
      return kExitNumerical;
    }
    for (const VariableRef& input : t_.equations->inputs) problem.free.push_back(t_.sorted->Slot(input));
    ProgramRun run(program);
    if (!FindParameters(run, &problem)) return kExitUsage;
    const InitializeOptions beginning = BeginningOf(t_);
    const double time = problem.time = beginning.time;
    run.switch_time = JustBehind(time);
    ExternalComponents external(run, program, ForeignCodeOf(options_.foreign));
    if (!external.Load()) {
      fmt::print(stderr, "cotree: {}\n", external.problem());
      return kExitForeign;
    }
    Events events(run, program, &external);
    const Initialization start = events.Begin(t_.starts, beginning);
    if (!start.ok) {
      fmt::print(stderr, "cotree: at the start: {}\n", start.problem);
      return events.foreign() ? kExitForeign : kExitNumerical;
    }
    // Conditions of the model keep their values while the point is sought, then are asked again.
    Trim trim;
    for (int round = 0; round < 20; ++round) {
      trim = FindTrim(run, program, problem);
      for (size_t k = 0; k < trim.parameters.size(); ++k) problem.parameters[k].value = trim.parameters[k];
      if (!trim.failure.empty() || !program.HasEvents() || !events.Crossed(time)) break;
      if (!events.Settle(time, {false, false, true})) {
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
    run.Run(time);
    if (const auto violated = events.Violated(time)) {
      fmt::print(stderr, "cotree: at the operating point: {}\n", *violated);
      return kExitNumerical;
    }
    if (const std::string without = events.FindNoValue(time); !without.empty()) {
      fmt::print(stderr, "cotree: at the point that was found, {}\n", without);
      return kExitNumerical;
    }
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

  /** A parameter that is to be found. */
  struct FreeParameter {
    std::string name, unit;
  };

  // Those of --free that are no inputs. False, with a message, where one cannot change.
  bool FindParameters(ProgramRun& run, TrimProblem* problem) {
    EquationSystem& system = *t_.equations;
    Model& model = *system.model;
    for (const std::string& name : options_.free) {
      const auto setting = FindParameter(model, t_.graph->system, name);
      if (!setting) continue;
      const std::string frozen = WhyFrozen(name);
      if (!frozen.empty()) {
        fmt::print(
            stderr,
            "cotree: --free {}: the parameter cannot change without another model: {}; vary it with --set\n",
            name, frozen);
        return false;
      }
      const size_t dot = name.rfind('.');
      const NameFinder finder(model, *t_.graph);
      const ComponentId owner = finder.FindComponent(dot == std::string::npos ? "" : name.substr(0, dot));
      const double* value = owner.IsNone() ? nullptr : ValueOf(owner, setting->parameter);
      if (value == nullptr || !std::isfinite(*value)) {
        fmt::print(stderr, "cotree: --free {}: it is no single number; name a parameter of one component\n",
                   name);
        return false;
      }
      const Type& type = model[t_.graph->ElementOf(owner).class_id].parameters[setting->parameter].type;
      std::string unit = type.quantity.IsNone() ? type.unit : model.quantities[type.quantity.index()].unit;
      if (unit.find('$') != std::string::npos || unit == "1") unit.clear();
      const size_t place = t_.graphs.front().settings.size();
      t_.graphs.front().settings.push_back(*setting);
      t_.graphs.front().settings.back().value = *value;
      parameters_.push_back({name, unit});
      problem->parameters.push_back({*value, [this, place, &run](double to) {
                                       t_.graphs.front().settings[place].value = to;
                                       t_.equations->parameters = cotree::FindParameters(
                                           *t_.equations->model, *t_.graph, t_.equations->scalars, false);
                                       run.Forget();
                                     }});
    }
    return true;
  }
  // Why a parameter is part of the equations; empty if it is not.
  std::string WhyFrozen(const std::string& name) const {
    if (t_.cancellations > 0)
      return "the equations were combined at the present numbers, since some of them cancel";
    for (const ParameterRow& row : ListParameters(*t_.equations->model, t_.graph->system)) {
      std::string path;
      int depth = 0;
      for (const char c : row.path) {
        depth += c == '[' ? 1 : 0;
        if (depth == 0) path += c;
        depth -= c == ']' ? 1 : 0;
      }
      if (path == name && (row.structural || row.reason.starts_with("final"))) return row.reason;
    }
    return {};
  }
  const double* ValueOf(ComponentId owner, uint32_t parameter) const {
    const auto& scalars =
        t_.equations->scalars[t_.graph->components[owner.index()].element.index()].parameters;
    const double* found = nullptr;
    for (size_t k = 0; k < scalars.size(); ++k) {
      if (scalars[k].parameter != parameter) continue;
      if (found != nullptr) return nullptr;
      found = &t_.equations->parameters.values[t_.equations->parameters.first[owner.index()] + k];
    }
    return found;
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
        fmt::print(stderr, "  {} should be {}, but comes to {}\n", name, Quantity(u.wanted, unit),
                   Quantity(u.reached, unit));
    }
    const size_t free = options_.free.size();
    if (fixed > free)
      fmt::print(stderr,
                 "{} {} given with --fix, and {} may move: name another input or parameter with --free, or "
                 "fix less\n",
                 Plural(fixed, "variable"), fixed == 1 ? "is" : "are",
                 free == 0 ? "no input" : Plural(free, parameters_.empty() ? "input" : "free value"));
    else
      fmt::print(stderr,
                 "what is free does not act on these; name another input or parameter with --free, or give "
                 "start values "
                 "nearer to the point\n");
    return kExitNumerical;
  }

  std::string SayText(const ProgramRun& run, const Trim& trim, const Console& colours) const {
    std::string text =
        SystemHeading(t_, colours) + fmt::format(" at an operating point, found in {}\n",
                                                 Plural(static_cast<size_t>(trim.iterations), "step"));
    if (!t_.program->clocks.empty())
      text += fmt::format(
          "  what {} samples keeps the value of the start: sampled states are not brought to rest\n",
          OwnersOf(t_, t_.program->clocks));
    const EquationSystem& system = *t_.equations;
    TextTable inputs("lrl"), states("lrll");
    inputs.Add({"found", "", ""});
    for (size_t k = 0; k < system.inputs.size(); ++k)
      inputs.Add({system.input_names[k], ShortNumber(run.values[t_.sorted->Slot(system.inputs[k])]),
                  UnitOfInput(k)});
    for (size_t k = 0; k < parameters_.size(); ++k)
      inputs.Add({parameters_[k].name, ShortNumber(trim.parameters[k]), parameters_[k].unit});
    if (inputs.rows() > 1) text += "\n" + inputs.Text("  ", colours);
    states.Add({"states", "", "", ""});
    for (size_t k = 0; k < t_.program->state_slots.size(); ++k) {
      const uint32_t slot = t_.program->state_slots[k];
      std::string moving;
      for (const Trim::Drift& d : trim.drifting) {
        if (d.state == k)
          moving = "moves with " + Quantity(d.rate, UnitOfSlot(t_.program->derivative_slots[k])) +
                   "; nothing holds it";
      }
      states.Add({t_.sorted->SlotName(slot), ShortNumber(run.values[slot]), UnitOfSlot(slot), moving});
    }
    if (states.rows() > 1) text += "\n" + states.Text("  ", colours);
    if (trim.undetermined > 0)
      text += fmt::format("\n  {} not determined by this and stayed near the start: fix more\n",
                          Plural(trim.undetermined, "value is", "values are"));
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
    for (const uint32_t slot : t_.program->state_slots)
      add(states, t_.sorted->SlotName(slot), run.values[slot]);
    for (const Trim::Drift& d : trim.drifting)
      add(moving, t_.sorted->SlotName(t_.program->state_slots[d.state]), d.rate);
    for (uint32_t slot = 0; slot < t_.sorted->first_slot[system.part_variables]; ++slot) {
      const VariableRef ref = t_.sorted->OfSlot(slot);
      if (system.PartOfVariable(ref.variable) < t_.graph->components.size())
        add(values, t_.sorted->SlotName(slot), run.values[slot]);
    }
    Json parameters = Json::array();
    for (size_t k = 0; k < parameters_.size(); ++k) add(parameters, parameters_[k].name, trim.parameters[k]);
    out->json["inputs"] = inputs;
    out->json["parameters"] = parameters;
    out->json["states"] = states;
    out->json["moving"] = moving;
    out->json["undetermined"] = trim.undetermined;
    out->json["values"] = values;
  }

  const TrimOptions& options_;
  Translation& t_;
  std::vector<FreeParameter> parameters_;
};

}  // namespace

int RunTrim(const TrimOptions& options, const Console& console) {
  std::vector<NamedValue> demands;
  for (const std::string& text : options.fixed) {
    const auto demand = ParseNamedValue(text);
    if (!demand) {
      fmt::print(stderr, "cotree: --fix wants `variable = value`, as in --fix \"load.w = 100\"; got `{}`\n",
                 text);
      return kExitUsage;
    }
    demands.push_back(*demand);
  }
  TranslateOptions translate;
  translate.foreign = ForeignAccess::kRun;
  translate.keep_constraints = true;
  translate.free_inputs = options.free;
  translate.own_parameters = !options.free.empty();
  return RunOnSystem(options, "cotree.trim/1", translate, console,
                     [&](Translation& t, const Console& colours, SystemOutput* out) {
                       return TrimCommand(options, t).Run(demands, colours, out);
                     });
}

}  // namespace cotree
