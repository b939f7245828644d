// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "system_equations/equation_system.h"

namespace cotree {

/** How often each equation is differentiated, and which variable it is matched with
(docs/theory/block_triangular.md, BT.1, BT.2, BT.2a, BT.2b).

Pryce's offsets: c_i differentiations of equation i, d_j the highest order of variable j that then occurs,
d_j - c_i >= sigma_ij (the order of j in i), with equality on the matching: the smallest such, and the
matching is one of the largest total order. Found by Pantelides' algorithm, started from the causality of the
normal tree: where the tree explains everything nothing is searched. */
struct Offsets {
  LargeVector<uint8_t> equation;               // c_i
  LargeVector<uint8_t> variable;               // d_j
  LargeVector<uint32_t> variable_of_equation;  // the matching; UINT32_MAX: none
  LargeVector<uint32_t> equation_of_variable;

  // Where there is no complete matching (Dulmage and Mendelsohn):
  bool singular = false;
  std::vector<uint32_t> over_equations, over_variables;    // more equations than unknowns
  std::vector<uint32_t> under_equations, under_variables;  // more unknowns than equations

  uint64_t augmentations = 0;  // equations the tree left open
  bool from_scratch = false;   // the causality of the tree was no start
};

/// `seed`: by equation, the variable it should be matched with, or UINT32_MAX. `wanted`: derivatives that
/// must be computed, those of the system if nothing is said.
Offsets FindOffsets(const EquationSystem& system, LargeVector<uint32_t> seed);
Offsets FindOffsets(const EquationSystem& system, LargeVector<uint32_t> seed,
                    std::span<const VariableRef> wanted);

/** Changes the matching, among pairs that are tight, so that variables are matched with equations that are
differentiated less often where they are wanted as states (EquationSystem::state_wishes), more often where
they are avoided; those wanted most come first, and what one has got no later one takes away. Theory:
docs/theory/block_triangular.md, BT.10. */
void FollowWishes(const EquationSystem& system, Offsets& offsets);

/// By equation: the variable that the causality of the tree says (terminal equations for primary variables,
/// rows for what they define); worked out once per class and causality.
LargeVector<uint32_t> FindCausality(const EquationSystem& system);

}  // namespace cotree
