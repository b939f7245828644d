// SPDX-License-Identifier: Apache-2.0
// A slider-crank against tests/models/expected/slider_crank.json.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "expected_support.h"

namespace cotree::test {
namespace {

std::vector<double> Times(std::vector<double> a, double factor) {
  for (double& v : a) v *= factor;
  return a;
}

// `sensors`: what goes through the joints is told.
std::string SliderCrank(const Json& inputs, bool sensors) {
  const Json& p = inputs.at("parameters");
  const double r = p.at("r"), l = p.at("l"), turn = inputs.at("slider_rotational_inertia_in_absolute_model");
  const double I1 = p.at("I1"), I2 = p.at("I2");
  const auto body = [&](const std::string& m, double centre, double inertia) {
    return "Body(m = " + Number(p.at(m)) + " kg, center = " + List({centre, 0, 0}, "m") +
           ", I = " + List({inertia / 2, inertia / 2, inertia, 0, 0, 0}, "kg*m^2") + ")\n";
  };
  std::string text =
      "system SliderCrank {\n  gravity : Gravity(g = " + List({0, -p.at("g").get<double>(), 0}, "m/s^2") +
      ")\n  crank : " + body("m1", r / 2, I1) + "  rod : " + body("m2", l / 2, I2) +
      "  piston : " + body("m3", 0, turn) + "  crank_arm : Arm(r = " + List({r, 0, 0}, "m") +
      ")\n  rod_arm : Arm(r = " + List({l, 0, 0}, "m") +
      ")\n  torque : TorqueSource(torque = " + Number(p.at("torque")) +
      " N*m)\n"
      "  crank_joint, pin1, pin2 : Revolute(n = [0, 0, 1])\n"
      "  guide : Prismatic(n = [1, 0, 0], d = " +
      Number(p.at("slider_damper")) +
      " N*s/m)\n"
      "  start pin1.phi = -0.4 rad\n"
      "  start guide.s = 0.39 m\n" +
      FixedStart("crank_joint.phi", inputs.at("initial").at("crank_angle"), "rad") +
      FixedStart("crank_joint.w", inputs.at("initial").at("crank_rate"), "rad/s") +
      "  connect torque.b -- crank_joint.axis\n"
      "  connect torque.a -- crank_joint.housing\n"
      "  connect crank_joint.b -- crank.a -- crank_arm.a\n"
      "  connect pin1.b -- rod.a -- rod_arm.a\n"
      "  connect pin2.b -- piston.a -- guide.b\n";
  const std::vector<std::array<std::string, 3>> joints = {{"mechanics.ground", "at_ground", "crank_joint.a"},
                                                          {"crank_arm.b", "at_pin", "pin1.a"},
                                                          {"rod_arm.b", "at_slider", "pin2.a"},
                                                          {"mechanics.ground", "at_guide", "guide.a"}};
  for (const auto& [from, sensor, to] : joints) {
    if (!sensors) {
      text += "  connect " + from + " -- " + to + "\n";
      continue;
    }
    text += "  " + sensor + " : ForceTorqueSensor\n  connect " + from + " -- " + sensor + ".a\n  connect " +
            sensor + ".b -- " + to + "\n";
  }
  return text + "}\n";
}

TEST(Expected, SliderCrank) {
  const Json file = Expected("slider_crank");
  const Json& expected = file.at("expected");
  const double tolerance = file.at("tolerance").at("abs");
  for (const bool sensors : {false, true}) {
    SCOPED_TRACE(sensors ? "with sensors" : "without sensors");
    RunOf run(SliderCrank(file.at("inputs"), sensors));
    EXPECT_EQ(run.translation->motion.degrees, expected.at("dof").get<uint32_t>());
    run.Simulate(file.at("inputs").at("t_end"), 1e-11, Method::kAutomatic, 0.01);
    ExpectTimes(run, expected.at("t"));
    const Json& slider = expected.at("slider_pos_vel_acc");
    EXPECT_LE(Difference(run["crank_joint.phi"], expected.at("crank_angle")), tolerance);
    EXPECT_LE(Difference(run["crank_joint.w"], expected.at("crank_rate")), tolerance);
    EXPECT_LE(Difference(run["guide.s"], Column(slider, 0)), tolerance);
    EXPECT_LE(Difference(run["guide.v"], Column(slider, 1)), tolerance);
    EXPECT_LE(Difference(run["guide.acc"], Column(slider, 2)), tolerance);
  }
}

// M a + Phi_q' lambda = Q: the force on the first body named is -lambda, on the second lambda.
TEST(Expected, SliderCrankForces) {
  const Json file = Expected("slider_crank");
  const Json& lambda = file.at("expected").at("multipliers");
  const double tolerance = file.at("tolerance").at("multipliers_abs");
  RunOf run(SliderCrank(file.at("inputs"), true));
  run.Simulate(file.at("inputs").at("t_end"), 1e-11, Method::kAutomatic, 0.01);
  EXPECT_LE(Difference(run["at_ground.force[1]"], Times(Column(lambda, 0), -1)), tolerance);
  EXPECT_LE(Difference(run["at_ground.force[2]"], Times(Column(lambda, 1), -1)), tolerance);
  EXPECT_LE(Difference(run["at_guide.force[2]"], Times(Column(lambda, 6), -1)), tolerance);
  // The sensors of the pins tell the force in axes of the crank, and of the rod.
  const std::vector<double> crank = run["crank_joint.phi"], rod = Plus(crank, run["pin1.phi"]);
  const auto in_world = [&](const std::string& sensor, const std::vector<double>& angle, bool along_x) {
    const auto &x = run[sensor + ".force[1]"], &y = run[sensor + ".force[2]"];
    std::vector<double> out;
    for (size_t k = 0; k < angle.size(); ++k)
      out.push_back(along_x ? std::cos(angle[k]) * x[k] - std::sin(angle[k]) * y[k]
                            : std::sin(angle[k]) * x[k] + std::cos(angle[k]) * y[k]);
    return out;
  };
  EXPECT_LE(Difference(in_world("at_pin", crank, true), Column(lambda, 2)), tolerance);
  EXPECT_LE(Difference(in_world("at_pin", crank, false), Column(lambda, 3)), tolerance);
  EXPECT_LE(Difference(in_world("at_slider", rod, true), Column(lambda, 4)), tolerance);
  EXPECT_LE(Difference(in_world("at_slider", rod, false), Column(lambda, 5)), tolerance);
}

}  // namespace
}  // namespace cotree::test
