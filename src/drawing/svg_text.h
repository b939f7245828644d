// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/xml_text.h"
#include "drawing/layout.h"

namespace cotree {

/// Pixels with one digit, whatever the locale: "12", "12.5".
std::string Number(double value);
/// "12,34.5".
std::string Pair(Point p);
/// A <text> whose base line begins (or has its middle) at `at`.
std::string SvgText(Point at, const std::string& text, double size, const char* anchor = "start",
                    const std::string& colour = "#222222", bool bold = false);

/// At most so many characters, with "..." where some are left out.
std::string Shortened(const std::string& text, size_t characters);
/// A whole drawing: what `body` draws inside `page`, on white, with a title.
std::string SvgPage(const Box& page, const std::string& title, const std::string& body);

}  // namespace cotree
