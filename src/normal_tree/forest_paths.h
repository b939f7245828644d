// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cotree {

/** The two spanning forests T and T' of a graph while edges are exchanged: cut-sets of T, paths in T'.

Nothing about T is stored but which edges are in it: a cut-set is found by searching from both ends of its
branch by turns until the smaller side is complete. T' is rooted, without depths: a path is found by climbing
from both ends by turns. An exchange turns round one path. So the cost of everything is that of the circuits
and cut-sets themselves. Each connected graph has one tree of T and one of T'. */
class ForestPair {
 public:
  ForestPair(std::span<const std::pair<uint32_t, uint32_t>> ends, uint32_t vertices);

  /// By edge, whether it is in T, in T'; T' is rooted at `roots` (and at the smallest vertex of a tree that
  /// holds none).
  void Set(std::vector<uint8_t> tree, std::vector<uint8_t> through, std::span<const uint32_t> roots);
  /// The pair with T and T' exchanged: paths in T, cut-sets of T'.
  ForestPair Mirrored() const;
  bool InTree(uint32_t edge) const { return in_tree_[edge] != 0; }
  bool InThroughTree(uint32_t edge) const { return in_through_[edge] != 0; }

  /// Every edge that can take the place of `branch` in T. Those that can also take the place of a branch with
  /// done(b) may be left out, and then others of that kind may be visited: so a search over many branches
  /// costs n log n instead of n^2.
  template <class Visit, class Done>
  void VisitCutSet(uint32_t branch, const Visit& visit, const Done& done) {
    const Side& side = FindSmallerSide(branch, done);
    for (const uint32_t v : side.vertices) {
      for (uint32_t k = first_[v]; k < first_[v + 1]; ++k) {
        const uint32_t e = incident_[k];
        if (in_tree_[e] == 0 && mark_[Other(e, v)] != side.mark) visit(e);
      }
    }
  }
  template <class Visit>
  void VisitCutSet(uint32_t branch, const Visit& visit) {
    VisitCutSet(branch, visit, [](uint32_t) { return false; });
  }
  /// Every edge of T' on the path of `chord`: those that can leave T' for it.
  template <class Visit>
  void VisitThroughPath(uint32_t chord, const Visit& visit) {
    FindThroughPath(chord);
    for (const auto& way : climb_) {
      for (const uint32_t v : way) visit(up_edge_[v]);
    }
  }
  /// `out` leaves T, `in` enters. Several may be needed until T is a forest again.
  void Swap(uint32_t out, uint32_t in) {
    in_tree_[out] = 0;
    in_tree_[in] = 1;
  }
  /// Pairs (enters T', leaves T'), all at once; false if T' is no forest then.
  bool SwapThrough(std::vector<std::pair<uint32_t, uint32_t>> pairs);

 private:
  struct Side {
    std::vector<uint32_t> vertices;
    size_t at = 0;      // the vertex to look at
    uint32_t next = 0;  // its incidence to look at
    uint32_t mark = 0;
  };

  uint32_t Other(uint32_t edge, uint32_t v) const {
    return ends_[edge].first == v ? ends_[edge].second : ends_[edge].first;
  }
  void StartSides(uint32_t branch);
  template <class Done>
  const Side& FindSmallerSide(uint32_t branch, const Done& done) {
    StartSides(branch);
    for (int s = 0;; s = 1 - s) {
      if (!Advance(&sides_[s], branch, done)) return sides_[s];
    }
  }
  // Looks at one more incidence; false if the side is complete.
  template <class Done>
  bool Advance(Side* side, uint32_t branch, const Done& done) {
    while (side->next == first_[side->vertices[side->at] + 1]) {
      if (++side->at == side->vertices.size()) return false;
      side->next = first_[side->vertices[side->at]];
    }
    const uint32_t e = incident_[side->next++];
    if (in_tree_[e] == 0 || e == branch) return true;
    const uint32_t w = Other(e, side->vertices[side->at]);
    if (mark_[w] == side->mark || done(e)) return true;
    mark_[w] = side->mark;
    side->vertices.push_back(w);
    return true;
  }
  void FindThroughPath(uint32_t chord);
  bool SwapOne(uint32_t in, uint32_t out);
  bool RootThrough();

  std::span<const std::pair<uint32_t, uint32_t>> ends_;
  std::vector<uint32_t> first_, incident_;  // edges at each vertex, without those whose ends are joined
  std::vector<uint8_t> in_tree_, in_through_;
  std::vector<uint32_t> up_, up_edge_;  // T', by vertex: towards the root
  std::vector<uint32_t> roots_;
  std::vector<uint32_t> mark_, step_;  // by vertex: of the search at work
  uint32_t last_mark_ = 0;
  Side sides_[2];
  std::vector<uint32_t> climb_[2];  // vertices from each end of the chord to below where the ways meet
};

}  // namespace cotree
