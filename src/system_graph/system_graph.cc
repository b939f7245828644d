// SPDX-License-Identifier: Apache-2.0
#include "system_graph/system_graph.h"

#include <algorithm>

#include "model/describe_model.h"
#include "system_graph/root_input.h"

namespace cotree {
namespace {

std::string IndexText(const std::vector<uint32_t>& sizes, uint32_t element) {
  std::string text;
  for (size_t k = sizes.size(); k-- > 0;) {
    const uint32_t size = std::max(sizes[k], 1u);
    text = std::to_string(element % size + 1) + (text.empty() ? "" : ",") + text;
    element /= size;
  }
  return text.empty() ? text : "[" + text + "]";
}

std::vector<uint32_t> SizesOf(const Model& model, const Shape& shape, const ParameterValues& values) {
  std::vector<uint32_t> sizes;
  for (const ExprId size : shape)
    sizes.push_back(static_cast<uint32_t>(EvaluateConstant(model.expressions, size, values).value_or(0)));
  return sizes;
}

std::string Prefix(const std::string& component) {
  return component.empty() ? component : component + ".";
}

}  // namespace

std::string KindsText(uint8_t kinds) {
  std::string text;
  const auto add = [&](uint8_t bit, const char* word) {
    if ((kinds & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(word);
  };
  add(kStores, "stores");
  add(kDissipates, "dissipates");
  add(kDrives, "drives");
  add(kCouples, "couples");
  return text.empty() ? "none" : text;
}

const DomainGraph& SystemGraph::DomainOf(VertexId v) const {
  const auto at = std::upper_bound(domains.begin(), domains.end(), v,
                                   [](VertexId x, const DomainGraph& d) { return x < d.reference; });
  return *(at - 1);
}

size_t SystemGraph::CountParts(const Model& model) const {
  return static_cast<size_t>(std::count_if(components.begin() + 1, components.end(), [&](const Component& c) {
    return !model[elements[c.element.index()].class_id].IsComposite();
  }));
}

size_t SystemGraph::bytes() const {
  size_t total = components.capacity() * sizeof(Component) + scopes.capacity() * sizeof(Scope) +
                 edges.capacity() * sizeof(GraphEdge) + vertex_of_terminal.capacity() * sizeof(VertexId) +
                 first_terminal_of_vertex.capacity() * sizeof(uint32_t) +
                 drivers.capacity() * sizeof(Driver) + associations.capacity() * sizeof(GraphAssociation);
  for (const DomainGraph& d : domains) total += d.edges.capacity() * sizeof(EdgeId);
  return total;
}

std::string ComponentName(const Model& model, const SystemGraph& graph, ComponentId id) {
  std::string text;
  while (graph.components[id.index()].scope != UINT32_MAX) {
    const Component& c = graph.components[id.index()];
    const Scope& scope = graph.scopes[c.scope];
    const ComponentClass& owner = graph.ClassOf(model, scope.parent);
    std::string own = model.Text(owner.instances[scope.instance].name);
    if (scope.shape != UINT32_MAX) own += IndexText(graph.shapes[scope.shape], c.index);
    text = text.empty() ? own : own + "." + text;
    id = scope.parent;
  }
  return text;
}

std::string EdgeName(const Model& model, const SystemGraph& graph, EdgeId id) {
  const ComponentId component = graph.edges[id.index()].component;
  const ElementEdge& e = graph.ElementEdgeOf(id);
  const ElementClass& element = graph.ElementOf(component);
  const ComponentClass& cls = model[element.class_id];
  std::string name = ComponentName(model, graph, component);
  if (cls.edges.size() == 1 && cls.edges[0].shape.empty() && !name.empty()) return name;
  return Prefix(name) + model.Text(cls.edges[e.edge].name) +
         IndexText(SizesOf(model, cls.edges[e.edge].shape, element.values), e.index);
}

std::string TerminalName(const Model& model, const SystemGraph& graph, ComponentId id, uint32_t slot) {
  const ElementClass& element = graph.ElementOf(id);
  const ComponentClass& cls = model[element.class_id];
  const uint32_t t = element.slot_terminal[slot];
  return Prefix(ComponentName(model, graph, id)) + model.Text(cls.terminals[t].name) +
         IndexText(SizesOf(model, cls.terminals[t].shape, element.values), slot - element.terminal_first[t]);
}

std::string VertexName(const Model& model, const SystemGraph& graph, VertexId id) {
  const DomainGraph& domain = graph.DomainOf(id);
  if (domain.reference == id) return model.Text(model.domains[domain.domain.index()].name) + ".ground";
  const uint32_t slot = graph.first_terminal_of_vertex[id.index()];
  if (slot == UINT32_MAX) return model.Text(model.domains[domain.domain.index()].name) + ".reference";
  const ComponentId component = ComponentOfTerminal(graph, slot);
  return TerminalName(model, graph, component, slot - graph.components[component.index()].first_terminal);
}

std::string InputName(const Model& model, const SystemGraph& graph, ComponentId id, uint32_t slot) {
  const ElementClass& element = graph.ElementOf(id);
  const ComponentClass& cls = model[element.class_id];
  const uint32_t v = element.slot_variable[slot];
  return Prefix(ComponentName(model, graph, id)) + model.Text(cls.variables[v].name) +
         IndexText(SizesOf(model, cls.variables[v].shape, element.values), slot - element.input_first[v]);
}

std::string DriverName(const Model& model, const SystemGraph& graph, const Driver& driver) {
  const ExprPool& pool = model.expressions;
  const ElementClass& element = graph.ElementOf(driver.component);
  const ComponentClass& cls = model[element.class_id];
  const SymbolInfo& symbol = pool.symbol(driver.symbol);
  const std::string prefix = Prefix(ComponentName(model, graph, driver.component));
  for (const Variable& v : cls.variables) {
    if (v.symbol != symbol.base) continue;
    std::string text =
        prefix + model.Text(v.name) + IndexText(SizesOf(model, v.shape, element.values), driver.index);
    for (uint32_t k = 0; k < symbol.order; ++k) text = "der(" + text + ")";
    return text;
  }
  for (const Edge& e : cls.edges) {
    if (e.across != symbol.base && e.through != symbol.base) continue;
    const Domain& domain = model.domains[e.domain.index()];
    const NameId rates[] = {domain.across, domain.rate, domain.acceleration};
    NameId name = e.through == symbol.base ? domain.through : domain.across;
    uint32_t ders = symbol.order;
    if (e.across == symbol.base && symbol.order < 3 && !rates[symbol.order].IsNone()) {
      name = rates[symbol.order];
      ders = 0;
    }
    std::string text = prefix;
    if (cls.edges.size() > 1 || !e.shape.empty() || prefix.empty())
      text += model.Text(e.name) + IndexText(SizesOf(model, e.shape, element.values), driver.index) + ".";
    text += model.Text(name);
    for (uint32_t k = 0; k < ders; ++k) text = "der(" + text + ")";
    return text;
  }
  return prefix + std::string(pool.SymbolName(driver.symbol));
}

std::string AssociationText(const Model& model, const SystemGraph& graph,
                            const GraphAssociation& association) {
  return association.source.component.IsNone() ? ExpressionText(model, association.value)
                                               : DriverName(model, graph, association.source);
}

Span ComponentPlace(const Model& model, const SystemGraph& graph, ComponentId id) {
  const Component& c = graph.components[id.index()];
  if (c.scope == UINT32_MAX) return model.SpanOf(model[graph.system].origin);
  const Scope& scope = graph.scopes[c.scope];
  const ComponentClass& owner = graph.ClassOf(model, scope.parent);
  return model.tree(owner.origin.tree).SpanOf(owner.instances[scope.instance].node);
}

uint64_t DeclarationKey(const SystemGraph& graph, ComponentId id) {
  const Component& c = graph.components[id.index()];
  if (c.scope == UINT32_MAX) return UINT64_MAX;
  const Scope& scope = graph.scopes[c.scope];
  return (uint64_t{graph.ElementOf(scope.parent).class_id.value} << 32) | scope.instance;
}

ComponentId ComponentOfTerminal(const SystemGraph& graph, uint32_t slot) {
  const auto at = std::upper_bound(graph.components.begin(), graph.components.end(), slot,
                                   [](uint32_t s, const Component& c) { return s < c.first_terminal; });
  return ComponentId(static_cast<size_t>(at - graph.components.begin() - 1));
}

ComponentId ComponentOfInput(const SystemGraph& graph, uint32_t slot) {
  const auto at = std::upper_bound(graph.components.begin(), graph.components.end(), slot,
                                   [](uint32_t s, const Component& c) { return s < c.first_input; });
  return ComponentId(static_cast<size_t>(at - graph.components.begin() - 1));
}

uint32_t CompositeSlot(const Model& model, const SystemGraph& graph, const Driver& driver) {
  if (driver.component.IsNone()) return UINT32_MAX;
  const ElementClass& element = graph.ElementOf(driver.component);
  if (!element.composite) return UINT32_MAX;
  const ComponentClass& cls = model[element.class_id];
  for (uint32_t v = 0; v < cls.variables.size(); ++v) {
    if (cls.variables[v].symbol != driver.symbol || element.input_first[v] == UINT32_MAX) continue;
    const uint32_t slot =
        graph.components[driver.component.index()].first_input + element.input_first[v] + driver.index;
    const bool by_equation =
        cls.variables[v].role == VariableRole::kOutput && graph.drivers[slot].component.IsNone();
    return by_equation ? UINT32_MAX : slot;
  }
  return UINT32_MAX;
}

uint32_t RootInput(const Model& model, const SystemGraph& graph, uint32_t slot) {
  for (size_t steps = 0; steps <= graph.drivers.size(); ++steps) {
    const uint32_t next = CompositeSlot(model, graph, graph.drivers[slot]);
    if (next == UINT32_MAX) break;
    slot = next;
  }
  return slot;
}

LargeVector<Driver> ResolveDrivers(const Model& model, const SystemGraph& graph) {
  const size_t count = graph.drivers.size();
  LargeVector<Driver> out(graph.drivers.begin(), graph.drivers.end());
  std::vector<uint8_t> state(count, 0);  // 0 new, 1 on the way, 2 done
  std::vector<uint32_t> way;
  for (uint32_t start = 0; start < count; ++start) {
    uint32_t slot = start;
    while (slot != UINT32_MAX && state[slot] == 0) {
      state[slot] = 1;
      way.push_back(slot);
      slot = CompositeSlot(model, graph, graph.drivers[slot]);
    }
    // What is found at the end holds for the whole way: a part's variable, what was found before, or a
    // circle.
    Driver end;
    if (slot == UINT32_MAX && !way.empty()) end = graph.drivers[way.back()];
    if (slot != UINT32_MAX && state[slot] == 2) end = out[slot];
    for (const uint32_t s : way) {
      out[s] = end;
      state[s] = 2;
    }
    way.clear();
  }
  return out;
}

}  // namespace cotree
