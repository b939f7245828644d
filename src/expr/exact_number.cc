// SPDX-License-Identifier: Apache-2.0
#include "expr/exact_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

namespace cotree {
namespace {

// Digits of the shortest decimal that reads back as the number.
size_t DigitsOf(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const char* mantissa = std::find(buffer, end.ptr, 'e');
  return static_cast<size_t>(
      std::count_if(static_cast<const char*>(buffer), mantissa, [](char c) { return c >= '0' && c <= '9'; }));
}

// `slack`: relative; 0: to the last bit.
std::optional<ExactNumber> FindFraction(double value, int64_t first, int64_t last, double most,
                                        double slack) {
  for (int64_t q = first; q <= last; ++q) {
    const double p = std::round(value * static_cast<double>(q));
    if (p == 0 || std::fabs(p) > most) continue;
    if (std::fabs(p / static_cast<double>(q) - value) <= slack * std::fabs(value))
      return ExactNumber{static_cast<int64_t>(p), q, 0};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ExactNumber> FindExact(double value) {
  constexpr size_t kShort = 13;
  if (!std::isfinite(value) || value == 0 || DigitsOf(value) <= kShort) return std::nullopt;
  if (const auto fraction = FindFraction(value, 2, 100, 100, 0)) return fraction;
  constexpr double kPi = std::numbers::pi;
  for (const int power : {1, -1, 2, -2, 3}) {
    const double scale = std::pow(kPi, power);
    auto multiple = FindFraction(value / scale, 1, 1024, 1e3, 2 * std::numeric_limits<double>::epsilon());
    if (!multiple) continue;
    multiple->pi_power = power;
    return multiple;
  }
  return std::nullopt;
}

ExactText TextOfExact(const ExactNumber& number, std::string_view times, std::string_view pi,
                      std::string_view squared, std::string_view cubed) {
  const auto side = [&](int64_t integer, int power) {
    std::string out = integer == 1 ? "" : std::to_string(integer);
    if (power > 0) out += (out.empty() ? "" : std::string(times)) + std::string(pi);
    if (power > 1) out += power == 2 ? squared : cubed;
    return out;
  };
  return {side(std::abs(number.numerator), number.pi_power), side(number.denominator, -number.pi_power)};
}

}  // namespace cotree
