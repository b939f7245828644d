// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "expr/dependence.h"
#include "expr/differentiate.h"
#include "expr/solve.h"
#include "graph/strong_components.h"
#include "system_graph/diagnose_graph.h"
#include "system_graph/diagnostics.h"
#include "system_graph/direct_inputs.h"
#include "system_graph/words.h"

namespace cotree {

namespace messages = system_graph_messages;

namespace {

class SignalDoctor {
 public:
  SignalDoctor(Model& model, const SystemGraph& graph, Diagnostics& diagnostics,
               const std::vector<std::string>& given)
      : model_(model), graph_(graph), diagnostics_(diagnostics), given_(given) {}

  void Run() {
    if (graph_.drivers.empty()) return;
    NotDriven();
    if (Circles()) return;
    resolved_ = ResolveDrivers(model_, graph_);
    Loops();
  }

 private:
  const Component& At(ComponentId id) const { return graph_.components[id.index()]; }

  // --- Inputs without a source -------------------------------------------------------------------------

  void NotDriven() {
    std::set<std::pair<uint32_t, uint32_t>> associated;
    for (const GraphAssociation& a : graph_.associations) associated.insert({a.component.value, a.variable});
    std::map<std::pair<uint64_t, uint32_t>, std::pair<Diagnostic*, size_t>> told;
    for (uint32_t i = 1; i < graph_.components.size(); ++i) {
      const ComponentId id(i);
      const ElementClass& element = graph_.ElementOf(id);
      for (uint32_t s = 0; s < element.slot_variable.size(); ++s) {
        const uint32_t v = element.slot_variable[s];
        const Variable& variable = model_[element.class_id].variables[v];
        if (variable.role != VariableRole::kInput ||
            !graph_.drivers[At(id).first_input + s].component.IsNone())
          continue;
        if (associated.count({i, v}) > 0) continue;
        const std::string name = InputName(model_, graph_, id, s);
        if (std::find(given_.begin(), given_.end(), name) != given_.end()) continue;
        auto& [report, more] = told[{DeclarationKey(graph_, id), v}];
        if (report != nullptr) {
          ++more;
          continue;
        }
        report = &diagnostics_.Report(messages::kInputNotDriven, ComponentPlace(model_, graph_, id), {name});
        report->Label("`" + model_.Text(variable.name) + "` has no source");
        const ComponentId parent = graph_.scopes[At(id).scope].parent;
        const std::string prefix = ComponentName(model_, graph_, parent);
        if (!prefix.empty())
          report->Note("inside `" + prefix + "`, a " + model_.Text(graph_.ClassOf(model_, parent).name));
        const std::string local = prefix.empty() ? name : name.substr(prefix.size() + 1);
        std::string candidate = UnreadOutput(parent);
        // Not its own output.
        if (candidate.substr(0, candidate.find('.')) == local.substr(0, local.find('.'))) candidate.clear();
        report->Help("add `connect " + (candidate.empty() ? std::string("...") : candidate) + " -> " + local +
                     "`" +
                     (candidate.empty() ? "; a `Constant` gives a fixed value"
                                        : "; `" + candidate + "` is read by nothing yet"));
      }
    }
    for (const auto& [key, entry] : told) {
      if (entry.second > 0) entry.first->Note("and " + std::to_string(entry.second) + " more like it");
    }
  }

  // An output among the members of `parent` that nothing reads, if there is exactly one: probably what was
  // meant.
  std::string UnreadOutput(ComponentId parent) {
    if (unread_parent_ == parent.value) return unread_;
    unread_parent_ = parent.value;
    unread_.clear();
    std::set<std::pair<uint32_t, uint32_t>> read;
    for (const Driver& driver : graph_.drivers) {
      if (!driver.component.IsNone()) read.insert({driver.component.value, driver.symbol.value});
    }
    size_t found = 0;
    for (uint32_t i = 1; i < graph_.components.size() && found < 2; ++i) {
      if (graph_.scopes[graph_.components[i].scope].parent != parent) continue;
      const ElementClass& element = graph_.ElementOf(ComponentId(i));
      for (const Variable& v : model_[element.class_id].variables) {
        if (v.role != VariableRole::kOutput || read.count({i, v.symbol.value}) > 0) continue;
        ++found;
        const std::string prefix = ComponentName(model_, graph_, parent);
        unread_ = DriverName(model_, graph_, {ComponentId(i), v.symbol, 0});
        if (!prefix.empty()) unread_ = unread_.substr(prefix.size() + 1);
      }
    }
    if (found != 1) unread_.clear();
    return unread_;
  }

  // --- Composites that lead their inputs straight to their outputs ---------------------------------------

  // A circle of connections alone, without any block. Each slot has one driver, so following them is linear.
  bool Circles() {
    std::vector<uint8_t> state(graph_.drivers.size(), 0);  // 0 new, 1 on the way, 2 done
    bool found = false;
    for (uint32_t start = 0; start < graph_.drivers.size(); ++start) {
      std::vector<uint32_t> way;
      uint32_t slot = start;
      while (slot != UINT32_MAX && state[slot] == 0) {
        state[slot] = 1;
        way.push_back(slot);
        slot = CompositeSlot(model_, graph_, graph_.drivers[slot]);
      }
      if (slot != UINT32_MAX && state[slot] == 1) {
        found = true;
        std::vector<uint32_t> circle(std::find(way.begin(), way.end(), slot), way.end());
        std::sort(circle.begin(), circle.end());
        std::vector<std::string> names;
        for (const uint32_t s : circle) {
          const ComponentId id = ComponentOfInput(graph_, s);
          names.push_back(InputName(model_, graph_, id, s - At(id).first_input));
        }
        ReportCircular(names, ComponentOfInput(graph_, circle[0]), "the connections only pass the signal on");
      }
      for (const uint32_t s : way) state[s] = 2;
    }
    return found;
  }

  void ReportCircular(const std::vector<std::string>& names, ComponentId first, const std::string& why) {
    auto& report = diagnostics_.Report(messages::kCircularSignal, ComponentPlace(model_, graph_, first),
                                       {ListNames(names, 8)});
    if (names.size() == 1)
      report.message = "`" + names[0] + "` is led back to itself, and nothing says which value it has";
    report.Note(why + ": every value would satisfy it");
    report.Help(
        "take the signal from where it is made, or put a block with memory (`Integrator`, `FirstOrder`, "
        "`UnitDelay`) into the loop");
  }

  // --- Loops without memory ----------------------------------------------------------------------------

  const std::vector<std::vector<uint32_t>>& DirectOf(ElementId id) {
    const auto [at, fresh] = direct_.try_emplace(id.value);
    if (fresh) at->second = FindDirectInputs(model_, graph_.elements[id.index()]);
    return at->second;
  }

  /* Vertices are the input slots and behind them the variables of blocks that drive inputs: an input depends
  on its driver, a variable on the inputs it depends on directly. So the arcs are as many as connections and
  dependences. */
  void Loops() {
    const auto slots = static_cast<uint32_t>(graph_.drivers.size());
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> number;  // component and variable -> vertex
    std::vector<std::pair<ComponentId, uint32_t>> variables;
    DirectedGraph arcs;
    arcs.first.reserve(slots + 1);
    for (uint32_t slot = 0; slot < slots; ++slot) {
      arcs.first.push_back(static_cast<uint32_t>(arcs.targets.size()));
      const Driver& driver = resolved_[slot];
      if (driver.component.IsNone()) continue;
      const ElementClass& element = graph_.ElementOf(driver.component);
      if (element.composite || !element.edges.empty()) continue;  // through the physical system: no pure loop
      const ComponentClass& cls = model_[element.class_id];
      for (uint32_t v = 0; v < cls.variables.size(); ++v) {
        if (cls.variables[v].symbol != driver.symbol) continue;
        const auto next = static_cast<uint32_t>(slots + variables.size());
        const auto [at, fresh] = number.try_emplace({driver.component.value, v}, next);
        if (fresh) variables.emplace_back(driver.component, v);
        arcs.targets.push_back(at->second);
      }
    }
    for (const auto& [component, v] : variables) {
      arcs.first.push_back(static_cast<uint32_t>(arcs.targets.size()));
      const ElementClass& element = graph_.ElementOf(component);
      for (const uint32_t input : DirectOf(At(component).element)[v]) {
        for (uint32_t s = element.input_first[input];
             s < element.slot_variable.size() && element.slot_variable[s] == input; ++s)
          arcs.targets.push_back(At(component).first_input + s);
      }
    }
    arcs.first.push_back(static_cast<uint32_t>(arcs.targets.size()));
    const StrongComponents strong = FindStrongComponents(arcs);
    std::vector<uint32_t> size(strong.count, 0);
    for (const uint32_t c : strong.component_of) ++size[c];
    std::map<uint32_t, std::vector<uint32_t>> loops;
    for (uint32_t slot = 0; slot < slots; ++slot) {
      const uint32_t c = strong.component_of[slot];
      if (size[c] > 1) loops[c].push_back(slot);
    }
    std::vector<std::vector<uint32_t>> sorted;
    sorted.reserve(loops.size());
    for (auto& [c, members] : loops) sorted.push_back(members);
    std::sort(sorted.begin(), sorted.end());
    for (const auto& loop : sorted) ReportLoop(loop);
  }

  void ReportLoop(const std::vector<uint32_t>& loop) {
    std::vector<ComponentId> blocks;
    double gain = 1;
    bool constant = loop.size() <= 100;  // a longer one is no slip of the pen
    for (const uint32_t slot : loop) {
      const ComponentId id = ComponentOfInput(graph_, slot);
      if (!blocks.empty() && blocks.back() == id) {
        constant = false;  // more than one way round
        continue;
      }
      blocks.push_back(id);  // slots of a component follow each other
      if (!constant) continue;
      const auto g = GainOf(id, slot - At(id).first_input, loop);
      constant = g.has_value();
      if (g) gain *= *g;
    }
    std::vector<std::string> names;
    names.reserve(blocks.size());
    for (const ComponentId id : blocks) names.push_back(ComponentName(model_, graph_, id));
    if (constant && gain == 1) {
      ReportCircular(names, blocks[0],
                     names.size() == 1 ? "`" + names[0] + "` passes its input on"
                                       : "together they pass the signal on unchanged");
      return;
    }
    if (std::all_of(loop.begin(), loop.end(), [&](uint32_t slot) { return IsBoolean(slot); }))
      return;  // truth values cannot be solved for: the order of the equations tells (COT4005)
    auto& report = diagnostics_.Report(messages::kAlgebraicLoop, ComponentPlace(model_, graph_, blocks[0]),
                                       {ListNames(names, 8)});
    if (names.size() == 1)
      report.message = "`" + names[0] +
                       "` is a loop without memory: its output leads back to its input at the same instant";
    for (size_t k = 1; k < blocks.size() && k < 8; ++k)
      report.Also(ComponentPlace(model_, graph_, blocks[k]), "also in the loop");
  }

  bool IsBoolean(uint32_t slot) const {
    const ComponentId id = ComponentOfInput(graph_, slot);
    const ElementClass& element = graph_.ElementOf(id);
    const uint32_t variable = element.slot_variable[slot - At(id).first_input];
    return model_[element.class_id].variables[variable].type.base == BaseType::kBoolean;
  }

  // dy/du of a block of one input in the loop, if it is a number whatever the parameters are.
  std::optional<double> GainOf(ComponentId id, uint32_t slot, const std::vector<uint32_t>& loop) {
    ExprPool& pool = model_.expressions;
    const ElementClass& element = graph_.ElementOf(id);
    const ComponentClass& cls = model_[element.class_id];
    const SymbolId input = cls.variables[element.slot_variable[slot]].symbol;
    // The variable that the loop reads.
    std::optional<SymbolId> output;
    for (const uint32_t s : loop) {
      const Driver& driver = resolved_[s];
      if (driver.component == id) output = driver.symbol;
    }
    if (!output || element.equations.size() != 1) return std::nullopt;
    const ExprId residual = pool.Subtract(element.equations[0].left, element.equations[0].right);
    const auto solution = SolveFor(pool, residual, *output);
    if (!solution) return std::nullopt;
    const ExprId slope = Differentiate(pool, solution->value, input);
    if (!pool.IsNumber(slope)) return std::nullopt;
    return pool.NumberValue(slope);
  }

  Model& model_;
  const SystemGraph& graph_;
  Diagnostics& diagnostics_;
  const std::vector<std::string>& given_;
  LargeVector<Driver> resolved_;  // by input slot
  std::map<uint32_t, std::vector<std::vector<uint32_t>>> direct_;
  uint32_t unread_parent_ = UINT32_MAX;
  std::string unread_;
};

}  // namespace

void DiagnoseSignals(Model& model, const SystemGraph& graph, Diagnostics& diagnostics,
                     const std::vector<std::string>& given) {
  SignalDoctor(model, graph, diagnostics, given).Run();
}

}  // namespace cotree
