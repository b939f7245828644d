// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expr/dependence.h"
#include "expr/differentiate.h"
#include "expr/print_text.h"
#include "expr/substitute.h"
#include "system_equations/equation_system.h"

namespace cotree {

uint32_t EquationSystem::PartOfVariable(uint32_t variable) const {
  const auto at = std::upper_bound(parts.begin(), parts.end(), variable,
                                   [](uint32_t v, const Part& p) { return v < p.first_variable; });
  return static_cast<uint32_t>(at - parts.begin()) - 1;
}

uint32_t EquationSystem::HomeOfVariable(uint32_t variable) const {
  if (variable >= part_variables) return UINT32_MAX;
  const uint32_t number = PartOfVariable(variable);
  const auto components = static_cast<uint32_t>(graph->components.size());
  if (number < components) return number;
  const Part& part = parts[number];
  // The motion is the first part behind the components.
  if (number == components && variable - part.first_variable < motion_homes.size())
    return motion_homes[variable - part.first_variable];
  return part.component;
}

uint32_t EquationSystem::PartOfEquation(uint32_t equation) const {
  const auto at = std::upper_bound(parts.begin(), parts.end(), equation,
                                   [](uint32_t e, const Part& p) { return e < p.first_equation; });
  return static_cast<uint32_t>(at - parts.begin()) - 1;
}

bool EquationSystem::IsInner(uint32_t variable) const {
  if (variable >= part_variables) return false;
  const uint32_t number = PartOfVariable(variable);
  if (number < graph->components.size()) return false;
  const Part& part = parts[number];
  return model->expressions.SymbolName(scalars[part.scalar].variables[variable - part.first_variable].symbol)
      .starts_with("~");
}

std::string EquationSystem::VariableName(uint32_t variable, uint32_t order) const {
  const auto wrapped = [&](std::string text) {
    for (uint32_t k = 0; k < order; ++k) text = "der(" + text + ")";
    return text;
  };
  if (IsRemainder(variable)) {
    const KeptConstraint& kept = kept_constraints[variable - kept_constraints.front().remainder];
    return wrapped("remainder(" + EquationText(kept.equation) + ")");
  }
  if (variable >= part_variables) return wrapped("sum" + std::to_string(variable - part_variables + 1));
  const uint32_t number = PartOfVariable(variable);
  const Part& part = parts[number];
  if (number >= graph->components.size()) {
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (inputs[k].variable == variable) return wrapped(input_names[k]);
    }
    const std::string_view own = model->expressions.SymbolName(scalars[part.scalar].variables[0].symbol);
    const std::string_view at =
        model->expressions.SymbolName(scalars[part.scalar].variables[variable - part.first_variable].symbol);
    if (at.starts_with("@") || at.starts_with("~")) return wrapped(std::string(at.substr(1)));
    if (own.starts_with("#data(")) return wrapped(std::string(own.substr(1)));
    const std::string owner = ComponentName(*model, *graph, ComponentId(part.component));
    return wrapped((owner.empty() ? "associated" : owner + ".value") +
                   std::to_string(number - graph->components.size() + 1));
  }
  return ScalarName(*model, *graph, scalars[part.scalar], ComponentId(part.component),
                    variable - part.first_variable, order);
}

std::string EquationSystem::EquationText(uint32_t equation, uint32_t differentiations) const {
  if (IsRow(equation)) {
    const uint32_t row = equation - part_equations;
    std::string text = VariableName(row_defined[row], differentiations) + " =";
    bool first = true;
    for (uint32_t k = row_first[row]; k < row_first[row + 1]; ++k) {
      const RowEntry& entry = row_entries[k];
      const std::string name = VariableName(entry.variable, entry.order + differentiations);
      text += first ? (entry.sign < 0 ? " -" : " ") + name : (entry.sign < 0 ? " - " : " + ") + name;
      first = false;
    }
    return first ? text + " 0" : text;
  }
  ExprPool& pool = model->expressions;
  const Source source = SourceOf(equation);
  const Part& part = *source.part;
  const ScalarElement& scalar = scalars[part.scalar];
  const ScalarEquation& row = scalar.equations[source.local];
  ExprId sides[2] = {row.left, row.right};
  std::string text;
  const std::string owner = ComponentName(*model, *graph, ComponentId(part.component));
  for (int side = 0; side < 2; ++side) {
    const ExprId expr = differentiations == 0
                            ? sides[side]
                            : TimeDerivative(pool, sides[side], static_cast<int>(differentiations));
    std::vector<Replacement> names;
    for (const SymbolId symbol : FindSymbols(pool, expr)) {
      const SymbolInfo info = pool.symbol(symbol);
      std::string name;
      if (info.kind == SymbolKind::kParameter || pool.kind(info.base) == SymbolKind::kParameter) {
        name = (owner.empty() ? owner : owner + ".") + std::string(pool.SymbolName(symbol));
      } else {
        for (uint32_t v = 0; v < scalar.variables.size() && name.empty(); ++v) {
          if (scalar.variables[v].symbol != info.base) continue;
          const VariableRef ref = Resolve(part, v);
          name = ref.variable == UINT32_MAX ? std::string(pool.SymbolName(symbol))
                                            : VariableName(ref.variable, ref.order + info.order);
        }
      }
      if (!name.empty()) names.emplace_back(symbol, pool.Symbol(name));
    }
    text += (side == 0 ? "" : " = ") + PrintText(pool, Substitute(pool, expr, names));
  }
  return text;
}

std::string EquationSystem::EquationOrigin(uint32_t equation) const {
  if (IsRow(equation)) {
    const uint32_t row = equation - part_equations;
    const std::string name = VariableName(row_defined[row]);
    const std::string edge = name.substr(0, name.rfind('.'));
    switch (row_kind[row]) {
      case RowKind::kCircuit:
        return "circuit of " + edge;
      case RowKind::kCutSet:
        return "cut-set of " + edge;
      case RowKind::kSegment:
        return "shared sum";
      case RowKind::kLink:
        return "signal " + name;
    }
  }
  const bool kept = std::any_of(kept_constraints.begin(), kept_constraints.end(),
                                [&](const KeptConstraint& k) { return k.equation == equation; });
  if (!kept && replaced.count(equation) > 0) return "combination of equations";
  const bool begins = equation >= equation_count();
  const uint32_t number = begins ? initial[equation - equation_count()].part : PartOfEquation(equation);
  const std::string owner = ComponentName(*model, *graph, ComponentId(parts[number].component));
  if (number >= graph->components.size() &&
      model->expressions.SymbolName(scalars[parts[number].scalar].variables[0].symbol)
          .starts_with("#prescribed("))
    return "prescribed motion";
  if (number >= graph->components.size() &&
      std::string_view("@~").find(model->expressions.SymbolName(
          scalars[parts[number].scalar].variables[0].symbol)[0]) != std::string_view::npos)
    return "equations of motion";
  if (number >= graph->components.size()) return "association in " + (owner.empty() ? "the system" : owner);
  return (begins ? "initial equation of " : "") + (owner.empty() ? "the system" : owner);
}

}  // namespace cotree
