// SPDX-License-Identifier: Apache-2.0
#include "program/differentiate_code.h"

#include <algorithm>

namespace cotree {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

class Differentiator {
 public:
  explicit Differentiator(const Code& code) : code_(code) { out_.instructions = code.instructions; }

  Code Run(const std::vector<uint32_t>& by) {
    const size_t count = code_.instructions.size();
    adjoint_.assign(count, kNone);
    guarded_.assign(count, false);
    std::vector<bool> moves(count, false);  // depends on a local that is asked for
    for (size_t k = 0; k < count; ++k) {
      const Instruction& i = code_.instructions[k];
      if (i.code == CodeOp::kLoad) moves[k] = std::find(by.begin(), by.end(), i.a) != by.end();
      OverOperands(i, [&](uint32_t r) { moves[k] = moves[k] || moves[r]; });
    }
    moves_ = &moves;
    adjoint_[code_.results[0]] = Number(1);
    for (size_t k = count; k-- > 0;) {
      if (adjoint_[k] != kNone && moves[k]) Back(static_cast<uint32_t>(k), adjoint_[k]);
    }
    for (const uint32_t local : by) {
      uint32_t sum = kNone;
      for (size_t k = 0; k < count; ++k) {
        const Instruction& i = code_.instructions[k];
        if (i.code != CodeOp::kLoad || i.a != local || adjoint_[k] == kNone) continue;
        sum = sum == kNone ? adjoint_[k] : Add(sum, adjoint_[k]);
      }
      out_.results.push_back(sum == kNone ? Number(0) : sum);
    }
    out_.locals = code_.locals;
    RemoveUnused(out_);
    return std::move(out_);
  }

 private:
  uint32_t Emit(Instruction i) {
    out_.instructions.push_back(i);
    return static_cast<uint32_t>(out_.instructions.size() - 1);
  }
  uint32_t Number(double value) { return Emit({CodeOp::kNumber, Op::kNumber, 0, 0, 0, value}); }
  uint32_t Unary(Op op, uint32_t a) { return Emit({CodeOp::kUnary, op, a, 0, 0, 0}); }
  uint32_t Binary(Op op, uint32_t a, uint32_t b) { return Emit({CodeOp::kBinary, op, a, b, 0, 0}); }
  bool IsNumber(uint32_t r, double value) const {
    return out_.instructions[r].code == CodeOp::kNumber && out_.instructions[r].number == value;
  }
  uint32_t Add(uint32_t a, uint32_t b) { return Binary(Op::kAdd, a, b); }
  uint32_t Multiply(uint32_t a, uint32_t b) {
    if (IsNumber(a, 1)) return b;
    return IsNumber(b, 1) ? a : Binary(Op::kMultiply, a, b);
  }
  uint32_t Divide(uint32_t a, uint32_t b) { return Binary(Op::kDivide, a, b); }
  uint32_t Negate(uint32_t a) {
    if (out_.instructions[a].code == CodeOp::kNumber) return Number(-out_.instructions[a].number);
    return Binary(Op::kMultiply, Number(-1), a);
  }
  void To(uint32_t r, uint32_t term) {
    if (!(*moves_)[r]) return;
    // What does not hold may have no slope: nothing times no number is nothing.
    if (in_branch_ && term != seed_) term = Emit({CodeOp::kIf, Op::kIf, seed_, term, Number(0), 0});
    if (in_branch_) guarded_[r] = true;
    adjoint_[r] = adjoint_[r] == kNone ? term : Add(adjoint_[r], term);
  }

  uint32_t Slope(Op op, uint32_t x, uint32_t y) {
    switch (op) {
      case Op::kSin:
        return Unary(Op::kCos, x);
      case Op::kCos:
        return Negate(Unary(Op::kSin, x));
      case Op::kTan:
        return Add(Number(1), Binary(Op::kMultiply, y, y));
      case Op::kAsin:
      case Op::kAcos: {
        const uint32_t root = Unary(Op::kSqrt, Add(Number(1), Negate(Binary(Op::kMultiply, x, x))));
        return Divide(Number(op == Op::kAsin ? 1 : -1), root);
      }
      case Op::kAtan:
        return Divide(Number(1), Add(Number(1), Binary(Op::kMultiply, x, x)));
      case Op::kSinh:
        return Unary(Op::kCosh, x);
      case Op::kCosh:
        return Unary(Op::kSinh, x);
      case Op::kTanh:
        return Add(Number(1), Negate(Binary(Op::kMultiply, y, y)));
      case Op::kExp:
        return y;
      case Op::kLog:
        return Divide(Number(1), x);
      case Op::kLog10:
        return Divide(Number(1), Binary(Op::kMultiply, x, Number(UnaryValue(Op::kLog, 10.0))));
      case Op::kSqrt:
        return Divide(Number(1), Binary(Op::kMultiply, Number(2), y));
      case Op::kAbs:
        return Unary(Op::kSign, x);
      default:
        return kNone;
    }
  }

  void Back(uint32_t k, uint32_t seed) {
    const Instruction i = code_.instructions[k];
    in_branch_ = guarded_[k];
    seed_ = seed;
    switch (i.code) {
      case CodeOp::kIntegerPower: {
        const double n = i.number;
        if (n == 0) return;
        const uint32_t lower = Emit({CodeOp::kIntegerPower, Op::kPower, i.a, 0, 0, n - 1});
        To(i.a, Multiply(seed, Binary(Op::kMultiply, Number(n), lower)));
        return;
      }
      case CodeOp::kIf: {
        const uint32_t zero = Number(0);
        in_branch_ = false;
        if ((*moves_)[i.b]) To(i.b, Emit({CodeOp::kIf, Op::kIf, i.a, seed, zero, 0}));
        if ((*moves_)[i.c]) To(i.c, Emit({CodeOp::kIf, Op::kIf, i.a, zero, seed, 0}));
        guarded_[i.b] = guarded_[i.c] = true;
        return;
      }
      case CodeOp::kTable: {
        if ((*moves_)[i.a]) {
          const uint32_t slope = Emit({CodeOp::kTable, Op::kCall, i.a, i.b, i.c, i.number + 16});
          To(i.a, Multiply(seed, slope));
        }
        if (i.b != i.a && (*moves_)[i.b]) {
          const uint32_t slope = Emit({CodeOp::kTable, Op::kCall, i.a, i.b, i.c, i.number + 1});
          To(i.b, Multiply(seed, slope));
        }
        return;
      }
      case CodeOp::kUnary: {
        const uint32_t slope = Slope(i.op, i.a, k);
        if (slope != kNone) To(i.a, Multiply(seed, slope));
        return;
      }
      case CodeOp::kBinary:
        BackBinary(i, k, seed);
        return;
      default:
        return;
    }
  }
  void BackBinary(const Instruction& i, uint32_t k, uint32_t seed) {
    const bool a = (*moves_)[i.a], b = (*moves_)[i.b];
    switch (i.op) {
      case Op::kAdd:
        if (a) To(i.a, seed);
        if (b) To(i.b, seed);
        return;
      case Op::kMultiply:
        if (a) To(i.a, IsNumber(i.b, -1) ? Negate(seed) : Multiply(seed, i.b));
        if (b) To(i.b, IsNumber(i.a, -1) ? Negate(seed) : Multiply(seed, i.a));
        return;
      case Op::kDivide:
        if (a) To(i.a, Divide(seed, i.b));
        if (b) To(i.b, Negate(Divide(Multiply(seed, k), i.b)));
        return;
      case Op::kPower:
        if (a) {
          const uint32_t lower = Binary(Op::kPower, i.a, Add(i.b, Number(-1)));
          To(i.a, Multiply(seed, Binary(Op::kMultiply, i.b, lower)));
        }
        if (b) To(i.b, Multiply(seed, Binary(Op::kMultiply, k, Unary(Op::kLog, i.a))));
        return;
      case Op::kAtan2: {
        const uint32_t r = Add(Binary(Op::kMultiply, i.a, i.a), Binary(Op::kMultiply, i.b, i.b));
        if (a) To(i.a, Multiply(seed, Divide(i.b, r)));
        if (b) To(i.b, Negate(Multiply(seed, Divide(i.a, r))));
        return;
      }
      case Op::kMin:
      case Op::kMax: {
        const uint32_t less = Binary(Op::kLess, i.a, i.b), zero = Number(0);
        const bool min = i.op == Op::kMin;
        if (a) To(i.a, Emit({CodeOp::kIf, Op::kIf, less, min ? seed : zero, min ? zero : seed, 0}));
        if (b) To(i.b, Emit({CodeOp::kIf, Op::kIf, less, min ? zero : seed, min ? seed : zero, 0}));
        return;
      }
      case Op::kMod:
        if (a) To(i.a, seed);
        if (b) To(i.b, Negate(Multiply(seed, Unary(Op::kFloor, Divide(i.a, i.b)))));
        return;
      default:
        return;  // relations and logic: no slope
    }
  }

  const Code& code_;
  Code out_;
  std::vector<uint32_t> adjoint_;  // by register of the code
  std::vector<bool> guarded_;      // by register: the adjoint is 0 where a condition says so
  bool in_branch_ = false;         // of the instruction at hand
  uint32_t seed_ = kNone;
  const std::vector<bool>* moves_ = nullptr;
};

}  // namespace

Code DifferentiateCode(const Code& code, const std::vector<uint32_t>& by) {
  return Differentiator(code).Run(by);
}

}  // namespace cotree
