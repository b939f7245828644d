// SPDX-License-Identifier: Apache-2.0
// Cut-set and circuit matrices: the positioning system of paper 000 (eqs 3-5), and laws on random graphs.
#include "normal_tree/views.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "normal_tree/test/networks.h"

namespace cotree {
namespace {

using namespace testing_networks;  // NOLINT
using Matrix = std::vector<std::vector<int>>;

Matrix Dense(const SystemGraph& graph, const std::vector<std::vector<SignedEdge>>& rows) {
  Matrix out;
  for (const auto& row : rows) out.push_back(DenseRow(graph, row));
  return out;
}

TEST(Views, ThePositioningSystem) {
  std::ifstream file(std::string(COTREE_SOURCE_DIR) + "/tests/models/expected/positioning_incidence.json");
  const auto expected = nlohmann::json::parse(file).at("expected");
  SystemGraph graph;
  graph.first_terminal_of_vertex.assign(expected.at("vertices").get<size_t>(), 0);
  for (const auto& e : expected.at("edges")) {
    graph.edges.push_back({ComponentId(0), VertexId(e.at("plus").get<uint32_t>() - 1),
                           VertexId(e.at("minus").get<uint32_t>() - 1)});
  }
  for (const auto& forest : expected.at("forests")) {
    std::vector<EdgeId> edges;
    for (const uint32_t e : forest.at("tree").get<std::vector<uint32_t>>()) edges.push_back(EdgeId(e - 1));
    const ForestView view = ViewForest(graph, edges);
    EXPECT_EQ(view.branches, edges);
    EXPECT_EQ(Dense(graph, view.cut_sets), forest.at("cutset_matrix_edge_order_1_12").get<Matrix>());
    EXPECT_EQ(Dense(graph, view.circuits), forest.at("circuit_matrix_edge_order_1_12").get<Matrix>());
  }
}

// Rows of the cut-set matrix are orthogonal to those of the circuit matrix; every cut-set is a combination of
// vertices: potentials of random vertices satisfy all circuits.
TEST(Views, RandomGraphs) {
  const auto kinds = AllKinds();
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    const auto vertices = static_cast<uint32_t>(1 + random() % 8);
    std::vector<Part> parts;
    for (uint32_t k = 0; k < random() % 20; ++k) {
      const auto from = static_cast<uint32_t>(random() % vertices),
                 to = static_cast<uint32_t>(random() % vertices);
      parts.push_back({kR, {{from, to}}});
    }
    Network n = MakeNetwork(kinds, vertices, parts);
    const NormalTree tree = SelectNormalTree(n.graph, n.groups);
    EXPECT_EQ(TreeEdges(tree), ThroughTreeEdges(tree));
    const ForestView view = ViewForest(n.graph, TreeEdges(tree));
    EXPECT_EQ(view.branches.size() + view.chords.size(), n.graph.edges.size());
    const Matrix cut_sets = Dense(n.graph, view.cut_sets), circuits = Dense(n.graph, view.circuits);
    std::vector<int> potential(vertices), across;
    for (int& p : potential) p = static_cast<int>(random() % 100);
    for (const GraphEdge& e : n.graph.edges)
      across.push_back(potential[e.from.index()] - potential[e.to.index()]);
    for (size_t k = 0; k < circuits.size(); ++k) {
      EXPECT_EQ(circuits[k][view.chords[k].index()], 1);
      EXPECT_EQ(std::inner_product(across.begin(), across.end(), circuits[k].begin(), 0), 0);
      for (const auto& row : cut_sets)
        EXPECT_EQ(std::inner_product(row.begin(), row.end(), circuits[k].begin(), 0), 0);
    }
    for (size_t k = 0; k < cut_sets.size(); ++k) EXPECT_EQ(cut_sets[k][view.branches[k].index()], 1);
  }
}

}  // namespace
}  // namespace cotree
