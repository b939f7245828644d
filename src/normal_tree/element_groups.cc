// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expr/dependence.h"
#include "expr/differentiate.h"
#include "expr/evaluate_field.h"
#include "expr/walk.h"
#include "graph/union_find.h"
#include "normal_tree/group_values.h"

namespace cotree {

namespace {

constexpr uint64_t kSeed = 0x5EEDC07EE;  // any; the same always
constexpr int kTrials = 4;

/** The equations of a class while it is found out which are terminal equations. */
struct Rows {
  std::vector<uint32_t> equations;              // those at work
  std::vector<bool> settled;                    // by row: decided by signals, or an observer
  std::vector<std::vector<uint32_t>> unknowns;  // by row
  std::vector<bool> known, observed;            // by variable
};

bool IsEdgeVariable(const ScalarElement& scalar, uint32_t v) {
  const auto role = scalar.variables[v].role;
  return role == ScalarVariable::Role::kAcross || role == ScalarVariable::Role::kThrough;
}

Rows FindRows(const ScalarElement& scalar) {
  Rows out;
  out.known.assign(scalar.continuous, false);
  out.observed.assign(scalar.continuous, false);
  for (uint32_t q = 0; q < scalar.always && q < scalar.equations.size(); ++q) {
    if (scalar.equations[q].initial) continue;
    std::vector<uint32_t> unknowns;
    for (const ScalarUse& use : scalar.equations[q].uses) {
      if (use.variable < scalar.continuous) unknowns.push_back(use.variable);
    }
    out.equations.push_back(q);
    out.unknowns.push_back(std::move(unknowns));
  }
  out.settled.assign(out.equations.size(), false);
  return out;
}

std::vector<std::vector<uint32_t>> RowsOf(const ScalarElement& scalar, const Rows& rows) {
  std::vector<std::vector<uint32_t>> out(scalar.continuous);
  for (uint32_t r = 0; r < rows.unknowns.size(); ++r) {
    for (const uint32_t v : rows.unknowns[r]) out[v].push_back(r);
  }
  return out;
}

// A row with one unknown left, which is no edge's, decides it.
void SettleSignals(const ScalarElement& scalar, const std::vector<std::vector<uint32_t>>& rows_of,
                   Rows* rows) {
  std::vector<uint32_t> left(rows->unknowns.size()), work;
  for (uint32_t r = 0; r < left.size(); ++r) {
    left[r] = static_cast<uint32_t>(rows->unknowns[r].size());
    if (left[r] == 1) work.push_back(r);
  }
  for (size_t at = 0; at < work.size(); ++at) {
    const uint32_t r = work[at];
    if (rows->settled[r] || left[r] != 1) continue;
    for (const uint32_t v : rows->unknowns[r]) {
      if (rows->known[v] || IsEdgeVariable(scalar, v)) continue;
      rows->known[v] = rows->settled[r] = true;
      for (const uint32_t other : rows_of[v]) {
        if (--left[other] == 1) work.push_back(other);
      }
    }
  }
}

// A variable in one row only is what that row defines; taking both away may leave others in one row only.
void SettleObservers(const ScalarElement& scalar, const std::vector<std::vector<uint32_t>>& rows_of,
                     Rows* rows) {
  std::vector<uint32_t> uses(scalar.continuous, 0), work;
  for (uint32_t v = 0; v < scalar.continuous; ++v) {
    for (const uint32_t r : rows_of[v]) uses[v] += rows->settled[r] ? 0u : 1u;
    if (uses[v] == 1 && !IsEdgeVariable(scalar, v)) work.push_back(v);
  }
  for (size_t at = 0; at < work.size(); ++at) {
    const uint32_t v = work[at];
    if (rows->known[v] || rows->observed[v] || uses[v] != 1) continue;
    for (const uint32_t r : rows_of[v]) {
      if (rows->settled[r]) continue;
      rows->observed[v] = rows->settled[r] = true;
      for (const uint32_t other : rows->unknowns[r]) {
        if (--uses[other] == 1 && !IsEdgeVariable(scalar, other)) work.push_back(other);
      }
    }
  }
}

// Numbers the sets of edges, variables and rows that hang together; groups in the order of their edges.
void NumberGroups(const ElementClass& element, const ScalarElement& scalar, const Rows& rows, UnionFind* sets,
                  ElementGroups* out) {
  const auto edge_count = static_cast<uint32_t>(element.edges.size());
  const auto node = [&](uint32_t v) {
    return IsEdgeVariable(scalar, v) ? scalar.variables[v].index : edge_count + v;
  };
  std::vector<uint32_t> first(edge_count, UINT32_MAX);
  for (uint32_t e = 0; e < edge_count; ++e) {
    uint32_t& leader = first[std::min(element.edges[e].group, edge_count - 1)];
    if (leader == UINT32_MAX) leader = e;
    sets->Join(leader, e);
  }
  for (size_t r = 0; r < rows.unknowns.size(); ++r) {
    if (rows.settled[r]) continue;
    uint32_t previous = UINT32_MAX;
    for (const uint32_t v : rows.unknowns[r]) {
      if (rows.known[v]) continue;
      if (previous != UINT32_MAX) sets->Join(previous, node(v));
      previous = node(v);
    }
  }
  std::vector<uint32_t> number(edge_count, UINT32_MAX);
  for (uint32_t e = 0; e < edge_count; ++e) {
    uint32_t& group = number[sets->Find(e)];
    if (group == UINT32_MAX) {
      group = static_cast<uint32_t>(out->edges.size());
      out->edges.emplace_back();
    }
    out->group_of_edge.push_back(group);
    out->place.push_back(static_cast<uint32_t>(out->edges[group].size()));
    out->edges[group].push_back(e);
  }
}

bool Switches(const ExprPool& pool, ExprId residual) {
  ExprOrder order;
  FindOrder(pool, std::span(&residual, 1), &order);
  return std::any_of(order.nodes.begin(), order.nodes.end(),
                     [&](ExprId id) { return pool.op(id) == Op::kIf; });
}

// Whether a coefficient depends on the variables of the component.
bool Varies(const ExprPool& pool, ExprId coefficient) {
  for (const Dependence& d : FindDependence(pool, coefficient)) {
    if (pool.kind(d.base) == SymbolKind::kVariable) return true;
  }
  return false;
}

/** A coefficient still to be evaluated. */
struct Coefficient {
  uint32_t group;
  GroupEquations::Term term;
  ExprId value;
};

// An undefined value (0 in a denominator) is tried at other points; what is undefined everywhere counts as
// not zero.
void EvaluateCoefficients(const ExprPool& pool, std::vector<Coefficient>* coefficients) {
  std::vector<ExprId> roots;
  for (const auto& c : *coefficients) roots.push_back(c.value);
  std::vector<FieldElement> values;
  for (int trial = 0; trial < kTrials; ++trial) {
    values = EvaluateField(pool, roots, kSeed + static_cast<uint64_t>(trial));
    if (std::all_of(values.begin(), values.end(), [](const FieldElement& v) { return v.defined; })) break;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const FieldElement index{i + 1, true};
    (*coefficients)[i].term.coefficient =
        values[i].defined ? values[i].value : FieldHash(kSeed, std::span(&index, 1)).value;
  }
}

}  // namespace

std::vector<GroupEquations> FindGroupEquations(Model& model, const ElementClass& element,
                                               const ScalarElement& scalar, ElementGroups* groups) {
  ExprPool& pool = model.expressions;
  const auto edge_count = static_cast<uint32_t>(element.edges.size());
  Rows rows = FindRows(scalar);
  const auto rows_of = RowsOf(scalar, rows);
  SettleSignals(scalar, rows_of, &rows);
  SettleObservers(scalar, rows_of, &rows);
  UnionFind sets(edge_count + scalar.continuous);
  NumberGroups(element, scalar, rows, &sets, groups);

  std::vector<GroupEquations> out(groups->edges.size());
  for (size_t g = 0; g < out.size(); ++g) out[g].edges = static_cast<uint32_t>(groups->edges[g].size());
  const auto group_of_set = [&](uint32_t node) {
    const uint32_t root = sets.Find(node);  // the smallest member: an edge, if there is one
    return root < edge_count ? groups->group_of_edge[root] : UINT32_MAX;
  };
  std::vector<uint32_t> column(scalar.continuous, UINT32_MAX), group_of(scalar.continuous, UINT32_MAX);
  for (uint32_t v = 0; v < scalar.continuous; ++v) {
    if (rows.known[v] || rows.observed[v]) continue;
    const uint32_t edge = scalar.variables[v].index;
    group_of[v] = group_of_set(IsEdgeVariable(scalar, v) ? edge : edge_count + v);
    if (group_of[v] == UINT32_MAX) continue;
    if (!IsEdgeVariable(scalar, v))
      column[v] = 2 * out[group_of[v]].edges + out[group_of[v]].internals++;
    else
      column[v] =
          2 * groups->place[edge] + (scalar.variables[v].role == ScalarVariable::Role::kThrough ? 1 : 0);
  }
  std::vector<Coefficient> coefficients;
  for (size_t r = 0; r < rows.equations.size(); ++r) {
    if (rows.settled[r]) continue;
    const ScalarEquation& equation = scalar.equations[rows.equations[r]];
    uint32_t group = UINT32_MAX;
    for (const uint32_t v : rows.unknowns[r]) {
      if (group_of[v] != UINT32_MAX) group = group_of[v];
    }
    if (group == UINT32_MAX) continue;
    const uint32_t row = out[group].rows++;
    out[group].switching = out[group].switching || Switches(pool, equation.residual);
    for (const ScalarUse& use : equation.uses) {
      if (use.variable >= scalar.continuous || column[use.variable] == UINT32_MAX) continue;
      for (uint32_t order = 0; order <= use.order; ++order) {
        const SymbolId symbol =
            pool.SymbolOfOrder(scalar.variables[use.variable].symbol, static_cast<int>(order));
        const ExprId value = Differentiate(pool, equation.residual, symbol);
        if (order == use.order && Varies(pool, value)) {
          auto& nonlinear = out[group].nonlinear;
          if (std::find(nonlinear.begin(), nonlinear.end(), column[use.variable]) == nonlinear.end())
            nonlinear.push_back(column[use.variable]);
        }
        if (!pool.IsZero(value))
          coefficients.push_back({group, {row, column[use.variable], order, 0}, value});
      }
    }
  }
  EvaluateCoefficients(pool, &coefficients);
  for (const Coefficient& c : coefficients) {
    if (c.term.coefficient != 0) out[c.group].terms.push_back(c.term);
  }
  return out;
}

ElementGroups FindElementGroups(Model& model, const ElementClass& element, const ScalarElement& scalar) {
  ElementGroups out;
  if (element.edges.empty()) return out;
  for (const GroupEquations& equations : FindGroupEquations(model, element, scalar, &out)) {
    out.values.emplace_back(equations);
    if (equations.switching) out.values.back().MarkSwitching();
    if (!equations.switching) out.values.back().MarkNonlinear(equations.nonlinear);
  }
  return out;
}

std::vector<ElementGroups> FindGroups(Model& model, const SystemGraph& graph,
                                      const std::vector<ScalarElement>& scalars) {
  std::vector<ElementGroups> out;
  for (size_t k = 0; k < graph.elements.size(); ++k)
    out.push_back(FindElementGroups(model, graph.elements[k], scalars[k]));
  return out;
}

}  // namespace cotree
