// SPDX-License-Identifier: Apache-2.0
#include "emission/gap_order.h"

#include <algorithm>

#include "linear_algebra/least_correction.h"

namespace cotree {

GapOrder FindGapOrder(const JacobianPattern& pattern, size_t rows) {
  std::vector<std::vector<bool>> occurs(rows, std::vector<bool>(rows, false));  // [j][i], i >= j
  for (size_t k = 0; k < rows; ++k) occurs[k][k] = true;
  for (const auto& column : pattern.rows_of_column) {
    for (const uint32_t a : column) {
      for (const uint32_t b : column) {
        if (a >= b) occurs[b][a] = true;
      }
    }
  }
  std::vector<std::pair<uint32_t, uint32_t>> lower;
  for (uint32_t j = 0; j < rows; ++j) {
    for (uint32_t i = j; i < rows; ++i) {
      if (occurs[j][i]) lower.emplace_back(i, j);
    }
  }
  GapOrder out;
  out.place = FindEliminationOrder(rows, lower);
  // Entries in the order in which LeastCorrection moves them there.
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> columns(rows);
  for (size_t j = 0; j < rows; ++j) {
    for (size_t i = j; i < rows; ++i) {
      if (!occurs[j][i]) continue;
      const uint32_t a = out.place[i], b = out.place[j];
      columns[std::max(a, b)].emplace_back(std::min(a, b), static_cast<uint32_t>(i * rows + j));
    }
  }
  out.first.push_back(0);
  std::vector<uint32_t> count(rows, 0), tags(rows, 0);
  out.parents.assign(rows, -1);
  for (uint32_t k = 0; k < rows; ++k) {
    tags[k] = k;
    for (const auto& entry : columns[k]) {
      out.entries.push_back(entry);
      for (uint32_t i = entry.first; tags[i] != k; i = static_cast<uint32_t>(out.parents[i])) {
        if (out.parents[i] < 0) out.parents[i] = static_cast<int>(k);
        ++count[i];
        tags[i] = k;
      }
    }
    out.first.push_back(static_cast<uint32_t>(out.entries.size()));
  }
  out.factor_first.push_back(0);
  for (size_t k = 0; k < rows; ++k) out.factor_first.push_back(out.factor_first.back() + count[k]);
  return out;
}

}  // namespace cotree
