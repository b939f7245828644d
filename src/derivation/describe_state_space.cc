// SPDX-License-Identifier: Apache-2.0
#include "derivation/describe_state_space.h"

#include <algorithm>
#include <span>

#include "expr/print_loop.h"

namespace cotree {
namespace {

using Role = ReadableSymbol::Role;

ExprId Derivative(ExprPool& pool, ExprId symbol) {
  return pool.Symbol(pool.SymbolOfOrder(pool.SymbolOf(symbol), 1));
}

using Labels = std::vector<MatrixItem::Label>;

// Of a matrix of rows by columns, those from (i, j) on.
std::vector<std::vector<ExprId>> PartOf(const std::vector<std::vector<ExprId>>& matrix, size_t first_row,
                                        size_t rows, size_t columns) {
  std::vector<std::vector<ExprId>> out;
  for (size_t i = first_row; i < first_row + rows; ++i)
    out.emplace_back(matrix[i].begin(), matrix[i].begin() + static_cast<ptrdiff_t>(columns));
  return out;
}

void AddVector(const std::string& name, const Labels& rows, std::span<const ExprId> values,
               std::vector<DocumentItem>* items) {
  if (values.empty()) return;
  MatrixItem item;
  item.name = name;
  item.columns.push_back({"", ExprId(), ""});
  item.rows = rows;
  for (const ExprId value : values) item.entries.push_back({value});
  items->emplace_back(std::move(item));
}

// "loop1, loop2: crank, rod, slide"
std::string LoopsText(const ReadableGroup& group) {
  std::string out;
  for (size_t k = 0; k < group.loops.size(); ++k) {
    const bool same = k + 1 < group.loops.size() && group.loops[k + 1] == group.loops[k];
    out += group.row_names[group.freedoms + k] + (same ? ", " : " around " + group.loops[k]);
    if (!same && k + 1 < group.loops.size()) out += "; ";
  }
  return out;
}

void AddGroup(ExprPool& pool, const StateSpace& space, const ReadableGroup& group,
              std::vector<DocumentItem>* items) {
  if (!group.linear) {
    EquationsItem equations;
    for (const ExprId residual : Renamed(pool, space, group.residuals))
      equations.rows.push_back({ExprId(), residual, group.component});
    items->emplace_back(TextItem{"Solved together at each evaluation, by iteration:"});
    items->emplace_back(std::move(equations));
    return;
  }
  const std::vector<ExprId> unknowns = Renamed(pool, space, group.unknowns),
                            right = Renamed(pool, space, group.right);
  const size_t all = unknowns.size(), moving = group.freedoms == 0 ? all : group.freedoms;
  Labels rows, columns;
  std::vector<std::vector<ExprId>> entries;
  for (size_t i = 0; i < all; ++i) {
    entries.push_back(Renamed(pool, space, group.matrix[i]));
    const ReadableSymbol* unknown = space.Find(group.unknowns[i]);
    const std::string component = unknown == nullptr ? "" : unknown->component;
    columns.push_back({"", unknowns[i], component});
    rows.push_back({!group.row_names.empty() ? group.row_names[i] : component, ExprId(), component});
    if (rows.back().text.empty()) rows.back().text = std::to_string(i + 1);
  }
  MatrixItem matrix;
  matrix.entries = PartOf(entries, 0, moving, moving);
  matrix.symmetric = true;
  for (size_t i = 0; i < moving; ++i) {
    for (size_t j = 0; j < i; ++j)
      matrix.symmetric = matrix.symmetric && matrix.entries[i][j] == matrix.entries[j][i];
  }
  // Rows have names where row i is the equation of unknown i.
  for (size_t i = 0; i < all && !matrix.symmetric && group.freedoms == 0; ++i)
    rows[i].text = std::to_string(i + 1);
  const Labels moving_rows(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(moving)),
      moving_columns(columns.begin(), columns.begin() + static_cast<ptrdiff_t>(moving)),
      held_rows(rows.begin() + static_cast<ptrdiff_t>(moving), rows.end());
  const auto letter = [&](const char* name) { return FreeLetter(space, name); };
  const std::string M = letter(group.is_motion ? "M" : "H"), V = letter("V"), G = letter("G"),
                    Q = letter("Q"), J = letter("J"), gamma = letter("gamma"), lambda = letter("lambda");
  const bool split = !group.coriolis.empty() || !group.gravity.empty();
  std::string sum = group.is_motion ? "Equations of motion, " + M + " times the accelerations"
                    : group.network.empty()
                        ? "Solved together at each evaluation, " + M + " times the unknowns"
                        : group.network + ", " + M + " times the unknowns";
  if (!group.coriolis.empty()) sum += " + " + V + " (Coriolis and centrifugal terms)";
  if (!group.gravity.empty()) sum += " + " + G + " (gravity)";
  sum += " = " + Q + (split ? " (forces)" : "");
  if (moving < all) sum += " + the transpose of " + J + " times " + lambda + " (what holds the loops)";
  items->emplace_back(TextItem{sum + ":"});
  matrix.name = M;
  matrix.rows = moving_rows;
  matrix.columns = moving_columns;
  items->emplace_back(std::move(matrix));
  const std::vector<ExprId> coriolis = Renamed(pool, space, group.coriolis),
                            gravity = Renamed(pool, space, group.gravity);
  for (const auto& [name, values] : {std::pair(V, &coriolis), {G, &gravity}, {Q, &right}})
    AddVector(name, moving_rows, std::span(*values).first(std::min(values->size(), moving)), items);
  if (moving == all) return;
  items->emplace_back(TextItem{"Conditions of the loops, " + J + " times the accelerations = " + gamma +
                               "; " + LoopsText(group) + ":"});
  MatrixItem conditions;
  conditions.name = J;
  conditions.rows = held_rows;
  conditions.columns = moving_columns;
  conditions.entries = PartOf(entries, moving, all - moving, moving);
  items->emplace_back(std::move(conditions));
  AddVector(gamma, held_rows, std::span(right).subspan(moving), items);
  AddVector(lambda, held_rows, std::span(unknowns).subspan(moving), items);
}

std::string RoleName(Role role) {
  switch (role) {
    case Role::kState:
      return "state";
    case Role::kInput:
      return "input";
    case Role::kParameter:
      return "parameter";
    case Role::kDefined:
      return "variable";
    case Role::kDiscrete:
      return "changes at events";
  }
  return {};
}

ExprId ShortSymbol(ExprPool& pool, const ReadableSymbol& s) {
  return pool.Symbol(pool.DeclareSymbol(s.name, pool.kind(pool.SymbolOf(s.symbol))));
}

}  // namespace

DocumentSection DescribeEquations(ExprPool& pool, const StateSpace& space) {
  DocumentSection out{"state_space", "State space", {}};
  EquationsItem open;
  const auto flush = [&] {
    if (!open.rows.empty()) out.items.emplace_back(std::move(open));
    open = {};
  };
  for (const ReadableStep& step : space.steps) {
    if (step.is_group) {
      flush();
      AddGroup(pool, space, space.groups[step.index], &out.items);
      continue;
    }
    const ReadableEquation& e = space.definitions[step.index];
    open.rows.push_back({Renamed(pool, space, e.symbol), Renamed(pool, space, e.right), e.component});
  }
  flush();
  for (const ReadableEquation& e : space.derivatives) {
    const ExprId left = Derivative(pool, Renamed(pool, space, e.symbol)),
                 right = Renamed(pool, space, e.right);
    if (left != right) open.rows.push_back({left, right, e.component});
  }
  flush();
  for (const ReadableEquation& e : space.outputs) {
    const ExprId right = Renamed(pool, space, e.right);
    if (e.symbol != e.right) open.rows.push_back({Renamed(pool, space, e.symbol), right, e.component});
  }
  flush();
  return out;
}

DocumentSection DescribeNames(ExprPool& pool, const StateSpace& space) {
  DocumentSection out{"names", "Names", {}};
  TableItem table{{"name", "is", "unit", "kind"}, "llll", {}};
  for (const ReadableSymbol& s : space.symbols) {
    const bool rate = std::any_of(space.rates.begin(), space.rates.end(),
                                  [&](const auto& pair) { return pair.first == s.symbol; });
    if (s.role == Role::kParameter || rate) continue;
    table.rows.push_back({{{"", ShortSymbol(pool, s)}, {s.path}, {s.unit}, {RoleName(s.role)}}, s.component});
  }
  if (!table.rows.empty()) out.items.emplace_back(std::move(table));
  return out;
}

DocumentSection DescribeParameters(ExprPool& pool, const StateSpace& space, int digits) {
  DocumentSection out{"parameters", "Parameters", {}};
  TableItem table{{"name", "value", "unit", "is"}, "lrll", {}};
  for (const ReadableSymbol& s : space.symbols) {
    if (s.role != Role::kParameter) continue;
    table.rows.push_back(
        {{{"", ShortSymbol(pool, s)}, {FormatNumber(s.value, digits)}, {s.unit}, {s.path}}, s.component});
  }
  if (!table.rows.empty()) out.items.emplace_back(std::move(table));
  return out;
}

void SetOwners(ExprPool& pool, const StateSpace& space, Document* document) {
  document->pool = &pool;
  for (const ReadableSymbol& s : space.symbols)
    document->component_of[pool.SymbolOf(ShortSymbol(pool, s)).value] = s.component;
}

}  // namespace cotree
