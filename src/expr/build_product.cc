// SPDX-License-Identifier: Apache-2.0
// Canonical products, quotients and powers. A factor is split into base^exponent with a positive integer
// exponent; factors are sorted by their bases (EX.5).
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "expr/expr_pool.h"
#include "expr/fold.h"
#include "expr/inline_buffer.h"

namespace cotree {

namespace {

bool IsInteger(double x) {
  return std::fabs(x) <= 9007199254740992.0 && x == std::floor(x);
}
bool IsOdd(double x) {
  return std::fmod(x, 2) != 0;
}

}  // namespace

struct ExprPool::Factor {
  uint64_t base_hash;
  double exponent;  // a positive integer
  ExprId id;        // the whole factor
  ExprId base;
};

ExprPool::Factor ExprPool::SplitFactor(ExprId id) const {
  const Node& n = node(id);
  if (n.op() == Op::kPower) {
    const Node& exponent = node(n.near[1]);
    if (exponent.op() == Op::kNumber && exponent.number > 0 && IsInteger(exponent.number))
      return {hash(n.near[0]), exponent.number, id, n.near[0]};
  }
  return {n.hash, 1, id, id};
}

ExprId ExprPool::Negate(ExprId a) {
  if (IsNumber(a)) return Number(-NumberValue(a));
  return Multiply(Number(-1), a);
}

ExprId ExprPool::Multiply(ExprId a, ExprId b) {
  if (IsNumber(b)) std::swap(a, b);
  const Op op_a = op(a), op_b = op(b);
  if (op_b != Op::kNumber && op_b != Op::kMultiply) {
    if (op_a == Op::kNumber) {
      const double coefficient = NumberValue(a);
      if (coefficient == 0) return zero_;
      if (coefficient == 1) return b;
      if (coefficient == -1 && CanNegateTermwise(b)) return NegateTermwise(b);
      return Intern(Op::kMultiply, {a, b});
    }
    if (op_a != Op::kMultiply) {
      const uint64_t hash_a = op_a == Op::kPower ? SplitFactor(a).base_hash : hash(a);
      const uint64_t hash_b = op_b == Op::kPower ? SplitFactor(b).base_hash : hash(b);
      if (hash_a != hash_b) {
        if (hash_b < hash_a) std::swap(a, b);
        return Intern(Op::kMultiply, {a, b});
      }
    }
  }
  return Product({a, b});
}

ExprId ExprPool::Product(std::span<const ExprId> factors) {
  return ProductOf(factors, true);
}

ExprId ExprPool::ProductOf(std::span<const ExprId> operands, bool merge_scaled) {
  InlineBuffer<double, 8> numbers;
  InlineBuffer<Factor, 36> factors;
  const auto take = [&](ExprId id) {
    if (IsNumber(id)) {
      if (!IsOne(id)) numbers.push_back(NumberValue(id));
    } else {
      factors.push_back(SplitFactor(id));
    }
  };
  for (ExprId id : operands) {
    if (IsZero(id)) return zero_;
    if (op(id) == Op::kMultiply && node(id).count() <= kMergeLimit &&
        (merge_scaled || !IsNumber(operand(id, 0)))) {
      for (ExprId inner : this->operands(id)) take(inner);
    } else {
      take(id);
    }
  }
  FoldNumbers(
      numbers, [](double a, double b) { return a * b; }, FoldableProduct);
  // Coefficients that do not fold stay with their own operands: 1e300*(1e300*x).
  if (numbers.size() > 1 && merge_scaled) return ProductOf(operands, false);
  std::sort(factors.begin(), factors.end(), [this](const Factor& a, const Factor& b) {
    if (a.base_hash != b.base_hash) return a.base_hash < b.base_hash;
    if (a.base != b.base) return Compare(a.base, b.base) < 0;
    return a.exponent < b.exponent;
  });

  InlineBuffer<ExprId, 36> result;
  const double coefficient = numbers.empty() ? 1 : numbers[0];
  if (coefficient != 1) result.push_back(Number(coefficient));
  for (size_t k = 0; k < factors.size();) {
    double exponent = factors[k].exponent;
    size_t end = k + 1;
    for (; end < factors.size() && factors[end].base == factors[k].base; ++end) {
      if (exponent + factors[end].exponent > kExponentLimit) break;
      exponent += factors[end].exponent;
    }
    result.push_back(end == k + 1 ? factors[k].id : Intern(Op::kPower, {factors[k].base, Number(exponent)}));
    k = end;
  }
  ExprId product;
  if (result.empty()) {
    product = one_;
  } else if (result.size() == 1) {
    product = result[0];
  } else if (result.size() == 2 && coefficient == -1 && CanNegateTermwise(result[1])) {
    product = NegateTermwise(result[1]);
  } else {
    product = Intern(Op::kMultiply, {result.data(), result.size()});
  }
  for (size_t k = 1; k < numbers.size(); ++k) product = Intern(Op::kMultiply, {Number(numbers[k]), product});
  return product;
}

ExprId ExprPool::Divide(ExprId a, ExprId b) {
  if (IsOne(b)) return a;
  const bool product_a = op(a) == Op::kMultiply, product_b = op(b) == Op::kMultiply;
  const bool negative_a = (IsNumber(a) || product_a) && IsNegative(a);
  const bool negative_b = (IsNumber(b) || product_b) && IsNegative(b);
  if (negative_a || negative_b) {
    const ExprId quotient = Divide(negative_a ? Negate(a) : a, negative_b ? Negate(b) : b);
    return negative_a == negative_b ? quotient : Negate(quotient);
  }
  if (IsNumber(a) && IsNumber(b) && !IsZero(b)) {
    if (IsZero(a)) return zero_;
    const double quotient = NumberValue(a) / NumberValue(b);
    if (FoldableProduct(quotient) && std::fma(quotient, NumberValue(b), -NumberValue(a)) == 0 &&
        FoldableProduct(quotient * NumberValue(b)))
      return Number(quotient);
  }
  return Intern(Op::kDivide, {a, b});
}

ExprId ExprPool::Power(ExprId base, ExprId exponent) {
  if (IsZero(exponent)) return one_;
  if (IsOne(exponent) || IsOne(base)) return base;
  if (IsNumber(exponent)) {
    const double n = NumberValue(exponent);
    if (IsZero(base) && n > 0) return zero_;
    if (IsInteger(n)) {
      if (IsNumber(base) && std::fabs(n) <= 1074) {
        // Exact as long as every product is: then the order of the chain does not matter.
        const double b = NumberValue(base);
        double value = 1;
        bool exact = !IsZero(base);
        for (double k = 0; exact && k < std::fabs(n); ++k) {
          const double product = value * b;
          exact = FoldableProduct(product) && std::fma(value, b, -product) == 0;
          value = product;
        }
        if (exact && n > 0) return Number(value);
        if (exact && std::fma(1 / value, value, -1.0) == 0 && FoldableProduct(1 / value))
          return Number(1 / value);
      }
      // Of sums and products both signs are the same work; -x inside moves out or away.
      if (IsNegative(base)) {
        const ExprId power = Power(Negate(base), exponent);
        return IsOdd(n) ? Negate(power) : power;
      }
      if (n > 0 && op(base) == Op::kPower) {
        const Factor inner = SplitFactor(base);
        if (inner.base != base && inner.exponent * n <= kExponentLimit)
          return Intern(Op::kPower, {inner.base, Number(inner.exponent * n)});
      }
    }
  }
  return Intern(Op::kPower, {base, exponent});
}

}  // namespace cotree
