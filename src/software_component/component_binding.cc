// SPDX-License-Identifier: Apache-2.0
#include "software_component/component_binding.h"

#include <algorithm>
#include <cmath>

#include "software_component/end_reason.h"

namespace cotree {
namespace {

using Variables = std::vector<ComponentDescription::Variable>;

std::string ListOf(const Variables& variables) {
  std::string list;
  for (const auto& variable : variables) list += (list.empty() ? "`" : ", `") + variable.name + "`";
  return list.empty() ? "none" : list;
}

// By variable of the library its number in the model.
std::string MatchNames(const char* what, const std::vector<std::string>& model, const Variables& library,
                       std::vector<uint32_t>* numbers) {
  numbers->clear();
  for (const auto& variable : library) {
    const auto found = std::find(model.begin(), model.end(), variable.name);
    if (found == model.end()) {
      return std::string("the library has ") + what + " `" + variable.name +
             "`, which the class does not declare";
    }
    numbers->push_back(static_cast<uint32_t>(found - model.begin()));
  }
  for (const std::string& name : model) {
    const bool known =
        std::any_of(library.begin(), library.end(), [&](const auto& v) { return v.name == name; });
    if (!known) {
      return std::string("the class declares ") + what + " `" + name +
             "`, which the library does not have (it has " + ListOf(library) + ")";
    }
  }
  return {};
}

std::string PeriodText(double period) {
  return period > 0 ? "sampled every " + PlainNumber(period) + " s" : std::string("continuous");
}

}  // namespace

std::string BindComponent(const ComponentInterface& model, const ComponentDescription& library,
                          ComponentBinding* binding) {
  std::string wrong = MatchNames("input", model.inputs, library.inputs, &binding->inputs);
  if (wrong.empty()) wrong = MatchNames("output", model.outputs, library.outputs, &binding->outputs);
  if (!wrong.empty()) return wrong;
  wrong = MatchNames("state", model.states, library.states, &binding->states);
  if (!wrong.empty()) return wrong + "; declare all its states (`state x : ...`), or none";
  if (std::abs(model.sample_period - library.sample_period) > 1e-12 * library.sample_period) {
    return "the class is " + PeriodText(model.sample_period) + ", the library " +
           PeriodText(library.sample_period);
  }
  binding->library_groups.assign(model.groups.size(), {});
  for (size_t g = 0; g < model.groups.size(); ++g) {
    const auto& wanted = model.groups[g];
    for (uint32_t l = 0; l < library.groups.size(); ++l) {
      const auto& given = library.groups[l];
      const auto shared = std::find_if(given.outputs.begin(), given.outputs.end(), [&](uint32_t output) {
        return std::count(wanted.outputs.begin(), wanted.outputs.end(), binding->outputs[output]) > 0;
      });
      if (shared == given.outputs.end()) continue;
      for (const uint32_t input : given.inputs) {
        if (std::count(wanted.inputs.begin(), wanted.inputs.end(), binding->inputs[input]) > 0) continue;
        return "output `" + library.outputs[*shared].name + "` depends directly on input `" +
               library.inputs[input].name + "` in the library, but not by `feedthrough` in the class";
      }
      binding->library_groups[g].push_back(l);
    }
  }
  return {};
}

}  // namespace cotree
