// SPDX-License-Identifier: Apache-2.0
#include "base/names.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <unordered_map>

namespace cotree {
namespace {

constexpr uint32_t kEmpty = UINT32_MAX;
constexpr size_t kFirstChunk = size_t{1} << 12, kLargestChunk = size_t{1} << 22;

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

constexpr uint64_t kLong = uint64_t{255} << 56;

uint64_t Word(std::string_view text) {
  uint64_t word = 0;
  if (!text.empty()) std::memcpy(&word, text.data(), std::min<size_t>(text.size(), 7));
  return word | (text.size() < 8 ? uint64_t{text.size()} << 56 : kLong);
}

}  // namespace

NamePool::NamePool() : slots_(64, Slot{0, kEmpty, 0}) {}

const NamePool::Slot* NamePool::Locate(std::string_view text, uint32_t hash, uint64_t word) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id == kEmpty) return &slot;
    if (slot.hash == hash && slot.word == word && (word < kLong || texts_[slot.id] == text)) return &slot;
  }
}

NameId NamePool::Find(std::string_view text) const {
  return NameId(Locate(text, Hash(text), Word(text))->id);
}

NameId NamePool::Intern(std::string_view text) {
  const uint32_t hash = Hash(text);
  const uint64_t word = Word(text);
  const Slot* found = Locate(text, hash, word);
  if (found->id != kEmpty) return NameId(found->id);
  if (text.size() > chunk_left_) {
    const size_t next = std::min(kLargestChunk, kFirstChunk << std::min<size_t>(chunks_.size(), 16));
    const size_t size = std::max(next, text.size());
    chunks_.push_back(LargeVector<char>());
    chunks_.back().reserve(size);
    chunk_next_ = chunks_.back().data();
    chunk_left_ = size;
  }
  if (!text.empty()) std::memcpy(chunk_next_, text.data(), text.size());
  const auto id = static_cast<uint32_t>(texts_.size());
  texts_.emplace_back(chunk_next_, text.size());
  chunk_next_ += text.size();
  chunk_left_ -= text.size();
  slots_[static_cast<size_t>(found - slots_.data())] = Slot{hash, id, word};
  if (texts_.size() * 2 > slots_.size()) Grow();
  return NameId(id);
}

void NamePool::Grow() {
  LargeVector<Slot> old(slots_.size() * 2, Slot{0, kEmpty, 0});
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kEmpty) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].id != kEmpty) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::strong_ordering CompareNames(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (IsDigit(a[i]) && IsDigit(b[j])) {
      size_t i_end = i, j_end = j;
      while (i_end < a.size() && IsDigit(a[i_end])) ++i_end;
      while (j_end < b.size() && IsDigit(b[j_end])) ++j_end;
      size_t i_first = i, j_first = j;
      while (i_first + 1 < i_end && a[i_first] == '0') ++i_first;
      while (j_first + 1 < j_end && b[j_first] == '0') ++j_first;
      if (auto c = (i_end - i_first) <=> (j_end - j_first); c != 0) return c;
      const int digits = a.substr(i_first, i_end - i_first).compare(b.substr(j_first, j_end - j_first));
      if (digits != 0) return digits <=> 0;
      i = i_end;
      j = j_end;
      continue;
    }
    if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) <=> static_cast<unsigned char>(b[j]);
    ++i;
    ++j;
  }
  if (auto c = (a.size() - i) <=> (b.size() - j); c != 0) return c;
  return a.compare(b) <=> 0;  // x[01] and x[1] are different names
}

std::vector<uint32_t> OrderOfNames(const NamePool& pool, std::span<const NameId> names) {
  // A name is a stem and a number; very long numbers and those with leading zeros belong to the stem.
  constexpr uint64_t kMostNumbers = uint64_t{1} << 36;
  struct Entry {
    uint64_t key;
    uint32_t index;
  };
  std::unordered_map<std::string_view, uint32_t> stem_of;
  std::vector<std::string_view> stems;
  LargeVector<Entry> entries;
  entries.reserve(names.size());
  bool sorted = true;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view text = pool.Text(names[i]);
    size_t begin = text.size();
    while (begin > 0 && IsDigit(text[begin - 1])) --begin;
    const size_t digits = text.size() - begin;
    uint64_t number = 0;  // one more than the number; 0: none
    if (digits > 10 || (digits > 1 && text[begin] == '0')) begin = text.size();
    for (size_t k = begin; k < text.size(); ++k) number = number * 10 + static_cast<uint64_t>(text[k] - '0');
    if (begin < text.size()) ++number;
    const auto [at, fresh] = stem_of.try_emplace(text.substr(0, begin), static_cast<uint32_t>(stems.size()));
    if (fresh) stems.push_back(at->first);
    entries.push_back({(uint64_t{at->second} << 36) | number, static_cast<uint32_t>(i)});
  }
  std::vector<uint32_t> by_name(stems.size()), rank(stems.size());
  std::iota(by_name.begin(), by_name.end(), 0u);
  std::sort(by_name.begin(), by_name.end(),
            [&](uint32_t a, uint32_t b) { return CompareNames(stems[a], stems[b]) < 0; });
  for (size_t i = 0; i < by_name.size(); ++i) rank[by_name[i]] = static_cast<uint32_t>(i);
  for (size_t i = 0; i < entries.size(); ++i) {
    Entry& entry = entries[i];
    entry.key = (uint64_t{rank[entry.key >> 36]} << 36) | (entry.key & (kMostNumbers - 1));
    sorted = sorted && (i == 0 || entries[i - 1].key <= entry.key);
  }
  if (!sorted) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.index < b.index;
    });
  }
  std::vector<uint32_t> order(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) order[i] = entries[i].index;
  return order;
}

}  // namespace cotree
