// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "software_component/component_description.h"

namespace cotree {

/** What the class in the model says of an external component (`input`, `output`, `state`, `feedthrough`,
`sample`), by its own numbering. */
struct ComponentInterface {
  std::vector<std::string> inputs, outputs, states;
  std::vector<ComponentDescription::Group> groups;  // as the model's block triangular form has them
  double sample_period = 0.0;                       // 0: continuous
};

/** How the numbering of the class and that of the library fit together.

Always true: every input, output and continuous state of one side is on the other; each group of the library
in `library_groups[g]` needs only direct inputs of group g of the class, and together they give all outputs of
g. A group of the library may be in several of the class (it is pure). */
struct ComponentBinding {
  std::vector<uint32_t> inputs;                       // by input of the library: the input of the class
  std::vector<uint32_t> outputs;                      // by output of the library: the output of the class
  std::vector<uint32_t> states;                       // by state of the library: the state of the class
  std::vector<std::vector<uint32_t>> library_groups;  // by group of the class, ascending
};

/// Returns what does not fit in words for the author of the model, naming inputs and outputs; empty if all
/// does.
std::string BindComponent(const ComponentInterface& model, const ComponentDescription& library,
                          ComponentBinding* binding);

}  // namespace cotree
