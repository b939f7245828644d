// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/kruskal.h"

#include <algorithm>
#include <map>

#include "normal_tree/exchange.h"
#include "normal_tree/forest_grower.h"
#include "normal_tree/forest_paths.h"

namespace cotree {

EdgeWorths::EdgeWorths(const SystemGraph& graph, const std::vector<ElementGroups>& groups,
                       const TreePreferences& preferences)
    : graph_(graph) {
  for (size_t k = 0; k < graph.elements.size(); ++k) {
    first_.push_back(static_cast<uint32_t>(worth_.size()));
    for (size_t e = 0; e < graph.elements[k].edges.size(); ++e) {
      const GroupValues& values = groups[k].values[groups[k].group_of_edge[e]];
      const uint32_t place = groups[k].place[e];
      const GroupValues::Edge& edge = values.edge()[place];
      EdgeWorth worth{edge.across, edge.through, 0, values.wishes()[2 * place],
                      values.wishes()[2 * place + 1]};
      worth.rank = StartPotential(edge) + worth.across_wish - worth.through_wish;
      worth_.push_back(worth);
    }
  }
  first_.push_back(static_cast<uint32_t>(worth_.size()));
  std::map<uint32_t, EdgeWish> wishes;
  const auto clamp = [](int wish) {
    return static_cast<int32_t>(kWishUnit) * std::clamp(wish, -kWishLimit, kWishLimit);
  };
  for (const auto& [edge, wish] : preferences.across)
    wishes.try_emplace(edge.value, EdgeWish{edge.value, 0, 0}).first->second.across = clamp(wish);
  for (const auto& [edge, wish] : preferences.through)
    wishes.try_emplace(edge.value, EdgeWish{edge.value, 0, 0}).first->second.through = clamp(wish);
  for (const auto& [edge, wish] : wishes) {
    if (edge < graph.edges.size()) wishes_.push_back(wish);
  }
}

const EdgeWorths::EdgeWish* EdgeWorths::FindWish(uint32_t edge) const {
  const auto at = std::lower_bound(wishes_.begin(), wishes_.end(), edge,
                                   [](const EdgeWish& wish, uint32_t e) { return wish.edge < e; });
  return at == wishes_.end() || at->edge != edge ? nullptr : &*at;
}

EdgeWorth EdgeWorths::Of(uint32_t edge) const {
  const Component& component = graph_.components[graph_.edges[edge].component.index()];
  const EdgeWorth& worth = worth_[first_[component.element.index()] + (edge - component.first_edge)];
  const EdgeWish* wish = FindWish(edge);
  return wish == nullptr ? worth : Add(worth, *wish);
}

std::vector<int64_t> EdgeWorths::Ranks() const {
  std::vector<int64_t> out;
  for (const EdgeWorth& worth : worth_) out.push_back(worth.rank);
  for (const EdgeWish& wish : wishes_) out.push_back(Of(wish.edge).rank);
  std::sort(out.begin(), out.end(), std::greater<>());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

namespace {

/** The uncoupled edges sorted by rank, descending, ascending within a rank. */
struct RankedEdges {
  LargeVector<uint32_t> edges;
  std::vector<uint32_t> first;  // by rank, and one more
};

RankedEdges SortByRank(const Islands& islands, const EdgeWorths& worths) {
  const std::vector<int64_t> ranks = worths.Ranks();
  const bool any_coupled = islands.coupled_count > 0;
  int64_t last_rank = 0;
  uint32_t last = UINT32_MAX;
  const auto index_of = [&](int64_t rank) {
    if (last == UINT32_MAX || rank != last_rank) {
      last = static_cast<uint32_t>(std::lower_bound(ranks.begin(), ranks.end(), rank, std::greater<>()) -
                                   ranks.begin());
      last_rank = rank;
    }
    return last;
  };
  RankedEdges out;
  out.first.assign(ranks.size() + 2, 0);
  const auto each = [&](const auto& visit) {
    worths.ForEach([&](uint32_t e, const EdgeWorth& worth) {
      if (!any_coupled || !islands.Coupled(e)) visit(e, index_of(worth.rank));
    });
  };
  each([&](uint32_t, uint32_t rank) { ++out.first[rank + 2]; });
  for (size_t r = 2; r < out.first.size(); ++r) out.first[r] += out.first[r - 1];
  out.edges.resize(out.first.back());
  each([&](uint32_t e, uint32_t rank) { out.edges[out.first[rank + 1]++] = e; });
  return out;
}

std::vector<uint32_t> ReferencesOf(const SystemGraph& graph) {
  std::vector<uint32_t> out;
  for (const DomainGraph& domain : graph.domains) {
    if (domain.vertex_count > 0) out.push_back(domain.reference.value);
  }
  return out;
}

}  // namespace

std::vector<uint32_t> ChooseUncoupled(const SystemGraph& graph, const Islands& islands,
                                      const EdgeWorths& worths, NormalTree* tree) {
  const RankedEdges ranked = SortByRank(islands, worths);
  const std::vector<uint32_t> roots = ReferencesOf(graph);
  ForestGrower grower(graph.vertex_count());
  const auto ends = [&](uint32_t e) { return std::pair(graph.edges[e].from.value, graph.edges[e].to.value); };
  const auto choose = [&](uint32_t e) { tree->primary[e] = NormalTree::kAcrossPrimary; };
  for (size_t r = 0; r + 1 < ranked.first.size(); ++r) {
    const uint32_t begin = ranked.first[r], end = ranked.first[r + 1];
    if (begin < end) grower.Grow(std::span(ranked.edges).subspan(begin, end - begin), roots, ends, choose);
  }
  std::vector<uint32_t> guilty;
  const bool any_coupled = islands.coupled_count > 0;
  worths.ForEach([&](uint32_t e, const EdgeWorth& worth) {
    if (any_coupled && islands.Coupled(e)) return;
    const bool branch = tree->primary[e] == NormalTree::kAcrossPrimary;
    const int32_t value = branch ? worth.across : worth.through;
    if (value == GroupValues::kNone)
      guilty.push_back(e);
    else
      tree->degree += value;
  });
  return guilty;
}

void ExplainGuilty(const SystemGraph& graph, const EdgeWorths& worths, const std::vector<uint32_t>& guilty,
                   NormalTree* tree) {
  if (guilty.empty()) return;
  std::vector<std::pair<uint32_t, uint32_t>> ends;
  std::vector<uint8_t> chosen;
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    ends.emplace_back(graph.edges[e].from.value, graph.edges[e].to.value);
    chosen.push_back(tree->InTree(EdgeId(e)) ? 1 : 0);
  }
  ForestPair forests(ends, static_cast<uint32_t>(graph.vertex_count()));
  forests.Set(chosen, chosen, ReferencesOf(graph));
  for (const uint32_t e : guilty) {
    if (tree->blocking_sets.size() >= NormalTree::kMostBlockingSets) break;
    std::vector<EdgeId> set{EdgeId(e)};
    const auto add = [&](uint32_t other) { set.emplace_back(other); };
    const EdgeWorth worth = worths.Of(e);
    if (worth.across != worth.through && chosen[e] != 0)
      forests.VisitCutSet(e, add);
    else if (worth.across != worth.through)
      forests.VisitThroughPath(e, add);
    std::sort(set.begin(), set.end());
    tree->blocking_sets.push_back(std::move(set));
  }
}

}  // namespace cotree
