// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <vector>

namespace cotree {

/** How much each state takes part in a mode: |left eigenvector_k * right eigenvector_k|, normed to sum 1
(CF.10b; Perez-Arriaga, Verghese, Schweppe 1982). It does not depend on the units of the states. */
struct Mode {
  std::complex<double> pole;
  std::vector<double> participation;  // by state; empty: the matrix has no full set of eigenvectors
};

/// One for each real pole and each upper half of a pair, slowest first. `matrix` row by row.
std::vector<Mode> FindModes(const std::vector<double>& matrix, size_t n);

}  // namespace cotree
