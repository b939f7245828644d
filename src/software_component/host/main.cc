// SPDX-License-Identifier: Apache-2.0
// cotree-component-host: the process in which Cotree runs a software component; and, for authors of
// components, a look at what a library contains.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/visible_text.h"
#include "software_component/end_reason.h"
#include "software_component/software_component.h"
#include "software_component/supervise.h"

namespace {

using cotree::ComponentDescription;

void PrintVariables(const char* what, const std::vector<ComponentDescription::Variable>& variables,
                    bool with_value) {
  if (variables.empty()) return;
  std::printf("%-12s", what);
  for (const auto& variable : variables) {
    if (with_value) {
      std::printf(" %s = %s", variable.name.c_str(), cotree::PlainNumber(variable.start).c_str());
    } else {
      std::printf(" %s", variable.name.c_str());
    }
  }
  std::printf("\n");
}

// Loads the component, as cotree would, and prints what it is made of.
int Describe(int count, char** words) {
  cotree::ComponentRequest request{words[2], words[3], words[3], {}};
  for (int i = 4; i < count; ++i) {
    const std::string word = words[i];
    const size_t equal = word.find('=');
    if (equal == std::string::npos) continue;
    request.parameters.emplace_back(word.substr(0, equal), std::strtod(words[i] + equal + 1, nullptr));
  }
  cotree::ComponentFailure failure;
  cotree::ComponentOptions options;
  options.allow = true;  // who names a library here means it
  const auto component = cotree::LoadSoftwareComponent(request, options, &failure);
  if (!component) {
    std::fprintf(stderr, "%s\n", failure.Text().c_str());
    return 5;
  }
  const ComponentDescription& d = component->description();
  std::printf(
      "%-12s %s, %s", "component",
      cotree::VisibleText(d.name, cotree::LineEnds::kKept, cotree::ComponentFailure::kMostText).c_str(),
      d.sample_period > 0 ? "sampled" : "continuous");
  if (d.sample_period > 0) std::printf(" every %s s", cotree::PlainNumber(d.sample_period).c_str());
  std::printf("\n");
  PrintVariables("parameters", d.parameters, true);
  PrintVariables("inputs", d.inputs, false);
  PrintVariables("outputs", d.outputs, false);
  PrintVariables("states", d.states, true);
  for (const auto& group : d.groups) {
    std::printf("%-12s", "group");
    for (const uint32_t output : group.outputs) std::printf(" %s", d.outputs[output].name.c_str());
    std::printf(" :");
    for (const uint32_t input : group.inputs) std::printf(" %s", d.inputs[input].name.c_str());
    std::printf("%s\n", group.inputs.empty() ? " none" : "");
  }
  if (d.discrete_bytes > 0)
    std::printf("%-12s %llu bytes\n", "discrete", static_cast<unsigned long long>(d.discrete_bytes));
  for (const std::string& note : component->notes()) std::printf("%-12s %s\n", "note", note.c_str());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count >= 4 && std::string_view(words[1]) == "--describe") return Describe(count, words);
  cotree::SuperviseOptions options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const size_t equal = word.find('=');
    if (equal == std::string_view::npos) continue;
    const unsigned long long number = std::strtoull(words[i] + equal + 1, nullptr, 10);
    if (word.starts_with("--data=")) options.data = static_cast<int>(number);
    if (word.starts_with("--life=")) options.life = static_cast<int>(number);
    if (word.starts_with("--library=")) options.library = static_cast<int>(number);
    if (word.starts_with("--memory=")) options.memory_limit = number;
    if (word.starts_with("--network=")) options.confinement.network = number != 0;
    if (word.starts_with("--write=")) options.confinement.write.emplace_back(words[i] + equal + 1);
  }
  if (options.data >= 0 && options.life >= 0 && options.library >= 0) return cotree::Supervise(options);
  std::fputs(
      "cotree-component-host runs a software component for cotree, which starts it by itself.\n"
      "To see what a library contains: cotree-component-host --describe LIBRARY FUNCTION [PARAMETER=VALUE "
      "...]\n",
      stderr);
  return 2;
}
