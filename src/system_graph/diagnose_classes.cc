// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "base/plural.h"
#include "expr/dependence.h"
#include "system_graph/diagnose_graph.h"
#include "system_graph/diagnostics.h"
#include "system_graph/edge_kinds.h"
#include "system_graph/element_table.h"
#include "system_graph/words.h"

namespace cotree {

namespace messages = system_graph_messages;

namespace {

/** Unknowns and equations of an element class, with the names for a message. */
struct Balance {
  uint64_t edges = 0, outputs = 0, variables = 0, equations = 0;
  std::vector<std::string> edge_names, output_names, variable_names;
  std::vector<std::string> unused;  // unknowns that occur in no equation
  bool known = true;                // all sizes are numbers

  uint64_t unknowns() const { return edges + outputs + variables; }
};

class ClassDoctor {
 public:
  ClassDoctor(Model& model, Diagnostics& diagnostics)
      : model_(model), pool_(model.expressions), diagnostics_(diagnostics) {}

  void Check(const ElementClass& element) {
    const ComponentClass& cls = model_[element.class_id];
    if (!cls.external_library.empty() || !seen_.insert(element.class_id.value).second) return;
    Count(element);
    Energy(element);
  }

 private:
  // --- As many equations as unknowns -------------------------------------------------------------------

  uint64_t Turns(const ComponentClass& cls, LoopRange loops, uint32_t k, ParameterValues& values,
                 bool& known) {
    if (k == loops.count) return 1;
    const Loop& loop = cls.loops[loops.first + k];
    const auto from = EvaluateConstant(pool_, loop.from, values),
               to = EvaluateConstant(pool_, loop.to, values);
    if (!from || !to) {
      known = false;
      return 0;
    }
    if (*to < *from) return 0;
    if (k + 1 == loops.count) return static_cast<uint64_t>(*to - *from) + 1;
    uint64_t total = 0;
    for (double i = *from; i <= *to && total < 1'000'000; ++i) {
      values[loop.symbol.value] = i;
      total += Turns(cls, loops, k + 1, values, known);
    }
    values.erase(loop.symbol.value);
    return total;
  }

  uint64_t SizeOf(const Shape& shape, const ParameterValues& values, bool& known) const {
    for (const ExprId size : shape) known = known && EvaluateConstant(pool_, size, values).has_value();
    return CountElements(model_, shape, values);
  }

  bool SetByWhen(const ComponentClass& cls, SymbolId symbol) const {
    for (const WhenClause& clause : cls.whens) {
      for (const WhenAction& action : clause.actions) {
        if (action.reinit) continue;
        for (const Dependence& d : FindDependence(pool_, action.target)) {
          if (d.base == symbol) return true;
        }
      }
    }
    return false;
  }

  // `on = u > upper or pre(on) and u >= lower`
  bool SetByEquation(const ElementClass& element, SymbolId symbol) const {
    for (const Equation& e : element.equations) {
      for (ExprId side : {e.left, e.right}) {
        if (pool_.op(side) == Op::kElement) side = pool_.operand(side, 0);
        if (pool_.IsSymbol(side) && pool_.SymbolOf(side) == symbol) return true;
      }
    }
    return false;
  }

  // An output of a composite, or an inner input, that a connection drives.
  static bool SetByConnection(const ComponentClass& cls, uint32_t variable) {
    for (const Connection& connection : cls.connections) {
      if (!connection.signal) continue;
      for (uint32_t k = 1; k < connection.endpoint_count; ++k) {
        const Endpoint& end = cls.endpoints[connection.first_endpoint + k];
        if (end.instance == UINT32_MAX && end.member == variable) return true;
      }
    }
    return false;
  }

  void Count(const ElementClass& element) {
    const ComponentClass& cls = model_[element.class_id];
    Balance balance;
    ParameterValues values = EvaluateParameters(model_, cls, element.values);
    std::set<uint32_t> used;
    for (const Equation& equation : element.equations) {
      balance.equations += Turns(cls, equation.loops, 0, values, balance.known);
      for (const ExprId side : {equation.left, equation.right}) {
        for (const Dependence& d : FindDependence(pool_, side)) used.insert(d.base.value);
      }
    }
    for (const Edge& edge : cls.edges) {
      balance.edges += SizeOf(edge.shape, values, balance.known);
      balance.edge_names.push_back(model_.Text(edge.name));
      const bool touched = used.count(edge.across.value) + used.count(edge.through.value) > 0;
      if (!touched) balance.unused.push_back(model_.Text(edge.name));
    }
    for (uint32_t v = 0; v < cls.variables.size(); ++v) {
      const Variable& variable = cls.variables[v];
      if (variable.role == VariableRole::kInput || variable.role == VariableRole::kExogenous) continue;
      if (SetByWhen(cls, variable.symbol) || SetByConnection(cls, v)) continue;
      if (variable.discrete && !SetByEquation(element, variable.symbol)) continue;  // keeps its start value
      const uint64_t size = SizeOf(variable.shape, values, balance.known);
      const bool output = variable.role == VariableRole::kOutput;
      (output ? balance.outputs : balance.variables) += size;
      (output ? balance.output_names : balance.variable_names).push_back(model_.Text(variable.name));
      if (used.count(variable.symbol.value) == 0) balance.unused.push_back(model_.Text(variable.name));
    }
    if (!balance.known || balance.equations == balance.unknowns()) return;
    Report(cls, balance);
  }

  void Report(const ComponentClass& cls, const Balance& balance) {
    const bool few = balance.equations < balance.unknowns();
    auto& report = diagnostics_.Report(few ? messages::kTooFewEquations : messages::kTooManyEquations,
                                       model_.SpanOf(cls.origin),
                                       {model_.Text(cls.name), Plural(balance.unknowns(), "equation"),
                                        balance.equations == 0 ? "none" : std::to_string(balance.equations)});
    const auto each = [&](const std::vector<std::string>& names, uint64_t count, const char* word) {
      if (names.empty()) return;
      report.Note(std::to_string(count) + " for the " + word + (count == 1 ? " " : "s ") +
                  ListNames(names, 6));
    };
    each(balance.edge_names, balance.edges, "edge");
    each(balance.output_names, balance.outputs, "output");
    each(balance.variable_names, balance.variables, "variable");
    const uint64_t off =
        few ? balance.unknowns() - balance.equations : balance.equations - balance.unknowns();
    if (few) {
      report.Help(
          "add " + Plural(off, "equation") +
          (balance.unused.empty() ? std::string() : "; none mentions " + ListNames(balance.unused, 6)));
    } else {
      report.Help("remove " + Plural(off, "equation") + ", or declare a variable for what it computes");
      for (size_t k = 0; k < cls.equations.size() && k < 6; ++k) {
        if (!cls.equations[k].initial) report.Also(model_.SpanOf(cls.equations[k].origin), "an equation");
      }
    }
  }

  // --- Energy ------------------------------------------------------------------------------------------

  void Energy(const ElementClass& element) {
    const ComponentClass& cls = model_[element.class_id];
    if (!diagnostics_.ok() && seen_.size() > 200) return;
    const auto mismatch = CheckEnergy(model_, element);
    if (!mismatch) return;
    const SyntaxTree& tree = model_.tree(cls.origin.tree);
    Span place = model_.SpanOf(cls.origin);
    bool first = true;
    auto* report = &diagnostics_.Report(messages::kEnergyMismatch, place, {model_.Text(cls.name)});
    const auto look = [&](const auto& self, NodeId parent) -> void {
      for (const NodeId child : tree.Children(parent)) {
        if (tree.kind(child) == NodeKind::kModel && tree.Name(child) == model_.Text(cls.model))
          self(self, child);
        if (tree.kind(child) != NodeKind::kEnergy && tree.kind(child) != NodeKind::kLoss) continue;
        if (first)
          report->where = tree.SpanOf(child);
        else
          report->Also(tree.SpanOf(child), "");
        first = false;
      }
    };
    NodeId node = cls.origin.node;
    while (!node.IsNone() && tree.kind(node) != NodeKind::kComponent) node = ParentOf(tree, node);
    if (!node.IsNone()) look(look, node);
    if (!mismatch->difference.empty())
      report->Note("power into the edges - der(energy) - loss = " + mismatch->difference + ", not 0");
    std::string zeros;
    for (const uint32_t p : element.zero_parameters)
      zeros += (zeros.empty() ? "" : ", ") + model_.Text(cls.parameters[p].name) + " = 0";
    if (!zeros.empty()) report->Note("with " + zeros);
    report->Help(
        "`energy` is what the component stores, `loss` what leaves it as heat: power into all edges = "
        "der(energy) + loss");
  }

  // Nodes know their children only; classes are few.
  static NodeId ParentOf(const SyntaxTree& tree, NodeId node) {
    for (uint32_t k = 0; k < tree.nodes.size(); ++k) {
      for (const NodeId child : tree.Children(NodeId(k))) {
        if (child == node) return NodeId(k);
      }
    }
    return NodeId::None();
  }

  Model& model_;
  ExprPool& pool_;
  Diagnostics& diagnostics_;
  std::set<uint32_t> seen_;
};

}  // namespace

void DiagnoseClasses(Model& model, const std::vector<ElementClass>& elements, Diagnostics& diagnostics) {
  ClassDoctor doctor(model, diagnostics);
  for (const ElementClass& element : elements) doctor.Check(element);
}

void DiagnoseUnusedClasses(Model& model, Diagnostics& diagnostics) {
  ClassDoctor doctor(model, diagnostics);
  std::vector<ElementClass> elements;
  ElementTable table(model, elements, 1000);
  const std::vector<ClassId> own = model.own_classes;
  for (const ClassId id : own) {
    const ParameterValues values = EvaluateParameters(model, model[id], {});
    std::vector<double> key;
    for (const auto& entry : table.ParametersOf(id).entries) {
      const auto at = values.find(model[id].parameters[entry.parameter].symbol.value);
      if (entry.by_value)
        key.push_back(at == values.end() ? std::nan("") : at->second);
      else
        key.push_back(1);
    }
    doctor.Check(elements[table.Find(id, key).index()]);
  }
}

}  // namespace cotree
