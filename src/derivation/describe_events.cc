// SPDX-License-Identifier: Apache-2.0
#include "derivation/describe_events.h"

#include "derivation/solved_equation.h"
#include "expr/print_text.h"

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
  for (uint32_t c = 0; c < system.graph->components.size(); ++c) {
    const Part& part = system.parts[c];
    const ScalarElement& scalar = system.scalars[part.scalar];
    const std::string owner = ComponentName(*system.model, *system.graph, ComponentId(c));
    for (const ScalarElement::When& when : scalar.whens) {
      if (table.rows.size() >= kMostRows) break;
      std::string then;
      for (const ScalarElement::When::Action& action : when.actions) {
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
  out.items.emplace_back(
      TextItem{"Conditions are held between events. Each line acts when its condition becomes true:"});
  out.items.emplace_back(std::move(table));
  return out;
}

}  // namespace cotree
