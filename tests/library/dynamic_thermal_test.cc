// SPDX-License-Identifier: Apache-2.0
// Package thermal in motion: each class in a small system, run and compared with its closed form.
#include "library/dynamic_bench.h"

namespace cotree::test {
namespace {

using std::atan;
using std::exp;
using std::log;
using std::pow;
using std::sin;

// --- Elements ---------------------------------------------------------------------------------------------

// Incropera & DeWitt, Fundamentals of Heat and Mass Transfer, §5.1: T = T_s + (T_0 - T_s) exp(-t/(C/G)).
TEST(DynamicThermal, HeatCapacity) {
  const RunOf run =
      RunBody(R"(body : HeatCapacity(C = 50 J/K, start T = 600 K fixed)  G : ThermalConductor(G = 5 W/K)
    around : TemperatureSource(temperature = 300 K)  connect body.a -- G.a  connect G.b -- around.a)",
              50);
  EXPECT_LT(run.Error("body.T", [](double t) { return 300 + 300 * exp(-t / 10); }), kFine);
  EXPECT_LT(run.Error("body.Q_flow", [](double t) { return -1500 * exp(-t / 10); }), kFine);
}

// By hand: two bodies meet at their mean, and the difference falls with G (1/C1 + 1/C2).
TEST(DynamicThermal, ThermalConductor) {
  const RunOf run =
      RunBody(R"(A : HeatCapacity(C = 20 J/K, start T = 700 K fixed)  G : ThermalConductor(G = 3 W/K)
    B : HeatCapacity(C = 60 J/K, start T = 300 K fixed)  connect A.a -- G.a  connect G.b -- B.a)",
              20);
  EXPECT_LT(run.Error("G.T", [](double t) { return 400 * exp(-t / 5); }), kFine);
  EXPECT_LT(run.Error("B.T", [](double t) { return 300 + 100 * Rise(t, 5); }), kFine);
}

// Incropera & DeWitt, §5.1: the time constant is R C.
TEST(DynamicThermal, ThermalResistor) {
  const RunOf run =
      RunBody(R"(body : HeatCapacity(C = 50 J/K, start T = 300 K fixed)  R : ThermalResistor(R = 0.4 K/W)
    oven : TemperatureSource(temperature = 500 K)  connect oven.a -- R.a  connect R.b -- body.a)",
              60);
  EXPECT_LT(run.Error("body.T", [](double t) { return 300 + 200 * Rise(t, 20); }), kFine);
  EXPECT_LT(run.Error("R.Q_flow", [](double t) { return 500 * exp(-t / 20); }), kFine);
}

// Incropera & DeWitt, §3.1.2: a plane layer has the resistance thickness/(k A), here 0.5 K/W.
TEST(DynamicThermal, WallConduction) {
  const RunOf run = RunBody(R"(W : WallConduction(conductivity = 0.8 W/(m*K), thickness = 20 cm, A = 0.5 m^2)
    body : HeatCapacity(C = 40 J/K, start T = 300 K fixed)  oven : TemperatureSource(temperature = 500 K)
    connect oven.a -- W.a  connect W.b -- body.a)",
                            60);
  EXPECT_LT(run.Error("body.T", [](double t) { return 300 + 200 * Rise(t, 20); }), kFine);
}

// Incropera & DeWitt, §3.3.1: the wall of a pipe has the resistance ln(r2/r1)/(2 pi k length).
TEST(DynamicThermal, CylinderConduction) {
  const RunOf run = RunBody(
      R"(W : CylinderConduction(conductivity = 0.5 W/(m*K), length = 2 m, r_inner = 1 cm, r_outer = 3 cm)
    body : HeatCapacity(C = 100 J/K, start T = 300 K fixed)  oven : TemperatureSource(temperature = 500 K)
    connect oven.a -- W.a  connect W.b -- body.a)",
      60);
  const double tau = 100 * log(3.0) / (2 * kPi * 0.5 * 2);
  EXPECT_LT(run.Error("body.T", [=](double t) { return 300 + 200 * Rise(t, tau); }), kFine);
}

// By hand: the middle goes to the mean of the surfaces with C/(4 G), where b stands at 300 K and a at 500 K.
TEST(DynamicThermal, ThermalMass) {
  const RunOf run = RunBody(R"(M : ThermalMass(C = 80 J/K, G = 2 W/K, start T = 300 K fixed)
    hot : TemperatureSource(temperature = 500 K)  cold : TemperatureSource(temperature = 300 K)
    connect hot.a -- M.a  connect cold.a -- M.b)",
                            40);
  EXPECT_LT(run.Error("M.T", [](double t) { return 300 + 100 * Rise(t, 10); }), kFine);
  EXPECT_LT(run.Error("M.at_a.Q_flow", [](double t) { return 800 - 400 * Rise(t, 10); }), kFine);
}

// Incropera & DeWitt, §5.1: T - T_s falls like exp(-h A t/C).
TEST(DynamicThermal, ConvectionConstant) {
  const RunOf run = RunBody(R"(K : Convection(A = 0.5 m^2, h = 20 W/(m^2*K)) as constant
    body : HeatCapacity(C = 100 J/K, start T = 600 K fixed)  air : TemperatureSource(temperature = 300 K)
    connect body.a -- K.a  connect K.b -- air.a)",
                            40);
  EXPECT_LT(run.Error("K.T", [](double t) { return 300 * exp(-t / 10); }), kFine);
}

// By hand: C T' = -(h0 + r t) A T of the difference T, so T = T0 exp(-A (h0 t + r t^2/2)/C).
TEST(DynamicThermal, ConvectionDriven) {
  const RunOf run = RunBody(
      R"(K : Convection(A = 0.5 m^2) as driven  u : Ramp(slope = 2 W/(m^2*K*s), offset = 20 W/(m^2*K))
    body : HeatCapacity(C = 100 J/K, start T = 600 K fixed)  air : TemperatureSource(temperature = 300 K)
    connect u.y -> K.u  connect body.a -- K.a  connect K.b -- air.a)",
      20);
  EXPECT_LT(run.Error("K.T", [](double t) { return 300 * exp(-t / 10 - t * t / 200); }), kFine);
}

// Incropera & DeWitt, ch. 5, "convection only with variable convection coefficient"; by hand: T' = -k
// T^(5/4), so T^(-1/4) = T0^(-1/4) + k t/4, where k = h A/(C dT^(1/4)).
TEST(DynamicThermal, ConvectionNatural) {
  const RunOf run = RunBody(R"(K : Convection(A = 0.5 m^2, h = 20 W/(m^2*K), dT = 16 K, dT_0 = 0 K) as natural
    body : HeatCapacity(C = 100 J/K, start T = 381 K fixed)  air : TemperatureSource(temperature = 300 K)
    connect body.a -- K.a  connect K.b -- air.a)",
                            60);
  EXPECT_LT(run.Error("K.T", [](double t) { return pow(1.0 / 3 + t / 80, -4); }), kFine);
}

// By hand: below dT_0 the coefficient is constant, up to (T/dT_0)^2/8.
TEST(DynamicThermal, ConvectionNaturalOfASmallDifference) {
  const RunOf run =
      RunBody(R"(K : Convection(A = 0.5 m^2, h = 20 W/(m^2*K), dT = 10 K, dT_0 = 1e6 K) as natural
    body : HeatCapacity(C = 100 J/K, start T = 600 K fixed)  air : TemperatureSource(temperature = 300 K)
    connect body.a -- K.a  connect K.b -- air.a)",
              60);
  EXPECT_LT(run.Error("K.T", [](double t) { return 300 * exp(-t / 10); }), kFine);
}

constexpr double kSigma = 5.670374419e-8;  // W/(m^2 K^4), CODATA 2018

// Incropera & DeWitt, ch. 5, "radiation only", to deep space: T^-3 = T0^-3 + 3 eps A sigma t/C.
TEST(DynamicThermal, Radiation) {
  const RunOf run =
      RunBody(R"(R : Radiation(A = 2 m^2, eps = 0.8)  space : TemperatureSource(temperature = 0 K)
    body : HeatCapacity(C = 100 J/K, start T = 1000 K fixed)  connect body.a -- R.a  connect R.b -- space.a)",
              10);
  const double k = 3 * 0.8 * 2 * kSigma / 100;
  EXPECT_LT(run.Error("body.T", [=](double t) { return pow(1e-9 + k * t, -1.0 / 3); }), kFine);
  EXPECT_LT(run.Error("space.Q_flow", [=](double t) { return 100 * k / 3 * pow(1e-9 + k * t, -4.0 / 3); }),
            kFine);
}

// Incropera & DeWitt, ch. 5, "radiation only", with warm surroundings: the time at which a temperature is
// reached.
TEST(DynamicThermal, RadiationToWarmSurroundings) {
  const RunOf run =
      RunBody(R"(R : Radiation(A = 2 m^2, eps = 0.8)  walls : TemperatureSource(temperature = 400 K)
    body : HeatCapacity(C = 100 J/K, start T = 1000 K fixed)  connect body.a -- R.a  connect R.b -- walls.a)",
              10);
  const auto f = [](double T) { return log((T + 400) / (T - 400)) + 2 * atan(T / 400); };
  const double scale = 100 / (4 * 0.8 * 2 * kSigma * pow(400, 3));
  for (size_t k = 0; k < run.times().size(); k += 50)
    EXPECT_NEAR(scale * (f(run["body.T"][k]) - f(1000)), run.times()[k], 1e-5) << k;
}

// By hand: at constant current the cold side follows C T' = -(S I + G) T + R I^2/2 + G T_hot, and the current
// meets the voltage R I + S (T_hot - T).
TEST(DynamicThermal, PeltierElement) {
  const RunOf run =
      RunBody(R"(P : PeltierElement(S = 50 mV/K, R = 2 ohm, G = 0.5 W/K)  I : CurrentSource(I = -4 A)
    body : HeatCapacity(C = 7 J/K, start T = 300 K fixed)  sink : TemperatureSource(temperature = 300 K)
    connect I.p -- P.p  connect I.n -- P.n -- electrical.ground  connect P.cold -- body.a  connect P.hot -- sink.a)",
              40);
  const double end = 166 / 0.7;
  EXPECT_LT(run.Error("body.T", [=](double t) { return 300 + (end - 300) * Rise(t, 10); }), kFine);
  EXPECT_LT(run.Error("P.e.v", [=](double t) { return 8 + 0.05 * (300 - end) * Rise(t, 10); }), kFine);
  EXPECT_LT(run.Error("sink.Q_flow", [=](double t) { return 76 - 0.5 * (300 - end) * Rise(t, 10); }), kFine);
}

// --- Sources ----------------------------------------------------------------------------------------------

// Incropera & DeWitt, §5.1, a body that is warmed by its surroundings at 100 degC.
TEST(DynamicThermal, TemperatureSource) {
  const RunOf run =
      RunBody(R"(around : TemperatureSource(temperature = 100 degC)  G : ThermalConductor(G = 5 W/K)
    body : HeatCapacity(C = 50 J/K, start T = 0 degC fixed)  connect around.a -- G.a  connect G.b -- body.a)",
              40);
  EXPECT_LT(run.Error("body.T", [](double t) { return 273.15 + 100 * Rise(t, 10); }), kFine);
  EXPECT_LT(run.Error("around.Q_flow", [](double t) { return -500 * exp(-t / 10); }), kFine);
}

// Incropera & DeWitt, ch. 5, "negligible radiation", heat that is generated and convection: T - T_s goes to
// Q/G.
TEST(DynamicThermal, HeatFlowSource) {
  const RunOf run = RunBody(
      R"(Q : HeatFlowSource(heat_flow = 1 kW)  body : HeatCapacity(C = 50 J/K, start T = 300 K fixed)
    G : ThermalConductor(G = 5 W/K)  around : TemperatureSource(temperature = 300 K)
    connect Q.a -- body.a -- G.a  connect G.b -- around.a)",
      40);
  EXPECT_LT(run.Error("body.T", [](double t) { return 300 + 200 * Rise(t, 10); }), kFine);
}

// By hand: a first-order lag of 10 s behind a ramp of 5 K/s.
TEST(DynamicThermal, SignalTemperatureSource) {
  const RunOf run =
      RunBody(R"(S : SignalTemperatureSource  u : Ramp(slope = 5 K/s, offset = 300 K)  connect u.y -> S.u
    G : ThermalConductor(G = 5 W/K)  body : HeatCapacity(C = 50 J/K, start T = 300 K fixed)
    connect S.a -- G.a  connect G.b -- body.a)",
              40);
  EXPECT_LT(run.Error("body.T", [](double t) { return 300 + 5 * LaggedRamp(t, 10); }), kFine);
}

// By hand: C T' = Q sin(w t), so T = T0 + Q/(C w) (1 - cos(w t)).
TEST(DynamicThermal, SignalHeatFlowSource) {
  const RunOf run = RunBody(
      R"(Q : SignalHeatFlowSource  u : Sine(amplitude = 2 kW, frequency = 0.1 Hz)  connect u.y -> Q.u
    body : HeatCapacity(C = 50 J/K, start T = 300 K fixed)  connect Q.a -- body.a)",
      12);
  const double w = 0.2 * kPi;
  EXPECT_LT(run.Error("body.T", [=](double t) { return 300 + 40 / w * (1 - std::cos(w * t)); }), kFine);
}

// --- Sensors ----------------------------------------------------------------------------------------------

// The body of HeatCapacity, seen by the three sensors: 300 K + 300 K exp(-t/10 s), its excess, and what it
// loses.
const char* const kCooling =
    R"(body : HeatCapacity(C = 50 J/K, start T = 600 K fixed)  G : ThermalConductor(G = 5 W/K)
    around : TemperatureSource(temperature = 300 K)  connect body.a -- G.a  )";

TEST(DynamicThermal, TemperatureSensor) {
  const RunOf run = RunBody(
      std::string(kCooling) + "m : TemperatureSensor  connect G.b -- around.a  connect m.a -- body.a", 50);
  EXPECT_LT(run.Error("m.y", [](double t) { return 300 + 300 * exp(-t / 10); }), kFine);
}

TEST(DynamicThermal, TemperatureDifferenceSensor) {
  const RunOf run =
      RunBody(std::string(kCooling) +
                  "m : TemperatureDifferenceSensor  connect G.b -- around.a -- m.b  connect m.a -- body.a",
              50);
  EXPECT_LT(run.Error("m.y", [](double t) { return 300 * exp(-t / 10); }), kFine);
}

TEST(DynamicThermal, HeatFlowSensor) {
  const RunOf run =
      RunBody(std::string(kCooling) + "m : HeatFlowSensor  connect G.b -- m.a  connect m.b -- around.a", 50);
  EXPECT_LT(run.Error("m.y", [](double t) { return 1500 * exp(-t / 10); }), kFine);
}

}  // namespace
}  // namespace cotree::test
