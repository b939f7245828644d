// SPDX-License-Identifier: Apache-2.0
#include "expr/walk.h"

#include <algorithm>

namespace cotree {

namespace {

constexpr int kFirstBits = 6;

}  // namespace

ExprMap::ExprMap() : slots_(size_t{1} << kFirstBits), shift_(64 - kFirstBits) {}

void ExprMap::Clear() {
  if (size_ == 0) return;
  if (slots_.size() >
      8 * size_ + 64) {  // shrink, so that clearing after one large use does not stay expensive
    slots_.resize(size_t{1} << kFirstBits);
    shift_ = 64 - kFirstBits;
  }
  std::fill(slots_.begin(), slots_.end(), Slot{});
  size_ = 0;
}

size_t ExprMap::Locate(ExprId key) const {
  const size_t mask = slots_.size() - 1;
  size_t at = static_cast<size_t>((key.value * uint64_t{0x9E3779B97F4A7C15u}) >> shift_);
  while (slots_[at].key != key && !slots_[at].key.IsNone()) at = (at + 1) & mask;
  return at;
}

uint32_t* ExprMap::Find(ExprId key) {
  Slot& slot = slots_[Locate(key)];
  return slot.key == key ? &slot.value : nullptr;
}

bool ExprMap::Insert(ExprId key, uint32_t value) {
  size_t at = Locate(key);
  if (slots_[at].key == key) return false;
  if (2 * (size_ + 1) > slots_.size()) {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    --shift_;
    for (const Slot& slot : old) {
      if (!slot.key.IsNone()) slots_[Locate(slot.key)] = slot;
    }
    at = Locate(key);
  }
  slots_[at] = {key, value};
  ++size_;
  return true;
}

void FindOrder(const ExprPool& pool, std::span<const ExprId> roots, ExprOrder* order) {
  order->nodes.clear();
  order->position.Clear();
  struct Visit {
    ExprId id;
    uint32_t next;  // operand to look at
  };
  std::vector<Visit> stack;
  const auto enter = [&](ExprId id) {
    if (order->position.Insert(id, 0)) stack.push_back({id, 0});
  };
  for (ExprId root : roots) {
    enter(root);
    while (!stack.empty()) {
      const ExprId id = stack.back().id;
      const auto operands = pool.operands(id);
      if (stack.back().next < operands.size()) {
        enter(operands[stack.back().next++]);
        continue;
      }
      *order->position.Find(id) = static_cast<uint32_t>(order->nodes.size());
      order->nodes.push_back(id);
      stack.pop_back();
    }
  }
}

}  // namespace cotree
