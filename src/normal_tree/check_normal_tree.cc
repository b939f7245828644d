// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/check_normal_tree.h"

#include "graph/union_find.h"
#include "normal_tree/exchange.h"
#include "normal_tree/kruskal.h"

namespace cotree {

namespace {

class Checker {
 public:
  Checker(const SystemGraph& graph, std::vector<ElementGroups>& groups, const NormalTree& tree,
          const TreePreferences& preferences)
      : graph_(graph), groups_(groups), tree_(tree), worths_(graph, groups, preferences) {}

  std::string Check();

 private:
  std::string CheckSizes() const;
  std::string CheckForest(const std::vector<bool>& in_forest, const char* name) const;
  std::string CheckGroups();
  std::string CheckExchanges(const Component& component, ElementGroups& groups, uint32_t group);
  std::string CheckCircuits() const;

  const SystemGraph& graph_;
  std::vector<ElementGroups>& groups_;
  const NormalTree& tree_;
  EdgeWorths worths_;
  std::vector<bool> in_tree_, in_through_tree_;
  LargeVector<int64_t> potentials_;
};

std::string EdgeText(uint32_t e) {
  return "edge " + std::to_string(e);
}

std::string Checker::CheckSizes() const {
  const size_t edges = graph_.edges.size();
  if (tree_.primary.size() != edges) return "primary has the wrong size";
  if (!tree_.potentials.empty() && tree_.potentials.size() != 2 * edges)
    return "potentials has the wrong size";
  if (tree_.singular == tree_.blocking.empty()) return "singular, but no blocking set, or the reverse";
  return "";
}

std::string Checker::CheckForest(const std::vector<bool>& in_forest, const char* name) const {
  UnionFind all(graph_.vertex_count()), forest(graph_.vertex_count());
  for (uint32_t e = 0; e < graph_.edges.size(); ++e) {
    const uint32_t from = graph_.edges[e].from.value, to = graph_.edges[e].to.value;
    all.Join(from, to);
    bool joined = true;
    if (in_forest[e]) forest.Join(from, to, &joined);
    if (!joined) return std::string(name) + " has a circuit through " + EdgeText(e);
  }
  for (uint32_t v = 0; v < graph_.vertex_count(); ++v) {
    if (forest.Find(v) != all.Find(v))
      return std::string(name) + " does not span vertex " + std::to_string(v);
  }
  return "";
}

std::string Checker::CheckExchanges(const Component& component, ElementGroups& groups, uint32_t group) {
  const auto variable = [&](uint32_t local) {
    return 2 * size_t{component.first_edge + groups.edges[group][local / 2]} + local % 2;
  };
  const auto wish = [&](uint32_t local) {
    const EdgeWorth worth = worths_.Of(static_cast<uint32_t>(variable(local) / 2));
    return int64_t{local % 2 == 0 ? worth.across_wish : worth.through_wish};
  };
  GroupValues::Choice choice;
  for (uint32_t local = 0; local < 2 * groups.edges[group].size(); ++local) {
    const uint8_t bit = local % 2 == 0 ? NormalTree::kAcrossPrimary : NormalTree::kThroughPrimary;
    if ((tree_.primary[variable(local) / 2] & bit) != 0) choice.push_back(local);
  }
  const std::string where = "the group of " + EdgeText(component.first_edge + groups.edges[group][0]);
  if (choice.size() != groups.edges[group].size())
    return where + " has the wrong number of primary variables";
  if (groups.values[group].Value(choice) == GroupValues::kNone)
    return where + " cannot be solved for its primary variables";
  const GroupValues::Exchanges& now = groups.values[group].ExchangesOf(choice);
  for (size_t u = 0; u < now.inside.size(); ++u) {
    for (size_t v = 0; v < now.outside.size(); ++v) {
      if (now.At(u, v) == GroupValues::kNone) continue;
      const uint32_t leaves = now.inside[u], enters = now.outside[v];
      const int64_t slack = (int64_t{now.value} - now.At(u, v)) * kDegreeUnit + wish(leaves) - wish(enters) +
                            potentials_[variable(enters)] - potentials_[variable(leaves)];
      if (slack < 0) return "the potentials prove nothing in " + where;
    }
  }
  return "";
}

std::string Checker::CheckGroups() {
  int64_t degree = 0;
  for (const Component& component : graph_.components) {
    ElementGroups& groups = groups_[component.element.index()];
    for (uint32_t g = 0; g < groups.edges.size(); ++g) {
      std::string wrong = CheckExchanges(component, groups, g);
      if (!wrong.empty()) return wrong;
      GroupValues::Choice choice;
      for (uint32_t i = 0; i < groups.edges[g].size(); ++i) {
        const uint8_t primary = tree_.primary[component.first_edge + groups.edges[g][i]];
        if ((primary & NormalTree::kAcrossPrimary) != 0) choice.push_back(2 * i);
        if ((primary & NormalTree::kThroughPrimary) != 0) choice.push_back(2 * i + 1);
      }
      degree += groups.values[g].Value(choice);
    }
  }
  if (degree != tree_.degree)
    return "the degree is " + std::to_string(degree) + ", not " + std::to_string(tree_.degree);
  return "";
}

std::string Checker::CheckCircuits() const {
  const RootedForest tree = RootForest(graph_, in_tree_), through = RootForest(graph_, in_through_tree_);
  for (uint32_t e = 0; e < graph_.edges.size(); ++e) {
    if (!in_tree_[e]) {
      for (const SignedEdge& branch : FundamentalCircuit(graph_, tree, EdgeId(e))) {
        if (potentials_[2 * branch.edge.index()] < potentials_[2 * size_t{e}])
          return EdgeText(e) + " is better in the tree than " + EdgeText(branch.edge.value);
      }
    }
    if (!in_through_tree_[e]) {
      for (const SignedEdge& branch : FundamentalCircuit(graph_, through, EdgeId(e))) {
        if (potentials_[2 * size_t{e} + 1] < potentials_[2 * branch.edge.index() + 1])
          return EdgeText(e) + " is better in the tree of the through variables than " +
                 EdgeText(branch.edge.value);
      }
    }
  }
  return "";
}

std::string Checker::Check() {
  std::string wrong = CheckSizes();
  if (!wrong.empty()) return wrong;
  for (const uint8_t primary : tree_.primary) {
    in_tree_.push_back((primary & NormalTree::kAcrossPrimary) != 0);
    in_through_tree_.push_back((primary & NormalTree::kThroughPrimary) == 0);
  }
  wrong = CheckForest(in_tree_, "the tree");
  if (wrong.empty()) wrong = CheckForest(in_through_tree_, "the tree of the through variables");
  if (!wrong.empty() || tree_.singular) return wrong;
  potentials_ = tree_.potentials;
  if (potentials_.empty()) {
    potentials_.assign(2 * graph_.edges.size(), 0);
    worths_.ForEach([&](uint32_t e, const EdgeWorth& worth) { potentials_[2 * size_t{e}] = worth.rank; });
  }
  wrong = CheckGroups();
  return wrong.empty() ? CheckCircuits() : wrong;
}

}  // namespace

std::string CheckNormalTree(const SystemGraph& graph, std::vector<ElementGroups>& groups,
                            const NormalTree& tree, const TreePreferences& preferences) {
  return Checker(graph, groups, tree, preferences).Check();
}

std::string CheckNormalTree(Model& model, const SystemGraph& graph, const std::vector<ScalarElement>& scalars,
                            const NormalTree& tree, const TreePreferences& preferences) {
  std::vector<ElementGroups> groups = FindGroups(model, graph, scalars);
  return CheckNormalTree(graph, groups, tree, preferences);
}

}  // namespace cotree
