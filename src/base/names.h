// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/large_vector.h"

namespace cotree {

using NameId = Id<struct NameTag>;

/** Stores each distinct name once and gives it a number.

Always true: equal texts have equal ids; ids count up from 0 in the order of first appearance; the text of an
id never moves. Ids depend on the order of appearance, so they must never decide an order that anyone can see:
compare texts for that. */
class NamePool {
 public:
  NamePool();

  NameId Intern(std::string_view text);
  /// The id of a name that was interned before, or NameId::None().
  NameId Find(std::string_view text) const;
  std::string_view Text(NameId id) const { return texts_[id.index()]; }
  size_t size() const { return texts_.size(); }

 private:
  /** `word` holds the first seven letters and the length, 255 for eight and more: names shorter than that are
  compared without a look at their text, which lies elsewhere in memory. */
  struct Slot {
    uint32_t hash;
    uint32_t id;
    uint64_t word;
  };
  const Slot* Locate(std::string_view text, uint32_t hash, uint64_t word) const;
  void Grow();

  LargeVector<std::string_view> texts_;
  LargeVector<Slot> slots_;                // open addressing, a power of two, at most half full
  std::vector<LargeVector<char>> chunks_;  // reserved, never resized
  char* chunk_next_ = nullptr;
  size_t chunk_left_ = 0;
};

/// The order in which names may be shown: digits inside compare as numbers, x[2] < x[10].
std::strong_ordering CompareNames(std::string_view a, std::string_view b);

/// The numbers 0 ... names.size()-1 in an order of the names that depends on nothing but their texts: by what
/// stands before a number at their end (as CompareNames has it), then by that number. Linear for names that
/// are counted up, r1 ... r1000000.
std::vector<uint32_t> OrderOfNames(const NamePool& pool, std::span<const NameId> names);

}  // namespace cotree
