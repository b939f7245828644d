// SPDX-License-Identifier: Apache-2.0
// Canonical sums. A term is split into coefficient * core; terms are sorted by their cores, so that those
// which can be collected stand side by side whatever their coefficients are (EX.4).
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "expr/expr_pool.h"
#include "expr/fold.h"
#include "expr/inline_buffer.h"

namespace cotree {

struct ExprPool::Term {
  double coefficient;
  uint64_t core_hash;  // the hash the core has as an expression of its own
  ExprId id;           // the whole term
  uint32_t core_count;
  const ExprId* core;  // factors of the core; nullptr: the core is `id` itself
};

ExprPool::Term ExprPool::SplitTerm(const ExprId& id) const {
  const Node& n = node(id);
  if (n.op() != Op::kMultiply) return {1, n.hash, id, 1, nullptr};
  const ExprId* factors = n.count() <= 2 ? n.near : n.far;
  const Node& first = node(factors[0]);
  if (first.op() != Op::kNumber) return {1, n.hash, id, n.count(), factors};
  const uint32_t rest = n.count() - 1;
  const uint64_t h = rest == 1 ? hash(factors[1]) : HashOf(Op::kMultiply, 0, {factors + 1, rest});
  return {first.number, h, id, rest, factors + 1};
}

bool ExprPool::SameCore(const Term& a, const Term& b) const {
  if (a.core_hash != b.core_hash || a.core_count != b.core_count) return false;
  const ExprId* x = a.core != nullptr ? a.core : &a.id;
  const ExprId* y = b.core != nullptr ? b.core : &b.id;
  return std::equal(x, x + a.core_count, y);
}

bool ExprPool::TermPrecedes(const Term& a, const Term& b) const {
  if (a.core_hash != b.core_hash) return a.core_hash < b.core_hash;
  if (a.core_count != b.core_count) return a.core_count < b.core_count;
  const ExprId* x = a.core != nullptr ? a.core : &a.id;
  const ExprId* y = b.core != nullptr ? b.core : &b.id;
  for (uint32_t k = 0; k < a.core_count; ++k) {
    if (x[k] != y[k]) return Compare(x[k], y[k]) < 0;
  }
  return a.coefficient < b.coefficient;
}

/// coefficient * core of `term`; the core is canonical, so only the coefficient needs care.
ExprId ExprPool::ScaleCore(double coefficient, const Term& term) {
  const ExprId* core = term.core != nullptr ? term.core : &term.id;
  if (coefficient == 1)
    return term.core_count == 1 ? core[0] : Intern(Op::kMultiply, {core, term.core_count});
  if (coefficient == -1 && term.core_count == 1 && CanNegateTermwise(core[0])) return NegateTermwise(core[0]);
  InlineBuffer<ExprId, 20> factors;
  factors.push_back(Number(coefficient));
  for (uint32_t k = 0; k < term.core_count; ++k) factors.push_back(core[k]);
  return Intern(Op::kMultiply, {factors.data(), factors.size()});
}

ExprId ExprPool::Add(ExprId a, ExprId b) {
  const Op op_a = op(a), op_b = op(b);
  if (op_a != Op::kNumber && op_b != Op::kNumber && op_a != Op::kAdd && op_b != Op::kAdd) {
    const uint64_t hash_a = op_a == Op::kMultiply ? SplitTerm(a).core_hash : hash(a);
    const uint64_t hash_b = op_b == Op::kMultiply ? SplitTerm(b).core_hash : hash(b);
    if (hash_a != hash_b) {
      if (hash_b < hash_a) std::swap(a, b);
      return Intern(Op::kAdd, {a, b});
    }
  }
  return Sum({a, b});
}

ExprId ExprPool::Sum(std::span<const ExprId> operands) {
  InlineBuffer<double, 8> numbers;
  InlineBuffer<Term, 36> terms;
  const auto take = [&](const ExprId& id) {
    if (IsNumber(id)) {
      if (!IsZero(id)) numbers.push_back(NumberValue(id));
    } else {
      terms.push_back(SplitTerm(id));
    }
  };
  for (const ExprId& id : operands) {
    if (op(id) == Op::kAdd && node(id).count() <= kMergeLimit) {
      for (const ExprId& inner : this->operands(id)) take(inner);
    } else {
      take(id);
    }
  }
  std::sort(terms.begin(), terms.end(), [this](const Term& a, const Term& b) { return TermPrecedes(a, b); });

  InlineBuffer<ExprId, 36> result;
  FoldNumbers(
      numbers, [](double a, double b) { return a + b; }, FoldableSum);
  for (double number : numbers) {
    if (number != 0) result.push_back(Number(number));
  }
  bool sum_appeared = false;  // collecting terms left a bare sum, which has to be merged in its turn
  for (size_t k = 0; k < terms.size();) {
    double coefficient = terms[k].coefficient;
    size_t end = k + 1;
    for (; end < terms.size() && SameCore(terms[k], terms[end]); ++end) {
      const double total = coefficient + terms[end].coefficient;
      if (!FoldableSum(total)) break;
      coefficient = total;
    }
    if (end == k + 1) {
      result.push_back(terms[k].id);
    } else if (coefficient != 0) {
      const ExprId term = ScaleCore(coefficient, terms[k]);
      sum_appeared |= op(term) == Op::kAdd && node(term).count() <= kMergeLimit;
      result.push_back(term);
    }
    k = end;
  }
  if (result.empty()) return zero_;
  if (result.size() == 1) return result[0];
  if (sum_appeared) return Sum({result.data(), result.size()});
  return Intern(Op::kAdd, {result.data(), result.size()});
}

bool ExprPool::CanNegateTermwise(ExprId sum) const {
  if (op(sum) != Op::kAdd || node(sum).count() > kMergeLimit) return false;
  for (ExprId term : operands(sum)) {
    if (op(term) == Op::kAdd) return false;
    // -(a - s) would be s - a, and the way back would not return: a nested sum keeps its sign outside.
    if (op(term) == Op::kMultiply && node(term).count() == 2 && IsNumber(operand(term, 0), -1) &&
        op(operand(term, 1)) == Op::kAdd)
      return false;
  }
  return true;
}

ExprId ExprPool::NegateTermwise(ExprId sum) {
  InlineBuffer<ExprId, kMergeLimit> terms;  // same cores, hence the same order
  for (const ExprId& term : operands(sum)) {
    if (IsNumber(term)) {
      terms.push_back(Number(-NumberValue(term)));
    } else {
      const Term split = SplitTerm(term);
      terms.push_back(ScaleCore(-split.coefficient, split));
    }
  }
  return Intern(Op::kAdd, {terms.data(), terms.size()});
}

bool ExprPool::IsNegative(ExprId id) const {
  switch (op(id)) {
    case Op::kNumber:
      return NumberValue(id) < 0;
    case Op::kMultiply: {
      const ExprId first = operand(id, 0);
      return IsNumber(first) && NumberValue(first) < 0;
    }
    case Op::kAdd: {
      if (!CanNegateTermwise(id)) return false;
      const auto terms = operands(id);
      size_t k = 0;
      while (k + 1 < terms.size() && IsNumber(terms[k])) ++k;
      return SplitTerm(terms[k]).coefficient < 0 || (IsNumber(terms[k]) && NumberValue(terms[k]) < 0);
    }
    default:
      return false;
  }
}

}  // namespace cotree
