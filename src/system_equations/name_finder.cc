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

namespace {

// What an index means along a dimension: one number, `from:to`, `from:step:to`, or all.
std::vector<uint32_t> Chosen(std::string_view index, uint32_t size) {
  std::vector<int64_t> parts;
  std::string text(index);
  std::erase(text, ' ');
  if (text.empty() || text == ":") text = "1:" + std::to_string(size);
  for (const char* at = text.data(); parts.size() < 3;) {
    int64_t number = 0;
    const auto [next, error] = std::from_chars(at, text.data() + text.size(), number);
    if (error != std::errc{}) return {};
    parts.push_back(number);
    if (next == text.data() + text.size()) break;
    if (*next != ':') return {};
    at = next + 1;
  }
  const int64_t step = parts.size() == 3 ? parts[1] : 1;
  std::vector<uint32_t> out;
  if (step == 0) return out;
  for (int64_t k = parts.front(); step > 0 ? k <= parts.back() : k >= parts.back(); k += step) {
    if (k < 1 || k > size) return {};
    out.push_back(static_cast<uint32_t>(k));
  }
  return out;
}

/* Follows a name inwards and writes it out for every element that it means. */
class ElementLister {
 public:
  ElementLister(const EquationSystem& system, const NameFinder& names)
      : model_(*system.model), graph_(*system.graph), names_(names) {}

  void Follow(ComponentId at, std::string_view path, const std::string& prefix,
              std::vector<std::string>& out) {
    size_t end = 0;
    int depth = 0;
    while (end < path.size() && (path[end] != '.' || depth > 0)) {
      depth += path[end] == '[' ? 1 : path[end] == ']' ? -1 : 0;
      ++end;
    }
    const std::string_view segment = path.substr(0, end), rest = path.substr(end);
    const std::string_view word = segment.substr(0, segment.find('['));
    const ElementClass& element = graph_.ElementOf(at);
    const ComponentClass& cls = model_[element.class_id];
    const NameId name = model_.names.Find(word);
    const auto member = name.IsNone() ? std::nullopt : cls.members.Find(name);
    std::vector<uint32_t> sizes;
    uint32_t first = UINT32_MAX;
    if (member && member->kind == MemberKind::kInstance) {
      first = names_.FirstOf(at, member->index);
      if (first == UINT32_MAX || rest.empty()) return;
      const Scope& scope = graph_.scopes[graph_.components[first].scope];
      if (scope.shape != UINT32_MAX) sizes = graph_.shapes[scope.shape];
    } else if (member && member->kind == MemberKind::kVariable) {
      CountElements(model_, cls.variables[member->index].shape, element.values, &sizes);
    } else if (member && member->kind == MemberKind::kEdge) {
      CountElements(model_, cls.edges[member->index].shape, element.values, &sizes);
    }
    std::vector<std::string_view> indices;
    if (word.size() < segment.size()) {
      std::string_view inside = segment.substr(word.size() + 1);
      if (!inside.ends_with(']')) return;
      inside.remove_suffix(1);
      for (size_t comma; (comma = inside.find(',')) != std::string_view::npos;
           inside.remove_prefix(comma + 1))
        indices.push_back(inside.substr(0, comma));
      indices.push_back(inside);
    }
    if (indices.size() > sizes.size()) return;
    std::vector<std::vector<uint32_t>> elements(1);
    for (size_t d = 0; d < sizes.size(); ++d) {
      std::vector<std::vector<uint32_t>> longer;
      for (const auto& head : elements) {
        for (const uint32_t k : Chosen(d < indices.size() ? indices[d] : std::string_view(), sizes[d])) {
          longer.push_back(head);
          longer.back().push_back(k);
        }
      }
      elements = std::move(longer);
    }
    for (const auto& chosen : elements) {
      std::string text = prefix + std::string(word);
      for (size_t d = 0; d < chosen.size(); ++d) text += (d == 0 ? "[" : ",") + std::to_string(chosen[d]);
      if (!chosen.empty()) text += "]";
      if (first == UINT32_MAX)
        out.push_back(text + std::string(rest));
      else
        Follow(ComponentId(first + FlatIndex(sizes, chosen)), rest.substr(1), text + ".", out);
    }
  }

 private:
  const Model& model_;
  const SystemGraph& graph_;
  const NameFinder& names_;
};

}  // namespace

std::vector<std::string> ElementNames(const EquationSystem& system, const NameFinder& names,
                                      std::string_view name) {
  std::vector<std::string> out;
  if (FindVariable(system, names, name).variable == UINT32_MAX) {
    const bool derivative = name.starts_with("der(") && name.ends_with(")");
    ElementLister(system, names)
        .Follow(ComponentId(0), derivative ? name.substr(4, name.size() - 5) : name, "", out);
    if (derivative) {
      for (std::string& one : out) one = "der(" + one + ")";
    }
  }
  if (out.empty()) out.emplace_back(name);
  return out;
}

}  // namespace cotree
