// SPDX-License-Identifier: Apache-2.0
#include "units/format_dimension.h"

#include <gtest/gtest.h>

#include <random>

namespace cotree {
namespace {

TEST(FormatDimension, WritesWhatEngineersWrite) {
  const char* as_written[] = {
      "1",      "m",         "kg",      "s",       "A",     "K",       "mol",     "cd",        "N",
      "Pa",     "J",         "W",       "C",       "V",     "F",       "ohm",     "S",         "Wb",
      "T",      "H",         "m/s",     "m/s^2",   "m^2",   "m^3",     "m^3/s",   "1/s",       "1/m",
      "1/K",    "s^2",       "m^2/s",   "m^2/s^2", "1/s^2", "m^(1/2)", "kg*m^2",  "kg/m^3",    "kg/s",
      "N/m",    "N*s",       "N*s/m^2", "Pa*s",    "J*s",   "W/K",     "W/(m*K)", "W/(m^2*K)", "J/(kg*K)",
      "J/K",    "J/(mol*K)", "V/m",     "V/s",     "A/m",   "H/m",     "F/m",     "ohm*m",     "S/m",
      "m^3/Pa", "Pa*s/m^3",  "kg/m^4",  "W/m^2",   "V/K",   "mol/m^3", "cd/m^2",  "K/W",       "1/Pa",
      "m/N",    "A/s",       "K/s",     "1/F",
  };
  for (const char* text : as_written) {
    const UnitResult unit = ParseUnit(text);
    ASSERT_TRUE(unit) << text;
    const std::string expected = std::string_view(text) == "N*s/m^2" ? "Pa*s" : text;
    EXPECT_EQ(FormatDimension(unit->dimension), expected);
  }
}

TEST(FormatDimension, NamesWhatBaseUnitsHide) {
  const std::pair<const char*, const char*> cases[] = {
      {"kg*m^2/(s^3*A)", "V"}, {"kg*m^2/s^2/A", "Wb"}, {"rad/s", "1/s"},  {"Hz", "1/s"},     {"lm", "cd"},
      {"N*m/rad", "J"},        {"V*rad", "V"},         {"kg*m/s", "N*s"}, {"kg/s^2", "N/m"}, {"V/A", "ohm"},
      {"percent", "1"},        {"L/min", "m^3/s"},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_EQ(FormatDimension(ParseUnit(text)->dimension), expected) << text;
}

TEST(FormatDimension, FollowsTheKind) {
  EXPECT_EQ(FormatDimension(Dimension::Of(2, 1, -2), KindHint::kTorque), "N*m");
  EXPECT_EQ(FormatDimension(Dimension::Of(2, 1, -2), KindHint::kEnergy), "J");
  EXPECT_EQ(FormatDimension(Dimension::Of(0, 0, -1), KindHint::kAngularVelocity), "rad/s");
  EXPECT_EQ(FormatDimension(Dimension::Of(0, 0, -1), KindHint::kFrequency), "Hz");
  EXPECT_EQ(FormatDimension(Dimension::Of(1, 0, 0), KindHint::kTorque), "m");
}

TEST(FormatDimension, WritesGenerics) {
  const auto name = [](GenericId id) { return std::string("$") + static_cast<char>('a' + id.value); };
  const auto v =
      Multiply(DimensionVector(Dimension::Of(2, 1, -3, -1)),
               *Divide(DimensionVector::Generic(GenericId(0), 2), DimensionVector::Generic(GenericId(1))));
  EXPECT_EQ(FormatDimension(*v, name), "V*$a^2/$b");
  EXPECT_EQ(FormatDimension(DimensionVector::Generic(GenericId(1), -1), name), "1/$b");
  EXPECT_EQ(FormatDimension(DimensionVector(), name), "1");
}

// Print, then parse, is the identity on dimensions, with factor 1.
TEST(FormatDimension, CanBeParsedAgain) {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    Dimension dimension;
    const int kind = static_cast<int>(random() % 4);
    for (Rational& exponent : dimension.exponents) {
      if (random() % 2 == 0) continue;
      const int range = kind == 3 ? 32767 : 4;
      const int den = kind == 0   ? 1
                      : kind == 3 ? static_cast<int>(random() % 32767) + 1
                                  : static_cast<int>(random() % 5) + 1;
      exponent =
          *Rational::Make(static_cast<int>(random() % static_cast<unsigned>(2 * range + 1)) - range, den);
    }
    const std::string text = FormatDimension(dimension);
    const UnitResult again = ParseUnit(text);
    ASSERT_TRUE(again) << text << ": " << again.error().reason;
    EXPECT_EQ(again->dimension, dimension) << text;
    EXPECT_EQ(again->factor, 1) << text;
    EXPECT_EQ(again->offset, 0) << text;
    EXPECT_EQ(FormatDimension(again->dimension), text);
  }
}

TEST(SimplifyUnit, HasEachSymbolOnce) {
  const std::pair<const char*, const char*> rows[] = {
      {"V/(rad/s)", "V*s/rad"},
      {"V/(rad/s*s)", "V/rad"},
      {"V/(rad*s)", "V/(rad*s)"},
      {"m/s^2", "m/s^2"},
      {"(N*m)/(m/s)", "N*s"},
      {"1/s", "1/s"},
      {"$b/$a", "$b/$a"},
      {"m^(1/2)*m", "m^(1/2)*m"},
      {"A/A", "1"},
      {"1", "1"},
      {"", ""},
  };
  for (const auto& [given, simple] : rows) EXPECT_EQ(SimplifyUnit(given), simple) << given;
}

}  // namespace
}  // namespace cotree
