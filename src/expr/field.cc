// SPDX-License-Identifier: Apache-2.0
#include "expr/field.h"

#include <cmath>

#include "expr/power_chain.h"
#include "expr/structural_hash.h"

namespace cotree {

namespace {

__extension__ using Wide = unsigned __int128;
constexpr uint64_t kPrime = FieldElement::kPrime;

uint64_t Reduce(uint64_t x) {
  x = (x & kPrime) + (x >> 61);
  return x >= kPrime ? x - kPrime : x;
}

uint64_t MultiplyModulo(uint64_t a, uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return Reduce((static_cast<uint64_t>(product) & kPrime) + static_cast<uint64_t>(product >> 61));
}

}  // namespace

FieldElement operator+(FieldElement a, FieldElement b) {
  return {Reduce(a.value + b.value), a.defined && b.defined};
}

FieldElement operator-(FieldElement a, FieldElement b) {
  return {Reduce(a.value + (kPrime - b.value)), a.defined && b.defined};
}

FieldElement operator*(FieldElement a, FieldElement b) {
  return {MultiplyModulo(a.value, b.value), a.defined && b.defined};
}

FieldElement operator/(FieldElement a, FieldElement b) {
  if (b.value == 0) return {0, false};
  // Fermat: b^(p-2) is the inverse.
  const FieldElement inverse =
      PowerChain<FieldElement>({b.value, true}, static_cast<int64_t>(kPrime - 2), {1, true});
  return {MultiplyModulo(a.value, inverse.value), a.defined && b.defined};
}

FieldElement FieldOf(double value) {
  if (!std::isfinite(value)) return {0, false};
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(value), &exponent);  // in [0.5, 1)
  const uint64_t integer = Reduce(static_cast<uint64_t>(std::ldexp(mantissa, 53)));
  // 2^61 = 1 modulo p, so only the exponent modulo 61 counts.
  const int shift = (((exponent - 53) % 61) + 61) % 61;
  const uint64_t magnitude = MultiplyModulo(integer, uint64_t{1} << shift);
  return {value < 0 && magnitude != 0 ? kPrime - magnitude : magnitude, true};
}

FieldElement FieldHash(uint64_t salt, std::span<const FieldElement> parts) {
  uint64_t hash = FinishHash(MixHash(0x6A09E667F3BCC909u, salt));
  bool defined = true;
  for (const FieldElement& part : parts) {
    hash = FinishHash(MixHash(hash, part.value + 1));
    defined &= part.defined;
  }
  return {hash % (kPrime - 1) + 1, defined};
}

}  // namespace cotree
