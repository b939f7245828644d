// SPDX-License-Identifier: Apache-2.0
// The test bench itself: what it solves, and that it does not keep quiet where it cannot.

#include "library/probe.h"

#include <gtest/gtest-spi.h>

#include <cmath>
#include <stdexcept>

namespace cotree::test {
namespace {

/// What a call throws; empty if it does not.
template <class F>
std::string ErrorOf(F f) {
  try {
    f();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

#define EXPECT_ERROR(statement, part)                                                     \
  do {                                                                                    \
    const std::string thrown = ErrorOf([&] { statement; });                               \
    EXPECT_NE(thrown.find(part), std::string::npos) << #statement << " gave: " << thrown; \
  } while (false)

TEST(Probe, SolvesInEitherDirection) {
  Probe r("Resistor(R = 10 ohm)");
  EXPECT_EQ(r["R"], 10);
  r.Set("e.i", 2.0);
  EXPECT_DOUBLE_EQ(r["e.v"], 20.0);
  EXPECT_DOUBLE_EQ(r["v"], 20.0) << "the name of the only edge may be left out";
  EXPECT_DOUBLE_EQ(r.Power(), 40);
  EXPECT_DOUBLE_EQ(r.Loss(), 40);
  EXPECT_EQ(r.Energy(), 0);
  EXPECT_EQ(r.EnergyRate(), 0);
  r.ExpectBalance(1e-14);
  r.Reset();
  r.Set("e.v", 5.0);
  EXPECT_DOUBLE_EQ(r["e.i"], 0.5);
  r.Set("e.v", -1.0);
  EXPECT_DOUBLE_EQ(r["e.i"], -0.1) << "a value set again";
}

TEST(Probe, UnitsBecomeSi) {
  Probe l("Inductor(L = 20 mH)");
  l.Set("e.i", 3);
  l.Set("der(e.i)", 50);
  EXPECT_DOUBLE_EQ(l["e.v"], 1.0);
  EXPECT_DOUBLE_EQ(l.Energy(), 0.09);
  EXPECT_DOUBLE_EQ(l.EnergyRate(), 3.0);
  EXPECT_EQ(l.Loss(), 0);
  l.ExpectBalance(1e-14);
  l.Reset();
  l.Set("e.i", 3);
  l.Set("e.v", 2);
  EXPECT_DOUBLE_EQ(l["der(e.i)"], 100);
  l.ExpectBalance(1e-14);
}

TEST(Probe, ModelsAndRates) {
  const std::string values = "DCMotor(R = 2 ohm, L = 10 mH, Kt = 0.5 N*m/A, J = 0.25 kg*m^2)";
  Probe standard(values + " as standard");
  standard.Set("armature.i", 4);
  standard.Set("der(armature.i)", 100);
  standard.Set("rotor.w", 6);
  standard.Set("rotor.alpha", 8);
  EXPECT_DOUBLE_EQ(standard["armature.v"], 2 * 4 + 1 + 3);
  EXPECT_DOUBLE_EQ(standard["rotor.tau"], 2 - 2);
  standard.ExpectBalance(1e-13);
  EXPECT_DOUBLE_EQ(standard["der(rotor.w)"], 8) << "the rate of the rate";
  EXPECT_DOUBLE_EQ(standard["Ke"], 0.5) << "a default in another parameter";

  Probe resistive(values + " as resistive");
  resistive.Set("armature.v", 12);
  resistive.Set("rotor.w", 6);
  resistive.Set("rotor.tau", 0);
  EXPECT_DOUBLE_EQ(resistive["armature.i"], 4.5);
  EXPECT_DOUBLE_EQ(resistive["rotor.alpha"], 9);
  resistive.ExpectBalance(1e-13);

  Probe ideal("DCMotor(Kt = 0.5 N*m/A, Ke = 0.75 V*s/rad) as ideal");
  ideal.Set("armature.v", 3);
  ideal.Set("rotor.tau", -2);
  EXPECT_DOUBLE_EQ(ideal["rotor.w"], 4);
  EXPECT_DOUBLE_EQ(ideal["armature.i"], 4);
  EXPECT_DOUBLE_EQ(ideal.Power(), 12 - 8);
  ideal.ExpectBalance(1e-13);
}

TEST(Probe, LoopsArraysAndArrayParameters) {
  Probe sum("Sum(n = 3, k = [1, 2, -3])");
  for (int i = 1; i <= 3; ++i) sum.Set("u[" + std::to_string(i) + "]", std::pow(10, i));
  EXPECT_DOUBLE_EQ(sum["y"], 10 + 200 - 3000);
  EXPECT_EQ(sum["k[3]"], -3);
  Probe plain("Sum(n = 3)");  // the default is a comprehension
  for (int i = 1; i <= 3; ++i) plain.Set("u[" + std::to_string(i) + "]", i);
  EXPECT_DOUBLE_EQ(plain["y"], 6);

  // (5*s^2 + 7)/(2*s^2 + 3*s + 4) at u = 20, z = (1, 2): 2*top + 3*2 + 4*1 = 20.
  Probe tf("TransferFunction(n = 2, num = [5, 0, 7], den = [2, 3, 4])");
  tf.Set("u", 20);
  tf.Set("z[1]", 1);
  tf.Set("z[2]", 2);
  EXPECT_DOUBLE_EQ(tf["der(z[1])"], 2);
  EXPECT_DOUBLE_EQ(tf["der(z[2])"], 5);
  EXPECT_DOUBLE_EQ(tf["y"], 25 + 7);
}

TEST(Probe, MatricesAndDependentParameters) {
  Probe p("Coupled(n = 2)", R"(
component Coupled {
  parameter n : Integer = 3
  parameter A : Real[n, n] = [[if i == j then scale else i - j for j in 1:n] for i in 1:n]
  parameter scale : Real = 2*n
  parameter big : Boolean = n > 1
  input u : Real[n]
  output y : Real[n]
  equation y = if big then A*u else u
})");
  p.Set("u[1]", 1);
  p.Set("u[2]", 10);
  EXPECT_DOUBLE_EQ(p["y[1]"], 4 - 10);
  EXPECT_DOUBLE_EQ(p["y[2]"], 1 + 40);
  EXPECT_EQ(p["A[2,1]"], 1);
}

TEST(Probe, ArraysOfEdges) {
  Probe p("Bank(n = 2, R = [2, 4] ohm)", R"(
component Bank {
  parameter n : Integer
  parameter R : Resistance[n]
  terminal p, q : electrical[n]
  edge e : p -> q
  equation for k in 1:n { e[k].v = R[k]*e[k].i }
  loss = sum(R[k]*e[k].i^2 for k in 1:n)
})");
  p.Set("e[1].i", 3);
  p.Set("e[2].v", 8);
  EXPECT_DOUBLE_EQ(p["e[1].v"], 6);
  EXPECT_DOUBLE_EQ(p["e[2].i"], 2);
  EXPECT_DOUBLE_EQ(p.Power(), 34);
  p.ExpectBalance(1e-13);
}

TEST(Probe, WhenClausesAndModes) {
  Probe p("Thermostat(high = 22 degC)", R"(
enumeration Mode { off, on }
component Thermostat {
  input T : Temperature
  output u : Real
  parameter low : Temperature = 19 degC
  parameter high : Temperature = 21 degC
  discrete variable mode : Mode (start = Mode.on)
  discrete variable switched : Integer
  variable level : Real
  equation
    when T > high { mode = Mode.off } elsewhen T < low { mode = Mode.on   reinit(level, 2*pre(level) + 1) }
    when sample(0 s, 2 s) or u > 5 { switched = pre(switched) + 1 }
    u = if mode == Mode.on then 1 else 0
    der(level) = u/(1 s)
    assert(T < 400 K, "too hot")
})");
  EXPECT_EQ(p.WhenCount(), 3u);
  p.Set("T", 295);
  EXPECT_FALSE(p.WhenHolds(0));
  EXPECT_FALSE(p.WhenHolds(1));
  p.Set("T", 296);
  EXPECT_TRUE(p.WhenHolds(0));
  EXPECT_EQ(p.WhenValue(0, "mode"), 1);
  p.Set("T", 290);
  EXPECT_TRUE(p.WhenHolds(1));
  EXPECT_EQ(p.WhenValue(1, "mode"), 2);
  p.Set("level", 10);
  EXPECT_EQ(p.WhenValue(1, "level"), 21) << "pre(level) that was not set is level";
  p.Set("pre(level)", 3);
  EXPECT_EQ(p.WhenValue(1, "level"), 7);
  p.Set("mode", 2);
  EXPECT_EQ(p["u"], 1);
  EXPECT_EQ(p["der(level)"], 1);
  p.Set("mode", 1);
  EXPECT_EQ(p["u"], 0);
  EXPECT_FALSE(p.WhenHolds(2));
  p.Set("sample(0, 2)", 1);
  EXPECT_TRUE(p.WhenHolds(2));
  p.Set("pre(switched)", 6);
  EXPECT_EQ(p.WhenValue(2, "switched"), 7);
  EXPECT_TRUE(p.AssertHolds(0));
  p.Set("T", 500);
  EXPECT_FALSE(p.AssertHolds(0));
  EXPECT_ERROR(p.WhenValue(0, "switched"), "does not set switched");
  EXPECT_ERROR(p.WhenHolds(3), "3 when clauses");
}

TEST(Probe, BranchesThatAreRuledOutAskForNothing) {
  const char* const text = R"(
component Contact {
  terminal p, n : electrical
  input closed : Boolean
  edge e : p -> n
  equation if closed { e.v = 0 V } else { e.i = 0 A }
})";
  Probe p("Contact", text);
  EXPECT_EQ(p.Unknowns(), (std::vector<std::string>{"closed", "e.i", "e.v"}));
  p.Set("closed", 1);
  EXPECT_EQ(p.Unknowns(), std::vector<std::string>{"e.v"});
  EXPECT_EQ(p["e.v"], 0);
  EXPECT_ERROR(p["e.i"], "e.i has no value");
  p.Set("closed", 0);
  p.Set("e.v", 7);
  EXPECT_EQ(p["e.i"], 0);
}

TEST(Probe, NonlinearToTheLastDigits) {
  // x*exp(x) = 5: the omega function, W(5) = 1.3267246652422002 (Corless et al., On the Lambert W function).
  Probe p("Omega", "component Omega { input u : Real   output y : Real   equation y*exp(y) = u }");
  p.Set("u", 5);
  EXPECT_NEAR(p["y"], 1.3267246652422002, 1e-15);
  // A diode at 1 A: the first full step from 0 would be 25 GV.
  Probe d("Junction", R"(
component Junction {
  terminal p, n : electrical
  edge e : p -> n
  equation e.i = 1e-12 A*(exp(e.v/(0.025 V)) - 1)
})");
  d.Set("e.i", 1);
  EXPECT_NEAR(d["e.v"], 0.025 * std::log(1e12 + 1), 1e-13);
  // A double root, where the Jacobian is singular at the solution, is one all the same.
  Probe q("Square", "component Square { input u : Real   output y : Real   equation y*abs(y) = u }");
  q.Set("u", 0);
  EXPECT_EQ(q["y"], 0);
  q.Set("u", -9);
  EXPECT_NEAR(q["y"], -3, 1e-13);
  // Two roots: the guess decides.
  Probe two("Two", "component Two { input u : Real   output y : Real   equation y^2 = u }");
  two.Set("u", 4);
  two.Guess("y", -1);
  EXPECT_NEAR(two["y"], -2, 1e-14);
  two.Guess("y", 1);
  EXPECT_NEAR(two["y"], 2, 1e-14);
}

TEST(Probe, EveryFunctionOfTheLanguage) {
  const auto value = [](const std::string& expression, double u) {
    Probe p("F", "component F { input u : Real   output y : Real   equation y = " + expression + " }");
    p.Set("u", u);
    return p["y"];
  };
  const double u = 0.4;
  EXPECT_DOUBLE_EQ(value("sin(u) + 2*cos(u)", u), std::sin(u) + 2 * std::cos(u));
  EXPECT_DOUBLE_EQ(value("tan(u)", u), std::tan(u));
  EXPECT_DOUBLE_EQ(value("asin(u)/acos(u)", u), std::asin(u) / std::acos(u));
  EXPECT_DOUBLE_EQ(value("atan(u) + atan2(u, -1)", u), std::atan(u) + std::atan2(u, -1));
  EXPECT_DOUBLE_EQ(value("sinh(u) + cosh(u)*tanh(u)", u), 2 * std::sinh(u));
  EXPECT_DOUBLE_EQ(value("exp(u) - log(u) + log10(u)", u), std::exp(u) - std::log(u) + std::log10(u));
  EXPECT_DOUBLE_EQ(value("sqrt(abs(u)) + sign(u)", -4), 1);
  EXPECT_DOUBLE_EQ(value("10*floor(u) + ceil(u)", 2.5), 23);
  EXPECT_DOUBLE_EQ(value("min(u, 1) + 10*max(u, 1)", 3), 31);
  EXPECT_DOUBLE_EQ(value("mod(u, 3)", -1), 2);
  EXPECT_DOUBLE_EQ(value("u^3 + 2^u + u^0.5", 4), 64 + 16 + 2);
  EXPECT_DOUBLE_EQ(value("noevent(if u < 0 then -u else 2*u)", -3), 3);
  EXPECT_DOUBLE_EQ(value("smooth(1, if u >= 0 and not (u == 2) then 5 else 6)", 2), 6);
  EXPECT_DOUBLE_EQ(value("if u > 1 or u != 0.5 then 1 else 2", 0.5), 2);
  EXPECT_DOUBLE_EQ(value("if initial() or terminal() then 1 else 2", 0.5), 2);
}

// The slopes behind Newton's method and d(energy)/dt, against differences of values.
TEST(Probe, SlopesAreThoseOfTheValues) {
  for (const std::string f :
       {"sin(x)",      "cos(x)",      "tan(x)",    "asin(x/3)",   "acos(x/3)", "atan(x)",    "sinh(x)",
        "cosh(x)",     "tanh(x)",     "exp(x)",    "log(x)",      "log10(x)",  "sqrt(x)",    "abs(x - 3)",
        "atan2(x, 2)", "atan2(2, x)", "min(x, 9)", "max(x, x^2)", "mod(x, 1)", "x^3.5",      "2.5^x",
        "x^x",         "1/(1 + x^2)", "x/(x - 9)", "curve(x)",    "line(x)",   "map(x, x^2)"}) {
    SCOPED_TRACE(f);
    Probe p("Store", R"(
table curve(x : Real) : Real { interpolation = spline data = [[0, 1], [1, 3], [1.5, 0], [2, 5], [4, 1]] }
table line(x : Real) : Real { interpolation = monotone data = [[0, 1], [1, 3], [1.5, 3.1], [2, 5]] }
table map(x : Real, y : Real) : Real {
  rows = [0, 2, 5]  columns = [0, 1, 8]  data = [[1, 2, 3], [4, 7, 5], [2, 0, 9]]
}
component Store {
  terminal p, n : electrical
  variable x : Real
  edge e : p -> n
  equation x = e.v/(1 V)
           e.i = 0 A
  energy = 1 J * ()" + f +
                         ") }");
    const double x = 1.25, h = 1e-5;
    p.Set("e.v", x);
    p.Set("der(e.v)", 2);  // der(x) follows from the equation for x
    const double rate = p.EnergyRate();
    p.Set("e.v", x + h);
    const double above = p.Energy();
    p.Set("e.v", x - h);
    EXPECT_NEAR(rate, (above - p.Energy()) / h, 1e-7 * (1 + std::abs(rate)));
  }
}

TEST(Probe, Tables) {
  const auto at = [](const std::string& settings, double u) {
    Probe p("F", "table f(x : Length) : Force { " + settings +
                     " data = [[0 mm, 0 N], [1 mm, 1 N], [2 mm, 4 N], [3 mm, 9 N], [4 mm, 9 N]] }\n"
                     "component F { input u : Length  output y : Force  equation y = f(u) }");
    p.Set("u", u);
    return p["y"];
  };
  EXPECT_NEAR(at("interpolation = linear", 1.5e-3), 2.5, 1e-14);
  EXPECT_NEAR(at("interpolation = linear", 9e-3), 9, 1e-14);
  EXPECT_NEAR(at("interpolation = linear extrapolation = linear", -1e-3), -1, 1e-14);
  EXPECT_NEAR(at("interpolation = spline", 2e-3), 4, 1e-14);
  EXPECT_NEAR(at("interpolation = monotone", 3e-3), 9, 1e-13);
  EXPECT_NEAR(at("interpolation = monotone", 3.4e-3), 9, 1e-13) << "level data stay level";
  EXPECT_GT(at("interpolation = spline", 3.4e-3), 9.01) << "a spline swings over";
  EXPECT_ERROR(at("extrapolation = error", 5e-3), "beyond the ends of a table");
  // The natural spline through (-1, 0), (0, 1), (1, 0) is 1 - 3/2 x^2 + 1/2 |x|^3 (by its conditions).
  Probe s("F",
          "table f(x : Real) : Real { interpolation = spline data = [[-1, 0], [0, 1], [1, 0]] }\n"
          "component F { input u : Real  output y : Real  equation y = f(u) }");
  s.Set("u", 0.4);
  EXPECT_NEAR(s["y"], 1 - 1.5 * 0.16 + 0.5 * 0.064, 1e-14);
}

TEST(Probe, SoftwareStatesAreUnknowns) {
  Probe p("Counter(T = 0.5 s)", R"(
software Counter {
  input e : Real
  output u : Real
  parameter T : Time = 5 ms
  sample = T
  state x : Time (start = 0)
  equation
    x = pre(x) + T*e
    u = 2*x/T
})");
  p.Set("e", 3);
  p.Set("pre(x)", 1);
  EXPECT_DOUBLE_EQ(p["x"], 2.5);
  EXPECT_DOUBLE_EQ(p["u"], 10);
}

TEST(Probe, ADelayHoldsWhatIsSet) {
  Probe p("Echo", R"(
component Echo { input u : Real   output y : Real   equation y = u + 0.5*delay(u, 2 s) })");
  p.Set("u", 3);
  EXPECT_ERROR(p["y"], "unknown: delay(u), y");
  p.Set("delay(u)", 8);
  EXPECT_DOUBLE_EQ(p["y"], 7);
}

// --- Composites ------------------------------------------------------------------------------------------

TEST(Probe, AGroundFixesThePotential) {
  Probe g("electrical.Ground");
  EXPECT_EQ(g["p.v"], 0);
  EXPECT_ERROR(g["p.i"], "p.i has no value");
  Probe r("RotationalGround");
  EXPECT_EQ(r["a.phi"], 0);
}

TEST(Probe, ACompositeIsTakenApart) {
  // Two resistors and a capacitor to ground between them, one of the resistors an array of two in series.
  Probe p("Tee(r2.R = 5 ohm)", R"(
component Tee {
  terminal p, q : electrical
  r1 : Resistor[2](R = [1, 2] ohm)
  public r2 : Resistor(R = 4 ohm)
  c : Capacitor(C = 0.5 F)
  connect p -- r1[1].p
  connect r1[1].n -- r1[2].p
  connect r1[2].n -- r2.p -- c.p
  connect r2.n -- q
  connect c.n -- electrical.ground
})");
  EXPECT_EQ(p["r2.R"], 5);
  EXPECT_EQ(p["r1[2].R"], 2);
  p.Set("p.v", 10);
  p.Set("q.v", -3);
  p.Set("c.e.v", 4);
  EXPECT_DOUBLE_EQ(p["p.i"], 2);
  EXPECT_DOUBLE_EQ(p["q.i"], -7.0 / 5);
  EXPECT_DOUBLE_EQ(p["r1[1].n.v"], 8) << "a potential inside";
  EXPECT_NEAR(p["c.e.i"], 2 - 1.4, 1e-14);
  EXPECT_NEAR(p["der(c.e.v)"], 1.2, 1e-14);
  EXPECT_NEAR(p.Power(), 20 + 4.2, 1e-13);
  EXPECT_NEAR(p.Loss(), 4 * 3 + 1.4 * 7, 1e-13);
  EXPECT_DOUBLE_EQ(p.Energy(), 4);
  p.ExpectBalance(1e-13);
}

TEST(Probe, ACompositeWithRates) {
  Probe p("Drive(ratio = 10)", R"(
component Drive {
  terminal p, n  : electrical
  terminal shaft : rotational
  parameter ratio : Real
  motor : DCMotor(R = 2 ohm, Kt = 0.5 N*m/A, J = 0.01 kg*m^2) as resistive
  gear  : Gear(ratio = ratio)
  connect p -- motor.p
  connect n -- motor.n
  connect motor.shaft -- gear.a
  connect gear.b -- shaft
  connect motor.housing -- rotational.ground
})");
  // At the shaft: speed 3, acceleration 2; in the motor tenfold. 24 V = 2 i + 0.5*30, tau = 10*(0.5 i -
  // 0.01*20).
  p.Set("p.v", 24);
  p.Set("n.v", 0);
  p.Set("shaft.phi", 0.25);
  p.Set("shaft.w", 3);
  p.Set("shaft.alpha", 2);
  EXPECT_NEAR(p["p.i"], 4.5, 1e-12);
  EXPECT_NEAR(p["n.i"], -4.5, 1e-12);
  EXPECT_NEAR(p["shaft.tau"], -20.5, 1e-12);
  EXPECT_NEAR(p["motor.rotor.phi"], 2.5, 1e-12);
  p.ExpectBalance(1e-12);
}

TEST(Probe, ACompositeOfSignals) {
  Probe p("Chain(n = 3)", R"(
component Rate { input u : Real   output y : Real   equation y = der(u) * 1 s }
component Chain {
  parameter n : Integer
  input u : Real[n]
  output y : Real
  output fast : Real
  sum  : Sum(n = n, k = [1, 10, 100])
  gain : Gain[n](k = [i for i in 1:n])
  rate : Rate
  connect u -> gain.u
  connect gain.y -> sum.u
  connect sum.y -> y
  connect u[2] -> rate.u
  connect rate.y -> fast
})");
  for (int i = 1; i <= 3; ++i) {
    p.Set("u[" + std::to_string(i) + "]", i);
  }
  p.Set("der(u[2])", 7);
  EXPECT_DOUBLE_EQ(p["y"], 1 + 40 + 900);
  EXPECT_DOUBLE_EQ(p["fast"], 7);
}

// --- It fails loudly -----------------------------------------------------------------------------------

TEST(Probe, TooFewOrTooManyValuesAreAnError) {
  Probe r("Resistor(R = 10 ohm)");
  EXPECT_ERROR(r["e.v"], "2 unknowns for 1 equations");
  EXPECT_ERROR(r["e.v"], "unknown: e.i, e.v");
  EXPECT_ERROR(r["e.v"], "e.v = R*e.i");
  r.Set("e.v", 1);
  r.Set("e.i", 1);
  EXPECT_EQ(r["e.v"], 1) << "what was set is there without equations";
  EXPECT_ERROR(r["der(e.v)"], "0 unknowns for 1 equations");
  EXPECT_ERROR(r["der(e.v)"], "set: e.i, e.v");
}

TEST(Probe, UnknownNamesAreAnError) {
  Probe r("Resistor(R = 10 ohm)");
  EXPECT_ERROR(r.Set("e.w", 1), "has no `e.w`");
  EXPECT_ERROR(r.Set("e.w", 1), "its variables are e.v, e.i");
  EXPECT_ERROR(r.Set("R", 1), "has no `R`");  // parameters are given with the component
  EXPECT_ERROR(r.Set("e.v[1]", 1), "indexed wrongly");
  EXPECT_ERROR(r.Guess("x", 1), "has no `x`");
  EXPECT_ERROR(r["der(q)"], "has no `q`");
  Probe s("Sum(n = 3)");
  EXPECT_ERROR(s.Set("u", 1), "indexed wrongly");
  EXPECT_ERROR(s.Set("u[4]", 1), "indexed wrongly");
  EXPECT_ERROR(s.Set("u[0]", 1), "indexed wrongly");
  EXPECT_ERROR(s.Set("u[one]", 1), "indexed wrongly");
  EXPECT_ERROR(s.Set("sample(0, 1)", 1), "has no `sample(0, 1)`");
}

TEST(Probe, NoConvergenceIsAnError) {
  Probe p("None", "component None { input u : Real   output y : Real   equation y^2 = u }");
  p.Set("u", -1);
  EXPECT_ERROR(p["y"], "does not converge");
  EXPECT_ERROR(p["y"], "residual");
  p.Set("u", 9);
  p.Guess("y", 1);
  EXPECT_NEAR(p["y"], 3, 1e-13) << "the bench can be used again";
}

TEST(Probe, WhatIsNotDeterminedIsAnError) {
  Probe p("DCMotor(Kt = 0.5 N*m/A) as resistive");  // J = 0: any acceleration will do
  p.Set("rotor.w", 2);
  p.Set("armature.v", 1);
  p.Set("rotor.tau", 0);  // as it must be: no voltage is left for a current
  EXPECT_ERROR(p["rotor.alpha"], "do not determine rotor.alpha");
  p.Set("rotor.tau", 1);  // impossible
  EXPECT_ERROR(p["rotor.alpha"], "nothing moves rotor.alpha");
}

TEST(Probe, TextsThatDoNotCheckAreAnError) {
  EXPECT_ERROR(Probe("Resistor"), "needs a value for `R`");
  EXPECT_ERROR(Probe("Resistor(R = 1 F)"), "COT2201");
  EXPECT_ERROR(Probe("NoSuchThing"), "NoSuchThing");
}

// gtest-spi takes no local variables.
void BalanceOfLeak() {
  Probe p("Leak", R"(
component Leak {
  terminal p, n : electrical
  edge e : p -> n
  equation e.v = 2 ohm*e.i
  loss = 2.001 ohm*e.i^2
})");
  p.Set("e.i", 3);
  p.ExpectBalance(1e-6);
}
void BalanceOfSource() {
  Probe("VoltageSource(V = 1 V)").ExpectBalance();
}

TEST(Probe, AWrongBalanceIsSeen) {
  EXPECT_NONFATAL_FAILURE(BalanceOfLeak(), "the difference is -0.009 W");
  EXPECT_NONFATAL_FAILURE(BalanceOfSource(), "neither energy nor loss");
}

TEST(Probe, EnergyNeedsItsDerivatives) {
  Probe c("Capacitor(C = 1 F)");
  c.Set("e.v", 2);
  c.Set("e.i", 3);
  EXPECT_DOUBLE_EQ(c.EnergyRate(), 6);
  Probe s("Store", R"(
component Store {
  terminal p, n : electrical
  edge e : p -> n
  equation e.i = 0 A
  energy = 1 F*e.v^2/2
})");
  s.Set("e.v", 2);
  EXPECT_ERROR(s.EnergyRate(), "needs der(e.v)");
  s.Set("der(e.v)", 5);
  EXPECT_DOUBLE_EQ(s.EnergyRate(), 10);
  Probe v("VoltageSource(V = 1 V)");
  EXPECT_ERROR(v.Loss(), "neither energy nor loss");
  EXPECT_ERROR(v.Power(), "e.i has no value");
}

}  // namespace
}  // namespace cotree::test
