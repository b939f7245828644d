// SPDX-License-Identifier: Apache-2.0
#include "system_graph/direct_inputs.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "expr/dependence.h"

namespace cotree {

std::vector<std::vector<uint32_t>> FindDirectInputs(const Model& model, const ElementClass& element) {
  const ExprPool& pool = model.expressions;
  const ComponentClass& cls = model[element.class_id];
  const size_t count = cls.variables.size();
  std::vector<std::vector<uint32_t>> out(count);
  if (cls.kind == ClassKind::kSoftware) {
    for (const OutputGroup& group : cls.groups) {
      for (const uint32_t output : group.outputs) {
        for (const uint32_t input : group.inputs) out[output].push_back(input);
      }
    }
    return out;
  }
  std::unordered_map<uint32_t, uint32_t> variable_of;
  for (uint32_t v = 0; v < count; ++v) variable_of[cls.variables[v].symbol.value] = v;

  // Highest orders, and what each equation holds.
  std::vector<uint32_t> highest(count, 0);
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> rows;
  std::vector<bool> uncertain;  // by row: a coefficient that is an element of an array may be zero
  for (const Equation& equation : element.equations) {
    auto& row = rows.emplace_back();
    uncertain.push_back(false);
    for (const ExprId side : {equation.left, equation.right}) {
      for (const Dependence& d : FindDependence(pool, side)) {
        for (const Parameter& p : cls.parameters) {
          if (p.symbol == d.base && !p.shape.empty()) uncertain.back() = true;
        }
        const auto at = variable_of.find(d.base.value);
        if (at == variable_of.end()) continue;
        row.emplace_back(at->second, d.order);
        highest[at->second] = std::max(highest[at->second], d.order);
      }
    }
  }
  std::vector<bool> given(count, false);
  for (uint32_t v = 0; v < count; ++v) {
    const VariableRole role = cls.variables[v].role;
    given[v] = role == VariableRole::kInput || role == VariableRole::kExogenous;
  }
  for (const WhenClause& clause : cls.whens) {
    for (const WhenAction& action : clause.actions) {
      if (action.reinit) continue;
      for (const Dependence& d : FindDependence(pool, action.target)) {
        const auto at = variable_of.find(d.base.value);
        if (at != variable_of.end()) given[at->second] = true;
      }
    }
  }
  const auto unknown = [&](uint32_t v, uint32_t order) { return !given[v] && order == highest[v]; };

  // Matching by augmenting paths; an array takes any number of equations.
  std::vector<uint32_t> match_of(count, UINT32_MAX), variable_for(rows.size(), UINT32_MAX);
  std::vector<bool> visited;
  const std::function<bool(uint32_t)> augment = [&](uint32_t row) {
    for (const auto& [v, order] : rows[row]) {
      if (!unknown(v, order) || visited[v]) continue;
      visited[v] = true;
      if (!cls.variables[v].shape.empty() || match_of[v] == UINT32_MAX || augment(match_of[v])) {
        match_of[v] = row;
        variable_for[row] = v;
        return true;
      }
    }
    return false;
  };
  for (uint32_t row = 0; row < rows.size(); ++row) {
    visited.assign(count, false);
    augment(row);
  }

  std::vector<std::vector<uint32_t>> rows_for(count);
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (variable_for[row] != UINT32_MAX && !uncertain[row]) rows_for[variable_for[row]].push_back(row);
  }
  for (uint32_t v = 0; v < count; ++v) {
    if (cls.variables[v].role != VariableRole::kOutput && count > 200)
      continue;  // what is read from a large block: its outputs
    std::vector<bool> seen(count, false);
    std::vector<uint32_t> stack;
    if (highest[v] == 0) stack.push_back(v);  // a state is known at an instant
    seen[v] = true;
    while (!stack.empty()) {
      const uint32_t at = stack.back();
      stack.pop_back();
      for (const uint32_t row : rows_for[at]) {
        for (const auto& [w, order] : rows[row]) {
          const VariableRole role = cls.variables[w].role;
          if (role == VariableRole::kInput || role == VariableRole::kExogenous) {
            if (!seen[w]) out[v].push_back(w);
            seen[w] = true;
          } else if (!seen[w] && unknown(w, order)) {
            seen[w] = true;
            stack.push_back(w);
          }
        }
      }
    }
    std::sort(out[v].begin(), out[v].end());
  }
  return out;
}

}  // namespace cotree
