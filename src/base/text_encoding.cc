// SPDX-License-Identifier: Apache-2.0
#include "base/text_encoding.h"

namespace cotree {

size_t ByteOrderMark(std::string_view text) {
  return text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
}

std::string ForeignEncoding(std::string_view text) {
  using std::string_view;
  const string_view head = text.substr(0, 4);
  const char* name = nullptr;
  if (head == string_view("\xFF\xFE\0\0", 4) || head == string_view("\0\0\xFE\xFF", 4)) {
    name = "UTF-32";
  } else if (head.substr(0, 2) == "\xFF\xFE" || head.substr(0, 2) == "\xFE\xFF") {
    name = "UTF-16";
  } else {
    if (text.find('\0') == string_view::npos) return {};
    // Without a mark: letters and zeros by turns.
    size_t even = 0, odd = 0, count = 0;
    for (; count < text.size() && count < 64; ++count) (count % 2 == 0 ? even : odd) += text[count] == '\0';
    if (even + odd < count / 4 || (even != 0 && odd != 0)) return "it holds zero bytes, so it is no text";
    name = "UTF-16";
  }
  return std::string("it is in ") + name + "; save it as UTF-8";
}

size_t CharacterBytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t k) -> unsigned {
    return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0u;
  };
  const unsigned first = byte(0);
  if (at >= text.size()) return 0;
  if (first < 0x80) return 1;
  const size_t bytes = first >= 0xC2 && first < 0xE0   ? 2
                       : first >= 0xE0 && first < 0xF0 ? 3
                       : first >= 0xF0 && first < 0xF5 ? 4
                                                       : 0;
  for (size_t k = 1; k < bytes; ++k) {
    if ((byte(k) & 0xC0u) != 0x80u) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool outside = (first == 0xED && byte(1) >= 0xA0) || (first == 0xF4 && byte(1) >= 0x90);
  return overlong || outside ? 0 : bytes;
}

}  // namespace cotree
