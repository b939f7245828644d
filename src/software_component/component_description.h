// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cotree {

/** What an instance of a software component is made of, checked (CheckDescription): names are given and
unique within each list, every output is in exactly one group, indices exist, a sampled one has no continuous
states. */
struct ComponentDescription {
  struct Variable {
    std::string name;
    double start = 0.0;  // parameter: its default, NaN if it must be given; state: start value; else 0
  };
  /** Outputs that are computed at once, and the inputs on which they depend directly (ascending). */
  struct Group {
    std::vector<uint32_t> outputs, inputs;
  };

  std::string name;                  // as the component calls itself
  std::vector<Variable> parameters;  // `start` here: the value in use
  std::vector<Variable> inputs, outputs, states;
  std::vector<Group> groups;
  uint64_t discrete_bytes = 0;  // of the discrete state; 0: none
  double sample_period = 0.0;   // in seconds; 0: continuous
  bool has_jacobian = false;
  bool has_update = false;
};

/// Letters, digits, _ and what elements of arrays need: nothing that could garble a message.
bool IsComponentName(const std::string& name);

/// What is wrong with it in words, e.g. "output `y` is in no group"; empty if nothing is.
std::string CheckDescription(const ComponentDescription& description);

}  // namespace cotree
