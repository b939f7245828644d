// SPDX-License-Identifier: Apache-2.0
#include "closed_form/polynomial.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "expr/exact_number.h"

namespace cotree {
namespace {

double ToDouble(const fmpq_t value) {
  // Numerator and denominator may be long; the nearest double of the quotient is wanted.
  mpq_t q;
  mpq_init(q);
  fmpq_get_mpq(q, value);
  double out = mpq_get_d(q);  // truncated: at most one unit of the last digit away
  // The nearest of the three neighbours, compared exactly.
  mpq_t near, best, difference;
  mpq_inits(near, best, difference, nullptr);
  double chosen = out;
  for (int k = 0; k < 3; ++k) {
    const double candidate = k == 0 ? out : std::nextafter(out, k == 1 ? -INFINITY : INFINITY);
    if (!std::isfinite(candidate)) continue;
    mpq_set_d(near, candidate);
    mpq_sub(difference, q, near);
    mpq_abs(difference, difference);
    if (k == 0 || mpq_cmp(difference, best) < 0) {
      mpq_set(best, difference);
      chosen = candidate;
    }
  }
  mpq_clears(near, best, difference, nullptr);
  mpq_clear(q);
  return chosen;
}

}  // namespace

Polynomial Polynomial::Integer(const Ring& ring, long value) {
  Polynomial out(ring);
  fmpq_mpoly_set_si(out.p_, value, ring.ctx());
  return out;
}

Polynomial Polynomial::Generator(const Ring& ring, size_t k) {
  Polynomial out(ring);
  fmpq_mpoly_gen(out.p_, static_cast<slong>(k), ring.ctx());
  return out;
}

std::unique_ptr<Polynomial> Polynomial::Decimal(const Ring& ring, double value) {
  if (!std::isfinite(value)) return nullptr;
  if (const auto exact = FindExact(value); exact && exact->pi_power == 0) {
    auto out = std::make_unique<Polynomial>(ring);
    fmpq_mpoly_set_si(out->p_, exact->numerator, ring.ctx());
    fmpq_mpoly_scalar_div_si(out->p_, out->p_, exact->denominator, ring.ctx());
    return out;
  }
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  // d.ddde-xx as an integer times a power of ten.
  std::string digits;
  long exponent = 0;
  for (const char* at = buffer; at != end.ptr; ++at) {
    if (*at == 'e') {
      exponent += std::strtol(std::string(at + 1, static_cast<const char*>(end.ptr)).c_str(), nullptr, 10);
      break;
    }
    if (*at == '.') continue;
    digits += *at;
  }
  const char* dot = std::find(buffer, end.ptr, '.');
  if (dot != end.ptr) exponent -= std::find(buffer, end.ptr, 'e') - dot - 1;
  fmpq_t q;
  fmpz_t power;
  fmpq_init(q);
  fmpz_init(power);
  fmpz_set_str(fmpq_numref(q), digits.c_str(), 10);
  fmpz_one(fmpq_denref(q));
  fmpz_set_ui(power, 10);
  fmpz_pow_ui(power, power, static_cast<ulong>(std::abs(exponent)));
  if (exponent >= 0)
    fmpq_mul_fmpz(q, q, power);
  else
    fmpq_div_fmpz(q, q, power);
  auto out = std::make_unique<Polynomial>(ring);
  fmpq_mpoly_set_fmpq(out->p_, q, ring.ctx());
  fmpz_clear(power);
  fmpq_clear(q);
  return out;
}

Polynomial Polynomial::OfTerms(const Ring& ring, const std::vector<Monomial>& terms) {
  Polynomial out(ring);
  for (const Monomial& m : terms) {
    const std::vector<ulong> exponents(m.exponents.begin(), m.exponents.end());
    fmpq_mpoly_push_term_si_ui(out.p_, std::lround(m.coefficient), exponents.data(), ring.ctx());
  }
  fmpq_mpoly_sort_terms(out.p_, ring.ctx());
  fmpq_mpoly_combine_like_terms(out.p_, ring.ctx());
  return out;
}

std::vector<Monomial> Polynomial::Terms() const {
  std::vector<Monomial> out(size());
  std::vector<ulong> exponents(ring_->generators());
  fmpq_t q;
  fmpq_init(q);
  for (size_t k = 0; k < out.size(); ++k) {
    fmpq_mpoly_get_term_exp_ui(exponents.data(), p_, static_cast<slong>(k), ctx());
    fmpq_mpoly_get_term_coeff_fmpq(q, p_, static_cast<slong>(k), ctx());
    out[k].exponents.assign(exponents.begin(), exponents.end());
    out[k].coefficient = ToDouble(q);
  }
  fmpq_clear(q);
  return out;
}

bool Polynomial::LeadIsNegative() const {
  if (IsZero()) return false;
  fmpq_t q;
  fmpq_init(q);
  fmpq_mpoly_get_term_coeff_fmpq(q, p_, 0, ctx());
  const bool negative = fmpq_sgn(q) < 0;
  fmpq_clear(q);
  return negative;
}

Polynomial Polynomial::operator+(const Polynomial& b) const {
  Polynomial out(*ring_);
  fmpq_mpoly_add(out.p_, p_, b.p_, ctx());
  return out;
}
Polynomial Polynomial::operator-(const Polynomial& b) const {
  Polynomial out(*ring_);
  fmpq_mpoly_sub(out.p_, p_, b.p_, ctx());
  return out;
}
Polynomial Polynomial::operator-() const {
  Polynomial out(*ring_);
  fmpq_mpoly_neg(out.p_, p_, ctx());
  return out;
}
Polynomial Polynomial::operator*(const Polynomial& b) const {
  Polynomial out(*ring_);
  fmpq_mpoly_mul(out.p_, p_, b.p_, ctx());
  return out;
}
Polynomial Polynomial::Power(uint32_t n) const {
  Polynomial out(*ring_);
  fmpq_mpoly_pow_ui(out.p_, p_, n, ctx());
  return out;
}

std::unique_ptr<Polynomial> Polynomial::DividedBy(const Polynomial& b) const {
  auto out = std::make_unique<Polynomial>(*ring_);
  if (b.IsZero() || fmpq_mpoly_divides(out->p_, p_, b.p_, ctx()) == 0) return nullptr;
  return out;
}

Polynomial Polynomial::Gcd(const Polynomial& a, const Polynomial& b) {
  Polynomial out(*a.ring_);
  if (fmpq_mpoly_gcd(out.p_, a.p_, b.p_, a.ctx()) == 0) return Integer(*a.ring_, 1);
  return out;
}

Polynomial Polynomial::TakeContent() {
  Polynomial out(*ring_);
  if (IsZero()) return Integer(*ring_, 1);
  fmpq_t content;
  fmpq_init(content);
  fmpq_mpoly_content(content, p_, ctx());
  if (LeadIsNegative()) fmpq_neg(content, content);
  fmpq_mpoly_scalar_div_fmpq(p_, p_, content, ctx());
  fmpq_mpoly_set_fmpq(out.p_, content, ctx());
  fmpq_clear(content);
  return out;
}

std::vector<std::pair<Polynomial, uint32_t>> Polynomial::Factors() const {
  std::vector<std::pair<Polynomial, uint32_t>> out;
  fmpq_mpoly_factor_t factors;
  fmpq_mpoly_factor_init(factors, ctx());
  if (fmpq_mpoly_factor(factors, p_, ctx()) != 0) {
    fmpq_t constant;
    fmpq_init(constant);
    fmpq_mpoly_factor_get_constant_fmpq(constant, factors, ctx());
    if (!fmpq_is_one(constant)) {
      out.emplace_back(Polynomial(*ring_), 1);
      fmpq_mpoly_set_fmpq(out.back().first.p_, constant, ctx());
    }
    fmpq_clear(constant);
    for (slong k = 0; k < fmpq_mpoly_factor_length(factors, ctx()); ++k) {
      out.emplace_back(Polynomial(*ring_),
                       static_cast<uint32_t>(fmpq_mpoly_factor_get_exp_si(factors, k, ctx())));
      fmpq_mpoly_factor_get_base(out.back().first.p_, factors, k, ctx());
    }
  }
  fmpq_mpoly_factor_clear(factors, ctx());
  return out;
}

std::vector<Polynomial> Polynomial::CoefficientsOf(size_t k) const {
  std::vector<Polynomial> out;
  const slong variable = static_cast<slong>(k);
  for (ulong power = 0; power <= Degree(k); ++power) {
    out.emplace_back(*ring_);
    fmpq_mpoly_get_coeff_vars_ui(out.back().p_, p_, &variable, &power, 1, ctx());
  }
  return out;
}

}  // namespace cotree
