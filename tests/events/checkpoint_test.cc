// SPDX-License-Identifier: Apache-2.0
// Runs that are interrupted and go on from a checkpoint give the same bits as those that were not.
#include <gtest/gtest.h>

#include <random>

#include "diode_grid.h"
#include "run_support.h"

namespace cotree::test {
namespace {

struct Rows {
  std::vector<double> times;
  std::vector<std::vector<double>> values;
  bool operator==(const Rows&) const = default;
};

struct LastCheckpoint {
  uint64_t rows = 0;
  std::string state;
};

/// Runs until `most_rows` are given, or to the end.
Rows Go(const RunOf& run, SimulationOptions options, const LastCheckpoint& from, size_t most_rows,
        LastCheckpoint* last, bool* finished) {
  Rows out;
  options.resume = from.state;
  options.row = [&](double time, std::span<const double> values) {
    if (out.times.size() >= most_rows) return false;
    out.times.push_back(time);
    out.values.emplace_back(values.begin(), values.end());
    return true;
  };
  options.checkpoint = [&](double, uint64_t rows, const std::string& state) { *last = {rows, state}; };
  const Trajectory t = Simulate(*run.translation->program, run.translation->starts, options);
  EXPECT_TRUE(t.ok) << t.problem;
  *finished = !t.stopped;
  return out;
}

void ExpectSameBits(const std::string& text, double stop, int trials, const std::vector<Method>& methods) {
  const RunOf run(text);
  std::mt19937 random(11);
  for (const Method method : methods) {
    SimulationOptions options;
    options.stop = stop;
    options.method = method;
    LastCheckpoint ignored;
    bool finished = false;
    const Rows whole = Go(run, options, {}, SIZE_MAX, &ignored, &finished);
    ASSERT_TRUE(finished);
    for (int trial = 0; trial < trials; ++trial) {
      LastCheckpoint last;
      Rows pieces;
      finished = false;
      for (int piece = 0; piece < 50 && !finished; ++piece) {
        const LastCheckpoint from = last;
        pieces.times.resize(from.rows);
        pieces.values.resize(from.rows);
        const size_t most = std::uniform_int_distribution<size_t>(1, whole.times.size())(random);
        const Rows rows = Go(run, options, from, most, &last, &finished);
        pieces.times.insert(pieces.times.end(), rows.times.begin(), rows.times.end());
        pieces.values.insert(pieces.values.end(), rows.values.begin(), rows.values.end());
      }
      EXPECT_TRUE(finished);
      size_t first = 0;
      while (first < std::min(whole.times.size(), pieces.times.size()) &&
             whole.times[first] == pieces.times[first] && whole.values[first] == pieces.values[first])
        ++first;
      EXPECT_TRUE(pieces == whole) << MethodName(method) << ": row " << first << " of " << whole.times.size()
                                   << ", " << pieces.times.size() << " at "
                                   << whole.times[std::min(first, whole.times.size() - 1)];
    }
  }
}

TEST(Checkpoints, DriveWithSampledControllerAndDelay) {
  ExpectSameBits(R"(system S {
    target : Step(height = 1 rad, start = 0.1 s)
    pid : SampledPID(kp = 4 V/rad, kd = 0.2 V*s/rad, ki = 1 V/(rad*s), period = 7 ms, limit = 12 V)
    late : TransportDelay(T = 3 ms)
    supply : SignalVoltageSource   motor : DCMotor(Kt = 0.05 N*m/A)   load : Inertia(J = 1e-3 kg*m^2)
    rub : RotationalFriction(tau_coulomb = 0.01 N*m)   angle : AngleSensor
    connect supply.p -- motor.p   connect supply.n -- motor.n -- electrical.ground
    connect motor.shaft -- load.a -- angle.a -- rub.a   connect rub.b -- motor.housing -- rotational.ground
    connect target.y -> pid.target   connect angle.y -> late.u   connect late.y -> pid.measured
    connect pid.y -> supply.u })",
                 1, 8, {Method::kAutomatic, Method::kBdf, Method::kExplicit, Method::kRungeKutta4});
}

TEST(Checkpoints, StiffRelay) {
  ExpectSameBits(R"(system S {
    relay : Relay(upper = 0.6, high = -1, low = 1)
    fast : FirstOrder(k = 1, T = 10 us)   plant : FirstOrder(k = 2, T = 0.5 s)
    connect relay.y -> fast.u   connect fast.y -> plant.u   connect plant.y -> relay.u })",
                 4, 8, {Method::kAutomatic, Method::kBdf, Method::kIda, Method::kImplicitEuler});
}

TEST(Checkpoints, GridInResidualForm) {
  ExpectSameBits(DiodeGrid(8), 0.01, 3, {Method::kIda});
}

TEST(Checkpoints, OneOfAnotherModelIsRefused) {
  const RunOf run("system S { a : FirstOrder(k = 1, T = 1 s)  u : Constant(k = 1)  connect u.y -> a.u }");
  SimulationOptions options;
  options.resume = "nonsense";
  const Trajectory t = Simulate(*run.translation->program, run.translation->starts, options);
  EXPECT_FALSE(t.ok);
  EXPECT_NE(t.problem.find("checkpoint"), std::string::npos);
}

}  // namespace
}  // namespace cotree::test
