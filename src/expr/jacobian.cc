// SPDX-License-Identifier: Apache-2.0
#include "expr/jacobian.h"

#include <algorithm>
#include <memory>

#include "expr/builtins.h"
#include "expr/differentiate.h"
#include "expr/walk.h"

namespace cotree {

namespace {

/// Above this many node visits a row is swept backwards.
constexpr size_t kForwardWork = size_t{1} << 15;

/// The backward sweep has no rule for nodes that bind indices or hold arrays.
bool CanSweepBackwards(const ExprPool& pool, const ExprOrder& order) {
  return std::ranges::none_of(order.nodes, [&](ExprId id) {
    const Op op = pool.op(id);
    return op == Op::kElement || op == Op::kSumOver || op == Op::kArray;
  });
}

/// adjoint(node) = d root / d node; a node's contributions are complete when all its users are done, so walk
/// from the root down.
std::vector<ExprId> SweepBackwards(ExprPool& pool, const ExprOrder& order) {
  const size_t n = order.nodes.size();
  std::vector<std::vector<ExprId>> contributions(n);
  std::vector<ExprId> adjoints(n, pool.Zero());
  contributions[n - 1].push_back(pool.One());
  for (size_t at = n; at-- > 0;) {
    const ExprId id = order.nodes[at];
    const ExprId adjoint = pool.Sum(contributions[at]);
    adjoints[at] = adjoint;
    contributions[at] = {};
    if (pool.IsZero(adjoint) || IsPiecewiseConstant(pool, id)) continue;
    ++pool.mutable_statistics().derivatives;
    const auto operands = pool.operands(id);
    const auto give = [&](size_t k, ExprId value) {
      if (!pool.IsZero(value)) contributions[order.PositionOf(operands[k])].push_back(value);
    };
    const Builtin builtin =
        pool.op(id) == Op::kCall ? FindBuiltin(pool.FunctionName(pool.FunctionOf(id))) : Builtin::kNone;
    if (builtin == Builtin::kDelay) continue;
    if (pool.op(id) == Op::kIf) {
      give(1, pool.If(operands[0], adjoint, pool.Zero()));
      give(2, pool.If(operands[0], pool.Zero(), adjoint));
    } else if (builtin == Builtin::kNoEvent || builtin == Builtin::kSmooth) {
      give(operands.size() - 1, pool.Call("noevent", {adjoint}));
    } else if (pool.op(id) == Op::kMultiply && operands.size() > ExprPool::kMergeLimit) {
      std::vector<ExprId> after(operands.size() + 1, pool.One());
      for (size_t k = operands.size(); k-- > 0;) after[k] = pool.Multiply(operands[k], after[k + 1]);
      ExprId before = adjoint;
      for (size_t k = 0; k < operands.size(); ++k) {
        give(k, pool.Multiply(before, after[k + 1]));
        before = pool.Multiply(before, operands[k]);
      }
    } else {
      for (size_t k = 0; k < operands.size(); ++k) {
        if (pool.IsNumber(operands[k])) continue;
        give(k, ScaledPartial(pool, id, k, adjoint));
      }
    }
  }
  return adjoints;
}

}  // namespace

std::vector<JacobianEntry> Jacobian(ExprPool& pool, std::span<const ExprId> rows,
                                    std::span<const ExprId> columns) {
  ExprMap column_of;
  std::vector<std::pair<ExprId, uint32_t>> element_columns;  // (array symbol, column)
  for (size_t c = 0; c < columns.size(); ++c) {
    column_of.Insert(columns[c], static_cast<uint32_t>(c));
    if (pool.op(columns[c]) == Op::kElement)
      element_columns.emplace_back(pool.operand(columns[c], 0), static_cast<uint32_t>(c));
  }
  std::vector<std::unique_ptr<Differentiator>> forward(columns.size());
  std::vector<JacobianEntry> entries;
  ExprOrder order;
  for (size_t r = 0; r < rows.size(); ++r) {
    FindOrder(pool, rows.subspan(r, 1), &order);
    std::vector<uint32_t> present;
    for (ExprId id : order.nodes) {
      if (const uint32_t* column = column_of.Find(id)) present.push_back(*column);
    }
    for (const auto& [array, column] : element_columns) {  // x[k] may be x[3]
      if (order.position.Contains(array)) present.push_back(column);
    }
    std::sort(present.begin(), present.end());
    present.erase(std::unique(present.begin(), present.end()), present.end());
    std::vector<ExprId> adjoints;
    if (present.size() > 4 && present.size() * order.nodes.size() > kForwardWork &&
        CanSweepBackwards(pool, order))
      adjoints = SweepBackwards(pool, order);
    for (uint32_t c : present) {
      ExprId value;
      if (!adjoints.empty()) {
        value = adjoints[order.PositionOf(columns[c])];
      } else {
        if (!forward[c])
          forward[c] = std::make_unique<Differentiator>(Differentiator::Partial(&pool, columns[c]));
        value = forward[c]->Derivative(rows[r]);
      }
      if (!pool.IsZero(value)) entries.push_back({static_cast<uint32_t>(r), c, value});
    }
  }
  return entries;
}

std::vector<JacobianEntry> Gradient(ExprPool& pool, ExprId expr, std::span<const SymbolId> symbols) {
  std::vector<ExprId> columns;
  for (SymbolId symbol : symbols) columns.push_back(pool.Symbol(symbol));
  return Jacobian(pool, std::span(&expr, 1), columns);
}

}  // namespace cotree
