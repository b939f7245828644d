// SPDX-License-Identifier: Apache-2.0
// A robot with two links against tests/models/expected/two_link_robot.json.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "expected_support.h"

namespace cotree::test {
namespace {

std::string TwoLinks(const Json& p) {
  const auto number = [&](const char* name) { return p.at(name).get<double>(); };
  const auto body = [&](const std::string& m, double centre, const std::string& I) {
    const double inertia = p.at(I);
    return "Body(m = " + Number(p.at(m)) + " kg, center = " + List({centre, 0, 0}, "m") +
           ", I = " + List({inertia, inertia, inertia, 0, 0, 0}, "kg*m^2") + ")\n";
  };
  return "  gravity : Gravity(g = " + List({0, -number("g"), 0}, "m/s^2") +
         ")\n"
         "  j1, j2 : Revolute(n = [0, 0, 1])\n"
         "  link1 : " +
         body("m1", number("l3"), "I1") + "  link2 : " + body("m2", number("l5"), "I2") +
         "  reach : Arm(r = " + List({number("l3") + number("l4"), 0, 0}, "m") +
         ")\n"
         "  connect mechanics.ground -- j1.a\n"
         "  connect j1.b -- link1.a -- reach.a\n"
         "  connect reach.b -- j2.a\n"
         "  connect j2.b -- link2.a\n";
}

// The formulas of the file, written out; rotors and friction belong to the motors and are left out here.
TEST(Expected, TwoLinkRobotMatrices) {
  const Json file = Expected("two_link_robot");
  const Json& p = file.at("inputs").at("parameters");
  // The file says them in this form: if it ever says them in another, look again.
  ASSERT_EQ(file.at("expected").at("M").at(1).at(1), "I2 + J8 + l5**2*m2");
  const double m1 = p.at("m1"), m2 = p.at("m2"), g = p.at("g"), l3 = p.at("l3"), l4 = p.at("l4"),
               l5 = p.at("l5");
  const double I1 = p.at("I1"), I2 = p.at("I2");
  MotionProbe probe("system Robot {\n" + TwoLinks(p) + "}\n");
  std::mt19937 random(17);
  std::uniform_real_distribution<double> angle(-3.2, 3.2), rate(-4, 4);
  for (int trial = 0; trial < 50; ++trial) {
    const double q1 = angle(random), q2 = angle(random), w1 = rate(random), w2 = rate(random);
    SetAngles(probe, {"j1", "j2"}, {q1, q2}, {w1, w2}, {0, 0});
    const double c1 = std::cos(q1), c12 = std::cos(q1 + q2), c2 = std::cos(q2), s2 = std::sin(q2);
    const double across = I2 + (l3 + l4) * l5 * m2 * c2 + l5 * l5 * m2;
    const double M[2][2] = {{I1 + I2 + l3 * l3 * m1 + l3 * l3 * m2 + 2 * l3 * l4 * m2 +
                                 2 * l3 * l5 * m2 * c2 + l4 * l4 * m2 + 2 * l4 * l5 * m2 * c2 + l5 * l5 * m2,
                             across},
                            {across, I2 + l5 * l5 * m2}};
    const double Q[2] = {-g * l3 * m1 * c1 - g * l3 * m2 * c1 - g * l4 * m2 * c1 - g * l5 * m2 * c12 +
                             2 * l3 * l5 * m2 * w1 * w2 * s2 + l3 * l5 * m2 * w2 * w2 * s2 +
                             2 * l4 * l5 * m2 * w1 * w2 * s2 + l4 * l5 * m2 * w2 * w2 * s2,
                         -l5 * m2 * (g * c12 + l3 * w1 * w1 * s2 + l4 * w1 * w1 * s2)};
    const auto mass = MassMatrix(probe);
    ASSERT_EQ(mass.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(mass[i][k], M[i][k], 1e-13) << i << k;
      EXPECT_NEAR(Torque(probe, i == 0 ? "j1" : "j2", 0), -Q[i], 1e-11) << i;
    }
  }
}

std::string Robot(const Json& inputs, const std::string& motor_class) {
  const Json& p = inputs.at("parameters");
  std::string text = motor_class + "system Robot {\n" + TwoLinks(p);
  for (const std::string k : {"7", "8"}) {
    const std::string motor = "motor" + k, joint = k == "7" ? "j1" : "j2";
    const Json& gains = inputs.at("pd").at("gains").at(k);
    text += "  " + motor + " : Motor(R = " + Number(p.at("R" + k)) + " ohm, L = " + Number(p.at("L" + k)) +
            " H, C = " + Number(p.at("C" + k)) + " N*m/A, K = " + Number(p.at("K" + k)) +
            " V*s/rad, J = " + Number(p.at("J" + k)) + " kg*m^2, B = " + Number(p.at("B" + k)) +
            " N*m*s/rad, Kp = " + Number(gains.at("Kp")) + " V/rad, Kd = " + Number(gains.at("Kd")) +
            " V*s/rad)\n  connect " + motor + ".a -- " + joint + ".axis\n  connect " + motor + ".b -- " +
            joint + ".housing\n";
  }
  return text;
}

constexpr const char* kMotorMembers =
    "component Motor {\n"
    "  terminal a, b : rotational\n"
    "  parameter R : Resistance\n"
    "  parameter L : Inductance\n"
    "  parameter C : TorqueConstant\n"
    "  parameter K : BackEmfConstant\n"
    "  parameter J : MomentOfInertia\n"
    "  parameter B : RotationalDamping\n"
    "  parameter Kp : V/rad\n"
    "  parameter Kd : V*s/rad\n"
    "  parameter rate : AngularVelocity = 0.39269908169872414 rad/s \"pi/8\"\n"
    "  variable V : Voltage\n"
    "  variable I : Current\n"
    "  edge e : a -> b\n"
    "  equation\n"
    "    V = L*der(I) + R*I + K*e.w\n"
    "    e.tau = J*e.alpha + B*e.w - C*I\n";

TEST(Expected, TwoLinkRobotRun) {
  const Json file = Expected("two_link_robot");
  const Json& expected = file.at("expected");
  const double tolerance = file.at("tolerance").at("pd_forward_scaled");
  std::string text = Robot(file.at("inputs"), std::string(kMotorMembers) +
                                                  "    V = Kp*(rate*time - e.phi) + Kd*(rate - e.w)\n}\n");
  for (const std::string joint : {"j1", "j2"})
    text += FixedStart(joint + ".phi", 0, "rad") + FixedStart(joint + ".w", 0, "rad/s");
  for (const std::string motor : {"motor7", "motor8"}) text += FixedStart(motor + ".I", 0, "A");
  RunOf run(text + "}\n");
  run.Simulate(4, 1e-10, Method::kAutomatic, 0.02);
  ExpectTimes(run, expected.at("t"));
  const char* names[] = {"j1.phi", "j2.phi", "j1.w", "j2.w", "motor7.I", "motor8.I"};
  const Json& y = expected.at("pd_forward").at("y");
  for (size_t k = 0; k < 6; ++k) {
    const std::vector<double> theirs = Column(y, k);
    EXPECT_LE(Difference(run[names[k]], theirs), tolerance * Largest(theirs)) << names[k];
  }
}

// Both angles follow pi*t/8: the currents and voltages that this takes.
TEST(Expected, TwoLinkRobotCurrents) {
  const Json file = Expected("two_link_robot");
  const Json& expected = file.at("expected");
  const double tolerance = file.at("tolerance").at("currents_rel");
  RunOf run(Robot(file.at("inputs"), std::string(kMotorMembers) + "    e.phi = rate*time\n}\n") + "}\n");
  run.Simulate(4, 1e-8, Method::kAutomatic, 0.02);
  ExpectTimes(run, expected.at("t"));
  const auto compare = [&](const std::string& name, const std::string& samples) {
    const std::vector<double> theirs = expected.at(samples);
    EXPECT_LE(Difference(run[name], theirs), tolerance * Largest(theirs)) << name;
  };
  compare("motor7.I", "I7_samples");
  compare("motor8.I", "I8_samples");
  compare("motor7.V", "V7_samples");
  compare("motor8.V", "V8_samples");
}

}  // namespace
}  // namespace cotree::test
