// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "program/program.h"

namespace cotree {

/** Equations of a block that depend on each other at the numbers of the parameters: the sum of factor *
derivative of its unknowns is zero. */
struct Cancellation {
  uint32_t block = 0;                     // of the SortedSystem
  std::vector<CombinationTerm> terms;     // the one to be replaced first: the least often differentiated
  std::vector<VariableRef> cancelled;     // unknowns of the block, at the order that drops out
  std::vector<VariableRef> undetermined;  // those that can be changed together without breaking an equation
};

/** Finds the blocks with a constant matrix that is singular at the real numbers (a unity-gain buffer that
bootstraps a capacitor, perfectly coupled inductors): no structural method can see these
(docs/theory/block_triangular.md, BT.6, BT.6a). One for each such block. */
std::vector<Cancellation> FindCancellations(const Program& program);

/** A combination of the equations in the part with more of them than unknowns in which all variables drop
out: couplings side by side that demand the same, or contradict each other. No terms: there is none with
numbers. */
Cancellation FindSurplus(EquationSystem& system, const Offsets& offsets);

/// A vector x != 0 with x^T A = 0 for a matrix given by rows and columns; empty if A is regular. Rows and
/// columns are scaled; pivots below `tolerance` of the largest count as zero.
std::vector<double> LeftNullVector(size_t n, std::vector<double> dense, double tolerance = 1e-12);

}  // namespace cotree
