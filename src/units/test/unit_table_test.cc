// SPDX-License-Identifier: Apache-2.0
#include "units/unit_table.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <string>

namespace cotree {
namespace {

TEST(UnitSymbols, AreSortedDistinctAndSound) {
  std::string_view last;
  for (const UnitSymbol& unit : UnitSymbols()) {
    EXPECT_LT(last, std::string_view(unit.symbol));
    last = unit.symbol;
    EXPECT_TRUE(std::isnormal(unit.Factor()) && unit.Factor() > 0) << unit.symbol;
    EXPECT_TRUE(ParseUnit(unit.symbol)) << unit.symbol;
  }
  EXPECT_GT(UnitSymbols().size(), 100u);
}

// UDUNITS as a second opinion on every built-in unit that it knows, under the same symbol or under its own
// name.
TEST(UnitSymbols, AgreeWithUdunits) {
  UdunitsReader udunits;
  if (!udunits.IsAvailable()) GTEST_SKIP() << "libudunits2 is not installed";
  const std::map<std::string, std::string> names = {
      {"P", "poise"},
      {"PS", "metric_horsepower"},
      {"deg", "degree"},
      {"dyn", "dyne"},
      {"g", "gram"},
      {"gal", "US_liquid_gallon"},
      {"gn", "standard_free_fall"},
      {"gf", "gram_force"},
      {"kgf", "kilogram_force"},
      {"kn", "knot"},
      {"lbm", "lb"},
      {"nmi", "nautical_mile"},
      {"oz", "avoirdupois_ounce"},
      {"qt", "US_liquid_quart"},
      {"rev", "turn"},
      {"Da", "atomic_mass_unit"},
      {"mph", ""},
      {"kph", ""},
  };
  // Where UDUNITS has rounded or other definitions, with how far away they are.
  const std::map<std::string, double> differ = {
      {"Torr", 2e-7},  // 1 mmHg there; 101325/760 Pa here
      {"acre", 5e-6},  // US survey foot there
      {"cal", 7e-4},   // International Steam Table there, thermochemical here
      {"eV", 5e-7},    // older CODATA
      {"Da", 2e-6},    // older CODATA
      {"floz", 6e-8}, {"hp", 4e-8}, {"oz", 2e-7}, {"ozf", 2e-7},
      {"slug", 3e-7}, {"PS", 4e-7}, {"qt", 1e-6}, {"gal", 1e-6},
  };
  int compared = 0;
  std::string unknown;
  for (const UnitSymbol& unit : UnitSymbols()) {
    const auto name = names.find(unit.symbol);
    const auto theirs = udunits.Find(name == names.end() ? unit.symbol : name->second);
    if (!theirs) {
      unknown += std::string(" ") + unit.symbol;
      continue;
    }
    ++compared;
    const auto tolerance = differ.find(unit.symbol);
    EXPECT_NEAR(unit.Factor() / theirs->Factor(), 1, tolerance == differ.end() ? 1e-14 : tolerance->second)
        << unit.symbol;
    EXPECT_EQ(unit.dimension, theirs->dimension) << unit.symbol;
    EXPECT_NEAR(unit.offset, theirs->offset, 1e-12) << unit.symbol;
    const bool solid = unit.angle == 0 && theirs->angle == 2;  // sr, lm, lx: rad^2 there
    EXPECT_TRUE(solid || unit.angle == theirs->angle || theirs->angle == -2) << unit.symbol;
  }
  std::printf("[          ] compared %d units; unknown to UDUNITS:%s\n", compared, unknown.c_str());
  EXPECT_GT(compared, 90);
}

TEST(UnitSymbols, HaveThePrefixesOfUdunits) {
  UdunitsReader udunits;
  if (!udunits.IsAvailable()) GTEST_SKIP() << "libudunits2 is not installed";
  const std::pair<const char*, const char*> prefixes[] = {
      {"y", "yocto"}, {"z", "zepto"}, {"a", "atto"},         {"f", "femto"},        {"p", "pico"},
      {"n", "nano"},  {"u", "micro"}, {"\xC2\xB5", "micro"}, {"\xCE\xBC", "micro"}, {"m", "milli"},
      {"c", "centi"}, {"d", "deci"},  {"da", "deca"},        {"h", "hecto"},        {"k", "kilo"},
      {"M", "mega"},  {"G", "giga"},  {"T", "tera"},         {"P", "peta"},
  };
  for (const auto& [symbol, name] : prefixes) {
    const auto ours = FindUnitSymbol(std::string(symbol) + "V");
    const auto theirs = udunits.Find(std::string(name) + "volt");
    ASSERT_TRUE(ours && theirs) << name;
    EXPECT_DOUBLE_EQ(ours->Factor(), theirs->Factor()) << name;
    EXPECT_EQ(ours->dimension, theirs->dimension);
  }
}

TEST(UnitTable, AsksUdunitsForTheRest) {
  if (!UdunitsReader().IsAvailable()) GTEST_SKIP() << "libudunits2 is not installed";
  UnitTable table;
  ASSERT_TRUE(table.Lookup("furlong"));
  EXPECT_NEAR(table.Lookup("furlong")->factor, 201.168, 1e-3);
  EXPECT_EQ(table.Lookup("furlong")->dimension, Dimension::Of(1, 0, 0));
  EXPECT_EQ(table.Lookup("N*furlong")->kind, KindHint::kTorque);
  EXPECT_EQ(table.Lookup("kilohertz")->kind, KindHint::kFrequency);
  EXPECT_DOUBLE_EQ(table.Lookup("kilohertz")->factor, 1000);
  EXPECT_EQ(table.Lookup("radian/second")->kind, KindHint::kAngularVelocity);
  EXPECT_EQ(table.Lookup("volt/ampere")->dimension, table.Lookup("ohm")->dimension);
  EXPECT_DOUBLE_EQ(table.Lookup("celsius")->ToSi(0), 273.15);
  EXPECT_NEAR(table.Lookup("fahrenheit")->ToSi(32), 273.15, 1e-10);
  EXPECT_EQ(table.Lookup("J/celsius").error().code, UnitError::Code::kOffsetCombined);
  for (const char* text : {"m2", "kkg", "mfurlong", "nosuchunit", "dB", "millicelsius", "mmm"})
    EXPECT_FALSE(table.Lookup(text)) << text;
  EXPECT_EQ(table.Lookup("Nm").error().suggestion, "N*m");
}

TEST(UnitTable, WorksWithoutUdunits) {
  UnitTable table({.udunits = false});
  EXPECT_TRUE(table.Lookup("N*m/A"));
  EXPECT_FALSE(table.Lookup("furlong"));
}

TEST(UnitTable, RemembersAndKeepsItsReferences) {
  UnitTable table({.udunits = false});
  const UnitResult& first = table.Lookup("L/min");
  const UnitResult& wrong = table.Lookup("L/mim");
  for (int i = 1; i < 2000; ++i) table.Lookup("m^" + std::to_string(i));
  EXPECT_EQ(&table.Lookup("L/min"), &first);
  EXPECT_EQ(&table.Lookup("L/mim"), &wrong);
  EXPECT_EQ(first->text, "L/min");
  EXPECT_EQ(wrong.error().symbol, "mim");
}

TEST(UnitTable, IsFastOnTheSecondLookup) {
  UnitTable table({.udunits = false});
  const std::string texts[] = {"V", "ohm", "uH", "N*m/A", "kg*m^2", "rad/s", "L/min", "V*s/rad"};
  for (const std::string& text : texts) table.Lookup(text);
  constexpr int kRounds = 200000;
  double sum = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kRounds; ++i) {
    for (const std::string& text : texts) sum += table.Lookup(text)->factor;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double nanoseconds = seconds * 1e9 / (8.0 * kRounds);
  RecordProperty("nanoseconds", std::to_string(nanoseconds));
  std::printf("[          ] %.1f ns per lookup (%g)\n", nanoseconds, sum);
  EXPECT_LT(nanoseconds, 2000) << "a bound that only a lost memory breaks, even under sanitizers";
}

}  // namespace
}  // namespace cotree
