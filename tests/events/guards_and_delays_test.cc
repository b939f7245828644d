// SPDX-License-Identifier: Apache-2.0
// Branches that have no value where they do not hold, equalities of the time, and delays inside conditions:
// against closed forms.
#include <gtest/gtest.h>

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
};

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

}  // namespace
}  // namespace cotree::test
