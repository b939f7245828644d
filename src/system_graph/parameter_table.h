// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "system_graph/scalar_element.h"

namespace cotree {

/** The numbers of all parameters of a system. The block of a component holds its ScalarElement::parameters in
order; components with equal blocks share one, so an array of a million equal resistors has one number. Where
they do not, the numbers of one component can be changed. */
struct ParameterTable {
  LargeVector<uint32_t> first;  // by component
  LargeVector<double> values;
  std::string missing;  // "r.R": the first parameter without a value; empty: all have one

  std::span<const double> Of(ComponentId c, const ScalarElement& scalar) const {
    return std::span(values).subspan(first[c.index()], scalar.parameters.size());
  }
};

ParameterTable FindParameters(const Model& model, const SystemGraph& graph,
                              const std::vector<ScalarElement>& scalars, bool share = true);

}  // namespace cotree
