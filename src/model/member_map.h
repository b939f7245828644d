// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/names.h"

namespace cotree {

enum class MemberKind : uint8_t { kTerminal, kParameter, kVariable, kEdge, kInstance, kTable };

struct Member {
  MemberKind kind;
  uint32_t index;
};

/** Names of a class's members. Grows from a handful to millions: open addressing over NameId. */
class MemberMap {
 public:
  std::optional<Member> Find(NameId name) const {
    if (slots_.empty()) return std::nullopt;
    const size_t mask = slots_.size() - 1;
    for (size_t i = Hash(name) & mask;; i = (i + 1) & mask) {
      if (slots_[i].name == name) return slots_[i].member;
      if (slots_[i].name.IsNone()) return std::nullopt;
    }
  }
  /// False if the name is taken.
  bool Insert(NameId name, Member member) {
    if ((size_ + 1) * 2 > slots_.size()) Grow();
    const size_t mask = slots_.size() - 1;
    size_t i = Hash(name) & mask;
    while (!slots_[i].name.IsNone()) {
      if (slots_[i].name == name) return false;
      i = (i + 1) & mask;
    }
    slots_[i] = {name, member};
    ++size_;
    return true;
  }
  size_t size() const { return size_; }

 private:
  struct Slot {
    NameId name;
    Member member{};
  };
  static size_t Hash(NameId name) { return (name.value * size_t{0x9E3779B97F4A7C15u}) >> 29; }
  void Grow() {
    LargeVector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.name.IsNone()) continue;
      size_t i = Hash(slot.name) & mask;
      while (!slots_[i].name.IsNone()) i = (i + 1) & mask;
      slots_[i] = slot;
    }
  }

  LargeVector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace cotree
