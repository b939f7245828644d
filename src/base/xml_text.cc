// SPDX-License-Identifier: Apache-2.0
#include "base/xml_text.h"

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

}  // namespace cotree
