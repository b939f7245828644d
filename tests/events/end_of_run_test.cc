// SPDX-License-Identifier: Apache-2.0
// What happens at the very end of a run (docs/theory/events.md, EV.3): conditions on the time are as the text
// says at that moment.
#include <gtest/gtest.h>

#include "run_support.h"

namespace cotree::test {
namespace {

struct EndCase {
  const char* name;
  const char* condition;
  double stop;
  double happens;
};
void PrintTo(const EndCase& c, std::ostream* out) {
  *out << c.name;
}

class EndOfRun : public testing::TestWithParam<EndCase> {};

TEST_P(EndOfRun, ConditionIsAsTheTextSays) {
  const EndCase& c = GetParam();
  const std::string text =
      std::string("component K {\n"
                  "  parameter T : Time = 1 s\n"
                  "  discrete variable n : Integer (start = 0)\n"
                  "  variable x : Real (start = 0, fixed)\n"
                  "  variable u, y : Real\n"
                  "  equation\n"
                  "    T*der(x) = 1\n"
                  "    u = if time >= 0.2 s then 1 else 0\n"
                  "    y = delay(u, 0.1 s)\n"
                  "    when ") +
      c.condition +
      " { n = pre(n) + 1 }\n"
      "}\n"
      "system S { k : K }\n";
  for (const Method method : {Method::kAutomatic, Method::kBdf, Method::kEuler}) {
    RunOf run(text);
    run.Simulate(c.stop, 1e-8, method, c.stop / 10);
    EXPECT_EQ(run.End("k.n"), c.happens) << MethodName(method);
    EXPECT_EQ(run.times().back(), c.stop);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Events, EndOfRun,
    testing::Values(EndCase{"Reached", "time >= 1 s", 1, 1}, EndCase{"NotBeyond", "time > 1 s", 1, 0},
                    EndCase{"Later", "time >= 1.0000001 s", 1, 0},
                    EndCase{"Before", "time >= 0.9999999999 s", 1, 1},
                    EndCase{"LateByRounding", "time >= 0.1*3 s", 0.3, 1},
                    EndCase{"Curved", "sin(time*1 rad/s) >= sin(0.3 rad)", 0.3, 1},
                    EndCase{"CurvedNotBeyond", "time*time > 0.25 s^2", 0.5, 0},
                    EndCase{"WithAState", "x >= 0.5 and time >= 1 s", 1, 1},
                    EndCase{"OfAState", "x >= 0.999999 and x < 2", 1, 1},
                    EndCase{"Period", "mod(time, 0.25 s) < 0.1 s", 1, 4},
                    EndCase{"Sample", "sample(0 s, 0.25 s)", 1, 5},
                    EndCase{"SampleByRounding", "sample(0 s, 0.1 s)", 0.3, 4},
                    EndCase{"DelayedJump", "y >= 0.5", 0.3, 1}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(LastRow, AStepAtTheEndIsInTheLastRow) {
  RunOf run("system S { s : Step(height = 2, start = 1 s)  g : Gain(k = 3)  connect s.y -> g.u }");
  run.Simulate(1);
  const auto& y = run["g.y"];
  EXPECT_EQ(y[y.size() - 2], 0);
  EXPECT_EQ(y.back(), 6);
}

}  // namespace
}  // namespace cotree::test
