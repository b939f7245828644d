// SPDX-License-Identifier: Apache-2.0
#include "expr/tape.h"

namespace cotree {

namespace {

/// As FindOrder, but does not enter the bodies of sums.
void FindOuterOrder(const ExprPool& pool, std::span<const ExprId> roots, ExprOrder* order) {
  struct Visit {
    ExprId id;
    uint32_t next;
  };
  std::vector<Visit> stack;
  const auto enter = [&](ExprId id) {
    if (order->position.Insert(id, 0)) stack.push_back({id, 0});
  };
  for (ExprId root : roots) {
    enter(root);
    while (!stack.empty()) {
      const ExprId id = stack.back().id;
      auto operands = pool.operands(id);
      if (pool.op(id) == Op::kSumOver) operands = operands.first(2);
      if (stack.back().next < operands.size()) {
        enter(operands[stack.back().next++]);
        continue;
      }
      *order->position.Find(id) = static_cast<uint32_t>(order->nodes.size());
      order->nodes.push_back(id);
      stack.pop_back();
    }
  }
}

}  // namespace

Tape::Tape(const ExprPool& pool, std::span<const ExprId> roots) : pool_(&pool) {
  ExprOrder order;
  FindOuterOrder(pool, roots, &order);
  instructions_.reserve(order.nodes.size());
  for (ExprId id : order.nodes) {
    Instruction i{.id = id,
                  .op = pool.op(id),
                  .first = static_cast<uint32_t>(operand_slots_.size()),
                  .count = 0,
                  .payload = 0,
                  .number = 0,
                  .integer_exponent = false};
    auto operands = pool.operands(id);
    switch (i.op) {
      case Op::kNumber:
        i.number = pool.NumberValue(id);
        break;
      case Op::kBoolean:
        i.payload = pool.BooleanValue(id) ? 1 : 0;
        break;
      case Op::kSymbol:
        i.payload = pool.SymbolOf(id).value;
        break;
      case Op::kCall:
        i.payload = pool.FunctionOf(id).value;
        break;
      case Op::kSumOver:
        i.payload = static_cast<uint32_t>(bodies_.size());
        bodies_.push_back(std::make_unique<Tape>(pool, operands.subspan(2, 1)));
        operands = operands.first(2);
        break;
      case Op::kPower:
        if (const auto n = pool.AsInteger(operands[1])) {
          i.number = static_cast<double>(*n);
          i.integer_exponent = true;
        }
        break;
      default:
        break;
    }
    i.count = static_cast<uint32_t>(operands.size());
    for (ExprId operand : operands)
      operand_slots_.push_back(static_cast<uint32_t>(order.PositionOf(operand)));
    instructions_.push_back(i);
  }
  for (ExprId root : roots) root_slots_.push_back(static_cast<uint32_t>(order.PositionOf(root)));
}

}  // namespace cotree
