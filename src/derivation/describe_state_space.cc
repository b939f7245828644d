// SPDX-License-Identifier: Apache-2.0
#include "derivation/describe_state_space.h"

#include <algorithm>

#include "expr/print_loop.h"

namespace cotree {
namespace {

using Role = ReadableSymbol::Role;

ExprId Derivative(ExprPool& pool, ExprId symbol) {
  return pool.Symbol(pool.SymbolOfOrder(pool.SymbolOf(symbol), 1));
}

void AddGroup(ExprPool& pool, const StateSpace& space, const ReadableGroup& group,
              std::vector<DocumentItem>* items) {
  const std::vector<ExprId> unknowns = Renamed(pool, space, group.unknowns);
  if (!group.linear) {
    EquationsItem equations;
    for (const ExprId residual : Renamed(pool, space, group.residuals))
      equations.rows.push_back({ExprId(), residual, group.component});
    items->emplace_back(TextItem{"Solved together at each evaluation, by iteration:"});
    items->emplace_back(std::move(equations));
    return;
  }
  MatrixItem matrix;
  matrix.name = std::string(1, group.is_motion ? 'M' : 'H');
  const std::vector<ExprId> right = Renamed(pool, space, group.right);
  for (size_t i = 0; i < right.size(); ++i) {
    matrix.entries.push_back(Renamed(pool, space, group.matrix[i]));
    const ReadableSymbol* unknown = space.Find(group.unknowns[i]);
    MatrixItem::Label label{"", unknowns[i], unknown == nullptr ? "" : unknown->component};
    matrix.columns.push_back(label);
    label.formula = ExprId();
    label.text = label.component.empty() ? std::to_string(i + 1) : label.component;
    matrix.rows.push_back(label);
  }
  matrix.symmetric = true;
  for (size_t i = 0; i < matrix.entries.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      matrix.symmetric = matrix.symmetric && matrix.entries[i][j] == matrix.entries[j][i];
  }
  // Rows have names where row i is the equation of unknown i.
  for (size_t i = 0; i < matrix.rows.size() && !matrix.symmetric; ++i)
    matrix.rows[i].text = std::to_string(i + 1);
  const bool split = !group.coriolis.empty() || !group.gravity.empty();
  std::string sum = group.is_motion ? "Equations of motion, M times the accelerations"
                                    : "Solved together at each evaluation, H times the unknowns";
  if (!group.coriolis.empty()) sum += " + V (Coriolis and centrifugal terms)";
  if (!group.gravity.empty()) sum += " + G (gravity)";
  sum += split ? " = Q (forces):" : " = Q:";
  items->emplace_back(TextItem{sum});
  const std::vector<MatrixItem::Label> matrix_rows = matrix.rows;
  items->emplace_back(std::move(matrix));
  const auto vector = [&](const std::string& name, const std::vector<ExprId>& values) {
    if (values.empty()) return;
    MatrixItem item;
    item.name = name;
    item.columns.push_back({"", ExprId(), ""});
    for (size_t i = 0; i < values.size(); ++i) {
      item.entries.push_back({values[i]});
      item.rows.push_back(matrix_rows[i]);
    }
    items->emplace_back(std::move(item));
  };
  vector("V", Renamed(pool, space, group.coriolis));
  vector("G", Renamed(pool, space, group.gravity));
  vector("Q", right);
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
