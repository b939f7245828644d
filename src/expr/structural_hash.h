// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace cotree {

/// The hash behind the order of operands: the same on every machine and in every build. Folds `value` into
/// `hash`.
/// Theory: docs/theory/expressions.md, EX.2.
constexpr uint64_t MixHash(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

constexpr uint64_t FinishHash(uint64_t hash) {
  hash *= 0xBF58476D1CE4E5B9u;
  return hash ^ (hash >> 32);
}

constexpr uint64_t HashText(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return FinishHash(hash);
}

}  // namespace cotree
