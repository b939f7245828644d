// SPDX-License-Identifier: Apache-2.0
#include "drawing/svg_text.h"

#include <cmath>
#include <cstdint>

namespace cotree {

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (static_cast<uint8_t>(c) >= 32 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string Number(double value) {
  const long tenths = std::lround(value * 10);
  const long size = std::labs(tenths);
  std::string out = (tenths < 0 ? "-" : "") + std::to_string(size / 10);
  if (size % 10 != 0) out += "." + std::to_string(size % 10);
  return out;
}

std::string Pair(Point p) {
  return Number(p.x) + "," + Number(p.y);
}

std::string SvgText(Point at, const std::string& text, double size, const char* anchor,
                    const std::string& colour, bool bold) {
  return "<text x=\"" + Number(at.x) + "\" y=\"" + Number(at.y) + "\" font-size=\"" + Number(size) +
         "\" text-anchor=\"" + anchor + "\" fill=\"" + colour + "\"" + (bold ? " font-weight=\"bold\"" : "") +
         ">" + Escaped(text) + "</text>";
}

}  // namespace cotree
