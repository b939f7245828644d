// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/exchange.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "base/check.h"
#include "normal_tree/forest_grower.h"
#include "normal_tree/forest_paths.h"
#include "normal_tree/normal_tree.h"

namespace cotree {

namespace {

constexpr uint32_t kNobody = UINT32_MAX;
constexpr int64_t kAlways = kDegreeUnit << 14;
constexpr size_t kMostFailures = 100;  // of pairing in an island: where many fail, others will

class ExchangeSolver {
 public:
  explicit ExchangeSolver(const Island& island)
      : island_(island),
        edges_(static_cast<uint32_t>(island.ends.size())),
        forests_(island.ends, island.vertices),
        in_values_(2 * edges_, 0),
        potential_(2 * edges_, 0),
        group_of_(edges_, 0),
        place_(edges_, 0),
        now_(island.groups.size(), nullptr),
        reached_(2 * edges_) {
    for (uint32_t g = 0; g < island.groups.size(); ++g) {
      for (uint32_t i = 0; i < island.groups[g].values->edges(); ++i) {
        group_of_[Member(g, i)] = g;
        place_[Member(g, i)] = i;
      }
    }
  }

  IslandSolution Solve();

 private:
  struct Reached {
    int64_t distance = 0;
    uint32_t arcs = 0, previous = kNobody;
    uint32_t stamp = 0;
    bool by_topology = false, done = false;
  };
  struct Entry {
    int64_t distance;
    uint32_t arcs, variable;
    auto operator<=>(const Entry&) const = default;
  };

  uint32_t Member(uint32_t group, uint32_t i) const {
    return island_.members[island_.groups[group].first + i];
  }
  uint32_t Variable(uint32_t group, uint32_t local) const { return 2 * Member(group, local / 2) + local % 2; }
  uint32_t Local(uint32_t variable) const { return 2 * place_[variable / 2] + variable % 2; }
  int64_t Wish(uint32_t variable) const { return island_.wishes[variable]; }
  bool InTop(uint32_t variable) const {
    return variable % 2 == 0 ? forests_.InTree(variable / 2) : !forests_.InThroughTree(variable / 2);
  }

  bool EveryGroupSolvable(IslandSolution* out) const;
  void StartForests();
  std::vector<uint8_t> GrowForest(const std::vector<std::pair<int64_t, int>>& rank) const;
  void StartValues();
  uint32_t Search(uint32_t source);
  void Relax(uint32_t from, uint32_t to, int64_t length, bool by_topology);
  void FollowTopology(uint32_t from);
  void FollowValues(uint32_t from);
  void RaisePotentials(int64_t distance);
  void Apply(uint32_t sink);
  void FindBlocking(IslandSolution* out);
  std::vector<uint32_t> EdgesTowards(uint32_t sink, ForestPair* mirrored);
  std::vector<uint32_t> ReachedEdges() const;
  void Pair(IslandSolution* out);
  bool PairEdge(uint32_t edge);
  bool TryCircle(uint32_t start, uint32_t last);
  int64_t ValueOf(uint32_t group, const GroupValues::Choice& choice) const;
  GroupValues::Choice ChoiceOf(uint32_t group) const;
  bool Tight(uint32_t enters, uint32_t leaves) const;
  void Write(IslandSolution* out) const;

  const Island& island_;
  uint32_t edges_;
  ForestPair forests_;              // B1: T and T'
  std::vector<uint8_t> in_values_;  // B2, by variable
  std::vector<int64_t> potential_;  // by variable
  std::vector<uint32_t> group_of_, place_;
  std::vector<const GroupValues::Exchanges*> now_;  // B2, by group
  std::vector<Reached> reached_;                    // of the search at work: those with its stamp
  std::vector<uint32_t> visited_;
  uint32_t stamp_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

bool ExchangeSolver::EveryGroupSolvable(IslandSolution* out) const {
  for (uint32_t g = 0; g < island_.groups.size(); ++g) {
    if (island_.groups[g].values->solvable()) continue;
    out->blocking.emplace_back();
    for (uint32_t i = 0; i < island_.groups[g].values->edges(); ++i)
      out->blocking.back().push_back(Member(g, i));
  }
  return out->blocking.empty();
}

// Kruskal's forest: edges with a small rank first.
std::vector<uint8_t> ExchangeSolver::GrowForest(const std::vector<std::pair<int64_t, int>>& rank) const {
  std::vector<uint32_t> order(edges_);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return rank[a] < rank[b]; });
  ForestGrower grower(island_.vertices);
  std::vector<uint8_t> chosen(edges_, 0);
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && rank[order[end]] == rank[order[begin]]) ++end;
    grower.Grow(
        std::span(order).subspan(begin, end - begin), island_.roots,
        [&](uint32_t e) { return island_.ends[e]; }, [&](uint32_t e) { chosen[e] = 1; });
  }
  return chosen;
}

// Within a rank of T: the branches of a choice that every group would like, what stands alone, the others. T'
// is T but for edges whose two variables are primary always, or never.
void ExchangeSolver::StartForests() {
  std::vector<std::pair<int64_t, int>> rank(edges_);
  bool differ = false;
  for (uint32_t e = 0; e < edges_; ++e) {
    const GroupValues& values = *island_.groups[group_of_[e]].values;
    const GroupValues::Edge& edge = values.edge()[place_[e]];
    potential_[2 * e] = StartPotential(edge) + Wish(2 * e) - Wish(2 * e + 1);
    potential_[2 * e + 1] = edge.both ? kAlways : edge.neither ? -kAlways : 0;
    differ = differ || edge.both || edge.neither;
    rank[e] = {-potential_[2 * e], values.edges() == 1 ? 1 : edge.branch ? 0 : 2};
  }
  const std::vector<uint8_t> tree = GrowForest(rank);
  for (uint32_t e = 0; e < edges_; ++e) rank[e] = {potential_[2 * e + 1], tree[e] != 0 ? 0 : 1};
  forests_.Set(tree, differ ? GrowForest(rank) : tree, island_.roots);
}

// In each group the choice with the greatest value - p, among these the one that agrees most with the
// forests.
void ExchangeSolver::StartValues() {
  std::vector<int64_t> weights;
  for (uint32_t g = 0; g < island_.groups.size(); ++g) {
    GroupValues& values = *island_.groups[g].values;
    const uint32_t variables = 2 * values.edges();
    const int64_t scale = variables + 1;
    weights.resize(variables);
    for (uint32_t v = 0; v < variables; ++v) {
      const uint32_t variable = Variable(g, v);
      weights[v] = scale * (Wish(variable) - potential_[variable]) + (InTop(variable) ? 1 : 0);
    }
    now_[g] = &values.Maximise(weights, scale * kDegreeUnit);
    for (const uint32_t v : now_[g]->inside) in_values_[Variable(g, v)] = 1;
  }
}

void ExchangeSolver::Relax(uint32_t from, uint32_t to, int64_t length, bool by_topology) {
  Reached& at = reached_[to];
  const int64_t distance = reached_[from].distance + length;
  const uint32_t arcs = reached_[from].arcs + 1;
  if (at.stamp == stamp_ && (at.done || std::pair(at.distance, at.arcs) <= std::pair(distance, arcs))) return;
  if (at.stamp != stamp_) visited_.push_back(to);
  at = {distance, arcs, from, stamp_, by_topology, false};
  heap_.push({distance, arcs, to});
}

void ExchangeSolver::FollowTopology(uint32_t from) {
  const uint32_t edge = from / 2, kind = from % 2;
  const auto visit = [&](uint32_t other) {
    const uint32_t to = 2 * other + kind;
    Relax(from, to, potential_[from] - potential_[to], true);
  };
  if (kind == 1) {
    forests_.VisitThroughPath(edge, visit);
    return;
  }
  // What can take the place of a branch seen before is not nearer by this one if distance + potential is not.
  const auto key = [&](uint32_t v) {
    return std::pair(reached_[v].distance + potential_[v], reached_[v].arcs);
  };
  const auto own = key(from);
  forests_.VisitCutSet(edge, visit, [&](uint32_t e) {
    return reached_[2 * e].stamp == stamp_ && reached_[2 * e].done && key(2 * e) <= own;
  });
}

void ExchangeSolver::FollowValues(uint32_t from) {
  const uint32_t g = group_of_[from / 2];
  const GroupValues::Exchanges& now = *now_[g];
  const uint32_t column = now.place[Local(from)];
  for (uint32_t u = 0; u < now.inside.size(); ++u) {
    if (now.At(u, column) == GroupValues::kNone) continue;
    const uint32_t to = Variable(g, now.inside[u]);
    const int64_t loss = (int64_t{now.value} - now.At(u, column)) * kDegreeUnit + Wish(to) - Wish(from);
    Relax(from, to, loss + potential_[from] - potential_[to], false);
  }
}

// The nearest variable of B2 that is not in B1, or nobody.
uint32_t ExchangeSolver::Search(uint32_t source) {
  ++stamp_;
  visited_.assign(1, source);
  heap_ = {};
  reached_[source] = {0, 0, kNobody, stamp_, false, false};
  heap_.push({0, 0, source});
  while (!heap_.empty()) {
    const Entry entry = heap_.top();
    heap_.pop();
    Reached& at = reached_[entry.variable];
    if (at.done || at.distance != entry.distance || at.arcs != entry.arcs) continue;
    const bool top = InTop(entry.variable), values = in_values_[entry.variable] != 0;
    if (values && !top) return entry.variable;
    at.done = true;
    if (top) FollowTopology(entry.variable);
    if (!values) FollowValues(entry.variable);
  }
  return kNobody;
}

// p += min(distance, that of the sink), less that of the sink for all: so only what is nearer changes.
void ExchangeSolver::RaisePotentials(int64_t distance) {
  for (const uint32_t v : visited_) {
    if (reached_[v].done && reached_[v].distance < distance) potential_[v] -= distance - reached_[v].distance;
  }
}

void ExchangeSolver::Apply(uint32_t sink) {
  std::vector<std::pair<uint32_t, uint32_t>> through;  // enters T', leaves T'
  std::vector<uint32_t> groups;
  for (uint32_t v = sink; reached_[v].previous != kNobody; v = reached_[v].previous) {
    const uint32_t u = reached_[v].previous;
    if (reached_[v].by_topology && v % 2 == 0) {
      forests_.Swap(u / 2, v / 2);
    } else if (reached_[v].by_topology) {
      through.emplace_back(u / 2, v / 2);
    } else {
      in_values_[u] = 1;
      in_values_[v] = 0;
      groups.push_back(group_of_[u / 2]);
    }
  }
  COTREE_CHECK(forests_.SwapThrough(through));
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  for (const uint32_t g : groups) now_[g] = &island_.groups[g].values->ExchangesOf(ChoiceOf(g));
}

GroupValues::Choice ExchangeSolver::ChoiceOf(uint32_t group) const {
  GroupValues::Choice out;
  for (uint32_t v = 0; v < 2 * island_.groups[group].values->edges(); ++v) {
    if (in_values_[Variable(group, v)] != 0) out.push_back(v);
  }
  return out;
}

std::vector<uint32_t> ExchangeSolver::ReachedEdges() const {
  std::vector<uint32_t> out;
  for (const uint32_t v : visited_) out.push_back(v / 2);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// The edges from whose variables `sink` is reached: the search backwards. `mirrored` has the forests
// exchanged.
std::vector<uint32_t> ExchangeSolver::EdgesTowards(uint32_t sink, ForestPair* mirrored) {
  ++stamp_;
  visited_.assign(1, sink);
  reached_[sink].stamp = stamp_;
  const auto reach = [&](uint32_t v) {
    if (reached_[v].stamp == stamp_) return;
    reached_[v].stamp = stamp_;
    visited_.push_back(v);
  };
  for (size_t at = 0; at < visited_.size(); ++at) {
    const uint32_t v = visited_[at], g = group_of_[v / 2];
    if (!InTop(v) && v % 2 == 0) mirrored->VisitThroughPath(v / 2, [&](uint32_t e) { reach(2 * e); });
    if (!InTop(v) && v % 2 == 1) mirrored->VisitCutSet(v / 2, [&](uint32_t e) { reach(2 * e + 1); });
    if (in_values_[v] == 0) continue;
    const GroupValues::Exchanges& now = *now_[g];
    for (size_t k = 0; k < now.outside.size(); ++k) {
      if (now.At(now.place[Local(v)], k) != GroupValues::kNone) reach(Variable(g, now.outside[k]));
    }
  }
  return ReachedEdges();
}

void ExchangeSolver::FindBlocking(IslandSolution* out) {
  constexpr size_t kMostSets = 16;
  ForestPair mirrored = forests_.Mirrored();
  std::vector<std::vector<uint32_t>> much, little;
  for (uint32_t v = 0; v < 2 * edges_; ++v) {
    if (InTop(v) == (in_values_[v] != 0)) continue;
    if (!InTop(v) && much.size() < kMostSets) much.push_back(EdgesTowards(v, &mirrored));
    if (InTop(v) && little.size() < kMostSets) {
      Search(v);
      little.push_back(ReachedEdges());
    }
  }
  for (auto* sets : {&much, &little}) {
    std::stable_sort(sets->begin(), sets->end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    for (auto& set : *sets) {
      if (std::find(out->blocking.begin(), out->blocking.end(), set) == out->blocking.end())
        out->blocking.push_back(std::move(set));
    }
  }
}

// Whether B2 loses nothing, in the potentials, when one variable enters for the other.
bool ExchangeSolver::Tight(uint32_t enters, uint32_t leaves) const {
  const uint32_t g = group_of_[enters / 2];
  if (group_of_[leaves / 2] != g) return false;
  const GroupValues::Exchanges& now = *now_[g];
  const int32_t value = now.At(now.place[Local(leaves)], now.place[Local(enters)]);
  return value != GroupValues::kNone && (int64_t{now.value} - value) * kDegreeUnit + Wish(leaves) -
                                                Wish(enters) + potential_[enters] - potential_[leaves] ==
                                            0;
}

int64_t ExchangeSolver::ValueOf(uint32_t group, const GroupValues::Choice& choice) const {
  const int32_t value = island_.groups[group].values->Value(choice);
  if (value == GroupValues::kNone) return INT64_MIN;
  int64_t sum = value * kDegreeUnit;
  for (const uint32_t v : choice) sum += Wish(Variable(group, v));
  return sum;
}

// The circle start -> ... -> last -> start, if it pairs more than it parts and loses nothing. The way was a
// shortest one, so the forests stay forests; the groups are asked.
bool ExchangeSolver::TryCircle(uint32_t start, uint32_t last) {
  std::vector<uint32_t> circle, edges, groups;
  for (uint32_t v = last; v != kNobody; v = reached_[v].previous) {
    circle.push_back(v);
    edges.push_back(v / 2);
    groups.push_back(group_of_[v / 2]);
  }
  for (auto* list : {&edges, &groups}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  const auto alone = [&] {
    return std::count_if(edges.begin(), edges.end(),
                         [&](uint32_t e) { return in_values_[2 * e] == in_values_[2 * e + 1]; });
  };
  const auto turn = [&] {
    for (const uint32_t v : circle) in_values_[v] ^= 1;
  };
  const auto worth = [&] {
    int64_t sum = 0;
    for (const uint32_t g : groups) {
      const int64_t value = ValueOf(g, ChoiceOf(g));
      if (value == INT64_MIN) return value;
      sum += value;
    }
    return sum;
  };
  const auto alone_before = alone();
  const int64_t worth_before = worth();
  turn();
  if (alone() >= alone_before || worth() != worth_before) {
    turn();
    return false;
  }
  turn();
  in_values_[last] = 1;
  in_values_[start] = 0;
  Apply(last);
  const uint32_t g = group_of_[start / 2];
  now_[g] = &island_.groups[g].values->ExchangesOf(ChoiceOf(g));
  return true;
}

// Breadth-first along exchanges of length 0 from a variable of an edge with both primary, back to it.
bool ExchangeSolver::PairEdge(uint32_t edge) {
  constexpr size_t kMostReached = 200, kMostTries = 8;
  for (const uint32_t start : {2 * edge, 2 * edge + 1}) {
    const GroupValues::Exchanges& now = *now_[group_of_[edge]];
    const bool leaves = std::any_of(now.outside.begin(), now.outside.end(),
                                    [&](uint32_t v) { return Tight(Variable(group_of_[edge], v), start); });
    if (!leaves) continue;
    ++stamp_;
    heap_ = {};
    visited_.assign(1, start);
    reached_[start] = {0, 0, kNobody, stamp_, false, false};
    size_t tries = 0;
    heap_.push({0, 0, start});
    while (!heap_.empty() && visited_.size() < kMostReached && tries < kMostTries) {
      const Entry entry = heap_.top();
      heap_.pop();
      Reached& at = reached_[entry.variable];
      if (entry.distance > 0) break;
      if (at.done || at.distance != entry.distance || at.arcs != entry.arcs) continue;
      at.done = true;
      if (InTop(entry.variable)) {
        FollowTopology(entry.variable);
        continue;
      }
      if (Tight(entry.variable, start) && ++tries > 0 && TryCircle(start, entry.variable)) return true;
      FollowValues(entry.variable);
    }
  }
  return false;
}

void ExchangeSolver::Pair(IslandSolution* out) {
  size_t failures = 0;
  for (uint32_t e = 0; e < edges_ && failures < kMostFailures; ++e) {
    if (in_values_[2 * e] == 0 || in_values_[2 * e + 1] == 0) continue;
    const uint32_t searches = stamp_;
    if (PairEdge(e))
      ++out->cycles;
    else if (stamp_ != searches)
      ++failures;
  }
}

void ExchangeSolver::Write(IslandSolution* out) const {
  for (uint32_t e = 0; e < edges_; ++e) {
    out->primary.push_back(static_cast<uint8_t>((InTop(2 * e) ? NormalTree::kAcrossPrimary : 0) |
                                                (InTop(2 * e + 1) ? NormalTree::kThroughPrimary : 0)));
  }
  for (const GroupValues::Exchanges* now : now_) out->degree += now == nullptr ? 0 : now->value;
  out->potentials = potential_;
}

IslandSolution ExchangeSolver::Solve() {
  IslandSolution out;
  StartForests();
  if (EveryGroupSolvable(&out)) {
    StartValues();
    bool singular = false;
    for (uint32_t source = 0; source < 2 * edges_; ++source) {
      if (!InTop(source) || in_values_[source] != 0) continue;
      const uint32_t sink = Search(source);
      if (sink == kNobody) {
        singular = true;
        continue;
      }
      ++out.augmentations;
      RaisePotentials(reached_[sink].distance);
      Apply(sink);
    }
    if (singular) FindBlocking(&out);
  }
  if (out.blocking.empty()) Pair(&out);
  Write(&out);
  return out;
}

}  // namespace

int64_t StartPotential(const GroupValues::Edge& edge) {
  if (edge.always != edge.never) return edge.always ? kAlways : -kAlways;
  if (edge.across == GroupValues::kNone || edge.through == GroupValues::kNone) return 0;
  return (int64_t{edge.across} - edge.through) * kDegreeUnit;
}

IslandSolution SolveIsland(const Island& island) {
  return ExchangeSolver(island).Solve();
}

}  // namespace cotree
