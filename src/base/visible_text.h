// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cotree {

enum class LineEnds : bool { kShown, kKept };

/** A text whose characters all can be seen: control characters, marks that turn the direction of writing, and
bytes that are no UTF-8 stand as `\x1b`, `\u202e`. So no text of a file tells a terminal what to do. Line ends
and tabs become `\n` and `\t`, or stay (`kKept`). Of what is longer than `most` bytes the beginning, and "
..." behind it. */
std::string VisibleText(std::string_view text, LineEnds line_ends, size_t most = std::string::npos);

}  // namespace cotree
