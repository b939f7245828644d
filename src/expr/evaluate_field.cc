// SPDX-License-Identifier: Apache-2.0
#include "expr/evaluate_field.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "expr/builtins.h"
#include "expr/power_chain.h"
#include "expr/run_tape.h"
#include "expr/structural_hash.h"

namespace cotree {

namespace {

constexpr uint64_t kLargestRange = 1 << 16;
constexpr FieldElement kOne{1, true};

struct FieldArithmetic {
  using Value = FieldElement;

  Value Unknown() const { return {0, false}; }
  Value Number(double x) const { return FieldOf(x); }
  Value IntegerPower(Value x, int64_t n) const {
    return n < 0 ? kOne / PowerChain<Value>(x, -n, kOne) : PowerChain<Value>(x, n, kOne);
  }

  Value Hash(Op op, std::initializer_list<Value> parts) const {
    return FieldHash(static_cast<uint64_t>(op), std::span(parts.begin(), parts.size()));
  }

  Value Unary(Op op, Value x) const {
    if (IsOddFunction(op)) return x * Hash(op, {x * x});
    if (IsEvenFunction(op)) return Hash(op, {x * x});
    return Hash(op, {x});
  }

  Value Binary(Op op, Value a, Value b) const {
    switch (op) {
      case Op::kMin:
      case Op::kMax:
      case Op::kEqual:
      case Op::kNotEqual: {
        const bool minimum = op == Op::kMin || op == Op::kMax;
        if (minimum && a == b) return a;
        const Value least =
            Hash(minimum ? Op::kMin : Op::kEqual, {a.value < b.value ? a : b, a.value < b.value ? b : a});
        if (op == Op::kMax) return a + b - least;
        return op == Op::kNotEqual ? kOne - least : least;
      }
      case Op::kLessEqual:
        return kOne - Hash(Op::kLess, {b, a});
      default:
        return Hash(op, {a, b});
    }
  }

  Value Choose(Value c, Value a, Value b) const { return c * a + (kOne - c) * b; }

  Value Logic(Op op, std::span<const Value> arguments) const {
    if (op == Op::kNot) return kOne - arguments[0];
    Value product = kOne;
    for (const Value& argument : arguments) product = product * (op == Op::kAnd ? argument : kOne - argument);
    return op == Op::kAnd ? product : kOne - product;
  }

  Value Call(const ExprPool& pool, const Tape::Instruction& i, std::span<const Value> arguments,
             Environment<Value>&) const {
    const FunctionInfo& function = pool.function(FunctionId(i.payload));
    const std::string_view name = pool.FunctionName(FunctionId(i.payload));
    const Builtin builtin = FindBuiltin(name);
    if ((builtin == Builtin::kNoEvent || builtin == Builtin::kSmooth) && !arguments.empty())
      return arguments.back();
    uint64_t salt = HashText(name);
    for (uint32_t order : function.orders) salt = MixHash(salt, order + 1);
    return FieldHash(salt, arguments);
  }

  Value Element(const Tape& tape, const Tape::Instruction& i, std::span<const Value> slots,
                Environment<Value>&) const {
    const auto in = tape.operand_slots(i);
    uint32_t array = in[0];
    for (size_t k = 1;;) {
      const Tape::Instruction& a = tape.instructions()[array];
      const auto inside = tape.operand_slots(a);
      if (a.op == Op::kArray && k < in.size() && slots[in[k]].value - 1 < inside.size()) {
        array = inside[slots[in[k++]].value - 1];
        continue;
      }
      std::vector<Value> parts = {slots[array]};
      for (; k < in.size(); ++k) parts.push_back(slots[in[k]]);
      if (parts.size() == 1 || a.op == Op::kNumber) return slots[array];
      if (a.op != Op::kArray) return FieldHash(static_cast<uint64_t>(Op::kElement), parts);
      Value sum{};  // a symbolic index into a literal: linear in the elements
      parts[0] = {};
      for (size_t element = 0; element < inside.size(); ++element) {
        parts[0].value = element;
        sum = sum + slots[inside[element]] * FieldHash(static_cast<uint64_t>(Op::kArray), parts);
      }
      return sum;
    }
  }

  Value SumOver(const Tape& tape, const Tape::Instruction& i, Value from, Value to,
                Environment<Value>& environment, Workspace<Value>& workspace) {
    const size_t loop = tape.pool().SymbolOf(i.id).index();
    const Tape& body = tape.body(i);
    const Value before = environment.scalars[loop];
    const auto turn = [&](Value index) {
      environment.scalars[loop] = index;
      RunTape(body, *this, environment, workspace);
      return workspace.slots[body.root_slots()[0]];
    };
    Value sum{};
    if (from.value <= to.value && to.value - from.value < kLargestRange) {
      for (uint64_t k = from.value; k <= to.value; ++k) sum = sum + turn({k, true});
    } else {
      sum = Hash(Op::kSumOver, {from, to}) * turn(Hash(Op::kSymbol, {from, to}));
    }
    environment.scalars[loop] = before;
    return sum;
  }
};

}  // namespace

std::vector<FieldElement> EvaluateField(const ExprPool& pool, std::span<const ExprId> roots, uint64_t seed) {
  const Tape tape(pool, roots);
  const FieldElement start{seed % FieldElement::kPrime, true};
  Environment<FieldElement> environment;
  environment.scalars.resize(pool.symbol_count());
  std::vector<const Tape*> tapes = {&tape};
  while (!tapes.empty()) {
    const Tape& at = *tapes.back();
    tapes.pop_back();
    for (const Tape::Instruction& i : at.instructions()) {
      if (i.op == Op::kSumOver) tapes.push_back(&at.body(i));
      if (i.op != Op::kSymbol) continue;
      const SymbolId symbol(i.payload);
      const std::array<FieldElement, 2> parts = {start, FieldElement{pool.symbol(symbol).order, true}};
      environment.scalars[symbol.index()] = FieldHash(HashText(pool.SymbolName(symbol)), parts);
    }
  }
  environment.time = FieldHash(HashText("time"), std::span(&start, 1));
  Workspace<FieldElement> workspace;
  FieldArithmetic arithmetic;
  RunTape(tape, arithmetic, environment, workspace);
  std::vector<FieldElement> results;
  for (uint32_t slot : tape.root_slots()) results.push_back(workspace.slots[slot]);
  return results;
}

FieldElement EvaluateField(const ExprPool& pool, ExprId expr, uint64_t seed) {
  return EvaluateField(pool, std::span(&expr, 1), seed)[0];
}

bool AreProbablyEqual(const ExprPool& pool, ExprId a, ExprId b, int trials) {
  bool seen = false;
  for (int k = 0; k < trials; ++k) {
    const uint64_t seed = FinishHash(static_cast<uint64_t>(k) + 1);
    const FieldElement x = EvaluateField(pool, a, seed), y = EvaluateField(pool, b, seed);
    if (!x.defined || !y.defined) continue;
    if (x.value != y.value) return false;
    seen = true;
  }
  return seen;
}

}  // namespace cotree
