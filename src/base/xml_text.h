// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cotree {

/// With & < > " put in XML's words; what XML does not allow is left out.
std::string Escaped(std::string_view text);

}  // namespace cotree
