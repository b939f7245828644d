// SPDX-License-Identifier: Apache-2.0
#include "block_triangular/diagnose_order.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/plural.h"
#include "block_triangular/diagnostics.h"
#include "expr/builtins.h"
#include "expr/dependence.h"
#include "expr/evaluate.h"
#include "expr/walk.h"
#include "model/table_function.h"
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
  // Where parts of the graph are to blame, the signals that lead to them are not.
  const auto physical = [&](ComponentId id) { return !system.graph->ElementOf(id).edges.empty(); };
  if (std::any_of(ids.begin(), ids.end(), physical))
    std::erase_if(ids, [&](ComponentId id) { return !physical(id); });
  return ids;
}

std::string VariableNames(const EquationSystem& system, const std::vector<VariableRef>& variables) {
  std::string text;
  for (size_t k = 0; k < variables.size(); ++k) {
    if (k == kMostShown) return text + " and " + std::to_string(variables.size() - k) + " more";
    const bool last = k + 1 == variables.size();
    text += (k == 0 ? "`"
             : last ? " and `"
                    : ", `") +
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
  // There are as many equations as unknowns (the classes were counted): too many here means too few
  // elsewhere.
  {
    const std::vector<ComponentId> ids = Collect(system, offsets.over_equations);
    std::vector<VariableRef> variables;
    for (const uint32_t v : offsets.over_variables) variables.push_back({v, 0});
    const size_t n = offsets.over_equations.size(), m = variables.size();
    if (n == 0) {
      std::vector<VariableRef> open;
      for (const uint32_t v : offsets.under_variables) open.push_back({v, 0});
      std::vector<ComponentId> owners;
      for (const VariableRef& v : open) {
        if (v.variable < system.part_variables)
          owners.emplace_back(system.parts[system.PartOfVariable(v.variable)].component);
      }
      auto& report = diagnostics.Report(messages::kOverdetermined, PlaceOf(system, owners), {"", "", ""});
      report.message = "nothing determines " + VariableNames(system, open);
      report.helps.assign(1, "add an equation for it, or set it in a `when`");
      return;
    }
    auto& report = diagnostics.Report(messages::kOverdetermined, PlaceOf(system, ids),
                                      {Names(system, ids), (n == 1 ? "is " : "are ") + Plural(n, "equation"),
                                       m == 0 ? "no unknown" : Plural(m, "unknown")});
    if (ids.size() == 1)
      report.message = Names(system, ids) + " contradicts itself: there " + (n == 1 ? "is " : "are ") +
                       Plural(n, "equation") + " for " + (m == 0 ? "no unknown" : Plural(m, "unknown"));
    show(report, offsets.over_equations);
    if (m > 0) report.Note("unknowns: " + VariableNames(system, variables));
    std::vector<VariableRef> open;
    for (const uint32_t v : offsets.under_variables) open.push_back({v, 0});
    if (!open.empty()) report.Note("and nothing determines " + VariableNames(system, open));
    report.Help("take one of these components out, or put something that gives way between them");
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

void DiagnoseRedundant(const EquationSystem& system, const std::vector<CombinationTerm>& terms,
                       ComponentId left_out, Diagnostics& diagnostics) {
  std::vector<uint32_t> equations;
  for (const CombinationTerm& t : terms) equations.push_back(t.equation);
  diagnostics.Report(
      messages::kRedundant, ComponentPlace(*system.model, *system.graph, left_out),
      {Names(system, Collect(system, equations)), ComponentName(*system.model, *system.graph, left_out)});
}

void DiagnoseGainOne(const EquationSystem& system, const std::vector<ComponentId>& loop, uint32_t left,
                     Diagnostics& diagnostics) {
  auto& report = diagnostics.Report(messages::kGainOne, PlaceOf(system, loop), {Names(system, loop)});
  report.Note("what goes round comes back unchanged, so nothing is left of their values but " +
              system.EquationText(left));
}

namespace {

// Whose values a slot is, looked at through the sums of circuits and cut-sets.
std::vector<ComponentId> OriginsOf(const SortedSystem& sorted, uint32_t slot) {
  const EquationSystem& system = *sorted.system;
  std::vector<ComponentId> out;
  std::vector<uint32_t> open{slot};
  std::set<uint32_t> seen{slot};
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    const uint32_t equation = sorted.equation_of_slot[at];
    if (equation != UINT32_MAX && system.IsRow(sorted.equations[equation].equation)) {
      sorted.OverUses(equation, [&](uint32_t v, uint32_t order) {
        const uint32_t next = sorted.Slot({v, order});
        if (seen.insert(next).second) open.push_back(next);
      });
    } else if (const uint32_t v = sorted.OfSlot(at).variable; v < system.part_variables) {
      out.push_back(ComponentId(system.parts[system.PartOfVariable(v)].component));
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

void DiagnoseMode(const SortedSystem& sorted, uint32_t sorted_equation,
                  const std::vector<std::string>& parameters, Diagnostics& diagnostics) {
  const EquationSystem& system = *sorted.system;
  const EquationSystem::Source source = system.SourceOf(sorted.equations[sorted_equation].equation);
  const ComponentId id(source.part->component);
  const std::string name = ComponentName(*system.model, *system.graph, id);
  // The other variable of the edge.
  VariableRef given{UINT32_MAX, 0};
  sorted.OverUses(sorted_equation, [&](uint32_t v, uint32_t order) {
    const uint32_t slot = sorted.Slot({v, order});
    if (slot != sorted.slot_of_equation[sorted_equation] && given.variable == UINT32_MAX) given = {v, order};
  });
  if (given.variable == UINT32_MAX) return;
  const std::string given_name = "`" + system.VariableName(given.variable, given.order) + "`";
  std::vector<ComponentId> origins = OriginsOf(sorted, sorted.Slot(given));
  std::erase(origins, id);
  auto& report =
      diagnostics.Report(messages::kModeChangesOrder, ComponentPlace(*system.model, *system.graph, id),
                         {name, given_name,
                          (origins.empty() ? "something else" : Names(system, origins)) +
                              (origins.size() > 1 ? " prescribe" : " prescribes")});
  report.Note("`" + sorted.SlotName(sorted.slot_of_equation[sorted_equation]) +
              "` would be determined by nothing in that mode");
  std::string values;
  for (const std::string& p : parameters) values += (values.empty() ? "`" : " or `") + p + "` > 0";
  report.Help(
      (values.empty() ? std::string() : "give `" + name + "` " + values + " (the default, say), or ") +
      "put something beside it that takes " + given_name + " over");
}

void DiagnoseBooleanLoop(const SortedSystem& sorted, uint32_t block, Diagnostics& diagnostics) {
  const EquationSystem& system = *sorted.system;
  std::vector<uint32_t> equations;
  std::vector<VariableRef> truths;
  for (const uint32_t k : sorted.Block(block)) {
    equations.push_back(sorted.equations[k].equation);
    const VariableRef ref = sorted.OfSlot(sorted.slot_of_equation[k]);
    if (ref.variable >= system.part_variables) continue;
    const Part& part = system.parts[system.PartOfVariable(ref.variable)];
    if (part.scalar >= system.graph->elements.size()) continue;
    const ScalarVariable& own = system.scalars[part.scalar].variables[ref.variable - part.first_variable];
    if (own.role != ScalarVariable::Role::kVariable) continue;
    const ComponentClass& cls = (*system.model)[system.graph->elements[part.scalar].class_id];
    if (cls.variables[own.index].type.base == BaseType::kBoolean) truths.push_back(ref);
  }
  if (truths.empty()) return;
  std::sort(truths.begin(), truths.end(),
            [](const VariableRef& a, const VariableRef& b) { return a.variable < b.variable; });
  const std::vector<ComponentId> ids = Collect(system, equations);
  auto& report =
      diagnostics.Report(messages::kBooleanLoop, PlaceOf(system, ids),
                         {VariableNames(system, truths) +
                          (truths.size() == 1 ? " needs its own value" : " need each other's values")});
  for (size_t k = 0; k < equations.size() && k < kMostShown; ++k)
    report.Note(system.EquationText(equations[k]) + "   (" + system.EquationOrigin(equations[k]) + ")");
  report.Help("let one of them read the value before, `pre(...)`; a latch made of gates is an `SRLatch`");
}

namespace {

// Whether an equation is satisfied when all its variables are zero, whatever the time.
bool HoldsAtZero(const EquationSystem& system, const Part& part, ExprId residual) {
  const ExprPool& pool = system.model->expressions;
  ExprOrder order;
  FindOrder(pool, std::span(&residual, 1), &order);
  Environment<double> environment;
  environment.scalars.assign(pool.symbol_count(), 0);
  for (const ExprId id : order.nodes) {
    if (pool.op(id) == Op::kTime || pool.op(id) == Op::kCall) return false;
  }
  const ScalarElement& scalar = system.scalars[part.scalar];
  const auto numbers = system.parameters.Of(ComponentId(part.component), scalar);
  for (size_t p = 0; p < scalar.parameters.size(); ++p)
    environment.scalars[scalar.parameters[p].symbol.index()] = numbers[p];
  return EvaluateDouble(pool, residual, environment) == 0;
}

}  // namespace

void DiagnoseHeld(const SortedSystem& sorted, Diagnostics& diagnostics) {
  const EquationSystem& system = *sorted.system;
  const SystemGraph& graph = *system.graph;
  const Model& model = *system.model;
  // Only where storage in an across variable is no state there is something to look for.
  bool any = false;
  for (uint32_t e = 0; e < graph.edges.size() && !any; ++e) {
    const ElementEdge& edge = graph.ElementEdgeOf(EdgeId(e));
    if ((edge.kinds & kStores) == 0 || edge.across_order <= edge.through_order) continue;
    const ComponentId id = graph.edges[e].component;
    const uint32_t variable =
        system.parts[id.index()].first_variable + 2 * (e - graph.components[id.index()].first_edge);
    any = !sorted.IsState({variable, 0});
  }
  constexpr size_t kMostBlocks = 200'000;
  if (!any || sorted.blocks() > kMostBlocks) return;
  // Slots that are zero whatever happens: their block needs nothing else, and zero solves it.
  std::vector<bool> zero(sorted.slots(), false);
  size_t reports = 0;
  for (size_t b = 0; b < sorted.blocks(); ++b) {
    const auto equations = sorted.Block(b);
    std::set<uint32_t> own;
    for (const uint32_t k : equations) own.insert(sorted.slot_of_equation[k]);
    bool closed = true;
    for (const uint32_t k : equations) {
      sorted.OverUses(k, [&](uint32_t v, uint32_t order) {
        const uint32_t slot = sorted.Slot({v, order});
        closed = closed && (zero[slot] || own.count(slot) > 0);
      });
      if (!closed) break;
      const EquationSystem::Source source = system.SourceOf(sorted.equations[k].equation);
      if (source.part != nullptr)
        closed = HoldsAtZero(
            system, *source.part,
            sorted.derived->Get(source.part->scalar, source.local, sorted.equations[k].times).residual);
      if (!closed) break;
    }
    if (!closed) continue;
    for (const uint32_t slot : own) zero[slot] = true;
  }
  // Storage in a variable that is held so; who holds it are the couplers around.
  std::vector<ComponentId> held, holders;
  bool moves = false;
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    const ElementEdge& edge = graph.ElementEdgeOf(EdgeId(e));
    const ComponentId id = graph.edges[e].component;
    const Component& c = graph.components[id.index()];
    const uint32_t variable = system.parts[id.index()].first_variable + 2 * (e - c.first_edge);
    if (!zero[sorted.Slot({variable, 0})]) continue;
    const bool joined = graph.edges[e].from == graph.edges[e].to;
    if ((edge.kinds & kStores) != 0 && edge.across_order > edge.through_order && !joined) {
      held.push_back(id);
      moves = moves || !model.domains[edge.domain.index()].rate.IsNone();
    }
    if ((edge.kinds & kCouples) != 0 && graph.ClassOf(model, id).spatial.IsNone()) holders.push_back(id);
  }
  for (auto* list : {&held, &holders}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  if (held.empty() || holders.size() < 2 || ++reports > 1) return;
  auto& report = diagnostics.Report(messages::kCannotMove, PlaceOf(system, held),
                                    {Names(system, held),
                                     moves              ? "cannot move"
                                     : held.size() == 1 ? "stays at zero"
                                                        : "stay at zero",
                                     Names(system, holders)});
  report.Note("what they demand of the same places can be met only at rest");
  report.Help("take one of them out, or give them ratios that agree");
}

void DiagnoseStates(const SortedSystem& sorted, Diagnostics& diagnostics) {
  const EquationSystem& system = *sorted.system;
  constexpr size_t kMostNotes = 20;
  size_t notes = 0;
  std::set<uint64_t> said;
  for (const DependentStorage& storage :
       FindDependentStorage(*system.model, *system.graph, system.scalars, *system.tree)) {
    const GraphEdge& edge = system.graph->edges[storage.edge.index()];
    const ComponentId id = edge.component;
    if (edge.from == edge.to) continue;  // COT3005 says so
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

// u where an expression has a corner at u = 0, and is zero there: abs(u), max(u, 0), min(u, 0).
ExprId CornerAtZero(const ExprPool& pool, ExprId id) {
  const Op op = pool.op(id);
  if (op == Op::kAbs) return pool.operand(id, 0);
  if ((op != Op::kMax && op != Op::kMin) || pool.operands(id).size() != 2) return ExprId::None();
  const ExprId a = pool.operand(id, 0), b = pool.operand(id, 1);
  return pool.IsZero(a) ? b : pool.IsZero(b) ? a : ExprId::None();
}

/* Factors of a product (or of a power) that have a corner where other factors are zero, too: abs(u)*u,
u^2*max(u, 0). A product of order n at u = 0 can be differentiated n - 1 times. `rest`: what else the product
is of. */
uint32_t SmoothnessOfProduct(const ExprPool& pool, ExprId id, std::vector<ExprId>* rest) {
  std::map<uint32_t, uint32_t> corners, zeros;     // by u: their order there
  std::vector<std::pair<ExprId, ExprId>> factors;  // with what they are powers of
  const auto add = [&](ExprId factor) {
    ExprId base = factor;
    uint32_t order = 1;
    if (pool.op(factor) == Op::kPower) {
      const auto power = pool.AsInteger(pool.operand(factor, 1));
      if (power && *power > 0 && *power < 100) {
        base = pool.operand(factor, 0);
        order = static_cast<uint32_t>(*power);
      }
    }
    const ExprId u = CornerAtZero(pool, base);
    (u.IsNone() ? zeros[base.value] : corners[u.value]) += order;
    factors.emplace_back(factor, base);
  };
  if (pool.op(id) == Op::kMultiply) {
    for (const ExprId factor : pool.operands(id)) add(factor);
  } else {
    add(id);
  }
  uint32_t times = UINT32_MAX;
  for (const auto& [factor, base] : factors) {
    const ExprId u = CornerAtZero(pool, base);
    const auto zero = u.IsNone() ? zeros.end() : zeros.find(u.value);
    const uint32_t order = u.IsNone() ? 0 : corners[u.value] + (zero == zeros.end() ? 0 : zero->second);
    if (order >= 2) times = std::min(times, order - 1);
    if (order >= 2)
      rest->push_back(u);
    else if (pool.op(id) == Op::kMultiply)
      rest->push_back(factor);
    else
      rest->insert(rest->end(), pool.operands(id).begin(), pool.operands(id).end());
  }
  return times;
}

// Whether a table that is held beyond its ends has a slope at one of them.
bool HasHeldCorner(const Table& table) {
  if (table.extrapolation != Table::Extrapolation::kHold || !table.columns.empty()) return false;
  const TableFunction function(table);
  const std::vector<double>& slopes = function.slopes();
  if (slopes.empty()) return false;
  double largest = 0;
  for (const double s : slopes) largest = std::max(largest, std::fabs(s));
  return std::max(std::fabs(slopes.front()), std::fabs(slopes.back())) > 1e-9 * largest;
}

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
  }
  // From the root down; what stands inside smooth(p, ...) is as smooth as it says.
  std::vector<bool> seen(order.nodes.size(), false);
  std::vector<size_t> work{order.PositionOf(root)};
  while (!work.empty()) {
    const size_t k = work.back();
    work.pop_back();
    if (seen[k] || !moves[k]) continue;
    seen[k] = true;
    const ExprId id = order.nodes[k];
    const Op op = pool.op(id);
    if (op == Op::kCall && FindBuiltin(pool.FunctionName(pool.FunctionOf(id))) == Builtin::kSmooth) {
      limit(static_cast<uint32_t>(std::max(0.0, pool.NumberValue(pool.operand(id, 0)))),
            "it is declared smooth(...) only so far");
      continue;
    }
    if (op == Op::kMultiply || op == Op::kPower) {
      std::vector<ExprId> rest;
      limit(SmoothnessOfProduct(pool, id, &rest), "its slope has a corner at zero");
      for (const ExprId operand : rest) work.push_back(order.PositionOf(operand));
      continue;
    }
    for (const ExprId operand : pool.operands(id)) work.push_back(order.PositionOf(operand));
    switch (op) {
      case Op::kIf:
        if (moves[order.PositionOf(pool.operand(id, 0))]) limit(0, "it may jump where its condition changes");
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
          if (table.interpolation == Table::Interpolation::kLinear)
            limit(0, "its table is linear between points");
          if (table.interpolation == Table::Interpolation::kMonotone)
            limit(1, "its table is a monotone cubic, which has one derivative");
          if (table.interpolation == Table::Interpolation::kSpline)
            limit(2, "its table is a cubic spline, which has two derivatives");
          if (table.interpolation == Table::Interpolation::kHold) limit(0, "its values go by steps");
          if (HasHeldCorner(table))
            limit(0,
                  "its table is held beyond its ends, where it has a slope (say `extrapolation = linear`, or "
                  "`error` if it is not left)");
        }
        break;
      }
      default:
        break;
    }
  }
  return out;
}

/* How often the equations of classes may be differentiated, found when asked for. */
class SmoothnessTable {
 public:
  explicit SmoothnessTable(const EquationSystem& system)
      : system_(system), of_class_(system.scalars.size()) {}
  const Smoothness& Of(uint32_t scalar, uint32_t equation) {
    auto& known = of_class_[scalar];
    if (known.empty()) {
      const ScalarElement& element = system_.scalars[scalar];
      for (uint32_t k = 0; k < element.always; ++k) {
        known.push_back(SmoothnessOf(*system_.model, element.equations[k].residual));
        if (element.equations[k].foreign)
          known.back() = {0, "foreign code gives values, not their derivatives"};
      }
    }
    return known[equation];
  }

 private:
  const EquationSystem& system_;
  std::vector<std::vector<Smoothness>> of_class_;
};

}  // namespace

std::vector<VariableRef> FindRough(const SortedSystem& sorted, std::span<const VariableRef> wanted) {
  const EquationSystem& system = *sorted.system;
  SmoothnessTable smoothness(system);
  std::vector<bool> rough(sorted.slots(), false);
  for (size_t b = 0; b < sorted.blocks(); ++b) {
    bool any = false;
    for (const uint32_t k : sorted.Block(b)) {
      const SortedEquation& e = sorted.equations[k];
      const EquationSystem::Source source = system.SourceOf(e.equation);
      if (source.part != nullptr && e.times > 0 && source.local < system.scalars[source.part->scalar].always)
        any = any || smoothness.Of(source.part->scalar, source.local).times < e.times;
      sorted.OverUses(k, [&](uint32_t v, uint32_t order) {
        if (sorted.HasSlot({v, order})) any = any || rough[sorted.Slot({v, order})];
      });
    }
    if (!any) continue;
    for (const uint32_t k : sorted.Block(b)) rough[sorted.slot_of_equation[k]] = true;
  }
  std::vector<VariableRef> out;
  for (const VariableRef& ref : wanted) {
    if (sorted.HasSlot(ref) && rough[sorted.Slot(ref)]) out.push_back(ref);
  }
  return out;
}

void DiagnoseEndlessDelay(const SortedSystem& sorted, Diagnostics& diagnostics) {
  const EquationSystem& system = *sorted.system;
  const ComponentId id(system.SourceOf(sorted.endless_delay).part->component);
  diagnostics.Report(messages::kEndlessDelay, ComponentPlace(*system.model, *system.graph, id),
                     {system.VariableName(sorted.offsets.variable_of_equation[sorted.endless_delay])});
}

void DiagnoseDerivatives(const SortedSystem& sorted, Diagnostics& diagnostics) {
  const EquationSystem& system = *sorted.system;
  const Model& model = *system.model;
  SmoothnessTable smoothness(system);
  size_t reports = 0;
  std::set<uint64_t> said;
  for (const Part& part : system.parts) {
    const ScalarElement& scalar = system.scalars[part.scalar];
    for (uint32_t e = 0; e < scalar.always; ++e) {
      const uint32_t equation = part.first_equation + e;
      const uint32_t times = sorted.offsets.equation[equation];
      if (times == 0) continue;
      const Smoothness& known = smoothness.Of(part.scalar, e);
      if (known.times >= times) continue;
      if (!said.insert(DeclarationKey(*system.graph, ComponentId(part.component))).second) continue;
      if (++reports > 10) return;
      const uint32_t v = sorted.offsets.variable_of_equation[equation];
      auto& report = diagnostics.Report(messages::kNotDifferentiable,
                                        ComponentPlace(model, *system.graph, ComponentId(part.component)),
                                        {"`" + system.VariableName(v) + "`",
                                         times == 1   ? "once"
                                         : times == 2 ? "twice"
                                                      : std::to_string(times) + " times",
                                         known.reason});
      for (const DependentStorage& storage :
           FindDependentStorage(model, *system.graph, system.scalars, *system.tree)) {
        report.Note("because " + storage.text);
        break;
      }
      report.Note("a jump there would be an impulse");
      report.Help(
          "use a smooth signal (a filtered one: `FirstOrder`, `SecondOrder`), drive with a speed or a force "
          "instead "
          "of a position, or put something that gives way in between (a resistance, an elasticity)");
    }
  }
}

}  // namespace cotree
