// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace cotree {

/// The SHA-256 (FIPS 180-4) of these bytes, as 64 hexadecimal digits in lower case: what `sha256sum` prints.
std::string Sha256(std::span<const std::byte> bytes);

}  // namespace cotree
