// SPDX-License-Identifier: Apache-2.0
// Runs in which something has no value: they end, and say what, where and when; what explodes is said.
#include <gtest/gtest.h>

#include "run_support.h"

namespace cotree::test {
namespace {

constexpr Method kMethods[] = {Method::kAutomatic, Method::kBdf,         Method::kIda,
                               Method::kExplicit,  Method::kRungeKutta4, Method::kImplicitEuler};

struct Case {
  const char* name;
  const char* text;
  double stop;
  double fails;  // when; NaN: it does not
  std::vector<std::string> words{};
};

Trajectory RunIt(const Case& c, Method method, ProgramTier tier = ProgramTier::kAutomatic,
                 double interval = 0) {
  const RunOf run(c.text);
  SimulationOptions options;
  options.stop = c.stop;
  options.method = method;
  options.tier = tier;
  options.interval = interval;
  options.step = 1e-3 * c.stop;
  return Simulate(*run.translation->program, run.translation->starts, options);
}

void ExpectEnd(const Case& c, const Trajectory& t, const std::string& how) {
  const std::string what = std::string(c.name) + ", " + how + ": " + t.problem;
  if (std::isnan(c.fails)) {
    EXPECT_TRUE(t.ok) << what;
    return;
  }
  ASSERT_FALSE(t.ok) << what;
  for (const std::string& word : c.words)
    EXPECT_NE(t.problem.find(word), std::string::npos) << word << " | " << what;
  if (t.times.empty()) {
    EXPECT_EQ(c.fails, 0) << what;
    return;
  }
  // What was computed is kept, all of it finite, and it goes to the failure.
  EXPECT_NEAR(t.times.back(), c.fails, 0.021 * c.stop) << what;
  for (const auto& column : t.columns) {
    for (const double x : column) EXPECT_TRUE(std::isfinite(x)) << what;
  }
}

const Case kCases[] = {
    {"a condition on the time",
     R"(
component C { parameter T : Time = 1 s  discrete variable y : Real (start = 0)
  equation when sqrt(time/T - 0.5) > 0.1 { y = 1 } }
system S { a : C })",
     1,
     0,
     {"neither true nor false", "sqrt(-0.5)"}},
    {"a condition on the time that becomes one",
     R"(
component C { parameter T : Time = 1 s  output y : Real  equation y = if log(1 - time/T) < -1 then 1 else 2 }
system S { a : C  t : Terminator  connect a.y -> t.u })",
     2,
     1,
     {"neither true nor false"}},
    {"a condition on a parameter",
     R"(
component C { parameter q : Real = -1  output y : Real  equation if sqrt(q) < 3 { y = 1 } else { y = 2 } }
system S { a : C  t : Terminator  connect a.y -> t.u })",
     1,
     0,
     {"neither true nor false", "sqrt(-1)"}},
    {"a condition on a number that is none",
     R"(
component C { output y : Real  equation y = if asin(2) < 3 then 1 else 2 }
system S { a : C  t : Terminator  connect a.y -> t.u })",
     1,
     0,
     {"neither true nor false", "asin(2)"}},
    {"a condition on a parameter that does not matter",
     R"(
component C { parameter q : Real = -1  output y : Real
  equation y = if q > 0 then (if sqrt(q) < 3 then 1 else 2) else 7 }
system S { a : C  t : Terminator  connect a.y -> t.u })",
     1, NAN},
    {"the least of two",
     R"(
component C { parameter T : Time = 1 s  variable x : Real (start = 1, fixed)  variable y : Real
  equation T*der(x) = -1  y = min(0.3, sqrt(x)) }
system S { a : C })",
     2,
     1,
     {"`a.y` is not finite: sqrt("}},
    {"the largest of two",
     R"(
component C { parameter T : Time = 1 s  variable x : Real (start = 1, fixed)  variable y : Real
  equation T*der(x) = -1  y = max(sqrt(x), 0.3) }
system S { a : C })",
     2,
     1,
     {"`a.y` is not finite: sqrt("}},
    {"root of an output",
     R"(
component Root { parameter T : Time = 1 s  output y : Real  equation y = sqrt(4 - (time/T)^2) }
system S { a : Root  t : Terminator  connect a.y -> t.u })",
     3,
     2,
     {"`a.y` is not finite: sqrt(", "a.y = sqrt(4 - (time/a.T)^2)"}},
    {"logarithm beside a state",
     R"(
component C { parameter T : Time = 1 s  variable x : Real (start = 1, fixed)  variable y : Real
  equation T*der(x) = -1  y = log(x) }
system S { a : C })",
     2,
     1,
     {"`a.y` is not finite: log("}},
    {"arcsine of a state",
     R"(
component C { parameter T : Time = 1 s  variable x : Real (start = 0, fixed)  variable y : Angle
  equation T*der(x) = 1  y = asin(x)*(1 rad) }
system S { a : C })",
     2,
     1,
     {"`a.y` is not finite: asin("}},
    {"a pole that hides behind a quotient",
     R"(
component C { parameter T : Time = 1 s  variable x : Real (start = -1, fixed)  variable p : Real  variable q : Real
  equation T*der(x) = 1  p = sqrt(-x)  q = 1/(1 + p^2) }
system S { a : C })",
     2,
     1,
     {"`a.p` is not finite: sqrt("}},
    {"a root that a limit hides from the state",
     R"(
component C { parameter T : Time = 1 s  variable x : Real (start = 1, fixed)  variable y : Real
  equation T*der(x) = -1 - 0*max(y, 2)  y = sqrt(x) }
system S { a : C })",
     2,
     1,
     {"`a.y` is not finite: sqrt("}},
    {"overflow of an exponential",
     R"(
component C { parameter T : Time = 1 s  output y : Real  equation y = exp(1000*time/T) }
system S { a : C  t : Terminator  connect a.y -> t.u })",
     1,
     0.70978,
     {"`a.y` is not finite: exp(", "beyond the largest number"}},
    {"a quotient at the start",
     R"(
component C { parameter T : Time = 1 s  output y : Real  equation y = sin(time/T*(1 rad))/(time/T) }
system S { a : C  t : Terminator  connect a.y -> t.u })",
     1,
     0,
     {"`a.y` is not finite: 0/0", "division by zero"}},
    {"two numbers whose quotient is none",
     R"(
system S { s : VoltageSource(V = 1e300 V)  r : Resistor(R = 1e-300 ohm)  connect s.p -- r.p
  connect s.n -- r.n -- electrical.ground })",
     1,
     0,
     {"`r.i` is not finite: 1e+300/1e-300, where `r.R` is 1e-300"}},
    {"a sampled value",
     R"(
component C { parameter T : Time = 1 s  discrete variable n : Real (start = 0.45)
  variable x : Real (start = 0, fixed)
  equation T*der(x) = 1  when sample(0.1 s, 0.1 s) { n = sqrt(0.4 - x) } }
system S { a : C })",
     1,
     0.5,
     {"`a.n` is not finite"}},
    {"a condition",
     R"(
component Low { parameter T : Time = 1 s  variable x : Real (start = 0, fixed)  output b : Boolean
  equation T*der(x) = 1  b = sqrt(0.5 - x) < 0.2 }
system S { low : Low  c : BooleanToReal  t : Terminator  connect low.b -> c.u  connect c.y -> t.u })",
     2,
     0.5,
     {"condition of `low`", "sqrt(-"}},
    {"a condition of when",
     R"(
component Low { parameter T : Time = 1 s  variable x : Real (start = 0, fixed)  discrete variable n : Integer (start = 0)
  equation T*der(x) = 1  when log(0.5 - x) < -99 { n = 1 } }
system S { low : Low })",
     2,
     0.5,
     {"low"}},
    {"a condition in a sample",
     R"(
component Low { parameter T : Time = 1 s  variable x : Real (start = 0, fixed)  discrete variable n : Boolean (start = false)
  equation T*der(x) = 1  when sample(0.2 s, 0.2 s) { n = sqrt(0.5 - x) > 9 } }
system S { low : Low })",
     2,
     0.6,
     {"condition of `low`"}},
    {"a condition without events",
     R"(
component Low { parameter T : Time = 1 s  variable x : Real (start = 0, fixed)  output y : Real
  equation T*der(x) = 1  y = noevent(if sqrt(0.5 - x) < 0.2 then 1 else 2) }
system S { low : Low  t : Terminator  connect low.y -> t.u })",
     2,
     0.5,
     {"condition of `low`"}},
    {"a condition that another one guards has no say", R"(
component Low { parameter T : Time = 1 s  variable x : Real (start = 0, fixed)  output b : Boolean
  equation T*der(x) = 1  b = x < 0.5 and sqrt(0.5 - x) < 0.2 }
system S { low : Low  c : BooleanToReal  t : Terminator  connect low.b -> c.u  connect c.y -> t.u })",
     2, NAN},
    {"a root that a condition guards", R"(
component C { parameter T : Time = 1 s  variable x : Real (start = -1, fixed)  output y : Real
  equation T*der(x) = 1  y = if x < 0 then sqrt(-x) else 0 }
system S { a : C  t : Terminator  connect a.y -> t.u })",
     2, NAN},
    {"a root that a time guards", R"(
component C { parameter T : Time = 1 s  output y : Real  equation y = if time < 0.7 s then sqrt(0.7 - time/T) else 0 }
system S { a : C  t : Terminator  connect a.y -> t.u })",
     2, NAN},
    {"integers that are not counted exactly",
     R"(
component K { discrete variable n : Integer (start = 9007199254740990)
  equation when sample(0 s, 0.1 s) { n = pre(n) + 1 } }
system S { k : K })",
     1,
     0.1,
     {"`k.n` is not below 2^53"}},
};

TEST(Finite, RunsEndWhereSomethingHasNoValue) {
  for (const Case& c : kCases) {
    for (const Method method : kMethods) ExpectEnd(c, RunIt(c, method), std::string(MethodName(method)));
    for (const ProgramTier tier : {ProgramTier::kInterpreter, ProgramTier::kCompiled})
      ExpectEnd(c, RunIt(c, Method::kAutomatic, tier),
                tier == ProgramTier::kCompiled ? "compiled" : "interpreted");
  }
}

// Nothing but the end is recorded, and it is finite: accepted steps are looked at all the same.
TEST(Finite, BetweenRowsToo) {
  const Case c{"a gap between rows",
               R"(
component C { parameter T : Time = 1 s  variable x : Real (start = 0, fixed)  variable y : Real
  equation T*der(x) = 1  y = sqrt((x - 0.5)^2 - 0.01) }
system S { a : C })",
               1,
               0.4,
               {"`a.y` is not finite: sqrt("}};
  for (const Method method : kMethods) {
    const Trajectory t = RunIt(c, method, ProgramTier::kAutomatic, 1);
    ASSERT_FALSE(t.ok) << MethodName(method);
    EXPECT_NE(t.problem.find("`a.y` is not finite: sqrt("), std::string::npos) << t.problem;
    EXPECT_NE(t.problem.find("at 0.4"), std::string::npos) << t.problem;
  }
}

struct GrowthCase {
  const char* name;
  const char* text;
  double stop;
  const char* variable;  // none: nothing is said
};

TEST(Finite, WhatExplodesIsSaid) {
  const GrowthCase cases[] = {
      {"an unstable state",
       "component G { parameter T : Time = 1 s  variable x : Real (start = 1, fixed)\n"
       "  equation T*der(x) = 500*x }  system S { g : G }",
       1, "`g.x`"},
      {"an oscillation",
       "component G { parameter T : Time = 1 s  variable x : Real (start = 1e-3, fixed)\n"
       "  variable v : Real  equation T*der(x) = v  T*der(v) = 200*v - 40000*x }\n"
       "system S { g : G }",
       1, "`g."},
      {"astronomical, but at rest",
       "component G { parameter T : Time = 1 s  variable x : Real\n"
       "  equation T*der(x) = 1e41 - 100*x }  system S { g : G }",
       1, nullptr},
      {"fast growth that is none",
       "component G { parameter T : Time = 1 s  variable x : Real (start = 1e-9, fixed)\n"
       "  equation T*der(x) = 40*x }  system S { g : G }",
       1, nullptr},
  };
  for (const GrowthCase& c : cases) {
    const RunOf run(c.text);
    SimulationOptions options;
    options.stop = c.stop;
    const Trajectory t = Simulate(*run.translation->program, run.translation->starts, options);
    EXPECT_TRUE(t.ok) << c.name << t.problem;
    std::string notes;
    for (const std::string& note : t.notes) notes += note + "\n";
    if (c.variable == nullptr) {
      EXPECT_EQ(notes, "") << c.name;
    } else {
      EXPECT_NE(notes.find(std::string(c.variable)), std::string::npos) << c.name << notes;
      EXPECT_NE(notes.find("grows without bound"), std::string::npos) << c.name << notes;
    }
  }
}

TEST(Finite, FailuresNameWhatGrowsFastest) {
  const std::pair<const char*, const char*> cases[] = {
      {"component Bang { parameter T : Time = 1 s  variable x : Real (start = 1, fixed)\n"
       "  equation T*der(x) = 1 + x^2 }\n"
       "system S { quiet : Capacitor(C = 1 uF)  bang : Bang  r : Resistor(R = 1 kohm)\n"
       "  connect quiet.p -- r.p  connect quiet.n -- r.n -- electrical.ground }",
       "bang.x"},
      {"component Bang { parameter T : Time = 1 s  variable x : Real (start = 1, fixed)\n"
       "  variable v : Real (start = 1, fixed)  equation T*der(x) = v  T*der(v) = x^3 }  system S { bang : "
       "Bang }",
       "bang."},
      {"component Tank { parameter T : Time = 1 s  variable h : Real (start = 1, fixed)\n"
       "  equation T*der(h) = -1/h }  system S { tank : Tank }",
       "tank.h"},
  };
  for (const auto& [text, name] : cases) {
    for (const Method method : {Method::kAutomatic, Method::kBdf, Method::kExplicit}) {
      const RunOf run(text);
      SimulationOptions options;
      options.stop = 5;
      options.method = method;
      const Trajectory t = Simulate(*run.translation->program, run.translation->starts, options);
      EXPECT_FALSE(t.ok) << text;
      EXPECT_NE(t.problem.find(name), std::string::npos) << MethodName(method) << ": " << t.problem;
    }
  }
}

}  // namespace
}  // namespace cotree::test
