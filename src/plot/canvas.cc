// SPDX-License-Identifier: Apache-2.0
#include "plot/canvas.h"

#include <cstdint>

namespace cotree {

std::string ValidUtf8(std::string_view text) {
  std::string out;
  for (size_t k = 0; k < text.size();) {
    const auto lead = static_cast<uint8_t>(text[k]);
    const size_t length = lead < 0x80   ? 1
                          : lead < 0xC2 ? 0
                          : lead < 0xE0 ? 2
                          : lead < 0xF0 ? 3
                          : lead < 0xF5 ? 4
                                        : 0;
    bool valid = length > 0 && k + length <= text.size();
    for (size_t i = 1; valid && i < length; ++i) valid = (static_cast<uint8_t>(text[k + i]) & 0xC0) == 0x80;
    if (valid && length >= 3) {
      // Neither longer than needed, nor a surrogate, nor beyond the last character.
      const auto second = static_cast<uint8_t>(text[k + 1]);
      valid = !((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F));
    }
    out += valid ? std::string(text.substr(k, length)) : "?";
    k += valid ? length : 1;
  }
  return out;
}

}  // namespace cotree
