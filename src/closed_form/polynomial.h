// SPDX-License-Identifier: Apache-2.0
// FLINT's multivariate polynomials with owners: the only header that includes it.
#pragma once

// FLINT's headers are C, with conversions that our warnings refuse.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"
#include <fmpq_mpoly.h>
#include <fmpq_mpoly_factor.h>
#pragma GCC diagnostic pop

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cotree {

/** The ring Q[x_1, ..., x_n], in degree-lexicographic order of monomials. */
class Ring {
 public:
  explicit Ring(size_t generators) : generators_(generators) {
    fmpq_mpoly_ctx_init(ctx_, static_cast<slong>(generators), ORD_DEGLEX);
  }
  ~Ring() { fmpq_mpoly_ctx_clear(ctx_); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  size_t generators() const { return generators_; }
  const fmpq_mpoly_ctx_struct* ctx() const { return ctx_; }

 private:
  size_t generators_;
  fmpq_mpoly_ctx_t ctx_;
};

/** coefficient * product of x_k^exponents[k]. */
struct Monomial {
  std::vector<uint32_t> exponents;
  double coefficient = 0;  // rounded
};

/** A polynomial of a ring, which must outlive it. */
class Polynomial {
 public:
  explicit Polynomial(const Ring& ring) : ring_(&ring) { fmpq_mpoly_init(p_, ring.ctx()); }
  Polynomial(const Polynomial& other) : ring_(other.ring_) {
    fmpq_mpoly_init(p_, ctx());
    fmpq_mpoly_set(p_, other.p_, ctx());
  }
  Polynomial(Polynomial&& other) noexcept : ring_(other.ring_) {
    fmpq_mpoly_init(p_, ctx());
    fmpq_mpoly_swap(p_, other.p_, ctx());
  }
  Polynomial& operator=(Polynomial other) noexcept {
    fmpq_mpoly_swap(p_, other.p_, ctx());
    return *this;
  }
  ~Polynomial() { fmpq_mpoly_clear(p_, ctx()); }

  static Polynomial Integer(const Ring& ring, long value);
  static Polynomial Generator(const Ring& ring, size_t k);
  /// The number that a double is written as: 0.1 is 1/10; one of 16 digits that is a small fraction to the
  /// last bit is that fraction. None for infinities and NaN.
  static std::unique_ptr<Polynomial> Decimal(const Ring& ring, double value);

  /// Of terms with integers as coefficients.
  static Polynomial OfTerms(const Ring& ring, const std::vector<Monomial>& terms);

  const Ring& ring() const { return *ring_; }
  size_t size() const { return static_cast<size_t>(fmpq_mpoly_length(p_, ctx())); }
  bool IsZero() const { return fmpq_mpoly_is_zero(p_, ctx()) != 0; }
  bool IsOne() const { return fmpq_mpoly_is_one(p_, ctx()) != 0; }
  bool IsConstant() const { return fmpq_mpoly_is_fmpq(p_, ctx()) != 0; }
  /// Highest power of a generator.
  uint32_t Degree(size_t k) const {
    return IsZero() ? 0 : static_cast<uint32_t>(fmpq_mpoly_degree_si(p_, static_cast<slong>(k), ctx()));
  }
  std::vector<Monomial> Terms() const;
  /// Of the first term in the order of the ring.
  bool LeadIsNegative() const;

  Polynomial operator+(const Polynomial& b) const;
  Polynomial operator-(const Polynomial& b) const;
  Polynomial operator-() const;
  Polynomial operator*(const Polynomial& b) const;
  Polynomial Power(uint32_t n) const;
  bool operator==(const Polynomial& b) const { return fmpq_mpoly_equal(p_, b.p_, ctx()) != 0; }
  /// None where the division leaves a remainder.
  std::unique_ptr<Polynomial> DividedBy(const Polynomial& b) const;
  /// Monic; the polynomial 0 only for two zeros.
  static Polynomial Gcd(const Polynomial& a, const Polynomial& b);
  /// The rational number c for which this/c has integer coefficients without a common divisor and a positive
  /// first one; this is divided by it.
  Polynomial TakeContent();
  /// Irreducible factors with their powers, a constant first where it is not 1; none where FLINT gives up.
  std::vector<std::pair<Polynomial, uint32_t>> Factors() const;
  /// The coefficients of powers of one generator, from 0 on.
  std::vector<Polynomial> CoefficientsOf(size_t k) const;

  const fmpq_mpoly_struct* raw() const { return p_; }
  fmpq_mpoly_struct* raw() { return p_; }

 private:
  const fmpq_mpoly_ctx_struct* ctx() const { return ring_->ctx(); }

  const Ring* ring_;
  fmpq_mpoly_t p_;
};

}  // namespace cotree
