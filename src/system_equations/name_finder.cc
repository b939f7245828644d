// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "system_equations/equation_system.h"
#include "system_graph/element_table.h"

namespace cotree {
namespace {

/** One step of a path: "drive[3]" is drive with the index 3. */
struct Step {
  std::string_view name;
  std::vector<uint32_t> indices;
  std::string_view rest;  // behind the dot; empty at the end
  bool ok = true;
};

Step NextStep(std::string_view path) {
  Step step;
  size_t end = 0;
  int depth = 0;
  while (end < path.size() && (path[end] != '.' || depth > 0)) {
    if (path[end] == '[') ++depth;
    if (path[end] == ']') --depth;
    ++end;
  }
  const std::string_view whole = path.substr(0, end);
  step.rest = end < path.size() ? path.substr(end + 1) : std::string_view();
  const size_t bracket = whole.find('[');
  step.name = whole.substr(0, bracket);
  if (bracket == std::string_view::npos) return step;
  size_t at = bracket + 1;
  while (at < whole.size() && whole[at] != ']') {
    uint32_t number = 0;
    const auto [next, error] = std::from_chars(whole.data() + at, whole.data() + whole.size(), number);
    if (error != std::errc{}) {
      step.ok = false;
      return step;
    }
    step.indices.push_back(number);
    at = static_cast<size_t>(next - whole.data());
    while (at < whole.size() && (whole[at] == ',' || whole[at] == ' ')) ++at;
  }
  return step;
}

// The element of an array from its indices; UINT32_MAX where they do not fit.
uint32_t FlatIndex(std::span<const uint32_t> sizes, std::span<const uint32_t> indices) {
  if (sizes.size() > indices.size()) return UINT32_MAX;
  uint64_t flat = 0;
  for (size_t k = 0; k < sizes.size(); ++k) {
    if (indices[k] < 1 || indices[k] > sizes[k]) return UINT32_MAX;
    flat = flat * sizes[k] + indices[k] - 1;
  }
  return static_cast<uint32_t>(flat);
}

}  // namespace

NameFinder::NameFinder(const Model& model, const SystemGraph& graph) : model_(model), graph_(graph) {
  for (uint32_t i = 1; i < graph.components.size(); ++i) {
    const Component& c = graph.components[i];
    if (c.index != 0) continue;
    const Scope& scope = graph.scopes[c.scope];
    first_.emplace_back((uint64_t{scope.parent.value} << 32) | scope.instance, i);
  }
  std::sort(first_.begin(), first_.end());
}

uint32_t NameFinder::FirstOf(ComponentId composite, uint32_t instance) const {
  const uint64_t key = (uint64_t{composite.value} << 32) | instance;
  const auto at = std::lower_bound(first_.begin(), first_.end(), std::pair(key, uint32_t{0}));
  return at == first_.end() || at->first != key ? UINT32_MAX : at->second;
}

std::pair<ComponentId, std::string_view> NameFinder::FindLongest(std::string_view path) const {
  ComponentId at(0);
  while (!path.empty()) {
    const Step step = NextStep(path);
    const NameId name = model_.names.Find(step.name);
    const ComponentClass& cls = graph_.ClassOf(model_, at);
    const auto member = name.IsNone() || !step.ok ? std::nullopt : cls.members.Find(name);
    if (!member || member->kind != MemberKind::kInstance) break;
    const uint32_t first = FirstOf(at, member->index);
    if (first == UINT32_MAX) break;
    const Scope& scope = graph_.scopes[graph_.components[first].scope];
    uint32_t element = 0;
    if (scope.shape != UINT32_MAX) {
      if (graph_.shapes[scope.shape].size() != step.indices.size()) break;
      element = FlatIndex(graph_.shapes[scope.shape], step.indices);
      if (element == UINT32_MAX) break;
    } else if (!step.indices.empty()) {
      break;
    }
    at = ComponentId(first + element);
    path = step.rest;
  }
  return {at, path};
}

ComponentId NameFinder::FindComponent(std::string_view path) const {
  const auto [component, rest] = FindLongest(path);
  return rest.empty() ? component : ComponentId::None();
}

std::pair<ComponentId, std::string_view> NameFinder::FollowSymbol(ComponentId at, std::string_view path,
                                                                  std::span<const uint32_t> indices,
                                                                  size_t* used) const {
  *used = 0;
  while (true) {
    const size_t dot = path.find('.');
    if (dot == std::string_view::npos) return {at, path};
    const NameId name = model_.names.Find(path.substr(0, dot));
    const ComponentClass& cls = graph_.ClassOf(model_, at);
    const auto member = name.IsNone() ? std::nullopt : cls.members.Find(name);
    if (!member || member->kind != MemberKind::kInstance) return {at, path};
    const uint32_t first = FirstOf(at, member->index);
    if (first == UINT32_MAX) return {ComponentId::None(), path};
    const Scope& scope = graph_.scopes[graph_.components[first].scope];
    uint32_t element = 0;
    if (scope.shape != UINT32_MAX) {
      const auto& sizes = graph_.shapes[scope.shape];
      if (*used + sizes.size() > indices.size()) return {ComponentId::None(), path};
      element = FlatIndex(sizes, indices.subspan(*used, sizes.size()));
      if (element == UINT32_MAX) return {ComponentId::None(), path};
      *used += sizes.size();
    }
    at = ComponentId(first + element);
    path = path.substr(dot + 1);
  }
}

namespace {

// A variable of one component by the rest of its name: "armature.i", "w", "x[2]".
VariableRef InComponent(const EquationSystem& system, ComponentId component, std::string_view rest) {
  const Model& model = *system.model;
  const SystemGraph& graph = *system.graph;
  const Part& part = system.parts[component.index()];
  const ScalarElement& scalar = system.scalars[part.scalar];
  const ElementClass& element = graph.ElementOf(component);
  const ComponentClass& cls = model[element.class_id];
  const Step step = NextStep(rest);
  const auto edge_variable = [&](uint32_t edge, uint32_t index, std::string_view name) -> VariableRef {
    for (uint32_t k = 0; k < element.edges.size(); ++k) {
      if (element.edges[k].edge != edge || element.edges[k].index != index) continue;
      const Domain& domain = model.domains[element.edges[k].domain.index()];
      if (name == model.Text(domain.across)) return {part.first_variable + 2 * k, 0};
      if (!domain.rate.IsNone() && name == model.Text(domain.rate)) return {part.first_variable + 2 * k, 1};
      if (!domain.acceleration.IsNone() && name == model.Text(domain.acceleration))
        return {part.first_variable + 2 * k, 2};
      if (name == model.Text(domain.through)) return {part.first_variable + 2 * k + 1, 0};
    }
    return {};
  };
  const NameId name = model.names.Find(step.name);
  const auto member = name.IsNone() || !step.ok ? std::nullopt : cls.members.Find(name);
  if (member && member->kind == MemberKind::kEdge && !step.rest.empty()) {
    std::vector<uint32_t> sizes;
    CountElements(model, cls.edges[member->index].shape, element.values, &sizes);
    const uint32_t index = FlatIndex(sizes, step.indices);
    return index == UINT32_MAX ? VariableRef{} : edge_variable(member->index, index, step.rest);
  }
  if (member && member->kind == MemberKind::kVariable && step.rest.empty()) {
    std::vector<uint32_t> sizes;
    CountElements(model, cls.variables[member->index].shape, element.values, &sizes);
    const uint32_t index = FlatIndex(sizes, step.indices);
    for (uint32_t v = 2 * static_cast<uint32_t>(element.edges.size()); v < scalar.variables.size(); ++v) {
      const ScalarVariable& own = scalar.variables[v];
      if (own.role == ScalarVariable::Role::kInner) continue;
      const uint32_t variable =
          own.role == ScalarVariable::Role::kInput ? element.slot_variable[own.index] : own.index;
      if (variable == member->index && own.element == index) return system.Resolve(part, v);
    }
    return {};
  }
  if (cls.edges.size() == 1 && cls.edges[0].shape.empty() && step.rest.empty())
    return edge_variable(0, 0, step.name);
  return {};
}

}  // namespace

VariableRef FindVariable(const EquationSystem& system, const NameFinder& names, std::string_view name) {
  uint32_t derivatives = 0;
  while (name.size() > 5 && name.substr(0, 4) == "der(" && name.back() == ')') {
    name = name.substr(4, name.size() - 5);
    ++derivatives;
  }
  const auto [component, rest] = names.FindLongest(name);
  VariableRef found = InComponent(system, component, rest);
  found.order += derivatives;
  return found;
}

}  // namespace cotree
