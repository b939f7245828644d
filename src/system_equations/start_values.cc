// SPDX-License-Identifier: Apache-2.0
#include "system_equations/start_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "expr/dependence.h"
#include "expr/evaluate.h"
#include "expr/substitute.h"
#include "model/check_sizes.h"
#include "model/describe_model.h"
#include "model/diagnostics.h"
#include "system_graph/element_table.h"

namespace cotree {

namespace messages = model_messages;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class Finder {
 public:
  Finder(const EquationSystem& system, Diagnostics& diagnostics)
      : system_(system), model_(*system.model), pool_(model_.expressions), diagnostics_(diagnostics) {}

  std::vector<StartEntry> Run(const std::vector<StartValue>* experiment);

 private:
  /** What a start is for, while its path is followed. */
  struct Target {
    const StartValue* start;
    ComponentId composite;        // whose start it is
    std::vector<ExprId> indices;  // of all arrays on the path
    uint32_t order;
    size_t used = 0;                // of the indices
    std::vector<Replacement> turn;  // #1, #2, ... at the element at hand
  };

  void Set(VariableRef ref, double value, bool fixed, StateWish wish, bool given);
  double Evaluate(ExprId expr, const Part& part);
  void OfClass(const Part& part);
  void OfComposite(ComponentId composite, const std::vector<StartValue>& starts);
  void Follow(Target& target, ComponentId at, std::string_view path);
  template <class F>
  void OverElements(Target& target, const std::vector<uint32_t>& sizes, std::vector<uint32_t>& chosen,
                    const F& f);

  const EquationSystem& system_;
  Model& model_;
  ExprPool& pool_;
  Diagnostics& diagnostics_;
  std::optional<NameFinder> names_;
  std::map<std::pair<uint32_t, uint32_t>, StartEntry> found_;
  Environment<double> environment_;
};

void Finder::Set(VariableRef ref, double value, bool fixed, StateWish wish, bool given) {
  if (ref.variable == UINT32_MAX) return;
  StartEntry& entry = found_[{ref.variable, ref.order}];
  const StateWish kept = wish == StateWish::kNone ? entry.wish : wish;
  entry = {ref, value, fixed, kept, given};
}

double Finder::Evaluate(ExprId expr, const Part& part) {
  if (pool_.IsNumber(expr)) return pool_.NumberValue(expr);
  const ScalarElement& scalar = system_.scalars[part.scalar];
  environment_.scalars.assign(pool_.symbol_count(), kNone);
  environment_.arrays.clear();
  environment_.call = TableCalls(model_);
  const auto block = system_.parameters.Of(ComponentId(part.component), scalar);
  const ComponentClass& cls = system_.graph->ClassOf(model_, ComponentId(part.component));
  for (size_t p = 0; p < scalar.parameters.size(); ++p) {
    environment_.scalars[scalar.parameters[p].symbol.index()] = block[p];
    const Parameter& parameter = cls.parameters[scalar.parameters[p].parameter];
    if (parameter.shape.empty() || scalar.parameters[p].element != 0) continue;
    ArrayValue<double> array{parameter.symbol, {}, {}};
    std::vector<uint32_t> sizes;
    CountElements(model_, parameter.shape, system_.graph->ElementOf(ComponentId(part.component)).values,
                  &sizes);
    array.sizes.assign(sizes.begin(), sizes.end());
    for (size_t q = p;
         q < scalar.parameters.size() && scalar.parameters[q].parameter == scalar.parameters[p].parameter;
         ++q)
      array.elements.push_back(block[q]);
    environment_.arrays.push_back(std::move(array));
  }
  return EvaluateDouble(pool_, expr, environment_);
}

void Finder::OfClass(const Part& part) {
  for (const ScalarElement::Start& start : system_.scalars[part.scalar].starts) {
    const VariableRef ref = system_.Resolve(part, start.variable);
    const double value = Evaluate(start.value, part);
    Set({ref.variable, ref.order + start.order}, value, start.fixed, start.wish, start.given);
  }
}

// Runs over the elements of an array that the indices of the target mean: one, a slice, or (#k) all.
template <class F>
void Finder::OverElements(Target& target, const std::vector<uint32_t>& sizes, std::vector<uint32_t>& chosen,
                          const F& f) {
  const size_t d = chosen.size();
  if (d == sizes.size()) return f();
  if (target.used >= target.indices.size()) return;
  const StartValue& start = *target.start;
  const Part& part = system_.parts[target.composite.index()];
  const ExprId index = target.indices[target.used++];
  // The dimensions that run do so in #1, #2, ...
  SymbolId running = pool_.DeclareSymbol("#" + std::to_string(target.turn.size() + 1), SymbolKind::kIndex);
  if (index != pool_.Symbol(running) && Substitute(pool_, index, running, pool_.One()) == index)
    running = SymbolId::None();
  double count = 1;
  if (!running.IsNone()) {
    const size_t dimension = target.turn.size(), skipped = start.shape.size() - start.value_shape.size();
    count = start.shape[dimension].IsNone() ? sizes[d] : Evaluate(start.shape[dimension], part);
    if (dimension >= skipped && !start.value_shape.empty()) {
      const double given = Evaluate(start.value_shape[dimension - skipped], part);
      if (given != count) {
        const SyntaxTree& tree = model_.tree(start.origin.tree);
        const NodeId value = tree[tree[start.origin.node].first_child].next_sibling;
        ReportSizes(tree, value, {given}, {count}, diagnostics_);
        count = 0;
      }
    }
  }
  for (double k = 1; k <= count; ++k) {
    if (!running.IsNone()) target.turn.emplace_back(running, pool_.Number(k));
    const double at = Evaluate(Substitute(pool_, index, target.turn), part);
    if (at >= 1 && at <= sizes[d]) {
      chosen.push_back(static_cast<uint32_t>(at));
      OverElements(target, sizes, chosen, f);
      chosen.pop_back();
    } else {
      diagnostics_.Report(messages::kIndexOutOfRange, model_.SpanOf(start.origin),
                          {NumberText(at), NumberText(sizes[d])});
      k = count;
    }
    if (!running.IsNone()) target.turn.pop_back();
  }
  --target.used;
}

// Follows the path of the target from a component inwards, for all elements that it means.
void Finder::Follow(Target& target, ComponentId at, std::string_view path) {
  const SystemGraph& graph = *system_.graph;
  const size_t dot = path.find('.');
  const NameId name = model_.names.Find(path.substr(0, dot));
  const ElementClass& element = graph.ElementOf(at);
  const ComponentClass& cls = model_[element.class_id];
  const auto member = name.IsNone() ? std::nullopt : cls.members.Find(name);
  if (!member) return;
  std::vector<uint32_t> sizes, chosen;
  if (member->kind == MemberKind::kInstance && dot != std::string_view::npos) {
    const uint32_t first = names_->FirstOf(at, member->index);
    if (first == UINT32_MAX) return;
    const Scope& scope = graph.scopes[graph.components[first].scope];
    if (scope.shape != UINT32_MAX) sizes = graph.shapes[scope.shape];
    OverElements(target, sizes, chosen, [&] {
      uint32_t flat = 0;
      for (size_t d = 0; d < sizes.size(); ++d) flat = flat * sizes[d] + chosen[d] - 1;
      Follow(target, ComponentId(first + flat), path.substr(dot + 1));
    });
    return;
  }
  const bool edge = member->kind == MemberKind::kEdge;
  if (!edge && member->kind != MemberKind::kVariable) return;
  CountElements(model_, edge ? cls.edges[member->index].shape : cls.variables[member->index].shape,
                element.values, &sizes);
  const std::string owner = ComponentName(model_, graph, at);
  OverElements(target, sizes, chosen, [&] {
    std::string full = owner + (owner.empty() ? "" : ".") + std::string(path.substr(0, dot));
    for (size_t d = 0; d < chosen.size(); ++d) full += (d == 0 ? "[" : ",") + std::to_string(chosen[d]);
    if (!chosen.empty()) full += "]";
    if (dot != std::string_view::npos) full += path.substr(dot);
    const VariableRef ref = FindVariable(system_, *names_, full);
    const ExprId value = Substitute(pool_, target.start->value, target.turn);
    Set({ref.variable, ref.order + target.order}, Evaluate(value, system_.parts[target.composite.index()]),
        target.start->fixed, target.start->wish, true);
  });
}

void Finder::OfComposite(ComponentId composite, const std::vector<StartValue>& starts) {
  if (!names_) names_.emplace(model_, *system_.graph);
  for (const StartValue& start : starts) {
    const bool element = pool_.op(start.target) == Op::kElement;
    const ExprId symbol = element ? pool_.operand(start.target, 0) : start.target;
    if (!pool_.IsSymbol(symbol)) continue;
    Target target{&start, composite, {}, pool_.symbol(pool_.SymbolOf(symbol)).order, 0, {}};
    if (element) {
      const auto indices = pool_.operands(start.target).subspan(1);
      target.indices.assign(indices.begin(), indices.end());
    }
    Follow(target, composite, std::string(pool_.SymbolName(pool_.symbol(pool_.SymbolOf(symbol)).base)));
  }
}

std::vector<StartEntry> Finder::Run(const std::vector<StartValue>* experiment) {
  for (const Part& part : system_.parts) {
    if (!system_.scalars[part.scalar].starts.empty()) OfClass(part);
  }
  // Inner composites first: what is said further outside counts more.
  for (size_t i = system_.graph->components.size(); i-- > 0;) {
    const ComponentId id(i);
    if (!system_.graph->ElementOf(id).composite) continue;
    const ComponentClass& cls = system_.graph->ClassOf(model_, id);
    if (!cls.starts.empty()) OfComposite(id, cls.starts);
  }
  if (experiment != nullptr) OfComposite(ComponentId(0), *experiment);
  std::vector<StartEntry> out;
  for (const auto& [key, entry] : found_) out.push_back(entry);
  return out;
}

}  // namespace

std::vector<StartEntry> FindStarts(const EquationSystem& system, const std::vector<StartValue>* experiment,
                                   Diagnostics& diagnostics) {
  return Finder(system, diagnostics).Run(experiment);
}

std::vector<Guess> FindGuesses(const EquationSystem& system) {
  const Model& model = *system.model;
  const SystemGraph& graph = *system.graph;
  const auto guess_of = [&](const Type& type) {
    return type.quantity.IsNone() ? 0.0 : model.quantities[type.quantity.index()].guess;
  };
  std::vector<Guess> out;
  const auto has_guess = [](const Quantity& quantity) { return quantity.guess != 0; };
  if (std::none_of(model.quantities.begin(), model.quantities.end(), has_guess)) return out;
  for (const Part& part : system.parts) {
    // What is added to the system (inputs that follow data) has no class.
    if (part.component >= graph.components.size() || part.scalar >= graph.elements.size()) continue;
    const ScalarElement& scalar = system.scalars[part.scalar];
    const ElementClass& element = graph.ElementOf(ComponentId(part.component));
    const ComponentClass& cls = model[element.class_id];
    const uint32_t first_edge = graph.components[part.component].first_edge;
    for (uint32_t v = 0; v < scalar.owned; ++v) {
      const ScalarVariable& variable = scalar.variables[v];
      double guess = 0;
      if (variable.role == ScalarVariable::Role::kVariable) {
        guess = guess_of(cls.variables[variable.index].type);
      } else if (variable.role == ScalarVariable::Role::kAcross &&
                 graph.IsReference(graph.edges[first_edge + variable.index].to)) {
        guess = guess_of(model.domains[element.edges[variable.index].domain.index()].across_type);
      }
      if (guess != 0) out.push_back({{part.first_variable + v, 0}, guess});
    }
  }
  return out;
}

namespace {

bool HasCall(const ExprPool& pool, ExprId root) {
  std::vector<ExprId> open{root};
  while (!open.empty()) {
    const ExprId at = open.back();
    open.pop_back();
    if (pool.op(at) == Op::kCall) return true;
    for (const ExprId operand : pool.operands(at)) open.push_back(operand);
  }
  return false;
}

}  // namespace

std::vector<HeldWhen> FindHeldWhens(const EquationSystem& system, const std::vector<StartEntry>& starts,
                                    double time) {
  ExprPool& pool = system.model->expressions;
  std::vector<HeldWhen> out;
  std::map<std::pair<uint32_t, uint32_t>, const StartEntry*> start_of;
  for (const StartEntry& start : starts) start_of[{start.variable.variable, start.variable.order}] = &start;
  for (const Part& part : system.parts) {
    const ScalarElement& scalar = system.scalars[part.scalar];
    // A call makes a condition one of a moment (initial, sample, edge), or of what was before.
    if (scalar.whens.empty() || part.component >= system.graph->components.size() ||
        std::any_of(scalar.whens.begin(), scalar.whens.end(),
                    [&](const ScalarElement::When& when) { return HasCall(pool, when.condition); }))
      continue;
    Environment<double> environment;
    environment.time = time;
    environment.scalars.assign(pool.symbol_count(), kNone);
    const auto numbers = system.parameters.Of(ComponentId(part.component), scalar);
    for (size_t p = 0; p < scalar.parameters.size(); ++p)
      environment.scalars[scalar.parameters[p].symbol.index()] = numbers[p];
    for (uint32_t v = 0; v < scalar.variables.size(); ++v) {
      const ScalarVariable& variable = scalar.variables[v];
      const VariableRef ref = system.Resolve(part, v);
      for (uint32_t order = 0; order < 2; ++order) {
        const auto found = start_of.find({ref.variable, ref.order + order});
        const bool discrete = variable.role == ScalarVariable::Role::kDiscrete && order == 0;
        if (found == start_of.end() && !discrete) continue;
        if (found != start_of.end() && !found->second->fixed && !discrete) continue;
        const SymbolId symbol = pool.SymbolOfOrder(variable.symbol, static_cast<int>(order));
        if (environment.scalars.size() <= symbol.index())
          environment.scalars.resize(symbol.index() + 1, kNone);
        environment.scalars[symbol.index()] = found == start_of.end() ? 0 : found->second->value;
      }
    }
    for (const ScalarElement::When& when : scalar.whens) {
      bool known = true;
      for (const SymbolId symbol : FindSymbols(pool, when.condition)) {
        known = known && symbol.index() < environment.scalars.size() &&
                !std::isnan(environment.scalars[symbol.index()]);
      }
      if (known && EvaluateDouble(pool, when.condition, environment) == 1)
        out.push_back({ComponentId(part.component), when.origin});
    }
  }
  return out;
}

}  // namespace cotree
