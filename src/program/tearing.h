// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "program/program.h"

namespace cotree {

/** Unknowns of a block such that, these given, all others follow one after another, each from an equation in
which its coefficient is provably not zero (`solvable`, by row and entry). Greedy, in the manner of Otter and
Elmqvist (2017): an equation with one open unknown left decides it; where there is none, the unknown that
occurs in most open equations is torn. Tearing is an optimisation: the solve is defined by the whole block. */
std::vector<uint32_t> FindTears(const ImplicitBlock& block, const std::vector<std::vector<bool>>& solvable);

}  // namespace cotree
