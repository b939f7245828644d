// SPDX-License-Identifier: Apache-2.0
// Conditions that turn between steps: how often each becomes true, against closed forms. Branches that end
// where their condition does, with every kind of integrator.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "run_support.h"

namespace cotree::test {
namespace {

struct Count {
  const char* condition;
  double stop;
  int expected;  // how often it becomes true behind the start
};

// x(t) = t, y(t) = sin(t), both states.
const Count kCounts[] = {
    {"sin(6283.185307179586*x) > 0.5", 2, 2000},
    {"sin(6283.185307179586*x) > 0.9999999", 1, 1000},
    {"sin(6283.185307179586*x) > 1.0000001", 1, 0},
    {"sin(314.1592653589793*x)^2 > 0.999999999", 1, 100},
    {"exp(-((x - 3.14159265)/1e-6)^2) > 0.5", 10, 1},
    {"exp(-((x - 2)/1e-4)^2) + exp(-((x - 7)/1e-4)^2) > 0.5", 10, 2},
    {"(x - 5)^2 < 1e-12", 10, 1},
    {"y*sin(6283.185307179586*x) > 2", 6, 0},
    {"y > 0.9999999999", 6.25, 1},
    {"abs(x - 4.2) < 1e-7", 10, 1},
    {"max(x, 8.4 - x) < 4.2000001", 10, 1},
    {"min(abs(x - 4.2), abs(x - 6.3)) < 1e-7", 10, 2},
    {"cos(time/T*62831.85307179586)*(1 + 0*x) > 0.99999999", 0.10005, 1000},
    {"sin(time/T*628318.5307179586) > 0.5", 0.1, 10000},
    {"x > 0.99999999", 1, 1},
    {"x > 1.00000001", 1, 0},
};

TEST(FastConditions, AreCounted) {
  for (const Count& c : kCounts) {
    RunOf run(
        fmt::format("component A {{ parameter T : Time = 1 s\n"
                    "variable x : Real (start = 0, fixed)  variable y : Real (start = 0, fixed)\n"
                    "discrete variable n : Integer (start = 0)\nequation T*der(x) = 1\nT*der(y) = cos(x)\n"
                    "when {} {{ n = pre(n) + 1 }} }}\nsystem S {{ a : A }}\n",
                    c.condition));
    run.Simulate(c.stop, 1e-8);
    EXPECT_EQ(run.End("a.n"), c.expected) << c.condition;
  }
}

struct Guard {
  const char* equations;
  double stop, expected;
};

// What a tank does that runs empty: h(t) = (1 - t/2)^2, then nothing; and others that end.
const Guard kGuards[] = {
    {"T*der(h) = if h > 0 then -sqrt(h) else 0", 3, 0},
    {"T*der(h) = if h > 0 then -h^0.5 else 0", 3, 0},
    {"T*der(h) = if h > 0 then -1 - sqrt(h) else 0", 3, 0},
    {"T*der(h) = if h < 0.5 then 0 else -log(h + 0.5) - 1", 3, 0.5},
};

TEST(GuardedBranches, EndWithTheirCondition) {
  for (const Guard& g : kGuards) {
    for (const Method method : {Method::kAutomatic, Method::kExplicit, Method::kBdf, Method::kRungeKutta4, Method::kEuler}) {
      RunOf run(fmt::format("component A {{ parameter T : Time = 1 s\n"
                            "variable h : Real (start = 1, fixed)\nequation {} }}\nsystem S {{ a : A }}\n",
                            g.equations));
      run.Simulate(g.stop, 1e-6, method);
      EXPECT_NEAR(run.End("a.h"), g.expected, 2e-3) << g.equations << " " << static_cast<int>(method);
    }
  }
}

}  // namespace
}  // namespace cotree::test
