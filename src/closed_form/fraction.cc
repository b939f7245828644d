// SPDX-License-Identifier: Apache-2.0
#include "closed_form/fraction.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "expr/dependence.h"
#include "expr/exact_number.h"
#include "expr/walk.h"

namespace cotree {
namespace {

bool IsArithmetic(Op op) {
  return op == Op::kAdd || op == Op::kMultiply || op == Op::kDivide;
}

// The exponent of an integer power that is worth writing out.
std::optional<int> PlainExponent(const ExprPool& pool, ExprId power) {
  constexpr int64_t kMost = 24;
  const auto n = pool.AsInteger(pool.operand(power, 1));
  if (!n || std::abs(*n) > kMost) return std::nullopt;
  return static_cast<int>(*n);
}

bool Varies(const ExprPool& pool, ExprId expr) {
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  return std::any_of(order.nodes.begin(), order.nodes.end(), [&](ExprId id) {
    return pool.op(id) == Op::kTime || pool.op(id) == Op::kCall ||
           (pool.IsSymbol(id) && pool.kind(pool.SymbolOf(id)) != SymbolKind::kParameter);
  });
}

// More terms with a minus than with a plus; the first one decides where they are as many.
bool IsRatherNegative(const Polynomial& p) {
  ptrdiff_t balance = 0;
  for (const Monomial& m : p.Terms()) {
    const bool constant =
        std::all_of(m.exponents.begin(), m.exponents.end(), [](uint32_t e) { return e == 0; });
    if (constant) return m.coefficient < 0;
    balance += m.coefficient < 0 ? -1 : 1;
  }
  return balance == 0 ? p.LeadIsNegative() : balance < 0;
}

bool IsSmallInteger(double x) {
  return x == std::floor(x) && std::fabs(x) <= 100;
}

}  // namespace

PrintedSize SizeOf(const ExprPool& pool, ExprId expr) {
  constexpr uint64_t kMost = uint64_t{1} << 40;  // texts of shared expressions can be exponentially long
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  std::vector<PrintedSize> sizes(order.nodes.size());
  for (size_t k = 0; k < order.nodes.size(); ++k) {
    const ExprId id = order.nodes[k];
    const auto operands = pool.operands(id);
    PrintedSize& size = sizes[k];
    const Op op = pool.op(id);
    if (!operands.empty()) {
      size.operations =
          op == Op::kAdd || op == Op::kMultiply || IsRelation(op) || op == Op::kAnd || op == Op::kOr
              ? operands.size() - 1
              : 1;
      if (op == Op::kMultiply && pool.IsNumber(operands[0], -1)) --size.operations;
    }
    if (op == Op::kAdd) size.terms = operands.size();
    for (const ExprId operand : operands) {
      const PrintedSize& inner = sizes[order.PositionOf(operand)];
      size.operations = std::min(kMost, size.operations + inner.operations);
      size.terms = std::min(kMost, size.terms + inner.terms);
    }
  }
  PrintedSize out = sizes[order.PositionOf(expr)];
  out.terms = std::max<uint64_t>(out.terms, 1);
  return out;
}

uint64_t CostOf(const ExprPool& pool, ExprId expr) {
  const PrintedSize size = SizeOf(pool, expr);
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  uint64_t cost = 2 * size.operations + size.terms;
  for (const ExprId id : order.nodes) {
    const auto operands = pool.operands(id);
    const auto is_quotient = [&](ExprId x) { return pool.op(x) == Op::kDivide; };
    if (is_quotient(id)) {
      cost += 2 * static_cast<uint64_t>(std::count_if(operands.begin(), operands.end(), is_quotient));
      if (pool.IsNegative(operands[1])) cost += 1;
    }
    if (pool.op(id) == Op::kMultiply)
      cost += static_cast<uint64_t>(std::count_if(operands.begin(), operands.end(), is_quotient));
    if (pool.op(id) == Op::kAdd &&
        std::all_of(operands.begin(), operands.end(), [&](ExprId x) { return pool.IsNegative(x); }))
      cost += 1;
  }
  return cost;
}

// --- Generators -------------------------------------------------------------------------------------------

FractionField::FractionField(ExprPool& pool, std::span<const ExprId> roots, size_t most_terms)
    : pool_(pool), most_terms_(most_terms) {
  FindGenerators(roots);
  ring_ = std::make_unique<Ring>(std::max<size_t>(generators_.size(), 1));
}

uint32_t FractionField::AddGenerator(ExprId expr, Kind kind, uint32_t angle) {
  const auto [at, fresh] = generator_of_.try_emplace(expr.value, static_cast<uint32_t>(generators_.size()));
  if (fresh) generators_.push_back({expr, kind, angle, Varies(pool_, expr)});
  return at->second;
}

uint32_t FractionField::AngleOf(ExprId angle) {
  const auto [at, fresh] = angle_of_.try_emplace(angle.value, static_cast<uint32_t>(angles_.size()));
  if (fresh) {
    angles_.push_back(angle);
    sine_of_.push_back(AddGenerator(pool_.Sin(angle), Kind::kSine, at->second));
    cosine_of_.push_back(AddGenerator(pool_.Cos(angle), Kind::kCosine, at->second));
  }
  return at->second;
}

// An angle as a sum of integers times angles.
std::vector<std::pair<ExprId, int32_t>> FractionField::TakeApart(ExprId argument) const {
  std::vector<std::pair<ExprId, int32_t>> atoms;
  constexpr double kMostTimes = 8;
  const auto one = [&](ExprId term) {
    int32_t factor = 1;
    if (pool_.op(term) == Op::kMultiply && pool_.operands(term).size() == 2 &&
        pool_.IsNumber(pool_.operand(term, 0))) {
      const double number = pool_.NumberValue(pool_.operand(term, 0));
      if (number == std::floor(number) && std::fabs(number) <= kMostTimes) {
        factor = static_cast<int32_t>(number);
        term = pool_.operand(term, 1);
      }
    }
    if (pool_.IsNegative(term)) {
      factor = -factor;
      term = pool_.Negate(term);
    }
    atoms.emplace_back(term, factor);
  };
  if (pool_.op(argument) == Op::kAdd) {
    for (const ExprId term : pool_.operands(argument)) one(term);
  } else {
    one(argument);
  }
  return atoms;
}

void FractionField::FindGenerators(std::span<const ExprId> roots) {
  std::vector<ExprId> open(roots.begin(), roots.end());
  ExprMap seen;
  std::vector<ExprId> plain, angles;
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (!seen.Insert(id, 0)) continue;
    const Op op = pool_.op(id);
    if (op == Op::kNumber) {
      const auto exact = FindExact(pool_.NumberValue(id));
      if (exact && exact->pi_power != 0) plain.push_back(pool_.Number(std::numbers::pi));
      continue;
    }
    if (IsArithmetic(op) || (op == Op::kPower && PlainExponent(pool_, id))) {
      const auto operands = pool_.operands(id);
      if (op == Op::kPower)
        open.push_back(operands[0]);
      else
        open.insert(open.end(), operands.begin(), operands.end());
    } else if (op == Op::kSin || op == Op::kCos) {
      for (const auto& [atom, factor] : TakeApart(pool_.operand(id, 0))) angles.push_back(atom);
    } else {
      plain.push_back(id);
    }
  }
  // By structure, so that nothing depends on ids.
  const auto less = [&](ExprId a, ExprId b) { return pool_.Compare(a, b) < 0; };
  std::sort(plain.begin(), plain.end(), less);
  std::sort(angles.begin(), angles.end(), less);
  for (const ExprId id : plain) AddGenerator(id, Kind::kPlain, 0);
  for (const ExprId id : angles) AngleOf(id);
}

std::optional<size_t> FractionField::GeneratorOf(ExprId expr) const {
  const auto at = generator_of_.find(expr.value);
  if (at == generator_of_.end()) return std::nullopt;
  return at->second;
}

// --- Arithmetic -------------------------------------------------------------------------------------------

// cos² = 1 - sin² (CF.2a), or the other way round.
Polynomial FractionField::Reduce(Polynomial p, const std::vector<uint32_t>& squares,
                                 const std::vector<uint32_t>& others) const {
  for (const uint32_t cosine : squares) {
    if (p.Degree(cosine) < 2) continue;
    const Polynomial sine = Polynomial::Generator(*ring_, others[generators_[cosine].angle]);
    const Polynomial square = Polynomial::Integer(*ring_, 1) - sine * sine;
    const Polynomial c = Polynomial::Generator(*ring_, cosine);
    const std::vector<Polynomial> coefficients = p.CoefficientsOf(cosine);
    Polynomial sum(*ring_);
    for (uint32_t k = 0; k < coefficients.size(); ++k) {
      if (coefficients[k].IsZero()) continue;
      Polynomial term = coefficients[k] * square.Power(k / 2);
      sum = sum + (k % 2 != 0 ? term * c : term);
    }
    p = std::move(sum);
  }
  return p;
}

std::optional<Fraction> FractionField::Normalize(Polynomial numerator, Polynomial denominator) const {
  numerator = Reduce(std::move(numerator));
  denominator = Reduce(std::move(denominator));
  if (denominator.IsZero() || numerator.size() > most_terms_ || denominator.size() > most_terms_)
    return std::nullopt;
  if (numerator.IsZero()) return Integer(0);
  if (!denominator.IsConstant()) {
    const Polynomial common = Polynomial::Gcd(numerator, denominator);
    if (!common.IsConstant()) {
      numerator = *numerator.DividedBy(common);
      denominator = *denominator.DividedBy(common);
    }
  }
  if (denominator.IsConstant()) {
    numerator = *numerator.DividedBy(denominator);
    denominator = Polynomial::Integer(*ring_, 1);
  } else if (IsRatherNegative(denominator)) {
    numerator = -numerator;
    denominator = -denominator;
  }
  return Fraction{std::move(numerator), std::move(denominator)};
}

std::optional<Fraction> FractionField::Add(const Fraction& a, const Fraction& b) const {
  if (a.denominator == b.denominator) return Normalize(a.numerator + b.numerator, a.denominator);
  return Normalize(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}
std::optional<Fraction> FractionField::Multiply(const Fraction& a, const Fraction& b) const {
  if (a.numerator.size() * b.numerator.size() > 4 * most_terms_) return std::nullopt;
  return Normalize(a.numerator * b.numerator, a.denominator * b.denominator);
}
std::optional<Fraction> FractionField::Divide(const Fraction& a, const Fraction& b) const {
  if (b.numerator.IsZero()) return std::nullopt;
  return Normalize(a.numerator * b.denominator, a.denominator * b.numerator);
}

// sin and cos of a sum of angles, by the addition theorem.
std::pair<Polynomial, Polynomial> FractionField::SineAndCosine(ExprId argument) {
  Polynomial sine(*ring_), cosine = Polynomial::Integer(*ring_, 1);
  for (const auto& [atom, factor] : TakeApart(argument)) {
    const uint32_t angle = angle_of_.at(atom.value);
    Polynomial s = Polynomial::Generator(*ring_, sine_of_[angle]);
    const Polynomial c = Polynomial::Generator(*ring_, cosine_of_[angle]);
    if (factor < 0) s = -s;
    for (int32_t k = 0; k < std::abs(factor); ++k) {
      Polynomial next = sine * c + cosine * s;
      cosine = Reduce(cosine * c - sine * s);
      sine = Reduce(std::move(next));
    }
  }
  return {std::move(sine), std::move(cosine)};
}

std::optional<Fraction> FractionField::Convert(ExprId expr) {
  // Operands first, so that depth costs no recursion.
  std::vector<ExprId> open{expr};
  while (!open.empty()) {
    const ExprId id = open.back();
    if (made_.contains(id.value)) {
      open.pop_back();
      continue;
    }
    const Op op = pool_.op(id);
    bool ready = true;
    if (IsArithmetic(op) || (op == Op::kPower && PlainExponent(pool_, id))) {
      const auto operands = pool_.operands(id);
      for (size_t k = 0; k < (op == Op::kPower ? 1 : operands.size()); ++k) {
        if (made_.contains(operands[k].value)) continue;
        open.push_back(operands[k]);
        ready = false;
      }
    }
    if (!ready) continue;
    open.pop_back();
    made_.emplace(id.value, ConvertNode(id));
  }
  return made_.at(expr.value);
}

std::optional<Fraction> FractionField::ConvertNode(ExprId id) {
  const auto operands = pool_.operands(id);
  const Polynomial one = Polynomial::Integer(*ring_, 1);
  const Op op = pool_.op(id);
  if (op == Op::kNumber) {
    const auto exact = FindExact(pool_.NumberValue(id));
    const auto pi = GeneratorOf(pool_.Number(std::numbers::pi));
    if (exact && exact->pi_power != 0 && pi) {
      Polynomial upper = Polynomial::Integer(*ring_, exact->numerator),
                 lower = Polynomial::Integer(*ring_, exact->denominator);
      const Polynomial power =
          Polynomial::Generator(*ring_, *pi).Power(static_cast<uint32_t>(std::abs(exact->pi_power)));
      if (exact->pi_power > 0)
        upper = upper * power;
      else
        lower = lower * power;
      return Normalize(std::move(upper), std::move(lower));
    }
    const auto number = Polynomial::Decimal(*ring_, pool_.NumberValue(id));
    if (number == nullptr) return std::nullopt;
    return Fraction{*number, one};
  }
  if (op == Op::kSin || op == Op::kCos) {
    auto [sine, cosine] = SineAndCosine(operands[0]);
    return Fraction{op == Op::kSin ? std::move(sine) : std::move(cosine), one};
  }
  if (op == Op::kPower && PlainExponent(pool_, id)) {
    const int n = *PlainExponent(pool_, id);
    const auto& base = made_.at(operands[0].value);
    if (!base || (n < 0 && base->numerator.IsZero())) return std::nullopt;
    Polynomial upper = base->numerator, lower = base->denominator;
    if (n < 0) std::swap(upper, lower);
    const auto times = static_cast<uint32_t>(std::abs(n));
    if (std::pow(static_cast<double>(upper.size()), times) > 1e6) return std::nullopt;
    return Normalize(upper.Power(times), lower.Power(times));
  }
  if (!IsArithmetic(op)) {
    const auto generator = GeneratorOf(id);
    if (!generator) return std::nullopt;
    return Fraction{Polynomial::Generator(*ring_, *generator), one};
  }
  std::optional<Fraction> out = made_.at(operands[0].value);
  for (size_t k = 1; k < operands.size() && out; ++k) {
    const auto& next = made_.at(operands[k].value);
    if (!next) return std::nullopt;
    out = op == Op::kAdd        ? Add(*out, *next)
          : op == Op::kMultiply ? Multiply(*out, *next)
                                : Divide(*out, *next);
  }
  return out;
}

std::optional<Fraction> FractionField::Evaluate(const Fraction& fraction,
                                                std::span<const std::pair<SymbolId, ExprId>> numbers) const {
  Polynomial numerator = fraction.numerator, denominator = fraction.denominator;
  for (const auto& [symbol, number] : numbers) {
    const auto generator = GeneratorOf(pool_.Symbol(symbol));
    if (!generator) continue;
    const auto value = Polynomial::Decimal(*ring_, pool_.NumberValue(number));
    if (value == nullptr) return std::nullopt;
    for (Polynomial* p : {&numerator, &denominator}) {
      if (p->Degree(*generator) == 0) continue;
      const std::vector<Polynomial> coefficients = p->CoefficientsOf(*generator);
      Polynomial sum(*ring_);
      for (uint32_t k = 0; k < coefficients.size(); ++k) {
        if (!coefficients[k].IsZero()) sum = sum + coefficients[k] * value->Power(k);
      }
      *p = std::move(sum);
    }
  }
  return Normalize(std::move(numerator), std::move(denominator));
}

// --- Linear equations -------------------------------------------------------------------------------------

std::optional<Fraction> FractionField::Determinant(const std::vector<std::vector<Fraction>>& matrix) const {
  // By minors of the last rows over sets of columns (CF.4a): 2^n of them, without a division.
  const size_t n = matrix.size();
  constexpr size_t kMost = 12;
  if (n > kMost) return std::nullopt;
  std::map<uint32_t, Fraction> minors{{0, Integer(1)}};
  for (size_t row = n; row-- > 0;) {
    std::map<uint32_t, Fraction> next;
    for (const auto& [columns, minor] : minors) {
      int sign = 1;
      // Counted from the left: how many of the columns in use stand before this one.
      for (uint32_t c = 0; c < n; ++c) {
        if ((columns >> c) & 1u) {
          sign = -sign;
          continue;
        }
        const Fraction& entry = matrix[row][c];
        if (entry.numerator.IsZero()) continue;
        auto term = Multiply(entry, minor);
        if (!term) return std::nullopt;
        if (sign < 0) *term = Negate(*term);
        const uint32_t key = columns | (1u << c);
        const auto at = next.find(key);
        if (at == next.end()) {
          next.emplace(key, std::move(*term));
        } else {
          auto sum = Add(at->second, *term);
          if (!sum) return std::nullopt;
          at->second = std::move(*sum);
        }
      }
    }
    minors = std::move(next);
  }
  const auto at = minors.find((1u << n) - 1);
  return at == minors.end() ? Integer(0) : at->second;
}

std::vector<Fraction> FractionField::Solve(const std::vector<std::vector<Fraction>>& matrix,
                                           const std::vector<Fraction>& right) const {
  const auto determinant = Determinant(matrix);
  if (!determinant || determinant->numerator.IsZero()) return {};
  std::vector<Fraction> out;
  for (size_t column = 0; column < matrix.size(); ++column) {
    std::vector<std::vector<Fraction>> replaced = matrix;
    for (size_t row = 0; row < matrix.size(); ++row) replaced[row][column] = right[row];
    const auto upper = Determinant(replaced);
    if (!upper) return {};
    const auto value = Divide(*upper, *determinant);
    if (!value) return {};
    out.push_back(*value);
  }
  return out;
}

// --- Back to expressions ----------------------------------------------------------------------------------

ExprId FractionField::Power(size_t generator, uint32_t exponent) const {
  return pool_.Power(generators_[generator].expr, static_cast<double>(exponent));
}

ExprId FractionField::Product(const Monomial& m) const {
  double number = m.coefficient;
  std::vector<ExprId> factors{ExprId()};
  for (size_t k = 0; k < m.exponents.size(); ++k) {
    if (m.exponents[k] == 0) continue;
    if (pool_.IsNumber(generators_[k].expr))  // pi
      number *= std::pow(pool_.NumberValue(generators_[k].expr), m.exponents[k]);
    else
      factors.push_back(Power(k, m.exponents[k]));
  }
  factors[0] = pool_.Number(number);
  return pool_.Product(factors);
}

ExprId FractionField::SumOf(const Terms& terms) const {
  std::vector<ExprId> summands;
  summands.reserve(terms.size());
  for (const Monomial& m : terms) summands.push_back(Product(m));
  return pool_.Sum(summands);
}

// Divides by what all terms have in common: a monomial, and an integer where all coefficients are small ones.
Monomial FractionField::TakeCommon(Terms* terms) const {
  Monomial common{(*terms)[0].exponents, 1};
  bool whole = true;
  for (const Monomial& m : *terms) {
    for (size_t k = 0; k < common.exponents.size(); ++k)
      common.exponents[k] = std::min(common.exponents[k], m.exponents[k]);
    whole = whole && IsSmallInteger(m.coefficient);
  }
  if (whole) {
    long divisor = 0;
    for (const Monomial& m : *terms) divisor = std::gcd(divisor, std::lround(m.coefficient));
    common.coefficient = static_cast<double>(divisor);
  } else {
    const double size = std::fabs((*terms)[0].coefficient);
    if (std::all_of(terms->begin(), terms->end(),
                    [&](const Monomial& m) { return std::fabs(m.coefficient) == size; }))
      common.coefficient = size;
  }
  // Rather a bracket that begins with a positive term.
  if (std::all_of(terms->begin(), terms->end(), [](const Monomial& m) { return m.coefficient < 0; }))
    common.coefficient = -common.coefficient;
  for (Monomial& m : *terms) {
    for (size_t k = 0; k < common.exponents.size(); ++k) m.exponents[k] -= common.exponents[k];
    m.coefficient /= common.coefficient;
  }
  return common;
}

ExprId FractionField::Pulled(Terms terms) const {
  if (terms.size() < 2) return SumOf(terms);
  const Monomial common = TakeCommon(&terms);
  return pool_.Multiply(Product(common), SumOf(terms));
}

// Brackets within brackets: the generator of most terms goes before one, again and again; what is a product
// is written as one.
ExprId FractionField::Nested(const Terms& all) const {
  constexpr size_t kMostToFactor = 40;
  Terms terms = all;
  if (terms.size() < 2) return SumOf(terms);
  const ExprId common = Product(TakeCommon(&terms));
  const bool whole = std::all_of(terms.begin(), terms.end(),
                                 [](const Monomial& m) { return IsSmallInteger(m.coefficient); });
  if (whole && terms.size() >= 4 && terms.size() <= kMostToFactor) {
    const auto factors = Polynomial::OfTerms(*ring_, terms).Factors();
    const auto several = std::count_if(factors.begin(), factors.end(),
                                       [](const auto& factor) { return !factor.first.IsConstant(); });
    if (several > 1 || (several == 1 && factors.back().second > 1)) {
      std::vector<ExprId> product{common};
      for (const auto& [base, power] : factors)
        product.push_back(pool_.Power(Nested(base.Terms()), static_cast<double>(power)));
      return pool_.Product(product);
    }
  }
  size_t best = SIZE_MAX, most = 1;
  for (size_t k = 0; k < generators_.size(); ++k) {
    const auto count = static_cast<size_t>(
        std::count_if(terms.begin(), terms.end(), [&](const Monomial& m) { return m.exponents[k] > 0; }));
    if (count > most) best = k, most = count;
  }
  if (best == SIZE_MAX) return pool_.Multiply(common, SumOf(terms));
  Terms with, without;
  for (const Monomial& m : terms) (m.exponents[best] > 0 ? with : without).push_back(m);
  return pool_.Multiply(common, without.empty() ? Nested(with) : pool_.Add(Nested(with), Nested(without)));
}

// Terms with the same part that varies (or the same parameters) in one bracket.
ExprId FractionField::Collected(const Terms& terms, bool by_what_varies) const {
  std::map<std::vector<uint32_t>, Terms> groups;
  for (const Monomial& m : terms) {
    std::vector<uint32_t> key = m.exponents;
    Monomial rest = m;
    for (size_t k = 0; k < key.size(); ++k)
      (generators_[k].varies == by_what_varies ? rest.exponents : key)[k] = 0;
    groups[key].push_back(std::move(rest));
  }
  if (groups.size() == terms.size()) return Pulled(terms);
  std::vector<ExprId> summands;
  for (const auto& [key, rest] : groups) summands.push_back(pool_.Multiply(Product({key, 1}), Pulled(rest)));
  return pool_.Sum(summands);
}

// Products of sines and cosines as those of sums of angles (CF.5a).
std::vector<FractionField::Share> FractionField::Contracted(const Terms& terms) const {
  struct Wave {
    std::vector<uint32_t> others;  // exponents of all other generators
    std::vector<int32_t> angle;    // first factor that is not 0: positive
    bool sine;
    auto operator<=>(const Wave&) const = default;
  };
  struct Amplitude {
    double sum = 0, size = 0;  // what it is, and what was added up to it
  };
  std::map<Wave, Amplitude> waves;
  constexpr size_t kMost = 400;
  for (const Monomial& m : terms) {
    std::map<std::pair<std::vector<int32_t>, bool>, double> own{
        {{std::vector<int32_t>(angles_.size(), 0), false}, m.coefficient}};
    std::vector<uint32_t> others = m.exponents;
    for (size_t g = 0; g < m.exponents.size(); ++g) {
      const GeneratorInfo& info = generators_[g];
      if (info.kind == Kind::kPlain) continue;
      others[g] = 0;
      for (uint32_t power = 0; power < m.exponents[g]; ++power) {
        std::map<std::pair<std::vector<int32_t>, bool>, double> next;
        for (const auto& [wave, factor] : own) {
          const auto& [angle, sine] = wave;
          for (const int side : {1, -1}) {
            // A and B: cos A cos B = (cos(A+B) + cos(A-B))/2, and so on.
            std::vector<int32_t> sum = angle;
            sum[info.angle] += side;
            double half = factor / 2;
            bool out_sine;
            if (info.kind == Kind::kCosine) {
              out_sine = sine;
            } else {
              out_sine = !sine;
              // sin A sin B = (cos(A-B) - cos(A+B))/2; cos A sin B = (sin(A+B) - sin(A-B))/2
              if (sine ? side > 0 : side < 0) half = -half;
            }
            const auto lead = std::find_if(sum.begin(), sum.end(), [](int32_t x) { return x != 0; });
            if (lead == sum.end() && out_sine) continue;
            if (lead != sum.end() && *lead < 0) {
              for (int32_t& x : sum) x = -x;
              if (out_sine) half = -half;
            }
            next[{std::move(sum), out_sine}] += half;
          }
        }
        own = std::move(next);
        if (own.size() > kMost) return {};
      }
    }
    for (const auto& [wave, factor] : own) {
      Amplitude& amplitude = waves[{others, wave.first, wave.second}];
      amplitude.sum += factor;
      amplitude.size += std::fabs(factor);
    }
    if (waves.size() > kMost) return {};
  }
  // By wave: coefficients of parameters in one bracket.
  std::map<std::pair<ExprId, std::vector<uint32_t>>, Terms> groups;
  for (const auto& [wave, amplitude] : waves) {
    const double factor = amplitude.sum;
    if (std::fabs(factor) <= 1e-14 * amplitude.size) continue;  // it cancels
    std::vector<ExprId> angle;
    for (size_t k = 0; k < wave.angle.size(); ++k) {
      if (wave.angle[k] != 0) angle.push_back(pool_.Multiply(pool_.Number(wave.angle[k]), angles_[k]));
    }
    ExprId turning = pool_.One();
    if (!angle.empty()) turning = wave.sine ? pool_.Sin(pool_.Sum(angle)) : pool_.Cos(pool_.Sum(angle));
    std::vector<uint32_t> key = wave.others;
    Monomial rest{wave.others, factor};
    for (size_t k = 0; k < key.size(); ++k) (generators_[k].varies ? rest.exponents : key)[k] = 0;
    groups[{turning, key}].push_back(std::move(rest));
  }
  std::vector<Share> out;
  for (auto& [key, rest] : groups)
    out.push_back({pool_.Multiply(key.first, Product({key.second, 1})), std::move(rest)});
  return out;
}

ExprId FractionField::SumOf(const std::vector<Share>& shares) const {
  std::vector<ExprId> summands;
  for (const Share& share : shares) summands.push_back(pool_.Multiply(share.key, Pulled(share.coefficient)));
  return pool_.Sum(summands);
}

std::vector<FractionField::Share> FractionField::ByWhatVaries(const Polynomial& polynomial) const {
  const Terms terms = polynomial.Terms();
  std::map<std::vector<uint32_t>, Terms> groups;
  for (const Monomial& m : terms) {
    std::vector<uint32_t> key = m.exponents;
    Monomial rest = m;
    for (size_t k = 0; k < key.size(); ++k) (generators_[k].varies ? rest.exponents : key)[k] = 0;
    groups[key].push_back(std::move(rest));
  }
  std::vector<Share> plain;
  for (auto& [key, rest] : groups) plain.push_back({Product({key, 1}), std::move(rest)});
  std::vector<Share> waves = Contracted(terms);
  return !waves.empty() && waves.size() < plain.size() ? waves : plain;
}

ExprId FractionField::Shortest(const std::vector<Monomial>& terms) const {
  ExprId best = Pulled(terms);
  if (terms.size() < 2) return best;
  const ExprId nested = Nested(terms);
  return CostOf(pool_, nested) < CostOf(pool_, best) ? nested : best;
}

Polynomial FractionField::PartOf(const Polynomial& polynomial,
                                 const std::function<bool(const std::vector<uint32_t>&)>& is_wanted) const {
  Polynomial out(*ring_);
  const std::vector<Monomial> terms = polynomial.Terms();
  for (size_t k = 0; k < terms.size(); ++k) {
    if (!is_wanted(terms[k].exponents)) continue;
    Polynomial term(*ring_);
    fmpq_mpoly_get_term(term.raw(), polynomial.raw(), static_cast<slong>(k), ring_->ctx());
    out = out + term;
  }
  return out;
}

ExprId FractionField::Factored(const Polynomial& p) const {
  std::vector<ExprId> factors;
  for (const auto& [base, power] : p.Factors())
    factors.push_back(pool_.Power(Pulled(base.Terms()), static_cast<double>(power)));
  return factors.empty() ? SumOf(p.Terms()) : pool_.Product(factors);
}

ExprId FractionField::Shortest(const Polynomial& polynomial) const {
  constexpr size_t kMostToFactor = 60;
  const Terms terms = polynomial.Terms();
  std::vector<ExprId> ways{Pulled(terms)};
  if (terms.size() > 1) {
    ways.push_back(Collected(terms, true));
    ways.push_back(Collected(terms, false));
    if (terms.size() <= kMostToFactor * 2) ways.push_back(Nested(terms));
    const bool whole = std::all_of(terms.begin(), terms.end(),
                                   [](const Monomial& m) { return IsSmallInteger(m.coefficient); });
    if (whole && terms.size() <= kMostToFactor) ways.push_back(Factored(polynomial));
    const bool turns = std::any_of(terms.begin(), terms.end(), [&](const Monomial& m) {
      uint32_t count = 0;
      for (size_t k = 0; k < m.exponents.size(); ++k)
        count += generators_[k].kind == Kind::kPlain ? 0 : m.exponents[k];
      return count > 1;
    });
    if (turns && terms.size() <= kMostToFactor * 4) {
      const std::vector<Share> shares = Contracted(terms);
      if (!shares.empty()) ways.push_back(SumOf(shares));
    }
  }
  // The same with 1 - cos² for sin², where that has fewer terms.
  const Polynomial other = Reduce(polynomial, sine_of_, cosine_of_);
  if (other.size() < terms.size()) {
    const Terms swapped = other.Terms();
    ways.push_back(Pulled(swapped));
    ways.push_back(Nested(swapped));
  }
  ExprId best = ways[0];
  uint64_t least = UINT64_MAX;
  for (const ExprId way : ways) {
    const uint64_t cost = CostOf(pool_, way);
    if (cost < least) best = way, least = cost;
  }
  return best;
}

ExprId FractionField::Expanded(const Fraction& fraction) const {
  return pool_.Divide(SumOf(fraction.numerator.Terms()), SumOf(fraction.denominator.Terms()));
}

ExprId FractionField::Shortest(const Fraction& fraction) const {
  Polynomial numerator = fraction.numerator, denominator = fraction.denominator;
  // Integers above and below, where the coefficients are small ones.
  Polynomial whole = denominator, upper = numerator;
  const Polynomial lower_content = whole.TakeContent(), upper_content = upper.TakeContent();
  const auto small = [](const Polynomial& p) {
    const Terms terms = p.Terms();
    return std::all_of(terms.begin(), terms.end(),
                       [](const Monomial& m) { return IsSmallInteger(m.coefficient); });
  };
  if (small(whole) && small(upper)) {
    const auto content = upper_content.DividedBy(lower_content)->Terms();
    const double value = content.empty() ? 0 : content[0].coefficient;
    // p/q with small p and q: p above, q below.
    const auto exact = FindExact(value);
    for (int q = 1; q <= (exact ? 1000 : 12); ++q) {
      const double p = value * q;
      if (std::fabs(p - std::round(p)) > 1e-12 || std::fabs(p) > 100) continue;
      numerator = upper * Polynomial::Integer(*ring_, std::lround(p));
      denominator = whole * Polynomial::Integer(*ring_, q);
      break;
    }
  }
  return pool_.Divide(Shortest(numerator), Shortest(denominator));
}

namespace {

// A factor that several terms of a sum have in common goes before a bracket.
ExprId PullFactors(ExprPool& pool, ExprId expr) {
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  std::vector<ExprId> made(order.nodes.size());
  for (size_t at = 0; at < order.nodes.size(); ++at) {
    const ExprId id = order.nodes[at];
    std::vector<ExprId> operands;
    for (const ExprId operand : pool.operands(id)) operands.push_back(made[order.PositionOf(operand)]);
    ExprId out = operands.empty() ? id : pool.Rebuild(id, operands);
    constexpr size_t kMostTerms = 40;
    if (pool.op(out) == Op::kAdd && pool.operands(out).size() <= kMostTerms) {
      const auto terms = pool.operands(out);
      const auto factors = [&](ExprId term) {
        return pool.op(term) == Op::kMultiply ? pool.operands(term) : std::span<const ExprId>{};
      };
      ExprId best;
      ptrdiff_t most = 1;
      for (const ExprId term : terms) {
        for (const ExprId factor : factors(term)) {
          if (pool.IsNumber(factor)) continue;
          const auto count = std::count_if(terms.begin(), terms.end(), [&](ExprId other) {
            const auto own = factors(other);
            return std::find(own.begin(), own.end(), factor) != own.end();
          });
          if (count > most || (count == most && count > 1 && pool.Compare(factor, best) < 0))
            best = factor, most = count;
        }
      }
      if (!best.IsNone()) {
        std::vector<ExprId> with, without;
        for (const ExprId term : terms) {
          const auto own = factors(term);
          const auto found = std::find(own.begin(), own.end(), best);
          if (found == own.end()) {
            without.push_back(term);
            continue;
          }
          std::vector<ExprId> rest(own.begin(), own.end());
          rest.erase(rest.begin() + (found - own.begin()));
          with.push_back(pool.Product(rest));
        }
        ExprId bracket = pool.Sum(with);
        const bool turn = pool.IsNegative(bracket);
        if (turn) bracket = pool.Negate(bracket);
        ExprId pulled = pool.Multiply(best, PullFactors(pool, bracket));
        without.push_back(turn ? pool.Negate(pulled) : pulled);
        out = pool.Sum(without);
      }
    }
    made[at] = out;
  }
  return made[order.PositionOf(expr)];
}

}  // namespace

ExprId Shorten(ExprPool& pool, ExprId expr) {
  constexpr size_t kMostNodes = 4000;
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  if (order.nodes.size() > kMostNodes) return expr;
  if (const ExprId pulled = PullFactors(pool, expr); CostOf(pool, pulled) < CostOf(pool, expr)) expr = pulled;
  FractionField field(pool, std::span(&expr, 1), 600);
  const auto fraction = field.Convert(expr);
  if (!fraction) return expr;
  const ExprId other = field.Shortest(*fraction);
  return CostOf(pool, other) < CostOf(pool, expr) ? other : expr;
}

}  // namespace cotree
