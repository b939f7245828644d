// SPDX-License-Identifier: Apache-2.0
#include "system_graph/terminal_equations.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "expr/dependence.h"
#include "expr/substitute.h"
#include "expr/walk.h"
#include "graph/union_find.h"

namespace cotree {
namespace {

/** An unknown of a class: an edge (either variable of it) or a continuous variable. */
struct Unknown {
  bool edge;
  bool across;
  uint32_t index;
};

// Whether `symbol`, an array, is only used as symbol[loop variables], so that each element has equations of
// its own.
bool Elementwise(const ExprPool& pool, ExprId root, SymbolId symbol) {
  ExprOrder order;
  FindOrder(pool, std::span(&root, 1), &order);
  bool plain = true;
  std::vector<SymbolId> summed;
  for (const ExprId id : order.nodes) {
    if (pool.op(id) == Op::kSumOver) summed.push_back(pool.SymbolOf(id));
  }
  for (const ExprId id : order.nodes) {
    if (pool.op(id) != Op::kElement) continue;
    const ExprId array = pool.operand(id, 0);
    if (!pool.IsSymbol(array) || pool.symbol(pool.SymbolOf(array)).base != symbol) continue;
    for (size_t k = 1; k < pool.operands(id).size(); ++k) {
      const ExprId index = pool.operand(id, k);
      plain = plain && pool.IsSymbol(index) &&
              std::find(summed.begin(), summed.end(), pool.SymbolOf(index)) == summed.end();
    }
  }
  return plain;
}

}  // namespace

TerminalEquations FindTerminalEquations(Model& model, const ElementClass& element) {
  ExprPool& pool = model.expressions;
  const ComponentClass& cls = model[element.class_id];
  const auto edge_count = static_cast<uint32_t>(cls.edges.size());
  const auto variable_count = static_cast<uint32_t>(cls.variables.size());
  TerminalEquations out;
  out.edges.resize(edge_count);
  out.variable_group.assign(variable_count, UINT32_MAX);
  out.variable_edges.resize(variable_count);

  std::unordered_map<uint32_t, Unknown> unknowns;  // by base symbol
  for (uint32_t e = 0; e < edge_count; ++e) {
    unknowns[cls.edges[e].across.value] = {true, true, e};
    unknowns[cls.edges[e].through.value] = {true, false, e};
  }
  for (uint32_t v = 0; v < variable_count; ++v) {
    const Variable& variable = cls.variables[v];
    const bool given = variable.role == VariableRole::kInput || variable.role == VariableRole::kExogenous;
    if (!given && !variable.discrete) unknowns[variable.symbol.value] = {false, false, v};
  }

  struct Row {
    ExprId residual_left, residual_right;
    std::vector<std::pair<Unknown, uint32_t>> terms;  // with the order
    uint32_t loops = 0;
    bool used = false;
  };
  std::vector<Row> rows;
  for (const Equation& equation : element.equations) {
    Row row{equation.left, equation.right, {}, equation.loops.count, false};
    std::map<uint32_t, uint32_t> orders;
    for (const ExprId side : {equation.left, equation.right}) {
      for (const Dependence& d : FindDependence(pool, side)) {
        const auto [at, fresh] = orders.try_emplace(d.base.value, d.order);
        if (!fresh) at->second = std::max(at->second, d.order);
      }
    }
    for (const auto& [base, order] : orders) {
      const auto unknown = unknowns.find(base);
      if (unknown != unknowns.end()) row.terms.emplace_back(unknown->second, order);
    }
    rows.push_back(std::move(row));
  }

  // Whether a row is one equation for each element of an unknown: a single one without loops, an array with
  // loops over its elements. Where arrays are used otherwise (`e[1].v = 5 V`, `sum(e[k].i)`) nothing is
  // concluded for all of it.
  const auto covers = [&](const Row& row, const Unknown& u) {
    const Shape& shape = u.edge ? cls.edges[u.index].shape : cls.variables[u.index].shape;
    if (shape.empty()) return row.loops == 0;
    const SymbolId symbol = !u.edge    ? cls.variables[u.index].symbol
                            : u.across ? cls.edges[u.index].across
                                       : cls.edges[u.index].through;
    return row.loops == shape.size() && Elementwise(pool, row.residual_left, symbol) &&
           Elementwise(pool, row.residual_right, symbol);
  };

  // What signals and time decide, then observers; each round settles at least one variable.
  std::vector<bool> known(variable_count, false), observed(variable_count, false);
  for (bool progress = true; progress;) {
    progress = false;
    for (Row& row : rows) {
      if (row.used) continue;
      const std::pair<Unknown, uint32_t>* only = nullptr;
      size_t count = 0;
      for (const auto& term : row.terms) {
        if (!term.first.edge && known[term.first.index]) continue;
        ++count;
        only = &term;
      }
      if (count == 1 && !only->first.edge && covers(row, only->first)) {
        known[only->first.index] = row.used = progress = true;
      }
    }
  }
  // A variable in one row only is what that row defines; taking both away may leave others in one row only.
  std::vector<std::vector<uint32_t>> rows_of(variable_count);
  std::vector<uint32_t> uses(variable_count, 0), work;
  for (uint32_t r = 0; r < rows.size(); ++r) {
    for (const auto& term : rows[r].terms) {
      if (!rows[r].used && !term.first.edge) rows_of[term.first.index].push_back(r);
    }
  }
  for (uint32_t v = 0; v < variable_count; ++v) {
    uses[v] = static_cast<uint32_t>(rows_of[v].size());
    if (uses[v] == 1) work.push_back(v);
  }
  while (!work.empty()) {
    const uint32_t v = work.back();
    work.pop_back();
    if (known[v] || observed[v]) continue;
    for (const uint32_t r : rows_of[v]) {
      if (rows[r].used || !covers(rows[r], {false, false, v})) continue;
      observed[v] = rows[r].used = true;
      for (const auto& term : rows[r].terms) {
        if (!term.first.edge && --uses[term.first.index] == 1) work.push_back(term.first.index);
      }
    }
  }

  UnionFind groups(edge_count + variable_count);
  const auto node = [&](const Unknown& u) { return u.edge ? u.index : edge_count + u.index; };
  for (Row& row : rows) {
    if (row.used) continue;
    std::erase_if(row.terms, [&](const auto& t) { return !t.first.edge && known[t.first.index]; });
    for (const auto& [variable, unused] : row.terms) {
      for (const auto& [edge, order] : row.terms) {
        if (!variable.edge && edge.edge) out.variable_edges[variable.index].push_back(edge.index);
      }
    }
    for (const auto& [unknown, order] : row.terms) {
      groups.Join(node(row.terms.front().first), node(unknown));
      if (!unknown.edge) continue;
      auto& bound = out.edges[unknown.index];
      int8_t& highest = unknown.across ? bound.across_order : bound.through_order;
      highest = std::max(highest, static_cast<int8_t>(std::min<uint32_t>(order, 100)));
      const SymbolId symbol =
          unknown.across ? cls.edges[unknown.index].across : cls.edges[unknown.index].through;
      if (!cls.edges[unknown.index].shape.empty() &&
          (!Elementwise(pool, row.residual_left, symbol) || !Elementwise(pool, row.residual_right, symbol)))
        bound.elementwise = false;
    }
    if (row.terms.size() == 1 && row.terms[0].first.edge && covers(row, row.terms[0].first)) {
      auto& bound = out.edges[row.terms[0].first.index];
      (row.terms[0].first.across ? bound.fixes_across : bound.fixes_through) = true;
      const ExprId residual = pool.Subtract(row.residual_left, row.residual_right);
      std::vector<Replacement> at_zero;
      for (const SymbolId symbol : FindSymbols(pool, residual)) {
        const SymbolId base = pool.symbol(symbol).base;
        const Edge& edge = cls.edges[row.terms[0].first.index];
        if (base == edge.across || base == edge.through) at_zero.emplace_back(symbol, pool.Zero());
      }
      bound.drives = bound.drives || !pool.IsZero(Substitute(pool, residual, at_zero));
    }
  }
  // A group has as many equations as unknowns. Where some have too many and some too few (an op-amp has both
  // of its equations at the input), they belong together.
  std::vector<int> balance(edge_count + variable_count, 0);
  for (const Row& row : rows) {
    if (!row.used && !row.terms.empty()) ++balance[groups.Find(node(row.terms.front().first))];
  }
  for (uint32_t e = 0; e < edge_count; ++e) --balance[groups.Find(e)];
  for (uint32_t v = 0; v < variable_count; ++v) {
    const bool counts = unknowns.count(cls.variables[v].symbol.value) > 0 && !known[v] && !observed[v];
    if (counts) --balance[groups.Find(edge_count + v)];
  }
  std::vector<uint32_t> unbalanced;
  for (uint32_t e = 0; e < edge_count; ++e) {
    if (balance[groups.Find(e)] != 0) unbalanced.push_back(e);
  }
  for (const uint32_t e : unbalanced) groups.Join(unbalanced.front(), e);

  std::unordered_map<uint32_t, uint32_t> number;
  for (uint32_t e = 0; e < edge_count; ++e)
    out.edges[e].group =
        number.try_emplace(groups.Find(e), static_cast<uint32_t>(number.size())).first->second;
  out.groups = static_cast<uint32_t>(number.size());
  for (uint32_t v = 0; v < variable_count; ++v) {
    const auto at = number.find(groups.Find(edge_count + v));
    if (at != number.end() && !observed[v] && !known[v]) out.variable_group[v] = at->second;
  }
  return out;
}

bool TerminalEquations::Belongs(uint32_t variable, uint32_t edge) const {
  const auto& near = variable_edges[variable];
  if (near.empty()) return variable_group[variable] == edges[edge].group;
  return std::find(near.begin(), near.end(), edge) != near.end();
}

}  // namespace cotree
