// SPDX-License-Identifier: Apache-2.0
// A double pendulum against tests/models/expected/double_pendulum.json.
#include <gtest/gtest.h>

#include "expected_support.h"

namespace cotree::test {
namespace {

// The file has absolute angles. Inertias across the axis of a motion in one plane do not matter.
std::string DoublePendulum(const Json& inputs) {
  const Json& p = inputs.at("parameters");
  const std::vector<double> start = inputs.at("initial");
  const auto body = [&](const std::string& k) {
    const double inertia = p.at("I" + k);
    return "Body(m = " + Number(p.at("m" + k)) +
           " kg, center = " + List({0, -p.at("c" + k).get<double>(), 0}, "m") +
           ", I = " + List({inertia, 0, inertia, 0, 0, 0}, "kg*m^2") + ")\n";
  };
  return "system DoublePendulum {\n"
         "  gravity : Gravity(g = " +
         List({0, -p.at("g").get<double>(), 0}, "m/s^2") +
         ")\n"
         "  pivot  : ForceTorqueSensor\n"
         "  j1, j2 : Revolute(n = [0, 0, 1])\n"
         "  energy : MechanicalEnergySensor\n"
         "  b1 : " +
         body("1") + "  b2 : " + body("2") +
         "  arm : Arm(r = " + List({0, -p.at("l1").get<double>(), 0}, "m") +
         ")\n"
         "  connect mechanics.ground -- pivot.a\n"
         "  connect pivot.b -- j1.a\n"
         "  connect j1.b -- b1.a -- arm.a\n"
         "  connect arm.b -- j2.a\n"
         "  connect j2.b -- b2.a\n" +
         FixedStart("j1.phi", start[0], "rad") + FixedStart("j2.phi", start[1] - start[0], "rad") +
         FixedStart("j1.w", start[2], "rad/s") + FixedStart("j2.w", start[3] - start[2], "rad/s") + "}\n";
}

TEST(Expected, DoublePendulum) {
  const Json file = Expected("double_pendulum");
  const Json& expected = file.at("expected");
  const double tolerance = file.at("tolerance").at("abs");
  for (const MotionForm form : {MotionForm::kMassMatrix, MotionForm::kRecursive}) {
    SCOPED_TRACE(form == MotionForm::kRecursive ? "recursive" : "mass matrix");
    TranslateOptions options;
    options.motion_form = form;
    RunOf run(DoublePendulum(file.at("inputs")), options);
    EXPECT_EQ(run.translation->motion.degrees, 2u);
    run.Simulate(file.at("inputs").at("t_end"), 1e-11, Method::kAutomatic, 0.01);
    ExpectTimes(run, expected.at("t"));
    const Json& y = expected.at("y");
    EXPECT_LE(Difference(run["j1.phi"], Column(y, 0)), tolerance);
    EXPECT_LE(Difference(Plus(run["j1.phi"], run["j2.phi"]), Column(y, 1)), tolerance);
    EXPECT_LE(Difference(run["j1.w"], Column(y, 2)), tolerance);
    EXPECT_LE(Difference(Plus(run["j1.w"], run["j2.w"]), Column(y, 3)), tolerance);
    const Json& force = expected.at("force_on_link1_at_ground_pivot_xy");
    EXPECT_LE(Difference(run["pivot.force[1]"], Column(force, 0)), tolerance);
    EXPECT_LE(Difference(run["pivot.force[2]"], Column(force, 1)), tolerance);
    const std::vector<double> energy(run.times().size(), expected.at("energy"));
    EXPECT_LE(Difference(run["energy.total"], energy), tolerance);
  }
}

}  // namespace
}  // namespace cotree::test
