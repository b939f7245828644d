// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "normal_tree/normal_tree.h"

namespace cotree {

/** An edge that stores energy but adds no state of its own, and why.

Storage in the across variable (capacitor, mass: the across variable occurs with more derivatives than the
through variable) is dependent where its across variable is secondary: the edge closes a circuit of T. Storage
in the through variable (inductor) is dependent where its through variable is secondary: its cut-set of T'
decides it.

Theory: docs/theory/normal_tree.md, NT.7. */
struct DependentStorage {
  EdgeId edge;
  bool across = true;        // which variable is dependent
  std::vector<EdgeId> with;  // the branches of the circuit; the chords of the cut-set; ascending
  std::string text;          // "C3 closes a circuit with C1 and V1", "L2 is in a cut-set with L1 and I1 only"
};

/// In the order of the edges. The cost is that of the circuits.
std::vector<DependentStorage> FindDependentStorage(const Model& model, const SystemGraph& graph,
                                                   const std::vector<ScalarElement>& scalars,
                                                   const NormalTree& tree);

}  // namespace cotree
