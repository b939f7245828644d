// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "program/code.h"
#include "system_equations/equation_system.h"

namespace cotree {

/** Numbers what code reads besides variables (HeldUse), once a class, and gives each instance that binds such
code slots of its own, behind those of the sorted system.

Theory: docs/theory/events.md, EV.1, EV.2. */
class HeldTable {
 public:
  HeldTable(size_t classes, uint32_t first_slot) : uses_(classes), numbers_(classes), next_(first_slot) {}

  /** What of an instance has a slot. */
  struct Entry {
    const Part* part;
    uint32_t number;  // in UsesOf(part->scalar)
    uint32_t slot;
    bool continuous = false;  // what is computed between events depends on it
  };

  uint32_t Number(uint32_t scalar, HeldUse use);
  const HeldUse& Use(const Entry& entry) const { return uses_[entry.part->scalar][entry.number]; }
  uint32_t Slot(const Part& part, uint32_t number, bool continuous);
  const std::vector<Entry>& entries() const { return entries_; }  // grows while code is made for them
  /// A slot of its own, for what is computed on the way.
  uint32_t Reserve() { return next_++; }
  uint32_t end() const { return next_; }

 private:
  std::vector<std::vector<HeldUse>> uses_;  // by class
  std::vector<std::map<std::pair<HeldUse::Kind, uint32_t>, uint32_t>> numbers_;
  std::map<std::pair<const Part*, uint32_t>, uint32_t> entry_of_;
  std::vector<Entry> entries_;
  uint32_t next_;
};

}  // namespace cotree
