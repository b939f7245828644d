// SPDX-License-Identifier: Apache-2.0
#include "block_triangular/diagnose_order.h"

#include <algorithm>
#include <set>

#include "block_triangular/diagnostics.h"
#include "expr/builtins.h"
#include "expr/dependence.h"
#include "expr/walk.h"
#include "normal_tree/reasons.h"

namespace cotree {

namespace messages = block_triangular_messages;

namespace {

constexpr size_t kMostShown = 6;

std::string Names(const EquationSystem& system, const std::vector<ComponentId>& ids) {
  std::string text;
  size_t shown = 0;
  for (const ComponentId id : ids) {
    const std::string name = ComponentName(*system.model, *system.graph, id);
    if (shown == kMostShown) {
      text += " and " + std::to_string(ids.size() - shown) + " more";
      break;
    }
    const bool last = shown + 1 == ids.size();
    text += (shown == 0 ? "" : last ? " and " : ", ") + ("`" + (name.empty() ? "the system" : name) + "`");
    ++shown;
  }
  return text;
}

std::vector<ComponentId> Collect(const EquationSystem& system, const std::vector<uint32_t>& equations) {
  std::vector<ComponentId> ids;
  for (const uint32_t e : equations) {
    // Topology connects; components prescribe.
    if (system.IsRow(e)) continue;
    for (const ComponentId id : ComponentsOf(system, e)) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::string VariableNames(const EquationSystem& system, const std::vector<VariableRef>& variables) {
  std::string text;
  for (size_t k = 0; k < variables.size(); ++k) {
    if (k == kMostShown) return text + " and " + std::to_string(variables.size() - k) + " more";
    const bool last = k + 1 == variables.size();
    text += (k == 0 ? "`" : last ? " and `" : ", `") +
            system.VariableName(variables[k].variable, variables[k].order) + "`";
  }
  return text;
}

Span PlaceOf(const EquationSystem& system, const std::vector<ComponentId>& ids) {
  const ComponentId id = ids.empty() ? ComponentId(0) : ids.front();
  return ComponentPlace(*system.model, *system.graph, id);
}

}  // namespace

std::vector<ComponentId> ComponentsOf(const EquationSystem& system, uint32_t equation) {
  const auto of_variable = [&](uint32_t v) {
    return ComponentId(system.parts[system.PartOfVariable(v)].component);
  };
  std::vector<ComponentId> out;
  const EquationSystem::Source source = system.SourceOf(equation);
  if (source.part == nullptr) {
    if (system.row_defined[source.local] < system.part_variables)
      out.push_back(of_variable(system.row_defined[source.local]));
    for (uint32_t k = system.row_first[source.local]; k < system.row_first[source.local + 1]; ++k) {
      if (system.row_entries[k].variable < system.part_variables)
        out.push_back(of_variable(system.row_entries[k].variable));
    }
  } else if (source.part->first_equation == UINT32_MAX) {
    const ScalarElement& scalar = system.scalars[source.part->scalar];
    for (uint32_t v = 0; v < scalar.variables.size(); ++v) {
      const VariableRef ref = system.Resolve(*source.part, v);
      if (ref.variable < system.part_variables) out.push_back(of_variable(ref.variable));
    }
  } else {
    out.push_back(ComponentId(source.part->component));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void DiagnoseSingular(const EquationSystem& system, const Offsets& offsets, Diagnostics& diagnostics) {
  const auto show = [&](Diagnostic& report, const std::vector<uint32_t>& equations) {
    size_t shown = 0;
    for (const uint32_t e : equations) {
      if (shown++ == kMostShown) {
        report.Note("... and " + std::to_string(equations.size() - kMostShown) + " more");
        break;
      }
      report.Note(system.EquationText(e) + "   (" + system.EquationOrigin(e) + ")");
    }
  };
  if (!offsets.over_equations.empty()) {
    const std::vector<ComponentId> ids = Collect(system, offsets.over_equations);
    std::vector<VariableRef> variables;
    for (const uint32_t v : offsets.over_variables) variables.push_back({v, 0});
    const size_t n = offsets.over_equations.size(), m = variables.size();
    auto& report = diagnostics.Report(
        messages::kOverdetermined, PlaceOf(system, ids),
        {Names(system, ids), n == 1 ? "is 1 equation" : "are " + std::to_string(n) + " equations",
         m == 0 ? "no unknown" : m == 1 ? "1 unknown" : std::to_string(m) + " unknowns"});
    show(report, offsets.over_equations);
    if (m > 0) report.Note("unknowns: " + VariableNames(system, variables));
    report.Help("take one of these components out, or put something that gives way between them");
  }
  if (!offsets.under_variables.empty()) {
    std::vector<VariableRef> variables;
    std::vector<ComponentId> ids;
    for (const uint32_t v : offsets.under_variables) {
      variables.push_back({v, 0});
      if (v < system.part_variables)
        ids.emplace_back(system.parts[system.PartOfVariable(v)].component);
    }
    auto& report = diagnostics.Report(messages::kUnderdetermined, PlaceOf(system, ids),
                                      {VariableNames(system, variables)});
    const size_t n = offsets.under_equations.size();
    report.Note(n == 0 ? "no equation contains it"
                       : "there " + std::string(n == 1 ? "is 1 equation" : "are " + std::to_string(n) + " equations") +
                             " for " + std::to_string(variables.size()) + " unknowns");
    show(report, offsets.under_equations);
    report.Help("connect what is open, or add the equation that is missing");
  }
}

void DiagnoseDependent(const EquationSystem& system, const std::vector<CombinationTerm>& terms,
                       const std::vector<VariableRef>& unknowns, Diagnostics& diagnostics) {
  std::vector<uint32_t> equations;
  for (const CombinationTerm& t : terms) equations.push_back(t.equation);
  std::vector<ComponentId> ids = Collect(system, equations);
  if (ids.empty()) {
    for (const uint32_t e : equations) {
      for (const ComponentId id : ComponentsOf(system, e)) ids.push_back(id);
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }
  auto& report = diagnostics.Report(messages::kDependentEquations, PlaceOf(system, ids),
                                    {Names(system, ids), VariableNames(system, unknowns)});
  size_t shown = 0;
  for (const CombinationTerm& t : terms) {
    if (shown++ == kMostShown) break;
    report.Note(system.EquationText(t.equation, t.times) + "   (" + system.EquationOrigin(t.equation) + ")");
  }
  report.Note("one of these follows from the others, so something is said twice and something not at all");
  report.Help("take one of these components out, or make one of them give way (an elasticity, a resistance)");
}

void DiagnoseStates(const SortedSystem& sorted, Diagnostics& diagnostics) {
  const EquationSystem& system = *sorted.system;
  constexpr size_t kMostNotes = 20;
  size_t notes = 0;
  std::set<uint64_t> said;
  for (const DependentStorage& storage :
       FindDependentStorage(*system.model, *system.graph, system.scalars, *system.tree)) {
    const ComponentId id = system.graph->edges[storage.edge.index()].component;
    if (!said.insert(DeclarationKey(*system.graph, id)).second) continue;
    if (++notes > kMostNotes) break;
    diagnostics.Report(messages::kNotAState, ComponentPlace(*system.model, *system.graph, id),
                       {EdgeName(*system.model, *system.graph, storage.edge), storage.text});
  }
}

namespace {

/* How often an expression can be differentiated in time, and the reason of the limit. */
struct Smoothness {
  uint32_t times = UINT32_MAX;
  std::string reason;
};

Smoothness SmoothnessOf(const Model& model, ExprId root) {
  const ExprPool& pool = model.expressions;
  ExprOrder order;
  FindOrder(pool, std::span(&root, 1), &order);
  // Whether a node moves: depends on time, variables or inputs.
  std::vector<bool> moves(order.nodes.size(), false);
  Smoothness out;
  const auto limit = [&](uint32_t times, const char* reason) {
    if (times < out.times) out = {times, reason};
  };
  for (size_t k = 0; k < order.nodes.size(); ++k) {
    const ExprId id = order.nodes[k];
    const Op op = pool.op(id);
    if (op == Op::kTime) moves[k] = true;
    if (pool.IsSymbol(id)) {
      const SymbolKind kind = pool.kind(pool.SymbolOf(id));
      moves[k] = kind != SymbolKind::kParameter && kind != SymbolKind::kIndex;
      if (kind == SymbolKind::kDiscrete) limit(0, "it is held between samples or events and jumps there");
    }
    for (const ExprId operand : pool.operands(id)) moves[k] = moves[k] || moves[order.PositionOf(operand)];
    if (!moves[k]) continue;
    switch (op) {
      case Op::kIf:
        if (moves[order.PositionOf(pool.operand(id, 0))]) limit(0, "it jumps where its condition changes");
        break;
      case Op::kMin:
      case Op::kMax:
        limit(0, "it has a corner where it is limited");
        break;
      case Op::kAbs:
        limit(0, "it has a corner at zero");
        break;
      case Op::kSign:
      case Op::kFloor:
      case Op::kCeil:
      case Op::kMod:
        limit(0, "it jumps");
        break;
      case Op::kCall: {
        const std::string_view name = pool.FunctionName(pool.FunctionOf(id));
        for (const Table& table : model.tables) {
          if (model.names.Text(table.name) != name) continue;
          if (table.interpolation == Table::Interpolation::kLinear) limit(0, "its table is linear between points");
          if (table.interpolation == Table::Interpolation::kMonotone)
            limit(1, "its table is a monotone cubic, which has one derivative");
          if (table.interpolation == Table::Interpolation::kSpline)
            limit(2, "its table is a cubic spline, which has two derivatives");
        }
        break;
      }
      default:
        break;
    }
  }
  return out;
}

}  // namespace

void DiagnoseDerivatives(const SortedSystem& sorted, Diagnostics& diagnostics) {
  const EquationSystem& system = *sorted.system;
  const Model& model = *system.model;
  std::vector<std::vector<Smoothness>> of_class(system.scalars.size());
  size_t reports = 0;
  std::set<uint64_t> said;
  for (const Part& part : system.parts) {
    const ScalarElement& scalar = system.scalars[part.scalar];
    for (uint32_t e = 0; e < scalar.always; ++e) {
      const uint32_t equation = part.first_equation + e;
      const uint32_t times = sorted.offsets.equation[equation];
      if (times == 0) continue;
      auto& known = of_class[part.scalar];
      if (known.empty()) {
        for (uint32_t k = 0; k < scalar.always; ++k)
          known.push_back(SmoothnessOf(model, scalar.equations[k].residual));
      }
      if (known[e].times >= times) continue;
      if (!said.insert(DeclarationKey(*system.graph, ComponentId(part.component))).second) continue;
      if (++reports > 10) return;
      const uint32_t v = sorted.offsets.variable_of_equation[equation];
      auto& report = diagnostics.Report(
          messages::kNotDifferentiable, ComponentPlace(model, *system.graph, ComponentId(part.component)),
          {"`" + system.VariableName(v) + "`",
           times == 1 ? "once" : times == 2 ? "twice" : std::to_string(times) + " times", known[e].reason});
      for (const DependentStorage& storage :
           FindDependentStorage(model, *system.graph, system.scalars, *system.tree)) {
        report.Note("because " + storage.text);
        break;
      }
      report.Note("a jump there would be an impulse");
      report.Help(
          "use a smooth signal (a filtered one: `FirstOrder`, `SecondOrder`), drive with a speed or a force instead "
          "of a position, or put something that gives way in between (a resistance, an elasticity)");
    }
  }
}

}  // namespace cotree
