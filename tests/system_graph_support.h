// SPDX-License-Identifier: Apache-2.0
// What the tests of the system graph share: graphs of texts, and graphs as plain data that can be compared
// without the numbers that the program gives to vertices and edges.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/graph_json.h"
#include "pipeline/build_graphs.h"
#include "pipeline/load_model.h"
#include "product_support.h"
#include "system_graph/system_graph.h"

namespace cotree::test {

/** A model with the graphs of its systems. */
struct Built {
  std::unique_ptr<LoadedModel> loaded;
  std::vector<SystemGraph> graphs;

  const Model& model() const { return loaded->model; }
  const SystemGraph& graph() const { return graphs.at(0); }
  const Diagnostics& findings() const { return loaded->diagnostics; }
  std::string Text() const { return Render(findings(), model().files); }
  /// `cotree graph --format json` without what names the file and the places.
  std::string Json() const {
    std::vector<const SystemGraph*> all;
    for (const SystemGraph& g : graphs) all.push_back(&g);
    auto json = nlohmann::ordered_json::parse(GraphJson(*loaded, all, {}));
    json.erase("diagnostics");
    json.erase("file");
    return json.dump(1);
  }
};

inline Built BuildText(std::string text, const std::string& name = "test.cot") {
  DiskReader reader;
  Built built;
  built.loaded = LoadModelText(name, std::move(text), reader, {.library = {}, .udunits = false});
  built.graphs = BuildGraphs(*built.loaded);
  return built;
}

/// The same for a text that must have no finding.
inline Built BuildClean(std::string text) {
  Built built = BuildText(text);
  EXPECT_TRUE(built.findings().list().empty()) << built.Text() << "in\n" << text;
  EXPECT_FALSE(built.graphs.empty());
  return built;
}

/** An edge as plain data. A vertex is the set of the ends of edges that meet there, "r[1]+" being the tail of
r[1], and "reference" if it is one: no numbers. */
struct PlainEdge {
  std::string cls, domain, kinds;
  int across_order = -1, through_order = -1;
  std::set<std::string> from, to;

  friend bool operator==(const PlainEdge&, const PlainEdge&) = default;
};

inline std::string Joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

inline std::ostream& operator<<(std::ostream& out, const PlainEdge& e) {
  return out << e.cls << " (" << e.across_order << "," << e.through_order << ") " << e.kinds << " {"
             << Joined(e.from) << "} -> {" << Joined(e.to) << "}";
}

/** A graph as plain data. */
struct PlainGraph {
  std::map<std::string, PlainEdge> edges;      // by "component:edge"
  std::map<std::string, std::string> drivers;  // by "component.input", composites looked through
  std::map<std::string, size_t> vertices;      // by domain

  friend bool operator==(const PlainGraph&, const PlainGraph&) = default;
};

/// What a name of a component becomes: `rack.drive[3]` may be written flat elsewhere.
using NameMap = std::function<std::string(std::string)>;

/// rack.drive[3] -> rack_drive3, cell[2, 3] -> cell2_3
inline std::string FlatName(std::string name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '.' || c == ',') out += '_';
    if (c != '[' && c != ']' && c != ' ' && c != '.' && c != ',') out += c;
  }
  return out;
}
inline std::string SameName(std::string name) {
  return name;
}

inline PlainGraph Plain(const Model& model, const SystemGraph& graph, const NameMap& rename = SameName) {
  PlainGraph out;
  const auto component = [&](ComponentId id) { return rename(ComponentName(model, graph, id)); };
  std::vector<std::set<std::string>> vertex(graph.vertex_count());
  std::vector<std::string> names;
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    const GraphEdge& edge = graph.edges[e];
    const ComponentClass& cls = graph.ClassOf(model, edge.component);
    const ElementEdge& element = graph.ElementEdgeOf(EdgeId(e));
    std::string name = component(edge.component) + ":" + model.Text(cls.edges[element.edge].name);
    if (!cls.edges[element.edge].shape.empty()) name += "[" + std::to_string(element.index + 1) + "]";
    vertex.at(edge.from.index()).insert(name + "+");
    vertex.at(edge.to.index()).insert(name + "-");
    names.push_back(name);
  }
  for (const DomainGraph& domain : graph.domains) {
    vertex.at(domain.reference.index()).insert("reference");
    out.vertices[model.Text(model.domains[domain.domain.index()].name)] = domain.vertex_count;
  }
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    const GraphEdge& edge = graph.edges[e];
    const ElementEdge& element = graph.ElementEdgeOf(EdgeId(e));
    const bool fresh = out.edges
                           .insert({names[e],
                                    {model.Text(graph.ClassOf(model, edge.component).name),
                                     model.Text(model.domains[element.domain.index()].name),
                                     KindsText(element.kinds), element.across_order, element.through_order,
                                     vertex[edge.from.index()], vertex[edge.to.index()]}})
                           .second;
    EXPECT_TRUE(fresh) << names[e] << " twice";
  }
  const auto without_component = [&](const std::string& whole, ComponentId id) {
    const std::string name = ComponentName(model, graph, id);
    return component(id) + (name.empty() ? "." + whole : whole.substr(name.size()));
  };
  const LargeVector<Driver> drivers = ResolveDrivers(model, graph);
  for (uint32_t i = 0; i < graph.components.size(); ++i) {
    const ComponentId id(i);
    const ElementClass& element = graph.ElementOf(id);
    if (element.composite) continue;
    for (uint32_t s = 0; s < element.slot_variable.size(); ++s) {
      const Driver& driver = drivers[graph.components[i].first_input + s];
      out.drivers[without_component(InputName(model, graph, id, s), id)] =
          driver.component.IsNone() ? "nothing"
                                    : without_component(DriverName(model, graph, driver), driver.component);
    }
  }
  return out;
}
inline PlainGraph Plain(const Built& built, const NameMap& rename = SameName) {
  if (built.graphs.empty()) {
    ADD_FAILURE() << "no graph\n" << built.Text();
    return {};
  }
  return Plain(built.model(), built.graph(), rename);
}

inline void ExpectSame(const PlainGraph& a, const PlainGraph& b) {
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.drivers, b.drivers);
  for (const auto& [name, edge] : a.edges) {
    const auto other = b.edges.find(name);
    if (other == b.edges.end())
      ADD_FAILURE() << name << " is only in the first graph";
    else
      EXPECT_EQ(edge, other->second) << name;
  }
  for (const auto& [name, edge] : b.edges)
    EXPECT_TRUE(a.edges.contains(name)) << name << " is only in the second";
}

/// The edge of a component by name, "motor:rotor".
inline PlainEdge EdgeOf(const PlainGraph& graph, const std::string& name) {
  const auto at = graph.edges.find(name);
  if (at != graph.edges.end()) return at->second;
  std::string known;
  for (const auto& [other, edge] : graph.edges) known += " " + other;
  ADD_FAILURE() << "no edge " << name << " among" << known;
  return {};
}

/// "(2,0) stores" of an edge.
inline std::string Structure(const PlainGraph& graph, const std::string& name) {
  const PlainEdge e = EdgeOf(graph, name);
  const auto order = [](int n) { return n < 0 ? std::string("-") : std::to_string(n); };
  return "(" + order(e.across_order) + "," + order(e.through_order) + ") " + e.kinds;
}

/// The findings without their places: code, message, label, reasons, remedies.
inline std::multiset<std::string> Findings(const Built& built) {
  std::multiset<std::string> all;
  for (const Diagnostic& d : built.findings().list()) {
    std::string text = CodeText(*d.info) + " " + d.message + " | " + d.label;
    std::multiset<std::string> places;
    for (const auto& place : d.others) places.insert(place.label);
    for (const std::string& label : places) text += " | " + label;
    for (const std::string& note : d.notes) text += " | " + note;
    for (const std::string& help : d.helps) text += " | " + help;
    all.insert(text);
  }
  return all;
}

inline std::multiset<int> Codes(const Built& built) {
  std::multiset<int> codes;
  for (const Diagnostic& d : built.findings().list()) codes.insert(d.info->code);
  return codes;
}

/** The names a message puts between backticks, and how many more it only counts ("and 5 more"). */
struct NamesInMessage {
  std::vector<std::string> names;
  size_t more = 0;
};
inline NamesInMessage NamesOf(const std::string& message) {
  NamesInMessage out;
  for (size_t at = message.find('`'); at != std::string::npos;) {
    const size_t end = message.find('`', at + 1);
    if (end == std::string::npos) break;
    out.names.push_back(message.substr(at + 1, end - at - 1));
    at = message.find('`', end + 1);
  }
  const size_t more = message.find(" more");
  if (more != std::string::npos) {
    const size_t and_at = message.rfind(" and ", more);
    out.more = static_cast<size_t>(std::stoul(message.substr(and_at + 5, more - and_at - 5)));
  }
  return out;
}

/** The rank of an integer matrix by fraction-free elimination; exact for the incidence matrices of graphs,
whose minors are 0, 1 and -1. */
inline size_t ExactRank(std::vector<std::vector<int64_t>> m) {
  size_t rank = 0;
  const size_t columns = m.empty() ? 0 : m[0].size();
  for (size_t c = 0; c < columns && rank < m.size(); ++c) {
    size_t pivot = rank;
    while (pivot < m.size() && m[pivot][c] == 0) ++pivot;
    if (pivot == m.size()) continue;
    std::swap(m[pivot], m[rank]);
    for (size_t r = rank + 1; r < m.size(); ++r) {
      if (m[r][c] == 0) continue;
      const int64_t a = m[rank][c], b = m[r][c];
      for (size_t k = 0; k < columns; ++k) m[r][k] = a * m[r][k] - b * m[rank][k];
    }
    ++rank;
  }
  return rank;
}

}  // namespace cotree::test
