// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "expr/tape.h"

namespace cotree {

/** The elements of an array variable, the last index running fastest. */
template <class Value>
struct ArrayValue {
  SymbolId symbol;
  std::vector<size_t> sizes;
  std::vector<Value> elements;
};

/** Values of symbols, time, and of what calls return. Filled by the caller. */
template <class Value>
struct Environment {
  std::vector<Value>
      scalars;  // by SymbolId; a symbol beyond the end, or never set, is the arithmetic's Unknown()
  std::vector<ArrayValue<Value>> arrays;  // few; searched
  Value time{};
  /// Calls that are not noevent or smooth; without it they are Unknown().
  std::function<Value(std::string_view name, const FunctionInfo& function, std::span<const Value> arguments)>
      call;

  void Set(SymbolId symbol, Value value, Value unknown) {
    if (scalars.size() <= symbol.index()) scalars.resize(symbol.index() + 1, unknown);
    scalars[symbol.index()] = value;
  }
};

/** Memory of a run, reused by the next. */
template <class Value>
struct Workspace {
  std::vector<Value> slots;                        // by instruction
  std::vector<Value> arguments;                    // of the instruction at work
  std::vector<std::unique_ptr<Workspace>> bodies;  // of the nested sums
};

/** Runs a tape in some arithmetic. `Arithmetic` has a type Value and says what + * / ^, functions, relations,
conditions, elements and ranges mean in it. The environment changes only in its loop variables, and is as
before at the end. Nested sums nest calls; nothing else does. */
template <class Arithmetic>
void RunTape(const Tape& tape, Arithmetic& arithmetic, Environment<typename Arithmetic::Value>& environment,
             Workspace<typename Arithmetic::Value>& workspace) {
  using Value = typename Arithmetic::Value;
  const auto instructions = tape.instructions();
  if (workspace.slots.size() < instructions.size()) workspace.slots.resize(instructions.size());
  Value* const slots = workspace.slots.data();
  for (size_t at = 0; at < instructions.size(); ++at) {
    const Tape::Instruction& i = instructions[at];
    const auto in = tape.operand_slots(i);
    switch (i.op) {
      case Op::kNumber:
        slots[at] = arithmetic.Number(i.number);
        break;
      case Op::kBoolean:
        slots[at] = arithmetic.Number(i.payload);
        break;
      case Op::kSymbol:
        slots[at] =
            i.payload < environment.scalars.size() ? environment.scalars[i.payload] : arithmetic.Unknown();
        break;
      case Op::kTime:
        slots[at] = environment.time;
        break;
      case Op::kAdd: {
        Value sum = slots[in[0]];
        for (size_t k = 1; k < in.size(); ++k) sum = sum + slots[in[k]];
        slots[at] = sum;
        break;
      }
      case Op::kMultiply: {
        Value product = slots[in[0]];
        for (size_t k = 1; k < in.size(); ++k) product = product * slots[in[k]];
        slots[at] = product;
        break;
      }
      case Op::kDivide:
        slots[at] = slots[in[0]] / slots[in[1]];
        break;
      case Op::kPower:
        slots[at] = i.integer_exponent ? arithmetic.IntegerPower(slots[in[0]], static_cast<int64_t>(i.number))
                                       : arithmetic.Binary(Op::kPower, slots[in[0]], slots[in[1]]);
        break;
      case Op::kIf:
        slots[at] = arithmetic.Choose(slots[in[0]], slots[in[1]], slots[in[2]]);
        break;
      case Op::kArray:
        slots[at] = arithmetic.Unknown();  // only its elements have values
        break;
      case Op::kSumOver:
        if (workspace.bodies.size() <= i.payload) workspace.bodies.resize(i.payload + 1);
        if (!workspace.bodies[i.payload]) workspace.bodies[i.payload] = std::make_unique<Workspace<Value>>();
        slots[at] = arithmetic.SumOver(tape, i, slots[in[0]], slots[in[1]], environment,
                                       *workspace.bodies[i.payload]);
        break;
      default:
        workspace.arguments.clear();
        for (uint32_t slot : in) workspace.arguments.push_back(slots[slot]);
        if (IsUnaryFunction(i.op)) {
          slots[at] = arithmetic.Unary(i.op, slots[in[0]]);
        } else if (i.op == Op::kElement) {
          slots[at] =
              arithmetic.Element(tape, i, std::span<const Value>(slots, instructions.size()), environment);
        } else if (i.op == Op::kCall) {
          slots[at] = arithmetic.Call(tape.pool(), i, workspace.arguments, environment);
        } else if (i.op == Op::kAnd || i.op == Op::kOr || i.op == Op::kNot) {
          slots[at] = arithmetic.Logic(i.op, workspace.arguments);
        } else {
          slots[at] = arithmetic.Binary(i.op, slots[in[0]], slots[in[1]]);
        }
    }
  }
}

}  // namespace cotree
