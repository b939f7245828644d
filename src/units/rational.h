// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>

namespace cotree {

/** An exact fraction, the exponent of a base unit (docs/theory/dimensions.md, DM.1).

Always true: den > 0, gcd(num, den) = 1, |num| and den at most the largest Int; so equal values have equal
members, and negation never overflows. Operations whose result does not fit return nullopt instead of wrapping
round: the exponents come from texts that anybody may write (`m^(1000000)`). */
template <class Int>
struct BasicRational {
  Int num = 0;
  Int den = 1;

  constexpr BasicRational() = default;
  constexpr BasicRational(Int integer) : num(integer) {}  // NOLINT: an integer is a fraction

  static constexpr int64_t kLargest = std::numeric_limits<Int>::max();

  /// n/d in lowest terms; nullopt if d = 0 or it does not fit.
  static constexpr std::optional<BasicRational> Make(int64_t n, int64_t d) {
    if (d == 0) return std::nullopt;
    return Reduce(n, d);
  }

  constexpr bool IsZero() const { return num == 0; }
  constexpr bool IsInteger() const { return den == 1; }
  constexpr BasicRational operator-() const {
    BasicRational r = *this;
    r.num = static_cast<Int>(-num);
    return r;
  }
  constexpr double ToDouble() const { return static_cast<double>(num) / static_cast<double>(den); }

  friend constexpr bool operator==(const BasicRational&, const BasicRational&) = default;
  /// The order of the values.
  friend constexpr std::strong_ordering operator<=>(const BasicRational& a, const BasicRational& b) {
    return Wide{a.num} * b.den <=> Wide{b.num} * a.den;
  }

  friend constexpr std::optional<BasicRational> Add(const BasicRational& a, const BasicRational& b) {
    return Reduce(Wide{a.num} * b.den + Wide{b.num} * a.den, Wide{a.den} * b.den);
  }
  friend constexpr std::optional<BasicRational> Subtract(const BasicRational& a, const BasicRational& b) {
    return Add(a, -b);
  }
  friend constexpr std::optional<BasicRational> Multiply(const BasicRational& a, const BasicRational& b) {
    return Reduce(Wide{a.num} * b.num, Wide{a.den} * b.den);
  }
  /// nullopt also if b = 0.
  friend constexpr std::optional<BasicRational> Divide(const BasicRational& a, const BasicRational& b) {
    if (b.num == 0) return std::nullopt;
    return Reduce(Wide{a.num} * b.den, Wide{a.den} * b.num);
  }

 private:
  // Two products of 63-bit numbers and their sum fit; a sanitizer would say otherwise.
  __extension__ using Wide = __int128;

  static constexpr std::optional<BasicRational> Reduce(Wide n, Wide d) {
    if (d < 0) {
      n = -n;
      d = -d;
    }
    if (d != 1) {
      Wide a = n < 0 ? -n : n, b = d;
      while (b != 0) {
        const Wide rest = a % b;
        a = b;
        b = rest;
      }
      n /= a;
      d /= a;
    }
    if (n > kLargest || n < -kLargest || d > kLargest) return std::nullopt;
    BasicRational r;
    r.num = static_cast<Int>(n);
    r.den = static_cast<Int>(d);
    return r;
  }
};

/// Exponents as they are kept: four bytes.
using Rational = BasicRational<int16_t>;
/// Exponents inside an elimination, where intermediate values are larger than the results.
using WideRational = BasicRational<int64_t>;

constexpr WideRational Widen(Rational r) {
  WideRational w;
  w.num = r.num;
  w.den = r.den;
  return w;
}
constexpr std::optional<Rational> Narrow(WideRational w) {
  return Rational::Make(w.num, w.den);
}

}  // namespace cotree
