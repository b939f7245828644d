// SPDX-License-Identifier: Apache-2.0
// The tables of symbols and functions of an ExprPool, and the orders over names and expressions.
#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "expr/expr_pool.h"
#include "expr/structural_hash.h"

namespace cotree {

namespace {

std::strong_ordering CompareNumbers(double a, double b) {
  return a < b   ? std::strong_ordering::less
         : b < a ? std::strong_ordering::greater
                 : std::strong_ordering::equal;
}

// What the order of operands sees of a name: the name; of an intermediate result of a mechanism
// ("~arm.j3.A[1,2]",
// "@j3.phi#12": users' names do not begin so) only what it is, "A[1,2]", "phi", so that the terms of
// equations of like bodies stand in the same order, whatever the bodies are called (EX.2).
std::string_view RoleOf(std::string_view name) {
  if (name.empty() || (name[0] != '~' && name[0] != '@')) return name;
  const size_t dot = name.rfind('.'), number = name.rfind('#');
  const size_t begin = dot == std::string_view::npos ? 1 : dot + 1;
  return name.substr(
      begin, number == std::string_view::npos || number < begin ? std::string_view::npos : number - begin);
}

}  // namespace

SymbolId ExprPool::DeclareSymbol(std::string_view name, int order) {
  const NameId name_id = names_.Find(name);
  const bool known = !name_id.IsNone() && name_id.index() < symbol_of_name_.size();
  const SymbolId base = known ? symbol_of_name_[name_id.index()] : SymbolId::None();
  return SymbolOfOrder(base.IsNone() ? DeclareSymbol(name, SymbolKind::kVariable) : base, order);
}

SymbolId ExprPool::DeclareSymbol(std::string_view name, SymbolKind kind) {
  const NameId name_id = names_.Intern(name);
  if (symbol_of_name_.size() <= name_id.index()) symbol_of_name_.resize(name_id.index() + 1);
  SymbolId last;
  for (SymbolId at = symbol_of_name_[name_id.index()]; !at.IsNone(); at = symbols_[at.index()].namesake) {
    if (symbols_[at.index()].kind == kind) return at;
    last = at;
  }
  const SymbolId base(symbols_.size());
  symbols_.push_back({.name = name_id, .order = 0, .kind = kind, .base = base, .next = {}, .namesake = {}});
  symbol_hashes_.push_back(MixHash(HashText(RoleOf(name)), static_cast<uint64_t>(kind)));
  if (last.IsNone())
    symbol_of_name_[name_id.index()] = base;
  else
    symbols_[last.index()].namesake = base;
  return base;
}

SymbolId ExprPool::SymbolOfOrder(SymbolId symbol, int order) {
  COTREE_CHECK(order >= 0);
  const SymbolId base = symbols_[symbol.index()].base;
  SymbolId at = base;
  for (uint32_t k = 1; k <= static_cast<uint32_t>(order); ++k) {
    if (symbols_[at.index()].next.IsNone()) {
      const SymbolId next(symbols_.size());
      SymbolInfo info = symbols_[at.index()];
      info.order = k;
      info.base = base;
      info.next = {};
      info.namesake = {};
      symbols_.push_back(info);
      symbol_hashes_.push_back(FinishHash(MixHash(symbol_hashes_[base.index()], k)));
      symbols_[at.index()].next = next;
    }
    at = symbols_[at.index()].next;
  }
  return at;
}

std::optional<SymbolId> ExprPool::FindSymbol(std::string_view name, int order) const {
  const NameId name_id = names_.Find(name);
  if (name_id.IsNone() || name_id.index() >= symbol_of_name_.size()) return std::nullopt;
  SymbolId at = symbol_of_name_[name_id.index()];
  for (int k = 0; k < order && !at.IsNone(); ++k) at = symbols_[at.index()].next;
  if (at.IsNone()) return std::nullopt;
  return at;
}

std::strong_ordering ExprPool::CompareSymbols(SymbolId a, SymbolId b) const {
  if (a == b) return std::strong_ordering::equal;
  const SymbolInfo& x = symbols_[a.index()];
  const SymbolInfo& y = symbols_[b.index()];
  if (x.name != y.name) return CompareNames(names_.Text(x.name), names_.Text(y.name));
  if (x.kind != y.kind) return x.kind <=> y.kind;
  return x.order <=> y.order;
}

FunctionId ExprPool::DeclareFunction(std::string_view name, std::span<const uint32_t> orders) {
  uint64_t hash = HashText(name);
  for (uint32_t order : orders) hash = MixHash(hash, order + 1);
  const NameId name_id = names_.Intern(name);
  auto [first, last] = function_of_hash_.equal_range(hash);
  for (; first != last; ++first) {
    const FunctionInfo& info = functions_[first->second];
    if (info.name == name_id && std::ranges::equal(info.orders, orders)) return FunctionId(first->second);
  }
  const FunctionId id(functions_.size());
  functions_.push_back({name_id, {orders.begin(), orders.end()}});
  function_hashes_.push_back(hash);
  function_of_hash_.emplace(hash, id.value);
  return id;
}

ExprId ExprPool::Call(std::string_view name, std::span<const ExprId> arguments,
                      std::span<const uint32_t> orders) {
  COTREE_CHECK(orders.empty() || orders.size() == arguments.size());
  if (std::ranges::all_of(orders, [](uint32_t order) { return order == 0; })) orders = {};
  const FunctionId function = DeclareFunction(name, orders);
  return Intern(Op::kCall, function.value, function_hashes_[function.index()], arguments);
}

// ---- The structural order -----------------------------------------------------------------------------

/// Everything but the operands.
std::strong_ordering ExprPool::CompareShallow(ExprId a, ExprId b) const {
  const Node& x = node(a);
  const Node& y = node(b);
  if (auto c = x.op() <=> y.op(); c != 0) return c;
  if (auto c = x.count() <=> y.count(); c != 0) return c;
  switch (x.op()) {
    case Op::kNumber:
      return CompareNumbers(x.number, y.number);
    case Op::kBoolean:
      return x.payload <=> y.payload;
    case Op::kSymbol:
    case Op::kSumOver:
      return CompareSymbols(SymbolId(x.payload), SymbolId(y.payload));
    case Op::kCall: {
      if (x.payload == y.payload) return std::strong_ordering::equal;
      const FunctionInfo& f = functions_[x.payload];
      const FunctionInfo& g = functions_[y.payload];
      if (f.name != g.name) return CompareNames(names_.Text(f.name), names_.Text(g.name));
      return std::lexicographical_compare_three_way(f.orders.begin(), f.orders.end(), g.orders.begin(),
                                                    g.orders.end());
    }
    default:
      return std::strong_ordering::equal;
  }
}

std::strong_ordering ExprPool::Compare(ExprId a, ExprId b) const {
  if (a == b) return std::strong_ordering::equal;
  // A pair of operands that are equal is one node, so the first pair of different ids that is met decides,
  // further down.
  while (true) {
    if (auto c = CompareShallow(a, b); c != 0) return c;
    const auto x = operands(a), y = operands(b);
    size_t k = 0;
    while (k < x.size() && x[k] == y[k]) ++k;
    COTREE_CHECK(k < x.size());  // else equal structure had two ids
    const ExprId next_a = x[k];
    b = y[k];
    a = next_a;
  }
}

}  // namespace cotree
