// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "document/document.h"
#include "state_space/state_space.h"

namespace cotree {

/// The equations themselves: definitions and groups in the order of computation, then derivatives, outputs.
DocumentSection DescribeEquations(ExprPool& pool, const StateSpace& space);
/// What the letters mean: states, inputs, defined variables.
DocumentSection DescribeNames(ExprPool& pool, const StateSpace& space);
/// Parameters with values, to so many digits (0: all), and units.
DocumentSection DescribeParameters(ExprPool& pool, const StateSpace& space, int digits);

/// The letters' owners, for pages that mark components.
void SetOwners(ExprPool& pool, const StateSpace& space, Document* document);

/// The final equations as a Python module for SymPy, and as a Modelica model: for others to check.
std::string WriteSympy(ExprPool& pool, const StateSpace& space, const std::string& system);
/// `start`: values of the states at the beginning; empty: not known.
std::string WriteModelica(ExprPool& pool, const StateSpace& space, const std::string& system,
                          const std::vector<double>& start);

}  // namespace cotree
