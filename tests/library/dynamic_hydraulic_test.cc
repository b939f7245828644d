// SPDX-License-Identifier: Apache-2.0
// Package hydraulic in motion: each class in a small system, run and compared with its closed form.
#include "library/dynamic_bench.h"

namespace cotree::test {
namespace {

using std::cos;
using std::exp;
using std::pow;
using std::sin;
using std::sqrt;
using std::tanh;

/// Flow of an orifice by the root of the pressure: cd A sqrt(2/density), for oil of 870 kg/m^3 and cd = 0.65.
double OrificeFactor(double area) {
  return 0.65 * area * sqrt(2.0 / 870);
}

// --- Elements ---------------------------------------------------------------------------------------------

// By hand: a chamber that empties through R into a Reservoir, p = p0 exp(-t/(R C)).
TEST(DynamicHydraulic, Reservoir) {
  const RunOf run = RunBody(R"(C : Chamber(C = 1e-9 m^3/Pa, start p = 50 bar fixed)  r : Reservoir
    R : LaminarResistance(R = 1e9 Pa*s/m^3)  connect C.a -- R.a  connect R.b -- r.a)",
                            4);
  EXPECT_LT(run.Error("R.p", [](double t) { return 50e5 * exp(-t); }), kFine);
}

// By hand: a tank that is filled through a laminar pipe goes to the pressure of the source with R C, where
// C = area/(density gravity).
TEST(DynamicHydraulic, Tank) {
  const RunOf run = RunBody(R"(P : PressureSource(pressure = 0.2 bar)  R : LaminarResistance(R = 1e6 Pa*s/m^3)
    T : Tank(area = 0.5 m^2, density = 800 kg/m^3)
    connect P.a -- R.a  connect R.b -- T.a  connect P.b -- hydraulic.ground)",
                            300);
  EXPECT_LT(run.Error("T.p", [](double t) { return 0.2e5 * Rise(t, 1e6 * 0.5 / (800 * 9.80665)); }), kFine);
}

// Merritt, Hydraulic Control Systems, §2: q = V/B p'; constant flow makes a straight line.
TEST(DynamicHydraulic, Chamber) {
  const RunOf run =
      RunBody(R"(Q : FlowSource(flow = 6 L/min)  C : Chamber(volume = 2 L, bulk_modulus = 1.4 GPa)
    connect Q.b -- C.a  connect Q.a -- hydraulic.ground)",
              0.1);
  EXPECT_LT(run.Error("C.p", [](double t) { return 1.4e9 / 2e-3 * 1e-4 * t; }), kFine);
}

// By hand: constant flow into p V^n = constant; below the precharge the neck gives way in a straight line.
TEST(DynamicHydraulic, GasAccumulator) {
  const RunOf run =
      RunBody(R"(Q : FlowSource(flow = 6 L/min)  connect Q.a -- hydraulic.ground  connect Q.b -- A.a
    A : GasAccumulator(gas_volume = 1 L, precharge = 50 bar, n = 1.4, start volume = -0.01 L fixed, C_empty = 1e-11 m^3/Pa))",
              5);
  EXPECT_LT(run.Error("A.p",
                      [](double t) {
                        const double taken = -1e-5 + 1e-4 * t, gas = 50e5 + 101325;
                        return taken < 0 ? 50e5 + taken / 1e-11
                                         : gas * pow(1e-3 / (1e-3 - taken), 1.4) - 101325;
                      }),
            kFine);
}

// By hand: isothermal, from above the precharge out through R: V' = -p/R with p + p_at = p0 V0/(V0 - V) has,
// for an atmosphere of 0, (V0 - V)^2 = start + 2 p0 V0 t/R.
TEST(DynamicHydraulic, GasAccumulatorIsothermal) {
  const RunOf run =
      RunBody(R"(A : GasAccumulator(gas_volume = 1 L, precharge = 50 bar, n = 1, atmosphere = 0 Pa,
                       start volume = 0.6 L fixed)
    R : LaminarResistance(R = 5e10 Pa*s/m^3)  connect A.a -- R.a  connect R.b -- hydraulic.ground)",
              3);
  EXPECT_LT(run.Error("A.volume", [](double t) { return 1e-3 - sqrt(0.16e-6 + 2 * 50e5 * 1e-3 / 5e10 * t); }),
            kFine);
}

// By hand: two chambers become equal, the difference with R C/2.
TEST(DynamicHydraulic, LaminarResistance) {
  const RunOf run = RunBody(
      R"(A : Chamber(C = 1e-9 m^3/Pa, start p = 50 bar fixed)  R : LaminarResistance(R = 1e9 Pa*s/m^3)
    B : Chamber(C = 1e-9 m^3/Pa, start p = 10 bar fixed)  connect A.a -- R.a  connect R.b -- B.a)",
      2);
  EXPECT_LT(run.Error("B.p", [](double t) { return 10e5 + 20e5 * Rise(t, 0.5); }), kFine);
  EXPECT_LT(run.Error("R.q", [](double t) { return 4e-3 * exp(-t / 0.5); }), kFine);
}

// Torricelli (White, Fluid Mechanics, ch. 3): sqrt(p) falls in a straight line, by K/(2 C) in the second.
TEST(DynamicHydraulic, Orifice) {
  const RunOf run = RunBody(
      R"(T : Tank(C = 1e-5 m^3/Pa, start p = 0.4 bar fixed)  O : Orifice(A = 2 cm^2, p_small = 0 Pa)
    connect T.a -- O.a  connect O.b -- hydraulic.ground)",
      500);
  EXPECT_LT(run.Error("T.p", [](double t) { return pow(sqrt(4e4) - OrificeFactor(2e-4) / 2e-5 * t, 2); }),
            kFine);
}

// By hand: far below p_small the orifice is laminar, q = K/sqrt(p_small) p.
TEST(DynamicHydraulic, OrificeOfASmallPressure) {
  const RunOf run = RunBody(
      R"(T : Tank(C = 1e-5 m^3/Pa, start p = 100 Pa fixed)  O : Orifice(A = 2 cm^2, p_small = 10 bar)
    connect T.a -- O.a  connect O.b -- hydraulic.ground)",
      10000);
  EXPECT_LT(run.Error("T.p", [](double t) { return 100 * exp(-OrificeFactor(2e-4) / 1e3 / 1e-5 * t); }),
            kFine);
}

// Torricelli, with K = q_nominal/sqrt(p_nominal).
TEST(DynamicHydraulic, TurbulentResistance) {
  const RunOf run =
      RunBody(R"(T : Tank(C = 1e-5 m^3/Pa, start p = 0.4 bar fixed)  connect R.b -- hydraulic.ground
    R : TurbulentResistance(p_nominal = 1 bar, q_nominal = 60 L/min, p_small = 0 Pa)  connect T.a -- R.a)",
              1000);
  EXPECT_LT(run.Error("T.p", [](double t) { return pow(200 - 1e-3 / sqrt(1e5) / 2e-5 * t, 2); }), kFine);
}

// White, Fluid Mechanics, ch. 3 (U-tube): two tanks joined by a pipe swing with w = sqrt(2/(L C)).
TEST(DynamicHydraulic, Inertance) {
  const RunOf run =
      RunBody(R"(A : Tank(C = 1e-4 m^3/Pa, start p = 0.3 bar fixed)  L : Inertance(L = 5e4 Pa*s^2/m^3)
    B : Tank(C = 1e-4 m^3/Pa, start p = 0.1 bar fixed)  connect A.a -- L.a  connect L.b -- B.a)",
              10);
  const double w = sqrt(2 / 5.0);
  EXPECT_LT(run.Error("A.p", [=](double t) { return 2e4 + 1e4 * cos(w * t); }), kFine);
  EXPECT_LT(run.Error("L.q", [=](double t) { return 1e-4 * 1e4 * w * sin(w * t); }), kFine);
}

// By hand with the R of Hagen and Poiseuille, 8 mu length/(pi r^4): q = p/R (1 - exp(-R t/L)).
TEST(DynamicHydraulic, PipeLaminar) {
  const RunOf run = RunBody(
      R"(P : PressureSource(pressure = 2 bar)  pipe : Pipe(length = 10 m, diameter = 2 cm) as laminar
    connect P.a -- pipe.a  connect pipe.b -- P.b -- hydraulic.ground)",
      8);
  const double R = 8 * 0.04 * 10 / (kPi * 1e-8), L = 870 * 10 / (kPi * 1e-4);
  EXPECT_LT(run.Error("pipe.q", [=](double t) { return 2e5 / R * Rise(t, L / R); }), kFine);
}

// White, Fluid Mechanics, ch. 3 (unsteady start of a pipe): L q' = p - k q^2 gives q = q_end tanh(t/tau) with
// q_end = sqrt(p/k), tau = L/sqrt(p k), k by Darcy and Weisbach.
TEST(DynamicHydraulic, PipeTurbulent) {
  const RunOf run = RunBody(
      R"(P : PressureSource(pressure = 2 bar)  pipe : Pipe(length = 10 m, diameter = 2 cm) as turbulent
    connect P.a -- pipe.a  connect pipe.b -- P.b -- hydraulic.ground)",
      2);
  const double A = kPi * 1e-4, L = 870 * 10 / A, k = 0.03 * 10 / 0.02 * 870 / 2 / (A * A);
  EXPECT_LT(run.Error("pipe.q", [=](double t) { return sqrt(2e5 / k) * tanh(sqrt(2e5 * k) / L * t); }),
            kFine);
}

// --- Valves -----------------------------------------------------------------------------------------------

// Torricelli with an opening that rises up to 1 at 2 s: sqrt(p) falls by K/(2 C) times its integral.
TEST(DynamicHydraulic, Valve22) {
  const RunOf run = RunBody(
      R"(C : Chamber(C = 1e-9 m^3/Pa, start p = 100 bar fixed)  V : Valve22(A = 50 mm^2, p_small = 0 Pa)
    u : Ramp(slope = 0.4 1/s, offset = 0.2)  connect u.y -> V.u
    connect C.a -- V.a  connect V.b -- hydraulic.ground)",
      4);
  EXPECT_LT(run.Error("C.p",
                      [](double t) {
                        const double opened = t < 2 ? 0.2 * t + 0.2 * t * t : 1.2 + (t - 2);
                        return pow(sqrt(1e7) - OrificeFactor(50e-6) / 2e-9 * opened, 2);
                      }),
            kFine);
}

// Torricelli on the two edges that are open: what p is over the one work port, and what the other is over t.
void ExpectValve43(const std::string& u, const std::string& filled, const std::string& emptied) {
  const RunOf run = RunBody("u : Constant(k = " + u + R"()  P : PressureSource(pressure = 200 bar)
    V : Valve43(A = 50 mm^2, leak = 0, p_small = 0 Pa, overlap = 0.1)  connect u.y -> V.u
    a : Chamber(C = 1e-9 m^3/Pa, start p = 30 bar fixed)  b : Chamber(C = 1e-9 m^3/Pa, start p = 30 bar fixed)
    connect P.a -- V.p  connect P.b -- V.t -- hydraulic.ground  connect V.a -- a.a  connect V.b -- b.a)",
                            2);
  const double fall = OrificeFactor(50e-6) * (0.64 - 0.1) / 0.9 / 2e-9;
  EXPECT_LT(run.Error("V.at_p.q", [=](double t) { return 2e-9 * fall * (sqrt(170e5) - fall * t); }), kFine);
  EXPECT_LT(run.Error(filled, [=](double t) { return 200e5 - pow(sqrt(170e5) - fall * t, 2); }), kFine);
  EXPECT_LT(run.Error(emptied, [=](double t) { return pow(sqrt(30e5) - fall * t, 2); }), kFine);
}
TEST(DynamicHydraulic, Valve43) {
  ExpectValve43("0.64", "a.p", "b.p");
  ExpectValve43("-0.64", "b.p", "a.p");
}

/// By hand: C p' = -K (p - pc)/(po - pc) sqrt(p) makes s = sqrt(p) go like s' = -k (s^2 - pc), which is
/// s = r coth(r k t + arcoth(s0/r)), r = sqrt(pc).
double Cracked(double t, double p0, double pc, double po, double factor, double C) {
  const double r = sqrt(pc), k = factor / (2 * C * (po - pc));
  return pc / pow(tanh(r * k * t + std::atanh(r / sqrt(p0))), 2);
}

TEST(DynamicHydraulic, ReliefValve) {
  const RunOf run = RunBody(R"(C : Chamber(C = 1e-9 m^3/Pa, start p = 108 bar fixed)
    V : ReliefValve(p_crack = 100 bar, A = 1 mm^2, leak = 0, p_small = 0 Pa)
    connect C.a -- V.a  connect V.b -- hydraulic.ground)",
                            2);
  EXPECT_LT(
      run.Error("C.p", [](double t) { return Cracked(t, 108e5, 100e5, 110e5, OrificeFactor(1e-6), 1e-9); }),
      kFine);
}

TEST(DynamicHydraulic, CheckValvePoppet) {
  const RunOf run = RunBody(R"(C : Chamber(C = 1e-9 m^3/Pa, start p = 0.48 bar fixed)
    V : CheckValve(A = 1 mm^2, leak = 0, p_small = 0 Pa) as poppet
    connect C.a -- V.a  connect V.b -- hydraulic.ground)",
                            0.2);
  EXPECT_LT(
      run.Error("C.p", [](double t) { return Cracked(t, 0.48e5, 0.3e5, 0.5e5, OrificeFactor(1e-6), 1e-9); }),
      kFine);
}

// --- Pumps and motors -------------------------------------------------------------------------------------

// By hand: a flywheel J that pumps into a chamber C swings, J w' = -D p, C p' = D w.
TEST(DynamicHydraulic, FixedPumpIdeal) {
  const RunOf run = RunBody(
      R"(P : FixedPump(D = 1e-6 m^3/rad) as ideal  J : Inertia(J = 0.1 kg*m^2, start w = 50 rad/s fixed)
    C : Chamber(C = 1e-11 m^3/Pa)  connect P.shaft -- J.a  connect P.housing -- rotational.ground
    connect P.b -- C.a  connect P.a -- hydraulic.ground)",
      10);
  EXPECT_LT(run.Error("J.w", [](double t) { return 50 * cos(t); }), kFine);
  EXPECT_LT(run.Error("C.p", [](double t) { return 50e5 * sin(t); }), kFine);
}

// By hand: as long as it turns far faster than w_small the friction by pressure is D friction p, so
// J w' = -d w - (1 + friction) D p, C p' = D w - G p.
TEST(DynamicHydraulic, FixedPumpLossy) {
  const RunOf run = RunBody(
      R"(P : FixedPump(D = 1e-6 m^3/rad, d = 0.02 N*m*s/rad, friction = 0.1, w_small = 0.01 rad/s) as lossy
    J : Inertia(J = 0.1 kg*m^2, start w = 50 rad/s fixed)  C : Chamber(C = 1e-11 m^3/Pa)
    connect P.shaft -- J.a  connect P.housing -- rotational.ground
    connect P.b -- C.a  connect P.a -- hydraulic.ground)",
      1.3);
  const auto wp = [](double t) { return Linear2({-0.2, -1.1e-5, 1e5, -0.1}, {0, 0}, {50, 0}, t); };
  EXPECT_LT(run.Error("J.w", [&](double t) { return wp(t)[0]; }), kFine);
  EXPECT_LT(run.Error("C.p", [&](double t) { return wp(t)[1]; }), kFine);
}

// By hand: at constant speed the pressure of a chamber is the integral of u, first filled, then emptied, and
// the shaft takes u D p.
TEST(DynamicHydraulic, VariablePumpIdeal) {
  const RunOf run = RunBody(R"(P : VariablePump(D = 1e-6 m^3/rad) as ideal  S : SpeedSource(speed = 100 rad/s)
    C : Chamber(C = 1e-11 m^3/Pa)  u : Ramp(slope = -1 1/s, offset = 0.5)  connect u.y -> P.u
    connect P.shaft -- S.a  connect P.housing -- S.b -- rotational.ground
    connect P.b -- C.a  connect P.a -- hydraulic.ground)",
                            1.5);
  const auto p = [](double t) { return 1e7 * t * (1 - t) / 2; };
  EXPECT_LT(run.Error("C.p", p), kFine);
  EXPECT_LT(run.Error("P.rotor.tau", [&](double t) { return 1e-6 * (0.5 - t) * p(t); }), kFine);
}

// By hand: the leak makes a lag C/G of it, here behind a ramp; the shaft also takes d w + friction D p.
TEST(DynamicHydraulic, VariablePumpLossy) {
  const RunOf run = RunBody(R"(P : VariablePump(D = 1e-6 m^3/rad, G_leak = 2e-11 m^3/(s*Pa)) as lossy
    S : SpeedSource(speed = 100 rad/s)  C : Chamber(C = 1e-11 m^3/Pa)
    u : Ramp(slope = 0.5 1/s)  connect u.y -> P.u
    connect P.shaft -- S.a  connect P.housing -- S.b -- rotational.ground
    connect P.b -- C.a  connect P.a -- hydraulic.ground)",
                            2);
  const auto p = [](double t) { return 2.5e6 * LaggedRamp(t, 0.5); };
  EXPECT_LT(run.Error("C.p", p), kFine);
  EXPECT_LT(run.Error("P.rotor.tau", [&](double t) { return 2 + (0.05 + 0.5 * t) * 1e-6 * p(t); }), kFine);
}

// By hand: a throttle R before the motor brakes it, J w' = D (p - R D w).
TEST(DynamicHydraulic, HydraulicMotorIdeal) {
  const RunOf run = RunBody(
      R"(M : HydraulicMotor(D = 1e-6 m^3/rad) as ideal  J : Inertia(J = 0.1 kg*m^2, start w = 0 rad/s fixed)
    P : PressureSource(pressure = 100 bar)  R : LaminarResistance(R = 2e11 Pa*s/m^3)
    connect P.a -- R.a  connect R.b -- M.a  connect P.b -- M.b -- hydraulic.ground
    connect M.shaft -- J.a  connect M.housing -- rotational.ground)",
      2);
  EXPECT_LT(run.Error("J.w", [](double t) { return 50 * Rise(t, 0.5); }), kFine);
}

// By hand: at constant pressure, and far faster than w_small, J w' = (1 - friction) D p - d w; the leak only
// adds to the flow.
TEST(DynamicHydraulic, HydraulicMotorLossy) {
  const RunOf run = RunBody(
      R"(J : Inertia(J = 0.1 kg*m^2, start w = 1 rad/s fixed)  P : PressureSource(pressure = 100 bar)
    M : HydraulicMotor(D = 1e-6 m^3/rad, d = 0.1 N*m*s/rad, friction = 0.1, w_small = 0.01 rad/s) as lossy
    connect P.a -- M.a  connect P.b -- M.b -- hydraulic.ground
    connect M.shaft -- J.a  connect M.housing -- rotational.ground)",
      4);
  EXPECT_LT(run.Error("J.w", [](double t) { return 1 + 89 * Rise(t, 1); }), kFine);
  EXPECT_LT(run.Error("M.chamber.q", [](double t) { return 1e-5 + 1e-6 * (1 + 89 * Rise(t, 1)); }), kFine);
}

// --- Cylinders --------------------------------------------------------------------------------------------

// By hand: constant pressure on a mass with a damper, v = A p/d (1 - exp(-d t/m)).
TEST(DynamicHydraulic, Cylinder) {
  const RunOf run = RunBody(R"(Z : Cylinder(A = 10 cm^2)  P : PressureSource(pressure = 20 bar)
    m : Mass(m = 50 kg, start v = 0 m/s fixed)  d : Damper(d = 1000 N*s/m)
    connect P.a -- Z.a  connect P.b -- Z.b -- hydraulic.ground
    connect Z.rod -- m.a -- d.a  connect Z.housing -- d.b -- translational.ground)",
                            0.3);
  EXPECT_LT(run.Error("m.v", [](double t) { return 2 * Rise(t, 0.05); }), kFine);
  EXPECT_LT(run.Error("Z.piston.s", [](double t) { return 2 * LaggedRamp(t, 0.05); }), kFine);
  EXPECT_LT(run.Error("Z.chamber.q", [](double t) { return 2e-3 * Rise(t, 0.05); }), kFine);
}

// By hand: both chambers are springs of A^2/C on the mass, w^2 = (A_a^2/C_a + A_b^2/C_b)/m.
TEST(DynamicHydraulic, DifferentialCylinder) {
  const RunOf run = RunBody(
      R"(Z : DifferentialCylinder(A_a = 20 cm^2, A_b = 10 cm^2)  m : Mass(m = 50 kg, start v = 1 m/s fixed)
    a : Chamber(C = 1e-12 m^3/Pa)  b : Chamber(C = 1e-12 m^3/Pa)  connect Z.a -- a.a  connect Z.b -- b.a
    connect Z.rod -- m.a  connect Z.housing -- translational.ground)",
      0.03);
  const double w = sqrt(5e6 / 50);
  EXPECT_LT(run.Error("m.v", [=](double t) { return cos(w * t); }), kFine);
  EXPECT_LT(run.Error("a.p", [=](double t) { return -2e9 / w * sin(w * t); }), kFine);
  EXPECT_LT(run.Error("b.p", [=](double t) { return 1e9 / w * sin(w * t); }), kFine);
}

// By hand: with closed ports (1 + p/(2 B))^2 V stays in each chamber, here at a constant speed of the piston.
TEST(DynamicHydraulic, DoubleActingCylinder) {
  const RunOf run =
      RunBody(R"(Z : DoubleActingCylinder(A_a = 20 cm^2, A_b = 10 cm^2, stroke = 20 cm, V_dead = 0.1 L,
                           d = 500 N*s/m, f_coulomb = 300 N,
                           start chamber_a.p = 80 bar fixed, start chamber_b.p = 10 bar fixed)
    S : VelocitySource(velocity = 0.1 m/s)  a : FlowSource(flow = 0 L/min)  b : FlowSource(flow = 0 L/min)
    start Z.piston.s = 10 cm fixed  connect Z.a -- a.b  connect Z.b -- b.b  connect a.a -- b.a -- hydraulic.ground
    connect Z.rod -- S.a  connect Z.housing -- S.b -- translational.ground)",
              0.02);
  const auto p = [](double p0, double before, double now) {
    return 2.8e9 * ((1 + p0 / 2.8e9) * sqrt(before / now) - 1);
  };
  const auto a = [&](double t) { return p(80e5, 3e-4, 3e-4 + 2e-4 * t); };
  const auto b = [&](double t) { return p(10e5, 2e-4, 2e-4 - 1e-4 * t); };
  EXPECT_LT(run.Error("Z.chamber_a.p", a), kFine);
  EXPECT_LT(run.Error("Z.chamber_b.p", b), kFine);
  EXPECT_LT(run.Error("Z.piston.f", [&](double t) { return 1e-3 * b(t) - 2e-3 * a(t) + 50 + 300; }), kFine);
}

// By hand: with the piston held, C = V/B on both sides: the sum of the pressures rises by (qa + qb)/C in the
// second, and their difference goes to (qa - qb)/(2 G) with C/(2 G).
TEST(DynamicHydraulic, DoubleActingCylinderHeld) {
  const RunOf run = RunBody(R"(Z : DoubleActingCylinder(A_a = 20 cm^2, stroke = 20 cm, V_dead = 0.08 L,
                           G_leak = 1e-12 m^3/(s*Pa), start chamber_a.p = 80 bar fixed, start chamber_b.p = 20 bar fixed)
    S : PositionSource(position = 10 cm)  a : FlowSource(flow = 1e-6 m^3/s)  b : FlowSource(flow = 2e-6 m^3/s)
    connect Z.a -- a.b  connect Z.b -- b.b  connect a.a -- b.a -- hydraulic.ground
    connect Z.rod -- S.a  connect Z.housing -- S.b -- translational.ground)",
                            0.4);
  const double C = 2.8e-4 / 1.4e9, tau = C / 2e-12;
  const auto half_sum = [=](double t) { return 50e5 + 1.5e-6 / C * t; };
  const auto half_difference = [=](double t) { return 30e5 - 32.5e5 * Rise(t, tau); };
  EXPECT_LT(run.Error("Z.chamber_a.p", [&](double t) { return half_sum(t) + half_difference(t); }), kFine);
  EXPECT_LT(run.Error("Z.chamber_b.p", [&](double t) { return half_sum(t) - half_difference(t); }), kFine);
}

// By hand: without pressure a mass flies at 1 m/s through the last 2 cm of the stroke into the stop, a half
// period pi/w later out again, and back at -1 m/s.
TEST(DynamicHydraulic, DoubleActingCylinderStops) {
  const RunOf run = RunBody(R"(Z : DoubleActingCylinder(A_a = 20 cm^2, stroke = 20 cm, k_stop = 5e6 N/m)
    m : Mass(m = 50 kg, start s = 18 cm fixed, start v = 1 m/s fixed)  connect Z.a -- Z.b -- hydraulic.ground
    connect Z.rod -- m.a  connect Z.housing -- translational.ground)",
                            0.05);
  const double w = sqrt(1e5), out = 0.02 + kPi / w;
  EXPECT_LT(run.Error("m.s",
                      [=](double t) {
                        if (t < 0.02) return 0.18 + t;
                        return t < out ? 0.2 + sin(w * (t - 0.02)) / w : 0.2 - (t - out);
                      }),
            kFine);
}

// --- Sources ----------------------------------------------------------------------------------------------

// By hand: a chamber is filled through R, p = P (1 - exp(-t/(R C))); the source delivers P/R exp(-t/(R C)).
TEST(DynamicHydraulic, PressureSource) {
  const RunOf run = RunBody(R"(P : PressureSource(pressure = 50 bar)  R : LaminarResistance(R = 1e9 Pa*s/m^3)
    C : Chamber(C = 1e-9 m^3/Pa)  connect P.a -- R.a  connect R.b -- C.a  connect P.b -- hydraulic.ground)",
                            4);
  EXPECT_LT(run.Error("C.p", [](double t) { return 50e5 * Rise(t, 1); }), kFine);
  EXPECT_LT(run.Error("P.q", [](double t) { return -5e-3 * exp(-t); }), kFine);
}

// By hand: R and C beside each other, p = Q R (1 - exp(-t/(R C))).
TEST(DynamicHydraulic, FlowSource) {
  const RunOf run = RunBody(R"(Q : FlowSource(flow = 60 L/min)  R : LaminarResistance(R = 1e9 Pa*s/m^3)
    C : Chamber(C = 1e-9 m^3/Pa)  connect Q.b -- R.a -- C.a  connect Q.a -- R.b -- hydraulic.ground)",
                            4);
  EXPECT_LT(run.Error("C.p", [](double t) { return 1e6 * Rise(t, 1); }), kFine);
}

// By hand: a lag of 1 s behind a ramp.
TEST(DynamicHydraulic, SignalPressureSource) {
  const RunOf run = RunBody(R"(P : SignalPressureSource  u : Ramp(slope = 10 bar/s)  connect u.y -> P.u
    R : LaminarResistance(R = 1e9 Pa*s/m^3)  C : Chamber(C = 1e-9 m^3/Pa)
    connect P.a -- R.a  connect R.b -- C.a  connect P.b -- hydraulic.ground)",
                            4);
  EXPECT_LT(run.Error("C.p", [](double t) { return 1e6 * LaggedRamp(t, 1); }), kFine);
}

// By hand: a lag of 1 s behind a sine.
TEST(DynamicHydraulic, SignalFlowSource) {
  const RunOf run =
      RunBody(R"(Q : SignalFlowSource  u : Sine(amplitude = 60 L/min, frequency = 1 Hz)  connect u.y -> Q.u
    R : LaminarResistance(R = 1e9 Pa*s/m^3)  C : Chamber(C = 1e-9 m^3/Pa)
    connect Q.b -- R.a -- C.a  connect Q.a -- R.b -- hydraulic.ground)",
              4);
  EXPECT_LT(run.Error("C.p", [](double t) { return 1e6 * LaggedSine(t, 1, 2 * kPi); }), kFine);
}

// --- Sensors: the chamber of PressureSource ---------------------------------------------------------------

const std::string kFilling = R"(P : PressureSource(pressure = 50 bar)  R : LaminarResistance(R = 1e9 Pa*s/m^3)
    C : Chamber(C = 1e-9 m^3/Pa)  connect P.a -- R.a  connect P.b -- hydraulic.ground  )";

TEST(DynamicHydraulic, PressureSensor) {
  const RunOf run = RunBody(kFilling + "m : PressureSensor  connect R.b -- C.a -- m.a", 4);
  EXPECT_LT(run.Error("m.y", [](double t) { return 50e5 * Rise(t, 1); }), kFine);
}

TEST(DynamicHydraulic, RelativePressureSensor) {
  const RunOf run =
      RunBody(kFilling + "m : RelativePressureSensor  connect R.b -- C.a -- m.b  connect m.a -- P.a", 4);
  EXPECT_LT(run.Error("m.y", [](double t) { return 50e5 * exp(-t); }), kFine);
}

TEST(DynamicHydraulic, FlowSensor) {
  const RunOf run = RunBody(kFilling + "m : FlowSensor  connect R.b -- m.a  connect m.b -- C.a", 4);
  EXPECT_LT(run.Error("m.y", [](double t) { return 5e-3 * exp(-t); }), kFine);
}

TEST(DynamicHydraulic, VolumeSensor) {
  const RunOf run = RunBody(kFilling + "m : VolumeSensor  connect R.b -- m.a  connect m.b -- C.a", 4);
  EXPECT_LT(run.Error("m.y", [](double t) { return 5e-3 * Rise(t, 1); }), kFine);
}

TEST(DynamicHydraulic, HydraulicPowerSensor) {
  const RunOf run = RunBody(kFilling + "m : HydraulicPowerSensor  connect R.b -- m.a  connect m.b -- C.a", 4);
  EXPECT_LT(run.Error("m.y", [](double t) { return 25e3 * exp(-t) * Rise(t, 1); }), kFine);
}

}  // namespace
}  // namespace cotree::test
