// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/id.h"
#include "units/rational.h"

namespace cotree {

/// The order in which a Dimension keeps its exponents.
enum class BaseUnit : uint8_t { kMetre, kKilogram, kSecond, kAmpere, kKelvin, kMole, kCandela };
inline constexpr size_t kBaseUnits = 7;

/** The dimension of a quantity: the exponents of the seven SI base units (DM.1). 28 bytes, copied freely.

The radian counts as 1 (design §7), so an angle has the dimension 1; that an angle is meant is kept beside the
dimension, as `Unit::mentions_angle` or as the quantity's kind. The operations return nullopt where an
exponent does not fit a Rational. */
struct Dimension {
  std::array<Rational, kBaseUnits> exponents{};

  static constexpr Dimension One() { return {}; }
  static constexpr Dimension Of(int m, int kg, int s, int A = 0, int K = 0, int mol = 0, int cd = 0) {
    const auto r = [](int e) { return Rational(static_cast<int16_t>(e)); };
    return {{r(m), r(kg), r(s), r(A), r(K), r(mol), r(cd)}};
  }
  constexpr bool IsOne() const { return *this == Dimension{}; }
  constexpr Rational operator[](BaseUnit unit) const { return exponents[static_cast<size_t>(unit)]; }

  friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
  /// An order without meaning, the same on every machine.
  friend constexpr auto operator<=>(const Dimension&, const Dimension&) = default;
};

std::optional<Dimension> Multiply(const Dimension& a, const Dimension& b);
std::optional<Dimension> Divide(const Dimension& a, const Dimension& b);
std::optional<Dimension> Power(const Dimension& a, Rational exponent);

/// A free parameter of a class (`$a`), numbered by whoever makes the equations.
using GenericId = Id<struct GenericTag>;

/** A dimension times powers of generic dimensions: kg*m/s^2 * $a^2 / $b.

Inside a class the `$` parameters are not known; they act as further base units (DM.2). Always true:
`generics` ascends by id and has no exponent 0. A Dimension is one without generics, and then nothing is
allocated. */
struct DimensionVector {
  struct GenericExponent {
    GenericId id;
    Rational exponent;
    friend auto operator<=>(const GenericExponent&, const GenericExponent&) = default;
  };

  Dimension si;
  std::vector<GenericExponent> generics;

  DimensionVector() = default;
  DimensionVector(const Dimension& dimension) : si(dimension) {}  // NOLINT: one without generics
  static DimensionVector Generic(GenericId id, Rational exponent = 1);

  bool IsOne() const { return generics.empty() && si.IsOne(); }

  friend bool operator==(const DimensionVector&, const DimensionVector&) = default;
  friend auto operator<=>(const DimensionVector&, const DimensionVector&) = default;
};

std::optional<DimensionVector> Multiply(const DimensionVector& a, const DimensionVector& b);
std::optional<DimensionVector> Divide(const DimensionVector& a, const DimensionVector& b);
std::optional<DimensionVector> Power(const DimensionVector& a, Rational exponent);

}  // namespace cotree
