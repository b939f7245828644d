// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cotree {

/// The words that a name is made of, in lower case: FixedPump is fixed and pump, max_step max and step.
std::vector<std::string> PartsOf(std::string_view name);

}  // namespace cotree
