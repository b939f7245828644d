// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "block_triangular/sorted_system.h"

namespace cotree {

/** What is demanded at the beginning, besides the equations (design §7).
Theory: docs/theory/program.md, PR.6. */
struct InitialDemands {
  /// Slots that are no states and whose values are given: fixed starts, derivatives that are to be 0.
  std::vector<uint32_t> pinned;
  /// Slots that are no states, though they could be, with proposed starts: honoured as far as states without
  /// a start can be found from them.
  std::vector<uint32_t> proposed;
  /// By state of the run: how much its start is wanted. Dependent ones follow from kept constraints.
  enum class Start : uint8_t { kDependent, kFree, kProposed, kPreferred, kFixed };
  std::vector<Start> start;
};

/** The order in which everything is computed at the beginning. Equations are those of the run and the
`initial equation`s; unknown is everything but fixed and pinned slots. Each pinned slot and each initial
equation leaves an equation without its unknown; augmenting paths lead to states, those whose start is least
wanted first, which are then computed; all others keep their start. (The sets of states that can be computed
are the independent sets of a transversal matroid, so the greedy choice is the best one.) Where no state is
left, the equation is redundant: it must hold by itself. */
struct InitialOrder {
  SortedSystem sorted;               // its `states` are those that keep their start, or have it fixed
  std::vector<uint32_t> determined;  // states of the run that are computed here
  /** An equation that nothing is left to solve for: of the system, differentiated. */
  std::vector<SortedEquation> redundant;
};

InitialOrder SortInitial(const SortedSystem& run, const InitialDemands& demands);

}  // namespace cotree
