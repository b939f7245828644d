// SPDX-License-Identifier: Apache-2.0
// What a program does at events, and the foreign code in it.
#include <algorithm>
#include <filesystem>

#include "program/program_builder.h"

namespace cotree {

void ProgramBuilder::CollectSwitches() {
  std::vector<std::vector<std::pair<TimeSwitch, uint32_t>>> of_class(system_.scalars.size());
  for (uint32_t s = 0; s < system_.scalars.size(); ++s) {
    std::vector<ExprId> roots;
    for (uint32_t e = 0; e < system_.scalars[s].always; ++e)
      roots.push_back(system_.scalars[s].equations[e].residual);
    for (const ScalarElement::When& when : system_.scalars[s].whens) roots.push_back(when.condition);
    for (const auto& [condition, message] : system_.scalars[s].assertions) roots.push_back(condition);
    if (roots.empty()) continue;
    for (const TimeSwitch& found : FindTimeSwitches(model_, roots))
      of_class[s].emplace_back(found, MakeCode(s, std::span(&found.argument, 1)).code);
  }
  uint32_t last_scalar = UINT32_MAX, last_base = UINT32_MAX;
  for (const Part& part : system_.parts) {
    if (of_class[part.scalar].empty()) continue;
    const uint32_t base = system_.parameters.first[part.component];
    if (part.scalar == last_scalar && base == last_base) continue;
    last_scalar = part.scalar;
    last_base = base;
    for (const auto& [found, code] : of_class[part.scalar])
      out_->switches.push_back({found.kind, code, found.table, base});
  }
}

// Code of an instance that runs at events; made once a class.
Program::Bound ProgramBuilder::Bind(const Part& part, std::span<const ExprId> roots,
                                    CodeWriter::Events events, bool continuous) {
  std::vector<uint32_t> key{static_cast<uint32_t>(events)};
  for (const ExprId root : roots) key.push_back(root.value);
  const auto [at, fresh] = event_codes_.try_emplace({part.scalar, std::move(key)});
  if (fresh) at->second = MakeCode(part.scalar, roots, events);
  const Program::Bound out{at->second.code, static_cast<uint32_t>(out_->locals.size()),
                           system_.parameters.first[part.component], part.component};
  for (const ScalarUse& use : at->second.locals) out_->locals.push_back(SlotOf(part, use, continuous));
  return out;
}

void ProgramBuilder::CollectWhens(const Part& part) {
  const ScalarElement& scalar = system_.scalars[part.scalar];
  for (const ScalarElement::When& when : scalar.whens) {
    Program::When out;
    static_cast<Program::Bound&>(out) = Bind(part, std::span(&when.condition, 1));
    out.is_elsewhen = when.is_elsewhen;
    out.stops = when.stops;
    out.reason = when.stop_reason;
    out.first_action = static_cast<uint32_t>(out_->actions.size());
    for (const ScalarElement::When::Action& a : when.actions) {
      Program::Action action;
      static_cast<Program::Bound&>(action) = Bind(part, std::span(&a.value, 1), CodeWriter::Events::kOff);
      action.target = SlotOf(part, {a.variable, a.order}, false);
      action.reinit = a.reinit;
      out_->actions.push_back(action);
    }
    out.actions = static_cast<uint32_t>(out_->actions.size()) - out.first_action;
    out_->whens.push_back(std::move(out));
  }
  for (const auto& [condition, message] : scalar.assertions) {
    Program::Assertion out;
    static_cast<Program::Bound&>(out) = Bind(part, std::span(&condition, 1));
    out.message = message;
    out_->assertions.push_back(std::move(out));
  }
}

// What the class of a component with foreign code declares, with its slots.
Program::External ProgramBuilder::MakeExternal(const Part& part) const {
  const ElementClass& element = system_.graph->elements[part.scalar];
  const ComponentClass& cls = model_[element.class_id];
  const ScalarElement& scalar = system_.scalars[part.scalar];
  Program::External out;
  const std::filesystem::path file(model_.files[model_.SpanOf(cls.origin).file].path());
  out.library = (file.parent_path() / cls.external_library).string();
  if (out.library.find('/') == std::string::npos) out.library = "./" + out.library;
  out.function = cls.external_function;
  out.instance = ComponentName(model_, *system_.graph, ComponentId(part.component));
  out.component = part.component;
  out.parameters = system_.parameters.first[part.component];
  for (const ScalarParameter& p : scalar.parameters)
    out.parameter_names.emplace_back(pool_.SymbolName(p.symbol));
  std::unordered_map<uint32_t, std::vector<uint32_t>> input_of, output_of;  // by variable of the class
  for (uint32_t v = 0; v < scalar.variables.size(); ++v) {
    const ScalarVariable& variable = scalar.variables[v];
    const std::string name(pool_.SymbolName(variable.symbol));
    const VariableRef ref = system_.Resolve(part, v);
    const uint32_t slot = sorted_->HasSlot(ref) ? sorted_->Slot(ref) : 0;
    if (variable.role == ScalarVariable::Role::kInput) {
      input_of[element.slot_variable[variable.index]].push_back(static_cast<uint32_t>(out.inputs.size()));
      out.inputs.emplace_back(name, slot);
    } else if (v < scalar.owned && cls.variables[variable.index].role == VariableRole::kOutput) {
      output_of[variable.index].push_back(static_cast<uint32_t>(out.outputs.size()));
      out.outputs.emplace_back(name, slot);
    } else if (v < scalar.continuous && cls.variables[variable.index].role == VariableRole::kState) {
      out.states.emplace_back(name, slot);
    }
  }
  for (const OutputGroup& group : cls.groups) {
    out.groups.emplace_back();
    for (const uint32_t v : group.outputs)
      out.groups.back().first.insert(out.groups.back().first.end(), output_of[v].begin(), output_of[v].end());
    for (const uint32_t v : group.inputs)
      out.groups.back().second.insert(out.groups.back().second.end(), input_of[v].begin(), input_of[v].end());
    std::sort(out.groups.back().second.begin(), out.groups.back().second.end());
  }
  return out;
}

// Its output groups, and the derivatives of its states: one call each.
void ProgramBuilder::AddForeignGroups(uint32_t external) {
  const Program::External& of = out_->externals[external];
  const auto add = [&](uint32_t number) {
    const bool derivatives = number == of.groups.size();
    Program::ForeignGroup group;
    group.external = external;
    group.group = derivatives ? Program::ForeignGroup::kDerivatives : number;
    for (const auto& [name, slot] : of.states) {
      group.states.push_back(slot);
      if (derivatives) group.results.push_back(slot + 1);
    }
    if (!derivatives) {
      for (const uint32_t output : of.groups[number].first)
        group.results.push_back(of.outputs[output].second);
    }
    for (uint32_t k = 0; k < of.inputs.size(); ++k) {
      if (!derivatives &&
          std::count(of.groups[number].second.begin(), of.groups[number].second.end(), k) == 0)
        continue;
      group.inputs.push_back(of.inputs[k].second);
      group.input_numbers.push_back(k);
    }
    if (group.results.empty()) return;
    for (uint32_t r = 0; r < group.results.size(); ++r)
      foreign_of_slot_[group.results[r]] = {static_cast<uint32_t>(out_->foreign.size()), r};
    out_->foreign.push_back(std::move(group));
  };
  for (uint32_t g = 0; g <= of.groups.size(); ++g) add(g);
}

void ProgramBuilder::CollectExternals() {
  for (const Part& part : system_.parts) {
    if (!IsExternal(part)) continue;
    out_->externals.push_back(MakeExternal(part));
    // All of it is discrete if it computes at samples alone.
    if (system_.scalars[part.scalar].continuous > 0)
      AddForeignGroups(static_cast<uint32_t>(out_->externals.size() - 1));
  }
}

// Sampled foreign code acts at the samples of its component.
void ProgramBuilder::AddSamples(const Part& part, uint32_t external) {
  const ComponentClass& cls = model_[system_.graph->elements[part.scalar].class_id];
  if (cls.sample_period.IsNone()) return;
  const ExprId tick = pool_.Call("sample", {pool_.Zero(), cls.sample_period});
  Program::When when;
  static_cast<Program::Bound&>(when) = Bind(part, std::span(&tick, 1));
  when.first_action = static_cast<uint32_t>(out_->actions.size());
  when.external = external;
  out_->whens.push_back(when);
  Program::External& own = out_->externals[external];
  own.sampling = Bind(part, std::span(&cls.sample_period, 1));
  own.period = AtParameters(*out_, own.sampling.code, own.sampling.parameters)[0];
}

// What gives a held slot its value. The entry is a copy: its code may hold more, and the table grows.
void ProgramBuilder::CollectHeld(HeldTable::Entry entry) {
  const HeldUse use = held_.Use(entry);
  const Part& part = *entry.part;
  switch (use.kind) {
    case HeldUse::Kind::kRelation:
    case HeldUse::Kind::kLevel: {
      Program::Relation out;
      const bool level = use.kind == HeldUse::Kind::kLevel;
      const ExprId x =
          level ? use.expr : pool_.Subtract(pool_.operand(use.expr, 0), pool_.operand(use.expr, 1));
      static_cast<Program::Bound&>(out) = Bind(part, std::span(&x, 1));
      out.kind = level                             ? Program::Relation::Kind::kLevel
                 : pool_.op(use.expr) == Op::kLess ? Program::Relation::Kind::kLess
                                                   : Program::Relation::Kind::kLessEqual;
      out.slot = entry.slot;
      out_->relations.push_back(out);
      return;
    }
    case HeldUse::Kind::kPre: {
      const SymbolInfo info = pool_.symbol(pool_.SymbolOf(use.expr));
      const uint32_t variable = sorted_->derived->VariableOf(part.scalar, info.base);
      if (variable != UINT32_MAX)
        out_->pres.push_back({entry.slot, SlotOf(part, {variable, info.order}, false), false});
      return;
    }
    case HeldUse::Kind::kClock:
    case HeldUse::Kind::kDelay: {
      const std::vector<ExprId> roots(pool_.operands(use.expr).begin(), pool_.operands(use.expr).end());
      // What jumps in a delay breaks its past.
      const bool delay = use.kind == HeldUse::Kind::kDelay;
      const Program::Bound bound = Bind(part, roots, CodeWriter::Events::kOn, delay);
      if (!delay) {
        out_->clocks.emplace_back();
        static_cast<Program::Bound&>(out_->clocks.back()) = bound;
        out_->clocks.back().slot = entry.slot;
      } else {
        out_->delays.emplace_back();
        static_cast<Program::Bound&>(out_->delays.back()) = bound;
        out_->delays.back().slot = entry.slot;
        out_->delays.back().given = roots.size() > 2;
      }
      return;
    }
    case HeldUse::Kind::kInitial:
      out_->initial_slots.push_back(entry.slot);
      return;
    case HeldUse::Kind::kTerminal:
      out_->terminal_slots.push_back(entry.slot);
      return;
  }
}

// Which delay gives the derivative of which.
void ProgramBuilder::FindRatesOfDelays() {
  std::map<std::pair<const Part*, uint32_t>, uint32_t> number;  // by expression
  std::vector<std::pair<const Part*, ExprId>> known;
  for (const HeldTable::Entry& entry : held_.entries()) {
    const HeldUse use = held_.Use(entry);
    if (use.kind != HeldUse::Kind::kDelay) continue;
    number[{entry.part, use.expr.value}] = static_cast<uint32_t>(known.size());
    known.emplace_back(entry.part, use.expr);
  }
  for (size_t d = 0; d < known.size(); ++d) {
    const auto at = number.find({known[d].first, sorted_->derived->Rate(known[d].second).value});
    if (at != number.end() && at->second != d) out_->delays[d].rate = at->second;
  }
}

// What happens at events: after all other code is made, since that decides what is held.
void ProgramBuilder::CollectEvents() {
  for (const Part& part : system_.parts) {
    const ScalarElement& scalar = system_.scalars[part.scalar];
    if (!scalar.whens.empty() || !scalar.assertions.empty()) CollectWhens(part);
    for (uint32_t v = scalar.continuous; v < scalar.owned; ++v)
      out_->discrete_slots.push_back(sorted_->Slot({part.first_variable + v, 0}));
  }
  uint32_t external = 0;
  for (const Part& part : system_.parts) {
    if (IsExternal(part)) AddSamples(part, external++);
  }
  for (size_t k = 0; k < held_.entries().size(); ++k) CollectHeld(held_.entries()[k]);
  FindRatesOfDelays();
  out_->slots = held_.end();
  std::vector<bool> continuous(out_->slots, false);
  for (const HeldTable::Entry& entry : held_.entries()) continuous[entry.slot] = entry.continuous;
  for (Program::Relation& r : out_->relations) r.continuous = continuous[r.slot];
  for (Program::Pre& p : out_->pres) p.continuous = continuous[p.slot];
}

}  // namespace cotree
