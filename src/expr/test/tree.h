// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "expr/expr_pool.h"

namespace cotree::test {

/** A plain expression tree that nothing simplifies: what the pool's canonical form is compared with.
Evaluated by recursion in long double, whose range lets 1e300*1e300 have a value. Shares no code with the
library. */
struct Tree {
  Op op = Op::kNumber;
  double number = 0;
  int symbol = 0;
  std::vector<Tree> operands;
};

using Values = std::vector<long double>;

inline long double Apply(Op op, const std::vector<long double>& a) {
  switch (op) {
    case Op::kAdd: {
      long double s = 0;
      for (long double x : a) s += x;
      return s;
    }
    case Op::kMultiply: {
      long double p = 1;
      for (long double x : a) p *= x;
      return p;
    }
    case Op::kDivide:
      return a[0] / a[1];
    case Op::kPower:
      return std::pow(a[0], a[1]);
    case Op::kSin:
      return std::sin(a[0]);
    case Op::kCos:
      return std::cos(a[0]);
    case Op::kTan:
      return std::tan(a[0]);
    case Op::kAsin:
      return std::asin(a[0]);
    case Op::kAcos:
      return std::acos(a[0]);
    case Op::kAtan:
      return std::atan(a[0]);
    case Op::kSinh:
      return std::sinh(a[0]);
    case Op::kCosh:
      return std::cosh(a[0]);
    case Op::kTanh:
      return std::tanh(a[0]);
    case Op::kExp:
      return std::exp(a[0]);
    case Op::kLog:
      return std::log(a[0]);
    case Op::kLog10:
      return std::log10(a[0]);
    case Op::kSqrt:
      return std::sqrt(a[0]);
    case Op::kAbs:
      return std::fabs(a[0]);
    case Op::kSign:
      return a[0] > 0 ? 1 : a[0] < 0 ? -1 : 0;
    case Op::kFloor:
      return std::floor(a[0]);
    case Op::kCeil:
      return std::ceil(a[0]);
    case Op::kAtan2:
      return std::atan2(a[0] + 0.0L, a[1] + 0.0L);  // -0 is 0
    case Op::kMin:
      return a[0] < a[1] ? a[0] : a[1];
    case Op::kMax:
      return a[0] > a[1] ? a[0] : a[1];
    case Op::kMod:
      return a[0] - a[1] * std::floor(a[0] / a[1]);
    case Op::kLess:
      return a[0] < a[1];
    case Op::kLessEqual:
      return a[0] <= a[1];
    case Op::kEqual:
      return a[0] == a[1];
    case Op::kNotEqual:
      return a[0] != a[1];
    case Op::kAnd: {
      for (long double x : a)
        if (x == 0) return 0;
      return 1;
    }
    case Op::kOr: {
      for (long double x : a)
        if (x != 0) return 1;
      return 0;
    }
    case Op::kNot:
      return a[0] == 0;
    case Op::kIf:
      return a[0] != 0 ? a[1] : a[2];
    default:
      return NAN;
  }
}

/// The value, and in `size` the largest magnitude met on the way (for tolerances) or infinity where an
/// operation was undefined.
inline long double Evaluate(const Tree& tree, const Values& values, long double& size) {
  long double result;
  if (tree.op == Op::kNumber || tree.op == Op::kBoolean) {
    result = tree.number;
  } else if (tree.op == Op::kSymbol) {
    result = values[static_cast<size_t>(tree.symbol)];
  } else {
    std::vector<long double> a;
    for (const Tree& operand : tree.operands) a.push_back(Evaluate(operand, values, size));
    result = Apply(tree.op, a);
  }
  size = std::isfinite(result) ? std::max(size, std::fabs(result)) : INFINITY;
  return result;
}

/// The same for what the pool made; `symbols[k]` has values[k].
inline long double Evaluate(const ExprPool& pool, ExprId id, const std::map<SymbolId, long double>& values) {
  if (pool.IsNumber(id)) return pool.NumberValue(id);
  if (pool.op(id) == Op::kBoolean) return pool.BooleanValue(id);
  if (pool.IsSymbol(id)) return values.at(pool.SymbolOf(id));
  std::vector<long double> a;
  for (ExprId operand : pool.operands(id)) a.push_back(Evaluate(pool, operand, values));
  return Apply(pool.op(id), a);
}

inline ExprId Build(ExprPool& pool, const Tree& tree, const std::vector<ExprId>& symbols) {
  if (tree.op == Op::kNumber) return pool.Number(tree.number);
  if (tree.op == Op::kBoolean) return pool.Boolean(tree.number != 0);
  if (tree.op == Op::kSymbol) return symbols[static_cast<size_t>(tree.symbol)];
  std::vector<ExprId> a;
  for (const Tree& operand : tree.operands) a.push_back(Build(pool, operand, symbols));
  switch (tree.op) {
    case Op::kAdd:
      return a.size() == 2 ? pool.Add(a[0], a[1]) : pool.Sum(a);
    case Op::kMultiply:
      return a.size() == 2 ? pool.Multiply(a[0], a[1]) : pool.Product(a);
    case Op::kDivide:
      return pool.Divide(a[0], a[1]);
    case Op::kPower:
      return pool.Power(a[0], a[1]);
    case Op::kAnd:
    case Op::kOr:
      return pool.Connective(tree.op, a);
    case Op::kNot:
      return pool.Not(a[0]);
    case Op::kIf:
      return pool.If(a[0], a[1], a[2]);
    default:
      if (IsUnaryFunction(tree.op)) return pool.Unary(tree.op, a[0]);
      if (IsRelation(tree.op)) return pool.Relation(tree.op, a[0], a[1]);
      return pool.Binary(tree.op, a[0], a[1]);
  }
}

/** Random trees. `smooth` leaves out what has jumps or narrow domains, for comparing derivatives. */
class RandomTree {
 public:
  RandomTree(uint32_t seed, int symbols, bool smooth) : random_(seed), symbols_(symbols), smooth_(smooth) {}

  int Next(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  Tree Real(int depth) {
    if (depth == 0 || Next(8) == 0) {
      if (Next(3) == 0) {
        static constexpr double kNumbers[] = {0, 1, -1, 2, -2, 3, 0.5, -0.5, 0.25, 10, -3, 4};
        return {Op::kNumber, kNumbers[Next(12)], 0, {}};
      }
      return {Op::kSymbol, 0, Next(symbols_), {}};
    }
    const int choice = Next(smooth_ ? 12 : 18);
    if (choice <= 3) return Many(Op::kAdd, depth, 2 + Next(3));
    if (choice <= 6) return Many(Op::kMultiply, depth, 2 + Next(3));
    if (choice == 7) return Many(Op::kDivide, depth, 2);
    if (choice == 8)
      return {Op::kPower, 0, 0, {Real(depth - 1), {Op::kNumber, static_cast<double>(1 + Next(4)), 0, {}}}};
    if (choice <= 11) {
      static constexpr Op kSmooth[] = {Op::kSin, Op::kCos, Op::kAtan, Op::kTanh};
      static constexpr Op kAll[] = {Op::kSin,   Op::kCos,  Op::kTan,  Op::kAtan, Op::kTanh, Op::kSinh,
                                    Op::kCosh,  Op::kAbs,  Op::kSqrt, Op::kExp,  Op::kLog,  Op::kSign,
                                    Op::kFloor, Op::kCeil, Op::kAsin, Op::kAcos};
      return Many(smooth_ ? kSmooth[Next(4)] : kAll[Next(16)], depth, 1);
    }
    if (choice <= 13) {
      static constexpr Op kBinary[] = {Op::kMin, Op::kMax, Op::kAtan2, Op::kMod};
      return Many(kBinary[Next(4)], depth, 2);
    }
    return {Op::kIf, 0, 0, {Condition(depth - 1), Real(depth - 1), Real(depth - 1)}};
  }

  Tree Condition(int depth) {
    const int choice = depth == 0 ? 0 : Next(6);
    if (choice <= 2) {
      static constexpr Op kRelations[] = {Op::kLess, Op::kLessEqual, Op::kEqual, Op::kNotEqual};
      return Many(kRelations[Next(4)], depth == 0 ? 1 : depth, 2);
    }
    if (choice == 3) return {Op::kNot, 0, 0, {Condition(depth - 1)}};
    if (choice == 4 && Next(4) == 0) return {Op::kBoolean, static_cast<double>(Next(2)), 0, {}};
    return {choice == 4 ? Op::kAnd : Op::kOr, 0, 0, {Condition(depth - 1), Condition(depth - 1)}};
  }

 private:
  Tree Many(Op op, int depth, int count) {
    Tree tree{op, 0, 0, {}};
    for (int k = 0; k < count; ++k) tree.operands.push_back(Real(depth - 1));
    return tree;
  }

  std::mt19937 random_;
  int symbols_;
  bool smooth_;
};

}  // namespace cotree::test
