// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "closed_form/polynomial.h"
#include "expr/expr_pool.h"

namespace cotree {

/** A rational function: numerator over denominator, without a common factor (CF.1a). */
struct Fraction {
  Polynomial numerator, denominator;
};

/** How much is printed: operations and summands of the text, shared parts counted each time. */
struct PrintedSize {
  uint64_t operations = 0;  // + - * / ^ and functions
  uint64_t terms = 0;       // summands of all sums; 1 where there is none
};
PrintedSize SizeOf(const ExprPool& pool, ExprId expr);
/// By which the shortest of several ways to write something is chosen (CF.6a): operations, terms, and what is
/// hard to read.
uint64_t CostOf(const ExprPool& pool, ExprId expr);

/** Expressions as rational functions over Q (docs/theory/closed_forms.md, CF.1 to CF.5). Generators are what
is no sum, product, quotient or integer power: symbols, time, functions. sin and cos of sums of angles are
taken apart into those of single angles, and cos² is 1 - sin² everywhere, so that equal expressions in the
sines and cosines of angles become equal. Numbers are the decimals as which they are written.

For people only: a factor that may be zero is cancelled here, which the program never does (design §3.6). */
class FractionField {
 public:
  /// `roots`: all that will be converted. Nothing larger than `most_terms` is made.
  FractionField(ExprPool& pool, std::span<const ExprId> roots, size_t most_terms = 3000);

  ExprPool& pool() { return pool_; }
  const Ring& ring() const { return *ring_; }

  /// None: it is too large, or divides by zero.
  std::optional<Fraction> Convert(ExprId expr);
  std::optional<Fraction> Add(const Fraction& a, const Fraction& b) const;
  std::optional<Fraction> Multiply(const Fraction& a, const Fraction& b) const;
  std::optional<Fraction> Divide(const Fraction& a, const Fraction& b) const;
  Fraction Negate(const Fraction& a) const { return {-a.numerator, a.denominator}; }
  Fraction Integer(long value) const {
    return {Polynomial::Integer(*ring_, value), Polynomial::Integer(*ring_, 1)};
  }

  /// With numbers in the place of symbols, exact as decimals. None: a division by zero.
  std::optional<Fraction> Evaluate(const Fraction& fraction,
                                   std::span<const std::pair<SymbolId, ExprId>> numbers) const;

  /// As one sum over one sum of products of generators: coefficients collected, nothing factored.
  ExprId Expanded(const Fraction& fraction) const;
  /// The shortest of several ways to write it: expanded, collected by what varies, by parameters, factored,
  /// sines and cosines of sums of angles.
  ExprId Shortest(const Fraction& fraction) const;
  ExprId Shortest(const Polynomial& polynomial) const;

  /** coefficient * key: the key varies, or is 1; the coefficient is a polynomial of parameters. */
  struct Share {
    ExprId key;
    std::vector<Monomial> coefficient;
  };
  /// A polynomial as a sum of shares, in sines and cosines of sums of angles where that is shorter (CF.5).
  std::vector<Share> ByWhatVaries(const Polynomial& polynomial) const;
  /// A polynomial in parameters, as short as it goes.
  ExprId Shortest(const std::vector<Monomial>& terms) const;
  /// The part of a polynomial for whose monomials `is_wanted` holds, by powers of the generators.
  Polynomial PartOf(const Polynomial& polynomial,
                    const std::function<bool(const std::vector<uint32_t>&)>& is_wanted) const;

  /// x_1 ... x_n with matrix * x = right, by Cramer's rule (CF.4b): all over one determinant. Empty: too
  /// large, or the matrix is singular.
  std::vector<Fraction> Solve(const std::vector<std::vector<Fraction>>& matrix,
                              const std::vector<Fraction>& right) const;
  std::optional<Fraction> Determinant(const std::vector<std::vector<Fraction>>& matrix) const;

  /// The generator that an expression is; none: it is no generator.
  std::optional<size_t> GeneratorOf(ExprId expr) const;

 private:
  enum class Kind : uint8_t { kPlain, kSine, kCosine };
  struct GeneratorInfo {
    ExprId expr;
    Kind kind = Kind::kPlain;
    uint32_t angle = 0;
    bool varies = false;
  };
  using Terms = std::vector<Monomial>;

  void FindGenerators(std::span<const ExprId> roots);
  uint32_t AddGenerator(ExprId expr, Kind kind, uint32_t angle);
  uint32_t AngleOf(ExprId angle);
  std::vector<std::pair<ExprId, int32_t>> TakeApart(ExprId argument) const;
  std::pair<Polynomial, Polynomial> SineAndCosine(ExprId argument);
  Polynomial Reduce(Polynomial p) const { return Reduce(std::move(p), cosine_of_, sine_of_); }
  Polynomial Reduce(Polynomial p, const std::vector<uint32_t>& squares,
                    const std::vector<uint32_t>& others) const;
  std::optional<Fraction> Normalize(Polynomial numerator, Polynomial denominator) const;
  std::optional<Fraction> ConvertNode(ExprId expr);

  ExprId Power(size_t generator, uint32_t exponent) const;
  ExprId Product(const Monomial& m) const;
  ExprId SumOf(const Terms& terms) const;
  Monomial TakeCommon(Terms* terms) const;
  ExprId Pulled(Terms terms) const;
  ExprId Collected(const Terms& terms, bool by_what_varies) const;
  ExprId Nested(const Terms& terms) const;
  std::vector<Share> Contracted(const Terms& terms) const;
  ExprId SumOf(const std::vector<Share>& shares) const;
  ExprId Factored(const Polynomial& p) const;

  ExprPool& pool_;
  size_t most_terms_;
  std::vector<GeneratorInfo> generators_;
  std::vector<ExprId> angles_;
  std::vector<uint32_t> sine_of_, cosine_of_;            // generators, by angle
  std::unordered_map<uint32_t, uint32_t> generator_of_;  // by expression
  std::unordered_map<uint32_t, uint32_t> angle_of_;      // by expression
  std::unordered_map<uint32_t, std::optional<Fraction>> made_;
  std::unique_ptr<Ring> ring_;
};

/// The shortest way found to write an expression; itself where nothing is shorter. For people only.
ExprId Shorten(ExprPool& pool, ExprId expr);

}  // namespace cotree
