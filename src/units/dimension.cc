// SPDX-License-Identifier: Apache-2.0
#include "units/dimension.h"

namespace cotree {
namespace {

// a * b^exponent, the one operation behind all.
std::optional<Dimension> MultiplyPower(const Dimension& a, const Dimension& b, Rational exponent) {
  Dimension result = a;
  for (size_t i = 0; i < kBaseUnits; ++i) {
    if (b.exponents[i].IsZero()) continue;
    const auto scaled = Multiply(b.exponents[i], exponent);
    const auto sum = scaled ? Add(a.exponents[i], *scaled) : std::nullopt;
    if (!sum) return std::nullopt;
    result.exponents[i] = *sum;
  }
  return result;
}

std::optional<DimensionVector> MultiplyPower(const DimensionVector& a, const DimensionVector& b,
                                             Rational exponent) {
  const auto si = MultiplyPower(a.si, b.si, exponent);
  if (!si) return std::nullopt;
  DimensionVector result(*si);
  auto i = a.generics.begin();
  for (const auto& generic : b.generics) {
    while (i != a.generics.end() && i->id < generic.id) result.generics.push_back(*i++);
    auto sum = Multiply(generic.exponent, exponent);
    if (sum && i != a.generics.end() && i->id == generic.id) sum = Add(*sum, (i++)->exponent);
    if (!sum) return std::nullopt;
    if (!sum->IsZero()) result.generics.push_back({generic.id, *sum});
  }
  result.generics.insert(result.generics.end(), i, a.generics.end());
  return result;
}

}  // namespace

std::optional<Dimension> Multiply(const Dimension& a, const Dimension& b) {
  return MultiplyPower(a, b, 1);
}
std::optional<Dimension> Divide(const Dimension& a, const Dimension& b) {
  return MultiplyPower(a, b, -1);
}
std::optional<Dimension> Power(const Dimension& a, Rational exponent) {
  return MultiplyPower({}, a, exponent);
}

DimensionVector DimensionVector::Generic(GenericId id, Rational exponent) {
  DimensionVector result;
  if (!exponent.IsZero()) result.generics.push_back({id, exponent});
  return result;
}

std::optional<DimensionVector> Multiply(const DimensionVector& a, const DimensionVector& b) {
  return MultiplyPower(a, b, 1);
}
std::optional<DimensionVector> Divide(const DimensionVector& a, const DimensionVector& b) {
  return MultiplyPower(a, b, -1);
}
std::optional<DimensionVector> Power(const DimensionVector& a, Rational exponent) {
  return MultiplyPower(DimensionVector(), a, exponent);
}

}  // namespace cotree
