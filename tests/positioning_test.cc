// SPDX-License-Identifier: Apache-2.0
// examples/positioning gives the incidence matrices that paper 000 prints (eqs 1-2), up to the order of
// vertices and edges and the orientation of edges; its README says which component gives which edge, and that
// is true.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "pipeline/build_graphs.h"
#include "product_support.h"
#include "system_graph/incidence.h"

namespace cotree {
namespace {

using Json = nlohmann::json;
/** The columns of an incidence matrix without their signs: the two vertices of each edge. */
using Ends = std::vector<std::pair<int, int>>;

Ends Unordered(Ends ends) {
  for (auto& [a, b] : ends) {
    if (a > b) std::swap(a, b);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

/** One connected part of the printed graph: vertices 0 ... n-1 with the datum at 0, and edges with the
 * paper's numbers. */
struct Printed {
  int vertices = 0;
  Ends ends;
  std::vector<int> numbers;
};

std::map<std::string, Printed> ReadPrinted() {
  const Json file =
      Json::parse(test::ReadText(test::kRoot / "tests/models/expected/positioning_incidence.json"));
  const Json& full = file.at("inputs").at("incidence_full");
  std::map<std::string, Printed> parts;
  std::map<std::string, std::map<int, int>> local;
  const std::vector<int> datum = file.at("inputs").at("datum_rows");
  for (const Json& edge : file.at("expected").at("edges")) {
    Printed& part = parts[edge.at("domain")];
    auto& number = local[edge.at("domain")];
    for (const int d : datum) {
      if (part.vertices == 0 && (d == 6) == (edge.at("domain") == "mechanical")) number[d] = part.vertices++;
    }
    // From the matrix itself, not from the list beside it.
    const size_t column = edge.at("edge").get<size_t>() - 1;
    std::pair<int, int> ends{-1, -1};
    for (int row = 1; row <= static_cast<int>(full.size()); ++row) {
      const int sign = full[static_cast<size_t>(row - 1)][column];
      if (sign == 0) continue;
      if (number.count(row) == 0) number[row] = part.vertices++;
      (sign > 0 ? ends.first : ends.second) = number[row];
    }
    part.ends.push_back(ends);
    part.numbers.push_back(edge.at("edge"));
  }
  return parts;
}

/// A renaming of our vertices (the reference stays 0) that makes the graphs equal; empty if there is none.
std::vector<int> Isomorphism(const Ends& ours, int vertices, const Printed& printed) {
  std::vector<int> map(static_cast<size_t>(vertices));
  std::iota(map.begin(), map.end(), 0);
  const Ends wanted = Unordered(printed.ends);
  do {
    Ends renamed;
    for (const auto& [a, b] : ours)
      renamed.emplace_back(map[static_cast<size_t>(a)], map[static_cast<size_t>(b)]);
    if (Unordered(renamed) == wanted) return map;
  } while (std::next_permutation(map.begin() + 1, map.end()));
  return {};
}

/// Whether one renaming of our vertices gives the printed ends of each column, in this order, up to
/// orientation.
bool ColumnsAgree(const Ends& ours, const Printed& printed) {
  std::vector<int> map(static_cast<size_t>(printed.vertices));
  std::iota(map.begin(), map.end(), 0);
  do {
    bool all = true;
    for (size_t c = 0; c < ours.size() && all; ++c) {
      const auto [a, b] = ours[c];
      const std::pair<int, int> renamed{map[static_cast<size_t>(a)], map[static_cast<size_t>(b)]};
      const auto [x, y] = printed.ends[c];
      all = renamed == std::pair(x, y) || renamed == std::pair(y, x);
    }
    if (all) return true;
  } while (std::next_permutation(map.begin() + 1, map.end()));
  return false;
}

TEST(Positioning, HasTheIncidenceMatricesOfThePaper) {
  DiskReader reader;
  const auto loaded = LoadModel((test::kRoot / "examples/positioning/positioning.cot").string(), reader);
  const std::vector<SystemGraph> graphs = BuildGraphs(*loaded);
  ASSERT_TRUE(loaded->diagnostics.list().empty()) << test::Render(loaded->diagnostics, loaded->model.files);
  ASSERT_EQ(graphs.size(), 1u);
  const SystemGraph& graph = graphs[0];
  const auto printed = ReadPrinted();
  ASSERT_EQ(graph.domains.size(), 2u);
  EXPECT_EQ(graph.vertex_count(), 9u);
  EXPECT_EQ(graph.edges.size(), 12u);
  const std::string readme = test::ReadText(test::kRoot / "examples/positioning/README.md");
  size_t stated = 0;
  for (const DomainGraph& domain : graph.domains) {
    const std::string name = loaded->model.Text(loaded->model.domains[domain.domain.index()].name);
    const Printed& part = printed.at(name == "electrical" ? "electrical" : "mechanical");
    const IncidenceView full(graph, domain, false), reduced(graph, domain, true);
    ASSERT_EQ(static_cast<int>(full.rows()), part.vertices) << name;
    EXPECT_EQ(reduced.rows() + 1, full.rows());
    ASSERT_EQ(full.columns(), part.ends.size()) << name;
    Ends ours(full.columns());
    for (uint32_t c = 0; c < full.columns(); ++c) {
      int sum = 0;
      for (uint32_t r = 0; r < full.rows(); ++r) {
        const int sign = full.At(r, c);
        sum += sign;
        if (sign != 0) (sign > 0 ? ours[c].first : ours[c].second) = static_cast<int>(r);
        if (r > 0) {
          EXPECT_EQ(reduced.At(r - 1, c), sign);
        }
      }
      EXPECT_EQ(sum, 0);
    }
    ASSERT_FALSE(Isomorphism(ours, part.vertices, part).empty())
        << name << ": no renaming of the vertices gives the printed matrix";
    // The table of the README says which component is which edge of the paper: | `component` | number | ...
    // |. With the edges in that order, one renaming of the vertices must give every column.
    Printed by_readme{part.vertices, {}, {}};
    std::set<int> numbers;
    for (uint32_t c = 0; c < full.columns(); ++c) {
      const std::string edge = EdgeName(loaded->model, graph, full.EdgeOfColumn(c));
      const auto at = readme.find("| `" + edge + "` | ");
      ASSERT_NE(at, std::string::npos) << "examples/positioning/README.md has no row for `" << edge << "`";
      const int number = std::atoi(readme.c_str() + at + edge.size() + 7);
      const auto place = std::find(part.numbers.begin(), part.numbers.end(), number);
      ASSERT_NE(place, part.numbers.end()) << edge << ": " << number;
      EXPECT_TRUE(numbers.insert(number).second) << number << " is named twice";
      by_readme.ends.push_back(part.ends[static_cast<size_t>(place - part.numbers.begin())]);
      ++stated;
    }
    EXPECT_TRUE(ColumnsAgree(ours, by_readme)) << name << ": the README names the wrong edges";
  }
  EXPECT_EQ(stated, 12u);
  std::printf("positioning: 9 vertices, 12 edges, the matrices of eqs 1-2 up to order and orientation\n");
}

// The comparison sees a wrong graph: one edge moved, and there is no renaming.
TEST(Positioning, TheComparisonCanFail) {
  const auto printed = ReadPrinted();
  Printed part = printed.at("mechanical");
  EXPECT_EQ(part.vertices, 6);
  const Ends right = part.ends;
  EXPECT_FALSE(Isomorphism(right, part.vertices, part).empty());
  for (size_t e = 0; e < right.size(); ++e) {
    Ends wrong = right;
    wrong[e].second = wrong[e].second == 0 ? 1 + (wrong[e].first % 5) : 0;
    if (wrong[e].second == wrong[e].first) continue;
    EXPECT_TRUE(Isomorphism(wrong, part.vertices, part).empty()) << e;
  }
}

}  // namespace
}  // namespace cotree
