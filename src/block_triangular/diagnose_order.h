// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.h"
#include "block_triangular/sorted_system.h"

namespace cotree {

/** Findings about the equations of a system, in the words of its components. */

/// Why there is no order: too many equations for some unknowns, too few for others.
void DiagnoseSingular(const EquationSystem& system, const Offsets& offsets, Diagnostics& diagnostics);

/// Equations that depend on each other whatever the values: a combination of them is empty.
void DiagnoseDependent(const EquationSystem& system, const std::vector<CombinationTerm>& terms,
                       const std::vector<VariableRef>& unknowns, Diagnostics& diagnostics);

/// Storage that is held at zero by couplers that disagree (a warning).
void DiagnoseHeld(const SortedSystem& sorted, Diagnostics& diagnostics);

/// Storage that is no state (notes).
void DiagnoseStates(const SortedSystem& sorted, Diagnostics& diagnostics);

/// Signals that index reduction differentiates more often than they allow (design §3.10).
void DiagnoseDerivatives(const SortedSystem& sorted, Diagnostics& diagnostics);

/// The components an equation comes from, each once: "R1", "gear N".
std::vector<ComponentId> ComponentsOf(const EquationSystem& system, uint32_t equation);

}  // namespace cotree
