// SPDX-License-Identifier: Apache-2.0
#include "program/held_table.h"

namespace cotree {

uint32_t HeldTable::Number(uint32_t scalar, HeldUse use) {
  const auto [at, fresh] =
      numbers_[scalar].try_emplace({use.kind, use.expr.value}, static_cast<uint32_t>(uses_[scalar].size()));
  if (fresh) uses_[scalar].push_back(use);
  return at->second;
}

uint32_t HeldTable::Slot(const Part& part, uint32_t number, bool continuous) {
  const auto [at, fresh] = entry_of_.try_emplace({&part, number}, static_cast<uint32_t>(entries_.size()));
  if (fresh) entries_.push_back({&part, number, next_++});
  Entry& entry = entries_[at->second];
  entry.continuous = entry.continuous || continuous;
  return entry.slot;
}

}  // namespace cotree
