// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cotree {

/** A block taken apart: the tears given, each inner row decides its column, one after another; the rows that
are left are residuals, as many as tears. Empty `inner`: nothing is gained.

Theory: docs/theory/program.md, PR.2a. */
struct Tearing {
  struct Inner {
    uint32_t row, column;
    uint32_t entry;  // of the row: the partial derivative by the column
  };
  std::vector<uint32_t> tears;  // columns
  std::vector<Inner> inner;
  std::vector<uint32_t> rows;
};

/** Safe tearing of a block with these columns in each row: a row decides a column only where its coefficient
is constant and not zero (`solvable`, by row and entry), so that no inner division can fail on the way.
Greedy, in the manner of Otter and Elmqvist (2017): a row with one open column left decides it; where there is
none, the column that occurs in most rows is torn. Tearing is an optimisation: the solve is defined by the
whole block, and a torn solution counts only where it leaves no residual there (ProgramRun). */
Tearing FindTears(std::span<const std::vector<uint32_t>> columns,
                  const std::vector<std::vector<bool>>& solvable);

}  // namespace cotree
