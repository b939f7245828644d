// SPDX-License-Identifier: Apache-2.0
// Operating points.
#include "simulation/trim.h"

#include <gtest/gtest.h>

#include "run_support.h"

namespace cotree::test {
namespace {

// A pendulum that begins next to horizontal: the linear model there leads many turns away.
TEST(Trim, AnAngleDoesNotLeapOverWholeTurns) {
  const double pi = std::acos(-1.0);
  for (const double degrees : {80.0, 89.0, 91.0, 95.0, 100.0, 265.0, 275.0}) {
    RunOf model(
        "component Weight { terminal a, b : rotational  edge e : a -> b  equation e.tau = 10 N*m*sin(e.phi) "
        "}\n"
        "system S { w : Weight  j : Inertia(J = 1 kg*m^2, start phi = " +
        std::to_string(degrees) +
        " deg)  d : RotationalDamper(d = 1 N*m*s/rad)\n"
        "  connect w.a -- j.a -- d.a  connect w.b -- d.b -- rotational.ground }\n");
    const Program& program = *model.translation->program;
    ProgramRun run(program);
    const uint32_t phi =
        model.translation->sorted->Slot(FindVariable(*model.translation->equations, *model.names, "j.phi"));
    const double begin = run.values[phi] = degrees * pi / 180;
    const Trim trim = FindTrim(run, program, {});
    ASSERT_TRUE(trim.ok) << degrees;
    EXPECT_NEAR(std::sin(run.values[phi]), 0, 1e-9) << degrees;
    EXPECT_LT(std::fabs(run.values[phi] - begin), pi) << degrees;
  }
}

}  // namespace
}  // namespace cotree::test
