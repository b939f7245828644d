// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/check_bounds.h"
#include "system_graph/scalar_element.h"

namespace cotree {

/** The numbers of all parameters of a system. The block of a component holds its ScalarElement::parameters in
order; components with equal blocks share one, so an array of a million equal resistors has one number. Where
they do not, the numbers of one component can be changed. */
struct ParameterTable {
  LargeVector<uint32_t> first;  // by component
  LargeVector<double> values;
  std::string missing;  // "r.R": the first parameter without a finite value; empty: all have one
  std::string
      missing_reason;  // "sqrt(-1) is not a number", "1/k divides by zero"; empty: nothing gives it one
  Span missing_place;  // where its value is given
  /** A number that no part can have: the k-th parameter of a component. */
  struct Broken {
    ComponentId component;
    uint32_t parameter;  // of its ScalarElement
    double value;
    BrokenBound bound;
  };
  std::vector<Broken> broken;  // the first ones

  std::span<const double> Of(ComponentId c, const ScalarElement& scalar) const {
    return std::span(values).subspan(first[c.index()], scalar.parameters.size());
  }
};

ParameterTable FindParameters(const Model& model, const SystemGraph& graph,
                              const std::vector<ScalarElement>& scalars, bool share = true);

/// Between what the numbers of a component's block must lie, in the order of the block. `block`: its numbers,
/// on which a bound may hang.
std::vector<NumberBounds> FindBlockBounds(const Model& model, const ComponentClass& cls,
                                          const ScalarElement& scalar, std::span<const double> block);

/// COT2120 for each of `table.broken`, at the argument that gives the value where there is one.
void ReportBroken(const Model& model, const SystemGraph& graph, const std::vector<ScalarElement>& scalars,
                  const ParameterTable& table, Diagnostics& diagnostics);

}  // namespace cotree
