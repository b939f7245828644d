// SPDX-License-Identifier: Apache-2.0
// Random systems, many of them ill-posed: the graph is that of the netlist, the findings are those that a
// search without any of the program's algorithms gives, incidence matrices are what they should be, and the
// order of the text changes nothing.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "system_graph/incidence.h"
#include "system_graph_netlists.h"
#include "system_graph_support.h"

namespace cotree::test {
namespace {

constexpr uint32_t kSystems = 240;

void CompareGraph(const NetlistReference& reference, const Built& built) {
  const Model& model = built.model();
  const SystemGraph& graph = built.graph();
  std::map<std::string, EdgeId> by_name;
  for (uint32_t e = 0; e < graph.edges.size(); ++e) by_name[EdgeName(model, graph, EdgeId(e))] = EdgeId(e);
  ASSERT_EQ(by_name.size(), reference.edges.size());
  std::map<int, VertexId> vertex_of;
  std::map<VertexId, int> net_of;
  std::set<std::string> domains;
  for (const auto& e : reference.edges) {
    SCOPED_TRACE(e.name);
    ASSERT_TRUE(by_name.contains(e.name));
    const EdgeId id = by_name.at(e.name);
    const ElementEdge& element = graph.ElementEdgeOf(id);
    EXPECT_EQ(model.Text(model.domains[element.domain.index()].name), e.domain);
    EXPECT_EQ(element.across_order, e.is->across_order);
    EXPECT_EQ(element.through_order, e.is->through_order);
    EXPECT_EQ(KindsText(element.kinds), e.is->kinds);
    EXPECT_EQ(element.fixes_across, e.is->fixes_across);
    EXPECT_EQ(element.fixes_through, e.is->fixes_through);
    const GraphEdge& edge = graph.edges[id.index()];
    domains.insert(e.domain);
    std::vector<std::pair<int, VertexId>> ends{{e.from, edge.from}, {e.to, edge.to}};
    for (const DomainGraph& d : graph.domains) {
      if (d.domain == element.domain) ends.emplace_back(reference.ReferenceNet(e.domain), d.reference);
    }
    for (const auto& [net, vertex] : ends) {
      EXPECT_EQ(vertex_of.try_emplace(net, vertex).first->second, vertex);
      EXPECT_EQ(net_of.try_emplace(vertex, net).first->second, net);
    }
  }
  EXPECT_EQ(graph.vertex_count(), vertex_of.size());
  EXPECT_EQ(graph.domains.size(), domains.size());
}

/** A finding as it was said: a group of names for each list of its message. */
struct Said {
  int code;
  std::vector<NamesInMessage> lists;
  std::string message;
};

Said SaidBy(const Diagnostic& d) {
  Said said{d.info->code, {}, d.message};
  if (said.code == 3004) {
    size_t middle = d.message.find(" prescribe every ");
    if (middle == std::string::npos) middle = d.message.find(" alone prescribes the ");
    EXPECT_NE(middle, std::string::npos) << d.message;
    said.lists = {NamesOf(d.message.substr(0, middle)), NamesOf(d.message.substr(middle))};
  } else {
    said.lists = {NamesOf(d.message)};
    if (said.code == 3001) said.lists[0].names.pop_back();  // `electrical.ground`
  }
  return said;
}

// The names of a list are among `names`, and with those it only counts they are as many. A joint is named by
// one of its terminals.
bool Fits(const NamesInMessage& list, const std::set<std::string>& names, bool joint) {
  for (const std::string& name : list.names) {
    if (!names.contains(name)) return false;
  }
  return joint ? list.names.size() == 1 : list.names.size() + list.more == names.size();
}

// A simple circuit: every vertex has two of its edges, and it hangs together.
bool IsCircuit(const NetlistReference& reference, const std::vector<std::string>& names) {
  std::vector<const NetlistReference::Edge*> edges;
  std::map<int, int> degree;
  for (const auto& e : reference.edges) {
    if (std::find(names.begin(), names.end(), e.name) == names.end()) continue;
    if (!e.is->fixes_across || e.from == e.to) return false;
    edges.push_back(&e);
    ++degree[e.from];
    ++degree[e.to];
  }
  if (edges.size() != names.size() || edges.empty()) return false;
  const auto classes = reference.Classes(edges);
  for (const auto& [net, n] : degree) {
    if (n != 2 || classes.at(net) != classes.at(edges[0]->from)) return false;
  }
  return true;
}

void CompareFindings(const NetlistReference& reference, const Built& built) {
  auto wanted = reference.Findings();
  std::set<std::vector<std::string>> circuits;
  size_t circuit_count = 0;
  for (const Diagnostic& d : built.findings().list()) {
    const Said said = SaidBy(d);
    if (said.code == 3002) {
      ++circuit_count;
      circuits.insert(said.lists[0].names);
      EXPECT_TRUE(said.lists[0].more > 0 || IsCircuit(reference, said.lists[0].names)) << d.message;
      continue;
    }
    auto match = wanted.end();
    for (auto w = wanted.begin(); w != wanted.end() && match == wanted.end(); ++w) {
      bool fits = w->code == said.code && w->names.size() == said.lists.size();
      for (size_t k = 0; fits && k < said.lists.size(); ++k)
        fits = Fits(said.lists[k], w->names[k],
                    k == 1 && said.message.find("the joint at") != std::string::npos);
      if (fits) match = w;
    }
    if (match == wanted.end())
      ADD_FAILURE() << "not wanted: " << CodeText(*d.info) << " " << d.message;
    else
      wanted.erase(match);
  }
  for (const auto& w : wanted) {
    std::string text;
    for (const auto& names : w.names) text += " {" + Joined(names) + "}";
    ADD_FAILURE() << "missing: COT" << w.code << text;
  }
  // As many circuits as edges that fix their across variable close.
  EXPECT_EQ(circuit_count, std::min<size_t>(20, reference.Circuits()));
  EXPECT_EQ(circuits.size(), circuit_count) << "a circuit is reported twice";
}

void CheckIncidence(const SystemGraph& graph) {
  size_t rows = 0, columns = 0;
  std::set<EdgeId> seen;
  for (const DomainGraph& domain : graph.domains) {
    const IncidenceView full(graph, domain, false), reduced(graph, domain, true);
    ASSERT_EQ(full.rows(), domain.vertex_count);
    ASSERT_EQ(reduced.rows() + 1, full.rows());
    ASSERT_EQ(full.columns(), reduced.columns());
    std::vector<std::vector<int64_t>> dense(full.rows(), std::vector<int64_t>(full.columns(), 0));
    for (const auto& entry : full.Entries()) dense.at(entry.row).at(entry.column) += entry.sign;
    auto reduced_dense = dense;
    for (auto& row : reduced_dense) std::fill(row.begin(), row.end(), 0);
    reduced_dense.pop_back();
    for (const auto& entry : reduced.Entries()) reduced_dense.at(entry.row).at(entry.column) += entry.sign;
    size_t reference_row = full.rows();
    for (uint32_t r = 0; r < full.rows(); ++r) {
      if (full.VertexOfRow(r) == domain.reference) reference_row = r;
      EXPECT_EQ(graph.DomainOf(full.VertexOfRow(r)).domain, domain.domain);
    }
    ASSERT_LT(reference_row, full.rows());
    for (uint32_t c = 0; c < full.columns(); ++c) {
      EXPECT_TRUE(seen.insert(full.EdgeOfColumn(c)).second) << "an edge in two domains";
      EXPECT_EQ(full.EdgeOfColumn(c), reduced.EdgeOfColumn(c));
      const GraphEdge& edge = graph.edges[full.EdgeOfColumn(c).index()];
      int64_t sum = 0;
      for (uint32_t r = 0; r < full.rows(); ++r) {
        const VertexId v = full.VertexOfRow(r);
        const int64_t expected = edge.from == edge.to ? 0 : edge.from == v ? 1 : edge.to == v ? -1 : 0;
        EXPECT_EQ(dense[r][c], expected);
        EXPECT_EQ(full.At(r, c), expected);
        sum += dense[r][c];
      }
      EXPECT_EQ(sum, 0);
      for (uint32_t r = 0; r < reduced.rows(); ++r) EXPECT_EQ(reduced.At(r, c), reduced_dense[r][c]);
    }
    auto without = dense;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(reference_row));
    EXPECT_EQ(without, reduced_dense);
    // The rank is vertices minus connected parts, counted by searching.
    std::vector<int> part(domain.vertex_count, -1);
    int parts = 0;
    for (uint32_t start = 0; start < domain.vertex_count; ++start) {
      if (part[start] >= 0) continue;
      part[start] = parts;
      for (bool more = true; more;) {
        more = false;
        for (const EdgeId e : domain.edges) {
          const size_t a = graph.edges[e.index()].from.index() - domain.reference.index(),
                       b = graph.edges[e.index()].to.index() - domain.reference.index();
          if ((part[a] == parts) != (part[b] == parts)) part[a] = part[b] = parts, more = true;
        }
      }
      ++parts;
    }
    EXPECT_EQ(ExactRank(dense), domain.vertex_count - static_cast<size_t>(parts));
    EXPECT_TRUE(parts > 1 || ExactRank(reduced_dense) == reduced.rows());
    rows += full.rows();
    columns += full.columns();
  }
  EXPECT_EQ(rows, graph.vertex_count());
  EXPECT_EQ(columns, graph.edges.size());
}

TEST(SystemGraphRandom, GraphsAndFindingsAreThoseOfTheNetlists) {
  size_t clean = 0, edges = 0;
  std::map<int, size_t> codes;
  for (uint32_t seed = 1; seed <= kSystems; ++seed) {
    const Netlist netlist = seed % 4 == 0 ? HealthyNetlist(seed) : RandomNetlist(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + netlist.Text());
    const Built built = BuildText(netlist.Text());
    ASSERT_EQ(built.graphs.size(), 1u) << built.Text();
    const NetlistReference reference(netlist);
    CompareGraph(reference, built);
    CompareFindings(reference, built);
    CheckIncidence(built.graph());
    clean += built.findings().list().empty() ? 1u : 0u;
    edges += built.graph().edges.size();
    for (const int code : Codes(built)) ++codes[code];
    if (HasFailure()) break;
  }
  std::string text;
  for (const auto& [code, n] : codes) text += " COT" + std::to_string(code) + ": " + std::to_string(n);
  std::printf("random: %u systems, %zu edges, %zu without findings;%s\n", kSystems, edges, clean,
              text.c_str());
  EXPECT_GE(clean, kSystems / 5);
  for (const int code : {3001, 3002, 3003, 3004, 3005, 3006, 3007}) EXPECT_GE(codes[code], 10u) << code;
}

TEST(SystemGraphRandom, OrderChangesNothing) {
  for (uint32_t seed = 1; seed <= kSystems; ++seed) {
    const Netlist netlist = seed % 4 == 0 ? HealthyNetlist(seed) : RandomNetlist(seed);
    const Built built = BuildText(netlist.Text());
    const std::string json = built.Json();
    const auto findings = Findings(built);
    std::mt19937 random(seed);
    for (int k = 0; k < 2; ++k) {
      const std::string text = netlist.Text(&random);
      const Built other = BuildText(text);
      ASSERT_EQ(other.Json(), json) << netlist.Text() << text;
      ASSERT_EQ(Findings(other), findings) << netlist.Text() << text;
    }
  }
}

}  // namespace
}  // namespace cotree::test
