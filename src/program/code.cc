// SPDX-License-Identifier: Apache-2.0
#include "program/code.h"

#include <algorithm>

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
      return a.value < b.value ? a : b;
    case Op::kMax:
      return a.value < b.value ? b : a;
    case Op::kMod:
      return {value, a.tangent - b.tangent * std::floor(a.value / b.value)};
    default:
      return {value, 0};
  }
}

uint32_t FindTable(const Model& model, std::string_view name) {
  for (uint32_t t = 0; t < model.tables.size(); ++t) {
    if (model.names.Text(model.tables[t].name) == name) return t;
  }
  return UINT32_MAX;
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

uint32_t CodeWriter::Register(ExprId id, bool switched) {
  return *(switched ? switched_ : plain_).Find(id);
}

// Whether a node depends on time, and else on parameters only. 0: has variables, 1: constant, 2: time.
bool CodeWriter::TimeOnly(ExprId id) {
  const uint32_t* known = time_only_.Find(id);
  return known != nullptr && *known == 2;
}

uint32_t CodeWriter::Chain(ExprId id, Op op, bool switched) {
  const auto operands = pool_.operands(id);
  uint32_t sum = Register(operands[0], switched);
  for (size_t k = 1; k < operands.size(); ++k)
    sum = Emit({CodeOp::kBinary, op, sum, Register(operands[k], switched), 0, 0});
  return sum;
}

uint32_t CodeWriter::Call(ExprId id, bool switched) {
  const FunctionInfo& function = pool_.function(pool_.FunctionOf(id));
  const std::string_view name = pool_.FunctionName(pool_.FunctionOf(id));
  const auto operands = pool_.operands(id);
  switch (FindBuiltin(name)) {
    case Builtin::kNoEvent:
    case Builtin::kSmooth:
      return Register(operands.back(), switched);
    case Builtin::kPre:
      return Register(operands[0], switched);
    case Builtin::kSample:
    case Builtin::kEdge:
    case Builtin::kChange:
    case Builtin::kInitial:
    case Builtin::kTerminal:
      return Number(0);
    case Builtin::kDelay:
      out_.unsupported = true;
      out_.what = "delay(...)";
      return Number(0);
    case Builtin::kNone:
      break;
  }
  const uint32_t table = FindTable(model_, name);
  if (table == UINT32_MAX || operands.empty()) {
    out_.unsupported = true;
    out_.what = "the function " + std::string(name);
    return Number(0);
  }
  uint32_t orders = 0;
  if (!function.orders.empty()) orders = 16 * function.orders[0];
  if (function.orders.size() > 1) orders += function.orders[1];
  const uint32_t x = Register(operands[0], switched);
  return Emit({CodeOp::kTable, Op::kCall, x, operands.size() > 1 ? Register(operands[1], switched) : x, table,
               static_cast<double>(orders)});
}

uint32_t CodeWriter::Node(ExprId id, bool switched) {
  const auto operands = pool_.operands(id);
  const Op op = pool_.op(id);
  switch (op) {
    case Op::kNumber:
      return Number(pool_.NumberValue(id));
    case Op::kBoolean:
      return Number(pool_.BooleanValue(id) ? 1 : 0);
    case Op::kTime:
      return Emit({switched ? CodeOp::kSwitchTime : CodeOp::kTime, Op::kTime, 0, 0, 0, 0});
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
      return Chain(id, op, switched);
    case Op::kPower:
      if (const auto integer = pool_.AsInteger(operands[1]))
        return Emit({CodeOp::kIntegerPower, op, Register(operands[0], switched), 0, 0,
                     static_cast<double>(*integer)});
      break;
    case Op::kIf:
      return Emit({CodeOp::kIf, op, Register(operands[0], switched), Register(operands[1], switched),
                   Register(operands[2], switched), 0});
    case Op::kCall:
      return Call(id, switched);
    case Op::kMod:
      // The jump of a sawtooth is where the floor jumps.
      if (TimeOnly(id) && !switched) {
        const uint32_t a = Register(operands[0], true), b = Register(operands[1], true);
        const uint32_t turns =
            Emit({CodeOp::kUnary, Op::kFloor, Emit({CodeOp::kBinary, Op::kDivide, a, b, 0, 0}), 0, 0, 0});
        const uint32_t back = Emit({CodeOp::kBinary, Op::kMultiply, Number(-1),
                                    Emit({CodeOp::kBinary, Op::kMultiply, b, turns, 0, 0}), 0, 0});
        return Emit({CodeOp::kBinary, Op::kAdd, Register(operands[0], false), back, 0, 0});
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
  const bool inside = switched || (IsSwitch(op) && TimeOnly(id));
  if (operands.size() == 1) return Emit({CodeOp::kUnary, op, Register(operands[0], inside), 0, 0, 0});
  return Emit({CodeOp::kBinary, op, Register(operands[0], inside), Register(operands[1], inside), 0, 0});
}

namespace {

// 0: depends on variables, 1: constant, 2: on time (and parameters) only.
uint32_t ClassOfNode(const ExprPool& pool, ExprId id, const ExprMap& known) {
  if (pool.op(id) == Op::kTime) return 2;
  if (pool.IsSymbol(id)) return pool.kind(pool.SymbolOf(id)) == SymbolKind::kParameter ? 1 : 0;
  uint32_t out = 1;
  for (const ExprId operand : pool.operands(id)) {
    const uint32_t below = *known.Find(operand);
    if (below == 0) return 0;
    out = std::max(out, below);
  }
  return out;
}

}  // namespace

Code CodeWriter::Write(std::span<const ExprId> roots) {
  out_ = {};
  plain_.Clear();
  switched_.Clear();
  time_only_.Clear();
  ExprOrder order;
  FindOrder(pool_, roots, &order);
  for (const ExprId id : order.nodes) time_only_.Insert(id, ClassOfNode(pool_, id, time_only_));
  // The switched version of a node is needed below a switch; what depends on time only and is used so.
  std::vector<uint8_t> needed(order.nodes.size(), 0);
  for (size_t k = order.nodes.size(); k-- > 0;) {
    const ExprId id = order.nodes[k];
    const bool opens = needed[k] != 0 || (IsSwitch(pool_.op(id)) && TimeOnly(id));
    if (!opens) continue;
    for (const ExprId operand : pool_.operands(id)) needed[order.PositionOf(operand)] = 1;
  }
  for (size_t k = 0; k < order.nodes.size(); ++k) {
    const ExprId id = order.nodes[k];
    if (needed[k] != 0) switched_.Insert(id, Node(id, true));
    plain_.Insert(id, Node(id, false));
  }
  for (const ExprId root : roots) out_.results.push_back(Register(root, false));
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
    if (*classes.Find(id) != 2) continue;
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
