// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "expr/elementary.h"
#include "expr/evaluate.h"
#include "expr/power_chain.h"
#include "expr/walk.h"
#include "model/table_function.h"

namespace cotree {

/** What an instruction does. From kOperation on: the Op of expressions with two registers. */
enum class CodeOp : uint8_t {
  kNumber,        // number
  kLoad,          // local a: a slot of the system
  kParameter,     // parameter a of the instance
  kTime,          // the time
  kSwitchTime,    // a time strictly inside the segment between two known switching times
  kIntegerPower,  // register a to the power `number`
  kIf,            // register a != 0 ? b : c
  kTable,         // table c at registers a, b, differentiated order (number: 16*order_x + order_y) times
  kUnary,         // operation of register a
  kBinary,        // operation of registers a, b
};

struct Instruction {
  CodeOp code;
  Op op;
  uint32_t a, b, c;
  double number;
};

/// The registers that an instruction reads.
template <class F>
void OverOperands(const Instruction& i, F&& f) {
  switch (i.code) {
    case CodeOp::kIf:
      f(i.a);
      f(i.b);
      f(i.c);
      return;
    case CodeOp::kBinary:
    case CodeOp::kTable:
      f(i.a);
      f(i.b);
      return;
    case CodeOp::kUnary:
    case CodeOp::kIntegerPower:
      f(i.a);
      return;
    default:
      return;
  }
}

/** Straight-line code of one kernel: instruction k writes register k. The one arithmetic of design §6: + - *
/ sqrt in this order, uncontracted; integer powers as chains; elementary functions by SLEEF. Other tiers are
made from these instructions and give the same bits.

Theory: docs/theory/program.md, PR.1. */
struct Code {
  std::vector<Instruction> instructions;
  std::vector<uint32_t> results;  // registers
  uint32_t locals = 0;
  bool unsupported = false;  // it contains what has no value here: delay, foreign functions
  std::string what;          // ... namely
};

/// Takes away instructions that no result needs; registers are numbered anew.
void RemoveUnused(Code& code);

/** What a run of code sees. */
template <class Value>
struct CodeContext {
  const Value* values = nullptr;       // slots
  const double* parameters = nullptr;  // of the instance
  const uint32_t* locals = nullptr;    // slots of the instance
  double time = 0, switch_time = 0;
  Value time_value{};  // the time with its tangent
  const std::vector<TableFunction>* tables = nullptr;
};

inline double PlainValue(double x) {
  return x;
}
inline double PlainValue(Dual x) {
  return x.value;
}

inline double ApplyUnary(Op op, double x) {
  return op == Op::kNot ? (x == 0 ? 1.0 : 0.0) : UnaryValue(op, x);
}
inline Dual ApplyUnary(Op op, Dual x) {
  if (op == Op::kNot) return {x.value == 0 ? 1.0 : 0.0, 0};
  return {UnaryValue(op, x.value), x.tangent == 0 ? 0 : UnarySlope(op, x.value) * x.tangent};
}
double ApplyBinary(Op op, double a, double b);
Dual ApplyBinary(Op op, Dual a, Dual b);
inline double ApplyTable(const TableFunction& table, double x, double y, uint32_t ox, uint32_t oy) {
  return table.Value(x, y, ox, oy);
}
inline Dual ApplyTable(const TableFunction& table, Dual x, Dual y, uint32_t ox, uint32_t oy) {
  double tangent = 0;
  if (x.tangent != 0) tangent += table.Value(x.value, y.value, ox + 1, oy) * x.tangent;
  if (y.tangent != 0) tangent += table.Value(x.value, y.value, ox, oy + 1) * y.tangent;
  return {table.Value(x.value, y.value, ox, oy), tangent};
}

/// Runs the code of one instance; `registers` has room for all instructions.
template <class Value>
void RunCode(const Code& code, const CodeContext<Value>& context, Value* registers) {
  const Instruction* at = code.instructions.data();
  const size_t count = code.instructions.size();
  for (size_t k = 0; k < count; ++k) {
    const Instruction& i = at[k];
    switch (i.code) {
      case CodeOp::kNumber:
        registers[k] = Value{i.number};
        break;
      case CodeOp::kLoad:
        registers[k] = context.values[context.locals[i.a]];
        break;
      case CodeOp::kParameter:
        registers[k] = Value{context.parameters[i.a]};
        break;
      case CodeOp::kTime:
        registers[k] = context.time_value;
        break;
      case CodeOp::kSwitchTime:
        registers[k] = Value{context.switch_time};
        break;
      case CodeOp::kIntegerPower:
        registers[k] = PowerChain<Value>(registers[i.a], static_cast<int64_t>(i.number), Value{1});
        break;
      case CodeOp::kIf:
        registers[k] = PlainValue(registers[i.a]) != 0 ? registers[i.b] : registers[i.c];
        break;
      case CodeOp::kTable: {
        const auto orders = static_cast<uint32_t>(i.number);
        registers[k] =
            ApplyTable((*context.tables)[i.c], registers[i.a], registers[i.b], orders / 16, orders % 16);
        break;
      }
      case CodeOp::kUnary:
        registers[k] = ApplyUnary(i.op, registers[i.a]);
        break;
      case CodeOp::kBinary:
        switch (i.op) {
          case Op::kAdd:
            registers[k] = registers[i.a] + registers[i.b];
            break;
          case Op::kMultiply:
            registers[k] = registers[i.a] * registers[i.b];
            break;
          case Op::kDivide:
            registers[k] = registers[i.a] / registers[i.b];
            break;
          default:
            registers[k] = ApplyBinary(i.op, registers[i.a], registers[i.b]);
        }
        break;
    }
  }
}

/** A place where something switches at a time that can be known beforehand: its argument depends on time and
parameters only. */
struct TimeSwitch {
  enum class Kind : uint8_t { kZero, kInteger, kKnots } kind;
  ExprId argument;
  uint32_t table = 0;
};

/** What code reads besides variables, parameters and time: values that are held between events, or come from
the past. Each has a slot of its own for each instance. */
struct HeldUse {
  enum class Kind : uint8_t {
    kRelation,  // an inequality: 1 or 0
    kLevel,     // floor(x)
    kPre,       // pre(x): x before the event; `expr` is x itself
    kClock,     // sample(start, period): 1 at a tick
    kInitial,   // initial()
    kTerminal,  // terminal()
    kDelay,     // delay(u, T)
  };
  Kind kind;
  ExprId expr;
};

/** Makes code from expressions of a scalar class. Relations on the motion (and floor, ceil, sign, mod) read
what is held in a slot since the last event, so that the code is smooth between events; relations on the time
alone see a time inside the segment between known switching times; inside noevent and smooth, and with
`Events::kOff`, everything is computed as it stands. */
class CodeWriter {
 public:
  struct Names {
    /// The number of a local for a variable symbol of any order; UINT32_MAX: none.
    virtual uint32_t Local(SymbolId symbol) = 0;
    /// The number of a parameter; UINT32_MAX: none.
    virtual uint32_t Parameter(SymbolId symbol) = 0;
    /// Whether a condition is held between events.
    virtual bool IsHeld(ExprId condition) const = 0;
    /// The number of a local for what is held.
    virtual uint32_t Held(HeldUse use) = 0;
    virtual ~Names() = default;
  };
  enum class Events : uint8_t { kOn, kOff };
  CodeWriter(Model& model, Names& names) : model_(model), pool_(model.expressions), names_(names) {}
  Code Write(std::span<const ExprId> roots, Events events = Events::kOn);

 private:
  /** How a node is read: with what is held, at a time inside the segment, or as it stands. */
  enum Context : uint8_t { kSmooth, kSwitched, kPlain, kContexts };

  uint32_t Emit(Instruction i);
  uint32_t Number(double value);
  uint32_t Load(uint32_t local);
  uint32_t Unary(Op op, uint32_t a);
  uint32_t Binary(Op op, uint32_t a, uint32_t b);
  uint32_t Node(ExprId id, Context context);
  uint32_t HeldNode(ExprId id);
  uint32_t Call(ExprId id, Context context);
  uint32_t Chain(ExprId id, Op op, Context context);
  uint32_t Register(ExprId id, Context context) { return *registers_[context].Find(id); }
  bool TimeOnly(ExprId id);
  bool Moves(ExprId id);
  bool IsHeld(ExprId id, Context context);
  Context Below(ExprId id, Context context);

  Model& model_;
  ExprPool& pool_;
  Names& names_;
  Code out_;
  ExprMap registers_[kContexts], class_;
};

/// All known switching of some expressions.
std::vector<TimeSwitch> FindTimeSwitches(Model& model, std::span<const ExprId> roots);
/// Index of a table by the name of its call; UINT32_MAX: no table.

}  // namespace cotree
