// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cotree {

/// A text from outside, safe for a terminal: UTF-8 and line breaks stay; control characters (escape
/// sequences begin with one) and bytes that are no UTF-8 are shown as `\x1b`. Of what is longer than `most`
/// bytes the beginning, and " ..." behind it.
std::string PlainText(std::string_view text, size_t most);

}  // namespace cotree
