// SPDX-License-Identifier: Apache-2.0
// Paper 000, eqs 3-5: cut-set and circuit matrices of two forests that are forced on the printed graph.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "normal_tree/views.h"
#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

using Json = nlohmann::json;

TEST(PositioningMatrices, OfBothForests) {
  const Json file = Json::parse(ReadText(kRoot / "tests/models/expected/positioning_incidence.json"));
  // Each printed edge as a spring or a resistor from plus to minus; edges are numbered by name.
  std::string text = "system Printed {\n";
  std::map<std::pair<std::string, int>, std::vector<std::string>> nets;
  for (const Json& edge : file["expected"]["edges"]) {
    const int number = edge["edge"];
    const bool electrical = edge["domain"] == "electrical";
    const std::string name = "e" + std::to_string(number);
    text += "  " + name + (electrical ? " : Resistor(R = 1 ohm)\n" : " : TorsionSpring(k = 1 N*m/rad)\n");
    const std::string domain = electrical ? "electrical" : "rotational";
    nets[{domain, edge["plus"].get<int>()}].push_back(name + (electrical ? ".p" : ".a"));
    nets[{domain, edge["minus"].get<int>()}].push_back(name + (electrical ? ".n" : ".b"));
  }
  const std::vector<int> datum = file["inputs"]["datum_rows"];
  for (auto& [net, ends] : nets) {
    if (std::find(datum.begin(), datum.end(), net.second) != datum.end())
      ends.push_back(net.first + ".ground");
    text += "  connect";
    for (size_t k = 0; k < ends.size(); ++k) text += (k > 0 ? " -- " : " ") + ends[k];
    text += "\n";
  }
  text += "}\n";
  NoReader reader;
  const auto loaded = LoadModelText("printed.cot", text, reader);
  const std::vector<SystemGraph> graphs = BuildGraphs(*loaded);
  ASSERT_TRUE(loaded->diagnostics.ok()) << Render(loaded->diagnostics, loaded->model.files) << text;
  const SystemGraph& graph = graphs[0];
  std::map<int, EdgeId> edge_of;
  for (uint32_t e = 0; e < graph.edges.size(); ++e)
    edge_of[std::stoi(EdgeName(loaded->model, graph, EdgeId(e)).substr(1))] = EdgeId(e);
  size_t forests = 0;
  for (const Json& forest : file["expected"]["forests"]) {
    std::vector<EdgeId> tree;
    for (const int number : forest["tree"]) tree.push_back(edge_of.at(number));
    const ForestView view = ViewForest(graph, tree);
    const std::vector<int> branches = forest["tree"], chords = forest["chords"];
    for (size_t b = 0; b < branches.size(); ++b) {
      const auto at = std::find(view.branches.begin(), view.branches.end(), edge_of.at(branches[b]));
      const std::vector<int> row =
          DenseRow(graph, view.cut_sets[static_cast<size_t>(at - view.branches.begin())]);
      for (size_t c = 0; c < chords.size(); ++c)
        EXPECT_EQ(row[edge_of.at(chords[c]).index()], forest["A_C"][b][c].get<int>());
      for (size_t o = 0; o < branches.size(); ++o)
        EXPECT_EQ(row[edge_of.at(branches[o]).index()], o == b ? 1 : 0);
    }
    for (size_t c = 0; c < chords.size(); ++c) {
      const auto at = std::find(view.chords.begin(), view.chords.end(), edge_of.at(chords[c]));
      const std::vector<int> row =
          DenseRow(graph, view.circuits[static_cast<size_t>(at - view.chords.begin())]);
      for (size_t b = 0; b < branches.size(); ++b)
        EXPECT_EQ(row[edge_of.at(branches[b]).index()], forest["B_T"][c][b].get<int>());
    }
    ++forests;
  }
  EXPECT_EQ(forests, 2u);
  std::printf("forests %zu\n", forests);
}

}  // namespace
}  // namespace cotree::test
