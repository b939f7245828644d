// SPDX-License-Identifier: Apache-2.0
// Conditions that amplify what the tolerance leaves open in the states: when they switch must not hang on it.
#include <gtest/gtest.h>

#include "run_support.h"

namespace cotree::test {
namespace {

struct Amplifying {
  const char* name;
  std::string before, after;  // of the small parameter
  std::vector<std::string> curves;
  double stop;
  bool explicit_steps;  // not too stiff for them at the largest of the small parameters
};

const std::vector<Amplifying>& Circuits() {
  static const std::vector<Amplifying> all = {
      {"half wave",
       "system S { s : SineVoltageSource(amplitude = 24 V, frequency = 20 Hz)  d : IdealDiode(Ron = ",
       R"( ohm)  c : Capacitor(C = 200 uF, start v = 0 V fixed)  r : Resistor(R = 500 ohm)
          connect s.p -- d.p  connect d.n -- c.p -- r.p  connect s.n -- c.n -- r.n -- electrical.ground })",
       {"c.v"},
       0.1,
       true},
      {"bridge",
       "system S { s : SineVoltageSource(amplitude = 10 V, frequency = 50 Hz)  d : IdealDiode[4](Ron = ",
       R"( ohm)  c : Capacitor(C = 1 mF, start v = 0 V fixed)  load : Resistor(R = 100 ohm)
          connect s.p -- d[1].p -- d[3].n  connect s.n -- d[2].p -- d[4].n -- electrical.ground
          connect d[1].n -- d[2].n -- c.p -- load.p  connect d[3].p -- d[4].p -- c.n -- load.n })",
       {"c.v"},
       0.05,
       false},
      {"two diodes with inductors",
       "system S { s : SineVoltageSource(amplitude = 24 V, frequency = 50 Hz)  d1, d2 : IdealDiode(Ron = ",
       R"( ohm)  l1 : Inductor(L = 5 mH, start i = 0 A fixed)  l2 : Inductor(L = 20 mH, start i = 0 A fixed)
          r : Resistor(R = 5 ohm)  connect s.p -- l1.p  connect l1.n -- d1.p  connect d1.n -- d2.n -- l2.p
          connect l2.n -- r.p  connect s.n -- d2.p -- r.n -- electrical.ground })",
       {"l1.i", "l2.i"},
       0.05,
       false},
      {"boost converter",
       "system S { s : VoltageSource(V = 12 V)  d : IdealDiode(Ron = ",
       R"( ohm)  l : Inductor(L = 1 mH, start i = 0 A fixed)  sw : ThresholdSwitch(threshold = 0.5)
          pwm : Pulse(high = 1, period = 0.2 ms, width = 0.1 ms)  c : Capacitor(C = 100 uF, start v = 0 V fixed)
          r : Resistor(R = 50 ohm)  connect s.p -- l.p  connect l.n -- sw.p -- d.p  connect d.n -- c.p -- r.p
          connect s.n -- sw.n -- c.n -- r.n -- electrical.ground  connect pwm.y -> sw.u })",
       {"c.v", "l.i"},
       5e-3,
       true},
  };
  return all;
}

// 1e-4 of the amplitude where rtol is 1e-6, whatever the small parameter.
TEST(SwitchingAccuracy, DoesNotHangOnASmallResistance) {
  for (const Amplifying& circuit : Circuits()) {
    for (const char* ron : {"1e-3", "1e-5", "1e-6", "1e-7", "1e-8"}) {
      const std::string text = circuit.before + ron + circuit.after;
      RunOf fine(text);
      fine.Simulate(circuit.stop, 1e-11, Method::kBdf, circuit.stop / 200);
      for (const Method method : {Method::kAutomatic, Method::kBdf, Method::kIda, Method::kExplicit}) {
        if (method == Method::kExplicit && !(circuit.explicit_steps && ron == std::string("1e-3"))) continue;
        RunOf run(text);
        run.Simulate(circuit.stop, 1e-6, method, circuit.stop / 200);
        for (const std::string& name : circuit.curves) {
          const auto &a = fine[name], &b = run[name];
          // Rows at events stand twice, at times that differ by rounding: those at the interval count.
          size_t i = 0;
          double worst = 0, largest = 0;
          for (size_t k = 0; k < a.size(); ++k) {
            largest = std::max(largest, std::fabs(a[k]));
            while (i < b.size() && run.times()[i] < fine.times()[k]) ++i;
            if (i < b.size() && run.times()[i] == fine.times()[k])
              worst = std::max(worst, std::fabs(a[k] - b[i]));
          }
          EXPECT_LE(worst, 1e-4 * largest) << circuit.name << ", Ron = " << ron << ", " << MethodName(method);
        }
      }
    }
  }
}

// By hand: a valve that lets oil into a chamber while the pressure before it is higher. The flow is a
// pressure drop over a small resistance; the valve closes where the pressure turns.
TEST(SwitchingAccuracy, OfAPressureDropOverASmallResistance) {
  for (const char* drop : {"1e-3", "1e-6", "1e-8"}) {
    RunOf run(std::string(R"(component Valve {
        input u : Real
        output q : Real
        parameter R : Real
        variable p : Real
        variable open : Boolean
        equation
          open = u > p
          q = if open then (u - p)/R else 0
          der(p) = q/(1 s) - (p - 1e7)/(10 s)
      }
      component Wave { output y : Real  equation y = 1e7 + 1e5*sin(2*pi*time/(1 s)) }
      system S { valve : Valve(R = )") +
              drop + ", start p = 1e7 fixed)  wave : Wave  connect wave.y -> valve.u }");
    run.Simulate(0.5, 1e-6, Method::kBdf, 0.5 / 100);
    // It follows the wave until q = R*(p' + (p - 1e7)/10) is zero: 2 pi cos(2 pi t) = -sin(2 pi t)/10.
    const double closes = (M_PI - std::atan(20 * M_PI)) / (2 * M_PI);
    const double left = std::sin(2 * M_PI * closes) * std::exp(-(0.5 - closes) / 10);
    EXPECT_NEAR((run.End("valve.p") - 1e7) / 1e5, left, 2e-4 + 10 * std::atof(drop)) << drop;
  }
}

// A mass between two springs without damping keeps its speed. What bends where it leaves them, max(depth, 0),
// is in no condition: at some tolerances the two solutions of a step across it agreed by chance, and were off.
TEST(SwitchingAccuracy, ABounceLosesNothingAtAnyTolerance) {
  RunOf run(R"(system S {
    ball : Mass(m = 0.5 kg, start s = 0 m fixed, start v = 1 m/s fixed)
    stop : EndStop(s_min = -0.1 m, s_max = 0.13 m, k = 10000 N/m, d = 0 N*s/m)
    connect ball.a -- stop.a  connect stop.b -- translational.ground })");
  for (double rtol = 1e-9; rtol < 1e-5; rtol *= 1.07) {
    run.Simulate(4, rtol, Method::kExplicit);  // some 30 bounces
    EXPECT_NEAR(std::fabs(run.End("ball.v")), 1, 100 * rtol) << rtol;
  }
}

}  // namespace
}  // namespace cotree::test
