// SPDX-License-Identifier: Apache-2.0
// Package electrical in motion: each class in a small circuit, run and compared with its closed form.
#include <algorithm>
#include <array>
#include <regex>
#include <set>

#include "library/dynamic_bench.h"
#include "library/repository_library.h"
#include "product_support.h"

namespace cotree::test {
namespace {

using std::cos;
using std::exp;
using std::log;
using std::sin;
using std::sqrt;

// --- Passive elements -------------------------------------------------------------------------------------

// Nilsson & Riedel, Electric Circuits, §7.3: v = V (1 - exp(-t/(R C))). The capacitor stands on a Ground.
TEST(DynamicElectrical, Ground) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 10 V)  R : Resistor(R = 2 ohm)  C : Capacitor(C = 0.5 F)
    G : Ground  connect V.p -- R.p  connect R.n -- C.p  connect V.n -- C.n -- G.p)",
                            5);
  EXPECT_LT(run.Error("C.v", [](double t) { return 10 * Rise(t, 1); }), kFine);
}

// Nilsson & Riedel, §7.3: the current that charges a capacitor is V/R exp(-t/(R C)).
TEST(DynamicElectrical, Resistor) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 10 V)  R : Resistor(R = 4 ohm)  C : Capacitor(C = 0.5 F)
    connect V.p -- R.p  connect R.n -- C.p  connect V.n -- C.n -- electrical.ground)",
                            5);
  EXPECT_LT(run.Error("R.i", [](double t) { return 2.5 * exp(-t / 2); }), kFine);
}

// Nilsson & Riedel, §7.2, natural response with R = 1/G: v = v0 exp(-G t/C).
TEST(DynamicElectrical, Conductor) {
  const RunOf run = RunBody(R"(G : Conductor(G = 0.25 S)  C : Capacitor(C = 0.5 F, start v = 3 V fixed)
    connect G.p -- C.p  connect G.n -- C.n -- electrical.ground)",
                            5);
  EXPECT_LT(run.Error("G.v", [](double t) { return 3 * exp(-t / 2); }), kFine);
}

// Nilsson & Riedel, §8.2 without resistance: v = v0 cos(w t), i = C v', w = 1/sqrt(L C).
TEST(DynamicElectrical, Capacitor) {
  const RunOf run = RunBody(R"(L : Inductor(L = 1 mH)  C : Capacitor(C = 10 uF, start v = 5 V fixed)
    connect L.p -- C.p  connect L.n -- C.n -- electrical.ground)",
                            2e-3);
  EXPECT_LT(run.Error("C.v", [](double t) { return 5 * cos(1e4 * t); }), kFine);
  EXPECT_LT(run.Error("C.i", [](double t) { return -0.5 * sin(1e4 * t); }), kFine);
}

// Nilsson & Riedel, §7.3: i = V/R (1 - exp(-R t/L)), and v = V exp(-R t/L).
TEST(DynamicElectrical, Inductor) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 12 V)  R : Resistor(R = 3 ohm)  L : Inductor(L = 6 mH)
    connect V.p -- R.p  connect R.n -- L.p  connect V.n -- L.n -- electrical.ground)",
                            0.01);
  EXPECT_LT(run.Error("L.i", [](double t) { return 4 * Rise(t, 2e-3); }), kFine);
  EXPECT_LT(run.Error("L.v", [](double t) { return 12 * exp(-t / 2e-3); }), kFine);
}

// --- Passive elements set by a signal ---------------------------------------------------------------------

// By hand: C v' = -v/(R0 + r t), so v = v0 (1 + r t/R0)^(-1/(r C)).
TEST(DynamicElectrical, VariableResistor) {
  const RunOf run = RunBody(R"(R : VariableResistor  C : Capacitor(C = 0.5 F, start v = 4 V fixed)
    u : Ramp(slope = 1 ohm/s, offset = 2 ohm)  connect u.y -> R.u
    connect R.p -- C.p  connect R.n -- C.n -- electrical.ground)",
                            5);
  EXPECT_LT(run.Error("C.v", [](double t) { return 4 / ((1 + t / 2) * (1 + t / 2)); }), kFine);
}

// By hand: C v' = -(G0 + g sin(w t)) v, so v = v0 exp(-(G0 t + g (1 - cos(w t))/w)/C).
TEST(DynamicElectrical, VariableConductor) {
  const RunOf run = RunBody(R"(G : VariableConductor  C : Capacitor(C = 1 F, start v = 4 V fixed)
    u : Sine(amplitude = 0.5 S, frequency = 1 Hz, offset = 0.6 S)  connect u.y -> G.u
    connect G.p -- C.p  connect G.n -- C.n -- electrical.ground)",
                            4);
  EXPECT_LT(
      run.Error("C.v", [](double t) { return 4 * exp(-0.6 * t - 0.5 * (1 - cos(2 * kPi * t)) / (2 * kPi)); }),
      kFine);
}

// By hand: flux' = -R flux/(L0 + l t), so flux = flux0 (1 + l t/L0)^(-R/l), and i = flux/(L0 + l t).
TEST(DynamicElectrical, VariableInductor) {
  const RunOf run = RunBody(R"(L : VariableInductor(start flux = 3 Wb fixed)  R : Resistor(R = 2 ohm)
    u : Ramp(slope = 1 H/s, offset = 2 H)  connect u.y -> L.u
    connect L.p -- R.p  connect L.n -- R.n -- electrical.ground)",
                            4);
  EXPECT_LT(run.Error("L.flux", [](double t) { return 12 / ((2 + t) * (2 + t)); }), kFine);
  EXPECT_LT(run.Error("L.i", [](double t) { return 12 / ((2 + t) * (2 + t) * (2 + t)); }), kFine);
}

// By hand: q' = -q/(R (C0 + c t)), so q = q0 (1 + c t/C0)^(-1/(R c)), and v = q/(C0 + c t).
TEST(DynamicElectrical, VariableCapacitor) {
  const RunOf run = RunBody(R"(C : VariableCapacitor(start charge = 3 C fixed)  R : Resistor(R = 1 ohm)
    u : Ramp(slope = 0.5 F/s, offset = 1 F)  connect u.y -> C.u
    connect C.p -- R.p  connect C.n -- R.n -- electrical.ground)",
                            4);
  EXPECT_LT(run.Error("C.charge", [](double t) { return 12 / ((2 + t) * (2 + t)); }), kFine);
  EXPECT_LT(run.Error("C.v", [](double t) { return 24 / ((2 + t) * (2 + t) * (2 + t)); }), kFine);
}

// Thevenin (Nilsson & Riedel, §4.10): the wiper is a source x V behind R x (1 - x).
TEST(DynamicElectrical, PotentiometerTrimmed) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 10 V)  C : Capacitor(C = 0.1 F)
    P : Potentiometer(R = 50 ohm, position = 0.2) as trimmed
    connect V.p -- P.p  connect P.wiper -- C.p  connect V.n -- P.n -- C.n -- electrical.ground)",
                            4);
  EXPECT_LT(run.Error("C.v", [](double t) { return 2 * Rise(t, 0.8); }), kFine);
}

// By hand: I goes through the upper part and charges C beside the lower one, C v' = I - v/(R x), with x = (1
// + t)/2 up to t = 1 and x = 1 then: v (1 + t) = v0 + I/C ((1 + t)^2 - 1)/2, then v goes to R I with R C.
TEST(DynamicElectrical, PotentiometerDriven) {
  const RunOf run =
      RunBody(R"(P : Potentiometer(R = 4 ohm) as driven  C : Capacitor(C = 0.5 F, start v = 8 V fixed)
    I : CurrentSource(I = 1 A)  u : Ramp(slope = 0.5 1/s, offset = 0.5)  connect u.y -> P.u
    connect I.n -- P.p  connect P.wiper -- C.p  connect P.n -- I.p -- C.n -- electrical.ground)",
              4);
  EXPECT_LT(
      run.Error("C.v", [](double t) { return t < 1 ? 1 + t + 7 / (1 + t) : 5.5 - 1.5 * Rise(t - 1, 2); }),
      kFine);
  EXPECT_LT(run.Error("P.upper.v", [](double t) { return std::max(0.0, 2 - 2 * t); }), kFine);
}

// By hand: C T' = R I^2 (1 + alpha (T - T_ref)), so T - T_ref = (exp(alpha R I^2 t/C) - 1)/alpha from T_ref.
TEST(DynamicElectrical, HeatingResistor) {
  const RunOf run = RunBody(R"(I : CurrentSource(I = -2 A)  R : HeatingResistor(R = 1 ohm, alpha = 0.004 1/K)
    body : HeatCapacity(C = 0.1 J/K, start T = 20 degC fixed)  connect R.heat -- body.a
    connect I.p -- R.p  connect I.n -- R.n -- electrical.ground)",
                            10);
  EXPECT_LT(run.Error("body.T", [](double t) { return 293.15 + std::expm1(0.16 * t) / 0.004; }), kFine);
  EXPECT_LT(run.Error("R.e.v", [](double t) { return 2 * exp(0.16 * t); }), kFine);
}

// --- Coupled inductors ------------------------------------------------------------------------------------

// By hand, in the sum and the difference of the voltages: two equal circuits L, C coupled by M = k L swing
// with w = 1/sqrt(C L (1 +- k)); from v1 = 1, v2 = 0 on both modes have half the amplitude.
TEST(DynamicElectrical, CoupledInductorPair) {
  const RunOf run = RunBody(R"(T : CoupledInductorPair(L1 = 0.1 H, L2 = 0.1 H, k = 0.4)
    C1 : Capacitor(C = 0.1 F, start v = 1 V fixed)  C2 : Capacitor(C = 0.1 F, start v = 0 V fixed)
    connect T.p1 -- C1.p  connect T.p2 -- C2.p  connect T.n1 -- T.n2 -- C1.n -- C2.n -- electrical.ground)",
                            1);
  const double sum = 10 / sqrt(1.4), difference = 10 / sqrt(0.6);
  EXPECT_LT(run.Error("C1.v", [=](double t) { return (cos(sum * t) + cos(difference * t)) / 2; }), kFine);
  EXPECT_LT(run.Error("C2.v", [=](double t) { return (cos(sum * t) - cos(difference * t)) / 2; }), kFine);
}

// By hand: with k = 1 and equal windings both have the voltage v = L (i1 + i2)', where i1 = (V - v)/R1 and
// i2 = -v/R2, so v = v0 exp(-t/tau) with tau = L (R1 + R2)/(R1 R2); i1 = 2 A at the start makes v0 = 4 V.
TEST(DynamicElectrical, CoupledInductorPairWithoutLeakage) {
  const RunOf run =
      RunBody(R"(T : CoupledInductorPair(L1 = 0.1 H, L2 = 0.1 H, k = 1, start primary.i = 2 A fixed)
    V : VoltageSource(V = 6 V)  R1 : Resistor(R = 1 ohm)  R2 : Resistor(R = 2 ohm)  connect V.p -- R1.p
    connect R1.n -- T.p1  connect T.p2 -- R2.p  connect T.n1 -- T.n2 -- V.n -- R2.n -- electrical.ground)",
              0.5);
  EXPECT_LT(run.Error("R2.v", [](double t) { return 4 * exp(-t / 0.15); }), kFine);
}

// By hand: three equal windings, each coupled with each by k, have the modes (1, 1, 1) with L (1 + 2 k) and,
// twice, L (1 - k); v = (1, 0, 0) is a third of the first and two thirds of the second.
TEST(DynamicElectrical, CoupledInductors) {
  const RunOf run = RunBody(R"(T : CoupledInductors(windings = 3, L = [0.1, 0.1, 0.1] H,
                        k = [[0, 0.3, 0.3], [0, 0, 0.3], [0, 0, 0]])
    C : Capacitor[3](C = 0.1 F)  start C[1].v = 1 V fixed
    connect T.p -- C.p  connect T.n -- electrical.ground  connect C.n -- electrical.ground)",
                            1);
  const double sum = 10 / sqrt(1.6), rest = 10 / sqrt(0.7);
  EXPECT_LT(run.Error("C[1].v", [=](double t) { return (cos(sum * t) + 2 * cos(rest * t)) / 3; }), kFine);
  EXPECT_LT(run.Error("C[3].v", [=](double t) { return (cos(sum * t) - cos(rest * t)) / 3; }), kFine);
}

// --- Two ports --------------------------------------------------------------------------------------------

// Nilsson & Riedel, §9.11: a load appears on side 1 with n^2 of its impedance, so C with C/n^2.
TEST(DynamicElectrical, Transformer) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 12 V)  R : Resistor(R = 8 ohm)  T : Transformer(n = 4)
    C : Capacitor(C = 2 F)  connect V.p -- R.p  connect R.n -- T.p1  connect T.p2 -- C.p
    connect V.n -- T.n1 -- T.n2 -- C.n -- electrical.ground)",
                            5);
  EXPECT_LT(run.Error("C.v", [](double t) { return 3 * Rise(t, 1); }), kFine);
  EXPECT_LT(run.Error("T.primary.i", [](double t) { return 1.5 * exp(-t); }), kFine);
}

// Tellegen, The gyrator (Philips Res. Rep. 3, 1948): a capacitor on side 2 is an inductor r^2 C on side 1.
TEST(DynamicElectrical, Gyrator) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 12 V)  R : Resistor(R = 8 ohm)  G : Gyrator(r = 4 ohm)
    C : Capacitor(C = 0.5 F)  connect V.p -- R.p  connect R.n -- G.p1  connect G.p2 -- C.p
    connect V.n -- G.n1 -- G.n2 -- C.n -- electrical.ground)",
                            5);
  EXPECT_LT(run.Error("R.i", [](double t) { return 1.5 * Rise(t, 1); }), kFine);
  EXPECT_LT(run.Error("C.v", [](double t) { return -6 * Rise(t, 1); }), kFine);
}

// --- Controlled sources and amplifiers --------------------------------------------------------------------

// By hand: R C v' = gain v - v, the bootstrap; v = v0 exp((gain - 1) t/(R C)).
TEST(DynamicElectrical, VoltageControlledVoltageSource) {
  const RunOf run = RunBody(R"(C : Capacitor(C = 0.5 F, start v = 1 V fixed)  R : Resistor(R = 2 ohm)
    E : VoltageControlledVoltageSource(gain = 2)  connect C.p -- R.n -- E.p1  connect E.p2 -- R.p
    connect C.n -- E.n1 -- E.n2 -- electrical.ground)",
                            2);
  EXPECT_LT(run.Error("C.v", [](double t) { return exp(t); }), kFine);
}

// By hand: two capacitors, each discharged by the other's voltage with opposite signs, swing with g/C.
TEST(DynamicElectrical, VoltageControlledCurrentSource) {
  const RunOf run = RunBody(R"(C1 : Capacitor(C = 0.5 F, start v = 1 V fixed)  C2 : Capacitor(C = 0.5 F)
    F : VoltageControlledCurrentSource(transconductance = 2 S)
    B : VoltageControlledCurrentSource(transconductance = -2 S)
    connect C1.p -- F.p1 -- B.p2  connect C2.p -- F.p2 -- B.p1
    connect C1.n -- C2.n -- F.n1 -- F.n2 -- B.n1 -- B.n2 -- electrical.ground)",
                            2);
  EXPECT_LT(run.Error("C1.v", [](double t) { return cos(4 * t); }), kFine);
  EXPECT_LT(run.Error("C2.v", [](double t) { return -sin(4 * t); }), kFine);
}

// By hand: L i' = V - r i, so i = V/r (1 - exp(-r t/L)).
TEST(DynamicElectrical, CurrentControlledVoltageSource) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 6 V)  L : Inductor(L = 2 H)
    H : CurrentControlledVoltageSource(transresistance = 3 ohm)
    connect V.p -- L.p  connect L.n -- H.p1  connect H.n1 -- H.p2  connect V.n -- H.n2 -- electrical.ground)",
                            4);
  EXPECT_LT(run.Error("L.i", [](double t) { return 2 * Rise(t, 2.0 / 3); }), kFine);
}

// By hand: what C1 loses through R, v0/R exp(-t/(R C1)), is taken out of C2 three times.
TEST(DynamicElectrical, CurrentControlledCurrentSource) {
  const RunOf run = RunBody(R"(C1 : Capacitor(C = 0.5 F, start v = 4 V fixed)  R : Resistor(R = 2 ohm)
    F : CurrentControlledCurrentSource(gain = 3)  C2 : Capacitor(C = 1.5 F)
    connect C1.p -- R.p  connect R.n -- F.p1  connect F.p2 -- C2.p
    connect C1.n -- F.n1 -- F.n2 -- C2.n -- electrical.ground)",
                            4);
  EXPECT_LT(run.Error("C2.v", [](double t) { return -4 * Rise(t, 1); }), kFine);
}

// Nilsson & Riedel, §7.7, the integrating amplifier: v = -1/(R C) * integral of the source, here a sine.
TEST(DynamicElectrical, OpAmp) {
  const RunOf run =
      RunBody(R"(V : SineVoltageSource(amplitude = 2 V, frequency = 50 Hz)  R : Resistor(R = 10 kohm)
    C : Capacitor(C = 1 uF)  A : OpAmp  load : Resistor(R = 1 kohm)
    connect V.p -- R.p  connect R.n -- C.p -- A.n  connect C.n -- A.out -- load.p
    connect V.n -- A.p -- load.n -- electrical.ground)",
              0.03);
  EXPECT_LT(run.Error("load.v", [](double t) { return -2 / kPi * (1 - cos(100 * kPi * t)); }), kFine);
}

// The numbers of OpAmpReal: its time constant, and for a follower without load the part of the input less y
// that lies over Rin, Rin/(Rin + Rout).
constexpr double kGain = 2e5, kSlow = kGain / (2e6 * kPi), kPart = 2e6 / (2e6 + 75);

// By hand: a follower with T y' + y = A0 a (V - y); Horowitz & Hill, §4.4.2.A: the loop gain divides T.
TEST(DynamicElectrical, OpAmpRealLinear) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 1 V)  A : OpAmpReal as linear
    connect V.p -- A.p  connect A.out -- A.n  connect V.n -- electrical.ground)",
                            1e-6);
  const double loop = kGain * kPart;
  EXPECT_LT(
      run.Error("A.difference.i",
                [=](double t) { return (1 - loop / (1 + loop) * Rise(t, kSlow / (1 + loop))) / (2e6 + 75); }),
      kFine);
  EXPECT_LT(run.Error("A.y", [=](double t) { return loop / (1 + loop) * Rise(t, kSlow / (1 + loop)); }),
            kFine);
}

// By hand: a step of 5 V drives a follower at its slew rate, T y' + y = slew T, until the difference at the
// inputs is slew T/A0; from there on it is linear.
TEST(DynamicElectrical, OpAmpRealSlewing) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 5 V)  A : OpAmpReal as saturating
    connect V.p -- A.p  connect A.out -- A.n  connect V.n -- electrical.ground)",
                            14e-6);
  const double loop = kGain * kPart, full = 0.5e6 * kSlow, end = loop / (1 + loop) * 5;
  const double y1 = 5 - full / kGain / kPart, t1 = -kSlow * std::log1p(-y1 / full);
  EXPECT_LT(run.Error("A.y",
                      [=](double t) {
                        return t < t1 ? full * Rise(t, kSlow)
                                      : end + (y1 - end) * exp(-(t - t1) * (1 + loop) / kSlow);
                      }),
            kFine);
}

// By hand: 1 mV without feedback, T y' + y = A0 d up to the rail; there y - Vmax settles at d (less 1/A0 of
// all) with T/(1 + A0), and the output stays, divided by Rout and the load.
TEST(DynamicElectrical, OpAmpRealAtTheRail) {
  const RunOf run =
      RunBody(R"(V : VoltageSource(V = 1 mV)  A : OpAmpReal as saturating  load : Resistor(R = 1 kohm)
    connect V.p -- A.p  connect A.out -- load.p  connect V.n -- A.n -- load.n -- electrical.ground)",
              4e-3);
  const double t1 = -kSlow * std::log1p(-15.0 / 200), end = kGain / (1 + kGain) * 15.001;
  const auto y = [=](double t) {
    return t < t1 ? 200 * Rise(t, kSlow) : end + (15 - end) * exp(-(t - t1) * (1 + kGain) / kSlow);
  };
  EXPECT_LT(run.Error("A.y", y), kFine);
  EXPECT_LT(run.Error("load.v", [=](double t) { return std::min(y(t), 15.0) / 1.075; }), kFine);
}

// --- Diodes and switches ----------------------------------------------------------------------------------

// By hand: C v' = -Is (exp(v/Vt) - 1) makes x = 1 - exp(-v/Vt) fall like x' = -Is/(C Vt) x.
TEST(DynamicElectrical, Diode) {
  const RunOf run = RunBody(R"(D : Diode(Gmin = 0 S)  C : Capacitor(C = 1 uF, start v = 0.6 V fixed)
    connect D.p -- C.p  connect D.n -- C.n -- electrical.ground)",
                            1e-3);
  const double vt = 0.02585, k = 1e-12 / (1e-6 * vt);
  EXPECT_LT(run.Error("D.v", [=](double t) { return -vt * log(Rise(t, 1 / k) + exp(-0.6 / vt - k * t)); }),
            kFine);
}

// By hand: backwards, w = -v, C w' = -Iz exp((w - Vz)/a) with a = Nz Vt makes exp(-w/a) grow in a straight
// line.
TEST(DynamicElectrical, ZenerDiode) {
  const RunOf run = RunBody(
      R"(D : ZenerDiode(Is = 0 A, Gmin = 0 S, Nz = 2)  C : Capacitor(C = 1 mF, start v = 5.3 V fixed)
    connect D.n -- C.p  connect D.p -- C.n -- electrical.ground)",
      0.1);
  const double a = 2 * 0.02585;
  EXPECT_LT(run.Error("C.v", [=](double t) { return 5.1 - a * log(exp(-0.2 / a) + 5 * t / a); }), kFine);
}

// By hand: an RC charged through 1/Goff up to 1 s, through Ron from then on.
TEST(DynamicElectrical, Switch) {
  const RunOf run = RunBody(
      R"(V : VoltageSource(V = 10 V)  S : Switch(Ron = 0.5 ohm, Goff = 0.2 S)  C : Capacitor(C = 1 F)
    u : BooleanStep(start = 1 s)  connect u.y -> S.u
    connect V.p -- S.p  connect S.n -- C.p  connect V.n -- C.n -- electrical.ground)",
      3);
  const double v1 = 10 * Rise(1, 5);
  EXPECT_LT(
      run.Error("C.v", [=](double t) { return t < 1 ? 10 * Rise(t, 5) : v1 + (10 - v1) * Rise(t - 1, 0.5); }),
      kFine);
}

// As Switch; the ramp passes the threshold of 3 V at 1.5 s.
TEST(DynamicElectrical, ThresholdSwitch) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 10 V)  C : Capacitor(C = 1 F)
    S : ThresholdSwitch(threshold = 3 V, Ron = 0.5 ohm, Goff = 0.2 S)
    u : Ramp(slope = 2 V/s)  connect u.y -> S.u
    connect V.p -- S.p  connect S.n -- C.p  connect V.n -- C.n -- electrical.ground)",
                            3);
  const double v1 = 10 * Rise(1.5, 5);
  EXPECT_LT(
      run.Error("C.v",
                [=](double t) { return t < 1.5 ? 10 * Rise(t, 5) : v1 + (10 - v1) * Rise(t - 1.5, 0.5); }),
      kFine);
}

// By hand: charged from n1 up to 1 s, discharged to n2 then, with Goff = 0.
TEST(DynamicElectrical, ChangeoverSwitch) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 10 V)  S : ChangeoverSwitch(Ron = 0.5 ohm, Goff = 0 S)
    C : Capacitor(C = 1 F)  u : BooleanStep(start = 1 s)  connect u.y -> S.u
    connect V.p -- S.n1  connect S.p -- C.p  connect S.n2 -- V.n -- C.n -- electrical.ground)",
                            3);
  EXPECT_LT(
      run.Error("C.v",
                [](double t) { return t < 1 ? 10 * Rise(t, 0.5) : 10 * Rise(1, 0.5) * exp(-(t - 1) / 0.5); }),
      kFine);
}

// --- Power electronics ------------------------------------------------------------------------------------

// By hand: L i' + (R + Rload) i = V sin(w t), and the supply gives duty*i.
TEST(DynamicElectrical, HBridge) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 24 V)  B : HBridge(R = 0.5 ohm)  L : Inductor(L = 4 mH)
    R : Resistor(R = 1.5 ohm)  u : Sine(amplitude = 0.8, frequency = 50 Hz)  connect u.y -> B.u
    connect V.p -- B.p1  connect B.p2 -- L.p  connect L.n -- R.p
    connect V.n -- B.n1 -- B.n2 -- R.n -- electrical.ground)",
                            0.04);
  const auto i = [](double t) { return 9.6 * LaggedSine(t, 2e-3, 100 * kPi); };
  EXPECT_LT(run.Error("L.i", i), kFine);
  EXPECT_LT(run.Error("B.supply.i", [&](double t) { return 0.8 * sin(100 * kPi * t) * i(t); }), kFine);
}

// --- Sources ----------------------------------------------------------------------------------------------

// Nilsson & Riedel, §7.3: v = V (1 - exp(-t/(R C))), and the source delivers V/R exp(-t/(R C)).
TEST(DynamicElectrical, VoltageSource) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = -10 V)  R : Resistor(R = 2 ohm)  C : Capacitor(C = 0.5 F)
    connect V.p -- R.p  connect R.n -- C.p  connect V.n -- C.n -- electrical.ground)",
                            5);
  EXPECT_LT(run.Error("C.v", [](double t) { return -10 * Rise(t, 1); }), kFine);
  EXPECT_LT(run.Error("V.i", [](double t) { return 5 * exp(-t); }), kFine);
}

// Nilsson & Riedel, §7.3: R and C beside each other, v = I R (1 - exp(-t/(R C))); I flows out at n.
TEST(DynamicElectrical, CurrentSource) {
  const RunOf run = RunBody(R"(I : CurrentSource(I = 3 A)  R : Resistor(R = 2 ohm)  C : Capacitor(C = 0.5 F)
    connect I.n -- R.p -- C.p  connect I.p -- R.n -- C.n -- electrical.ground)",
                            5);
  EXPECT_LT(run.Error("C.v", [](double t) { return 6 * Rise(t, 1); }), kFine);
}

// Nilsson & Riedel, §9.2, eq. 9.9: a sine switched on to R and L; the offset has the step response.
TEST(DynamicElectrical, SineVoltageSource) {
  const RunOf run =
      RunBody(R"(V : SineVoltageSource(amplitude = 10 V, frequency = 50 Hz, phase = 60 deg, offset = 3 V)
    R : Resistor(R = 2 ohm)  L : Inductor(L = 8 mH)
    connect V.p -- R.p  connect R.n -- L.p  connect V.n -- L.n -- electrical.ground)",
              0.06);
  EXPECT_LT(
      run.Error("L.i",
                [](double t) { return 5 * LaggedSine(t, 4e-3, 100 * kPi, kPi / 3) + 1.5 * Rise(t, 4e-3); }),
      kFine);
}

// The dual of SineVoltageSource: R and C beside each other.
TEST(DynamicElectrical, SineCurrentSource) {
  const RunOf run =
      RunBody(R"(I : SineCurrentSource(amplitude = 10 A, frequency = 0.5 Hz, phase = -30 deg, offset = 1 A)
    R : Resistor(R = 2 ohm)  C : Capacitor(C = 0.25 F)
    connect I.n -- R.p -- C.p  connect I.p -- R.n -- C.n -- electrical.ground)",
              6);
  EXPECT_LT(
      run.Error("C.v", [](double t) { return 20 * LaggedSine(t, 0.5, kPi, -kPi / 6) + 2 * Rise(t, 0.5); }),
      kFine);
}

// By hand, edge by edge: between the edges an RC (1 s) goes from where it is towards 8 V or 2 V; the source
// is low up to 0.5 s, then in each period of 2 s high for 0.6 s.
TEST(DynamicElectrical, PulseVoltageSource) {
  const RunOf run =
      RunBody(R"(V : PulseVoltageSource(low = 2 V, high = 8 V, period = 2 s, width = 0.6 s, delay = 0.5 s)
    R : Resistor(R = 2 ohm)  C : Capacitor(C = 0.5 F)
    connect V.p -- R.p  connect R.n -- C.p  connect V.n -- C.n -- electrical.ground)",
              8);
  EXPECT_LT(run.Error("C.v",
                      [](double t) {
                        const std::array<double, 9> edges = {0, 0.5, 1.1, 2.5, 3.1, 4.5, 5.1, 6.5, 7.1};
                        double v = 0;
                        for (size_t k = 0; k < edges.size() && edges[k] < t; ++k) {
                          const double end = k + 1 < edges.size() ? std::min(t, edges[k + 1]) : t,
                                       target = k % 2 == 1 ? 8 : 2;
                          v += (target - v) * Rise(end - edges[k], 1);
                        }
                        return v;
                      }),
            kFine);
}

// By hand: a capacitor sums the pulses up; 3 A for 0.25 s in each second, -1 A for the rest of it.
TEST(DynamicElectrical, PulseCurrentSource) {
  const RunOf run = RunBody(R"(I : PulseCurrentSource(low = -1 A, high = 3 A, period = 1 s, width = 0.25 s)
    C : Capacitor(C = 0.5 F)  connect I.n -- C.p  connect I.p -- C.n -- electrical.ground)",
                            4.1);
  EXPECT_LT(run.Error("C.v",
                      [](double t) {
                        const double x = t - std::floor(t);
                        return 2 * (x < 0.25 ? 3 * x : 1 - x);
                      }),
            kFine);
}

// By hand: an RC of 0.5 s behind a ramp of 3 V/s.
TEST(DynamicElectrical, SignalVoltageSource) {
  const RunOf run = RunBody(R"(V : SignalVoltageSource  u : Ramp(slope = 3 V/s)  connect u.y -> V.u
    R : Resistor(R = 1 ohm)  C : Capacitor(C = 0.5 F)
    connect V.p -- R.p  connect R.n -- C.p  connect V.n -- C.n -- electrical.ground)",
                            3);
  EXPECT_LT(run.Error("C.v", [](double t) { return 3 * LaggedRamp(t, 0.5); }), kFine);
}

// By hand: an inductor beside a resistor, L i' + R i = R I sin(w t).
TEST(DynamicElectrical, SignalCurrentSource) {
  const RunOf run =
      RunBody(R"(I : SignalCurrentSource  u : Sine(amplitude = 4 A, frequency = 1 Hz)  connect u.y -> I.u
    R : Resistor(R = 2 ohm)  L : Inductor(L = 0.5 H)
    connect I.n -- R.p -- L.p  connect I.p -- R.n -- L.n -- electrical.ground)",
              3);
  EXPECT_LT(run.Error("L.i", [](double t) { return 4 * LaggedSine(t, 0.25, 2 * kPi); }), kFine);
}

// By hand: an inductor of 1 H takes the area below the table, which rises by 2 V in the second 1..2, falls to
// 0 V up to 4 s and holds.
TEST(DynamicElectrical, TableVoltageSource) {
  const RunOf run = RunBody(
      R"(V : TableVoltageSource(points = 3, t = [1, 2, 4] s, v = [1, 3, 0] V)  L : Inductor(L = 1 H)
    connect V.p -- L.p  connect V.n -- L.n -- electrical.ground)",
      6);
  EXPECT_LT(run.Error("L.i",
                      [](double t) {
                        if (t < 1) return t;
                        if (t < 2) return 1 + (t - 1) + (t - 1) * (t - 1);
                        return t < 4 ? 6 - 0.75 * (4 - t) * (4 - t) : 6.0;
                      }),
            kFine);
}

// By hand: a capacitor of 1 F takes the area below a triangle of 2 A that is repeated every 3 s.
TEST(DynamicElectrical, TableCurrentSource) {
  const RunOf run =
      RunBody(R"(I : TableCurrentSource(points = 3, t = [0, 1, 3] s, i = [0, 2, 0] A, periodic = true)
    C : Capacitor(C = 1 F)  connect I.n -- C.p  connect I.p -- C.n -- electrical.ground)",
              8);
  EXPECT_LT(run.Error("C.v",
                      [](double t) {
                        const double n = std::floor(t / 3), x = t - 3 * n;
                        return 3 * n + (x < 1 ? x * x : 3 - (3 - x) * (3 - x) / 2);
                      }),
            kFine);
}

// By hand: with a load ocv' = (Vfull - Vempty)/capacity i and i = -ocv/(R + Rload), so ocv falls
// exponentially.
TEST(DynamicElectrical, BatteryResistive) {
  const RunOf run = RunBody(R"(B : Battery(capacity = 10 C) as resistive  R : Resistor(R = 0.95 ohm)
    connect B.p -- R.p  connect B.n -- R.n -- electrical.ground)",
                            2.5);
  EXPECT_LT(run.Error("B.ocv", [](double t) { return 4.2 * exp(-0.12 * t); }), kFine);
  EXPECT_LT(run.Error("B.soc", [](double t) { return (4.2 * exp(-0.12 * t) - 3) / 1.2; }), kFine);
}

// By hand: 2 A empty it in a straight line, and the slow part goes to -I R1 with R1 C1 = 2 s.
TEST(DynamicElectrical, BatteryDynamic) {
  const RunOf run =
      RunBody(R"(B : Battery(capacity = 100 C, C1 = 100 F) as dynamic  I : CurrentSource(I = 2 A)
    connect B.p -- I.p  connect B.n -- I.n -- electrical.ground)",
              10);
  EXPECT_LT(run.Error("B.e.v", [](double t) { return 4.1 - 0.024 * t - 0.04 * Rise(t, 2); }), kFine);
  EXPECT_LT(run.Error("B.v1", [](double t) { return -0.04 * Rise(t, 2); }), kFine);
}

// By hand: I^2 (R + R1 (1 - exp(-t/tau))^2), integrated, warms 0.01 J/K.
TEST(DynamicElectrical, BatteryHeated) {
  const RunOf run = RunBody(R"(B : Battery(capacity = 100 C, C1 = 100 F) as heated  I : CurrentSource(I = 2 A)
    body : HeatCapacity(C = 0.01 J/K, start T = 300 K fixed)  connect B.heat -- body.a
    connect B.p -- I.p  connect B.n -- I.n -- electrical.ground)",
                            10);
  EXPECT_LT(
      run.Error("body.T",
                [](double t) { return 300 + 100 * (0.2 * t + 0.08 * (t - 4 * Rise(t, 2) + Rise(t, 1))); }),
      kFine);
  EXPECT_LT(run.Error("B.e.v", [](double t) { return 4.1 - 0.024 * t - 0.04 * Rise(t, 2); }), kFine);
}

// --- Sensors ----------------------------------------------------------------------------------------------

// The RC of Ground: v = V (1 - exp(-t/tau)).
TEST(DynamicElectrical, VoltageSensor) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 10 V)  R : Resistor(R = 2 ohm)  C : Capacitor(C = 0.5 F)
    m : VoltageSensor  connect V.p -- R.p -- m.p  connect R.n -- C.p -- m.n  connect V.n -- C.n -- electrical.ground)",
                            5);
  EXPECT_LT(run.Error("m.y", [](double t) { return 10 * exp(-t); }), kFine);
}

// The RC of Ground: i = V/R exp(-t/tau).
TEST(DynamicElectrical, CurrentSensor) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 10 V)  R : Resistor(R = 2 ohm)  C : Capacitor(C = 0.5 F)
    m : CurrentSensor  connect V.p -- R.p  connect R.n -- m.p  connect m.n -- C.p  connect V.n -- C.n -- electrical.ground)",
                            5);
  EXPECT_LT(run.Error("m.y", [](double t) { return 5 * exp(-t); }), kFine);
}

// The RC of Ground: the capacitor takes V^2/R exp(-t/tau) (1 - exp(-t/tau)).
TEST(DynamicElectrical, Wattmeter) {
  const RunOf run = RunBody(R"(V : VoltageSource(V = 10 V)  R : Resistor(R = 2 ohm)  C : Capacitor(C = 0.5 F)
    m : Wattmeter  connect V.p -- m.pc  connect m.nc -- R.p  connect R.n -- C.p -- m.pv
    connect V.n -- C.n -- m.nv -- electrical.ground)",
                            5);
  EXPECT_LT(run.Error("m.y", [](double t) { return 50 * exp(-t) * Rise(t, 1); }), kFine);
}

// --- Coverage ---------------------------------------------------------------------------------------------

/// The classes that a test's text has instances of, as "Class" or "package.Class", and each also with its
/// model if the text names one: "Class as model". Comments do not count.
std::set<std::string> InstancesIn(const std::string& source) {
  const std::string text = std::regex_replace(source, std::regex("//[^\n]*"), "");
  const std::regex use(R"(: *(([a-z_]+\.)?([A-Z][A-Za-z0-9_]*)))"), as(R"(\s+as\s+([a-z_]+))");
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), use), end; it != end; ++it) {
    size_t at = static_cast<size_t>(it->position() + it->length());
    int open = 0;
    for (; at < text.size() && (open > 0 || text[at] == '(' || text[at] == '['); ++at) {
      if (text[at] == '(' || text[at] == '[') ++open;
      if (text[at] == ')' || text[at] == ']') --open;
    }
    std::smatch model;
    const std::string rest = text.substr(at, 60);
    const bool named = std::regex_search(rest, model, as, std::regex_constants::match_continuous);
    for (const std::string& name : {(*it)[1].str(), (*it)[3].str()}) {
      found.insert(name);
      if (named) found.insert(name + " as " + model[1].str());
    }
  }
  return found;
}

TEST(DynamicCoverage, InstancesAreFoundInTests) {
  EXPECT_EQ(InstancesIn(
                "a : Resistor(R = f(1)) b : thermal.Wall[3](k = [1]) as thick\n // c : Diode\n d : Ground)"),
            (std::set<std::string>{"Resistor", "Wall", "thermal.Wall", "Wall as thick",
                                   "thermal.Wall as thick", "Ground"}));
}

/// The classes of some packages, "package.Class"; where a class has models, each of them, "package.Class as
/// model".
std::set<std::string> ClassesAndModels(const std::set<std::string>& packages) {
  std::set<std::string> names;
  const auto loaded = LoadRepositoryLibrary();
  for (size_t i = 0; i < loaded->declarations->size(); ++i) {
    const Declaration declaration = (*loaded->declarations)[DeclarationId(i)];
    if (declaration.kind != NodeKind::kComponent && declaration.kind != NodeKind::kSoftware) continue;
    const std::string package = loaded->model.Text(declaration.package);
    if (!packages.contains(package)) continue;
    const std::string name = package + "." + std::string(loaded->model.Text(declaration.name));
    const SyntaxTree& tree = loaded->declarations->TreeOf(DeclarationId(i));
    bool models = false;
    for (const NodeId child : tree.Children((*loaded->declarations)[DeclarationId(i)].node)) {
      if (tree.kind(child) != NodeKind::kModel) continue;
      names.insert(name + " as " + std::string(tree.Name(child)));
      models = true;
    }
    if (!models) names.insert(name);
  }
  return names;
}

TEST(DynamicCoverage, ElectricalHydraulicThermal) {
  std::set<std::string> used;
  for (const fs::path& path : FilesBelow("tests/library", ".cc")) {
    const std::string name = path.filename().string();
    if (name.starts_with("dynamic_") && name.ends_with("_test.cc")) used.merge(InstancesIn(ReadText(path)));
  }
  for (const fs::path& path : FilesBelow("tests/events", ".cc")) used.merge(InstancesIn(ReadText(path)));
  const std::set<std::string> names = ClassesAndModels({"electrical", "hydraulic", "thermal"});
  EXPECT_GE(names.size(), 100U);
  for (const std::string& name : names)
    EXPECT_TRUE(used.contains(name) || used.contains(name.substr(name.find('.') + 1)))
        << name << " is never run";
}

}  // namespace
}  // namespace cotree::test
