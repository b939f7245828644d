// SPDX-License-Identifier: Apache-2.0
#include "base/plain_text.h"

#include <cstdint>

namespace cotree {
namespace {

// The bytes of the character of UTF-8 at the front; 0 if there is none, or one that controls a terminal.
size_t LengthOfCharacter(std::string_view text) {
  const auto byte = [&](size_t k) { return static_cast<uint8_t>(text[k]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return first == '\n' || first == '\t' || (first >= 0x20 && first != 0x7f) ? 1 : 0;
  const size_t length = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  uint32_t code = first & (0xffu >> (length + 1));
  for (size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0u) != 0x80u) return 0;
    code = code << 6 | (byte(k) & 0x3fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  // C1 controls; marks that change the direction of what follows.
  const bool control = code < 0xa0 || (code >= 0x200e && code <= 0x200f) ||
                       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return code < kLeast[length] || code > 0x10ffff || surrogate || control ? 0 : length;
}

}  // namespace

std::string PlainText(std::string_view text, size_t most) {
  std::string out;
  while (!text.empty()) {
    const size_t length = LengthOfCharacter(text);
    std::string piece(text.substr(0, length));
    if (length == 0) {
      const auto byte = static_cast<uint8_t>(text[0]);
      piece = {'\\', 'x', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 0xf]};
    }
    if (out.size() + piece.size() > most) return out + " ...";
    out += piece;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace cotree
