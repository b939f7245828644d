// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.h"
#include "system_graph/system_graph.h"

namespace cotree {

/** Finds on the graph what would make the equations singular, before any is formed (design §3.8), and says it
with the names of the user's components, the places, and what to do. The findings do not depend on the order
of declaration.

Theory: docs/theory/system_graph.md, SG.6. Each check is linear in the graph. */
void DiagnoseGraph(const Model& model, const SystemGraph& graph, Diagnostics& diagnostics);

/// The signal graph: inputs that nothing drives (but for those `given` from outside, by name), loops without
/// memory.
void DiagnoseSignals(Model& model, const SystemGraph& graph, Diagnostics& diagnostics,
                     const std::vector<std::string>& given = {});

/// The classes themselves: as many equations as unknowns; `energy` and `loss` that account for the power.
/// `elements` are those of a graph; classes of the user's files that no system uses are checked with their
/// default parameters.
void DiagnoseClasses(Model& model, const std::vector<ElementClass>& elements, Diagnostics& diagnostics);
void DiagnoseUnusedClasses(Model& model, Diagnostics& diagnostics);

}  // namespace cotree
