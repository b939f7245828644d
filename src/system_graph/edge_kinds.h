// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "system_graph/system_graph.h"
#include "system_graph/terminal_equations.h"

namespace cotree {

/// Fills in the kinds of all edges of an element class (see EdgeKind).
void FindEdgeKinds(Model& model, const TerminalEquations& bound, ElementClass& element);

/** A component whose declared `energy` and `loss` do not account for the power into its edges.
Theory: docs/theory/system_graph.md, SG.5a. */
struct EnergyMismatch {
  std::string
      difference;  // power - der(energy) - loss in symbols, its equations put in; empty if that is no help
};
/// The law of design §7, decided at operating points: power into all edges = der(energy) + loss. Nothing
/// where it holds, where neither is declared, or where it cannot be decided.
std::optional<EnergyMismatch> CheckEnergy(Model& model, const ElementClass& element);

}  // namespace cotree
