// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.h"
#include "system_graph/system_graph.h"

namespace cotree {

/** How large a system may become before it is refused.
Theory: docs/theory/system_graph.md, SG.8. */
/** What may stand in one graph, counted by kind: components, terminals, edges, inputs, and turns of loops
around connections. */
struct GraphLimits {
  uint64_t most = uint64_t{1} << 28;
  std::string reason;  // why no more; empty: numbers end there
};

struct KnownElements;

/** Instantiates the components of a system and merges their terminal graphs (paper 000, eq. 6).

The model is without errors. Time and memory are linear in the number of components, but for the sorting of
names that are not counted up. Reports only what cannot be represented: a system that is too large, and an
input that is driven twice. All other findings are Diagnose's (diagnose_graph.h). The model changes in its
pool of expressions alone. `known` is what graphs of the model before it found out, and is added to. */
SystemGraph BuildSystemGraph(Model& model, ClassId system, Diagnostics& diagnostics,
                             const GraphLimits& limits = {}, std::vector<SystemSetting> settings = {},
                             KnownElements* known = nullptr);

}  // namespace cotree
