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
#include "system_graph/element_table.h"

namespace cotree {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class Finder {
 public:
  explicit Finder(const EquationSystem& system)
      : system_(system), model_(*system.model), pool_(model_.expressions) {}

  std::vector<StartEntry> Run(const std::vector<StartValue>* experiment);

 private:
  void Set(VariableRef ref, double value, bool fixed, bool prefer, bool given);
  double Evaluate(ExprId expr, const Part& part);
  void OfClass(const Part& part);
  void OfComposite(ComponentId composite, const std::vector<StartValue>& starts);
  void OfTarget(ComponentId composite, ExprId target, ExprId value, bool fixed);

  const EquationSystem& system_;
  Model& model_;
  ExprPool& pool_;
  std::optional<NameFinder> names_;
  std::map<std::pair<uint32_t, uint32_t>, StartEntry> found_;
  Environment<double> environment_;
};

void Finder::Set(VariableRef ref, double value, bool fixed, bool prefer, bool given) {
  if (ref.variable == UINT32_MAX) return;
  StartEntry& entry = found_[{ref.variable, ref.order}];
  const bool keep = entry.prefer;
  entry = {ref, value, fixed, prefer || keep, given};
}

double Finder::Evaluate(ExprId expr, const Part& part) {
  if (pool_.IsNumber(expr)) return pool_.NumberValue(expr);
  const ScalarElement& scalar = system_.scalars[part.scalar];
  environment_.scalars.assign(pool_.symbol_count(), kNone);
  environment_.arrays.clear();
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
    Set({ref.variable, ref.order + start.order}, value, start.fixed, start.prefer, true);
  }
}

void Finder::OfTarget(ComponentId composite, ExprId target, ExprId value, bool fixed) {
  std::vector<uint32_t> indices;
  ExprId symbol = target;
  bool whole = false;  // its last index runs
  if (pool_.op(target) == Op::kElement) {
    symbol = pool_.operand(target, 0);
    for (size_t k = 1; k < pool_.operands(target).size(); ++k) {
      const auto number = pool_.AsInteger(pool_.operand(target, k));
      if (!number && k + 1 == pool_.operands(target).size()) {
        whole = true;
        break;
      }
      if (!number) return;
      indices.push_back(static_cast<uint32_t>(*number));
    }
  }
  if (!pool_.IsSymbol(symbol)) return;
  const SymbolInfo info = pool_.symbol(pool_.SymbolOf(symbol));
  if (!names_) names_.emplace(model_, *system_.graph);
  size_t used = 0;
  const auto [component, rest] = names_->FollowSymbol(composite, pool_.SymbolName(info.base), indices, &used);
  if (component.IsNone()) return;
  std::string index;
  for (size_t k = used; k < indices.size(); ++k)
    index += (index.empty() ? "[" : ",") + std::to_string(indices[k]);
  if (!index.empty()) index += "]";
  std::string name(rest);
  const size_t dot = rest.find('.');
  name.insert(dot == std::string_view::npos ? name.size() : dot, index);
  const std::string owner = ComponentName(model_, *system_.graph, component);
  const std::string full = owner.empty() ? name : owner + "." + name;
  const VariableRef ref = whole ? VariableRef{} : FindVariable(system_, *names_, full);
  if (ref.variable == UINT32_MAX) {
    // A whole vector: element by element.
    for (uint32_t k = 1;; ++k) {
      const VariableRef element = FindVariable(system_, *names_, full + "[" + std::to_string(k) + "]");
      if (element.variable == UINT32_MAX) return;
      const bool listed = pool_.op(value) == Op::kArray;
      if (listed && k > pool_.operands(value).size()) return;
      const ExprId own =
          listed ? pool_.operand(value, k - 1)
                 : Substitute(pool_, value, pool_.DeclareSymbol("#1", SymbolKind::kIndex), pool_.Number(k));
      Set({element.variable, element.order + info.order}, Evaluate(own, system_.parts[composite.index()]),
          fixed, false, true);
    }
  }
  Set({ref.variable, ref.order + info.order}, Evaluate(value, system_.parts[composite.index()]), fixed, false,
      true);
}

void Finder::OfComposite(ComponentId composite, const std::vector<StartValue>& starts) {
  const SystemGraph& graph = *system_.graph;
  const ComponentClass& cls = graph.ClassOf(model_, composite);
  for (const StartValue& start : starts) {
    // Among the arguments of an array of instances the target runs over #1, #2, ...
    std::vector<uint32_t> sizes;
    if (start.instance != UINT32_MAX && cls.instances[start.instance].shape != UINT32_MAX)
      CountElements(model_, cls.shapes[cls.instances[start.instance].shape],
                    graph.ElementOf(composite).values, &sizes);
    uint64_t total = 1;
    for (const uint32_t s : sizes) total *= s;
    if (sizes.empty()) {
      OfTarget(composite, start.target, start.value, start.fixed);
      continue;
    }
    for (uint64_t k = 0; k < total; ++k) {
      std::vector<Replacement> at;
      uint64_t rest = k;
      for (size_t d = sizes.size(); d-- > 0;) {
        at.emplace_back(pool_.DeclareSymbol("#" + std::to_string(d + 1), SymbolKind::kIndex),
                        pool_.Number(static_cast<double>(rest % sizes[d] + 1)));
        rest /= sizes[d];
      }
      OfTarget(composite, Substitute(pool_, start.target, at), Substitute(pool_, start.value, at),
               start.fixed);
    }
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
  for (const auto& [key, entry] : found_) {
    if (entry.value == entry.value) out.push_back(entry);
  }
  return out;
}

}  // namespace

std::vector<StartEntry> FindStarts(const EquationSystem& system, const std::vector<StartValue>* experiment) {
  return Finder(system).Run(experiment);
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
