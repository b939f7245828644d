// SPDX-License-Identifier: Apache-2.0
#include "state_space/parameter_letters.h"

#include <algorithm>
#include <cmath>

#include "expr/evaluate.h"
#include "model/describe_model.h"
#include "state_space/rewrite.h"
#include "system_graph/element_table.h"

namespace cotree {

ExprId ParameterLetters::Of(ComponentId component, SymbolId symbol) {
  const std::vector<ScalarParameter>& parameters = ScalarOf(component).parameters;
  for (uint32_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k].symbol != symbol) continue;
    const auto key = std::pair(component.value, k);
    if (const auto at = made_.find(key); at != made_.end()) return at->second;
    const ExprId out = Make({component, k});
    made_.emplace(key, out);
    const ComponentClass& cls = system_.graph->ClassOf(*system_.model, component);
    if (!cls.spatial.IsNone() && system_.model->Text(cls.spatial) == "gravity") {
      for (const SymbolId letter : AllSymbols(pool_, out)) gravity_.push_back(pool_.Symbol(letter));
    }
    return out;
  }
  return ExprId();
}

double ParameterLetters::Evaluate(ExprId expr) const {
  Environment<double> environment;
  environment.scalars.assign(pool_.symbol_count(), std::nan(""));
  for (const SymbolId symbol : AllSymbols(pool_, expr)) {
    const auto at = values_.find(symbol.value);
    if (at != values_.end()) environment.scalars[symbol.index()] = at->second;
  }
  return EvaluateDouble(pool_, expr, environment);
}

std::string ParameterLetters::UnitOf(const Place& place, const Parameter& parameter) const {
  const Model& model = *system_.model;
  const Component& c = system_.graph->components[place.component.index()];
  std::string unit = parameter.type.unit;
  if (!parameter.type.quantity.IsNone()) unit = model.quantities[parameter.type.quantity.index()].unit;
  if (unit.find('$') != std::string::npos && c.scope != UINT32_MAX) {
    const Scope& scope = system_.graph->scopes[c.scope];
    const ComponentClass& outer = system_.graph->ClassOf(model, scope.parent);
    unit = UnitOfInstance(parameter.type, system_.graph->ClassOf(model, place.component), model, outer,
                          outer.instances[scope.instance]);
  }
  return unit.find('$') != std::string::npos || unit == "1" ? "" : unit;
}

bool ParameterLetters::StaysLetter(const std::string& path, const std::string& component,
                                   const std::string& unit, double value) const {
  switch (choice_.kind) {
    case SymbolChoice::Kind::kAll:
      return value != 0;
    case SymbolChoice::Kind::kNone:
      return false;
    case SymbolChoice::Kind::kUsual:
      // A resistance of 1 ohm stays, or volts would be added to amperes.
      return value != 0 && (std::fabs(value) != 1 || !unit.empty());
    case SymbolChoice::Kind::kListed:
      return std::any_of(choice_.names.begin(), choice_.names.end(), [&](const std::string& name) {
        return path == name || component == name || path.ends_with("." + name) ||
               path.starts_with(name + ".") || path.starts_with(name + "[");
      });
  }
  return true;
}

// An expression of the parameters of `owner`'s class, in letters; none where something else occurs in it.
ExprId ParameterLetters::InLetters(ExprId expr, ComponentId owner) {
  bool ok = true;
  const auto letter = [&](const std::string& name) -> std::optional<ExprId> {
    for (const ScalarParameter& p : ScalarOf(owner).parameters) {
      if (pool_.SymbolName(p.symbol) == name) return Of(owner, p.symbol);
    }
    return std::nullopt;
  };
  // Elements of arrays first: their symbol alone means the whole array.
  const ExprId scalars = Rewrite(pool_, expr, [&](ExprId id) -> std::optional<ExprId> {
    if (pool_.op(id) != Op::kElement || !pool_.IsSymbol(pool_.operand(id, 0))) return std::nullopt;
    std::string name(pool_.SymbolName(pool_.SymbolOf(pool_.operand(id, 0))));
    name += "[";
    for (size_t k = 1; k < pool_.operands(id).size(); ++k) {
      const auto index = pool_.AsInteger(pool_.operand(id, k));
      if (!index) return std::nullopt;
      name += (k > 1 ? "," : "") + std::to_string(*index);
    }
    return letter(name + "]");
  });
  const ExprId out = Rewrite(pool_, scalars, [&](ExprId id) -> std::optional<ExprId> {
    if (!pool_.IsSymbol(id) || values_.contains(pool_.SymbolOf(id).value)) return std::nullopt;
    const auto own = letter(std::string(pool_.SymbolName(pool_.SymbolOf(id))));
    if (!own) ok = false;
    return own;
  });
  return ok ? out : ExprId();
}

// What the text gives: the argument of the instance, or the default of the class; in letters. None: a number,
// or nothing that can be shown.
ExprId ParameterLetters::Given(const Place& place, bool* by_default) {
  const SystemGraph& graph = *system_.graph;
  const Model& model = *system_.model;
  const Component& c = graph.components[place.component.index()];
  const ScalarParameter& own = ScalarOf(place.component).parameters[place.parameter];
  const ComponentClass& cls = graph.ClassOf(model, place.component);
  std::vector<uint32_t> sizes;
  CountElements(model, cls.parameters[own.parameter].shape, graph.elements[c.element.index()].values, &sizes);
  const auto element = [&](ExprId expr) {
    uint32_t index = own.element;
    std::vector<Replacement> numbers;
    for (size_t k = sizes.size(); k-- > 0;) {
      if (const auto symbol = pool_.FindSymbol("#" + std::to_string(k + 1)))
        numbers.emplace_back(*symbol, pool_.Number(index % sizes[k] + 1));
      index /= sizes[k];
    }
    return numbers.empty() ? expr : Substitute(pool_, expr, numbers);
  };
  *by_default = false;
  if (c.scope != UINT32_MAX) {
    const Scope& scope = graph.scopes[c.scope];
    const ComponentClass& owner = graph.ClassOf(model, scope.parent);
    const Instance& instance = owner.instances[scope.instance];
    for (uint32_t i = 0; i < instance.argument_count; ++i) {
      const Argument& argument = owner.arguments[instance.first_argument + i];
      if (argument.path != UINT32_MAX || argument.parameter != own.parameter) continue;
      if (argument.per_element || argument.value.IsNone()) return ExprId();
      const ExprId value = element(argument.value);
      return pool_.IsNumber(value) ? ExprId() : InLetters(value, scope.parent);
    }
  }
  *by_default = true;
  const ExprId value = cls.parameters[own.parameter].value;
  if (value.IsNone()) return ExprId();
  const ExprId scalar = element(value);
  return pool_.IsSymbol(scalar) ? InLetters(scalar, place.component) : ExprId();
}

ExprId ParameterLetters::Make(const Place& place) {
  const Model& model = *system_.model;
  const ScalarElement& scalar = ScalarOf(place.component);
  const ScalarParameter& own = scalar.parameters[place.parameter];
  const Parameter& parameter = system_.graph->ClassOf(model, place.component).parameters[own.parameter];
  const double value = system_.parameters.Of(place.component, scalar)[place.parameter];
  if (parameter.type.base == BaseType::kBoolean) return pool_.Boolean(value != 0);
  if (parameter.type.base != BaseType::kReal) return pool_.Number(value);
  const std::string unit = UnitOf(place, parameter);
  const std::string component = ComponentName(model, *system_.graph, place.component);
  const std::string path =
      (component.empty() ? component : component + ".") + std::string(pool_.SymbolName(own.symbol));
  bool by_default = false;
  const ExprId given = Given(place, &by_default);
  if (!given.IsNone() && std::isfinite(value)) {
    const double same = Evaluate(given);
    if (same == value || std::fabs(same - value) <= 1e-14 * std::fabs(value)) return given;
  }
  if (!std::isfinite(value)) return pool_.Number(std::isnan(value) ? 0 : value);
  const bool letter_stays = StaysLetter(path, component, unit, value);
  if (!letter_stays && (value == 0 || std::fabs(value) == 1)) return pool_.Number(value);
  const SymbolId symbol = pool_.DeclareSymbol(path, SymbolKind::kParameter);
  values_[symbol.value] = value;
  if (!letter_stays) {
    numbers_.emplace_back(symbol, pool_.Number(value));
    return pool_.Symbol(symbol);
  }
  ReadableSymbol letter;
  letter.symbol = pool_.Symbol(symbol);
  letter.path = path;
  letter.component = component;
  letter.role = ReadableSymbol::Role::kParameter;
  letter.value = value;
  letter.unit = unit;
  letters_.push_back(std::move(letter));
  return letters_.back().symbol;
}

}  // namespace cotree
