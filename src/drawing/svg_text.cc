// SPDX-License-Identifier: Apache-2.0
#include "drawing/svg_text.h"

#include <cmath>
#include <cstdint>

namespace cotree {

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

std::string Shortened(const std::string& text, size_t characters) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xC0) == 0x80) continue;
    if (++count > characters) return text.substr(0, i) + "...";
  }
  return text;
}

std::string SvgPage(const Box& page, const std::string& title, const std::string& body) {
  const std::string left = Number(page.left), top = Number(page.top), width = Number(page.right - page.left),
                    height = Number(page.bottom - page.top);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
         "\" viewBox=\"" + left + " " + top + " " + width + " " + height +
         "\" font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\">\n<title>" + Escaped(title) +
         "</title>\n<rect x=\"" + left + "\" y=\"" + top + "\" width=\"" + width + "\" height=\"" + height +
         "\" fill=\"#ffffff\"/>\n" + body + "</svg>\n";
}

}  // namespace cotree
