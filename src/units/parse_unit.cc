// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <string>

#include "units/udunits_reader.h"
#include "units/unit.h"
#include "units/unit_symbols.h"

namespace cotree {
namespace {

constexpr int kDeepest = 32;         // nested parentheses
constexpr int kLargestPower = 2000;  // of ten; beyond it no factor is a double

// What a product of units is, as far as it decides the kind. kUnity is the empty product.
enum class Role : uint8_t { kUnity, kForce, kLength, kPower, kTime, kEnergy, kTorque, kOther };

Role RoleOf(const UnitSymbol& unit) {
  if (unit.angle != 0) return Role::kOther;
  if (unit.dimension == Dimension::Of(1, 1, -2)) return Role::kForce;
  if (unit.dimension == Dimension::Of(1, 0, 0)) return Role::kLength;
  if (unit.dimension == Dimension::Of(2, 1, -3)) return Role::kPower;
  if (unit.dimension == Dimension::Of(0, 0, 1)) return Role::kTime;
  if (unit.dimension == Dimension::Of(2, 1, -2)) return Role::kEnergy;
  return Role::kOther;
}

Role ProductRole(Role a, Role b) {
  if (a == Role::kUnity) return b;
  if (b == Role::kUnity) return a;
  const auto are = [&](Role x, Role y) { return (a == x && b == y) || (a == y && b == x); };
  if (are(Role::kForce, Role::kLength)) return Role::kTorque;
  if (are(Role::kPower, Role::kTime)) return Role::kEnergy;
  return Role::kOther;
}

// A length, an area, a volume: a positive power of length alone.
bool IsExtent(const Dimension& dimension) {
  const Rational length = dimension[BaseUnit::kMetre];
  return length.num > 0 && Power(Dimension::Of(1, 0, 0), length) == dimension;
}

// A product under construction: factor = numerator / denominator * 10^power_of_ten.
struct Product {
  Dimension dimension;
  double numerator = 1;
  double denominator = 1;
  int power_of_ten = 0;
  double offset = 0;
  Rational angle, cycles;  // exponents of angles and of Hz
  bool mentions_angle = false;
  Role role = Role::kUnity;
};

class UnitParser {
 public:
  UnitParser(std::string_view text, UdunitsReader* fallback) : text_(text), fallback_(fallback) {}

  UnitResult Parse();

 private:
  std::optional<Product> ParseProduct(int depth);
  std::optional<Product> ParseFactor(bool first, int depth);
  std::optional<Product> ParseSymbol();
  std::optional<Rational> ParseExponent();
  std::optional<WideRational> ParseNumber(bool sign_allowed);
  std::optional<Product> Raise(const Product& base, Rational exponent, size_t begin);
  std::optional<Product> Combine(const Product& a, const Product& b, bool divide, size_t begin);
  bool RefuseOffset(const Product& product);

  std::nullopt_t Fail(UnitError::Code code, size_t begin, size_t end, std::string reason);
  std::nullopt_t FailHere();
  bool AtEnd() const { return at_ == text_.size(); }
  bool Skip(char c) {
    if (AtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view text_;
  UdunitsReader* fallback_;
  size_t at_ = 0;
  size_t offset_begin_ = 0, offset_end_ = 0;  // of the last symbol with an offset
  UnitError error_;
};

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::nullopt_t UnitParser::Fail(UnitError::Code code, size_t begin, size_t end, std::string reason) {
  error_.code = code;
  error_.begin = static_cast<uint32_t>(begin);
  error_.end = static_cast<uint32_t>(end);
  error_.reason = std::move(reason);
  return std::nullopt;
}

std::nullopt_t UnitParser::FailHere() {
  if (AtEnd()) return Fail(UnitError::Code::kUnexpected, at_, at_, "the unit ends too early");
  const char c = text_[at_];
  if (IsDigit(c))
    return Fail(UnitError::Code::kUnexpected, at_, at_ + 1,
                "a unit holds no number, except a leading `1/` and exponents");
  if (c >= 0 && c <= ' ') {
    return Fail(UnitError::Code::kUnexpected, at_, at_ + 1, "a unit holds no blanks");
  }
  return Fail(UnitError::Code::kUnexpected, at_, at_ + 1, std::string("`") + c + "` cannot stand here");
}

bool UnitParser::RefuseOffset(const Product& product) {
  if (product.offset == 0) return false;
  const std::string symbol(text_.substr(offset_begin_, offset_end_ - offset_begin_));
  Fail(UnitError::Code::kOffsetCombined, offset_begin_, offset_end_,
       "`" + symbol +
           "` is an absolute temperature and stands alone; for differences and in products use `K`");
  error_.symbol = symbol;
  error_.suggestion.assign(1, 'K');
  return true;
}

UnitResult UnitParser::Parse() {
  if (text_.empty()) {
    Fail(UnitError::Code::kEmpty, 0, 0, "there is no unit");
    return error_;
  }
  const auto product = ParseProduct(0);
  if (!product) return error_;
  if (!AtEnd()) {
    if (text_[at_] == '^') {
      Fail(UnitError::Code::kUnexpected, at_, at_ + 1,
           "only one exponent may follow a unit; use parentheses");
    } else {
      FailHere();
    }
    return error_;
  }
  Unit unit;
  unit.dimension = product->dimension;
  unit.factor = CalcFactor(product->numerator, product->denominator, product->power_of_ten);
  const double inverse = std::round(1 / unit.factor);
  if (inverse > 1 && inverse <= 9007199254740992.0 && 1 / inverse == unit.factor) unit.divisor = inverse;
  unit.offset = product->offset;
  unit.mentions_angle = product->mentions_angle;
  unit.text = std::string(text_);
  if (!std::isnormal(unit.factor)) {
    Fail(UnitError::Code::kOutOfRange, 0, text_.size(),
         "the factor to SI units is too large or too small for a number");
    return error_;
  }
  switch (product->role) {
    case Role::kTorque:
      unit.kind = KindHint::kTorque;
      break;
    case Role::kEnergy:
      unit.kind = KindHint::kEnergy;
      break;
    default:
      break;
  }
  const Rational angle = product->angle;
  if (IsPowerOfTime(product->dimension)) {
    if (angle.IsZero() && product->cycles == Rational(1)) unit.kind = KindHint::kFrequency;
    if (angle == Rational(1) && product->cycles.num >= 0)  // rad*Hz is an angle for each cycle
      unit.kind = product->dimension.IsOne() ? KindHint::kAngle : KindHint::kAngularVelocity;
  }
  if (IsExtent(product->dimension) && (angle == Rational(-1) || !product->mentions_angle))
    unit.kind = angle.IsZero() ? KindHint::kExtent : KindHint::kPerAngle;
  return unit;
}

std::optional<Product> UnitParser::ParseProduct(int depth) {
  const size_t begin = at_;
  auto result = ParseFactor(true, depth);
  while (result && !AtEnd()) {
    const bool divide = text_[at_] == '/';
    if (!divide && text_[at_] != '*') break;
    ++at_;
    const auto factor = ParseFactor(false, depth);
    if (!factor) return std::nullopt;
    result = Combine(*result, *factor, divide, begin);
  }
  return result;
}

std::optional<Product> UnitParser::ParseFactor(bool first, int depth) {
  const size_t begin = at_;
  std::optional<Product> base;
  if (Skip('(')) {
    if (depth == kDeepest)
      return Fail(UnitError::Code::kTooDeep, begin, at_, "too many parentheses inside one another");
    base = ParseProduct(depth + 1);
    if (base && !Skip(')')) return FailHere();
  } else if (first && !AtEnd() && text_[at_] == '1' &&
             (at_ + 1 == text_.size() || !IsLetter(text_[at_ + 1])) &&
             (at_ + 1 == text_.size() || (!IsDigit(text_[at_ + 1]) && text_[at_ + 1] != '.'))) {
    ++at_;
    base = Product{};
  } else {
    base = ParseSymbol();
  }
  if (!base || !Skip('^')) return base;
  const auto exponent = ParseExponent();
  if (!exponent) return std::nullopt;
  return Raise(*base, *exponent, begin);
}

std::optional<Product> UnitParser::ParseSymbol() {
  if (AtEnd() || !IsLetter(text_[at_])) return FailHere();
  const size_t begin = at_;
  while (!AtEnd() && (IsLetter(text_[at_]) || IsDigit(text_[at_]))) ++at_;
  const std::string_view symbol = text_.substr(begin, at_ - begin);
  auto unit = FindUnitSymbol(symbol);
  if (!unit && fallback_ != nullptr) unit = fallback_->Find(symbol);
  if (!unit) {
    error_.symbol = std::string(symbol);
    error_.suggestion = SuggestUnit(symbol);
    return Fail(UnitError::Code::kUnknownSymbol, begin, at_, "`" + error_.symbol + "` is not a unit");
  }
  Product product;
  product.dimension = unit->dimension;
  product.numerator = unit->numerator;
  product.denominator = unit->denominator;
  product.power_of_ten = unit->power_of_ten;
  product.offset = unit->offset;
  product.angle = Rational(static_cast<int16_t>(unit->angle));
  product.cycles = Rational(std::string_view(unit->symbol) == "Hz" ? 1 : 0);
  product.mentions_angle = unit->angle != 0;
  product.role = RoleOf(*unit);
  if (unit->offset != 0) {
    offset_begin_ = begin;
    offset_end_ = at_;
  }
  return product;
}

// Digits, with a decimal fraction, as an exact fraction. Nine digits are enough: none of more fits a
// Rational.
std::optional<WideRational> UnitParser::ParseNumber(bool sign_allowed) {
  const size_t begin = at_;
  const bool negative = sign_allowed && Skip('-');
  if (sign_allowed && !negative) Skip('+');
  if (AtEnd() || !IsDigit(text_[at_])) {
    return Fail(UnitError::Code::kBadExponent, begin, AtEnd() ? at_ : at_ + 1,
                "an exponent is an integer, a decimal, or a fraction in parentheses");
  }
  int64_t value = 0, scale = 1;
  bool too_large = false, behind_point = false;
  for (; !AtEnd(); ++at_) {
    const char c = text_[at_];
    if (c == '.' && !behind_point && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1])) {
      behind_point = true;
      continue;
    }
    if (!IsDigit(c)) break;
    if (value > 99'999'999 || scale > 99'999'999) {
      too_large = true;
      continue;
    }
    value = value * 10 + (c - '0');
    if (behind_point) scale *= 10;
  }
  if (too_large)
    return Fail(UnitError::Code::kExponentTooLarge, begin, at_, "the exponent has too many digits");
  return WideRational::Make(negative ? -value : value, scale);
}

std::optional<Rational> UnitParser::ParseExponent() {
  const size_t begin = at_;
  const bool negative = Skip('-');
  if (!negative) Skip('+');
  std::optional<WideRational> value;
  if (Skip('(')) {
    value = ParseNumber(true);
    if (value && Skip('/')) {
      const size_t divisor_begin = at_;
      const auto divisor = ParseNumber(false);
      if (!divisor) return std::nullopt;
      if (divisor->IsZero())
        return Fail(UnitError::Code::kBadExponent, divisor_begin, at_, "an exponent cannot be divided by 0");
      value = Divide(*value, *divisor);
    }
    if (value && !Skip(')')) {
      return Fail(UnitError::Code::kBadExponent, begin, at_, "the exponent lacks its closing parenthesis");
    }
  } else {
    value = ParseNumber(false);
  }
  if (!value) return std::nullopt;
  const auto narrow = Narrow(negative ? -*value : *value);
  if (!narrow)
    return Fail(UnitError::Code::kExponentTooLarge, begin, at_,
                "the exponent is too large, or no simple fraction");
  return narrow;
}

double IntegerPower(double base, int exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

std::optional<Product> UnitParser::Raise(const Product& base, Rational exponent, size_t begin) {
  if (RefuseOffset(base)) return std::nullopt;
  const auto dimension = Power(base.dimension, exponent);
  const auto angle = Multiply(base.angle, exponent), cycles = Multiply(base.cycles, exponent);
  if (!dimension || !angle || !cycles)
    return Fail(UnitError::Code::kExponentTooLarge, begin, at_,
                "the exponent of a base unit becomes too large");
  Product result = base;
  result.dimension = *dimension;
  result.angle = *angle;
  result.cycles = *cycles;
  if (exponent != Rational(1)) result.role = base.role == Role::kUnity ? Role::kUnity : Role::kOther;
  const int power = exponent.num < 0 ? -exponent.num : exponent.num;
  if (exponent.IsInteger()) {
    result.numerator = IntegerPower(base.numerator, power);
    result.denominator = IntegerPower(base.denominator, power);
    const int64_t power_of_ten = int64_t{base.power_of_ten} * power;
    if (power_of_ten > kLargestPower || power_of_ten < -kLargestPower || !std::isfinite(result.numerator) ||
        !std::isfinite(result.denominator)) {
      return Fail(UnitError::Code::kOutOfRange, begin, at_,
                  "the factor to SI units is too large or too small for a number");
    }
    result.power_of_ten = static_cast<int>(power_of_ten);
  } else {
    const double factor = CalcFactor(base.numerator, base.denominator, base.power_of_ten);
    // A square root is rounded the same everywhere; other roots are as good as the mathematical library.
    result.numerator = factor == 1         ? 1
                       : exponent.den == 2 ? std::sqrt(IntegerPower(factor, power))
                                           : std::pow(factor, static_cast<double>(power) / exponent.den);
    result.denominator = 1;
    result.power_of_ten = 0;
    if (!std::isnormal(result.numerator)) {
      return Fail(UnitError::Code::kOutOfRange, begin, at_,
                  "the factor to SI units is too large or too small for a number");
    }
  }
  if (exponent.num < 0) {
    std::swap(result.numerator, result.denominator);
    result.power_of_ten = -result.power_of_ten;
  }
  return result;
}

std::optional<Product> UnitParser::Combine(const Product& a, const Product& b, bool divide, size_t begin) {
  if (RefuseOffset(a) || RefuseOffset(b)) return std::nullopt;
  const auto dimension = divide ? Divide(a.dimension, b.dimension) : Multiply(a.dimension, b.dimension);
  const auto angle = divide ? Subtract(a.angle, b.angle) : Add(a.angle, b.angle);
  const auto cycles = divide ? Subtract(a.cycles, b.cycles) : Add(a.cycles, b.cycles);
  if (!dimension || !angle || !cycles)
    return Fail(UnitError::Code::kExponentTooLarge, begin, at_,
                "the exponent of a base unit becomes too large");
  Product result;
  result.dimension = *dimension;
  result.angle = *angle;
  result.cycles = *cycles;
  result.mentions_angle = a.mentions_angle || b.mentions_angle;
  result.numerator = a.numerator * (divide ? b.denominator : b.numerator);
  result.denominator = a.denominator * (divide ? b.numerator : b.denominator);
  result.power_of_ten = a.power_of_ten + (divide ? -b.power_of_ten : b.power_of_ten);
  result.role = !divide ? ProductRole(a.role, b.role) : b.role == Role::kUnity ? a.role : Role::kOther;
  const bool fits = std::isnormal(result.numerator) && std::isnormal(result.denominator) &&
                    std::abs(result.power_of_ten) <= kLargestPower;
  if (!fits)
    return Fail(UnitError::Code::kOutOfRange, begin, at_,
                "the factor to SI units is too large or too small for a number");
  return result;
}

}  // namespace

KindHint OppositeOf(KindHint kind) {
  switch (kind) {
    case KindHint::kFrequency:
      return KindHint::kAngularVelocity;
    case KindHint::kAngularVelocity:
    case KindHint::kAngle:
      return KindHint::kFrequency;
    case KindHint::kTorque:
      return KindHint::kEnergy;
    case KindHint::kEnergy:
      return KindHint::kTorque;
    default:
      return KindHint::kNone;
  }
}

bool IsPowerOfTime(const Dimension& dimension) {
  return Power(Dimension::Of(0, 0, 1), dimension[BaseUnit::kSecond]) == dimension;
}

UnitResult ParseUnit(std::string_view text, UdunitsReader* fallback) {
  return UnitParser(text, fallback).Parse();
}

}  // namespace cotree
