// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "system_graph/graph_builder.h"
#include "system_graph/inner_settings.h"

namespace cotree {

std::vector<SystemSetting> InnerSettings(
    const Model& model, const ComponentClass& cls, ParameterValues values, const std::vector<uint32_t>& path,
    const Argument& argument, const std::function<double(const std::vector<uint32_t>& indices)>& value) {
  SystemSetting all;
  const ComponentClass* owner = &cls;
  std::vector<uint32_t> sizes;
  for (const uint32_t instance : path) {
    const Instance& inner = owner->instances[instance];
    const bool runs = argument.inner_rank > 0 && inner.shape != UINT32_MAX;
    all.path.push_back({instance, ElementRanges(runs ? owner->shapes[inner.shape].size() : 0)});
    if (runs) CountElements(model, owner->shapes[inner.shape], values, &sizes);
    values = ArgumentsOf(model, *owner, inner, values);
    owner = &model[inner.class_id];
  }
  all.parameter = argument.parameter;
  const Shape& shape = owner->parameters[argument.parameter].shape;
  all.elements.resize(shape.size());
  CountElements(model, shape, values, &sizes);
  uint64_t count = 1;
  for (const uint32_t size : sizes) count *= size;
  std::vector<SystemSetting> out;
  for (uint64_t k = 0; k < count; ++k) {
    std::vector<uint32_t> indices(sizes.size());
    uint64_t rest = k;
    for (size_t d = sizes.size(); d-- > 0;) {
      indices[d] = static_cast<uint32_t>(rest % sizes[d]);
      rest /= sizes[d];
    }
    SystemSetting& one = out.emplace_back(all);
    size_t next = 0;
    for (SystemSetting::Step& step : one.path) {
      for (ElementRange& range : step.elements) range = {indices[next++], 1, 1};
    }
    for (ElementRange& range : one.elements) range = {indices[next++], 1, 1};
    one.value = value(indices);
  }
  return out;
}

SystemSetting WithoutFirst(SystemSetting setting) {
  setting.path.erase(setting.path.begin());
  return setting;
}

void GraphBuilder::AddComponent(ElementId element, uint32_t scope, uint32_t index) {
  const ElementClass& cls = graph_.elements[element.index()];
  graph_.components.push_back({element, scope, index, static_cast<uint32_t>(edges_),
                               static_cast<uint32_t>(terminals_), static_cast<uint32_t>(inputs_)});
  edges_ += cls.edges.size();
  terminals_ += cls.terminals();
  inputs_ += cls.slot_variable.size();
  if (std::max({edges_, terminals_, inputs_, uint64_t{graph_.components.size()}}) > limits_.most)
    too_large_ = true;
}

ElementId GraphBuilder::ElementOf(ClassId id, const ParameterValues& values) {
  const StructuralParameters& structural = table_.ParametersOf(id);
  if (!structural.only.IsNone()) return structural.only;
  std::vector<double> key;
  for (const auto& entry : structural.entries) {
    const auto at = values.find(model_[id].parameters[entry.parameter].symbol.value);
    const double value = at == values.end() ? kUnknownValue : at->second;
    key.push_back(entry.by_value ? value : value == 0 ? 0 : 1);
  }
  return table_.Find(id, key);
}

// The value of a parameter of `instance`, as far as a number in the text gives it. False: it takes more.
bool GraphBuilder::PlainValue(const ComponentClass& owner, const Instance& instance, uint32_t parameter,
                              const Values& outer, ValueOf& out) {
  for (uint32_t i = 0; i < instance.argument_count; ++i) {
    const Argument& argument = owner.arguments[instance.first_argument + i];
    if (argument.path != UINT32_MAX || argument.parameter != parameter) continue;
    if (argument.per_element) {
      out.per_element = &argument;
      return true;
    }
    out.value = Evaluate(argument.value, outer, {});
    return true;
  }
  const ExprId standard = model_[instance.class_id].parameters[parameter].value;
  if (standard.IsNone()) return true;
  if (!pool_.IsNumber(standard)) return false;
  out.value = pool_.NumberValue(standard);
  return true;
}

// The parameters of `instance` seen from `outer`, with what was given for public ones from further outside.
GraphBuilder::Values GraphBuilder::ValuesOf(const ComponentClass& owner, uint32_t instance_index,
                                            const Values& outer, std::span<const uint32_t> indices) {
  const Instance& instance = owner.instances[instance_index];
  const ComponentClass& cls = model_[instance.class_id];
  Values out;
  std::vector<std::pair<const Parameter*, ExprId>> arrays;
  for (uint32_t i = 0; i < instance.argument_count; ++i) {
    const Argument& argument = owner.arguments[instance.first_argument + i];
    const auto own = argument.per_element ? indices : std::span<const uint32_t>();
    if (argument.path != UINT32_MAX) continue;
    if (!cls.parameters[argument.parameter].shape.empty()) {
      if (!argument.per_element) arrays.emplace_back(&cls.parameters[argument.parameter], argument.value);
      continue;
    }
    const double value = Evaluate(argument.value, outer, own);
    if (value == value) out.scalars[cls.parameters[argument.parameter].symbol.value] = value;
  }
  for (const SystemSetting& given : outer.given) {
    if (given.path.empty() || given.path.front().instance != instance_index) continue;
    const ElementRanges& elements = given.path.front().elements;
    bool meant = true;
    for (size_t k = 0; k < elements.size() && k < indices.size(); ++k)
      meant = meant && elements[k].Has(indices[k]);
    if (meant) Give(cls, WithoutFirst(given), out);
  }
  out.scalars = EvaluateParameters(model_, cls, std::move(out.scalars));
  // What the text says of the inside counts less than what comes from further outside.
  std::vector<SystemSetting> said;
  for (uint32_t i = 0; i < instance.argument_count; ++i) {
    const Argument& argument = owner.arguments[instance.first_argument + i];
    if (argument.path == UINT32_MAX) continue;
    const auto own = argument.per_element ? indices : std::span<const uint32_t>();
    for (SystemSetting& inner : InnerSettings(model_, cls, out.scalars, owner.paths[argument.path], argument,
                                              [&](const std::vector<uint32_t>& element) {
                                                std::vector<uint32_t> at(own.begin(), own.end());
                                                at.insert(at.end(), element.begin(), element.end());
                                                return Evaluate(argument.value, outer, at);
                                              })) {
      if (inner.value == inner.value) said.push_back(std::move(inner));
    }
  }
  out.given.insert(out.given.begin(), said.begin(), said.end());
  for (const auto& [parameter, value] : arrays) AddArray(cls, *parameter, value, outer, out);
  Complete(cls, out);
  return out;
}

// A setting, seen from `cls`: a number, elements of one of its arrays, or something further inside.
void GraphBuilder::Give(const ComponentClass& cls, const SystemSetting& setting, Values& values) {
  const Parameter* own = setting.path.empty() ? &cls.parameters[setting.parameter] : nullptr;
  if (own != nullptr && own->shape.empty())
    values.scalars[own->symbol.value] = setting.value;
  else
    values.given.push_back(setting);
}

// The elements of an array parameter, `value` being element-wise in #1, #2, ... and in the names that
// `seen` knows.
void GraphBuilder::AddArray(const ComponentClass& cls, const Parameter& parameter, ExprId value,
                            const Values& seen, Values& out) {
  for (const auto& known : out.arrays) {
    if (known.symbol == parameter.symbol) return;
  }
  std::vector<uint32_t> sizes;
  const uint64_t count = CountElements(model_, parameter.shape, out.scalars, &sizes);
  if (count == 0 || count > kMostValues) return;
  const Tape tape(pool_, std::span(&value, 1));
  Environment<double> environment = EnvironmentOf(seen);
  Workspace<double> workspace;
  ArrayValue<double> array{parameter.symbol, {sizes.begin(), sizes.end()}, {}};
  OverShape(sizes, environment, [&] {
    double element = kUnknownValue;
    EvaluateDouble(tape, environment, workspace, std::span(&element, 1));
    array.elements.push_back(element);
  });
  for (const SystemSetting& given : out.given) {
    if (!given.path.empty() || cls.parameters[given.parameter].symbol != parameter.symbol) continue;
    for (uint32_t k = 0; k < count; ++k) {
      if (given.elements.Has(k, sizes)) array.elements[k] = given.value;
    }
  }
  out.arrays.push_back(std::move(array));
}

// Fills in what follows from defaults.
void GraphBuilder::Complete(const ComponentClass& cls, Values& values) {
  values.scalars = EvaluateParameters(model_, cls, std::move(values.scalars));
  bool arrays = false;
  for (const Parameter& p : cls.parameters) {
    if (p.shape.empty() || p.value.IsNone()) continue;
    arrays = true;
    AddArray(cls, p, p.value, values, values);
  }
  // A number that is an element of an array.
  for (const Parameter& p : cls.parameters) {
    if (!arrays || !p.shape.empty() || p.value.IsNone() || values.scalars.count(p.symbol.value) > 0) continue;
    const double value = Evaluate(p.value, values, {});
    if (value == value) values.scalars[p.symbol.value] = value;
  }
}

// The value of an expression of parameters, with #1, #2, ... set to indices (from 0); not a number where it
// has none.
double GraphBuilder::Evaluate(ExprId expr, const Values& values, std::span<const uint32_t> indices) {
  if (pool_.IsNumber(expr)) return pool_.NumberValue(expr);
  if (values.arrays.empty() && indices.empty())
    return EvaluateConstant(pool_, expr, values.scalars, {}, TableCalls(model_)).value_or(kUnknownValue);
  Environment<double> environment = EnvironmentOf(values);
  for (size_t k = 0; k < indices.size() && k < index_symbols_.size(); ++k)
    environment.scalars[index_symbols_[k].index()] = indices[k] + 1.0;
  return EvaluateDouble(pool_, expr, environment);
}

std::vector<uint32_t> GraphBuilder::IndicesOf(const std::vector<uint32_t>& sizes, uint32_t element) {
  std::vector<uint32_t> out(sizes.size());
  for (size_t k = sizes.size(); k-- > 0;) {
    out[k] = element % sizes[k];
    element /= sizes[k];
  }
  return out;
}

void GraphBuilder::AddInstance(ComponentId parent, const ComponentClass& owner, uint32_t index,
                               const Values& values) {
  const Instance& instance = owner.instances[index];
  first_of_[index] = static_cast<uint32_t>(graph_.components.size());
  const auto scope = static_cast<uint32_t>(graph_.scopes.size());
  graph_.scopes.push_back({parent, index, UINT32_MAX});
  uint64_t count = 1;
  std::vector<uint32_t> sizes;
  if (instance.shape != UINT32_MAX) {
    for (const ExprId size : owner.shapes[instance.shape])
      Known(owner, size, values, "the size of `" + model_.Text(instance.name) + "`", instance.node);
    count = CountElements(model_, owner.shapes[instance.shape], values.scalars, &sizes, values.arrays);
    graph_.scopes.back().shape = static_cast<uint32_t>(graph_.shapes.size());
    graph_.shapes.push_back(sizes);
    if (count > limits_.most) {
      too_large_ = true;
      return;
    }
    ReserveComponents(count);
  }
  const ComponentClass& cls = model_[instance.class_id];
  const StructuralParameters& structural = table_.ParametersOf(instance.class_id);
  bool from_outside = cls.HasInside(), per_element = false;
  for (const SystemSetting& given : values.given) {
    if (given.path.empty() || given.path.front().instance != index) continue;
    from_outside = true;
    per_element = per_element || !given.path.front().elements.empty();
  }
  for (uint32_t i = 0; i < instance.argument_count; ++i)
    per_element = per_element || owner.arguments[instance.first_argument + i].per_element;

  if (from_outside) {
    std::shared_ptr<const Values> shared;
    for (uint32_t k = 0; k < count && !too_large_; ++k) {
      if (!shared || per_element)
        shared = std::make_shared<Values>(ValuesOf(owner, index, values, IndicesOf(sizes, k)));
      AddComponent(ElementOf(instance.class_id, shared->scalars), scope, k);
      if (cls.HasInside()) pending_.push_back({ComponentId(graph_.components.size() - 1), shared});
    }
    return;
  }
  if (!structural.only.IsNone()) {
    for (uint32_t k = 0; k < count && !too_large_; ++k) AddComponent(structural.only, scope, k);
    return;
  }
  // Few parameters matter, most are plain numbers: look at those alone.
  key_.assign(structural.entries.size(), 1);
  bool plain = true;
  std::vector<std::pair<size_t, const Argument*>> varying;
  for (size_t e = 0; e < structural.entries.size() && plain; ++e) {
    ValueOf value;
    plain = PlainValue(owner, instance, structural.entries[e].parameter, values, value);
    if (value.per_element != nullptr)
      varying.emplace_back(e, value.per_element);
    else
      key_[e] = structural.entries[e].by_value ? value.value : value.value == 0 ? 0 : 1;
  }
  if (!plain) {
    ElementId element;
    for (uint32_t k = 0; k < count && !too_large_; ++k) {
      if (element.IsNone() || per_element)
        element = ElementOf(instance.class_id, ValuesOf(owner, index, values, IndicesOf(sizes, k)).scalars);
      AddComponent(element, scope, k);
    }
    return;
  }
  if (varying.empty()) {
    const ElementId element = table_.Find(instance.class_id, key_);
    for (uint32_t k = 0; k < count && !too_large_; ++k) AddComponent(element, scope, k);
    return;
  }
  std::vector<ExprId> formulas;
  for (const auto& [e, argument] : varying) formulas.push_back(argument->value);
  const Tape tape(pool_, formulas);
  Environment<double> environment = EnvironmentOf(values);
  Workspace<double> workspace;
  std::vector<double> results(formulas.size());
  for (uint32_t k = 0; k < count && !too_large_; ++k) {
    uint32_t rest = k;
    for (size_t d = sizes.size(); d-- > 0;) {
      if (d < index_symbols_.size())
        environment.scalars[index_symbols_[d].index()] = static_cast<double>(rest % sizes[d] + 1);
      rest /= sizes[d];
    }
    EvaluateDouble(tape, environment, workspace, results);
    for (size_t v = 0; v < varying.size(); ++v) {
      const size_t e = varying[v].first;
      key_[e] = structural.entries[e].by_value ? results[v] : results[v] == 0 ? 0 : 1;
    }
    AddComponent(table_.Find(instance.class_id, key_), scope, k);
  }
}

Environment<double> GraphBuilder::EnvironmentOf(const Values& values) const {
  Environment<double> environment;
  environment.scalars.assign(pool_.symbol_count(), kUnknownValue);
  for (const auto& [symbol, value] : values.scalars) environment.scalars[symbol] = value;
  environment.arrays = values.arrays;
  environment.call = TableCalls(model_);
  return environment;
}

}  // namespace cotree
