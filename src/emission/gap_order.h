// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "simulation/simulate.h"

namespace cotree {

/** The order in which Projection factors J J^T, J the invariants of a system by its states: fixed by the
pattern of J, so that emitted C can do the same operations (docs/theory/numerics.md, NU.8). */
struct GapOrder {
  std::vector<uint32_t> place;  // by row: where it stands
  std::vector<uint32_t>
      first;  // by column of the reordered square, + 1: its entries on and above the diagonal
  std::vector<std::pair<uint32_t, uint32_t>>
      entries;                         // reordered row; i*rows + j of the square itself, i >= j
  std::vector<int> parents;            // the elimination tree; -1: a root
  std::vector<uint32_t> factor_first;  // by column of L, + 1
};
GapOrder FindGapOrder(const JacobianPattern& pattern, size_t rows);

}  // namespace cotree
