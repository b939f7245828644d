// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cotree {

/** An entry of a sparse matrix. */
struct SparseEntry {
  uint32_t row, column;
  double value;
};

/** The least change x of variables with R x = off, for a sparse matrix R: x = R' (R R' + give)^-1 off. Rows
that depend on others share what is to be mended: `give` is 1e-8 of the largest entry on the diagonal of R R'.
*/
class LeastCorrection {
 public:
  LeastCorrection();
  ~LeastCorrection();

  void Factor(size_t rows, size_t columns, std::span<const SparseEntry> entries);
  std::vector<double> Solve(std::span<const double> off) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

/// Where each row goes when LeastCorrection eliminates: of a symmetric pattern, given by its entries on and
/// below the diagonal.
std::vector<uint32_t> FindEliminationOrder(size_t rows, std::span<const std::pair<uint32_t, uint32_t>> lower);

}  // namespace cotree
