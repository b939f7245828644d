// SPDX-License-Identifier: Apache-2.0
#include "program/code.h"

#include <algorithm>
#include <cmath>

#include "expr/builtins.h"
#include "expr/walk.h"

namespace cotree {

double ApplyBinary(Op op, double a, double b) {
  if (op == Op::kAnd) return a != 0 && b != 0 ? 1 : 0;
  if (op == Op::kOr) return a != 0 || b != 0 ? 1 : 0;
  return BinaryValue(op, a, b);
}

Dual ApplyBinary(Op op, Dual a, Dual b) {
  const double value = ApplyBinary(op, a.value, b.value);
  switch (op) {
    case Op::kPower: {
      double tangent = 0;
      if (a.tangent != 0) tangent += b.value * BinaryValue(Op::kPower, a.value, b.value - 1) * a.tangent;
      if (b.tangent != 0) tangent += value * UnaryValue(Op::kLog, a.value) * b.tangent;
      return {value, tangent};
    }
    case Op::kAtan2: {
      const double r = a.value * a.value + b.value * b.value;
      return {value, (b.value * a.tangent - a.value * b.tangent) / r};
    }
    case Op::kMin:
      return a.value < b.value || std::isnan(a.value) ? a : b;
    case Op::kMax:
      return a.value < b.value || std::isnan(b.value) ? b : a;
    case Op::kMod:
      return {value, a.tangent - b.tangent * std::floor(a.value / b.value)};
    default:
      return {value, 0};
  }
}

void RemoveUnused(Code& code) {
  std::vector<bool> used(code.instructions.size(), false);
  for (const uint32_t r : code.results) used[r] = true;
  for (size_t k = used.size(); k-- > 0;) {
    if (used[k]) OverOperands(code.instructions[k], [&](uint32_t r) { used[r] = true; });
  }
  std::vector<uint32_t> number(used.size(), 0);
  std::vector<Instruction> kept;
  for (size_t k = 0; k < used.size(); ++k) {
    if (!used[k]) continue;
    Instruction i = code.instructions[k];
    if (i.code >= CodeOp::kIntegerPower) {
      i.a = number[i.a];
      if (i.code == CodeOp::kBinary || i.code == CodeOp::kTable || i.code == CodeOp::kIf) i.b = number[i.b];
      if (i.code == CodeOp::kIf) i.c = number[i.c];
    }
    number[k] = static_cast<uint32_t>(kept.size());
    kept.push_back(i);
  }
  for (uint32_t& r : code.results) r = number[r];
  code.instructions = std::move(kept);
}

namespace {

bool IsSwitch(Op op) {
  return IsRelation(op) || op == Op::kFloor || op == Op::kCeil || op == Op::kSign || op == Op::kMod;
}

}  // namespace

uint32_t CodeWriter::Emit(Instruction i) {
  out_.instructions.push_back(i);
  return static_cast<uint32_t>(out_.instructions.size() - 1);
}

uint32_t CodeWriter::Number(double value) {
  return Emit({CodeOp::kNumber, Op::kNumber, 0, 0, 0, value});
}

namespace {

/** What a node depends on between events. */
enum NodeClass : uint32_t { kMoves, kConstant, kTimeOnly, kDiscrete };

/// Whether a function of the time or of parameters has no value for some of them. (What divides by parameters
/// is left out: periods are divisors, and their jumps are better known before the run.)
bool MayFail(const ExprPool& pool, ExprId id, const ExprMap& known) {
  const auto operands = pool.operands(id);
  switch (pool.op(id)) {
    case Op::kSqrt:
    case Op::kLog:
    case Op::kLog10:
    case Op::kAsin:
    case Op::kAcos:
      return !pool.IsNumber(operands[0]) ||
             std::isnan(UnaryValue(pool.op(id), pool.NumberValue(operands[0])));
    case Op::kPower:
      return !pool.AsInteger(operands[1]) &&
             (!pool.IsNumber(operands[0]) || pool.NumberValue(operands[0]) < 0);
    case Op::kDivide:
      return *known.Find(operands[1]) != kConstant;
    default:
      return false;
  }
}

uint32_t ClassOfNode(const ExprPool& pool, ExprId id, const ExprMap& known) {
  if (pool.op(id) == Op::kTime) return kTimeOnly;
  if (pool.IsSymbol(id)) {
    const SymbolKind kind = pool.kind(pool.SymbolOf(id));
    return kind == SymbolKind::kParameter ? kConstant : kind == SymbolKind::kDiscrete ? kDiscrete : kMoves;
  }
  if (pool.op(id) == Op::kCall) {
    const Builtin builtin = FindBuiltin(pool.FunctionName(pool.FunctionOf(id)));
    if (IsDiscreteBuiltin(builtin)) return kDiscrete;
    if (builtin == Builtin::kDelay) return kMoves;
  }
  // What may be no number is watched as the motion is, so that a comparison with it is noticed.
  if (MayFail(pool, id, known)) return kMoves;
  uint32_t out = kConstant;
  for (const ExprId operand : pool.operands(id)) {
    const uint32_t below = *known.Find(operand);
    if (below == kMoves || (below != kConstant && out != kConstant && below != out)) return kMoves;
    if (below != kConstant) out = below;
  }
  return out;
}

}  // namespace

bool CodeWriter::TimeOnly(ExprId id) {
  return *class_.Find(id) == kTimeOnly;
}
bool CodeWriter::Moves(ExprId id) {
  return *class_.Find(id) == kMoves;
}

// Whether a node is read from a slot that is held between events.
bool CodeWriter::IsHeld(ExprId id, Context context) {
  return context == kSmooth && Moves(id) && names_.IsHeld(id);
}

// How the operands of a node are read.
CodeWriter::Context CodeWriter::Below(ExprId id, Context context) {
  const Op op = pool_.op(id);
  if (op == Op::kCall && context == kSmooth) {
    const Builtin builtin = FindBuiltin(pool_.FunctionName(pool_.FunctionOf(id)));
    if (builtin == Builtin::kNoEvent || builtin == Builtin::kSmooth) return kPlain;
    const uint32_t table = FindTable(model_, pool_.FunctionName(pool_.FunctionOf(id)));
    if (table != UINT32_MAX && TimeOnly(id) &&
        model_.tables[table].interpolation == Table::Interpolation::kHold)
      return kSwitched;  // it jumps at its knots
  }
  // An equality holds for a moment: at the time itself, not between the switches.
  if (op == Op::kEqual || op == Op::kNotEqual) return TimeOnly(id) ? kPlain : context;
  return context == kSmooth && IsSwitch(op) && op != Op::kMod && TimeOnly(id) ? kSwitched : context;
}

uint32_t CodeWriter::Load(uint32_t local) {
  return Emit({CodeOp::kLoad, Op::kSymbol, local, 0, 0, 0});
}
uint32_t CodeWriter::Unary(Op op, uint32_t a) {
  return Emit({CodeOp::kUnary, op, a, 0, 0, 0});
}
uint32_t CodeWriter::Binary(Op op, uint32_t a, uint32_t b) {
  return Emit({CodeOp::kBinary, op, a, b, 0, 0});
}

uint32_t CodeWriter::Chain(ExprId id, Op op, Context context) {
  const auto operands = pool_.operands(id);
  uint32_t sum = Register(operands[0], context);
  for (size_t k = 1; k < operands.size(); ++k) sum = Binary(op, sum, Register(operands[k], context));
  return sum;
}

// An inequality, floor, ceil, sign or mod of the motion: from what is held.
uint32_t CodeWriter::HeldNode(ExprId id) {
  const ExprId x = pool_.operand(id, 0);
  const auto relation = [&](ExprId r) { return Load(names_.Held({HeldUse::Kind::kRelation, r})); };
  switch (pool_.op(id)) {
    case Op::kFloor:
      return Load(names_.Held({HeldUse::Kind::kLevel, x}));
    case Op::kCeil:
      return Binary(Op::kMultiply, Number(-1), Load(names_.Held({HeldUse::Kind::kLevel, pool_.Negate(x)})));
    case Op::kSign:
      return Binary(Op::kAdd, relation(pool_.Less(pool_.Zero(), x)),
                    Binary(Op::kMultiply, Number(-1), relation(pool_.Less(x, pool_.Zero()))));
    case Op::kMod: {
      const ExprId b = pool_.operand(id, 1);
      const uint32_t turns = Load(names_.Held({HeldUse::Kind::kLevel, pool_.Divide(x, b)}));
      const uint32_t back =
          Binary(Op::kMultiply, Number(-1), Binary(Op::kMultiply, Register(b, kSmooth), turns));
      return Binary(Op::kAdd, Register(x, kSmooth), back);
    }
    default:
      return relation(id);
  }
}

uint32_t CodeWriter::Call(ExprId id, Context context) {
  const FunctionInfo& function = pool_.function(pool_.FunctionOf(id));
  const std::string name(pool_.FunctionName(pool_.FunctionOf(id)));
  const std::vector<ExprId> operands(pool_.operands(id).begin(), pool_.operands(id).end());
  const auto held = [&](HeldUse::Kind kind, ExprId expr) { return Load(names_.Held({kind, expr})); };
  switch (FindBuiltin(name)) {
    case Builtin::kNoEvent:
    case Builtin::kSmooth:
      return Register(operands.back(), Below(id, context));
    case Builtin::kPre:
      return held(HeldUse::Kind::kPre, operands[0]);
    case Builtin::kEdge:
      return Binary(Op::kAnd, Register(operands[0], context),
                    Unary(Op::kNot, held(HeldUse::Kind::kPre, operands[0])));
    case Builtin::kChange:
      return Binary(Op::kNotEqual, Register(operands[0], context), held(HeldUse::Kind::kPre, operands[0]));
    case Builtin::kSample:
      return held(HeldUse::Kind::kClock, id);
    case Builtin::kInitial:
      return held(HeldUse::Kind::kInitial, id);
    case Builtin::kTerminal:
      return held(HeldUse::Kind::kTerminal, id);
    case Builtin::kDelay:
      return held(HeldUse::Kind::kDelay, id);
    case Builtin::kNone:
      break;
  }
  const uint32_t table = FindTable(model_, name);
  if (table == UINT32_MAX || operands.empty()) {
    out_.unsupported = true;
    out_.what = "the function " + name;
    return Number(0);
  }
  uint32_t orders = 0;
  if (!function.orders.empty()) orders = 16 * function.orders[0];
  if (function.orders.size() > 1) orders += function.orders[1];
  const Context below = Below(id, context);
  const uint32_t x = Register(operands[0], below);
  return Emit({CodeOp::kTable, Op::kCall, x, operands.size() > 1 ? Register(operands[1], below) : x, table,
               static_cast<double>(orders)});
}

uint32_t CodeWriter::Node(ExprId id, Context context) {
  if (IsHeld(id, context)) return HeldNode(id);
  const auto operands = pool_.operands(id);
  const Op op = pool_.op(id);
  switch (op) {
    case Op::kNumber:
      return Number(pool_.NumberValue(id));
    case Op::kBoolean:
      return Number(pool_.BooleanValue(id) ? 1 : 0);
    case Op::kTime:
      return Emit({context == kSwitched ? CodeOp::kSwitchTime : CodeOp::kTime, Op::kTime, 0, 0, 0, 0});
    case Op::kSymbol: {
      const SymbolId symbol = pool_.SymbolOf(id);
      const bool parameter = pool_.kind(symbol) == SymbolKind::kParameter;
      const uint32_t number = parameter ? names_.Parameter(symbol) : names_.Local(symbol);
      if (number == UINT32_MAX) return Number(parameter ? NAN : 0);
      return Emit({parameter ? CodeOp::kParameter : CodeOp::kLoad, op, number, 0, 0, 0});
    }
    case Op::kAdd:
    case Op::kMultiply:
    case Op::kAnd:
    case Op::kOr:
      return Chain(id, op, context);
    case Op::kPower:
      if (const auto integer = pool_.AsInteger(operands[1]))
        return Emit(
            {CodeOp::kIntegerPower, op, Register(operands[0], context), 0, 0, static_cast<double>(*integer)});
      break;
    case Op::kIf:
      return Emit({CodeOp::kIf, op, Register(operands[0], context), Register(operands[1], context),
                   Register(operands[2], context), 0});
    case Op::kCall:
      return Call(id, context);
    case Op::kMod:
      // The jump of a sawtooth is where the floor jumps.
      if (TimeOnly(id) && context == kSmooth) {
        const uint32_t a = Register(operands[0], kSwitched), b = Register(operands[1], kSwitched);
        const uint32_t turns = Unary(Op::kFloor, Binary(Op::kDivide, a, b));
        const uint32_t back = Binary(Op::kMultiply, Number(-1), Binary(Op::kMultiply, b, turns));
        return Binary(Op::kAdd, Register(operands[0], kSmooth), back);
      }
      break;
    case Op::kElement:
    case Op::kSumOver:
    case Op::kArray:
      out_.unsupported = true;
      out_.what = "an array as a whole";
      return Number(0);
    default:
      break;
  }
  const Context below = Below(id, context);
  if (operands.size() == 1) return Unary(op, Register(operands[0], below));
  return Binary(op, Register(operands[0], below), Register(operands[1], below));
}

Code CodeWriter::Write(std::span<const ExprId> roots, Events events) {
  out_ = {};
  for (ExprMap& map : registers_) map.Clear();
  class_.Clear();
  ExprOrder order;
  FindOrder(pool_, roots, &order);
  for (const ExprId id : order.nodes) class_.Insert(id, ClassOfNode(pool_, id, class_));
  // In which contexts each node is needed, from the roots down.
  std::vector<uint8_t> needed(order.nodes.size(), 0);
  const Context top = events == Events::kOn ? kSmooth : kPlain;
  for (const ExprId root : roots) {
    uint8_t& mask = needed[order.PositionOf(root)];
    mask = static_cast<uint8_t>(mask | 1u << top);
  }
  for (size_t k = order.nodes.size(); k-- > 0;) {
    const ExprId id = order.nodes[k];
    const bool call = pool_.op(id) == Op::kCall;
    const Builtin builtin = call ? FindBuiltin(pool_.FunctionName(pool_.FunctionOf(id))) : Builtin::kNone;
    const bool past = builtin == Builtin::kPre || builtin == Builtin::kDelay || builtin == Builtin::kSample;
    for (uint8_t context = 0; context < kContexts; ++context) {
      if ((needed[k] & (1u << context)) == 0 || past) continue;
      const auto at = static_cast<Context>(context);
      const bool held = IsHeld(id, at);
      if (held && pool_.op(id) != Op::kMod) continue;
      unsigned below = 1u << Below(id, at);
      if (pool_.op(id) == Op::kMod && at == kSmooth && TimeOnly(id)) below |= 1u << kSwitched;
      for (const ExprId operand : pool_.operands(id)) {
        uint8_t& mask = needed[order.PositionOf(operand)];
        mask = static_cast<uint8_t>(mask | below);
      }
    }
  }
  for (size_t k = 0; k < order.nodes.size(); ++k) {
    for (uint8_t context = 0; context < kContexts; ++context) {
      if ((needed[k] & (1u << context)) == 0) continue;
      const auto at = static_cast<Context>(context);
      registers_[at].Insert(order.nodes[k], Node(order.nodes[k], at));
    }
  }
  for (const ExprId root : roots) out_.results.push_back(Register(root, top));
  return std::move(out_);
}

std::vector<TimeSwitch> FindTimeSwitches(Model& model, std::span<const ExprId> roots) {
  ExprPool& pool = model.expressions;
  std::vector<TimeSwitch> out;
  ExprOrder order;
  FindOrder(pool, roots, &order);
  ExprMap classes;
  for (const ExprId id : order.nodes) classes.Insert(id, ClassOfNode(pool, id, classes));
  for (const ExprId id : order.nodes) {
    if (*classes.Find(id) != kTimeOnly) continue;
    const Op op = pool.op(id);
    const auto operands = pool.operands(id);
    if (IsRelation(op) || op == Op::kMin || op == Op::kMax) {
      out.push_back({TimeSwitch::Kind::kZero, pool.Subtract(operands[0], operands[1]), 0});
    } else if (op == Op::kSign || op == Op::kAbs) {
      out.push_back({TimeSwitch::Kind::kZero, operands[0], 0});
    } else if (op == Op::kFloor || op == Op::kCeil) {
      out.push_back({TimeSwitch::Kind::kInteger, operands[0], 0});
    } else if (op == Op::kMod) {
      out.push_back({TimeSwitch::Kind::kInteger, pool.Divide(operands[0], operands[1]), 0});
    } else if (op == Op::kCall && operands.size() == 1) {
      const uint32_t table = FindTable(model, pool.FunctionName(pool.FunctionOf(id)));
      if (table != UINT32_MAX) out.push_back({TimeSwitch::Kind::kKnots, operands[0], table});
    }
  }
  return out;
}

}  // namespace cotree
