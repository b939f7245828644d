// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace cotree {

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4): "123456789" gives 0xE3069283.
uint32_t Crc32c(std::string_view bytes);

}  // namespace cotree
