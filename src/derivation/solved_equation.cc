// SPDX-License-Identifier: Apache-2.0
#include "derivation/solved_equation.h"

#include <algorithm>

#include "expr/print_text.h"
#include "expr/solve.h"
#include "expr/substitute.h"
#include "expr/walk.h"

namespace cotree {
namespace {

// A row a = b - c solved for any of its variables.
ExprId SolvedRow(const SortedSystem& sorted, uint32_t row, uint32_t times, uint32_t unknown) {
  const EquationSystem& system = *sorted.system;
  ExprPool& pool = system.model->expressions;
  struct Term {
    VariableRef ref;
    int sign;
  };
  std::vector<Term> terms{{{system.row_defined[row], times}, -1}};
  for (uint32_t k = system.row_first[row]; k < system.row_first[row + 1]; ++k) {
    const RowEntry& entry = system.row_entries[k];
    terms.push_back({{entry.variable, entry.order + times}, entry.sign});
  }
  const auto own =
      std::find_if(terms.begin(), terms.end(), [&](const Term& t) { return sorted.Slot(t.ref) == unknown; });
  const int factor = own == terms.end() ? 1 : -own->sign;
  if (own != terms.end()) terms.erase(own);
  std::vector<ExprId> sum;
  for (const Term& t : terms) {
    const ExprId x = SymbolOfName(pool, system.VariableName(t.ref.variable, t.ref.order));
    sum.push_back(t.sign * factor < 0 ? pool.Negate(x) : x);
  }
  return pool.Sum(sum);
}

}  // namespace

ExprId SymbolOfName(ExprPool& pool, std::string_view name) {
  constexpr std::string_view kRate = "der(";
  int order = 0;
  while (name.starts_with(kRate) && name.ends_with(')')) {
    name = name.substr(kRate.size(), name.size() - kRate.size() - 1);
    ++order;
  }
  return pool.Symbol(name, order);
}

ExprId InSystemNames(const SortedSystem& sorted, const Part& part, ExprId expr) {
  const EquationSystem& system = *sorted.system;
  ExprPool& pool = system.model->expressions;
  const std::string owner = ComponentName(*system.model, *system.graph, ComponentId(part.component));
  std::vector<Replacement> names;
  ExprOrder order;  // pre(x) and delay(x) too
  FindOrder(pool, std::span(&expr, 1), &order);
  for (const ExprId id : order.nodes) {
    if (!pool.IsSymbol(id)) continue;
    const SymbolId symbol = pool.SymbolOf(id);
    const SymbolInfo info = pool.symbol(symbol);
    const uint32_t local = sorted.derived->VariableOf(part.scalar, info.base);
    const VariableRef ref = local == UINT32_MAX ? VariableRef{} : system.Resolve(part, local);
    if (ref.variable != UINT32_MAX)
      names.emplace_back(symbol,
                         SymbolOfName(pool, system.VariableName(ref.variable, ref.order + info.order)));
    else if (local == UINT32_MAX)
      names.emplace_back(symbol, pool.Symbol(pool.DeclareSymbol((owner.empty() ? "" : owner + ".") +
                                                                    std::string(pool.SymbolName(symbol)),
                                                                pool.kind(symbol))));
  }
  return Substitute(pool, expr, names);
}

std::optional<ExprId> SolvedRight(const SortedSystem& sorted, uint32_t sorted_equation) {
  const EquationSystem& system = *sorted.system;
  const SortedEquation& e = sorted.equations[sorted_equation];
  const uint32_t unknown = sorted.slot_of_equation[sorted_equation];
  const EquationSystem::Source source = system.SourceOf(e.equation);
  if (source.part == nullptr) return SolvedRow(sorted, source.local, e.times, unknown);
  const Part& part = *source.part;
  ExprPool& pool = system.model->expressions;
  const DerivedEquation& derived = sorted.derived->Get(part.scalar, source.local, e.times);
  for (const ScalarUse& use : derived.uses) {
    const VariableRef ref = system.Resolve(part, use.variable);
    if (ref.variable == UINT32_MAX || sorted.Slot({ref.variable, ref.order + use.order}) != unknown) continue;
    const SymbolId symbol = pool.SymbolOfOrder(system.scalars[part.scalar].variables[use.variable].symbol,
                                               static_cast<int>(use.order));
    const auto solution = SolveFor(pool, derived.residual, symbol);
    if (solution) return InSystemNames(sorted, part, solution->value);
  }
  return std::nullopt;
}

std::optional<std::string> SolvedText(const SortedSystem& sorted, uint32_t sorted_equation) {
  const auto right = SolvedRight(sorted, sorted_equation);
  if (!right) return std::nullopt;
  return PrintText(sorted.system->model->expressions, *right);
}

}  // namespace cotree
