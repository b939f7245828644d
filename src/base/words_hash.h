// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cotree {

/** For tables by rows of numbers. */
struct WordsHash {
  size_t operator()(const std::vector<uint32_t>& words) const {
    uint64_t h = 0x9e3779b97f4a7c15u ^ words.size();
    for (const uint32_t x : words) h = (std::rotl(h, 5) ^ x) * 0x517cc1b727220a95u;
    return static_cast<size_t>(h ^ (h >> 29));
  }
};

}  // namespace cotree
