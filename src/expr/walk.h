// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/expr_pool.h"

namespace cotree {

/** A table from expressions to 32-bit values whose cost follows what is in it, not the size of the pool: a
pass over three nodes of a pool of ten millions must cost three. Lookup only; it cannot be iterated. */
class ExprMap {
 public:
  ExprMap();
  void Clear();
  size_t size() const { return size_; }
  /// The value, or nullptr. Valid until the next Insert.
  uint32_t* Find(ExprId key);
  const uint32_t* Find(ExprId key) const { return const_cast<ExprMap*>(this)->Find(key); }
  bool Contains(ExprId key) const { return Find(key) != nullptr; }
  /// Adds the pair; false, without a change, where the key is there already.
  bool Insert(ExprId key, uint32_t value);

 private:
  struct Slot {
    ExprId key;
    uint32_t value;
  };
  size_t Locate(ExprId key) const;

  std::vector<Slot> slots_;
  size_t size_ = 0;
  int shift_;
};

/** The nodes reachable from some roots, operands before the nodes that use them, each once. The order follows
from the structure and the roots alone, not from ids. */
struct ExprOrder {
  std::vector<ExprId> nodes;  // by FindOrder
  ExprMap position;           // by FindOrder: index in `nodes`

  size_t PositionOf(ExprId id) const { return *position.Find(id); }
};

/// Fills `order`, reusing its memory. O(nodes + operands).
void FindOrder(const ExprPool& pool, std::span<const ExprId> roots, ExprOrder* order);

}  // namespace cotree
