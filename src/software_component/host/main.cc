// SPDX-License-Identifier: Apache-2.0
// cotree-component-host: the process in which Cotree runs a software component.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "software_component/supervise.h"

int main(int count, char** words) {
  cotree::SuperviseOptions options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const size_t equal = word.find('=');
    if (equal == std::string_view::npos) continue;
    const unsigned long long number = std::strtoull(words[i] + equal + 1, nullptr, 10);
    if (word.starts_with("--data=")) options.data = static_cast<int>(number);
    if (word.starts_with("--life=")) options.life = static_cast<int>(number);
    if (word.starts_with("--memory=")) options.memory_limit = number;
  }
  if (options.data < 0 || options.life < 0) {
    std::fputs("cotree-component-host runs a software component for cotree, which starts it by itself.\n",
               stderr);
    return 2;
  }
  return cotree::Supervise(options);
}
