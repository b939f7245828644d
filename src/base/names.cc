// SPDX-License-Identifier: Apache-2.0
#include "base/names.h"

#include <cstring>

namespace cotree {
namespace {

constexpr uint32_t kEmpty = UINT32_MAX;
constexpr size_t kChunk = size_t{1} << 16;

uint32_t Hash(std::string_view text) {
  uint64_t h = 0x9E3779B97F4A7C15u ^ text.size();
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    h = (h ^ word) * 0xFF51AFD7ED558CCDu;
    h ^= h >> 32;
  }
  uint64_t tail = 0;
  if (i < text.size()) std::memcpy(&tail, text.data() + i, text.size() - i);
  h = (h ^ tail) * 0xC4CEB9FE1A85EC53u;
  h ^= h >> 29;
  return static_cast<uint32_t>(h ^ (h >> 32));
}

}  // namespace

NamePool::NamePool() : slots_(64, Slot{0, kEmpty}) {}

const NamePool::Slot* NamePool::Locate(std::string_view text, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id == kEmpty || (slot.hash == hash && texts_[slot.id] == text)) return &slot;
  }
}

NameId NamePool::Find(std::string_view text) const {
  return NameId(Locate(text, Hash(text))->id);
}

NameId NamePool::Intern(std::string_view text) {
  const uint32_t hash = Hash(text);
  const Slot* found = Locate(text, hash);
  if (found->id != kEmpty) return NameId(found->id);
  if (text.size() > chunk_left_) {
    const size_t size = text.size() > kChunk / 4 ? text.size() : kChunk;
    chunks_.push_back(std::make_unique<char[]>(size));
    chunk_next_ = chunks_.back().get();
    chunk_left_ = size;
  }
  if (!text.empty()) std::memcpy(chunk_next_, text.data(), text.size());
  const auto id = static_cast<uint32_t>(texts_.size());
  texts_.emplace_back(chunk_next_, text.size());
  chunk_next_ += text.size();
  chunk_left_ -= text.size();
  slots_[static_cast<size_t>(found - slots_.data())] = Slot{hash, id};
  if (texts_.size() * 2 > slots_.size()) Grow();
  return NameId(id);
}

void NamePool::Grow() {
  LargeVector<Slot> old(slots_.size() * 2, Slot{0, kEmpty});
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kEmpty) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].id != kEmpty) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

}  // namespace cotree
