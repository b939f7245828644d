// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mechanics/mechanism.h"

namespace cotree {

/// Whether every freedom of the tree moves some inertia while all freedoms behind it are left free: D > 0 in
/// the recursion over articulated bodies, which divides by it. Not so for a point mass that has its place as
/// coordinates (nothing resists its turns), nor for what is massless at the end of a chain; loops, or rotors
/// on axes, then decide the accelerations.
///
/// Theory: docs/theory/mechanics.md, ME.7.
bool EveryFreedomMovesInertia(const Mechanism& mechanism, const SpatialNumbers& numbers);

}  // namespace cotree
