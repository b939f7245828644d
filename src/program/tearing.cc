// SPDX-License-Identifier: Apache-2.0
#include "program/tearing.h"

#include <algorithm>
#include <queue>

namespace cotree {

std::vector<uint32_t> FindTears(const ImplicitBlock& block, const std::vector<std::vector<bool>>& solvable) {
  const size_t n = block.unknowns.size();
  std::vector<std::vector<uint32_t>> rows_of(n);
  std::vector<uint32_t> open(block.rows.size(), 0), uses(n, 0);
  for (uint32_t r = 0; r < block.rows.size(); ++r) {
    std::vector<uint32_t> distinct = block.rows[r].columns;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (const uint32_t c : distinct) {
      rows_of[c].push_back(r);
      ++uses[c];
    }
    open[r] = static_cast<uint32_t>(distinct.size());
  }
  std::vector<bool> known(n, false), used(block.rows.size(), false);
  std::vector<uint32_t> tears, work;
  // Candidates for tearing, most uses first; stale counts are skipped when met.
  std::priority_queue<std::pair<uint32_t, int64_t>> by_uses;
  for (uint32_t c = 0; c < n; ++c) by_uses.emplace(uses[c], -static_cast<int64_t>(c));
  for (uint32_t r = 0; r < block.rows.size(); ++r) {
    if (open[r] == 1) work.push_back(r);
  }
  size_t left = n;
  const auto settle = [&](uint32_t c) {
    known[c] = true;
    --left;
    for (const uint32_t r : rows_of[c]) {
      if (--open[r] == 1 && !used[r]) work.push_back(r);
    }
  };
  while (left > 0) {
    while (!work.empty()) {
      const uint32_t r = work.back();
      work.pop_back();
      if (used[r] || open[r] != 1) continue;
      for (size_t k = 0; k < block.rows[r].columns.size(); ++k) {
        const uint32_t c = block.rows[r].columns[k];
        if (known[c]) continue;
        const bool twice = std::count(block.rows[r].columns.begin(), block.rows[r].columns.end(), c) > 1;
        if (solvable[r][k] && !twice) {
          used[r] = true;
          settle(c);
        }
        break;
      }
    }
    if (left == 0) break;
    uint32_t best = UINT32_MAX;
    while (!by_uses.empty()) {
      const auto [count, negative] = by_uses.top();
      by_uses.pop();
      const auto c = static_cast<uint32_t>(-negative);
      if (known[c]) continue;
      best = c;
      break;
    }
    if (best == UINT32_MAX) break;
    tears.push_back(best);
    settle(best);
  }
  std::sort(tears.begin(), tears.end());
  return tears;
}

}  // namespace cotree
