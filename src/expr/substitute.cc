// SPDX-License-Identifier: Apache-2.0
#include "expr/substitute.h"

#include <algorithm>
#include <optional>
#include <string>

#include "expr/walk.h"

namespace cotree {

namespace {

class Substituter {
 public:
  Substituter(ExprPool& pool, std::span<const Replacement> replacements)
      : pool_(pool), replacements_(replacements.begin(), replacements.end()) {
    for (const auto& [symbol, value] : replacements_) memo_.Insert(pool.Symbol(symbol), value.value);
  }

  ExprId Run(ExprId root) {
    Enter(root);
    std::vector<ExprId> operands;
    while (!stack_.empty()) {
      const ExprId id = stack_.back().id;
      const auto old = pool_.operands(id);
      if (stack_.back().next < old.size()) {
        const size_t k = stack_.back().next++;
        // A body whose loop variable clashes is done below, with replacements of its own.
        if (!(k == 2 && pool_.op(id) == Op::kSumOver && Clashes(pool_.SymbolOf(id)))) Enter(old[k]);
        continue;
      }
      stack_.pop_back();
      if (memo_.Contains(id)) continue;
      ExprId result = id;
      if (pool_.op(id) == Op::kSumOver && Clashes(pool_.SymbolOf(id))) {
        result = OfClashingSum(id);
      } else {
        operands.clear();
        for (ExprId operand : old) operands.emplace_back(*memo_.Find(operand));
        if (!std::ranges::equal(operands, old)) {
          ++pool_.mutable_statistics().substitutions;
          result = pool_.Rebuild(id, operands);
        }
      }
      memo_.Insert(id, result.value);
    }
    return ExprId(*memo_.Find(root));
  }

 private:
  struct Visit {
    ExprId id;
    uint32_t next;
  };

  void Enter(ExprId id) {
    if (memo_.Contains(id)) return;
    if (pool_.operands(id).empty()) {
      memo_.Insert(id, id.value);
    } else {
      stack_.push_back({id, 0});
    }
  }

  bool IsReplaced(SymbolId symbol) const {
    return std::ranges::any_of(replacements_, [&](const Replacement& r) { return r.first == symbol; });
  }

  bool IsMentioned(SymbolId symbol) {
    if (!mentioned_) {  // index symbols in the replacements, sorted
      mentioned_.emplace();
      std::vector<ExprId> values;
      for (const auto& r : replacements_) values.push_back(r.second);
      ExprOrder order;
      FindOrder(pool_, values, &order);
      for (ExprId id : order.nodes) {
        if (pool_.IsSymbol(id) && pool_.kind(pool_.SymbolOf(id)) == SymbolKind::kIndex)
          mentioned_->push_back(pool_.SymbolOf(id));
      }
      std::sort(mentioned_->begin(), mentioned_->end());
    }
    return std::ranges::binary_search(*mentioned_, symbol);
  }

  bool Clashes(SymbolId loop) { return IsReplaced(loop) || IsMentioned(loop); }

  ExprId OfClashingSum(ExprId id) {
    SymbolId loop = pool_.SymbolOf(id);
    const ExprId body = pool_.operand(id, 2);
    std::vector<Replacement> inner;
    for (const auto& r : replacements_) {
      if (r.first != loop) inner.push_back(r);
    }
    if (IsMentioned(loop)) {
      ExprOrder order;
      FindOrder(pool_, std::span(&body, 1), &order);
      std::string name(pool_.SymbolName(loop));
      SymbolId renamed = loop;
      do {
        name += '_';
        renamed = pool_.DeclareSymbol(name, SymbolKind::kIndex);
      } while (IsMentioned(renamed) || order.position.Contains(pool_.Symbol(renamed)));
      inner.emplace_back(loop, pool_.Symbol(renamed));
      loop = renamed;
    }
    // Nested at most once per clashing name, since inside it is no longer replaced.
    const ExprId new_body = Substituter(pool_, inner).Run(body);
    ++pool_.mutable_statistics().substitutions;
    return pool_.SumOver(loop, ExprId(*memo_.Find(pool_.operand(id, 0))),
                         ExprId(*memo_.Find(pool_.operand(id, 1))), new_body);
  }

  ExprPool& pool_;
  std::vector<Replacement> replacements_;
  std::optional<std::vector<SymbolId>> mentioned_;
  ExprMap memo_;
  std::vector<Visit> stack_;
};

}  // namespace

std::vector<ExprId> Substitute(ExprPool& pool, std::span<const ExprId> roots,
                               std::span<const Replacement> replacements) {
  Substituter substituter(pool, replacements);
  std::vector<ExprId> result;
  for (ExprId root : roots) result.push_back(substituter.Run(root));
  return result;
}

ExprId Substitute(ExprPool& pool, ExprId root, std::span<const Replacement> replacements) {
  return Substituter(pool, replacements).Run(root);
}

ExprId Substitute(ExprPool& pool, ExprId root, SymbolId symbol, ExprId replacement) {
  const Replacement one(symbol, replacement);
  return Substitute(pool, root, std::span(&one, 1));
}

}  // namespace cotree
