// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "units/unit.h"

namespace cotree {
namespace {

constexpr double kPi = 3.14159265358979323846;

Unit Parse(std::string_view text) {
  const UnitResult result = ParseUnit(text);
  EXPECT_TRUE(result.ok()) << text << ": " << (result ? "" : result.error().reason);
  return result ? *result : Unit{};
}

UnitError Fail(std::string_view text) {
  const UnitResult result = ParseUnit(text);
  EXPECT_FALSE(result.ok()) << text;
  return result ? UnitError{} : result.error();
}

// The right sides are the defining constants written out: NIST SP 811 appendix B, SI brochure table 8. Exact,
// not near.
TEST(ParseUnit, HasTheExactFactors) {
  const std::pair<const char*, double> cases[] = {
      {"m", 1},
      {"mm", 1e-3},
      {"um", 1e-6},
      {"\xC2\xB5m", 1e-6},
      {"\xCE\xBCm", 1e-6},
      {"nm", 1e-9},
      {"km", 1e3},
      {"dam", 10},
      {"cm", 1e-2},
      {"g", 1e-3},
      {"kg", 1},
      {"mg", 1e-6},
      {"Mg", 1e3},
      {"t", 1e3},
      {"kt", 1e6},
      {"ms", 1e-3},
      {"min", 60},
      {"h", 3600},
      {"d", 86400},
      {"day", 86400},
      {"uH", 1e-6},
      {"pF", 1e-12},
      {"kohm", 1e3},
      {"M\xCE\xA9", 1e6},
      {"\xE2\x84\xA6", 1},
      {"mS", 1e-3},
      {"L", 1e-3},
      {"mL", 1e-6},
      {"ml", 1e-6},
      {"L/min", 1.0 / 60000},
      {"lpm", 1.0 / 60000},
      {"cm^3", 1e-6},
      {"mm^2", 1e-6},
      {"bar", 1e5},
      {"mbar", 100},
      {"MPa", 1e6},
      {"hPa", 100},
      {"atm", 101325},
      {"psi", 6894.757293168361},
      {"mmHg", 133.322387415},
      {"in", 0.0254},
      {"inch", 0.0254},
      {"ft", 0.3048},
      {"yd", 0.9144},
      {"mi", 1609.344},
      {"mil", 2.54e-5},
      {"nmi", 1852},
      {"lb", 0.45359237},
      {"oz", 0.028349523125},
      {"lbf", 4.4482216152605},
      {"lbf/in^2", 6894.757293168361},
      {"kgf", 9.80665},
      {"lbf*ft", 1.3558179483314004},
      {"gal", 3.785411784e-3},
      {"ft^3/min", 0.028316846592 / 60},
      {"cal", 4.184},
      {"kcal", 4184},
      {"Wh", 3600},
      {"kWh", 3.6e6},
      {"Btu", 1055.05585262},
      {"mAh", 3.6},
      {"PS", 735.49875},
      {"rpm", 2 * kPi / 60},
      {"rev/min", 2 * kPi / 60},
      {"rev/s", 2 * kPi},
      {"deg", kPi / 180},
      {"arcmin", kPi / 10800},
      {"arcsec", kPi / 648000},
      {"mrad", 1e-3},
      {"percent", 0.01},
      {"ppm", 1e-6},
      {"km/h", 1 / 3.6},
      {"cP", 1e-3},
      {"cSt", 1e-6},
      {"kn", 1852.0 / 3600},
      {"1/min", 1.0 / 60},
      {"1", 1},
      {"degR", 5.0 / 9},
      {"mV/us", 1e3},
      {"g/cm^3", 1e3},
      {"cm^(1/2)", 0.1},
      {"km^0.5", std::sqrt(1000.0)},
      {"1/cm^1.5", 1000},
  };
  for (const auto& [text, factor] : cases) {
    EXPECT_DOUBLE_EQ(Parse(text).factor, factor) << text;
    EXPECT_EQ(Parse(text).offset, 0) << text;
  }
  for (const char* text : {"L/min", "mm", "lbf", "oz", "mm^2", "g/cm^3", "us", "gal"}) {  // to the last bit
    double expected = 0;
    for (const auto& [name, factor] : cases) expected = std::string_view(name) == text ? factor : expected;
    if (std::string_view(text) == "us") expected = 1e-6;
    EXPECT_EQ(Parse(text).factor, expected) << text;
  }
  EXPECT_NEAR(Parse("hp").factor, 745.69987158227022, 1e-12);
  EXPECT_NEAR(Parse("eV").factor / 1.602176634e-19, 1, 4e-16);
}

TEST(ParseUnit, ConvertsAbsoluteTemperatures) {
  EXPECT_DOUBLE_EQ(Parse("degC").ToSi(20), 293.15);
  EXPECT_DOUBLE_EQ(Parse("\xC2\xB0"
                         "C")
                       .ToSi(-273.15),
                   0);
  EXPECT_NEAR(Parse("degF").ToSi(32), 273.15, 1e-12);
  EXPECT_NEAR(Parse("degF").ToSi(212), 373.15, 1e-12);
  EXPECT_NEAR(Parse("degF").FromSi(273.15), 32, 1e-12);
  EXPECT_EQ(Parse("(degC)").offset, 273.15);
  for (const char* text : {"J/degC", "degC*m", "degC^2", "1/degC", "W/(m*degF)", "degC/degC", "degC/s"}) {
    const UnitError error = Fail(text);
    EXPECT_EQ(error.code, UnitError::Code::kOffsetCombined) << text;
    EXPECT_NE(error.reason.find("use `K`"), std::string::npos);
    EXPECT_EQ(error.symbol.substr(0, 3), "deg");
    EXPECT_EQ(std::string_view(text).substr(error.begin, error.end - error.begin), error.symbol);
    EXPECT_EQ(error.suggestion, "K");
  }
}

TEST(ParseUnit, HasTheDimensions) {
  const std::pair<const char*, const char*> equal[] = {
      {"N", "kg*m/s^2"}, {"Pa", "N/m^2"},  {"J", "N*m"},  {"W", "J/s"},    {"V", "W/A"},  {"ohm", "V/A"},
      {"S", "1/ohm"},    {"F", "C/V"},     {"Wb", "V*s"}, {"T", "Wb/m^2"}, {"H", "Wb/A"}, {"lm", "cd*sr"},
      {"lx", "lm/m^2"},  {"kat", "mol/s"}, {"C", "A*s"},  {"Hz", "1/s"},   {"rad", "1"},
  };
  for (const auto& [a, b] : equal) EXPECT_EQ(Parse(a).dimension, Parse(b).dimension) << a;
  EXPECT_EQ(Parse("kg*m^2/(s^3*A)").dimension, Dimension::Of(2, 1, -3, -1));
}

TEST(ParseUnit, AssociatesToTheLeft) {
  EXPECT_EQ(Parse("m/s*s").dimension, Parse("m").dimension);
  EXPECT_EQ(Parse("m/s/s").dimension, Parse("m/s^2").dimension);
  EXPECT_EQ(Parse("m/(s*s)").dimension, Parse("m*s^-2").dimension);
  EXPECT_EQ(Parse("(m/s)^2").dimension, Parse("m^2/s^2").dimension);
  EXPECT_EQ(Parse("1/s").dimension, Parse("s^-1").dimension);
  EXPECT_EQ(Parse("m*(1/s)").dimension, Parse("m/s").dimension);
  EXPECT_EQ(Parse("V/(rad*s)").dimension, Parse("V/s").dimension);
  EXPECT_EQ(Parse("m^(1/2)").dimension, Parse("m^0.5").dimension);
  EXPECT_EQ(Parse("m^(-1/2)").dimension, Parse("1/m^(0.5)").dimension);
  EXPECT_EQ(Parse("m^-(1/2)").dimension, Parse("m^-0.5").dimension);
  EXPECT_EQ(Parse("m^+2").dimension, Parse("m*m").dimension);
}

TEST(ParseUnit, TellsKinds) {
  const auto expect = [](KindHint kind, std::initializer_list<const char*> texts) {
    for (const char* text : texts) EXPECT_EQ(Parse(text).kind, kind) << text;
  };
  expect(KindHint::kFrequency, {"Hz", "kHz", "MHz", "mHz", "(Hz)", "Hz/s", "kHz/ms", "Hz*s", "Hz/s^2"});
  expect(KindHint::kAngularVelocity, {"rad/s", "deg/s", "rpm", "rev/min", "rev/s", "mrad/ms", "rad*Hz",
                                      "1/s*rad", "krpm", "rps", "rad/s^2", "deg/s^3", "rpm/s"});
  expect(KindHint::kTorque, {"N*m", "mN*m", "kN*m", "N*mm", "lbf*ft", "lbf*in", "m*N", "(N*m)", "ozf*in"});
  expect(KindHint::kEnergy, {"J", "kJ", "eV", "MeV", "Wh", "kWh", "cal", "kcal", "Btu", "W*s", "kW*h"});
  expect(KindHint::kAngle, {"rad", "deg", "rev", "mrad", "(rad)"});
  expect(KindHint::kExtent, {"m", "mm", "m^2", "L", "cm^3", "m*m"});
  expect(KindHint::kPerAngle, {"m/rad", "mm/rev", "um/deg", "cm^3/rev", "L/rad", "1/rad*m"});
  expect(KindHint::kNone, {"1/m", "m/rad^2", "m*rad", "rad/rad", "1"});
  expect(KindHint::kNone, {"1/s", "kg*m^2/s^2", "N*m/rad", "J/rad", "N*m/A", "V", "N*m*s", "Hz/V", "rad/s/Hz",
                           "rad^2/s", "N/m", "Hz^2", "N*m^2", "J*s", "Bq", "N^2*m", "Pa*m^3"});
}

TEST(ParseUnit, SeesAngles) {
  for (const char* text :
       {"rad", "deg", "rev/s", "V/rad", "N*m/deg", "rpm", "rad/rad", "V/(rad*s)", "mrad", "arcsec"}) {
    EXPECT_TRUE(Parse(text).mentions_angle) << text;
  }
  for (const char* text : {"m", "1", "V", "Hz", "percent", "degC", "sr"})
    EXPECT_FALSE(Parse(text).mentions_angle) << text;
}

TEST(ParseUnit, PrefersWholeSymbolsToPrefixes) {
  EXPECT_EQ(Parse("min").factor, 60);
  EXPECT_EQ(Parse("cd").dimension, Dimension::Of(0, 0, 0, 0, 0, 0, 1));
  EXPECT_EQ(Parse("ft").factor, 0.3048);
  EXPECT_EQ(Parse("Pa").dimension, Dimension::Of(-1, 1, -2));
  EXPECT_EQ(Parse("kat").factor, 1);
  EXPECT_EQ(Parse("mT").factor, 1e-3);
}

TEST(ParseUnit, ExplainsUnknownSymbols) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"Nm", "Nm", "N*m"},
      {"mNm/A", "mNm", "mN*m"},
      {"Vs", "Vs", "V*s"},
      {"m2", "m2", "m^2"},
      {"kg*m2/s", "m2", "m^2"},
      {"KHz", "KHz", "kHz"},
      {"Kg", "Kg", "kg"},
      {"V/Sec", "Sec", "s"},
      {"Volt", "Volt", "V"},
      {"kOhms", "kOhms", "kOhm"},
      {"lbft", "lbft", "lb*ft"},
      {"ozin", "ozin", "oz*in"},
      {"HZ", "HZ", "Hz"},
      {"RPM", "RPM", "rpm"},
      {"radd", "radd", "rad"},
      {"mpa", "mpa", "mPa"},
      {"kmh", "kmh", "km/h"},
      {"N\xC2\xB7m/s", "N\xC2\xB7m", "N*m"},
      {"kg\xC2\xB7m\xC2\xB2", "kg\xC2\xB7m\xC2\xB2", "kg*m^2"},
      {"qwertyuiop", "qwertyuiop", ""},
  };
  for (const auto& [text, symbol, suggestion] : cases) {
    const UnitError error = Fail(text);
    EXPECT_EQ(error.code, UnitError::Code::kUnknownSymbol) << text;
    EXPECT_EQ(error.symbol, symbol);
    EXPECT_EQ(error.begin, std::string_view(text).find(symbol)) << text;
    EXPECT_EQ(error.end - error.begin, std::string_view(symbol).size()) << text;
    EXPECT_EQ(error.suggestion, suggestion) << text;
    if (*suggestion != '\0') {
      EXPECT_TRUE(ParseUnit(error.suggestion)) << text;
    }
  }
}

TEST(ParseUnit, RefusesWhatIsNoUnit) {
  using Code = UnitError::Code;
  const std::tuple<const char*, Code, uint32_t> cases[] = {
      {"", Code::kEmpty, 0},
      {"*", Code::kUnexpected, 0},
      {"m*", Code::kUnexpected, 2},
      {"m//s", Code::kUnexpected, 2},
      {"(m", Code::kUnexpected, 2},
      {"m)", Code::kUnexpected, 1},
      {"m s", Code::kUnexpected, 1},
      {" m", Code::kUnexpected, 0},
      {"2*m", Code::kUnexpected, 0},
      {"10", Code::kUnexpected, 0},
      {"1m", Code::kUnexpected, 0},
      {"1.0", Code::kUnexpected, 0},
      {"m*1", Code::kUnexpected, 2},
      {"m^2^3", Code::kUnexpected, 3},
      {"()", Code::kUnexpected, 1},
      {"m^", Code::kBadExponent, 2},
      {"m^x", Code::kBadExponent, 2},
      {"m^(1/0)", Code::kBadExponent, 5},
      {"m^(1/2", Code::kBadExponent, 2},
      {"m^--2", Code::kBadExponent, 3},
      {"m^1000000", Code::kExponentTooLarge, 2},
      {"m^-32768", Code::kExponentTooLarge, 2},
      {"m^99999999999999999999999", Code::kExponentTooLarge, 2},
      {"m^(1/1000000)", Code::kExponentTooLarge, 2},
      {"m^0.00000000000000000000001", Code::kExponentTooLarge, 2},
      {"(m^20000)^2", Code::kExponentTooLarge, 0},
      {"m^20000*m^20000", Code::kExponentTooLarge, 0},
      {"km^400", Code::kOutOfRange, 0},
      {"km^30000", Code::kOutOfRange, 0},
      {"nm^-200", Code::kOutOfRange, 0},
      {"min^30000", Code::kOutOfRange, 0},
      {"m^1.", Code::kUnexpected, 3},
  };
  for (const auto& [text, code, begin] : cases) {
    const UnitError error = Fail(text);
    EXPECT_EQ(static_cast<int>(error.code), static_cast<int>(code)) << text << ": " << error.reason;
    EXPECT_EQ(error.begin, begin) << text << ": " << error.reason;
    EXPECT_LE(error.end, std::string_view(text).size()) << text;
    EXPECT_FALSE(error.reason.empty()) << text;
  }
  EXPECT_EQ(Fail(std::string(100000, '(')).code, Code::kTooDeep);
  EXPECT_EQ(Fail(std::string(20, '(') + "m" + std::string(19, ')')).code, Code::kUnexpected);
  Parse(std::string(20, '(') + "m" + std::string(20, ')'));
}

TEST(ParseUnit, SurvivesAnything) {
  std::mt19937 random(7);
  const std::string alphabet = "mskgNVAradeC()^*/0123456789.-+1/ \xC2\xB0\xCE\xA9u";
  int good = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    const size_t length = random() % 12;
    for (size_t k = 0; k < length; ++k) text += alphabet[random() % alphabet.size()];
    const UnitResult result = ParseUnit(text);
    if (result) {
      ++good;
      EXPECT_TRUE(std::isnormal(result->factor) && result->factor > 0) << text;
    } else {
      EXPECT_LE(result.error().begin, result.error().end) << text;
      EXPECT_LE(result.error().end, text.size()) << text;
    }
  }
  EXPECT_GT(good, 1000);
}

}  // namespace
}  // namespace cotree
