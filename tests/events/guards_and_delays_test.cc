// SPDX-License-Identifier: Apache-2.0
// Branches that have no value where they do not hold, equalities of the time, and delays inside conditions:
// against closed forms.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "run_support.h"

namespace cotree::test {
namespace {

struct Case {
  const char* body;
  const char* name;
  double stop, expected;
};

const Case kCases[] = {
    // The other branch has no value at the start.
    {"variable v : Real (start = 0.5, fixed)  equation T*der(v) = if v < 2 then 1 else sqrt(v - 1)", "a.v",
     2.5, 3.25},
    {"variable v : Real (start = 0.5, fixed)  equation T*der(v) = if v >= 2 then sqrt(v - 1) else 1", "a.v",
     2.5, 3.25},
    {"variable x : Real (start = 0, fixed)  variable q : Real (start = 0, fixed)\n"
     "equation T*der(x) = 1\nT*der(q) = if x < 1 then 0 else log(x)",
     "a.q", 2, 0.38629436111989062},
    {"variable x : Real (start = 0, fixed)  variable y : Real  variable q : Real (start = 0, fixed)\n"
     "equation T*der(x) = 1\ny = if not (x > 1) then 0 else 1/x\nT*der(q) = y",
     "a.q", 2, 0.69314718055994531},
    // A value that is missing for a moment only.
    {"variable q : Real (start = 0, fixed)  equation T*der(q) = if time == 0 s then 1 else "
     "sin(time/T)/(time/T)",
     "a.q", 2, 1.6054129768026948},
    {"variable q : Real (start = 0, fixed)  equation T*der(q) = if time != 0 s then sin(time/T)/(time/T) "
     "else 1",
     "a.q", 2, 1.6054129768026948},
    {"variable x : Real (start = 0, fixed)  discrete variable n : Integer (start = 0)\n"
     "equation T*der(x) = 1\nwhen time == 1 s { n = pre(n) + 1 }",
     "a.n", 2, 1},
    // Delays inside conditions, levels and other delays.
    {"variable x : Real (start = 1, fixed)  variable q : Real (start = 0, fixed)\n"
     "equation T*der(x) = -2\nT*der(q) = if delay(x, 0.1 s) > 0 then 3 else 4",
     "a.q", 1, 3.4},
    {"variable x : Real (start = 0, fixed)  variable q : Real (start = 0, fixed)\n"
     "equation T*der(x) = 3\nT*der(q) = floor(delay(x, 0.25 s))",
     "a.q", 1, 0.5},
    {"variable x : Real (start = 1, fixed)  discrete variable t : Time (start = 0 s)\n"
     "equation T*der(x) = -2\nwhen delay(x, 0.1 s) < 0.5 { t = time }",
     "a.t", 1, 0.35},
    {"variable x : Real (start = 1, fixed)  variable z : Real\n"
     "equation T*der(x) = -2\nz = delay(delay(x, 0.1 s), 0.2 s)",
     "a.z", 1, -0.4},
    {"variable x : Real (start = 1, fixed)  variable q : Real (start = 0, fixed)\n"
     "equation T*der(x) = -2\nT*der(q) = if delay(if delay(x, 0.1 s) > 0 then 3 else 4, 0.2 s) > 3.5 then 1 "
     "else 0",
     "a.q", 1, 0.2},
    // edge() of more than a variable; what becomes true right behind the start.
    {"variable x : Real (start = 0, fixed)  discrete variable n : Integer (start = 0)\n"
     "equation T*der(x) = cos(10*time/T)\nwhen edge(x > 0.05) { n = pre(n) + 1 }",
     "a.n", 6, 10},
    {"variable x : Real (start = 0, fixed)  discrete variable n : Integer (start = 0)\n"
     "equation T*der(x) = 1\nwhen edge(time > 0.5 s) { n = pre(n) + 1 } elsewhen edge(x > 0.7) { n = pre(n) "
     "+ 10 }",
     "a.n", 1, 11},
    {"variable b : Boolean  variable x : Real (start = 0, fixed)  discrete variable n : Integer (start = 0)\n"
     "equation T*der(x) = 1\nb = sin(10*x) > 0.5\nwhen edge(not b) or initial() { n = pre(n) + 1 }",
     "a.n", 6, 11},
    {"variable x : Real (start = 0, fixed)  discrete variable k : Integer (start = 0)\n"
     "discrete variable n : Integer (start = 0)\nequation T*der(x) = 1\n"
     "when sample(0.1 s, 0.1 s) { k = pre(k) + 1 }\nwhen edge(k > 3) or edge(k > 7) { n = pre(n) + 1 }",
     "a.n", 1.05, 2},
    // By what another `when` sets at the same moment; pre(k) is what it was before all of it.
    {"discrete variable k : Integer (start = 0)  discrete variable n : Integer (start = 0)  variable b : "
     "Boolean\n"
     "variable x : Real (start = 0, fixed)  equation T*der(x) = 1\nb = k > 3\n"
     "when edge(b) { n = pre(n) + 1 } elsewhen change(k) { n = pre(n) + 100 }\nwhen sample(0.1 s, 0.1 s) { k "
     "= pre(k) + 1 }",
     "a.n", 1.05, 901},
    {"discrete variable k : Integer (start = 0)  discrete variable n : Integer (start = 0)\n"
     "variable x : Real (start = 0, fixed)  equation T*der(x) = 1\n"
     "when k > 3 { n = pre(k) }\nwhen sample(0.1 s, 0.1 s) { k = pre(k) + 1 }",
     "a.n", 1.05, 3},
    {"variable x : Real (start = 0, fixed)  discrete variable n : Integer (start = 0)\n"
     "equation T*der(x) = 1\nwhen time > 0 s { n = 1 }",
     "a.n", 1, 1},
    {"variable x : Real (start = 0, fixed)  variable b : Boolean  discrete variable n : Integer (start = 0)\n"
     "equation T*der(x) = 1\nb = sin(time/T) > 0\nwhen b { n = pre(n) + 1 }",
     "a.n", 7, 2},
    {"variable x : Real (start = 0, fixed)  discrete variable n : Integer (start = 0)\n"
     "equation T*der(x) = 1\nwhen time >= 0 s { n = 1 }",
     "a.n", 1, 0},
};

// A step and a sine through delays, whatever else happens at whatever times: what jumps arrives later by T.
TEST(GuardsAndDelays, JumpsArriveThroughDelaysWhenTheyShould) {
  std::mt19937 random(7);
  const auto pick = [&](std::initializer_list<double> list) { return list.begin()[random() % list.size()]; };
  for (int k = 0; k < 60; ++k) {
    const double start = pick({0.1, 0.2, 0.25, 0.3, 0.5, 0.07}),
                 delay = pick({0.05, 0.1, 0.2, 0.3, 0.013, 0.5}),
                 stop = pick({1, 1.5, 2, 2.5, 3, 4, 5, 6, 8}), other = pick({0.05, 0.35, 0.5, 0.75});
    const std::string text = fmt::format(
        "system S {{ t : Step(height = 1, start = {} s)  d : TransportDelay(T = {} s)  x : FirstOrder(k = 1, "
        "T = 1 s)\n"
        "  o : Step(height = 1, start = {} s)  w : Sine(amplitude = 1, frequency = 1 Hz)  e : "
        "TransportDelay(T = {} s)\n"
        "  a, b, c : Terminator  connect t.y -> d.u  connect d.y -> x.u  connect x.y -> a.u  connect o.y -> "
        "b.u\n"
        "  connect w.y -> e.u  connect e.y -> c.u }}",
        start, delay, other, delay);
    RunOf run(text);
    SimulationOptions options;
    options.stop = stop;
    options.interval = 0.04;
    run.trajectory = Simulate(*run.translation->program, run.translation->starts, options);
    ASSERT_TRUE(run.trajectory.ok) << run.trajectory.problem << "\n" << text;
    for (size_t row = 0; row < run.times().size(); ++row) {
      const double t = run.times()[row], behind = t - start - delay;
      if (std::fabs(behind) > 1e-9) {
        ASSERT_NEAR(run["d.y"][row], behind > 0 ? 1 : 0, 1e-9) << t << "\n" << text;
      }
      ASSERT_NEAR(run["x.y"][row], behind > 0 ? 1 - std::exp(-behind) : 0, 1e-5) << t << "\n" << text;
      ASSERT_NEAR(run["e.y"][row], t > delay ? std::sin(2 * M_PI * (t - delay)) : 0, 1e-4) << t << "\n"
                                                                                           << text;
    }
  }
}

TEST(GuardsAndDelays, AgreeWithClosedForms) {
  for (const Case& c : kCases) {
    const std::string text =
        std::string("component A { parameter T : Time = 1 s  ") + c.body + " }\nsystem S { a : A }";
    for (const Method method :
         {Method::kAutomatic, Method::kBdf, Method::kIda, Method::kExplicit, Method::kRungeKutta4}) {
      RunOf run(text);
      SimulationOptions options;
      options.stop = c.stop;
      options.rtol = 1e-8;
      options.method = method;
      options.step = 1e-3;
      run.trajectory = Simulate(*run.translation->program, run.translation->starts, options);
      ASSERT_TRUE(run.trajectory.ok) << MethodName(method) << ": " << run.trajectory.problem << "\n" << text;
      EXPECT_NEAR(run.End(c.name), c.expected, 1e-6) << MethodName(method) << "\n" << text;
    }
  }
}

// Means and holds of a constant are that constant, whenever the run begins.
TEST(GuardsAndDelays, MeansOfRunsThatBeginLater) {
  for (const double begin : {0.0, 0.1, 0.4, 1.0, 7.3}) {
    RunOf run(
        "system S { c : Constant(k = 2)  a : RunningMean  b : MeanValue(period = 0.4 s)  r : "
        "RootMeanSquare(period = 0.4 s)\n"
        "  h : FirstOrderHold(period = 0.4 s)  t1, t2, t3, t4 : Terminator  connect c.y -> a.u, b.u, r.u, "
        "h.u\n"
        "  connect a.y -> t1.u  connect b.y -> t2.u  connect r.y -> t3.u  connect h.y -> t4.u }");
    SimulationOptions options;
    options.start = begin;
    options.stop = begin + 2;
    run.trajectory = Simulate(*run.translation->program, run.translation->starts, options);
    ASSERT_TRUE(run.trajectory.ok) << run.trajectory.problem;
    for (size_t row = 0; row < run.times().size(); ++row) {
      EXPECT_NEAR(run["a.y"][row], 2, 1e-9) << begin << " " << run.times()[row];
      if (run.times()[row] < begin + 0.45) continue;  // the first period is not over
      for (const char* name : {"b.y", "r.y", "h.y"})
        EXPECT_NEAR(run[name][row], 2, 1e-9) << name << " " << begin << " " << run.times()[row];
    }
  }
}

}  // namespace
}  // namespace cotree::test
