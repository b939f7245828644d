// SPDX-License-Identifier: Apache-2.0
#include "cli/graph_json.h"

#include "base/json.h"
#include "cli/check_json.h"
#include "cli/mechanism_view.h"
#include "model/describe_model.h"
#include "system_graph/incidence.h"

namespace cotree {
namespace {

Json KindsJson(uint8_t kinds) {
  Json list = Json::array();
  if ((kinds & kStores) != 0) list.push_back("stores");
  if ((kinds & kDissipates) != 0) list.push_back("dissipates");
  if ((kinds & kDrives) != 0) list.push_back("drives");
  if ((kinds & kCouples) != 0) list.push_back("couples");
  return list;
}

Json OrderJson(int8_t order) {
  return order < 0 ? Json(nullptr) : Json(order);
}

std::string ClassName(const Model& model, const ComponentClass& cls) {
  return model.Text(cls.name) + (cls.model.IsNone() ? "" : " as " + model.Text(cls.model));
}

Json IncidenceJson(const SystemGraph& graph, const DomainGraph& domain, bool reduced) {
  const IncidenceView view(graph, domain, reduced);
  Json entries = Json::array();
  for (const auto& e : view.Entries()) entries.push_back({e.row, e.column, e.sign});
  return {{"rows", view.rows()}, {"columns", view.columns()}, {"entries", entries}};
}

Json SystemJson(const Model& model, const SystemGraph& graph, const Mechanism& mechanism) {
  Json out;
  out["name"] = model.Text(model[graph.system].name);
  Json components = Json::array();
  for (uint32_t i = 1; i < graph.components.size(); ++i) {
    const ElementClass& element = graph.ElementOf(ComponentId(i));
    const ComponentClass& cls = model[element.class_id];
    components.push_back({{"name", ComponentName(model, graph, ComponentId(i))},
                          {"class", ClassName(model, cls)},
                          {"composite", element.composite},
                          {"edges", element.edges.size()}});
  }
  out["components"] = components;
  Json domains = Json::array();
  for (const DomainGraph& domain : graph.domains) {
    Json item;
    item["name"] = model.Text(model.domains[domain.domain.index()].name);
    item["reference"] = domain.reference.value;
    item["first_vertex"] = domain.reference.value;
    item["vertices"] = domain.vertex_count;
    Json edges = Json::array();
    for (const EdgeId e : domain.edges) edges.push_back(e.value);
    item["edges"] = edges;
    item["incidence"] = IncidenceJson(graph, domain, false);
    item["reduced_incidence"] = IncidenceJson(graph, domain, true);
    domains.push_back(item);
  }
  out["domains"] = domains;
  std::vector<Json> terminals(graph.vertex_count(), Json::array());
  for (uint32_t i = 1; i < graph.components.size(); ++i) {
    const Component& c = graph.components[i];
    const uint32_t count = graph.ElementOf(ComponentId(i)).terminals();
    for (uint32_t t = 0; t < count; ++t) {
      const VertexId v = graph.vertex_of_terminal[c.first_terminal + t];
      if (!v.IsNone()) terminals[v.index()].push_back(TerminalName(model, graph, ComponentId(i), t));
    }
  }
  Json vertices = Json::array();
  for (uint32_t v = 0; v < graph.vertex_count(); ++v) {
    vertices.push_back(
        {{"id", v},
         {"name", VertexName(model, graph, VertexId(v))},
         {"domain", model.Text(model.domains[graph.DomainOf(VertexId(v)).domain.index()].name)},
         {"reference", graph.IsReference(VertexId(v))},
         {"terminals", terminals[v]}});
  }
  out["vertices"] = vertices;
  Json edges = Json::array();
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    const GraphEdge& edge = graph.edges[e];
    const ElementEdge& element = graph.ElementEdgeOf(EdgeId(e));
    const ComponentClass& cls = graph.ClassOf(model, edge.component);
    edges.push_back({{"id", e},
                     {"component", ComponentName(model, graph, edge.component)},
                     {"class", ClassName(model, cls)},
                     {"name", EdgeName(model, graph, EdgeId(e))},
                     {"edge", model.Text(cls.edges[element.edge].name)},
                     {"from", edge.from.value},
                     {"to", edge.to.value},
                     {"domain", model.Text(model.domains[element.domain.index()].name)},
                     {"kinds", KindsJson(element.kinds)},
                     {"across_order", OrderJson(element.across_order)},
                     {"through_order", OrderJson(element.through_order)},
                     {"group", element.group}});
  }
  out["edges"] = edges;
  Json references = Json::array();
  for (const DomainGraph& domain : graph.domains) references.push_back(domain.reference.value);
  out["references"] = references;
  Json associations = Json::array();
  for (const GraphAssociation& a : graph.associations) {
    const ElementClass& element = graph.ElementOf(a.component);
    const std::string owner = ComponentName(model, graph, a.owner);
    associations.push_back(
        {{"exogenous", InputName(model, graph, a.component, element.input_first[a.variable] + a.index)},
         {"owner", owner},
         {"value", AssociationText(model, graph, a)}});
  }
  out["associations"] = associations;
  const LargeVector<Driver> drivers = ResolveDrivers(model, graph);
  Json blocks = Json::array();
  Json arcs = Json::array();
  for (uint32_t i = 1; i < graph.components.size(); ++i) {
    const Component& c = graph.components[i];
    const ElementClass& element = graph.ElementOf(ComponentId(i));
    const ComponentClass& cls = model[element.class_id];
    bool signals = false;
    for (const Variable& v : cls.variables)
      signals = signals || v.role == VariableRole::kInput || v.role == VariableRole::kOutput;
    if (signals && !element.composite) blocks.push_back(ComponentName(model, graph, ComponentId(i)));
    if (element.composite) continue;
    for (uint32_t s = 0; s < element.slot_variable.size(); ++s) {
      const Driver& driver = drivers[c.first_input + s];
      if (driver.component.IsNone()) continue;
      arcs.push_back({{"from", DriverName(model, graph, driver)},
                      {"from_component", ComponentName(model, graph, driver.component)},
                      {"to", InputName(model, graph, ComponentId(i), s)},
                      {"to_component", ComponentName(model, graph, ComponentId(i))}});
    }
  }
  out["signals"] = {{"blocks", blocks}, {"arcs", arcs}};
  out["mechanism"] = MechanismJson(model, graph, mechanism);
  return out;
}

}  // namespace

std::string GraphJson(LoadedModel& loaded, const std::vector<const SystemGraph*>& graphs,
                      const GraphOptions& options) {
  Json out = JsonHead("cotree.graph/1", options.file, loaded);
  Json systems = Json::array();
  for (const SystemGraph* graph : graphs) {
    const Mechanism mechanism = loaded.diagnostics.ok() ? ViewMechanism(loaded.model, *graph) : Mechanism{};
    systems.push_back(SystemJson(loaded.model, *graph, mechanism));
  }
  out["systems"] = systems;
  return DumpJson(out);
}

}  // namespace cotree
