// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "system_graph/system_graph.h"

namespace cotree {

/** Which inputs the variables of a class of pure signals depend on at the same instant
(docs/theory/system_graph.md, SG.7).

The equations are matched with their unknowns: algebraic variables, and the highest derivatives of the others.
What is differentiated anywhere is known at an instant, so the search ends there; so it does at discrete
variables and `pre`. Software components say it themselves (`feedthrough`). Where a coefficient is an element
of an array of parameters (a transfer function whose first numerator may be 0) nothing is concluded: no
dependence is better than a false one. */
std::vector<std::vector<uint32_t>> FindDirectInputs(const Model& model, const ElementClass& element);

}  // namespace cotree
