// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "base/large_vector.h"
#include "graph/union_find.h"

namespace cotree {

/** Kruskal's algorithm, rank by rank, with shallow trees.

Edges of one rank are equal: any of them that joins two parts will do. So that circuits are short (design
§3.2), each rank grows breadth-first over the parts joined so far, from the parts of the roots; other parts
follow in the order of their first edge. Edges of a part are looked at in the order given: ties break by that.
Work is linear in the edges given. */
class ForestGrower {
 public:
  explicit ForestGrower(size_t vertices) : parts_(vertices), slot_(vertices, UINT32_MAX) {}

  /// `ends(e)` is the pair of vertices of e; `choose(e)` is called for each edge that enters the forest.
  template <class Ends, class Choose>
  void Grow(std::span<const uint32_t> edges, std::span<const uint32_t> roots, const Ends& ends,
            const Choose& choose) {
    Collect(edges, ends);
    Lay();
    queue_.clear();
    visited_.assign(part_.size(), 0);
    const auto begin = [&](uint32_t slot) {
      if (visited_[slot] != 0) return;
      visited_[slot] = 1;
      queue_.push_back(slot);
      Spread(choose);
    };
    for (const uint32_t root : roots) {
      const uint32_t slot = slot_[parts_.Find(root)];
      if (slot == UINT32_MAX || visited_[slot] != 0) continue;
      visited_[slot] = 1;
      queue_.push_back(slot);
    }
    Spread(choose);
    for (uint32_t slot = 0; slot < part_.size(); ++slot) begin(slot);
    for (const uint32_t part : part_) slot_[part] = UINT32_MAX;
    for (const auto& [a, b] : joined_) parts_.Join(a, b);
  }
  bool Same(uint32_t a, uint32_t b) { return parts_.Same(a, b); }

 private:
  struct Between {
    uint32_t edge, a, b;  // slots
  };
  struct Way {
    uint32_t edge, other;
  };

  // The edges that lie between different parts; each part they touch gets a slot.
  template <class Ends>
  void Collect(std::span<const uint32_t> edges, const Ends& ends) {
    between_.clear();
    part_.clear();
    joined_.clear();
    const auto slot_of = [&](uint32_t part) {
      if (slot_[part] == UINT32_MAX) {
        slot_[part] = static_cast<uint32_t>(part_.size());
        part_.push_back(part);
      }
      return slot_[part];
    };
    for (const uint32_t e : edges) {
      const std::pair<uint32_t, uint32_t> pair = ends(e);
      const uint32_t a = parts_.Find(pair.first), b = parts_.Find(pair.second);
      if (a == b) continue;
      const uint32_t slot_a = slot_of(a), slot_b = slot_of(b);
      between_.push_back({e, slot_a, slot_b});
    }
  }

  void Lay() {
    first_.assign(part_.size() + 2, 0);
    for (const Between& e : between_) {
      ++first_[e.a + 2];
      ++first_[e.b + 2];
    }
    for (size_t k = 2; k < first_.size(); ++k) first_[k] += first_[k - 1];
    ways_.resize(first_.back());
    for (const Between& e : between_) {
      ways_[first_[e.a + 1]++] = {e.edge, e.b};
      ways_[first_[e.b + 1]++] = {e.edge, e.a};
    }
  }

  template <class Choose>
  void Spread(const Choose& choose) {
    for (size_t at = 0; at < queue_.size(); ++at) {
      const uint32_t slot = queue_[at];
      for (uint32_t k = first_[slot]; k < first_[slot + 1]; ++k) {
        const Way& way = ways_[k];
        if (visited_[way.other] != 0) continue;
        visited_[way.other] = 1;
        queue_.push_back(way.other);
        joined_.emplace_back(part_[slot], part_[way.other]);
        choose(way.edge);
      }
    }
    queue_.clear();
  }

  UnionFind parts_;
  LargeVector<uint32_t> slot_;  // by vertex that names a part: its slot in the rank at work
  LargeVector<uint32_t> part_;  // by slot
  LargeVector<Between> between_;
  LargeVector<uint32_t> first_;
  LargeVector<Way> ways_;
  LargeVector<uint8_t> visited_;
  LargeVector<uint32_t> queue_;
  LargeVector<std::pair<uint32_t, uint32_t>> joined_;
};

}  // namespace cotree
