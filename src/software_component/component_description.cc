// SPDX-License-Identifier: Apache-2.0
#include "software_component/component_description.h"

#include <cmath>
#include <set>

#include "base/plural.h"

namespace cotree {
namespace {

constexpr uint64_t kMostDiscreteBytes = 1u << 26;
constexpr size_t kLongestName = 256;

std::string CheckNames(const char* kind, const std::vector<ComponentDescription::Variable>& list) {
  std::set<std::string> seen;
  for (const auto& variable : list) {
    if (variable.name.empty()) return std::string("it has ") + kind + " without a name";
    if (!IsComponentName(variable.name))
      return std::string("the name of its ") + kind + " number " + std::to_string(seen.size()) +
             " has characters other than letters, digits and _, or more than 256";
    if (!seen.insert(variable.name).second) {
      return std::string("two of its ") + kind + "s are called `" + variable.name + "`";
    }
  }
  return {};
}

std::string CheckGroups(const ComponentDescription& d) {
  std::vector<int> times(d.outputs.size(), 0);
  for (size_t g = 0; g < d.groups.size(); ++g) {
    const std::string where = "output group " + std::to_string(g);
    for (const uint32_t output : d.groups[g].outputs) {
      if (output >= d.outputs.size()) {
        return where + " lists output number " + std::to_string(output) + ", of " +
               Plural(d.outputs.size(), "output");
      }
      ++times[output];
    }
    for (const uint32_t input : d.groups[g].inputs) {
      if (input >= d.inputs.size()) {
        return where + " lists input number " + std::to_string(input) + ", of " +
               Plural(d.inputs.size(), "input");
      }
    }
  }
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] == 1) continue;
    return "output `" + d.outputs[i].name + "` is in " +
           (times[i] == 0 ? std::string("no group") : std::to_string(times[i]) + " groups");
  }
  return {};
}

}  // namespace

bool IsComponentName(const std::string& name) {
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain && c != '[' && c != ']' && c != ',' && c != '.') return false;
  }
  return !name.empty() && name.size() <= kLongestName;
}

std::string CheckDescription(const ComponentDescription& d) {
  std::string wrong = CheckNames("parameter", d.parameters);
  if (wrong.empty()) wrong = CheckNames("input", d.inputs);
  if (wrong.empty()) wrong = CheckNames("output", d.outputs);
  if (wrong.empty()) wrong = CheckNames("state", d.states);
  if (wrong.empty()) wrong = CheckGroups(d);
  if (!wrong.empty()) return wrong;
  for (const auto& state : d.states) {
    if (!std::isfinite(state.start)) return "the start value of state `" + state.name + "` is not finite";
  }
  if (!std::isfinite(d.sample_period) || d.sample_period < 0)
    return "its sample period is negative or not finite";
  if (d.discrete_bytes > kMostDiscreteBytes) return "its discrete state is larger than 64 MiB";
  return {};
}

}  // namespace cotree
