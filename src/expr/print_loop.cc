// SPDX-License-Identifier: Apache-2.0
#include "expr/print_loop.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace cotree {

std::string FormatNumber(double value, int digits) {
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  const std::string exact(buffer, result.ptr);
  if (digits <= 0 || (value == std::floor(value) && std::fabs(value) < 1e6)) return exact;
  const auto rounded =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
  const std::string text(buffer, rounded.ptr);
  return text.size() < exact.size() ? text : exact;
}

ReadableOrder::ReadableOrder(const ExprPool& pool, ExprId root, ExprId main_letter)
    : pool_(pool), main_letter_(main_letter) {
  FindOrder(pool, std::span(&root, 1), &order_);
  keys_.resize(order_.nodes.size());
  for (size_t at = 0; at < order_.nodes.size(); ++at) {
    const ExprId id = order_.nodes[at];
    Key& key = keys_[at];
    if (pool.IsSymbol(id)) {
      key.lead = pool.SymbolOf(id);
      key.order = pool.symbol(key.lead).order;
      key.variable = pool.kind(key.lead) != SymbolKind::kParameter;
    } else if (pool.op(id) == Op::kTime) {
      key.variable = true;
    }
    for (ExprId operand : pool.operands(id)) {
      const Key& inner = KeyOf(operand);
      if (!inner.lead.IsNone() && (key.lead.IsNone() || pool.CompareSymbols(inner.lead, key.lead) < 0))
        key.lead = inner.lead;
      key.order = std::max(key.order, inner.order);
      key.variable |= inner.variable;
    }
  }
}

int ReadableOrder::CompareLeads(const Key& a, const Key& b) const {
  if (a.lead == b.lead) return 0;
  if (a.lead.IsNone() || b.lead.IsNone()) return a.lead.IsNone() ? 1 : -1;
  return pool_.CompareSymbols(a.lead, b.lead) < 0 ? -1 : 1;
}

int ReadableOrder::CategoryOfFactor(ExprId id) const {
  if (pool_.IsNumber(id)) return 0;
  if (pool_.op(id) == Op::kPower) id = pool_.operand(id, 0);
  const bool leaf = pool_.operands(id).empty() || pool_.op(id) == Op::kElement;
  if (!leaf) return KeyOf(id).variable ? 4 : 3;
  return KeyOf(id).variable ? 2 : 1;
}

double ReadableOrder::PowerOf(ExprId term) const {
  if (term == main_letter_) return 1;
  if (pool_.op(term) == Op::kPower && pool_.operand(term, 0) == main_letter_ &&
      pool_.IsNumber(pool_.operand(term, 1)))
    return pool_.NumberValue(pool_.operand(term, 1));
  double power = 0;
  if (pool_.op(term) == Op::kMultiply) {
    for (const ExprId factor : pool_.operands(term)) power = std::max(power, PowerOf(factor));
  }
  return pool_.op(term) == Op::kDivide ? PowerOf(pool_.operand(term, 0)) : power;
}

std::vector<ExprId> ReadableOrder::Terms(ExprId sum) const {
  const auto operands = pool_.operands(sum);
  std::vector<ExprId> terms(operands.begin(), operands.end());
  std::stable_sort(terms.begin(), terms.end(), [&](ExprId a, ExprId b) {
    if (!main_letter_.IsNone()) {
      const double x = PowerOf(a), y = PowerOf(b);
      if (x != y) return x > y;
    }
    const auto negative = [&](ExprId id) { return pool_.op(id) != Op::kAdd && pool_.IsNegative(id); };
    if (negative(a) != negative(b)) return negative(b);
    if (pool_.IsNumber(a) != pool_.IsNumber(b)) return pool_.IsNumber(b);
    const Key &x = KeyOf(a), &y = KeyOf(b);
    if (x.order != y.order) return x.order < y.order;
    if (const int c = CompareLeads(x, y); c != 0) return c < 0;
    return pool_.Compare(a, b) < 0;
  });
  return terms;
}

std::vector<ExprId> ReadableOrder::Factors(ExprId product) const {
  const auto operands = pool_.operands(product);
  std::vector<ExprId> factors(operands.begin(), operands.end());
  std::stable_sort(factors.begin(), factors.end(), [&](ExprId a, ExprId b) {
    const int x = CategoryOfFactor(a), y = CategoryOfFactor(b);
    if (x != y) return x < y;
    if (const int c = CompareLeads(KeyOf(a), KeyOf(b)); c != 0) return c < 0;
    return pool_.Compare(a, b) < 0;
  });
  return factors;
}

std::vector<ExprId> ReadableOrder::Operands(ExprId id) const {
  const auto operands = pool_.operands(id);
  std::vector<ExprId> all(operands.begin(), operands.end());
  std::stable_sort(all.begin(), all.end(), [&](ExprId a, ExprId b) {
    if (const int c = CompareLeads(KeyOf(a), KeyOf(b)); c != 0) return c < 0;
    return pool_.Compare(a, b) < 0;
  });
  return all;
}

void PrintLoop::PutList(std::span<const ExprId> ids, std::string_view separator, int context) {
  for (size_t k = 0; k < ids.size(); ++k) {
    if (k > 0) Put(separator);
    Put(ids[k], context);
  }
}

std::string PrintLoop::Run(ExprId root) {
  std::string out;
  std::vector<Part> stack;
  stack.push_back({{}, root, 0, false});
  while (!stack.empty()) {
    const Part part = std::move(stack.back());
    stack.pop_back();
    if (part.id.IsNone()) {
      out += part.text;
    } else if (out.size() > options_.limit) {
      if (!out.ends_with(Ellipsis())) out += Ellipsis();
      if (Ellipsis() == "…") return out;  // plain text has nothing to close
    } else {
      parts_.clear();
      Expand(part.id, part.context, part.drop_sign);
      std::move(parts_.rbegin(), parts_.rend(), std::back_inserter(stack));
    }
  }
  return out;
}

}  // namespace cotree
