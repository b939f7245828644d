// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/large_vector.h"
#include "base/names.h"

namespace cotree {

enum class MemberKind : uint8_t { kTerminal, kParameter, kVariable, kEdge, kInstance, kTable };

struct Member {
  MemberKind kind;
  uint32_t index;
};

/** Names of a class's members, a handful or millions.

A few are searched one after the other. Many are a table by NameId: names are numbered as they appear, so
those of a large system are dense in it, and what stands together in the text stands together in memory. */
class MemberMap {
 public:
  std::optional<Member> Find(NameId name) const {
    if (table_.empty()) {
      for (const Entry& entry : few_) {
        if (entry.name == name) return entry.member;
      }
      return std::nullopt;
    }
    if (name.index() >= table_.size() || table_[name.index()].index == kNone) return std::nullopt;
    return table_[name.index()];
  }
  /// False if the name is taken.
  bool Insert(NameId name, Member member) {
    if (Find(name)) return false;
    ++size_;
    if (table_.empty() && few_.size() < kFew) {
      few_.push_back({name, member});
      return true;
    }
    if (table_.empty()) {
      for (const Entry& entry : few_) Put(entry.name, entry.member);
    }
    Put(name, member);
    return true;
  }
  size_t size() const { return size_; }

 private:
  static constexpr size_t kFew = 24;
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Entry {
    NameId name;
    Member member;
  };
  void Put(NameId name, Member member) {
    if (table_.size() <= name.index())
      table_.resize(std::max(name.index() + 1, table_.size() * 2), Member{MemberKind::kTable, kNone});
    table_[name.index()] = member;
  }

  LargeVector<Entry> few_;
  LargeVector<Member> table_;  // by NameId; empty while there are few
  size_t size_ = 0;
};

}  // namespace cotree
