// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace cotree {

/** A sparse matrix modulo 2^61 - 1, by rows. */
struct SparseRows {
  using Row = std::vector<std::pair<uint32_t, uint64_t>>;  // column, value; ascending, no zeros
  std::vector<Row> rows;
};

/** What is left after the first columns were eliminated: with these columns and any others C, as many as rows
in all, det(matrix[all rows; first columns, C]) = factor * det(rest[C]). */
struct Eliminated {
  uint64_t factor = 1;
  std::vector<SparseRows::Row> rest;  // columns numbered on
};

/// Gaussian elimination of columns 0 ... count-1, the columns and rows with the fewest entries first. Nothing
/// if they are dependent.
std::optional<Eliminated> EliminateColumns(SparseRows matrix, uint32_t count);

}  // namespace cotree
