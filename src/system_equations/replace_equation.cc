// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "expr/dependence.h"
#include "expr/differentiate.h"
#include "expr/linear.h"
#include "expr/substitute.h"
#include "system_equations/equation_system.h"

namespace cotree {
namespace {

/* Writes equations in symbols of the whole system: #x17 is variable 17. */
class Combiner {
 public:
  explicit Combiner(EquationSystem& system) : system_(system), pool_(system.model->expressions) {}

  SymbolId Global(uint32_t variable, uint32_t order) {
    const SymbolId base = pool_.DeclareSymbol("#x" + std::to_string(variable), SymbolKind::kVariable);
    variable_of_[base.value] = variable;
    return pool_.SymbolOfOrder(base, static_cast<int>(order));
  }

  ExprId Write(const CombinationTerm& term) {
    const EquationSystem::Source source = system_.SourceOf(term.equation);
    if (source.part == nullptr) {
      std::vector<ExprId> terms{
          pool_.Negate(pool_.Symbol(Global(system_.row_defined[source.local], term.times)))};
      for (uint32_t k = system_.row_first[source.local]; k < system_.row_first[source.local + 1]; ++k) {
        const RowEntry& entry = system_.row_entries[k];
        const ExprId symbol = pool_.Symbol(Global(entry.variable, entry.order + term.times));
        terms.push_back(entry.sign < 0 ? pool_.Negate(symbol) : symbol);
      }
      return pool_.Sum(terms);
    }
    const Part part = *source.part;
    const ScalarElement& scalar = system_.scalars[part.scalar];
    const ExprId residual =
        TimeDerivative(pool_, scalar.equations[source.local].residual, static_cast<int>(term.times));
    const auto numbers = system_.parameters.Of(ComponentId(part.component), scalar);
    std::map<uint32_t, uint32_t> local;
    for (uint32_t v = 0; v < scalar.variables.size(); ++v)
      local.try_emplace(scalar.variables[v].symbol.value, v);
    std::vector<Replacement> replacements;
    for (const SymbolId symbol : FindSymbols(pool_, residual)) {
      const SymbolInfo info = pool_.symbol(symbol);
      if (pool_.kind(info.base) == SymbolKind::kParameter) {
        for (size_t p = 0; p < scalar.parameters.size(); ++p) {
          if (scalar.parameters[p].symbol == symbol)
            replacements.emplace_back(symbol, pool_.Number(numbers[p]));
        }
        continue;
      }
      const auto at = local.find(info.base.value);
      if (at == local.end()) continue;
      const VariableRef ref = system_.Resolve(part, at->second);
      replacements.emplace_back(symbol, pool_.Symbol(Global(ref.variable, ref.order + info.order)));
    }
    return Substitute(pool_, residual, replacements);
  }

  /// The variable of a symbol made by Global.
  uint32_t VariableOf(SymbolId base) const { return variable_of_.at(base.value); }
  bool IsGlobal(SymbolId base) const { return variable_of_.count(base.value) > 0; }

 private:
  EquationSystem& system_;
  ExprPool& pool_;
  std::map<uint32_t, uint32_t> variable_of_;
};

// `residual` = 0, in symbols of the whole system, in the place of an equation.
void Put(EquationSystem& system, const Combiner& combiner, uint32_t equation, ExprId residual) {
  ExprPool& pool = system.model->expressions;
  ScalarEquation row;
  row.left = row.residual = residual;
  row.right = pool.Zero();
  ScalarElement scalar;
  scalar.always = 1;
  Part part{static_cast<uint32_t>(system.scalars.size()), 0, 0, UINT32_MAX,
            static_cast<uint32_t>(system.bindings.size())};
  for (const Dependence& d : FindDependence(pool, residual)) {
    if (!combiner.IsGlobal(d.base)) continue;
    row.uses.push_back({static_cast<uint32_t>(scalar.variables.size()), d.order});
    scalar.variables.push_back({ScalarVariable::Role::kInner, 0, 0, d.base});
    system.bindings.push_back({combiner.VariableOf(d.base), 0});
  }
  scalar.equations.push_back(std::move(row));
  system.scalars.push_back(std::move(scalar));
  system.replaced[equation] = static_cast<uint32_t>(system.extra_parts.size());
  system.extra_parts.push_back(part);
}

}  // namespace

Combined ReplaceEquation(EquationSystem& system, std::span<const CombinationTerm> terms,
                         std::span<const VariableRef> cancelled) {
  ExprPool& pool = system.model->expressions;
  Combiner combiner(system);
  // Linear terms are added up by variable, so that what cancels is seen; the rest stays as it is.
  std::map<std::pair<uint32_t, uint32_t>, std::pair<double, double>> coefficients;  // sum, sum of sizes
  std::vector<ExprId> rest;
  std::vector<Replacement> at_zero;
  for (const VariableRef& ref : cancelled)
    at_zero.emplace_back(combiner.Global(ref.variable, ref.order), pool.Zero());
  for (const CombinationTerm& term : terms) {
    const ExprId expr = combiner.Write(term);
    std::vector<SymbolId> symbols;
    for (const SymbolId symbol : FindSymbols(pool, expr)) {
      if (combiner.IsGlobal(pool.symbol(symbol).base)) symbols.push_back(symbol);
    }
    const LinearForm form = LinearCoefficients(pool, expr, symbols);
    bool numbers = form.linear;
    for (size_t k = 0; numbers && k < symbols.size(); ++k) numbers = pool.IsNumber(form.coefficients[k]);
    const ExprId factor = pool.Number(term.factor);
    if (!numbers) {
      rest.push_back(pool.Multiply(factor, Substitute(pool, expr, at_zero)));
      continue;
    }
    for (size_t k = 0; k < symbols.size(); ++k) {
      const SymbolInfo info = pool.symbol(symbols[k]);
      auto& [sum, size] = coefficients[{combiner.VariableOf(info.base), info.order}];
      const double value = term.factor * pool.NumberValue(form.coefficients[k]);
      sum += value;
      size += std::fabs(value);
    }
    rest.push_back(pool.Multiply(factor, form.remainder));
  }
  for (const VariableRef& ref : cancelled) coefficients.erase({ref.variable, ref.order});
  for (const auto& [key, coefficient] : coefficients) {
    if (std::fabs(coefficient.first) <= 1e-12 * coefficient.second) continue;
    rest.push_back(
        pool.Multiply(pool.Number(coefficient.first), pool.Symbol(combiner.Global(key.first, key.second))));
  }
  const ExprId residual = pool.Sum(rest);
  if (FindDependence(pool, residual).empty()) {
    double size = 0;
    for (const ExprId term : rest) size += pool.IsNumber(term) ? std::fabs(pool.NumberValue(term)) : 0;
    const bool zero = pool.IsNumber(residual) && std::fabs(pool.NumberValue(residual)) <= 1e-12 * size;
    return zero ? Combined::kSaysNothing : Combined::kContradicts;
  }
  Put(system, combiner, terms.front().equation, residual);
  return Combined::kReplaced;
}

std::map<std::pair<uint32_t, uint32_t>, double> LinearNumbers(EquationSystem& system, uint32_t equation) {
  const ExprPool& pool = system.model->expressions;
  Combiner combiner(system);
  const ExprId expr = combiner.Write({equation, 0, 1});
  std::vector<SymbolId> symbols;
  for (const SymbolId symbol : FindSymbols(pool, expr)) {
    if (combiner.IsGlobal(pool.symbol(symbol).base)) symbols.push_back(symbol);
  }
  const LinearForm form = LinearCoefficients(system.model->expressions, expr, symbols);
  std::map<std::pair<uint32_t, uint32_t>, double> out;
  if (!form.linear) return out;
  for (size_t k = 0; k < symbols.size(); ++k) {
    if (!pool.IsNumber(form.coefficients[k])) return {};
    const SymbolInfo info = pool.symbol(symbols[k]);
    out[{combiner.VariableOf(info.base), info.order}] = pool.NumberValue(form.coefficients[k]);
  }
  return out;
}

// The equation of a class alone, with its remainder: left - right - remainder = 0.
uint32_t ConstraintKeeper::ScalarOf(const Part& from, uint32_t local) {
  const auto [at, fresh] =
      scalars_.try_emplace({from.scalar, local}, static_cast<uint32_t>(system_.scalars.size()));
  if (!fresh) return at->second;
  ExprPool& pool = system_.model->expressions;
  const ScalarElement& of = system_.scalars[from.scalar];
  ScalarElement scalar;
  scalar.parameters = of.parameters;
  scalar.always = 1;
  ScalarEquation row = of.equations[local];
  const auto add = [&](ScalarVariable variable, ScalarVariable::Role role) {
    variable.role = role;
    variable.index = variable.element = 0;
    scalar.variables.push_back(variable);
    return static_cast<uint32_t>(scalar.variables.size() - 1);
  };
  for (ScalarUse& use : row.uses)
    use.variable = add(of.variables[use.variable], ScalarVariable::Role::kInner);
  for (const ScalarVariable& variable : of.variables) {
    if (variable.role == ScalarVariable::Role::kDiscrete) add(variable, variable.role);
  }
  const SymbolId symbol = pool.DeclareSymbol("#remainder", SymbolKind::kVariable);
  row.uses.push_back({add({ScalarVariable::Role::kInner, 0, 0, symbol}, ScalarVariable::Role::kInner), 0});
  row.residual = pool.Subtract(row.residual, pool.Symbol(symbol));
  scalar.equations.push_back(std::move(row));
  system_.scalars.push_back(std::move(scalar));
  return at->second;
}

bool ConstraintKeeper::Keep(uint32_t equation, uint32_t times) {
  ExprPool& pool = system_.model->expressions;
  const EquationSystem::Source source = system_.SourceOf(equation);
  const uint32_t remainder = system_.variable_count;
  if (source.part == nullptr) {
    Combiner combiner(system_);
    const ExprId residual = combiner.Write({equation, 0, 1});
    Put(system_, combiner, equation, pool.Subtract(residual, pool.Symbol(combiner.Global(remainder, 0))));
  } else {
    const Part from = *source.part;
    const ScalarElement& of = system_.scalars[from.scalar];
    const ScalarEquation& row = of.equations[source.local];
    if (row.foreign || row.group != UINT32_MAX) return false;
    for (const ExprId condition : FindHeld(pool, std::span(&row.residual, 1))) {
      if (std::find(of.held.begin(), of.held.end(), condition) != of.held.end()) return false;
    }
    std::vector<VariableRef> refs;
    for (const ScalarUse& use : row.uses) refs.push_back(system_.Resolve(from, use.variable));
    for (uint32_t v = 0; v < of.variables.size(); ++v) {
      if (of.variables[v].role == ScalarVariable::Role::kDiscrete) refs.push_back(system_.Resolve(from, v));
    }
    refs.push_back({remainder, 0});
    const Part part{ScalarOf(from, source.local), from.component, 0, UINT32_MAX,
                    static_cast<uint32_t>(system_.bindings.size())};
    system_.bindings.insert(system_.bindings.end(), refs.begin(), refs.end());
    system_.replaced[equation] = static_cast<uint32_t>(system_.extra_parts.size());
    system_.extra_parts.push_back(part);
  }
  ++system_.variable_count;
  system_.is_input.resize(system_.variable_count, false);
  system_.is_input[remainder] = true;  // the search for the order knows nothing of it
  system_.kept_constraints.push_back({equation, remainder, times});
  for (uint32_t order = 0; order < times; ++order) {
    const auto last = static_cast<uint32_t>(system_.invariants.size() - 1);
    system_.invariants.push_back({remainder, UINT32_MAX, "", true, order, order > 0 ? last : UINT32_MAX});
  }
  return true;
}

void ReleaseEquation(EquationSystem& system, uint32_t equation, VariableRef variable) {
  Combiner combiner(system);
  Put(system, combiner, equation,
      system.model->expressions.Symbol(combiner.Global(variable.variable, variable.order)));
}

}  // namespace cotree
