// SPDX-License-Identifier: Apache-2.0
#include "units/unit_symbols.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "units/unit.h"

namespace cotree {
namespace {

using enum UnitSymbol::Prefixes;

constexpr double kPi = 3.14159265358979323846;
constexpr double kPoundForce = 44482216152605.0;  // * 1e-13 N = 0.45359237 kg * 9.80665 m/s^2, exact

constexpr Dimension kOne = Dimension::One();
constexpr Dimension kLength = Dimension::Of(1, 0, 0);
constexpr Dimension kArea = Dimension::Of(2, 0, 0);
constexpr Dimension kVolume = Dimension::Of(3, 0, 0);
constexpr Dimension kMass = Dimension::Of(0, 1, 0);
constexpr Dimension kTime = Dimension::Of(0, 0, 1);
constexpr Dimension kRate = Dimension::Of(0, 0, -1);
constexpr Dimension kSpeed = Dimension::Of(1, 0, -1);
constexpr Dimension kFlow = Dimension::Of(3, 0, -1);
constexpr Dimension kForce = Dimension::Of(1, 1, -2);
constexpr Dimension kPressure = Dimension::Of(-1, 1, -2);
constexpr Dimension kEnergy = Dimension::Of(2, 1, -2);
constexpr Dimension kPower = Dimension::Of(2, 1, -3);
constexpr Dimension kCharge = Dimension::Of(0, 0, 1, 1);
constexpr Dimension kTemperature = Dimension::Of(0, 0, 0, 0, 1);
constexpr Dimension kDose = Dimension::Of(2, 0, -2);
constexpr Dimension kResistance = Dimension::Of(2, 1, -3, -2);
constexpr Dimension kConductance = Dimension::Of(-2, -1, 3, 2);
constexpr Dimension kLight = Dimension::Of(0, 0, 0, 0, 0, 0, 1);

// symbol, dimension, numerator, denominator, power of ten, prefixes, angles, offset
constexpr auto kTable = [] {
  std::array table{
      // SI base units, with the gram, which is what takes the prefixes
      UnitSymbol{"m", kLength, 1, 1, 0, kAll},
      UnitSymbol{"g", kMass, 1, 1, -3, kAll},
      UnitSymbol{"s", kTime, 1, 1, 0, kAll},
      UnitSymbol{"A", Dimension::Of(0, 0, 0, 1), 1, 1, 0, kAll},
      UnitSymbol{"K", kTemperature, 1, 1, 0, kAll},
      UnitSymbol{"mol", Dimension::Of(0, 0, 0, 0, 0, 1), 1, 1, 0, kAll},
      UnitSymbol{"cd", kLight, 1, 1, 0, kAll},
      // SI derived units with names
      UnitSymbol{"rad", kOne, 1, 1, 0, kAll, 1},
      UnitSymbol{"sr", kOne, 1, 1, 0, kAll},
      UnitSymbol{"Hz", kRate, 1, 1, 0, kAll},
      UnitSymbol{"N", kForce, 1, 1, 0, kAll},
      UnitSymbol{"Pa", kPressure, 1, 1, 0, kAll},
      UnitSymbol{"J", kEnergy, 1, 1, 0, kAll},
      UnitSymbol{"W", kPower, 1, 1, 0, kAll},
      UnitSymbol{"C", kCharge, 1, 1, 0, kAll},
      UnitSymbol{"V", Dimension::Of(2, 1, -3, -1), 1, 1, 0, kAll},
      UnitSymbol{"F", Dimension::Of(-2, -1, 4, 2), 1, 1, 0, kAll},
      UnitSymbol{"ohm", kResistance, 1, 1, 0, kAll},
      UnitSymbol{"Ohm", kResistance, 1, 1, 0, kAll},
      UnitSymbol{"\xCE\xA9", kResistance, 1, 1, 0, kAll},      // Ω, Greek letter
      UnitSymbol{"\xE2\x84\xA6", kResistance, 1, 1, 0, kAll},  // Ω, ohm sign
      UnitSymbol{"S", kConductance, 1, 1, 0, kAll},
      UnitSymbol{"Wb", Dimension::Of(2, 1, -2, -1), 1, 1, 0, kAll},
      UnitSymbol{"T", Dimension::Of(0, 1, -2, -1), 1, 1, 0, kAll},
      UnitSymbol{"H", Dimension::Of(2, 1, -2, -2), 1, 1, 0, kAll},
      UnitSymbol{"lm", kLight, 1, 1, 0, kAll},
      UnitSymbol{"lx", Dimension::Of(-2, 0, 0, 0, 0, 0, 1), 1, 1, 0, kAll},
      UnitSymbol{"Bq", kRate, 1, 1, 0, kAll},
      UnitSymbol{"Gy", kDose, 1, 1, 0, kAll},
      UnitSymbol{"Sv", kDose, 1, 1, 0, kAll},
      UnitSymbol{"kat", Dimension::Of(0, 0, -1, 0, 0, 1), 1, 1, 0, kAll},
      // angle
      UnitSymbol{"deg", kOne, kPi, 180, 0, kMilli, 1},
      UnitSymbol{"\xC2\xB0", kOne, kPi, 180, 0, kNone, 1},  // °
      UnitSymbol{"arcmin", kOne, kPi, 10800, 0, kNone, 1},
      UnitSymbol{"arcsec", kOne, kPi, 648000, 0, kSmall, 1},
      UnitSymbol{"gon", kOne, kPi, 200, 0, kMilli, 1},
      UnitSymbol{"rev", kOne, 2 * kPi, 1, 0, kNone, 1},
      UnitSymbol{"turn", kOne, 2 * kPi, 1, 0, kNone, 1},
      UnitSymbol{"rpm", kRate, kPi, 30, 0, kLarge, 1},
      UnitSymbol{"rps", kRate, 2 * kPi, 1, 0, kNone, 1},
      // ratios
      UnitSymbol{"percent", kOne, 1, 1, -2},
      UnitSymbol{"permille", kOne, 1, 1, -3},
      UnitSymbol{"ppm", kOne, 1, 1, -6},
      UnitSymbol{"ppb", kOne, 1, 1, -9},
      // time
      UnitSymbol{"min", kTime, 60},
      UnitSymbol{"h", kTime, 3600},
      UnitSymbol{"hr", kTime, 3600},
      UnitSymbol{"d", kTime, 86400},
      UnitSymbol{"day", kTime, 86400},
      // length
      UnitSymbol{"in", kLength, 254, 1, -4},
      UnitSymbol{"inch", kLength, 254, 1, -4},
      UnitSymbol{"ft", kLength, 3048, 1, -4},
      UnitSymbol{"foot", kLength, 3048, 1, -4},
      UnitSymbol{"yd", kLength, 9144, 1, -4},
      UnitSymbol{"mi", kLength, 1609344, 1, -3},
      UnitSymbol{"mile", kLength, 1609344, 1, -3},
      UnitSymbol{"nmi", kLength, 1852},
      UnitSymbol{"mil", kLength, 254, 1, -7},
      UnitSymbol{"thou", kLength, 254, 1, -7},
      UnitSymbol{"micron", kLength, 1, 1, -6},
      UnitSymbol{"angstrom", kLength, 1, 1, -10},
      // area, volume, flow
      UnitSymbol{"ha", kArea, 1, 1, 4},
      UnitSymbol{"acre", kArea, 40468564224.0, 1, -7},
      UnitSymbol{"L", kVolume, 1, 1, -3, kAll},
      UnitSymbol{"l", kVolume, 1, 1, -3, kAll},
      UnitSymbol{"cc", kVolume, 1, 1, -6},
      UnitSymbol{"gal", kVolume, 3785411784.0, 1, -12},
      UnitSymbol{"qt", kVolume, 946352946.0, 1, -12},
      UnitSymbol{"floz", kVolume, 295735295625.0, 1, -16},
      UnitSymbol{"lpm", kFlow, 1, 60, -3},
      UnitSymbol{"gpm", kFlow, 3785411784.0, 60, -12},
      UnitSymbol{"cfm", kFlow, 28316846592.0, 60, -12},
      // mass
      UnitSymbol{"t", kMass, 1, 1, 3, kLarge},
      UnitSymbol{"tonne", kMass, 1, 1, 3},
      UnitSymbol{"lb", kMass, 45359237, 1, -8},
      UnitSymbol{"lbm", kMass, 45359237, 1, -8},
      UnitSymbol{"oz", kMass, 45359237, 16, -8},
      UnitSymbol{"slug", kMass, kPoundForce, 3048, -9},
      UnitSymbol{"Da", kMass, 166053906660.0, 1, -38, kLarge},
      // speed, acceleration
      UnitSymbol{"mph", kSpeed, 1609344, 3600, -3},
      UnitSymbol{"kph", kSpeed, 10, 36, 0},
      UnitSymbol{"knot", kSpeed, 1852, 3600, 0},
      UnitSymbol{"kn", kSpeed, 1852, 3600, 0},
      UnitSymbol{"gn", Dimension::Of(1, 0, -2), 980665, 1, -5, kSmall},
      // force
      UnitSymbol{"lbf", kForce, kPoundForce, 1, -13},
      UnitSymbol{"ozf", kForce, kPoundForce, 16, -13},
      UnitSymbol{"kip", kForce, kPoundForce, 1, -10},
      UnitSymbol{"kgf", kForce, 980665, 1, -5},
      UnitSymbol{"gf", kForce, 980665, 1, -8},
      UnitSymbol{"dyn", kForce, 1, 1, -5},
      // pressure
      UnitSymbol{"bar", kPressure, 1, 1, 5, kAll},
      UnitSymbol{"atm", kPressure, 101325},
      UnitSymbol{"psi", kPressure, kPoundForce, 64516, -5},
      UnitSymbol{"ksi", kPressure, kPoundForce, 64516, -2},
      UnitSymbol{"Torr", kPressure, 101325, 760, 0, kMilli},
      UnitSymbol{"mmHg", kPressure, 133322387415.0, 1, -9},
      UnitSymbol{"inHg", kPressure, 133322387415.0 * 254, 1, -10},
      UnitSymbol{"mmH2O", kPressure, 980665, 1, -5},
      UnitSymbol{"cmH2O", kPressure, 980665, 1, -4},
      UnitSymbol{"inH2O", kPressure, 980665.0 * 254, 1, -6},
      // energy
      UnitSymbol{"eV", kEnergy, 1602176634, 1, -28, kAll},
      UnitSymbol{"cal", kEnergy, 4184, 1, -3, kLarge},
      UnitSymbol{"Wh", kEnergy, 3600, 1, 0, kAll},
      UnitSymbol{"Btu", kEnergy, 105505585262.0, 1, -8},
      UnitSymbol{"BTU", kEnergy, 105505585262.0, 1, -8},
      UnitSymbol{"erg", kEnergy, 1, 1, -7},
      // power
      UnitSymbol{"hp", kPower, kPoundForce * 1676400, 1, -17},  // 550 ft*lbf/s
      UnitSymbol{"PS", kPower, 73549875, 1, -5},
      UnitSymbol{"VA", kPower, 1, 1, 0, kAll},
      UnitSymbol{"var", kPower, 1, 1, 0, kAll},
      // electricity and magnetism
      UnitSymbol{"Ah", kCharge, 3600, 1, 0, kAll},
      UnitSymbol{"mho", kConductance, 1},
      UnitSymbol{"gauss", Dimension::Of(0, 1, -2, -1), 1, 1, -4, kAll},
      // viscosity
      UnitSymbol{"P", Dimension::Of(-1, 1, -1), 1, 1, -1, kCenti},
      UnitSymbol{"St", Dimension::Of(2, 0, -1), 1, 1, -4, kCenti},
      // temperature: the first two are absolute and stand alone
      UnitSymbol{"degC", kTemperature, 1, 1, 0, kNone, 0, 273.15},
      UnitSymbol{"\xC2\xB0"
                 "C",
                 kTemperature, 1, 1, 0, kNone, 0, 273.15},
      UnitSymbol{"degF", kTemperature, 5, 9, 0, kNone, 0, 45967.0 / 180},
      UnitSymbol{"\xC2\xB0"
                 "F",
                 kTemperature, 5, 9, 0, kNone, 0, 45967.0 / 180},
      UnitSymbol{"degR", kTemperature, 5, 9},
  };
  std::sort(table.begin(), table.end(), [](const UnitSymbol& a, const UnitSymbol& b) {
    return std::string_view(a.symbol) < std::string_view(b.symbol);
  });
  return table;
}();

struct Prefix {
  std::string_view text;
  int power_of_ten;
};

// In the order in which suggestions prefer them.
constexpr Prefix kPrefixes[] = {
    {"k", 3},  {"M", 6},   {"m", -3},  {"u", -6},  {"\xC2\xB5", -6}, {"\xCE\xBC", -6}, {"n", -9},
    {"G", 9},  {"c", -2},  {"d", -1},  {"h", 2},   {"p", -12},       {"T", 12},        {"P", 15},
    {"da", 1}, {"f", -15}, {"a", -18}, {"z", -21}, {"y", -24},
};

bool Takes(UnitSymbol::Prefixes prefixes, int power_of_ten) {
  switch (prefixes) {
    case kNone:
      return false;
    case kAll:
      return true;
    case kLarge:
      return power_of_ten >= 3;
    case kSmall:
      return power_of_ten <= -3;
    case kMilli:
      return power_of_ten == -3 || power_of_ten == -6;
    case kCenti:
      return power_of_ten == -2 || power_of_ten == -3;
  }
  return false;
}

const UnitSymbol* FindBare(std::string_view symbol) {
  const auto at =
      std::lower_bound(kTable.begin(), kTable.end(), symbol,
                       [](const UnitSymbol& unit, std::string_view text) { return unit.symbol < text; });
  return at != kTable.end() && at->symbol == symbol ? &*at : nullptr;
}

// Written-out names and habits, in small letters, with what to write.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"amp", "A"},       {"ampere", "A"}, {"amperes", "A"},  {"amps", "A"},      {"celsius", "degC"},
    {"coulomb", "C"},   {"days", "d"},   {"degree", "deg"}, {"degrees", "deg"}, {"fahrenheit", "degF"},
    {"farad", "F"},     {"feet", "ft"},  {"gallon", "gal"}, {"gram", "g"},      {"gs", "gn"},
    {"henry", "H"},     {"hertz", "Hz"}, {"hour", "h"},     {"hours", "h"},     {"inches", "in"},
    {"joule", "J"},     {"kelvin", "K"}, {"kilo", "kg"},    {"kilogram", "kg"}, {"kmh", "km/h"},
    {"lbs", "lb"},      {"liter", "L"},  {"litre", "L"},    {"meter", "m"},     {"meters", "m"},
    {"metre", "m"},     {"metres", "m"}, {"miles", "mi"},   {"minute", "min"},  {"minutes", "min"},
    {"mole", "mol"},    {"newton", "N"}, {"ohms", "ohm"},   {"ounce", "oz"},    {"pascal", "Pa"},
    {"pct", "percent"}, {"pound", "lb"}, {"radian", "rad"}, {"radians", "rad"}, {"revolution", "rev"},
    {"sec", "s"},       {"second", "s"}, {"seconds", "s"},  {"siemens", "S"},   {"tesla", "T"},
    {"volt", "V"},      {"volts", "V"},  {"watt", "W"},     {"watts", "W"},     {"weber", "Wb"},
    {"yard", "yd"},
};

// Pairs people write without the sign between them: Nm, Vs, ftlb.
constexpr std::string_view kFirstOfTwo[] = {"A", "C",  "J",   "N",  "Pa",  "V",  "W",  "ft",
                                            "g", "in", "kgf", "lb", "lbf", "oz", "ozf"};
constexpr std::string_view kSecondOfTwo[] = {"A",   "cm", "ft",  "h",  "in",  "lb",
                                             "lbf", "m",  "min", "mm", "rad", "s"};

bool Contains(std::span<const std::string_view> list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string LowerCase(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), Lower);
  return out;
}

// How many letters differ in their case, or nullopt if anything else differs.
std::optional<int> CaseDifference(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return std::nullopt;
  int count = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (Lower(a[i]) != Lower(b[i])) return std::nullopt;
    count += a[i] != b[i];
  }
  return count;
}

std::string SuggestOtherCase(std::string_view symbol) {
  std::string best;
  int least = 1000;
  const auto consider = [&](std::string_view prefix, const UnitSymbol& unit) {
    if (prefix.size() + std::string_view(unit.symbol).size() != symbol.size()) return;
    const std::string candidate = std::string(prefix) + unit.symbol;
    const auto difference = CaseDifference(symbol, candidate);
    if (!difference || *difference >= least) return;
    least = *difference;
    best = candidate;
  };
  for (const UnitSymbol& unit : kTable) consider("", unit);
  for (const Prefix& prefix : kPrefixes) {
    for (const UnitSymbol& unit : kTable) {
      if (Takes(unit.prefixes, prefix.power_of_ten)) consider(prefix.text, unit);
    }
  }
  return best;
}

// Typeset signs, pasted from elsewhere: N·m, m².
std::string SuggestAscii(std::string_view symbol) {
  constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {"\xC2\xB7", "*"}, {"\xE2\x8B\x85", "*"}, {"\xC3\x97", "*"}, {"\xC2\xB2", "^2"}, {"\xC2\xB3", "^3"},
  };
  std::string out;
  bool changed = false;
  while (!symbol.empty()) {
    const auto sign = std::find_if(std::begin(kSigns), std::end(kSigns),
                                   [&](const auto& s) { return symbol.starts_with(s.first); });
    const bool found = sign != std::end(kSigns);
    out += found ? sign->second : symbol.substr(0, 1);
    symbol.remove_prefix(found ? sign->first.size() : 1);
    changed = changed || found;
  }
  return changed && ParseUnit(out) ? out : std::string();
}

double PowerOfTen(int power) {  // exact up to 22
  constexpr double kExact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  return kExact[power];
}

}  // namespace

double CalcFactor(double numerator, double denominator, int power_of_ten) {
  if (power_of_ten > 700 || power_of_ten < -700) return power_of_ten > 0 ? HUGE_VAL : 0;
  for (; power_of_ten > 22; power_of_ten -= 22) numerator *= 1e22;
  for (; power_of_ten < -22; power_of_ten += 22) numerator /= 1e22;
  return power_of_ten >= 0 ? numerator * PowerOfTen(power_of_ten) / denominator
                           : numerator / (denominator * PowerOfTen(-power_of_ten));
}

double UnitSymbol::Factor() const {
  return CalcFactor(numerator, denominator, power_of_ten);
}

std::span<const UnitSymbol> UnitSymbols() {
  return kTable;
}

std::optional<UnitSymbol> FindUnitSymbol(std::string_view symbol) {
  if (const UnitSymbol* unit = FindBare(symbol)) return *unit;
  for (const Prefix& prefix : kPrefixes) {
    if (!symbol.starts_with(prefix.text)) continue;
    const UnitSymbol* unit = FindBare(symbol.substr(prefix.text.size()));
    if (unit == nullptr || !Takes(unit->prefixes, prefix.power_of_ten)) continue;
    UnitSymbol result = *unit;
    result.power_of_ten += prefix.power_of_ten;
    return result;
  }
  return std::nullopt;
}

std::string SuggestUnit(std::string_view symbol) {
  if (symbol.empty() || symbol.size() > 40) return {};
  if (std::string ascii = SuggestAscii(symbol); !ascii.empty()) return ascii;
  const size_t stem = symbol.find_last_not_of("0123456789") + 1;
  if (stem > 0 && stem < symbol.size() && FindUnitSymbol(symbol.substr(0, stem))) {
    return std::string(symbol.substr(0, stem)) + "^" + std::string(symbol.substr(stem));
  }
  for (size_t i = 1; i < symbol.size(); ++i) {
    const auto first = FindUnitSymbol(symbol.substr(0, i));
    if (first && Contains(kFirstOfTwo, first->symbol) && Contains(kSecondOfTwo, symbol.substr(i))) {
      return std::string(symbol.substr(0, i)) + "*" + std::string(symbol.substr(i));
    }
  }
  if (std::string other = SuggestOtherCase(symbol); !other.empty()) return other;
  if (symbol.back() == 's' && FindUnitSymbol(symbol.substr(0, symbol.size() - 1))) {
    return std::string(symbol.substr(0, symbol.size() - 1));
  }
  const std::string lower = LowerCase(symbol);
  for (const auto& [name, unit] : kNames) {
    if (lower == name) return std::string(unit);
  }
  std::vector<std::string_view> candidates;
  candidates.reserve(std::size(kTable));
  for (const UnitSymbol& unit : kTable) candidates.emplace_back(unit.symbol);
  return std::string(Nearest(symbol, candidates));
}

}  // namespace cotree
