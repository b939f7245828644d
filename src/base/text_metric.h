// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace cotree {

/** Upper bounds for the room a text takes, so that places can be found without any font.

The advances are those of DejaVu Sans, the widest of the common sans-serif fonts (Arial, Helvetica, Liberation
and Noto are narrower), plus 4 %. A character beyond ASCII counts as a full square. `size` is the font size;
all in pixels. */
double TextWidth(std::string_view text, double size, bool bold = false);

constexpr double kTextAscent = 0.95;   // above the base line, of the font size
constexpr double kTextDescent = 0.25;  // below it

}  // namespace cotree
