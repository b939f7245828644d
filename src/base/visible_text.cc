// SPDX-License-Identifier: Apache-2.0
#include "base/visible_text.h"

#include <cstdint>
#include <cstdio>

namespace cotree {
namespace {

// The length of the character at the front, 0 if it is none; its number in `code`.
size_t TakeCharacter(std::string_view text, uint32_t* code) {
  const auto byte = [&](size_t k) { return static_cast<uint8_t>(text[k]); };
  const uint8_t first = byte(0);
  const size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (length == 1) {
    *code = first;
    return 1;
  }
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  *code = first & (0xFFu >> (length + 1));
  for (size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0u) != 0x80) return 0;
    *code = *code << 6u | (byte(k) & 0x3Fu);
  }
  const bool too_long = (length == 3 && *code < 0x800) || (length == 4 && *code < 0x10000);
  return too_long || *code > 0x10FFFF || (*code >= 0xD800 && *code < 0xE000) ? 0 : length;
}

bool IsHidden(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

}  // namespace

std::string VisibleText(std::string_view text, LineEnds line_ends, size_t most) {
  std::string out;
  while (!text.empty()) {
    uint32_t code = static_cast<uint8_t>(text[0]);
    const size_t length = TakeCharacter(text, &code);
    std::string shown;
    if (length > 0 && !IsHidden(code)) {
      shown = text.substr(0, length);
    } else if (length > 0 && (code == '\n' || code == '\t')) {
      shown = line_ends == LineEnds::kKept ? std::string(1, text[0]) : code == '\n' ? "\\n" : "\\t";
    } else {
      char escape[16];
      if (length == 0) code = static_cast<uint8_t>(text[0]);  // no character: its first byte
      std::snprintf(escape, sizeof escape, length > 0 && code >= 0x80 ? "\\u%04x" : "\\x%02x", code);
      shown = escape;
    }
    if (out.size() + shown.size() > most) return out + " ...";
    out += shown;
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

}  // namespace cotree
