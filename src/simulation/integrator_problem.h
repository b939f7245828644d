// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "program/program.h"

namespace cotree {

/// A state for people, and from which block of which components its derivative follows: "`crank.w` (its
/// derivative: from a linear block of 17 unknowns of `crank`, `rod`)". `state`: its place among the states.
std::string StateWithBlock(const Program& program, size_t state);

}  // namespace cotree
