// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "expr/expr_pool.h"
#include "expr/walk.h"

namespace cotree {

/** Some expressions laid out for evaluation: one instruction a node, operands first. Made once, evaluated
often; holds no values and does not change, so threads may share it.

The body of a sum over a range is a tape of its own, run once a turn. */
class Tape {
 public:
  struct Instruction {
    ExprId id;
    Op op;
    uint32_t first;  // into operand_slots()
    uint32_t count;
    uint32_t payload;       // symbol, function, Boolean value, or (kSumOver) index of the body
    double number;          // kNumber; kPower: the exponent where that is a literal integer
    bool integer_exponent;  // kPower
  };

  Tape(const ExprPool& pool, std::span<const ExprId> roots);

  const ExprPool& pool() const { return *pool_; }
  std::span<const Instruction> instructions() const { return instructions_; }
  std::span<const uint32_t> operand_slots(const Instruction& i) const {
    return std::span(operand_slots_).subspan(i.first, i.count);
  }
  /// Slot of each root, in the order given.
  std::span<const uint32_t> root_slots() const { return root_slots_; }
  const Tape& body(const Instruction& sum) const { return *bodies_[sum.payload]; }

 private:
  const ExprPool* pool_;
  std::vector<Instruction> instructions_;
  std::vector<uint32_t> operand_slots_;
  std::vector<uint32_t> root_slots_;
  std::vector<std::unique_ptr<Tape>> bodies_;
};

}  // namespace cotree
