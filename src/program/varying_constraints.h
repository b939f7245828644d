// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "program/program.h"

namespace cotree {

/** Constraints that may stop determining, along the motion, the variables that are computed from them:
equations that stand, less often differentiated than they are in all, in a block whose matrix is not constant.
A length x^2 + y^2 = L^2 gives y from x, but not where y = 0. By equation of the system, ascending; those that
are kept already are left out.

Theory: docs/theory/block_triangular.md, BT.9. */
std::vector<uint32_t> FindVaryingConstraints(const Program& program);

}  // namespace cotree
