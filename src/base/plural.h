// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cotree {

/// "1 edge", "2 edges"; `many` where the plural is not `one` with an s.
std::string Plural(size_t n, std::string_view one, std::string_view many = {});

}  // namespace cotree
