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

/// Couplings that demand the same of the same places, so that one of them is left out.
void DiagnoseRedundant(const EquationSystem& system, const std::vector<CombinationTerm>& terms,
                       ComponentId left_out, Diagnostics& diagnostics);

/// A loop of signals that comes back as it went out: `left` is the equation that is left of it.
void DiagnoseGainOne(const EquationSystem& system, const std::vector<ComponentId>& loop, uint32_t left,
                     Diagnostics& diagnostics);

/// A block of equations to be solved together that has truth values among its unknowns, which have no slope
/// to follow: there may be no solution (b = not b), or two (a latch of two gates).
void DiagnoseBooleanLoop(const SortedSystem& sorted, uint32_t block, Diagnostics& diagnostics);

/// A sorted equation that one of its modes does not let solve for its unknown, because of the zeros of these
/// parameters.
void DiagnoseMode(const SortedSystem& sorted, uint32_t sorted_equation,
                  const std::vector<std::string>& parameters, Diagnostics& diagnostics);

/// Storage that is held at zero by couplers that disagree (a warning): docs/theory/block_triangular.md, BT.7.
void DiagnoseHeld(const SortedSystem& sorted, Diagnostics& diagnostics);

/// Storage that is no state (notes).
void DiagnoseStates(const SortedSystem& sorted, Diagnostics& diagnostics);

/// An equation with a delay that would have to be differentiated without end.
void DiagnoseEndlessDelay(const SortedSystem& sorted, Diagnostics& diagnostics);

/// Signals that index reduction differentiates more often than they allow (design §3.10; theory: BT.5).
void DiagnoseDerivatives(const SortedSystem& sorted, Diagnostics& diagnostics);

/// Of some orders of variables, those that need the derivative of something that has none: they can be left
/// out where nothing else needs them.
std::vector<VariableRef> FindRough(const SortedSystem& sorted, std::span<const VariableRef> wanted);

/// The components an equation comes from, each once: "R1", "gear N".
std::vector<ComponentId> ComponentsOf(const EquationSystem& system, uint32_t equation);

}  // namespace cotree
