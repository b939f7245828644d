// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace cotree {

/** A linear block with a constant matrix and few tears needs no solver: explicit steps eliminate it, the same
for all blocks of its classes. With S and r the Schur complement and the residuals at tears of zero,

    S t = -r,    then the inner equations, one after another.

It is written without pivoting at run time, so the numbers of the parameters decide whether it may be used.

Theory: docs/theory/program.md, PR.2b. */
constexpr size_t kLargestEliminated = 16, kMostEliminatedTears = 4;

/// The partial derivatives of a block with a constant matrix, row by row.
std::vector<double> ConstantEntries(const Program& program, const ImplicitBlock& block);

/// The order of the rows that are left (ImplicitBlock::pivots) at these partial derivatives. Empty: the block
/// is to be solved as a whole, since it is large, or elimination would lose digits.
std::vector<uint32_t> FindPivots(const ImplicitBlock& block, std::span<const double> entries);

/// Whether the blocks that are eliminated, and how, are those of the present parameters.
bool KeepsPivots(const Program& program);

}  // namespace cotree
