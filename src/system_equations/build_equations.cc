// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "system_equations/equation_system.h"
#include "system_equations/topological_rows.h"
#include "system_graph/element_table.h"
#include "system_graph/root_input.h"

namespace cotree {
namespace {

class Builder {
 public:
  Builder(Model& model, const SystemGraph& graph, std::vector<ScalarElement> scalars, const NormalTree& tree,
          const EquationOptions& options, std::vector<std::string>* problems)
      : model_(model), graph_(graph), options_(options), problems_(problems) {
    out_.model = &model;
    out_.graph = &graph;
    out_.tree = &tree;
    out_.scalars = std::move(scalars);
  }

  EquationSystem Run();

 private:
  void NumberParts();
  void AddMotion();
  void BindInputs();
  void BindInner();
  void AddMoments();
  void AddRows();
  void FreeInputs(LargeVector<Driver>& drivers);
  VariableRef Find(const Driver& driver);
  uint32_t AddPart(ScalarElement scalar, ComponentId component);
  VariableRef Constant(const Driver& driver);
  VariableRef Associated(const GraphAssociation& association);
  VariableRef InnerRef(ComponentId composite, const ScalarElement::Inner& inner);
  uint32_t NewInput(const std::string& name);
  std::string NameOfInput(uint32_t slot) const;
  uint32_t NewMeasured(const MeasuredInput& measured);
  uint32_t NewFreed(const std::string& name);
  void Prescribe(const PrescribedMotion& motion);
  std::vector<uint32_t> SlotsNamed(const std::string& name, const LargeVector<Driver>& drivers);
  const NameFinder& names() {
    if (!names_) names_.emplace(model_, graph_);
    return *names_;
  }

  Model& model_;
  const SystemGraph& graph_;
  const EquationOptions& options_;
  std::vector<std::string>* problems_;
  EquationSystem out_;
  std::optional<NameFinder> names_;
  // By element class: base symbol -> local variables by array element.
  std::unordered_map<uint32_t, std::unordered_map<uint32_t, std::vector<uint32_t>>> locals_;
  std::map<std::pair<uint32_t, uint64_t>, VariableRef> constants_;
  LargeVector<uint32_t> free_slot_;  // by input slot: the free input, or UINT32_MAX; empty: none
  std::unordered_map<uint32_t, VariableRef> supplied_;   // by input slot: what the mechanism gives
  std::vector<std::pair<uint32_t, VariableRef>> links_;  // a composite's output and what it is
};

void Builder::NumberParts() {
  out_.parts.resize(graph_.components.size());
  uint32_t variables = 0, equations = 0, bindings = 0;
  for (uint32_t i = 0; i < graph_.components.size(); ++i) {
    const uint32_t scalar = graph_.components[i].element.value;
    const ScalarElement& s = out_.scalars[scalar];
    out_.parts[i] = {scalar, i, variables, equations, bindings};
    variables += s.owned;
    equations += s.always;
    bindings += static_cast<uint32_t>(s.variables.size()) - s.owned;
  }
  out_.part_variables = variables;
  out_.part_equations = equations;
  out_.bindings.resize(bindings);
}

VariableRef Builder::Find(const Driver& driver) {
  const Component& c = graph_.components[driver.component.index()];
  const SymbolInfo& info = model_.expressions.symbol(driver.symbol);
  auto& of_class = locals_[c.element.value];
  if (of_class.empty()) {
    const ElementClass& element = graph_.elements[c.element.index()];
    const ComponentClass& cls = model_[element.class_id];
    const ScalarElement& scalar = out_.scalars[c.element.index()];
    for (uint32_t v = 0; v < scalar.owned; ++v) {
      const ScalarVariable& own = scalar.variables[v];
      const bool across = own.role == ScalarVariable::Role::kAcross;
      const bool edge = across || own.role == ScalarVariable::Role::kThrough;
      SymbolId base;
      uint32_t index = own.element;
      if (edge) {
        const Edge& e = cls.edges[element.edges[own.index].edge];
        base = across ? e.across : e.through;
        index = element.edges[own.index].index;
      } else {
        base = cls.variables[own.index].symbol;
      }
      auto& list = of_class[base.value];
      if (list.size() <= index) list.resize(index + 1, UINT32_MAX);
      list[index] = v;
    }
  }
  const auto at = of_class.find(info.base.value);
  if (at == of_class.end() || driver.index >= at->second.size()) return Constant(driver);
  return {out_.parts[driver.component.index()].first_variable + at->second[driver.index], info.order};
}

// Something the system adds: it has one variable and one equation.
uint32_t Builder::AddPart(ScalarElement scalar, ComponentId component) {
  const auto number = static_cast<uint32_t>(out_.parts.size());
  out_.parts.push_back({static_cast<uint32_t>(out_.scalars.size()), component.value, out_.part_variables,
                        out_.part_equations, static_cast<uint32_t>(out_.bindings.size())});
  out_.part_variables += scalar.owned;
  out_.part_equations += scalar.always;
  out_.bindings.resize(out_.bindings.size() + scalar.variables.size() - scalar.owned);
  out_.scalars.push_back(std::move(scalar));
  return number;
}

// A parameter that drives an input.
VariableRef Builder::Constant(const Driver& driver) {
  ExprPool& pool = model_.expressions;
  const Component& c = graph_.components[driver.component.index()];
  const auto key = std::pair(driver.component.value, (uint64_t{driver.symbol.value} << 32) | driver.index);
  const auto known = constants_.find(key);
  if (known != constants_.end()) return known->second;
  const ScalarElement& owner = out_.scalars[c.element.index()];
  const ComponentClass& cls = graph_.ClassOf(model_, driver.component);
  ScalarElement scalar;
  scalar.parameters = owner.parameters;
  const SymbolId target = pool.DeclareSymbol("#constant", SymbolKind::kVariable);
  scalar.variables.push_back({ScalarVariable::Role::kVariable, 0, 0, target});
  scalar.owned = scalar.continuous = scalar.always = 1;
  ScalarEquation row;
  row.left = pool.Symbol(target);
  row.right = pool.Zero();
  for (const ScalarParameter& p : owner.parameters) {
    if (cls.parameters[p.parameter].symbol == driver.symbol && p.element == driver.index)
      row.right = pool.Symbol(p.symbol);
  }
  row.residual = pool.Subtract(row.left, row.right);
  row.uses = {{0, 0}};
  scalar.equations.push_back(row);
  const uint32_t part = AddPart(std::move(scalar), driver.component);
  return constants_[key] = {out_.parts[part].first_variable, 0};
}

// Equations of motion: parts beside the components, which read their coordinates and forces.
void Builder::AddMotion() {
  if (options_.motion == nullptr) return;
  out_.in_space = true;
  const auto first = static_cast<uint32_t>(out_.parts.size());
  for (const AddedPart& part : options_.motion->parts) AddPart(part.scalar, part.component);
  for (const ComponentId home : options_.motion->parts[0].homes)
    out_.motion_homes.push_back(static_cast<uint32_t>(home.index()));
  for (uint32_t k = 0; k < options_.motion->parts.size(); ++k) {
    const std::vector<AddedReading>& readings = options_.motion->parts[k].readings;
    for (uint32_t i = 0; i < readings.size(); ++i) {
      const VariableRef ref =
          readings[i].driver.component.IsNone()
              ? VariableRef{out_.parts[first + readings[i].part].first_variable + readings[i].local, 0}
              : Find(readings[i].driver);
      out_.bindings[out_.parts[first + k].first_binding + i] = ref;
    }
  }
  for (const MotionInvariant& i : options_.motion->invariants) {
    const uint32_t own = out_.parts[first].first_variable;
    out_.invariants.push_back({own + i.local, i.multiplier == UINT32_MAX ? UINT32_MAX : own + i.multiplier,
                               i.loop == UINT32_MAX ? "" : options_.motion->loops[i.loop].names, i.projected,
                               0, i.below});
  }
  for (const Supply& s : options_.motion->supplies)
    supplied_[s.slot] = {out_.parts[first + s.part].first_variable + s.local, 0};
}

VariableRef Builder::InnerRef(ComponentId composite, const ScalarElement::Inner& inner) {
  size_t used = 0;
  const auto [component, rest] =
      names().FollowSymbol(composite, model_.expressions.SymbolName(inner.symbol), inner.indices, &used);
  if (component.IsNone()) return {};
  std::string index;
  for (size_t k = used; k < inner.indices.size(); ++k)
    index += (index.empty() ? "[" : ",") + std::to_string(inner.indices[k]);
  if (!index.empty()) index += "]";
  const size_t dot = rest.find('.');
  std::string name(rest);
  name.insert(dot == std::string_view::npos ? name.size() : dot, index);
  const std::string owner = ComponentName(model_, graph_, component);
  return FindVariable(out_, names(), owner.empty() ? name : owner + "." + name);
}

// `associate motor.theta = expression`: a part with theta and this equation.
VariableRef Builder::Associated(const GraphAssociation& association) {
  if (!association.source.component.IsNone()) return Find(association.source);
  ExprPool& pool = model_.expressions;
  const Component& owner = graph_.components[association.owner.index()];
  ElementClass with = graph_.elements[owner.element.index()];
  const SymbolId target = pool.DeclareSymbol("#associated", SymbolKind::kVariable);
  Equation equation{};
  equation.left = pool.Symbol(target);
  equation.right = association.value;
  with.equations = {equation};
  const ScalarElement whole = MakeScalar(model_, with);
  ScalarElement scalar;
  scalar.parameters = whole.parameters;
  scalar.variables.push_back({ScalarVariable::Role::kVariable, 0, 0, target});
  scalar.owned = scalar.continuous = scalar.always = 1;
  ScalarEquation row = whole.equations.front();
  std::vector<VariableRef> refs;
  std::vector<ScalarUse> uses{{0, 0}};
  for (const ScalarUse& use : row.uses) {
    const ScalarVariable& v = whole.variables[use.variable];
    if (v.symbol == target) continue;
    uses.push_back({static_cast<uint32_t>(scalar.variables.size()), use.order});
    scalar.variables.push_back(v);
    refs.push_back(v.role == ScalarVariable::Role::kInner
                       ? InnerRef(association.owner, whole.inner[v.index])
                       : out_.Resolve(out_.parts[association.owner.index()], use.variable));
  }
  row.uses = std::move(uses);
  scalar.equations.push_back(row);
  const uint32_t part = AddPart(std::move(scalar), association.owner);
  for (size_t k = 0; k < refs.size(); ++k) out_.bindings[out_.parts[part].first_binding + k] = refs[k];
  return {out_.parts[part].first_variable, 0};
}

uint32_t Builder::NewInput(const std::string& name) {
  // A part without equations owns the variable.
  ScalarElement scalar;
  scalar.variables.push_back({ScalarVariable::Role::kVariable, 0, 0,
                              model_.expressions.DeclareSymbol("#input", SymbolKind::kVariable)});
  scalar.owned = scalar.continuous = 1;
  const uint32_t part = AddPart(std::move(scalar), ComponentId(0));
  out_.inputs.push_back({out_.parts[part].first_variable, 0});
  out_.input_names.push_back(name);
  return out_.parts[part].first_variable;
}

// A part with one variable, which tables of the time give.
uint32_t Builder::NewMeasured(const MeasuredInput& measured) {
  ExprPool& pool = model_.expressions;
  const SymbolId target = pool.DeclareSymbol("#data(" + measured.input + ")", SymbolKind::kVariable);
  ScalarElement scalar;
  scalar.variables.push_back({ScalarVariable::Role::kVariable, 0, 0, target});
  scalar.owned = scalar.continuous = scalar.always = 1;
  ScalarEquation row;
  row.left = pool.Symbol(target);
  row.right = pool.Zero();
  for (const std::string& table : measured.tables)
    row.right = pool.Add(row.right, pool.Call(table, {pool.Time()}));
  row.residual = pool.Subtract(row.left, row.right);
  row.uses = {{0, 0}};
  scalar.equations.push_back(row);
  return out_.parts[AddPart(std::move(scalar), ComponentId(0))].first_variable;
}

// A part that owns the variable, which other equations determine.
uint32_t Builder::NewFreed(const std::string& name) {
  ScalarElement scalar;
  scalar.variables.push_back({ScalarVariable::Role::kVariable, 0, 0,
                              model_.expressions.DeclareSymbol("@" + name, SymbolKind::kVariable)});
  scalar.owned = scalar.continuous = 1;
  return out_.parts[AddPart(std::move(scalar), ComponentId(0))].first_variable;
}

// A part without variables: its equation gives one of another part.
void Builder::Prescribe(const PrescribedMotion& motion) {
  const VariableRef ref = FindVariable(out_, names(), motion.variable);
  if (ref.variable == UINT32_MAX) {
    problems_->push_back(motion.variable);
    return;
  }
  ExprPool& pool = model_.expressions;
  ScalarElement scalar;
  scalar.parameters = out_.scalars[out_.parts[0].scalar].parameters;
  const SymbolId target = pool.DeclareSymbol("#prescribed(" + motion.variable + ")", SymbolKind::kVariable);
  scalar.variables.push_back({ScalarVariable::Role::kInput, 0, 0, target});
  ScalarEquation row;
  row.left = pool.Symbol(target);
  row.right = motion.value;
  row.residual = pool.Subtract(row.left, row.right);
  row.equation = UINT32_MAX;
  row.uses = {{0, 0}};
  scalar.equations.push_back(row);
  scalar.always = 1;
  const uint32_t part = AddPart(std::move(scalar), ComponentId(0));
  out_.bindings[out_.parts[part].first_binding] = ref;
}

// The input slots that a name of an input, or of an output that drives them, means; empty: there is none.
std::vector<uint32_t> Builder::SlotsNamed(const std::string& name, const LargeVector<Driver>& drivers) {
  const auto [component, rest] = names().FindLongest(name);
  const ElementClass& element = graph_.ElementOf(component);
  const ComponentClass& cls = model_[element.class_id];
  const Component& c = graph_.components[component.index()];
  std::vector<uint32_t> slots;
  for (uint32_t slot = 0; slot < element.slot_variable.size(); ++slot) {
    const std::string full = InputName(model_, graph_, component, slot);
    if (full == name) slots.push_back(c.first_input + slot);
  }
  if (slots.empty()) {
    // An output: everything it drives.
    for (uint32_t slot = 0; slot < drivers.size(); ++slot) {
      if (drivers[slot].component == component && DriverName(model_, graph_, drivers[slot]) == name)
        slots.push_back(slot);
    }
  }
  // A source's only input may be left out: "V" is V.u.
  if (slots.empty() && rest.empty() && element.slot_variable.size() == 1 && !cls.edges.empty())
    slots.push_back(c.first_input);
  if (slots.empty() || !element.composite) return slots;
  // The input of a composite: whatever it drives inside.
  for (uint32_t slot = 0; slot < drivers.size(); ++slot) {
    uint32_t at = slot;
    for (size_t steps = 0; at != UINT32_MAX && at != slots.front() && steps < drivers.size(); ++steps)
      at = CompositeSlot(model_, graph_, graph_.drivers[at]);
    if (at == slots.front() && slot != at) slots.push_back(slot);
  }
  return slots;
}

// Inputs named by the user are cut from what drives them.
void Builder::FreeInputs(LargeVector<Driver>& drivers) {
  const auto cut = [&](const std::string& name, const auto& make) {
    const std::vector<uint32_t> slots = SlotsNamed(name, drivers);
    if (slots.empty()) {
      problems_->push_back(name);
      return;
    }
    if (free_slot_.empty()) free_slot_.assign(drivers.size(), UINT32_MAX);
    const uint32_t variable = make();
    for (const uint32_t slot : slots) free_slot_[slot] = variable;
  };
  for (const std::string& name : options_.free_inputs) cut(name, [&] { return NewInput(name); });
  for (const MeasuredInput& m : options_.measured) cut(m.input, [&] { return NewMeasured(m); });
  for (const std::string& name : options_.freed) cut(name, [&] { return NewFreed(name); });
}

// Of any input slot of the graph.
std::string Builder::NameOfInput(uint32_t slot) const {
  const auto& components = graph_.components;
  const auto at = std::upper_bound(components.begin(), components.end(), slot,
                                   [](uint32_t s, const Component& c) { return s < c.first_input; });
  // Components without inputs share the number of the next one.
  auto owner = static_cast<uint32_t>(at - components.begin()) - 1;
  while (owner > 0 && graph_.ElementOf(ComponentId(owner)).slot_variable.empty()) --owner;
  return InputName(model_, graph_, ComponentId(owner), slot - components[owner].first_input);
}

void Builder::BindInputs() {
  LargeVector<Driver> drivers = ResolveDrivers(model_, graph_);
  FreeInputs(drivers);
  std::unordered_map<uint32_t, uint32_t> root_inputs;  // by slot: the variable
  std::unordered_map<uint32_t, const GraphAssociation*> associated;
  for (const GraphAssociation& a : graph_.associations) {
    const Component& c = graph_.components[a.component.index()];
    associated[c.first_input + graph_.ElementOf(a.component).input_first[a.variable] + a.index] = &a;
  }
  for (uint32_t i = 0; i < graph_.components.size(); ++i) {
    const Component& c = graph_.components[i];
    const uint32_t scalar_number = out_.parts[i].scalar;
    const uint32_t owned = out_.scalars[scalar_number].owned;
    const auto count = static_cast<uint32_t>(out_.scalars[scalar_number].variables.size());
    for (uint32_t v = owned; v < count; ++v) {
      const ScalarVariable variable = out_.scalars[scalar_number].variables[v];
      if (variable.role != ScalarVariable::Role::kInput) continue;
      const uint32_t slot = c.first_input + variable.index;
      VariableRef ref;
      if (!free_slot_.empty() && free_slot_[slot] != UINT32_MAX) {
        ref = {free_slot_[slot], 0};
      } else if (!drivers[slot].component.IsNone()) {
        ref = Find(drivers[slot]);
      } else if (const auto supplied = supplied_.find(slot); supplied != supplied_.end()) {
        ref = supplied->second;
      } else if (const auto a = associated.find(slot); a != associated.end()) {
        ref = Associated(*a->second);
      } else {
        // An input of the system that several parts read is one.
        const uint32_t root = RootInput(model_, graph_, slot);
        const auto [at, fresh] = root_inputs.try_emplace(root, 0);
        if (fresh) at->second = NewInput(NameOfInput(root));
        ref = {at->second, 0};
      }
      out_.bindings[out_.parts[i].first_binding + (v - owned)] = ref;
    }
    const ElementClass& element = graph_.elements[c.element.index()];
    if (!element.composite) continue;
    for (uint32_t v = 0; v < out_.scalars[scalar_number].continuous; ++v) {
      const ScalarVariable variable = out_.scalars[scalar_number].variables[v];
      if (variable.role != ScalarVariable::Role::kVariable) continue;
      const uint32_t first = element.input_first[variable.index];
      if (first == UINT32_MAX) continue;
      const Driver driver = drivers[c.first_input + first + variable.element];
      if (!driver.component.IsNone()) links_.emplace_back(out_.parts[i].first_variable + v, Find(driver));
    }
  }
}

// What composites read of their parts: after all inputs are bound, since these may be read too.
void Builder::BindInner() {
  for (uint32_t i = 0; i < graph_.components.size(); ++i) {
    const uint32_t scalar_number = out_.parts[i].scalar;
    if (out_.scalars[scalar_number].inner.empty()) continue;
    const ScalarElement& scalar = out_.scalars[scalar_number];
    for (uint32_t v = scalar.owned; v < scalar.variables.size(); ++v) {
      const ScalarVariable& variable = scalar.variables[v];
      if (variable.role != ScalarVariable::Role::kInner) continue;
      const VariableRef ref = InnerRef(ComponentId(i), scalar.inner[variable.index]);
      if (ref.variable == UINT32_MAX)
        problems_->push_back(std::string(model_.expressions.SymbolName(variable.symbol)));
      out_.bindings[out_.parts[i].first_binding + (v - scalar.owned)] = ref;
    }
  }
}

void Builder::AddRows() {
  out_.variable_count = out_.part_variables;
  LargeVector<uint32_t> across(graph_.edges.size());
  for (uint32_t i = 0; i < graph_.components.size(); ++i) {
    const Component& c = graph_.components[i];
    const auto count = static_cast<uint32_t>(graph_.elements[c.element.index()].edges.size());
    for (uint32_t k = 0; k < count; ++k) across[c.first_edge + k] = out_.parts[i].first_variable + 2 * k;
  }
  AddTopologicalRows(across, options_.longest_rows, out_);
  for (const auto& [variable, ref] : links_) {
    out_.row_defined.push_back(variable);
    out_.row_kind.push_back(RowKind::kLink);
    out_.row_entries.push_back({ref.variable, 1, static_cast<uint8_t>(ref.order)});
    out_.row_first.push_back(static_cast<uint32_t>(out_.row_entries.size()));
  }
}

EquationSystem Builder::Run() {
  out_.parameters = FindParameters(model_, graph_, out_.scalars, !options_.own_parameters);
  NumberParts();
  AddMotion();
  BindInputs();
  BindInner();
  for (const PrescribedMotion& motion : options_.prescribed) Prescribe(motion);
  AddRows();
  if (!out_.inputs.empty()) {
    out_.is_input.assign(out_.variable_count, false);
    for (const VariableRef& input : out_.inputs) out_.is_input[input.variable] = true;
  }
  AddMoments();
  FindIncidence(out_);
  return std::move(out_);
}

// Equations of the beginning. Rates that only these, conditions, `when`s and assertions read must be
// computed, too.
void Builder::AddMoments() {
  for (uint32_t p = 0; p < out_.parts.size(); ++p) {
    const Part& part = out_.parts[p];
    const ScalarElement& scalar = out_.scalars[part.scalar];
    const auto want = [&](const ScalarUse& use) {
      if (scalar.variables[use.variable].role == ScalarVariable::Role::kDiscrete) return;
      const VariableRef ref = out_.Resolve(part, use.variable);
      const bool input = ref.variable != UINT32_MAX && !out_.is_input.empty() && out_.is_input[ref.variable];
      if (ref.variable != UINT32_MAX && ref.order + use.order > 0 && !input)
        out_.wanted.push_back({ref.variable, ref.order + use.order});
    };
    for (const ScalarUse& use : scalar.event_uses) want(use);
    for (uint32_t e = scalar.always; e < scalar.equations.size(); ++e) {
      out_.initial.push_back({p, e});
      for (const ScalarUse& use : scalar.equations[e].uses) want(use);
    }
  }
}

}  // namespace

void FindIncidence(EquationSystem& system) {
  const uint32_t equations = system.equation_count();
  system.incidence_first.resize(equations + 1);
  size_t total = system.row_entries.size() + system.row_defined.size();
  for (const Part& part : system.parts) {
    const ScalarElement& scalar = system.scalars[part.scalar];
    for (uint32_t e = 0; e < scalar.always; ++e) total += scalar.equations[e].uses.size();
  }
  system.incidence_variable.clear();
  system.incidence_order.clear();
  system.incidence_variable.reserve(total);
  system.incidence_order.reserve(total);
  uint32_t equation = 0;
  const auto close = [&] {
    system.incidence_first[++equation] = static_cast<uint32_t>(system.incidence_variable.size());
  };
  system.incidence_first[0] = 0;
  const auto of_class = [&](const Part& part, uint32_t e) {
    const ScalarElement& scalar = system.scalars[part.scalar];
    const size_t begin = system.incidence_variable.size();
    for (const ScalarUse& use : scalar.equations[e].uses) {
      const VariableRef ref = system.Resolve(part, use.variable);
      if (ref.variable == UINT32_MAX || (!system.is_input.empty() && system.is_input[ref.variable])) continue;
      const auto order = static_cast<uint8_t>(std::min(ref.order + use.order, 250u));
      // Two inputs may be driven by one variable.
      bool known = false;
      for (size_t k = begin; k < system.incidence_variable.size() && use.variable >= scalar.owned; ++k) {
        if (system.incidence_variable[k] != ref.variable) continue;
        system.incidence_order[k] = std::max(system.incidence_order[k], order);
        known = true;
      }
      if (known) continue;
      system.incidence_variable.push_back(ref.variable);
      system.incidence_order.push_back(order);
    }
    close();
  };
  const auto is_replaced = [&] { return !system.replaced.empty() && system.replaced.count(equation) > 0; };
  for (const Part& part : system.parts) {
    for (uint32_t e = 0; e < system.scalars[part.scalar].always; ++e) {
      if (is_replaced())
        of_class(*system.SourceOf(equation).part, 0);
      else
        of_class(part, e);
    }
  }
  for (uint32_t r = 0; r < system.row_defined.size(); ++r) {
    if (is_replaced()) {
      of_class(*system.SourceOf(equation).part, 0);
      continue;
    }
    system.incidence_variable.push_back(system.row_defined[r]);
    system.incidence_order.push_back(0);
    for (uint32_t k = system.row_first[r]; k < system.row_first[r + 1]; ++k) {
      const RowEntry& entry = system.row_entries[k];
      if (!system.is_input.empty() && system.is_input[entry.variable]) continue;
      system.incidence_variable.push_back(entry.variable);
      system.incidence_order.push_back(entry.order);
    }
    close();
  }
}

EquationSystem BuildEquations(Model& model, const SystemGraph& graph, std::vector<ScalarElement> scalars,
                              const NormalTree& tree, const EquationOptions& options,
                              std::vector<std::string>* problems) {
  return Builder(model, graph, std::move(scalars), tree, options, problems).Run();
}

}  // namespace cotree
