// SPDX-License-Identifier: Apache-2.0
// What holds one thing twice shares the load: equations that say the same in one mode.
#include <gtest/gtest.h>

#include "run_support.h"

namespace cotree::test {
namespace {

// A brake and a bearing hold one disc: the torque is shared; when the brake lets go, the bearing alone holds
// less than the torque, and the disc starts: alpha = (3 - 1)/2 rad/s^2 from t = 1 s on.
TEST(SharedLoads, BrakeAndBearingOnOneShaft) {
  RunOf run(R"(system S {
    disc : Inertia(J = 2 kg*m^2)   brake : Brake(radius = 0.1 m, mu = 0.5, surfaces = 2)
    bearing : RotationalFriction(tau_coulomb = 1 N*m)   drive : TorqueSource(torque = 3 N*m)
    press : Step(height = -100 N, start = 1 s, offset = 100 N)
    connect press.y -> brake.u
    connect drive.b -- disc.a -- brake.shaft -- bearing.a
    connect drive.a -- brake.housing -- bearing.b -- rotational.ground })");
  run.Simulate(3);
  for (size_t k = 0; k < run.times().size(); ++k) {
    const double t = run.times()[k];
    EXPECT_NEAR(run["disc.w"][k], t < 1 ? 0 : t - 1, 1e-5) << t;
  }
}

// What comes to rest together, bears a load together or reverses together; by hand.
TEST(SharedLoads, WhatIsAtRestIsDecidedTogether) {
  struct Case {
    const char* name;
    const char* system;
    double stop;
    double (*speed)(double t);
  };
  const Case cases[] = {
      // Both bearings stop the disc: alpha = -2 rad/s^2 until 0.5 s.
      {"two bearings that come to rest together",
       R"(system S { disc : Inertia(J = 1 kg*m^2, start w = 1 rad/s fixed)
       f, g : RotationalFriction(tau_coulomb = 1 N*m)
       connect disc.a -- f.a -- g.a  connect f.b -- g.b -- rotational.ground })",
       1, [](double t) { return t < 0.5 ? 1 - 2 * t : 0.0; }},
      // Equal shares would let the weak one go at 2 N*m; together they hold 4 N*m, which are reached at 2 s.
      {"a weak and a strong bearing hold what both can",
       R"(system S { disc : Inertia(J = 1 kg*m^2)
       weak : RotationalFriction(tau_coulomb = 1 N*m)  strong : RotationalFriction(tau_coulomb = 3 N*m)
       drive : SignalTorqueSource  u : Ramp(slope = 2 N*m/s, duration = 0 s)
       connect u.y -> drive.u  connect drive.b -- disc.a -- weak.a -- strong.a
       connect drive.a -- weak.b -- strong.b -- rotational.ground })",
       3, [](double t) { return t < 2 ? 0 : (t - 2) * (t - 2); }},
      // Seen from a, k is 0.25 kg*m^2. Slowing down, it drives: alpha = -3/(1 + 0.5*0.25) up to 0.375 s. Then
      // it
      // is driven: alpha = (-2 + 1)/(1 + 0.25/0.5).
      {"a lossy gear and a bearing on one shaft reverse",
       R"(system S { disc : Inertia(J = 1 kg*m^2, start w = 1 rad/s fixed)  k : Inertia(J = 1 kg*m^2)
       g : LossyGear(ratio = 2, efficiency = 0.5)  f : RotationalFriction(tau_coulomb = 1 N*m)
       t : TorqueSource(torque = -2 N*m)
       connect t.b -- disc.a -- g.a -- f.a  connect g.b -- k.a  connect f.b -- t.a -- rotational.ground })",
       2, [](double t) { return t < 0.375 ? 1 - t / 0.375 : -(t - 0.375) * 2 / 3; }},
      // Static limits of 2 and 1 N*m, half of that when they slide: what is at its limit still bears all of it.
      {"two brakes hold what their static limits add up to",
       R"(system S { disc : Inertia(J = 1 kg*m^2)
       f, g : Brake(radius = 1 m, mu = 0.5, mu_static = 1, surfaces = 1)
       m : Constant(k = 2 N)  n : Constant(k = 1 N)  connect m.y -> f.u  connect n.y -> g.u
       drive : SignalTorqueSource  u : Ramp(slope = 1 N*m/s, duration = 0 s)
       connect u.y -> drive.u  connect drive.b -- disc.a -- f.shaft -- g.shaft
       connect drive.a -- f.housing -- g.housing -- rotational.ground })",
       5, [](double t) { return t < 3 ? 0 : (t * t - 9) / 2 - 1.5 * (t - 3); }},
      // The brake behind the clutch bears up to the clutch's limit; when the disc starts, the clutch slides.
      {"a brake, and another behind a clutch",
       R"(system S { disc, other : Inertia(J = 1 kg*m^2)
       f, g : Brake(radius = 1 m, mu = 0.5, mu_static = 1, surfaces = 1)
       h : Clutch(radius = 1 m, mu = 0.5, mu_static = 1, surfaces = 1)
       m : Constant(k = 2 N)  n : Constant(k = 1 N)  connect m.y -> f.u  connect n.y -> g.u  connect n.y -> h.u
       drive : SignalTorqueSource  u : Ramp(slope = 1 N*m/s, duration = 0 s)
       connect u.y -> drive.u  connect drive.b -- disc.a -- f.shaft -- h.a  connect h.b -- other.a -- g.shaft
       connect drive.a -- f.housing -- g.housing -- rotational.ground })",
       5, [](double t) { return t < 3 ? 0 : (t * t - 9) / 2 - 1.5 * (t - 3); }},
      // There and back, each at its limit at times, and never all of them.
      {"three brakes hold an alternating load",
       R"(system S { disc : Inertia(J = 1 kg*m^2)
       f, g, h : Brake(radius = 1 m, mu = 0.5, mu_static = 1, surfaces = 1)
       l : Constant(k = 0.5 N)  m : Constant(k = 2 N)  n : Constant(k = 1 N)
       connect l.y -> f.u  connect m.y -> g.u  connect n.y -> h.u
       drive : SignalTorqueSource  u : Sine(amplitude = 3.4 N*m, frequency = 0.5 Hz)
       connect u.y -> drive.u  connect drive.b -- disc.a -- f.shaft -- g.shaft -- h.shaft
       connect drive.a -- f.housing -- g.housing -- h.housing -- rotational.ground })",
       6, [](double) { return 0.0; }},
  };
  for (const Case& c : cases) {
    RunOf run(c.system);
    run.Simulate(c.stop, 1e-8);
    for (size_t k = 0; k < run.times().size(); ++k)
      EXPECT_NEAR(run["disc.w"][k], c.speed(run.times()[k]), 1e-6) << c.name << " at " << run.times()[k];
  }
}

}  // namespace
}  // namespace cotree::test
