// SPDX-License-Identifier: Apache-2.0
#include "derivation/describe_events.h"

#include <map>

#include "derivation/solved_equation.h"
#include "expr/print_text.h"
#include "expr/walk.h"

namespace cotree {

DocumentSection DescribeEvents(const SortedSystem& sorted) {
  constexpr size_t kMostRows = 200;
  DocumentSection out{"events", "Events", {}};
  const EquationSystem& system = *sorted.system;
  const ExprPool& pool = system.model->expressions;
  PrintOptions print;
  print.unicode = true;
  print.digits = 6;
  TableItem table{{"when", "then"}, "ll", {}};
  // Those that occur, in SI units, by path.
  std::map<std::string, double> parameters;
  const auto collect = [&](const Part& part, ExprId expr) {
    const ScalarElement& scalar = system.scalars[part.scalar];
    const auto numbers = system.parameters.Of(ComponentId(part.component), scalar);
    const std::string owner = ComponentName(*system.model, *system.graph, ComponentId(part.component));
    ExprOrder order;
    FindOrder(pool, std::span(&expr, 1), &order);
    for (const ExprId id : order.nodes) {
      if (!pool.IsSymbol(id)) continue;
      for (size_t k = 0; k < scalar.parameters.size(); ++k) {
        if (scalar.parameters[k].symbol == pool.SymbolOf(id))
          parameters[(owner.empty() ? "" : owner + ".") + std::string(pool.SymbolName(pool.SymbolOf(id)))] =
              numbers[k];
      }
    }
  };
  for (uint32_t c = 0; c < system.graph->components.size(); ++c) {
    const Part& part = system.parts[c];
    const ScalarElement& scalar = system.scalars[part.scalar];
    const std::string owner = ComponentName(*system.model, *system.graph, ComponentId(c));
    for (const ScalarElement::When& when : scalar.whens) {
      if (table.rows.size() >= kMostRows) break;
      collect(part, when.condition);
      std::string then;
      for (const ScalarElement::When::Action& action : when.actions) {
        collect(part, action.value);
        const VariableRef ref = system.Resolve(part, action.variable);
        then += (then.empty() ? "" : "; ") + system.VariableName(ref.variable, ref.order + action.order) +
                (action.reinit ? " jumps to " : " = ") +
                PrintText(pool, InSystemNames(sorted, part, action.value), print);
      }
      if (when.stops) then += (then.empty() ? "" : "; ") + ("the run ends: " + when.stop_reason);
      const std::string condition = PrintText(pool, InSystemNames(sorted, part, when.condition), print);
      table.rows.push_back({{{(when.is_elsewhen ? "otherwise, " : "") + condition}, {then}}, owner});
    }
  }
  if (table.rows.empty()) return out;
  TableItem values{{"parameter", "value"}, "lr", {}};
  for (const auto& [name, value] : parameters) values.rows.push_back({{{name}, {FormatNumber(value, 6)}}});
  out.items.emplace_back(
      TextItem{"Conditions are held between events. Each line acts when its condition becomes true:"});
  out.items.emplace_back(std::move(table));
  if (!values.rows.empty()) out.items.emplace_back(std::move(values));
  return out;
}

}  // namespace cotree
