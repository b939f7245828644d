// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>

#include "base/large_vector.h"

namespace cotree {

/** Which of n things hang together, while more is joined.

The root of a set is its smallest member, so the result does not depend on the order of joining. Paths are
halved on the way, which keeps any sequence of m operations within O(m log n), in practice a few steps each.
Theory: docs/theory/system_graph.md, SG.1. */
class UnionFind {
 public:
  UnionFind() = default;
  explicit UnionFind(size_t size) { Grow(size); }

  void Grow(size_t size) {
    const size_t old = parent_.size();
    parent_.resize(size);
    std::iota(parent_.begin() + static_cast<std::ptrdiff_t>(old), parent_.end(), static_cast<uint32_t>(old));
  }
  size_t size() const { return parent_.size(); }

  uint32_t Find(uint32_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  /// The new root; `joined` (if given) tells whether they were apart.
  uint32_t Join(uint32_t a, uint32_t b, bool* joined = nullptr) {
    a = Find(a);
    b = Find(b);
    if (joined != nullptr) *joined = a != b;
    if (a > b) std::swap(a, b);
    parent_[b] = a;
    return a;
  }
  /// Asks memory for what Find will read first.
  void Prefetch(uint32_t v) const { __builtin_prefetch(&parent_[v]); }
  bool Same(uint32_t a, uint32_t b) { return Find(a) == Find(b); }

 private:
  LargeVector<uint32_t> parent_;
};

}  // namespace cotree
