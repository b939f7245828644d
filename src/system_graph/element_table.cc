// SPDX-License-Identifier: Apache-2.0
#include "system_graph/element_table.h"

#include <algorithm>

#include "base/check.h"
#include "expr/dependence.h"
#include "expr/substitute.h"
#include "graph/union_find.h"
#include "system_graph/edge_kinds.h"
#include "system_graph/terminal_equations.h"

namespace cotree {

uint64_t CountElements(const Model& model, const Shape& shape, const ParameterValues& values,
                       std::vector<uint32_t>* sizes, std::span<const ArrayValue<double>> arrays) {
  uint64_t count = 1;
  for (const ExprId size : shape) {
    const double n = EvaluateConstant(model.expressions, size, values, arrays).value_or(0);
    const uint64_t whole = n >= 1 && n <= 4e9 ? static_cast<uint64_t>(n) : 0;
    count = whole != 0 && count > UINT64_MAX / whole ? UINT64_MAX : count * whole;
    if (sizes != nullptr) sizes->push_back(static_cast<uint32_t>(whole));
  }
  return count;
}

namespace {

template <class T>
std::vector<uint32_t> ByName(const Model& model, const std::vector<T>& members) {
  std::vector<NameId> names;
  for (const T& member : members) names.push_back(member.name);
  return OrderOfNames(model.names, names);
}

}  // namespace

uint32_t ElementTable::Limited(const Shape& shape, const ParameterValues& values) const {
  return static_cast<uint32_t>(std::min<uint64_t>(CountElements(model_, shape, values), most_ + 1));
}

/* Whether anything that is decided by structure changes when the parameter is zero: which variable occurs in
which equation in which order, and whether there is any energy or loss. */
bool ElementTable::ZeroMatters(const ComponentClass& cls, const Parameter& parameter) {
  ExprPool& pool = model_.expressions;
  const auto changes = [&](ExprId expr) {
    if (expr.IsNone() || !DependsOn(pool, expr, parameter.symbol)) return false;
    const ExprId at_zero = Substitute(pool, expr, parameter.symbol, pool.Zero());
    const auto before = FindDependence(pool, expr), after = FindDependence(pool, at_zero);
    const auto variables = [&](const std::vector<Dependence>& all) {
      std::vector<std::pair<uint32_t, uint32_t>> out;
      for (const Dependence& d : all) {
        if (pool.kind(d.base) != SymbolKind::kParameter) out.emplace_back(d.base.value, d.order);
      }
      return out;
    };
    return variables(before) != variables(after);
  };
  for (const Equation& equation : cls.equations) {
    if (!equation.initial && changes(pool.Subtract(equation.left, equation.right))) return true;
  }
  return changes(cls.energy) || changes(cls.loss);
}

const std::vector<StructuralParameters::Entry>& ElementTable::EntriesOf(ClassId id) {
  const auto [at, fresh] = known_.entries.try_emplace(id.value);
  if (!fresh) return at->second;
  const ComponentClass& cls = model_[id];
  for (uint32_t p = 0; p < cls.parameters.size(); ++p) {
    const Parameter& parameter = cls.parameters[p];
    if (!parameter.shape.empty()) continue;
    const bool by_value = p < cls.parameter_uses.size() &&
                          (cls.parameter_uses[p].sets_size || cls.parameter_uses[p].decides_condition);
    if (by_value || (parameter.type.base == BaseType::kReal && ZeroMatters(cls, parameter)))
      at->second.push_back({p, by_value});
  }
  return at->second;
}

const StructuralParameters& ElementTable::ParametersOf(ClassId id) {
  const auto known = parameters_.find(id.value);
  if (known != parameters_.end()) return known->second;
  StructuralParameters out;
  out.entries = EntriesOf(id);
  const bool none = out.entries.empty();
  const auto at = parameters_.emplace(id.value, std::move(out)).first;
  if (none) at->second.only = Find(id, {});
  return at->second;
}

ElementId ElementTable::Find(ClassId id, std::span<const double> key) {
  if (!last_.IsNone() && last_key_.size() == key.size() + 1 && last_key_[0] == id.value &&
      std::equal(key.begin(), key.end(), last_key_.begin() + 1)) {
    return last_;
  }
  std::vector<double> full{static_cast<double>(id.value)};
  full.insert(full.end(), key.begin(), key.end());
  for (double& k : full) k = k == k ? k : -1e99;  // a value that is not known
  const auto [at, fresh] = found_.try_emplace(full, ElementId(elements_.size()));
  if (fresh) {
    const auto known = known_.made.find(full);
    elements_.push_back(known != known_.made.end() ? known->second : Make(id, key));
    if (known == known_.made.end() && &known_ != &own_) known_.made.emplace(full, elements_.back());
  }
  last_key_ = std::move(full);
  return last_ = at->second;
}

ElementClass ElementTable::Make(ClassId id, std::span<const double> key) {
  ExprPool& pool = model_.expressions;
  const ComponentClass& cls = model_[id];
  ElementClass out;
  out.class_id = id;
  out.composite = cls.HasInside() || cls.kind == ClassKind::kSystem;

  std::vector<Replacement> known;
  if (!key.empty()) {
    const auto& entries = ParametersOf(id).entries;
    for (size_t k = 0; k < entries.size(); ++k) {
      const Parameter& p = cls.parameters[entries[k].parameter];
      if (entries[k].by_value) {
        if (!(key[k] == key[k])) continue;
        out.values[p.symbol.value] = key[k];
        known.emplace_back(
            p.symbol, p.type.base == BaseType::kBoolean ? pool.Boolean(key[k] != 0) : pool.Number(key[k]));
      } else if (key[k] == 0) {
        known.emplace_back(p.symbol, pool.Zero());
        out.zero_parameters.push_back(entries[k].parameter);
      }
    }
  }
  const auto put_in = [&](ExprId expr) {
    return expr.IsNone() || known.empty() ? expr : Substitute(pool, expr, known);
  };
  for (Equation equation : cls.equations) {
    if (equation.initial) continue;
    equation.left = put_in(equation.left);
    equation.right = put_in(equation.right);
    if (equation.left != equation.right) out.equations.push_back(equation);
  }
  out.energy = put_in(cls.energy);
  out.loss = put_in(cls.loss);

  out.terminal_first.resize(cls.terminals.size());
  for (const uint32_t t : ByName(model_, cls.terminals)) {
    out.terminal_first[t] = out.terminals();
    out.slot_terminal.insert(out.slot_terminal.end(), Limited(cls.terminals[t].shape, out.values), t);
  }
  for (const Terminal& terminal : cls.terminals)
    out.terminal_size.push_back(Limited(terminal.shape, out.values));

  out.input_first.assign(cls.variables.size(), UINT32_MAX);
  for (const uint32_t v : ByName(model_, cls.variables)) {
    const VariableRole role = cls.variables[v].role;
    const bool taken = role == VariableRole::kInput || role == VariableRole::kExogenous ||
                       (role == VariableRole::kOutput && out.composite);
    if (!taken) continue;
    out.input_first[v] = static_cast<uint32_t>(out.slot_variable.size());
    out.slot_variable.insert(out.slot_variable.end(), Limited(cls.variables[v].shape, out.values), v);
  }

  const TerminalEquations bound = FindTerminalEquations(model_, out);
  out.groups = bound.groups;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> element_groups;  // of arrays whose elements are apart
  for (const uint32_t e : ByName(model_, cls.edges)) {
    const Edge& edge = cls.edges[e];
    const uint32_t count = Limited(edge.shape, out.values);
    for (uint32_t k = 0; k < count; ++k) {
      ElementEdge row;
      row.edge = e;
      row.index = k;
      // A single terminal at one end of an array of edges is shared by all of them.
      const auto slot = [&](uint32_t terminal) {
        const uint32_t first = out.terminal_first[terminal], size = out.terminal_size[terminal];
        return size <= 1 ? first : first + std::min(k, size - 1);
      };
      row.from = slot(edge.from);
      if (edge.to) row.to = slot(*edge.to);
      row.domain = edge.domain;
      row.across_order = bound.edges[e].across_order;
      row.through_order = bound.edges[e].through_order;
      row.fixes_across = bound.edges[e].fixes_across;
      row.fixes_through = bound.edges[e].fixes_through;
      row.group = bound.edges[e].group;
      if (k > 0 && bound.edges[e].elementwise) {
        const auto [at, fresh] = element_groups.try_emplace({row.group, k}, out.groups);
        if (fresh) ++out.groups;
        row.group = at->second;
      }
      out.edges.push_back(row);
    }
  }
  FindEdgeKinds(model_, bound, out);
  std::map<uint32_t, uint32_t> by_name;  // groups in the order of the edges' names
  for (ElementEdge& e : out.edges)
    e.group = by_name.try_emplace(e.group, static_cast<uint32_t>(by_name.size())).first->second;
  return out;
}

}  // namespace cotree
