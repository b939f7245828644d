// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "normal_tree/exchange.h"
#include "normal_tree/islands.h"
#include "normal_tree/kruskal.h"
#include "normal_tree/normal_tree.h"
#include "normal_tree/select_normal_tree.h"

namespace cotree {

namespace {

/** The coupled islands, one by one, equal ones solved once. */
class CoupledIslands {
 public:
  CoupledIslands(const SystemGraph& graph, const Islands& islands, std::vector<ElementGroups>& groups,
                 const EdgeWorths& worths, NormalTree* tree)
      : graph_(graph), islands_(islands), groups_(groups), worths_(worths), tree_(tree) {}

  void SolveAll();

 private:
  void Sort();
  void Solve(std::span<const uint32_t> edges);
  void NumberVertices(std::span<const uint32_t> edges);
  void DescribeIsland(std::span<const uint32_t> edges);
  Island MakeIsland(std::span<const uint32_t> edges) const;
  const IslandSolution& SolutionOf(std::span<const uint32_t> edges);
  void Copy(std::span<const uint32_t> edges, const IslandSolution& solution);

  const SystemGraph& graph_;
  const Islands& islands_;
  std::vector<ElementGroups>& groups_;
  const EdgeWorths& worths_;
  NormalTree* tree_;

  LargeVector<uint32_t> edges_;         // by island, by block, ascending
  LargeVector<uint32_t> first_;         // by island, and one more
  LargeVector<uint32_t> local_edge_;    // by edge: its number in its island
  LargeVector<uint32_t> vertex_block_;  // by vertex: the block its number belongs to
  LargeVector<uint32_t> vertex_local_;  // by vertex: its number
  // The island at work.
  std::vector<std::pair<uint32_t, uint32_t>> ends_;
  std::vector<uint32_t> roots_;
  uint32_t vertices_ = 0;
  std::vector<uint32_t> key_;
  // Islands solved: equal keys mean equal islands.
  struct Solved {
    std::vector<uint32_t> key;
    IslandSolution solution;
  };
  std::vector<Solved> solved_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;  // looked up only
};

// Islands in the order of their first edge, blocks within them likewise.
void CoupledIslands::Sort() {
  const auto count = static_cast<uint32_t>(graph_.edges.size());
  const size_t blocks = islands_.root.size();
  LargeVector<uint32_t> island_number(blocks, UINT32_MAX), block_number(blocks, UINT32_MAX), island_of;
  uint32_t next_island = 0, next_block = 0;
  for (uint32_t e = 0; e < count; ++e) {
    const uint32_t block = islands_.block[e];
    if (islands_.coupled[block] == 0 || block_number[block] != UINT32_MAX) continue;
    uint32_t& island = island_number[islands_.island[block]];
    if (island == UINT32_MAX) island = next_island++;
    block_number[block] = next_block++;
    island_of.push_back(island);
  }
  // Stable counting sorts: by block, then by island.
  const auto sort_by = [&](LargeVector<uint32_t>& items, size_t keys, const auto& key_of) {
    LargeVector<uint32_t> first(keys + 1, 0), out(items.size());
    for (const uint32_t item : items) ++first[key_of(item) + 1];
    for (size_t k = 0; k < keys; ++k) first[k + 1] += first[k];
    LargeVector<uint32_t> next = first;
    for (const uint32_t item : items) out[next[key_of(item)]++] = item;
    items = std::move(out);
    return first;
  };
  for (uint32_t e = 0; e < count; ++e) {
    if (islands_.coupled[islands_.block[e]] != 0) edges_.push_back(e);
  }
  sort_by(edges_, next_block, [&](uint32_t e) { return block_number[islands_.block[e]]; });
  first_ =
      sort_by(edges_, next_island, [&](uint32_t e) { return island_of[block_number[islands_.block[e]]]; });
}

void CoupledIslands::NumberVertices(std::span<const uint32_t> edges) {
  ends_.clear();
  roots_.clear();
  vertices_ = 0;
  uint32_t block = UINT32_MAX;
  const auto number = [&](uint32_t v) {
    if (vertex_block_[v] != block) {
      vertex_block_[v] = block;
      vertex_local_[v] = vertices_++;
    }
    return vertex_local_[v];
  };
  for (const uint32_t e : edges) {
    if (islands_.block[e] != block) {
      block = islands_.block[e];
      roots_.push_back(number(islands_.root[block]));
    }
    const uint32_t from = number(graph_.edges[e].from.value), to = number(graph_.edges[e].to.value);
    ends_.emplace_back(from, to);
  }
}

// Everything the solution depends on: classes, which edges share a component, topology, wishes.
void CoupledIslands::DescribeIsland(std::span<const uint32_t> edges) {
  NumberVertices(edges);
  key_.clear();
  for (uint32_t k = 0; k < edges.size(); ++k) local_edge_[edges[k]] = k;
  for (uint32_t k = 0; k < edges.size(); ++k) {
    const Component& component = graph_.components[graph_.edges[edges[k]].component.index()];
    const uint32_t edge = edges[k] - component.first_edge;
    const ElementGroups& groups = groups_[component.element.index()];
    const uint32_t leader = groups.edges[groups.group_of_edge[edge]].front();
    key_.insert(key_.end(), {component.element.value, edge, local_edge_[component.first_edge + leader],
                             ends_[k].first, ends_[k].second});
    if (worths_.HasWishes()) {
      const EdgeWorth worth = worths_.Of(edges[k]);
      key_.push_back(static_cast<uint32_t>(worth.across_wish));
      key_.push_back(static_cast<uint32_t>(worth.through_wish));
    }
  }
  key_.insert(key_.end(), roots_.begin(), roots_.end());
}

Island CoupledIslands::MakeIsland(std::span<const uint32_t> edges) const {
  Island out;
  out.ends = ends_;
  out.vertices = vertices_;
  out.roots = roots_;
  for (const uint32_t e : edges) {
    const Component& component = graph_.components[graph_.edges[e].component.index()];
    ElementGroups& groups = groups_[component.element.index()];
    const uint32_t group = groups.group_of_edge[e - component.first_edge];
    if (groups.edges[group].front() != e - component.first_edge) continue;
    out.groups.push_back({&groups.values[group], static_cast<uint32_t>(out.members.size())});
    for (const uint32_t other : groups.edges[group])
      out.members.push_back(local_edge_[component.first_edge + other]);
  }
  for (const uint32_t e : edges) {
    const EdgeWorth worth = worths_.Of(e);
    out.wishes.push_back(worth.across_wish);
    out.wishes.push_back(worth.through_wish);
  }
  return out;
}

const IslandSolution& CoupledIslands::SolutionOf(std::span<const uint32_t> edges) {
  DescribeIsland(edges);
  uint64_t hash = 0xCBF29CE484222325u;
  for (const uint32_t part : key_) hash = (hash ^ part) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (solved_[at->second].key != key_) continue;
    ++tree_->statistics.copied_islands;
    return solved_[at->second].solution;
  }
  by_hash_.emplace(hash, static_cast<uint32_t>(solved_.size()));
  solved_.push_back({key_, SolveIsland(MakeIsland(edges))});
  tree_->statistics.augmentations += solved_.back().solution.augmentations;
  tree_->statistics.cycles += solved_.back().solution.cycles;
  return solved_.back().solution;
}

void CoupledIslands::Copy(std::span<const uint32_t> edges, const IslandSolution& solution) {
  for (size_t k = 0; k < edges.size(); ++k) {
    tree_->primary[edges[k]] = solution.primary[k];
    tree_->potentials[2 * size_t{edges[k]}] = solution.potentials[2 * k];
    tree_->potentials[2 * size_t{edges[k]} + 1] = solution.potentials[2 * k + 1];
  }
  tree_->degree += solution.degree;
  for (const auto& blocking : solution.blocking) {
    if (tree_->blocking_sets.size() >= NormalTree::kMostBlockingSets) return;
    std::vector<EdgeId> set;
    set.reserve(blocking.size());
    for (const uint32_t k : blocking) set.emplace_back(edges[k]);
    std::sort(set.begin(), set.end());
    tree_->blocking_sets.push_back(std::move(set));
  }
}

void CoupledIslands::SolveAll() {
  Sort();
  local_edge_.resize(graph_.edges.size());
  vertex_block_.assign(graph_.vertex_count(), UINT32_MAX);
  vertex_local_.resize(graph_.vertex_count());
  for (size_t k = 0; k + 1 < first_.size(); ++k) {
    const auto edges = std::span<const uint32_t>(edges_).subspan(first_[k], first_[k + 1] - first_[k]);
    Copy(edges, SolutionOf(edges));
  }
}

bool AnyCoupler(const SystemGraph& graph, const std::vector<ElementGroups>& groups) {
  std::vector<bool> couples(groups.size());
  for (size_t k = 0; k < groups.size(); ++k) {
    couples[k] = std::any_of(groups[k].edges.begin(), groups[k].edges.end(),
                             [](const auto& edges) { return edges.size() > 1; });
  }
  return std::any_of(graph.components.begin(), graph.components.end(),
                     [&](const Component& component) { return couples[component.element.index()]; });
}

}  // namespace

NormalTree SelectNormalTree(const SystemGraph& graph, std::vector<ElementGroups>& groups,
                            const TreePreferences& preferences) {
  NormalTree tree;
  if (graph.edges.empty()) return tree;
  tree.primary.assign(graph.edges.size(), NormalTree::kThroughPrimary);
  const EdgeWorths worths(graph, groups, preferences);
  Islands islands;
  if (AnyCoupler(graph, groups)) islands = FindIslands(graph, groups);
  tree.statistics.islands = islands.count;
  tree.statistics.coupled_islands = islands.coupled_count;
  const std::vector<uint32_t> guilty = ChooseUncoupled(graph, islands, worths, &tree);
  if (islands.coupled_count > 0) {
    tree.potentials.assign(2 * graph.edges.size(), 0);
    worths.ForEach([&](uint32_t e, const EdgeWorth& worth) { tree.potentials[2 * size_t{e}] = worth.rank; });
    CoupledIslands(graph, islands, groups, worths, &tree).SolveAll();
  }
  ExplainGuilty(graph, worths, guilty, &tree);
  tree.singular = !tree.blocking_sets.empty();
  if (tree.singular) tree.blocking = tree.blocking_sets.front();
  return tree;
}

NormalTree FindNormalTree(Model& model, const SystemGraph& graph, const std::vector<ScalarElement>& scalars,
                          const TreePreferences& preferences) {
  std::vector<ElementGroups> groups = FindGroups(model, graph, scalars);
  return SelectNormalTree(graph, groups, preferences);
}

}  // namespace cotree
