// SPDX-License-Identifier: Apache-2.0
// Which signals may be differentiated how often (BT.5).
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "run_support.h"

namespace cotree::test {
namespace {

struct Case {
  const char* name;
  const char* y;  // of u = sin(2*t)
  int times;      // that it may be differentiated
  double (*slope)(double u, double rate);
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

std::string TextOf(const Case& c, int times) {
  std::string w = "y";
  for (int k = 0; k < times; ++k) w = "T*der(" + w + ")";
  return fmt::format(
      "table held(x : Real) : Real {{ interpolation = spline  extrapolation = hold\n"
      "  data = [[-0.5, 0], [0, 1], [0.5, 0.25]] }}\n"
      "table straight(x : Real) : Real {{ interpolation = spline  extrapolation = linear\n"
      "  data = [[-0.5, 0], [0, 1], [0.5, 0.25]] }}\n"
      "component C {{ parameter T : Time = 1 s  variable u, y, w : Real\n"
      "  equation u = sin(2*time/T)  y = {}  w = {} }}\nsystem S {{ c : C }}\n",
      c.y, w);
}

class Smoothness : public testing::TestWithParam<Case> {};

TEST_P(Smoothness, IsThatOfTheSignal) {
  const Case& c = GetParam();
  for (int times = 1; times <= c.times; ++times) {
    RunOf run(TextOf(c, times));
    run.Simulate(3, 1e-8);
    if (times > 1 || c.slope == nullptr) continue;
    EXPECT_LT(run.Error("c.w", [&](double t) { return c.slope(std::sin(2 * t), 2 * std::cos(2 * t)); }),
              1e-12);
  }
  try {
    RunOf rough(TextOf(c, c.times + 1));
    ADD_FAILURE() << c.y << " is differentiated " << c.times + 1 << " times";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("COT4103"), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Equations, Smoothness,
    testing::Values(
        Case{"Abs", "abs(u)", 0, nullptr}, Case{"Max", "max(u, 0)", 0, nullptr},
        Case{"AbsTimes", "abs(u)*u", 1, [](double u, double v) { return 2 * std::fabs(u) * v; }},
        Case{"TimesAbs", "3*u*abs(u)/2", 1, [](double u, double v) { return 3 * std::fabs(u) * v; }},
        Case{"AbsSquared", "abs(u)^2", 1, [](double u, double v) { return 2 * u * v; }},
        Case{"MaxSquared", "max(u, 0)^2", 1, [](double u, double v) { return u > 0 ? 2 * u * v : 0.0; }},
        Case{"MinCubed", "min(0, u)^3", 2, [](double u, double v) { return u < 0 ? 3 * u * u * v : 0.0; }},
        Case{"AbsTimesSquare", "abs(u)*u^2", 2, [](double u, double v) { return 3 * u * std::fabs(u) * v; }},
        Case{"AbsTimesAnother", "abs(u)*(u + 1)", 0, nullptr}, Case{"MaxOfOne", "max(u, 0.5)*u", 0, nullptr},
        Case{"HeldSpline", "held(u)", 0, nullptr}, Case{"StraightSpline", "straight(u)", 2, nullptr}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace cotree::test
