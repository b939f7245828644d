// SPDX-License-Identifier: Apache-2.0
// The order of a network, exactly: the degree of det(s*E - A) as a polynomial in s over two prime fields.
//
// The determinant is computed at as many points as its degree can need, and Newton's divided differences give
// the polynomial. A third prime checks the coefficients as integers, put together from the first two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "oracle/pencil.h"

namespace cotree::oracle {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/** Arithmetic modulo 2^61 - `less`, a prime. */
template <uint64_t less>
struct PrimeField {
  static constexpr uint64_t kPrime = (uint64_t{1} << 61) - less;

  static uint64_t Reduce(UInt128 a) {  // a < 2^122: 2^61 = less, twice
    constexpr uint64_t mask = (uint64_t{1} << 61) - 1;
    UInt128 r = (a & mask) + (a >> 61) * less;
    r = (r & mask) + (r >> 61) * less;
    uint64_t result = static_cast<uint64_t>(r);
    while (result >= kPrime) result -= kPrime;
    return result;
  }
  static uint64_t Of(int64_t a) {
    const int64_t prime = static_cast<int64_t>(kPrime);
    const int64_t r = a % prime;
    return static_cast<uint64_t>(r < 0 ? r + prime : r);
  }
  static uint64_t Of(Int128 a) {
    const Int128 r = a % static_cast<Int128>(kPrime);
    return static_cast<uint64_t>(r < 0 ? r + static_cast<Int128>(kPrime) : r);
  }
  static uint64_t Times(uint64_t a, uint64_t b) { return Reduce(static_cast<UInt128>(a) * b); }
  static uint64_t Plus(uint64_t a, uint64_t b) {
    const uint64_t sum = a + b;
    return sum >= kPrime ? sum - kPrime : sum;
  }
  static uint64_t Minus(uint64_t a, uint64_t b) { return a >= b ? a - b : a + kPrime - b; }
  static uint64_t Inverse(uint64_t a) {  // a^(p - 2)
    uint64_t result = 1;
    for (uint64_t exponent = kPrime - 2; exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) result = Times(result, a);
      a = Times(a, a);
    }
    return result;
  }

  /// By Gaussian elimination; the matrix is used up.
  static uint64_t Determinant(std::vector<std::vector<uint64_t>>& m) {
    const size_t n = m.size();
    uint64_t result = 1;
    for (size_t k = 0; k < n; ++k) {
      size_t pivot = k;
      while (pivot < n && m[pivot][k] == 0) ++pivot;
      if (pivot == n) return 0;
      if (pivot != k) {
        std::swap(m[pivot], m[k]);
        result = Minus(0, result);
      }
      result = Times(result, m[k][k]);
      uint64_t inverse = 0;
      for (size_t row = pivot + 1; row < n; ++row) {
        if (m[row][k] == 0) continue;
        if (inverse == 0) inverse = Inverse(m[k][k]);
        const uint64_t factor = Times(m[row][k], inverse);
        for (size_t column = k + 1; column < n; ++column) {
          if (m[k][column] != 0) m[row][column] = Minus(m[row][column], Times(factor, m[k][column]));
        }
      }
    }
    return result;
  }

  /// det(s*E - A) by powers of s, up to s^bound.
  static std::vector<uint64_t> DeterminantPolynomial(const Pencil& pencil, size_t bound) {
    std::vector<uint64_t> points, newton;
    for (size_t k = 0; k <= bound; ++k) {
      const uint64_t s = static_cast<uint64_t>(k + 1);
      std::vector<std::vector<uint64_t>> m(pencil.size, std::vector<uint64_t>(pencil.size, 0));
      for (const PencilEntry& e : pencil.entries) m[e.row][e.column] = Plus(Of(e.c0), Times(Of(e.c1), s));
      points.push_back(s);
      newton.push_back(Determinant(m));
    }
    for (size_t order = 1; order <= bound; ++order) {
      for (size_t k = bound; k >= order; --k) {
        newton[k] = Times(Minus(newton[k], newton[k - 1]), Inverse(Minus(points[k], points[k - order])));
      }
    }
    std::vector<uint64_t> powers(bound + 1, 0);  // Horner: powers*(s - point) + coefficient
    for (size_t k = bound + 1; k-- > 0;) {
      for (size_t p = bound + 1; p-- > 0;) {
        powers[p] = Minus(p > 0 ? powers[p - 1] : 0, Times(points[k], powers[p]));
      }
      powers[0] = Plus(powers[0], newton[k]);
    }
    while (!powers.empty() && powers.back() == 0) powers.pop_back();
    return powers;
  }
};

struct ExactOrder {
  bool singular = false;
  int order = -1;
  int zeros = 0;  // how many of the poles are 0
  // The characteristic polynomial by powers of s with integer coefficients, unless they are too large.
  std::optional<std::vector<Int128>> polynomial;
};

/// Throws if the primes disagree (which happens by chance once in 2^55 networks, say).
inline ExactOrder ExactOrderOf(const Pencil& pencil) {
  using First = PrimeField<1>;
  using Second = PrimeField<31>;
  using Third = PrimeField<45>;
  std::set<size_t> rows, columns;
  for (const PencilEntry& e : pencil.entries) {
    if (e.c1 == 0) continue;
    rows.insert(e.row);
    columns.insert(e.column);
  }
  const size_t bound = std::min(rows.size(), columns.size());
  const std::vector<uint64_t> first = First::DeterminantPolynomial(pencil, bound);
  const std::vector<uint64_t> second = Second::DeterminantPolynomial(pencil, bound);
  if (first.size() != second.size()) throw std::runtime_error("the primes disagree on the order");
  ExactOrder exact;
  exact.singular = first.empty();
  if (exact.singular) return exact;
  exact.order = static_cast<int>(first.size()) - 1;
  while (first[static_cast<size_t>(exact.zeros)] == 0 && second[static_cast<size_t>(exact.zeros)] == 0)
    ++exact.zeros;

  const std::vector<uint64_t> third = Third::DeterminantPolynomial(pencil, bound);
  constexpr Int128 modulus = static_cast<Int128>(First::kPrime) * static_cast<Int128>(Second::kPrime);
  const uint64_t inverse = Second::Inverse(First::kPrime % Second::kPrime);
  std::vector<Int128> polynomial;
  for (size_t k = 0; k < first.size(); ++k) {
    const uint64_t difference = Second::Minus(second[k], first[k] % Second::kPrime);
    Int128 c = static_cast<Int128>(first[k]) +
               static_cast<Int128>(First::kPrime) * static_cast<Int128>(Second::Times(difference, inverse));
    if (c > modulus / 2) c -= modulus;
    if (third.size() != first.size() || Third::Of(c) != third[k]) return exact;
    polynomial.push_back(c);
  }
  exact.polynomial = std::move(polynomial);
  return exact;
}

inline ExactOrder ExactOrderOf(const Network& network) {
  return ExactOrderOf(PencilOf(network));
}

}  // namespace cotree::oracle
