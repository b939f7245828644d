// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system_equations/equation_system.h"

namespace cotree {

/** Adds circuits for the chords of T and cut-sets for the branches of T' to `system`, in their true
dependences (design §3.2). `across`: by edge, the number of its across variable (its through variable is the
next).

Where the circuits' total length exceeds `longest` times the edges, long tree paths are covered by sums over
segments: each heavy path of the forest is a balanced binary tree of segments, a path of the forest is
O(log^2) segments, and

  s_segment = sum of x over its branches,       x_chord = sum of s over the segments of its path,
  t_segment = t of the segment around it - sum of y over the chords whose cover holds the segment.

A segment's sum depends on its branches only, and the total of a segment on chords that cut every branch of
it: no dependence is added that is not there.

Theory: docs/theory/system_equations.md, SE.3a, SE.4 (SE.4a, SE.4b). */
void AddTopologicalRows(const LargeVector<uint32_t>& across, double longest, EquationSystem& system);

}  // namespace cotree
