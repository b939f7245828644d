// SPDX-License-Identifier: Apache-2.0
// Where stop(...) and assertions end a run: at the moment itself, which is in the last row (EV.3, EV.3a).
#include <gtest/gtest.h>

#include "run_support.h"

namespace cotree::test {
namespace {

constexpr Method kMethods[] = {Method::kAutomatic, Method::kBdf, Method::kIda, Method::kEuler, Method::kHeun};

struct EndCase {
  const char* name;
  const char* body;
  double at;  // 2: the run is whole
  double n;
};
void PrintTo(const EndCase& c, std::ostream* out) {
  *out << c.name;
}

std::string TextOf(const EndCase& c) {
  return std::string(
             "component C {\n"
             "  variable x : Real (start = 0, fixed)\n"
             "  discrete variable n : Integer (start = 0)\n"
             "  variable y : Real\n"
             "  equation der(x) = 1/(1 s)\n") +
         c.body +
         (std::string(c.body).find("n = ") == std::string::npos ? " when time > 9 s { n = 1 } " : "") +
         "}\nsystem S { c : C }\n";
}

Trajectory RunUntilItEnds(RunOf& run, Method method) {
  SimulationOptions options;
  options.stop = 2;
  options.interval = 0.25;
  options.step = 0.01;
  options.method = method;
  run.trajectory = Simulate(*run.translation->program, run.translation->starts, options);
  return run.trajectory;
}

class Stop : public testing::TestWithParam<EndCase> {};

TEST_P(Stop, EndsTheRunAtItsMoment) {
  const EndCase& c = GetParam();
  for (const Method method : kMethods) {
    RunOf run(TextOf(c));
    const Trajectory end = RunUntilItEnds(run, method);
    EXPECT_TRUE(end.ok) << end.problem;
    EXPECT_EQ(end.stop_reason, c.at < 2 ? "over" : "") << MethodName(method);
    EXPECT_NEAR(end.times.back(), c.at, 1e-12) << MethodName(method);
    EXPECT_NEAR(run.End("c.x"), c.at, 1e-12) << MethodName(method);
    EXPECT_EQ(run.End("c.n"), c.n) << MethodName(method);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Events, Stop,
    testing::Values(
        EndCase{"Alone", "y = x  when x > 0.48446 { stop(\"over\") }", 0.48446, 0},
        EndCase{"WithAction", "y = x  when x > 0.48446 { n = 3 stop(\"over\") }", 0.48446, 3},
        EndCase{"OfTime", "y = x  when time > 0.48446 s { stop(\"over\") }", 0.48446, 0},
        EndCase{"AtASample", "y = x  when sample(0.1 s, 0.3 s) and x > 0.5 { stop(\"over\") }", 0.7, 0},
        EndCase{"AtTheStart", "y = x  when initial() { stop(\"over\") }", 0, 0},
        EndCase{"TerminalToo", "y = x  when x > 0.48446 { stop(\"over\") } when terminal() { n = 5 }",
                0.48446, 5},
        EndCase{"Never", "y = x  when x > 3 { stop(\"over\") } when terminal() { n = 5 }", 2, 5}),
    [](const auto& c) { return std::string(c.param.name); });

class Assertion : public testing::TestWithParam<EndCase> {};

TEST_P(Assertion, FailsAtItsMoment) {
  const EndCase& c = GetParam();
  for (const Method method : kMethods) {
    RunOf run(TextOf(c));
    const Trajectory end = RunUntilItEnds(run, method);
    EXPECT_EQ(end.ok, c.at == 2) << end.problem;
    EXPECT_NEAR(end.times.back(), c.at, 1e-9) << MethodName(method) << " " << end.problem;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Events, Assertion,
    testing::Values(EndCase{"OfAState", "y = x  assert(x < 0.48446, \"big\")", 0.48446, 0},
                    EndCase{"Spike", "y = exp(-((time - 0.5037 s)/(2 ms))^2)  assert(y < 0.9, \"spike\")",
                            0.503050814308053, 0},
                    EndCase{"SpikeOfTime",
                            "y = x  assert(exp(-((time - 0.5037 s)/(2 ms))^2) < 0.9, \"spike\")",
                            0.503050814308053, 0},
                    EndCase{"PeakJustAbove", "y = sin(1000 rad/s*time)  assert(y < 0.999999, \"peak\")",
                            0.0015693821131463873, 0},
                    EndCase{"Either", "y = x  assert(x < 0.5 or time > 1 s, \"early\")", 0.5, 0},
                    EndCase{"Discrete", "y = x  when x > 0.7 { n = 4 } assert(n < 3, \"four\")", 0.7, 0},
                    EndCase{"Noevent", "y = x  assert(noevent(x) < 2.5, \"big\")", 2, 0},
                    EndCase{"Holds", "y = sin(1000*x)  assert(y < 1.000001, \"peak\")", 2, 0}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(Assertion, ThatComparesNoNumberSaysSo) {
  RunOf run(TextOf({"", "y = x  assert(sqrt(0.5 - x) < 2, \"root\")", 0, 0}));
  const Trajectory end = RunUntilItEnds(run, Method::kAutomatic);
  EXPECT_FALSE(end.ok);
  EXPECT_NE(end.problem.find("neither true nor false"), std::string::npos) << end.problem;
}

}  // namespace
}  // namespace cotree::test
