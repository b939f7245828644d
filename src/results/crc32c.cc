// SPDX-License-Identifier: Apache-2.0
#include "results/crc32c.h"

#include <array>

namespace cotree {
namespace {

constexpr std::array<uint32_t, 256> kTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? (value >> 1) ^ 0x82F63B78u : value >> 1;
    table[byte] = value;
  }
  return table;
}();

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  uint32_t value = ~0u;
  for (const char c : bytes) value = (value >> 8) ^ kTable[(value ^ static_cast<uint8_t>(c)) & 0xFFu];
  return ~value;
}

}  // namespace cotree
