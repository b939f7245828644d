// SPDX-License-Identifier: Apache-2.0
// The incidence matrix as a view, on graphs made by hand: domains side by side, edges whose ends are joined,
// and the positioning system of paper 000 (eqs 1-5) with its reference vertices put first.
#include "system_graph/incidence.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace cotree {
namespace {

using Matrix = std::vector<std::vector<int>>;

struct Arc {
  uint32_t domain, from, to;  // vertices of the domain, the reference being 0
};

SystemGraph GraphOf(const std::vector<uint32_t>& vertices, const std::vector<Arc>& arcs) {
  SystemGraph graph;
  uint32_t first = 0;
  for (uint32_t d = 0; d < vertices.size(); ++d) {
    graph.domains.push_back({DomainId(d), VertexId(first), vertices[d], {}});
    first += vertices[d];
  }
  for (uint32_t k = 0; k < arcs.size(); ++k) {
    DomainGraph& domain = graph.domains[arcs[k].domain];
    domain.edges.push_back(EdgeId(k));
    graph.edges.push_back({ComponentId(0), VertexId(domain.reference.value + arcs[k].from),
                           VertexId(domain.reference.value + arcs[k].to)});
  }
  graph.first_terminal_of_vertex.assign(first, 0);
  return graph;
}

Matrix ByElement(const IncidenceView& view) {
  Matrix m(view.rows(), std::vector<int>(view.columns()));
  for (uint32_t r = 0; r < view.rows(); ++r) {
    for (uint32_t c = 0; c < view.columns(); ++c) m[r][c] = view.At(r, c);
  }
  return m;
}

Matrix ByEntries(const IncidenceView& view) {
  Matrix m(view.rows(), std::vector<int>(view.columns(), 0));
  uint32_t column = 0;
  for (const auto& e : view.Entries()) {
    EXPECT_GE(e.column, column) << "column by column";
    column = e.column;
    EXPECT_TRUE(e.sign == 1 || e.sign == -1);
    EXPECT_EQ(m.at(e.row).at(e.column), 0) << "an entry twice";
    m.at(e.row).at(e.column) = e.sign;
  }
  return m;
}

TEST(Incidence, ThePositioningSystem) {
  // Edges 1-8 are mechanical with reference vertex 6, edges 9-12 electrical with reference vertex 9 (counted
  // from 1).
  const SystemGraph graph = GraphOf({6, 3}, {{0, 1, 0},
                                             {0, 3, 0},
                                             {0, 3, 2},
                                             {0, 4, 3},
                                             {0, 2, 1},
                                             {0, 5, 0},
                                             {0, 4, 0},
                                             {0, 5, 0},
                                             {1, 1, 0},
                                             {1, 1, 0},
                                             {1, 2, 0},
                                             {1, 2, 0}});
  const Matrix mechanical{{1, 0, 0, 0, -1, 0, 0, 0},
                          {0, 0, -1, 0, 1, 0, 0, 0},
                          {0, 1, 1, -1, 0, 0, 0, 0},
                          {0, 0, 0, 1, 0, 0, 1, 0},
                          {0, 0, 0, 0, 0, 1, 0, 1}};
  const Matrix electrical{{1, 1, 0, 0}, {0, 0, 1, 1}};
  for (const auto& [domain, expected] : {std::pair(0u, mechanical), std::pair(1u, electrical)}) {
    const IncidenceView reduced(graph, graph.domains[domain], true),
        full(graph, graph.domains[domain], false);
    EXPECT_EQ(ByElement(reduced), expected);
    EXPECT_EQ(ByEntries(reduced), expected);
    Matrix whole{std::vector<int>(full.columns(), 0)};
    for (const auto& row : expected) {
      for (size_t c = 0; c < row.size(); ++c) whole[0][c] -= row[c];
      whole.push_back(row);
    }
    EXPECT_EQ(ByElement(full), whole);
    EXPECT_EQ(ByEntries(full), whole);
    EXPECT_EQ(full.VertexOfRow(0), graph.domains[domain].reference);
    EXPECT_EQ(reduced.VertexOfRow(0).value, graph.domains[domain].reference.value + 1);
  }
  EXPECT_EQ(IncidenceView(graph, graph.domains[1], false).EdgeOfColumn(2), EdgeId(10));
}

TEST(Incidence, JoinedEndsAndRandomGraphs) {
  std::mt19937 random(5);
  const auto below = [&](uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random); };
  for (int round = 0; round < 200; ++round) {
    std::vector<uint32_t> vertices(1 + below(3));
    for (uint32_t& v : vertices) v = 1 + below(8);
    std::vector<Arc> arcs(below(20));
    for (Arc& arc : arcs) {
      arc.domain = below(static_cast<uint32_t>(vertices.size()));
      arc.from = below(vertices[arc.domain]);
      arc.to = below(vertices[arc.domain]);
    }
    const SystemGraph graph = GraphOf(vertices, arcs);
    for (uint32_t d = 0; d < vertices.size(); ++d) {
      Matrix full(vertices[d]);
      for (const Arc& arc : arcs) {
        if (arc.domain != d) continue;
        for (uint32_t v = 0; v < vertices[d]; ++v)
          full[v].push_back(arc.from == arc.to ? 0 : v == arc.from ? 1 : v == arc.to ? -1 : 0);
      }
      const IncidenceView view(graph, graph.domains[d], false), reduced(graph, graph.domains[d], true);
      EXPECT_EQ(ByElement(view), full);
      EXPECT_EQ(ByEntries(view), full);
      full.erase(full.begin());
      EXPECT_EQ(ByElement(reduced), full);
      EXPECT_EQ(ByEntries(reduced), full);
    }
  }
}

TEST(SystemGraph, DomainsOfVerticesAndWordsOfKinds) {
  const SystemGraph graph = GraphOf({3, 1, 2}, {});
  const std::vector<uint32_t> domain{0, 0, 0, 1, 2, 2};
  for (uint32_t v = 0; v < domain.size(); ++v) {
    EXPECT_EQ(graph.DomainOf(VertexId(v)).domain, DomainId(domain[v]));
    EXPECT_EQ(graph.IsReference(VertexId(v)), v == 0 || v == 3 || v == 4);
  }
  EXPECT_EQ(graph.vertex_count(), 6u);
  EXPECT_EQ(KindsText(0), "none");
  EXPECT_EQ(KindsText(kStores), "stores");
  EXPECT_EQ(KindsText(kStores | kDissipates | kDrives | kCouples), "stores, dissipates, drives, couples");
}

}  // namespace
}  // namespace cotree
