// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "expr/field.h"

namespace cotree::modular {

// Arithmetic modulo p = 2^61 - 1 on plain integers below p: the inner loops of the determinants. FieldElement
// (expr/field.h) is the same field with "undefined" carried along.

__extension__ using Wide = unsigned __int128;
constexpr uint64_t kPrime = FieldElement::kPrime;

constexpr uint64_t Add(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}
constexpr uint64_t Negate(uint64_t a) {
  return a == 0 ? 0 : kPrime - a;
}
constexpr uint64_t Subtract(uint64_t a, uint64_t b) {
  return Add(a, Negate(b));
}
constexpr uint64_t Multiply(uint64_t a, uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return Add(static_cast<uint64_t>(product) & kPrime, static_cast<uint64_t>(product >> 61));
}
/// Of what is not 0: a^(p-2).
constexpr uint64_t Invert(uint64_t a) {
  uint64_t result = 1;
  for (uint64_t exponent = kPrime - 2; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = Multiply(result, a);
    a = Multiply(a, a);
  }
  return result;
}

}  // namespace cotree::modular
