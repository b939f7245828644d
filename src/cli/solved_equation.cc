// SPDX-License-Identifier: Apache-2.0
#include "cli/solved_equation.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "expr/dependence.h"
#include "expr/linear.h"
#include "expr/print_text.h"
#include "expr/solve.h"
#include "expr/substitute.h"
#include "expr/walk.h"

namespace cotree {
namespace {

// An expression of a class in the names of one of its parts.
std::string TextOf(const SortedSystem& sorted, const Part& part, ExprId expr) {
  const EquationSystem& system = *sorted.system;
  ExprPool& pool = system.model->expressions;
  const std::string owner = ComponentName(*system.model, *system.graph, ComponentId(part.component));
  std::vector<Replacement> names;
  for (const SymbolId symbol : FindSymbols(pool, expr)) {
    const SymbolInfo info = pool.symbol(symbol);
    const uint32_t local = sorted.derived->VariableOf(part.scalar, info.base);
    const VariableRef ref = local == UINT32_MAX ? VariableRef{} : system.Resolve(part, local);
    if (ref.variable != UINT32_MAX)
      names.emplace_back(symbol, pool.Symbol(system.VariableName(ref.variable, ref.order + info.order)));
    else if (local == UINT32_MAX)
      names.emplace_back(
          symbol, pool.Symbol((owner.empty() ? "" : owner + ".") + std::string(pool.SymbolName(symbol))));
  }
  return PrintText(pool, Substitute(pool, expr, names));
}

// A row a = b - c solved for any of its variables.
std::string SolvedRow(const SortedSystem& sorted, uint32_t row, uint32_t times, uint32_t unknown) {
  const EquationSystem& system = *sorted.system;
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
  std::string text;
  for (const Term& t : terms) {
    const std::string name = system.VariableName(t.ref.variable, t.ref.order);
    const bool minus = t.sign * factor < 0;
    text += text.empty() ? (minus ? "-" : "") + name : (minus ? " - " : " + ") + name;
  }
  return text.empty() ? "0" : text;
}

bool HasTime(const ExprPool& pool, ExprId expr) {
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  return std::any_of(order.nodes.begin(), order.nodes.end(),
                     [&](ExprId node) { return pool.op(node) == Op::kTime; });
}

bool OfParametersOnly(const ExprPool& pool, ExprId expr) {
  for (const SymbolId symbol : FindSymbols(pool, expr)) {
    if (pool.kind(symbol) != SymbolKind::kParameter) return false;
  }
  return !HasTime(pool, expr);
}

}  // namespace

std::optional<std::string> SolvedText(const SortedSystem& sorted, uint32_t sorted_equation) {
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
    if (solution) return TextOf(sorted, part, solution->value);
  }
  return std::nullopt;
}

bool DependsOnTime(const SortedSystem& sorted, uint32_t sorted_equation) {
  const SortedEquation& e = sorted.equations[sorted_equation];
  const EquationSystem::Source source = sorted.system->SourceOf(e.equation);
  if (source.part == nullptr) return false;
  const ExprPool& pool = sorted.system->model->expressions;
  const ScalarElement& scalar = sorted.system->scalars[source.part->scalar];
  const ExprId residual = sorted.derived->Get(source.part->scalar, source.local, e.times).residual;
  if (HasTime(pool, residual)) return true;
  for (const Dependence& d : FindDependence(pool, residual)) {
    const uint32_t local = sorted.derived->VariableOf(source.part->scalar, d.base);
    if (local != UINT32_MAX && scalar.variables[local].role == ScalarVariable::Role::kDiscrete) return true;
  }
  return false;
}

bool IsLinear(const SortedSystem& sorted) {
  const EquationSystem& system = *sorted.system;
  ExprPool& pool = system.model->expressions;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> seen;
  for (const SortedEquation& e : sorted.equations) {
    const EquationSystem::Source source = system.SourceOf(e.equation);
    if (source.part == nullptr) continue;
    const uint32_t scalar = source.part->scalar;
    if (!seen.insert({scalar, source.local, e.times}).second) continue;
    const DerivedEquation& derived = sorted.derived->Get(scalar, source.local, e.times);
    std::vector<SymbolId> symbols;
    for (const ScalarUse& use : derived.uses)
      symbols.push_back(pool.SymbolOfOrder(system.scalars[scalar].variables[use.variable].symbol,
                                           static_cast<int>(use.order)));
    const LinearForm form = LinearCoefficients(pool, derived.residual, symbols);
    if (!form.linear) return false;
    for (const ExprId coefficient : form.coefficients) {
      if (!OfParametersOnly(pool, coefficient)) return false;
    }
  }
  return true;
}

}  // namespace cotree
