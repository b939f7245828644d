// SPDX-License-Identifier: Apache-2.0
// IDA in residual form against BDF, which solves the blocks in each evaluation: the same motion.
#include <gtest/gtest.h>

#include "diode_grid.h"
#include "run_support.h"

namespace cotree::test {
namespace {

constexpr double kRtol = 1e-6;

// The largest difference of two runs at equal times, relative to the largest value of the same variable,
// where that is above a millionth of the largest of all.
double Difference(const Trajectory& a, const Trajectory& b) {
  EXPECT_EQ(a.times.size(), b.times.size());
  double worst = 0, all = 0;
  for (const auto& column : a.columns)
    for (const double x : column) all = std::max(all, std::fabs(x));
  for (size_t c = 0; c < a.columns.size(); ++c) {
    double scale = 1e-6 * all, apart = 0;
    for (size_t k = 0; k < std::min(a.times.size(), b.times.size()); ++k) {
      scale = std::max(scale, std::fabs(a.columns[c][k]));
      apart = std::max(apart, std::fabs(a.columns[c][k] - b.columns[c][k]));
    }
    worst = std::max(worst, apart / scale);
  }
  return worst;
}

std::vector<uint32_t> Slots(const RunOf& run) {
  return run.translation->program->state_slots;
}

TEST(ResidualForm, GridOfDiodesIsThatOfCvode) {
  const size_t n = std::getenv("COTREE_LONG") != nullptr ? 60 : 20;
  const RunOf run(DiodeGrid(n));
  SimulationOptions options;
  options.stop = 0.01;
  options.rtol = kRtol;
  options.interval = 1e-4;
  options.method = Method::kBdf;
  const Trajectory bdf = Simulate(*run.translation->program, run.translation->starts, options, Slots(run));
  options.method = Method::kAutomatic;
  const Trajectory ida = Simulate(*run.translation->program, run.translation->starts, options, Slots(run));
  ASSERT_TRUE(bdf.ok) << bdf.problem;
  ASSERT_TRUE(ida.ok) << ida.problem;
  EXPECT_EQ(ida.method.rfind("IDA in residual form: a nonlinear block of ", 0), 0u) << ida.method;
  const double difference = Difference(bdf, ida);
  EXPECT_LE(difference, 100 * kRtol);
  std::printf("grid %zux%zu: %s; apart %.1e; steps %lu and %lu\n", n, n, ida.method.c_str(), difference,
              bdf.steps, ida.steps);
}

// Events of conditions on the motion are located by the same means: the same times.
TEST(ResidualForm, EventsOfABridgeRectifier) {
  const std::string text = R"(system S {
    source : SineVoltageSource(amplitude = 10 V, frequency = 50 Hz)   feed : Resistor(R = 1 ohm)
    d : IdealDiode[4](Ron = 10 mohm, Goff = 1e-5 S)   c : Capacitor(C = 1 mF)   load : Diode(Is = 1e-3 A, Vt = 1 V)
    connect source.p -- feed.p
    connect feed.n -- d[1].p -- d[3].n
    connect source.n -- d[2].p -- d[4].n -- electrical.ground
    connect d[1].n -- d[2].n -- c.p -- load.p
    connect d[3].p -- d[4].p -- c.n -- load.n
  })";
  RunOf bdf(text), ida(text);
  bdf.Simulate(0.1, 1e-7, Method::kBdf);
  ida.Simulate(0.1, 1e-7, Method::kIda);
  ASSERT_EQ(bdf.trajectory.event_times.size(), ida.trajectory.event_times.size());
  EXPECT_GE(bdf.trajectory.event_times.size(), 10u);
  for (size_t k = 0; k < bdf.trajectory.event_times.size(); ++k)
    EXPECT_NEAR(bdf.trajectory.event_times[k], ida.trajectory.event_times[k], 1e-6);
  EXPECT_NEAR(bdf.End("c.v"), ida.End("c.v"), 100 * 1e-7 * 10);
}

// By hand: 5 V*(1 - exp(-t/RC)), with no block to open.
TEST(ResidualForm, WithoutBlocksItIsPlainBdf) {
  RunOf run(R"(system S { v : VoltageSource(V = 5 V)  r : Resistor(R = 1 kohm)  c : Capacitor(C = 1 uF)
    connect v.p -- r.p  connect r.n -- c.p  connect c.n -- v.n -- electrical.ground })");
  run.Simulate(5e-3, 1e-8, Method::kIda);
  EXPECT_LT(run.Error("c.v", [](double t) { return 5 * (1 - std::exp(-t / 1e-3)); }), 1e-6);
}

// What stands at zero at first tells no size, and a Zener diode turns sharply.
TEST(ResidualForm, SharpDiodesFromRestAreThatOfBdf) {
  const char* const circuits[] = {
      R"(system Clamp { s : SineVoltageSource(amplitude = 20 V, frequency = 50 Hz)  r : Resistor(R = 50 ohm)
         z1, z2 : ZenerDiode  load : Resistor(R = 1 kohm)  l : Inductor(L = 1 mH)
         connect s.p -- r.p  connect r.n -- z1.n -- l.p  connect l.n -- load.p  connect z1.p -- z2.p
         connect s.n -- z2.n -- load.n -- electrical.ground })",
      R"(system Rectifier { s : SineVoltageSource(amplitude = 12 V, frequency = 50 Hz)  d1, d2, d3, d4 : Diode
         load : Resistor(R = 100 ohm)  l : Inductor(L = 10 mH)  r : Resistor(R = 1 ohm)
         connect s.p -- r.p  connect r.n -- d1.p -- d3.n  connect s.n -- d2.p -- d4.n
         connect d1.n -- d2.n -- l.p  connect l.n -- load.p
         connect d3.p -- d4.p -- load.n -- electrical.ground })",
      R"(system Regulator { s : SineVoltageSource(amplitude = 15 V, frequency = 50 Hz)  r : Resistor(R = 220 ohm)
         z : ZenerDiode(Vz = 5.1 V)  d : Diode  c : Capacitor(C = 10 uF)  load : Resistor(R = 2 kohm)
         connect s.p -- r.p  connect r.n -- z.n -- d.p  connect d.n -- c.p -- load.p
         connect s.n -- z.p -- c.n -- load.n -- electrical.ground })"};
  const char* const curves[] = {"load.v", "l.i", "c.v"};
  for (size_t k = 0; k < std::size(circuits); ++k) {
    RunOf bdf(circuits[k]), ida(circuits[k]);
    bdf.Simulate(0.04, 1e-9, Method::kBdf, 1e-4);
    ida.Simulate(0.04, 1e-6, Method::kIda, 1e-4);
    EXPECT_EQ(ida.trajectory.method.find("BDF"), std::string::npos) << ida.trajectory.method;
    double worst = 0, largest = 0;
    const auto &a = bdf[curves[k]], &b = ida[curves[k]];
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      worst = std::max(worst, std::fabs(a[i] - b[i]));
      largest = std::max(largest, std::fabs(a[i]));
    }
    EXPECT_LE(worst, 100 * 1e-6 * largest) << k;
  }
}

// A matrix that is singular in all unknowns together: each block can be solved by itself.
TEST(ResidualForm, WhatIsStuckGoesOnByBdfAndSaysSo) {
  RunOf run(R"(system Hoist { push : Ramp(slope = 4 N*m/s, duration = 5 s)  torque : SignalTorqueSource
    motor : Inertia(J = 0.5 kg*m^2)  gear : LossyGear(ratio = 3, efficiency = 0.8)
    bearing : RotationalFriction(tau_coulomb = 1 N*m)  drum : Inertia(J = 2 kg*m^2)
    connect push.y -> torque.u  connect torque.b -- motor.a -- gear.a -- bearing.a  connect gear.b -- drum.a
    connect torque.a -- bearing.b -- rotational.ground })");
  run.Simulate(2, 1e-6, Method::kIda);
  EXPECT_NE(run.trajectory.method.find("BDF from "), std::string::npos) << run.trajectory.method;
  EXPECT_NEAR(run.End("motor.w"), 7.875, 1e-4);
}

}  // namespace
}  // namespace cotree::test
