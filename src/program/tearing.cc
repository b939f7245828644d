// SPDX-License-Identifier: Apache-2.0
#include "program/tearing.h"

#include <algorithm>
#include <numeric>

namespace cotree {

Tearing FindTears(std::span<const std::vector<uint32_t>> columns,
                  const std::vector<std::vector<bool>>& solvable) {
  const size_t n = columns.size();
  Tearing out;
  std::vector<std::vector<uint32_t>> rows_of(n);
  std::vector<uint32_t> open(n, 0);
  for (uint32_t r = 0; r < n; ++r) {
    std::vector<uint32_t> distinct = columns[r];
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (const uint32_t c : distinct) rows_of[c].push_back(r);
    open[r] = static_cast<uint32_t>(distinct.size());
  }
  std::vector<bool> known(n, false), used(n, false);
  std::vector<uint32_t> work, by_uses(n);
  std::iota(by_uses.begin(), by_uses.end(), 0u);
  std::stable_sort(by_uses.begin(), by_uses.end(),
                   [&](uint32_t a, uint32_t b) { return rows_of[a].size() > rows_of[b].size(); });
  for (uint32_t r = 0; r < n; ++r) {
    if (open[r] == 1) work.push_back(r);
  }
  const auto settle = [&](uint32_t c) {
    known[c] = true;
    for (const uint32_t r : rows_of[c]) {
      if (--open[r] == 1 && !used[r]) work.push_back(r);
    }
  };
  const auto propagate = [&] {
    while (!work.empty()) {
      const uint32_t r = work.back();
      work.pop_back();
      if (used[r] || open[r] != 1) continue;
      for (uint32_t k = 0; k < columns[r].size(); ++k) {
        const uint32_t c = columns[r][k];
        if (known[c]) continue;
        const bool twice = std::count(columns[r].begin(), columns[r].end(), c) > 1;
        if (solvable[r][k] && !twice) {
          used[r] = true;
          out.inner.push_back({r, c, k});
          settle(c);
        }
        break;
      }
    }
  };
  propagate();
  for (const uint32_t c : by_uses) {
    if (known[c]) continue;
    out.tears.push_back(c);
    settle(c);
    propagate();
  }
  std::sort(out.tears.begin(), out.tears.end());
  for (uint32_t r = 0; r < n; ++r) {
    if (!used[r]) out.rows.push_back(r);
  }
  return out;
}

}  // namespace cotree
