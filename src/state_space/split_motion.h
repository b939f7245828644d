// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "expr/substitute.h"
#include "state_space/state_space.h"

namespace cotree {

/** What equations of motion are made of (docs/theory/closed_forms.md, CF.11). */
struct MotionLetters {
  std::vector<ExprId> velocities;  // symbols
  std::vector<ExprId> gravity;     // letters of parameters of gravity
};

/** Splits the right sides of M q'' = h into M q'' + V + G = Q (CF.11a): what is of the second degree in
velocities, what contains gravity, and the rest. Coefficients of parameters that occur several times, the base
inertia parameters, become letters where that shortens the whole: `definitions` has them. False: the group is
left as it is (something in it is no polynomial in sines, cosines, velocities and forces). `first_letter`: how
many letters there are already. */
bool SplitMotion(ExprPool& pool, ReadableGroup& group, const MotionLetters& letters,
                 const std::vector<Replacement>& numbers, size_t first_letter,
                 std::vector<std::pair<SymbolId, ExprId>>* definitions);

}  // namespace cotree
