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

}  // namespace
}  // namespace cotree::test
