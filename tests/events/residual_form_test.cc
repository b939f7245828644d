// SPDX-License-Identifier: Apache-2.0
// IDA in residual form against CVODE, which solves the blocks in each evaluation: the same motion.
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

}  // namespace
}  // namespace cotree::test
