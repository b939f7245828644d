// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "system_graph/system_graph.h"

namespace cotree {

/** How the equations of an element class bind its edges (docs/theory/system_graph.md, SG.3).

Three kinds of equations are told apart by counting which unknowns they hold (across and through variables of
edges, continuous variables of the component):
 - those that a signal or the time alone decides, such as the phase of a sine source;
 - observers, which only define something that nothing else needs: `y = e.acc` of a sensor. They do not count
for the order of an edge, so a sensor of a rate adds no state;
 - terminal equations, all others. Edges tied by them, directly or through variables, form a group. */
struct TerminalEquations {
  struct Bound {
    int8_t across_order = -1, through_order = -1;
    bool fixes_across = false, fixes_through = false;
    bool drives = false;  // what is fixed is not identically 0: a driver, no ideal sensor
    uint32_t group = 0;
    bool elementwise = true;  // an array of edges whose elements share no equation
  };
  std::vector<Bound> edges;              // by edge of the class
  std::vector<uint32_t> variable_group;  // by variable: the group it is tied to; UINT32_MAX: none
  std::vector<std::vector<uint32_t>>
      variable_edges;  // by variable: the edges that share a terminal equation with it
  uint32_t groups = 0;

  /// Whether a variable of the component belongs to an edge: by an equation they share, or, where no edge
  /// shares one, by the group.
  bool Belongs(uint32_t variable, uint32_t edge) const;
};

TerminalEquations FindTerminalEquations(Model& model, const ElementClass& element);

}  // namespace cotree
