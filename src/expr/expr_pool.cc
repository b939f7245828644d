// SPDX-License-Identifier: Apache-2.0
#include "expr/expr_pool.h"

#include <bit>
#include <cmath>
#include <memory>
#include <new>

#include "base/check.h"
#include "expr/structural_hash.h"

namespace cotree {

namespace {

constexpr size_t kFirstSlots = 256;
constexpr size_t kOperandChunk = size_t{1} << 14;
constexpr size_t kSmallChunks = 16;  // then so many at once
constexpr uint32_t kEmpty = UINT32_MAX;
constexpr uint32_t kMaxOperands = (1u << 24) - 1;

constexpr uint64_t Seed(Op op, size_t count) {
  return (static_cast<uint64_t>(op) + 1) * 0xD6E8FEB86659FD93u + count;
}

constexpr uint32_t SlotHash(uint64_t hash) {
  return static_cast<uint32_t>(hash >> 16);
}

}  // namespace

ExprPool::ExprPool(uint64_t hash_mask) : hash_mask_(hash_mask) {
  AllocateSlots(kFirstSlots);
  zero_ = Number(0);
  one_ = Number(1);
}

ExprPool::~ExprPool() = default;

ExprPool::Node& ExprPool::NewNode() {
  const size_t within = node_count_ & ((size_t{1} << kChunkBits) - 1);
  const size_t chunk = node_count_ >> kChunkBits;
  if (chunk == chunks_.size()) {
    const size_t at_once = chunk < kSmallChunks ? 1 : kSmallChunks;
    constexpr size_t kBytes = sizeof(Node) << kChunkBits;
    chunk_owners_.push_back(AllocateLarge(at_once * kBytes));
    std::byte* memory = chunk_owners_.back().get();
    for (size_t k = 0; k < at_once; ++k) chunks_.push_back(reinterpret_cast<Node*>(memory + k * kBytes));
  }
  COTREE_CHECK(node_count_ < kEmpty);
  ++node_count_;
  return *new (chunks_[chunk] + within) Node();
}

ExprId* ExprPool::NewOperands(size_t count) {
  if (count > operand_left_) {
    const size_t size = count > kOperandChunk / 4 ? count : kOperandChunk;
    std::unique_ptr<ExprId[]> chunk(new ExprId[size]);
    ExprId* begin = chunk.get();
    operand_chunks_.push_back(std::move(chunk));
    operand_bytes_ += size * sizeof(ExprId);
    if (size == count) return begin;  // a chunk of its own; the open one stays open
    operand_next_ = begin;
    operand_left_ = size;
  }
  ExprId* result = operand_next_;
  operand_next_ += count;
  operand_left_ -= count;
  return result;
}

void ExprPool::AllocateSlots(size_t count) {
  slot_owner_ = AllocateLarge(count * sizeof(Slot));
  slots_ = reinterpret_cast<Slot*>(slot_owner_.get());
  slot_mask_ = count - 1;
  std::uninitialized_fill_n(slots_, count, Slot{0, kEmpty});
}

void ExprPool::Grow() {
  const LargeMemory old_owner = std::move(slot_owner_);
  const Slot* old = slots_;
  const size_t old_count = slot_mask_ + 1;
  AllocateSlots(2 * old_count);
  for (const Slot* slot = old; slot != old + old_count; ++slot) {
    if (slot->id == kEmpty) continue;
    size_t at = slot->hash & slot_mask_;
    while (slots_[at].id != kEmpty) at = (at + 1) & slot_mask_;
    slots_[at] = *slot;
  }
}

uint64_t ExprPool::HashOf(Op op, uint64_t payload_hash, std::span<const ExprId> operands) const {
  uint64_t h = MixHash(Seed(op, operands.size()), payload_hash);
  for (ExprId operand : operands) h = MixHash(h, hash(operand));
  return FinishHash(h) & hash_mask_;
}

ExprId ExprPool::Append(Op op, uint32_t payload, uint64_t hash, std::span<const ExprId> operands,
                        uint32_t slot_hash, size_t slot) {
  COTREE_CHECK(operands.size() <= kMaxOperands);
  ++statistics_.constructed;
  const ExprId id(node_count_);
  ExprId* far = operands.size() > 2 ? NewOperands(operands.size()) : nullptr;
  Node& n = NewNode();
  n.hash = hash;
  n.op_and_count = static_cast<uint32_t>(op) | (static_cast<uint32_t>(operands.size()) << 8);
  n.payload = payload;
  if (far == nullptr) {
    n.near[0] = operands.empty() ? ExprId() : operands[0];
    n.near[1] = operands.size() < 2 ? ExprId() : operands[1];
  } else {
    for (size_t k = 0; k < operands.size(); ++k) far[k] = operands[k];
    n.far = far;
  }
  slots_[slot] = Slot{slot_hash, id.value};
  if (8 * node_count_ > 5 * slot_mask_) Grow();
  return id;
}

ExprId ExprPool::Intern(Op op, uint32_t payload, uint64_t payload_hash, std::span<const ExprId> operands) {
  const uint64_t h = HashOf(op, payload_hash, operands);
  // Where it stands in the table nobody sees: ids tell nodes apart whose structural hashes are equal.
  uint64_t place = MixHash(h, payload);
  for (const ExprId operand : operands) place = MixHash(place, operand.value);
  const uint32_t slot_hash = SlotHash(FinishHash(place));
  const uint32_t op_and_count = static_cast<uint32_t>(op) | (static_cast<uint32_t>(operands.size()) << 8);
  const size_t mask = slot_mask_;
  size_t at = slot_hash & mask;
  for (; slots_[at].id != kEmpty; at = (at + 1) & mask) {
    if (slots_[at].hash != slot_hash) continue;
    const Node& n = node(ExprId(slots_[at].id));
    if (n.op_and_count != op_and_count || n.payload != payload) continue;
    const ExprId* have = n.count() <= 2 ? n.near : n.far;
    size_t k = 0;
    while (k < operands.size() && have[k] == operands[k]) ++k;
    if (k == operands.size()) {
      ++statistics_.hits;
      return ExprId(slots_[at].id);
    }
  }
  return Append(op, payload, h, operands, slot_hash, at);
}

// ---- Leaves -------------------------------------------------------------------------------------------

ExprId ExprPool::Number(double value) {
  COTREE_CHECK(!std::isnan(value));
  if (value == 0) value = 0;  // no negative zero
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t h = FinishHash(MixHash(Seed(Op::kNumber, 0), bits)) & hash_mask_;
  const uint32_t slot_hash = SlotHash(h);
  const size_t mask = slot_mask_;
  size_t at = slot_hash & mask;
  for (; slots_[at].id != kEmpty; at = (at + 1) & mask) {
    if (slots_[at].hash != slot_hash) continue;
    const Node& n = node(ExprId(slots_[at].id));
    if (n.op() == Op::kNumber && n.number == value) {
      ++statistics_.hits;
      return ExprId(slots_[at].id);
    }
  }
  const ExprId id = Append(Op::kNumber, 0, h, {}, slot_hash, at);
  chunks_[id.value >> kChunkBits][id.value & ((1u << kChunkBits) - 1)].number = value;
  return id;
}

ExprId ExprPool::Boolean(bool value) {
  return Intern(Op::kBoolean, value ? 1 : 0, value ? 1 : 0, {});
}

ExprId ExprPool::Time() {
  return Intern(Op::kTime, 0, 0, {});
}

ExprId ExprPool::Symbol(SymbolId symbol) {
  return Intern(Op::kSymbol, symbol.value, symbol_hashes_[symbol.index()], {});
}

std::optional<int64_t> ExprPool::AsInteger(ExprId id) const {
  if (!IsNumber(id)) return std::nullopt;
  const double value = NumberValue(id);
  if (!(std::fabs(value) <= 9007199254740992.0) || value != std::floor(value)) return std::nullopt;
  return static_cast<int64_t>(value);
}

size_t ExprPool::bytes() const {
  return chunks_.size() * (sizeof(Node) << kChunkBits) + operand_bytes_ + (slot_mask_ + 1) * sizeof(Slot);
}

}  // namespace cotree
