// SPDX-License-Identifier: Apache-2.0
// Modes that are hard to decide, and points at which a choice of states ends.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "run_support.h"

namespace cotree::test {
namespace {

// A transformer of ratio 1 holds both ends of the diode at one potential: its condition is rounding for ever.
// By hand: the diode carries nothing, so the capacitor is charged through the resistor alone.
TEST(Modes, DiodeBetweenEqualPotentials) {
  RunOf run(R"(
    component Tra { terminal p1, n1, p2, n2 : electrical  edge a : p1 -> n1  edge b : p2 -> n2
      equation a.v = b.v  b.i = -a.i }
    component Dio { terminal p, n : electrical  edge e : p -> n  variable on : Boolean
      equation on = e.v + 1 ohm * e.i > 0 V  if on { e.v = 10 mohm * e.i } else { e.i = 1e-5 S * e.v } }
    system S { v : SineVoltageSource(amplitude = 7 V, frequency = 50 Hz)  r : Resistor(R = 3 ohm)  t : Tra
      d1, d2 : Dio  r2 : Resistor(R = 13 ohm)  c : Capacitor(C = 100 uF)
      connect v.p -- r.p  connect r.n -- t.p1 -- d1.p -- d2.n  connect t.p2 -- d1.n -- d2.p -- r2.p
      connect r2.n -- c.p  connect c.n -- t.n1 -- t.n2 -- v.n -- electrical.ground })");
  run.Simulate(0.04, 1e-8);
  const double w = 100 * M_PI, rc = 16 * 100e-6, k = 7 / (1 + w * w * rc * rc);
  EXPECT_LT(run.Error("c.v",
                      [&](double t) {
                        return k * (std::sin(w * t) - w * rc * std::cos(w * t) + w * rc * std::exp(-t / rc));
                      }),
            1e-6);
}

// By counting: at the start, and again where u becomes true behind it.
TEST(Modes, WhenInitialOr) {
  const std::string counter =
      R"(component Counts { input u : Boolean  discrete variable n : Integer (start = 0)
      equation when initial() or u { n = pre(n) + 1 } }
    system S { c : Counts  u : )";
  for (const auto& [source, at_start, at_end] : {std::tuple{"BooleanConstant(k = true)", 1, 1},
                                                 {"BooleanConstant(k = false)", 1, 1},
                                                 {"BooleanStep(start = 0.5 s)", 1, 2}}) {
    RunOf run(counter + source + "  connect u.y -> c.u }");
    run.Simulate(1);
    EXPECT_EQ(run["c.n"].front(), at_start) << source;
    EXPECT_EQ(run.End("c.n"), at_end) << source;
  }
}

// Of two coordinates with equal rights the later name is the state.
std::string Pendulum(const std::string& sideways, const std::string& up) {
  std::string text = R"(component Bob { parameter L : Length = 1 m  parameter g : Acceleration = 9.81 m/s^2
      variable SIDE : Length (start = 0.8660254037844386 m)  variable UP : Length (start = -0.5 m)
      variable v_SIDE : Velocity  variable v_UP : Velocity  variable pull : Real
      equation der(SIDE) = v_SIDE  der(UP) = v_UP  der(v_SIDE) = -pull*SIDE/(1 s^2)
      der(v_UP) = -pull*UP/(1 s^2) - g  SIDE^2 + UP^2 = L^2 }
    system S { bob : Bob })";
  for (const auto& [from, to] : {std::pair{"SIDE", sideways}, {"UP", up}}) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from))
      text.replace(at, std::string_view(from).size(), to);
  }
  return text;
}

// With the sideways coordinate as its state a pendulum that swings by 60 degrees goes on for ever; with the
// other it meets a dead centre at the bottom, after a quarter of its period (Goldstein: 4*sqrt(L/g)*K(sin(30
// deg))).
TEST(Modes, CartesianPendulumStopsAtItsDeadCentre) {
  const double quarter = std::sqrt(1 / 9.81) * std::comp_ellint_1(std::sin(M_PI / 6));
  RunOf good(Pendulum("q", "p"));
  good.Simulate(4 * quarter, 1e-8);
  EXPECT_NEAR(good.End("bob.q"), std::sqrt(3) / 2, 1e-5);
  EXPECT_NEAR(good.End("bob.p"), -0.5, 1e-5);
  for (const auto& [method, rtol] : {std::pair{Method::kRungeKutta4, 1e-6},
                                     {Method::kAutomatic, 1e-4},
                                     {Method::kAutomatic, 1e-5},
                                     {Method::kAutomatic, 1e-8},
                                     {Method::kBdf, 1e-3},
                                     {Method::kBdf, 1e-4},
                                     {Method::kBdf, 1e-8}}) {
    RunOf bad(Pendulum("p", "q"));
    double ended = 0;  // the step that fails has no rows
    try {
      bad.Simulate(4 * quarter, rtol, method, 1e-3);
      ADD_FAILURE() << MethodName(method) << " runs on at " << rtol;
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find("a dead centre"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("`bob`"), std::string::npos) << e.what();
      std::sscanf(e.what(), "the run failed at %lf s", &ended);
    }
    // What is below sqrt(20*rtol) of the largest determinant (p = sqrt(3)/2) counts as zero; p passes the
    // bottom with sqrt(g*L): so long before it the run may end.
    const double before = std::sqrt(20 * rtol) * std::sqrt(3.0) / 2 / std::sqrt(9.81);
    EXPECT_NEAR(ended, quarter, std::max(3e-3, before)) << MethodName(method) << ", " << rtol;
  }
}

// A crank that swings up to 20 degrees before its dead centre and back has its slider as state all the time.
TEST(Modes, ALinkageThatTurnsBackBeforeItsDeadCentreGoesOn) {
  RunOf run(R"(component Linkage { parameter r : Length = 0.2 m  parameter l : Length = 0.5 m
      variable s : Length (start = 0.5 m, prefer)  variable v : Velocity  variable phi : Real (start = 1.4)
      equation der(s) = v  der(v) = -(s - 0.55 m)*(100 1/s^2)  (s - r*cos(phi))^2 + (r*sin(phi))^2 = l^2
      variable w : Real  equation w = der(phi)*(1 s) }
    system S { k : Linkage })");
  run.Simulate(3, 1e-7);
  EXPECT_LT(run.Error("k.s", [](double t) { return 0.55 - 0.05 * std::cos(10 * t); }), 1e-5);
}

// Sticking is another mode and no dead centre, whatever the mass: at 1 kg the determinant of the block only
// changes its sign. By hand: v0^2*m/(2*f) until it rests; equal wheels share their speed; a pull above f.
TEST(Modes, StickingIsNoDeadCentreAtAnyMass) {
  for (const double m : {0.5, 0.999, 1.0, 1.001, 2.0, 4.0}) {
    const std::string mass = std::to_string(m);
    RunOf sledge("system S { sledge : Mass(m = " + mass + R"( kg, start v = 2 m/s fixed)
      rub : Friction(f_coulomb = 4 N)  connect sledge.a -- rub.a  connect rub.b -- translational.ground })");
    sledge.Simulate(3);
    EXPECT_NEAR(sledge.End("sledge.s"), m / 2, 1e-5) << m;
    EXPECT_EQ(sledge.End("sledge.v"), 0) << m;
    RunOf wheels("system S { one : Inertia(J = " + mass +
                 " kg*m^2, start w = 10 rad/s fixed)  two : Inertia(J = " + mass +
                 R"( kg*m^2, start w = 0 rad/s fixed)  plate : Clutch(radius = 1 m)
      press : Constant(k = 10 N)  connect press.y -> plate.u
      connect one.a -- plate.a  connect plate.b -- two.a })");
    wheels.Simulate(60);
    EXPECT_NEAR(wheels.End("one.w"), 5, 1e-4) << m;
    EXPECT_NEAR(wheels.End("two.w"), 5, 1e-4) << m;
  }
}

}  // namespace
}  // namespace cotree::test
