// SPDX-License-Identifier: Apache-2.0
// The system graphs of tests/models against the netlists of expected/networks.json: one edge for each port,
// vertices that are its nodes, and what an edge is (kinds, orders) as the type of the element says. The
// ill-posed networks are refused with the names of what is wrong.

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "system_graph_support.h"

namespace cotree::test {
namespace {

using nlohmann::json;

Built BuildFile(const fs::path& path) {
  return BuildText(ReadText(path), path.string());
}

json Networks() {
  return json::parse(ReadText(kRoot / "tests/models/expected/networks.json"));
}

const std::set<std::string> kMechanical{"hydraulic_cylinder_rigid", "motor_gear_flexible", "two_mass_free",
                                        "lever_masses"};

/** One system against one netlist. */
class Comparison {
 public:
  Comparison(const Built& built, const json& netlist)
      : model_(built.model()), graph_(built.graph()), netlist_(netlist), rest_(graph_.vertex_count()) {
    for (uint32_t v = 0; v < rest_.size(); ++v) rest_[v] = v;
    for (uint32_t e = 0; e < graph_.edges.size(); ++e)
      edges_[ComponentName(model_, graph_, graph_.edges[e].component)].push_back(EdgeId(e));
    for (const json& component : netlist.at("components")) Component(component);
    EXPECT_EQ(compared_, graph_.edges.size()) << "the graph has edges that are not in the netlist";
    Nodes();
  }
  size_t compared() const { return compared_; }

 private:
  std::string DomainOf(EdgeId e) const {
    return model_.Text(model_.domains[graph_.ElementEdgeOf(e).domain.index()].name);
  }
  // The edge of `id` that its class declares as number `k`.
  std::optional<EdgeId> Declared(const std::string& id, size_t k) const {
    const auto at = edges_.find(id);
    if (at == edges_.end()) return std::nullopt;
    for (const EdgeId e : at->second) {
      if (graph_.ElementEdgeOf(e).edge == k) return e;
    }
    return std::nullopt;
  }

  void Component(const json& component) {
    const std::string id = component.at("id"), type = component.at("type");
    SCOPED_TRACE(id);
    const json& ports = component.at("ports");
    const bool controlled = component.contains("control");
    std::vector<EdgeId> port_edges;
    for (size_t k = 0; k < ports.size(); ++k) {
      const auto e = Declared(id, k + (controlled ? 1 : 0));
      ASSERT_TRUE(e.has_value());
      port_edges.push_back(*e);
      Ends(*e, ports[k]);
    }
    if (controlled) {
      const auto control = Declared(id, 0);
      ASSERT_TRUE(control.has_value());
      Control(*control, component.at("control"));
    }
    Meaning(type, port_edges);
  }

  void Ends(EdgeId e, const json& port) {
    ++compared_;
    ends_.emplace_back(graph_.edges[e.index()].from, port.at(0));
    ends_.emplace_back(graph_.edges[e.index()].to, port.at(1));
  }

  void Control(EdgeId control, const json& of) {
    Expect(control, 0, 0, kCouples);
    const ElementEdge& element = graph_.ElementEdgeOf(control);
    if (of.is_array()) {
      EXPECT_TRUE(element.fixes_through) << "an open edge";
      EXPECT_FALSE(element.fixes_across);
      Ends(control, of);
      return;
    }
    // A short in series with the controlling component, in its direction: the vertex between them is theirs
    // alone.
    ++compared_;
    ++added_;
    EXPECT_TRUE(element.fixes_across) << "a short edge";
    EXPECT_FALSE(element.fixes_through);
    const auto other = Declared(of.get<std::string>(), 0);
    ASSERT_TRUE(other.has_value());
    const GraphEdge &c = graph_.edges[control.index()], &o = graph_.edges[other->index()];
    EXPECT_TRUE((o.to == c.from && Degree(c.from) == 2) || (c.to == o.from && Degree(c.to) == 2));
    const uint32_t a = rest_[c.from.index()], b = rest_[c.to.index()];
    EXPECT_NE(a, b);
    for (uint32_t& v : rest_) v = v == b ? a : v;
  }

  size_t Degree(VertexId v) const {
    size_t n = 0;
    for (const GraphEdge& e : graph_.edges) n += (e.from == v ? 1u : 0u) + (e.to == v ? 1u : 0u);
    return n;
  }

  void Expect(EdgeId e, int across, int through, unsigned kinds) {
    const ElementEdge& element = graph_.ElementEdgeOf(e);
    EXPECT_EQ(element.across_order, across);
    EXPECT_EQ(element.through_order, through);
    EXPECT_EQ(KindsText(element.kinds), KindsText(static_cast<uint8_t>(kinds)));
  }

  // Kinds and orders, by type of the netlist and what the across variable of the domain is.
  void Meaning(const std::string& type, const std::vector<EdgeId>& ports) {
    const auto displacement = [&](EdgeId e) {
      return DomainOf(e) == "translational" || DomainOf(e) == "rotational";
    };
    const EdgeId e = ports.at(0);
    const int rate = displacement(e) ? 1 : 0;
    if (type == "R" || type == "G") return Expect(e, rate, 0, kDissipates);
    if (type == "C") return Expect(e, 1 + rate, 0, kStores);
    if (type == "L") return Expect(e, 0, 1 - rate, kStores);
    if (type == "V") return Expect(e, 0, -1, kDrives);
    if (type == "I") return Expect(e, -1, 0, kDrives);
    if (type == "VCVS" || type == "CCVS") return Expect(e, 0, -1, kDrives | kCouples);
    if (type == "VCCS" || type == "CCCS") return Expect(e, -1, 0, kDrives | kCouples);
    ASSERT_EQ(ports.size(), 2u);
    if (type == "NULLOR") {
      Expect(ports[0], 0, 0, kCouples);
      return Expect(ports[1], -1, -1, kDrives | kCouples);
    }
    ASSERT_TRUE(type == "TF" || type == "GY" || type == "CYL") << type;
    // Between positions of both sides no rate is needed; between a position and a voltage or a flow it is.
    const bool same = displacement(ports[0]) == displacement(ports[1]);
    for (const EdgeId port : ports) Expect(port, !same && displacement(port) ? 1 : 0, 0, kCouples);
    EXPECT_EQ(graph_.ElementEdgeOf(ports[0]).group, graph_.ElementEdgeOf(ports[1]).group);
  }

  void Nodes() {
    std::map<uint32_t, std::string> node_of;
    std::map<std::string, uint32_t> vertex_of;
    for (const auto& [vertex, node] : ends_) {
      const uint32_t v = rest_[vertex.index()];
      EXPECT_EQ(node_of.try_emplace(v, node).first->second, node) << "two nodes are one vertex";
      EXPECT_EQ(vertex_of.try_emplace(node, v).first->second, v) << node << " is two vertices";
    }
    EXPECT_EQ(graph_.vertex_count(), vertex_of.size() + added_);
    std::set<std::string> grounds;
    for (const DomainGraph& domain : graph_.domains) grounds.insert(node_of[rest_[domain.reference.index()]]);
    EXPECT_EQ(grounds, netlist_.at("ground").get<std::set<std::string>>());
    EXPECT_EQ(graph_.domains.size(), grounds.size());
  }

  const Model& model_;
  const SystemGraph& graph_;
  const json& netlist_;
  std::vector<uint32_t> rest_;  // by vertex: what it is when shorts are closed
  std::map<std::string, std::vector<EdgeId>> edges_;
  std::vector<std::pair<VertexId, std::string>> ends_;
  size_t compared_ = 0, added_ = 0;
};

TEST(SystemGraphNetworks, GraphsAreThoseOfTheNetlists) {
  const json networks = Networks();
  size_t models = 0, edges = 0;
  for (const json& network : networks.at("cases")) {
    const std::string id = network.at("id");
    for (const std::string& name : {id, id + "_velocity"}) {
      if (name != id && !kMechanical.contains(id)) continue;
      SCOPED_TRACE(name);
      const Built built = BuildFile(kRoot / "tests/models" / (name + ".cot"));
      ASSERT_EQ(built.graphs.size(), 1u) << built.Text();
      edges += Comparison(built, network.at("netlist")).compared();
      EXPECT_EQ(built.findings().list().empty(), !id.starts_with("err_")) << built.Text();
      ++models;
    }
  }
  EXPECT_EQ(models, 17u + 4u);
  std::printf("networks: %zu graphs, %zu edges\n", models, edges);
}

TEST(SystemGraphNetworks, ACircuitOfSourcesIsNamed) {
  const Built built = BuildFile(kRoot / "tests/models/err_v_loop.cot");
  ASSERT_EQ(Codes(built), (std::multiset<int>{3002})) << built.Text();
  EXPECT_EQ(NamesOf(built.findings().list()[0].message).names, (std::vector<std::string>{"V1", "V2"}));
}

TEST(SystemGraphNetworks, AFloatingPartIsNamed) {
  const Built built = BuildFile(kRoot / "tests/models/err_floating.cot");
  ASSERT_EQ(Codes(built), (std::multiset<int>{3001})) << built.Text();
  const auto names = NamesOf(built.findings().list()[0].message).names;
  EXPECT_EQ((std::set<std::string>(names.begin(), names.end())),
            (std::set<std::string>{"C", "R2", "electrical.ground"}));
}

// The comparison itself sees a wrong transcription.
TEST(SystemGraphNetworks, AWrongTranscriptionIsSeen) {
  const json networks = Networks();
  const auto differs = [&](const std::string& id, const std::string& from, const std::string& to) {
    std::string text = ReadText(kRoot / "tests/models" / (id + ".cot"));
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at == std::string::npos) return false;
    text.replace(at, from.size(), to);
    const Built built = BuildText(text);
    EXPECT_EQ(built.graphs.size(), 1u) << built.Text();
    testing::TestPartResultArray failures;
    {
      const testing::ScopedFakeTestPartResultReporter quiet(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
      for (const json& network : networks.at("cases")) {
        if (network.at("id") == id) Comparison(built, network.at("netlist"));
      }
    }
    return failures.size() > 0;
  };
  EXPECT_FALSE(differs("rc_lowpass", "V.p -- R.p", "V.p -- R.p"));
  EXPECT_TRUE(differs("rc_lowpass", "V.p -- R.p", "V.p -- R.n"));
  EXPECT_TRUE(differs("rc_lowpass", "Capacitor(C = 0.5 F)", "Resistor(R = 0.5 ohm)"));
  EXPECT_TRUE(differs("rc_lowpass", "Capacitor(C = 0.5 F)", "Inductor(L = 0.5 H)"));
  EXPECT_TRUE(differs("rc_lowpass", " -- electrical.ground", ""));
  EXPECT_TRUE(differs("ccvs_cccs_mix", "H1.n1 -- C.p", "H1.p2 -- C.p"));
  EXPECT_TRUE(differs("opamp_integrator", "C.p -- A.n", "C.p -- A.p"));
}

}  // namespace
}  // namespace cotree::test
