// SPDX-License-Identifier: Apache-2.0
#include "system_equations/topological_rows.h"

#include <algorithm>

namespace cotree {
namespace {

/* Calls f(edge, sign) for the branches of the path by which x of an edge is expressed: up from both ends. */
template <class F>
void OverPath(const SystemGraph& graph, const RootedForest& forest, const GraphEdge& chord, F&& f) {
  uint32_t a = chord.from.value, b = chord.to.value;
  // potential(a) - potential(b): each step up from v adds the across of the branch, oriented away from v.
  const auto climb = [&](uint32_t& v, int8_t sign) {
    const uint32_t e = forest.parent_edge[v];
    f(e, graph.edges[e].from.value == v ? sign : static_cast<int8_t>(-sign));
    v = forest.parent[v];
  };
  while (a != b) {
    if (forest.depth[a] > forest.depth[b]) {
      climb(a, 1);
    } else if (forest.depth[b] > forest.depth[a]) {
      climb(b, -1);
    } else if (forest.parent_edge[a] == UINT32_MAX || forest.parent_edge[b] == UINT32_MAX) {
      return;  // apart: only in a graph that has no tree
    } else {
      climb(a, 1);
      climb(b, -1);
    }
  }
}

class Rows {
 public:
  Rows(const LargeVector<uint32_t>& across, EquationSystem& system)
      : across_(across), system_(system), graph_(*system.graph) {
    system_.row_first.assign(1, 0);
  }

  void Close(uint32_t defined, RowKind kind) {
    system_.row_defined.push_back(defined);
    system_.row_kind.push_back(kind);
    system_.row_first.push_back(static_cast<uint32_t>(system_.row_entries.size()));
  }
  void Entry(uint32_t variable, int8_t sign) { system_.row_entries.push_back({variable, sign, 0}); }

  void Circuits(const RootedForest& forest, const std::vector<bool>& in_tree) {
    for (uint32_t e = 0; e < graph_.edges.size(); ++e) {
      if (in_tree[e]) continue;
      OverPath(graph_, forest, graph_.edges[e], [&](uint32_t b, int8_t sign) { Entry(across_[b], sign); });
      Close(across_[e], RowKind::kCircuit);
    }
  }

  void CutSets(const RootedForest& forest, const std::vector<bool>& in_tree) {
    LargeVector<uint32_t> count(graph_.edges.size() + 1, 0);
    const auto over = [&](auto&& f) {
      for (uint32_t e = 0; e < graph_.edges.size(); ++e) {
        if (!in_tree[e])
          OverPath(graph_, forest, graph_.edges[e], [&](uint32_t b, int8_t sign) { f(e, b, sign); });
      }
    };
    over([&](uint32_t, uint32_t b, int8_t) { ++count[b + 1]; });
    for (uint32_t e = 0; e < graph_.edges.size(); ++e) count[e + 1] += count[e];
    const size_t begin = system_.row_entries.size();
    system_.row_entries.resize(begin + count.back());
    LargeVector<uint32_t> at(count.begin(), count.end() - 1);
    over([&](uint32_t chord, uint32_t b, int8_t sign) {
      system_.row_entries[begin + at[b]++] = {across_[chord] + 1, static_cast<int8_t>(-sign), 0};
    });
    for (uint32_t e = 0; e < graph_.edges.size(); ++e) {
      if (!in_tree[e]) continue;
      system_.row_defined.push_back(across_[e] + 1);
      system_.row_kind.push_back(RowKind::kCutSet);
      system_.row_first.push_back(static_cast<uint32_t>(begin + count[e + 1]));
    }
  }

  // The total length of all circuits, counted up to `most`.
  size_t Length(const RootedForest& forest, const std::vector<bool>& in_tree, size_t most) const {
    size_t total = 0;
    for (uint32_t e = 0; e < graph_.edges.size() && total <= most; ++e) {
      if (!in_tree[e]) OverPath(graph_, forest, graph_.edges[e], [&](uint32_t, int8_t) { ++total; });
    }
    return total;
  }

 private:
  const LargeVector<uint32_t>& across_;
  EquationSystem& system_;
  const SystemGraph& graph_;
};

/* Heavy paths, each covered by a balanced binary tree of segments (an iterative segment tree: leaves n ..
2n-1 of the path, node k over 2k and 2k+1). Nodes of all paths are numbered on from their path's base. */
class Segments {
 public:
  Segments(const SystemGraph& graph, const RootedForest& forest) : graph_(graph), forest_(forest) {
    const auto n = static_cast<uint32_t>(forest.parent.size());
    LargeVector<uint32_t> size(n, 1), heavy(n, UINT32_MAX);
    for (size_t k = n; k-- > 0;) {
      const uint32_t v = forest.order[k];
      if (forest.parent_edge[v] == UINT32_MAX) continue;
      const uint32_t p = forest.parent[v];
      size[p] += size[v];
      if (heavy[p] == UINT32_MAX || size[v] > size[heavy[p]] || (size[v] == size[heavy[p]] && v < heavy[p]))
        heavy[p] = v;
    }
    head_.assign(n, UINT32_MAX);
    place_.assign(n, 0);
    length_.assign(n, 0);
    base_.assign(n, 0);
    for (const uint32_t v : forest.order) {
      if (head_[v] != UINT32_MAX) continue;
      // A path starts here and goes down; the edge above its head is its first branch.
      uint32_t count = 0;
      for (uint32_t w = v; w != UINT32_MAX; w = heavy[w]) {
        head_[w] = v;
        place_[w] = count++;
      }
      length_[v] = count;
      base_[v] = nodes_;
      nodes_ += 2 * count;
    }
  }

  uint32_t nodes() const { return nodes_; }
  uint32_t NodeOfVertex(uint32_t v) const { return base_[head_[v]] + length_[head_[v]] + place_[v]; }
  uint32_t head(uint32_t v) const { return head_[v]; }
  uint32_t length(uint32_t h) const { return length_[h]; }
  uint32_t base(uint32_t h) const { return base_[h]; }

  /// f(node, sign) for the segments covering the path; a branch counts as pointing from its lower vertex up.
  template <class F>
  void Cover(const GraphEdge& chord, F&& f) const {
    uint32_t a = chord.from.value, b = chord.to.value;
    while (head_[a] != head_[b]) {
      if (forest_.depth[head_[a]] >= forest_.depth[head_[b]]) {
        Range(head_[a], 0, place_[a] + 1, 1, f);
        if (forest_.parent_edge[head_[a]] == UINT32_MAX) return;
        a = forest_.parent[head_[a]];
      } else {
        Range(head_[b], 0, place_[b] + 1, -1, f);
        if (forest_.parent_edge[head_[b]] == UINT32_MAX) return;
        b = forest_.parent[head_[b]];
      }
    }
    if (place_[a] > place_[b]) Range(head_[a], place_[b] + 1, place_[a] + 1, 1, f);
    if (place_[b] > place_[a]) Range(head_[a], place_[a] + 1, place_[b] + 1, -1, f);
  }

 private:
  template <class F>
  void Range(uint32_t h, uint32_t from, uint32_t to, int8_t sign, F&& f) const {
    uint32_t l = from + length_[h], r = to + length_[h];
    for (; l < r; l /= 2, r /= 2) {
      if ((l & 1) != 0) f(base_[h] + l++, sign);
      if ((r & 1) != 0) f(base_[h] + --r, sign);
    }
  }

  const SystemGraph& graph_;
  const RootedForest& forest_;
  LargeVector<uint32_t> head_, place_, length_, base_;
  uint32_t nodes_ = 0;
};

/* The sign with which the branch above v enters a path that goes up from v. */
int8_t UpSign(const SystemGraph& graph, const RootedForest& forest, uint32_t v) {
  return graph.edges[forest.parent_edge[v]].from.value == v ? int8_t{1} : int8_t{-1};
}

void SegmentCircuits(const LargeVector<uint32_t>& across, const RootedForest& forest,
                     const std::vector<bool>& in_tree, Rows& rows, EquationSystem& system) {
  const SystemGraph& graph = *system.graph;
  const Segments segments(graph, forest);
  const auto vertices = static_cast<uint32_t>(forest.parent.size());
  // Only segments that are used get a variable; using one uses those inside it.
  LargeVector<uint32_t> variable(segments.nodes(), UINT32_MAX);
  LargeVector<uint8_t> used(segments.nodes(), 0);
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    if (!in_tree[e]) segments.Cover(graph.edges[e], [&](uint32_t node, int8_t) { used[node] = 1; });
  }
  for (uint32_t v = 0; v < vertices; ++v) {
    if (segments.head(v) != v) continue;
    const uint32_t n = segments.length(v), base = segments.base(v);
    for (uint32_t k = 1; k < n; ++k) {
      if (used[base + k] == 0) continue;
      used[base + 2 * k] = used[base + 2 * k + 1] = 1;
      variable[base + k] = system.variable_count++;
    }
  }
  // Leaves are the branches themselves, up to the sign.
  LargeVector<int8_t> leaf_sign(segments.nodes(), 1);
  for (uint32_t v = 0; v < vertices; ++v) {
    if (forest.parent_edge[v] == UINT32_MAX) continue;
    const uint32_t leaf = segments.NodeOfVertex(v);
    variable[leaf] = across[forest.parent_edge[v]];
    leaf_sign[leaf] = UpSign(graph, forest, v);
  }
  const auto entry = [&](uint32_t node, int8_t sign) {
    if (variable[node] != UINT32_MAX) rows.Entry(variable[node], static_cast<int8_t>(sign * leaf_sign[node]));
  };
  for (uint32_t v = 0; v < vertices; ++v) {
    if (segments.head(v) != v) continue;
    const uint32_t n = segments.length(v), base = segments.base(v);
    for (uint32_t k = n; k-- > 1;) {
      if (used[base + k] == 0) continue;
      entry(base + 2 * k, 1);
      entry(base + 2 * k + 1, 1);
      rows.Close(variable[base + k], RowKind::kSegment);
    }
  }
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    if (in_tree[e]) continue;
    segments.Cover(graph.edges[e], entry);
    rows.Close(across[e], RowKind::kCircuit);
  }
}

void SegmentCutSets(const LargeVector<uint32_t>& across, const RootedForest& forest,
                    const std::vector<bool>& in_tree, Rows& rows, EquationSystem& system) {
  const SystemGraph& graph = *system.graph;
  const Segments segments(graph, forest);
  const auto vertices = static_cast<uint32_t>(forest.parent.size());
  // Chords by segment.
  LargeVector<uint32_t> first(segments.nodes() + 1, 0);
  const auto over = [&](auto&& f) {
    for (uint32_t e = 0; e < graph.edges.size(); ++e) {
      if (!in_tree[e]) segments.Cover(graph.edges[e], [&](uint32_t node, int8_t sign) { f(e, node, sign); });
    }
  };
  over([&](uint32_t, uint32_t node, int8_t) { ++first[node + 1]; });
  for (uint32_t k = 0; k < segments.nodes(); ++k) first[k + 1] += first[k];
  struct Crossing {
    uint32_t edge;
    int8_t sign;
  };
  LargeVector<Crossing> crossings(first.back());
  LargeVector<uint32_t> at(first.begin(), first.end() - 1);
  over([&](uint32_t e, uint32_t node, int8_t sign) { crossings[at[node]++] = {e, sign}; });

  LargeVector<uint32_t> variable(segments.nodes(), UINT32_MAX);  // the total of a segment; none: zero
  for (uint32_t v = 0; v < vertices; ++v) {
    if (segments.head(v) != v) continue;
    const uint32_t n = segments.length(v), base = segments.base(v);
    for (uint32_t k = 1; k < n; ++k) {
      const uint32_t around = k > 1 ? variable[base + k / 2] : UINT32_MAX;
      if (first[base + k] == first[base + k + 1]) {
        variable[base + k] = around;
        continue;
      }
      if (around != UINT32_MAX) rows.Entry(around, 1);
      for (uint32_t c = first[base + k]; c < first[base + k + 1]; ++c)
        rows.Entry(across[crossings[c].edge] + 1, static_cast<int8_t>(-crossings[c].sign));
      variable[base + k] = system.variable_count++;
      rows.Close(variable[base + k], RowKind::kSegment);
    }
  }
  for (uint32_t v = 0; v < vertices; ++v) {
    if (forest.parent_edge[v] == UINT32_MAX) continue;
    const uint32_t leaf = segments.NodeOfVertex(v);
    const uint32_t base = segments.base(segments.head(v)), local = leaf - base;
    const int8_t up = UpSign(graph, forest, v);
    const uint32_t around = local > 1 ? variable[base + local / 2] : UINT32_MAX;
    if (around != UINT32_MAX) rows.Entry(around, up);
    for (uint32_t c = first[leaf]; c < first[leaf + 1]; ++c)
      rows.Entry(across[crossings[c].edge] + 1, static_cast<int8_t>(-crossings[c].sign * up));
    rows.Close(across[forest.parent_edge[v]] + 1, RowKind::kCutSet);
  }
}

}  // namespace

void AddTopologicalRows(const LargeVector<uint32_t>& across, double longest, EquationSystem& system) {
  const SystemGraph& graph = *system.graph;
  const NormalTree& tree = *system.tree;
  Rows rows(across, system);
  const auto n = static_cast<uint32_t>(graph.edges.size());
  std::vector<bool> in_tree(n), in_other(n);
  bool same = true;
  for (uint32_t e = 0; e < n; ++e) {
    in_tree[e] = tree.InTree(EdgeId(e));
    in_other[e] = tree.InThroughTree(EdgeId(e));
    same = same && in_tree[e] == in_other[e];
  }
  const auto most = static_cast<size_t>(longest * n);
  const RootedForest forest = RootForest(graph, in_tree);
  const RootedForest other = same ? RootedForest{} : RootForest(graph, in_other);
  const RootedForest& dual = same ? forest : other;
  if (rows.Length(forest, in_tree, most) <= most) {
    rows.Circuits(forest, in_tree);
  } else {
    SegmentCircuits(across, forest, in_tree, rows, system);
  }
  if (rows.Length(dual, in_other, most) <= most) {
    rows.CutSets(dual, in_other);
  } else {
    SegmentCutSets(across, dual, in_other, rows, system);
  }
}

}  // namespace cotree
