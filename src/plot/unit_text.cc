// SPDX-License-Identifier: Apache-2.0
#include "plot/unit_text.h"

#include <cctype>
#include <cmath>

namespace cotree {
namespace {

std::string Superscript(std::string_view digits) {
  static const char* const kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (const char c : digits) out += c == '-' ? "⁻" : kDigits[c - '0'];
  return out;
}

struct Prefixable {
  std::string_view symbol;
  int low, high;  // powers of ten that people use with it
};
constexpr Prefixable kPrefixable[] = {
    {"V", -9, 6}, {"A", -12, 3}, {"W", -6, 9},  {"J", -6, 9},  {"N", -6, 6},   {"Pa", 0, 9},
    {"Hz", 0, 9}, {"m", -9, 3},  {"s", -12, 0}, {"F", -12, 0}, {"H", -9, 0},   {"ohm", -3, 9},
    {"C", -9, 3}, {"T", -6, 0},  {"Wb", -6, 0}, {"S", -6, 3},  {"rad", -6, 0}, {"K", -3, 0}};

}  // namespace

std::string PrettyUnit(std::string_view unit) {
  std::string out;
  for (size_t k = 0; k < unit.size(); ++k) {
    if (unit[k] == '*') {
      out += "·";
    } else if (unit[k] == '^') {
      size_t end = k + 1;
      while (end < unit.size() &&
             (std::isdigit(static_cast<unsigned char>(unit[end])) != 0 || unit[end] == '-'))
        ++end;
      if (end == k + 1) {
        out += '^';
        continue;
      }
      out += Superscript(unit.substr(k + 1, end - k - 1));
      k = end - 1;
    } else if (unit.substr(k).starts_with("ohm")) {
      out += "Ω";
      k += 2;
    } else if (unit.substr(k).starts_with("degC")) {
      out += "°C";
      k += 3;
    } else if (unit == "deg") {
      return "°";
    } else {
      out += unit[k];
    }
  }
  return out;
}

std::string PowerOfTen(int exponent) {
  return "10" + Superscript(std::to_string(exponent));
}

ShownUnit ChooseUnit(std::string_view unit, double largest) {
  const std::string pretty = PrettyUnit(unit);
  if (!(largest > 0) || !std::isfinite(largest) || (largest >= 0.1 && largest < 1000)) return {1, pretty};
  // Pressures of machines are told in bar.
  if (unit == "Pa" && largest >= 1e4 && largest < 1e9) return {1e5, "bar"};
  int exponent = static_cast<int>(std::floor(std::log10(largest) / 3 + 1e-9)) * 3;
  const size_t end = unit.find_first_of("*/^");
  const std::string_view symbol = unit.substr(0, end);
  const bool powered = end != std::string_view::npos && unit[end] == '^';
  for (const Prefixable& known : kPrefixable) {
    if (known.symbol != symbol || powered || exponent < known.low || exponent > known.high) continue;
    static const char* const kPrefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G"};
    return {std::pow(10.0, exponent), kPrefixes[exponent / 3 + 4] + pretty};
  }
  if (largest >= 0.01 && largest < 1e5) return {1, pretty};
  return {std::pow(10.0, exponent), PowerOfTen(exponent) + (pretty.empty() ? "" : " " + pretty)};
}

}  // namespace cotree
