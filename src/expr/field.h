// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace cotree {

/** An element of the field of integers modulo the prime p = 2^61 - 1, or "undefined" (a division by 0 was in
 * it). */
struct FieldElement {
  static constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
  uint64_t value = 0;  // 0 <= value < kPrime
  bool defined = true;

  friend bool operator==(const FieldElement&, const FieldElement&) = default;
};

FieldElement operator+(FieldElement a, FieldElement b);
FieldElement operator-(FieldElement a, FieldElement b);
FieldElement operator*(FieldElement a, FieldElement b);
/// Undefined if b is 0.
FieldElement operator/(FieldElement a, FieldElement b);

/// The double's exact binary value m*2^e as m * 2^e modulo p: no rounding, so 0.5 + 0.5 is 1. Undefined for
/// infinities.
FieldElement FieldOf(double value);

/// An element that depends on all of `parts` in a fixed, scrambled way; never 0.
FieldElement FieldHash(uint64_t salt, std::span<const FieldElement> parts);

}  // namespace cotree
