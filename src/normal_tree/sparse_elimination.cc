// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/sparse_elimination.h"

#include <algorithm>
#include <set>

#include "normal_tree/modular.h"

namespace cotree {

namespace {

using Row = SparseRows::Row;

uint64_t EntryOf(const Row& row, uint32_t column) {
  const auto at = std::lower_bound(row.begin(), row.end(), std::pair(column, uint64_t{0}));
  return at == row.end() || at->first != column ? 0 : at->second;
}

// row + factor * pivot_row.
Row AddMultiple(const Row& row, const Row& pivot_row, uint64_t factor) {
  Row out;
  out.reserve(row.size() + pivot_row.size());
  auto a = row.begin();
  auto b = pivot_row.begin();
  while (a != row.end() || b != pivot_row.end()) {
    if (b == pivot_row.end() || (a != row.end() && a->first < b->first)) {
      out.push_back(*a++);
      continue;
    }
    uint64_t value = modular::Multiply(factor, b->second);
    if (a != row.end() && a->first == b->first) value = modular::Add(value, a++->second);
    if (value != 0) out.emplace_back(b->first, value);
    ++b;
  }
  return out;
}

bool IsOdd(const std::vector<uint32_t>& permutation) {
  std::vector<bool> seen(permutation.size(), false);
  bool odd = false;
  for (uint32_t start = 0; start < permutation.size(); ++start) {
    for (uint32_t at = start; !seen[at]; at = permutation[at]) {
      seen[at] = true;
      if (permutation[at] != start) odd = !odd;
    }
  }
  return odd;
}

class Elimination {
 public:
  Elimination(SparseRows matrix, uint32_t count)
      : rows_(std::move(matrix.rows)), done_(rows_.size(), false), rows_of_(count) {
    for (uint32_t r = 0; r < rows_.size(); ++r) {
      for (const auto& [column, value] : rows_[r]) {
        if (column < count) rows_of_[column].insert(r);
      }
    }
    for (uint32_t c = 0; c < count; ++c) waiting_.emplace(rows_of_[c].size(), c);
  }

  std::optional<Eliminated> Run() {
    while (!waiting_.empty()) {
      const uint32_t column = waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      if (rows_of_[column].empty()) return std::nullopt;
      Eliminate(column);
    }
    Eliminated out{factor_, {}};
    for (uint32_t r = 0; r < rows_.size(); ++r) {
      if (done_[r]) continue;
      row_order_.push_back(r);
      out.rest.push_back(std::move(rows_[r]));
    }
    if (IsOdd(row_order_) != IsOdd(column_order_)) out.factor = modular::Negate(out.factor);
    return out;
  }

 private:
  void Eliminate(uint32_t column) {
    const auto pivot =
        *std::min_element(rows_of_[column].begin(), rows_of_[column].end(), [&](uint32_t a, uint32_t b) {
          return std::pair(rows_[a].size(), a) < std::pair(rows_[b].size(), b);
        });
    Forget(pivot);
    done_[pivot] = true;
    row_order_.push_back(pivot);
    column_order_.push_back(column);
    const uint64_t entry = EntryOf(rows_[pivot], column);
    factor_ = modular::Multiply(factor_, entry);
    const uint64_t minus_inverse = modular::Negate(modular::Invert(entry));
    const std::set<uint32_t> others = std::move(rows_of_[column]);
    rows_of_[column].clear();
    for (const uint32_t r : others) {
      Forget(r);
      rows_[r] =
          AddMultiple(rows_[r], rows_[pivot], modular::Multiply(EntryOf(rows_[r], column), minus_inverse));
      Remember(r);
    }
  }
  void Forget(uint32_t r) { Change(r, false); }
  void Remember(uint32_t r) { Change(r, true); }
  void Change(uint32_t r, bool add) {
    for (const auto& [column, value] : rows_[r]) {
      if (column >= rows_of_.size()) break;
      const auto at = waiting_.find({rows_of_[column].size(), column});
      if (add)
        rows_of_[column].insert(r);
      else
        rows_of_[column].erase(r);
      if (at == waiting_.end()) continue;
      waiting_.erase(at);
      waiting_.emplace(rows_of_[column].size(), column);
    }
  }

  std::vector<Row> rows_;
  std::vector<bool> done_;
  std::vector<std::set<uint32_t>> rows_of_;        // by column: rows at work that hold it
  std::set<std::pair<size_t, uint32_t>> waiting_;  // columns by the number of their rows
  std::vector<uint32_t> row_order_, column_order_;
  uint64_t factor_ = 1;
};

}  // namespace

std::optional<Eliminated> EliminateColumns(SparseRows matrix, uint32_t count) {
  return Elimination(std::move(matrix), count).Run();
}

}  // namespace cotree
