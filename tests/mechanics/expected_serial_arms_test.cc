// SPDX-License-Identifier: Apache-2.0
// Serial arms against tests/models/expected/serial_arms.json.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "expected_support.h"

namespace cotree::test {
namespace {

std::vector<std::string> JointsOf(const Json& arm) {
  std::vector<std::string> names;
  for (size_t k = 1; k <= arm.at("joints").size(); ++k) names.push_back("j" + std::to_string(k));
  return names;
}

// Without the closing bracket.
std::string SerialArm(const Json& arm) {
  std::string text = "system Serial {\n  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n",
              before = "mechanics.ground";
  size_t number = 0;
  for (const Json& joint : arm.at("joints")) {
    const std::string k = std::to_string(++number);
    const bool turns = joint.at("type") == "R";
    text += "  mount" + k + " : Arm(r = " + List(joint.at("xyz"), "m") +
            ", rpy = " + List(joint.at("rpy"), "rad") + ")\n  j" + k +
            (turns ? " : Revolute" : " : Prismatic") + "(n = [0, 0, 1])\n  link" + k +
            " : Body(m = " + Number(joint.at("mass")) + " kg, center = " + List(joint.at("com"), "m") +
            ", I = " + List(joint.at("inertia_xx_yy_zz_xy_xz_yz"), "kg*m^2") + ")\n  connect " + before +
            " -- mount" + k + ".a\n  connect mount" + k + ".b -- j" + k + ".a\n  connect j" + k +
            ".b -- link" + k + ".a\n";
    before = "link" + k + ".a";
  }
  return text;
}

bool OnlyTurns(const Json& arm) {
  for (const Json& joint : arm.at("joints")) {
    if (joint.at("type") != "R") return false;
  }
  return true;
}

TEST(Expected, SerialArmsInverse) {
  const Json file = Expected("serial_arms");
  const double tolerance = file.at("tolerance").at("tau_abs");
  for (const Json& arm : file.at("expected").at("arms")) {
    SCOPED_TRACE(arm.at("name").get<std::string>());
    ASSERT_TRUE(OnlyTurns(arm)) << "SetAngles is for revolute joints";
    MotionProbe probe(SerialArm(arm) + "}\n");
    const std::vector<std::string> joints = JointsOf(arm);
    const std::vector<double> zero(joints.size(), 0);
    ASSERT_EQ(probe.motion.freedoms.size(), joints.size());
    ASSERT_EQ(probe.motion.degrees, joints.size());
    for (size_t k = 0; k < joints.size(); ++k) ASSERT_EQ(probe.NameOf(k), joints[k]);
    double worst = 0;
    const auto compare = [&](double ours, double theirs, const std::string& what) {
      worst = std::max(worst, std::fabs(ours - theirs));
      EXPECT_NEAR(ours, theirs, tolerance) << what;
    };
    for (const Json& point : arm.at("points")) {
      const std::vector<double> q = point.at("q"), qd = point.at("qd"), qdd = point.at("qdd");
      SetAngles(probe, joints, q, zero, zero);
      for (size_t k = 0; k < joints.size(); ++k)
        compare(Torque(probe, joints[k], 0), point.at("gravity").at(k), "gravity on " + joints[k]);
      SetAngles(probe, joints, q, qd, zero);
      for (size_t k = 0; k < joints.size(); ++k)
        compare(Torque(probe, joints[k], 0) - point.at("gravity").at(k).get<double>(),
                point.at("coriolis").at(k), "coriolis on " + joints[k]);
      SetAngles(probe, joints, q, qd, qdd);
      for (size_t k = 0; k < joints.size(); ++k)
        compare(Torque(probe, joints[k], qdd[k]), point.at("tau").at(k), "torque of " + joints[k]);
      const auto mass = MassMatrix(probe);
      for (size_t i = 0; i < joints.size(); ++i) {
        for (size_t k = 0; k < joints.size(); ++k)
          compare(mass[i][k], point.at("M").at(i).at(k), "M " + std::to_string(i) + std::to_string(k));
      }
    }
    const Json& trajectory = arm.at("trajectory");
    const std::vector<double> amplitude = trajectory.at("amplitude"), frequency = trajectory.at("frequency");
    for (size_t row = 0; row < trajectory.at("t").size(); ++row) {
      const double t = trajectory.at("t").at(row);
      std::vector<double> q, qd, qdd;
      for (size_t k = 0; k < joints.size(); ++k) {
        const double w = frequency[k];
        q.push_back(amplitude[k] * std::sin(w * t));
        qd.push_back(amplitude[k] * w * std::cos(w * t));
        qdd.push_back(-w * w * q.back());
      }
      SetAngles(probe, joints, q, qd, qdd);
      for (size_t k = 0; k < joints.size(); ++k)
        compare(Torque(probe, joints[k], qdd[k]), trajectory.at("tau").at(row).at(k),
                "torque of " + joints[k] + " at " + Number(t));
    }
    std::printf("%s: %.2g\n", arm.at("name").get<std::string>().c_str(), worst);
  }
}

// The same as a run: the angles are driven, and the joints tell what that takes.
TEST(Expected, SerialArmsDriven) {
  const Json file = Expected("serial_arms");
  const double tolerance = file.at("tolerance").at("tau_abs");
  for (const Json& arm : file.at("expected").at("arms")) {
    const Json& trajectory = arm.at("trajectory");
    const std::vector<std::string> joints = JointsOf(arm);
    std::string text =
        "component Swing {\n"
        "  terminal a, b : rotational\n"
        "  parameter A : Angle\n"
        "  parameter w : AngularVelocity\n"
        "  edge e : a -> b\n"
        "  equation e.phi = A*sin(w*time)\n"
        "}\n" +
        SerialArm(arm);
    for (size_t k = 0; k < joints.size(); ++k) {
      const std::string name = "swing" + std::to_string(k + 1);
      text += "  " + name + " : Swing(A = " + Number(trajectory.at("amplitude").at(k)) +
              " rad, w = " + Number(trajectory.at("frequency").at(k)) + " rad/s)\n  connect " + name +
              ".a -- " + joints[k] + ".axis\n  connect " + name + ".b -- rotational.ground\n";
    }
    for (const MotionForm form : {MotionForm::kMassMatrix, MotionForm::kRecursive}) {
      SCOPED_TRACE(form == MotionForm::kRecursive ? "recursive" : "mass matrix");
      TranslateOptions options;
      options.motion_form = form;
      RunOf run(text + "}\n", options);
      run.Simulate(2, 1e-8, Method::kAutomatic, 0.05);
      ExpectTimes(run, trajectory.at("t"));
      for (size_t k = 0; k < joints.size(); ++k)
        EXPECT_LE(Difference(run[joints[k] + ".drive"], Column(trajectory.at("tau"), k)), tolerance)
            << joints[k];
    }
  }
}

TEST(Expected, SerialArmsFall) {
  const Json file = Expected("serial_arms");
  const double tolerance = file.at("tolerance").at("free_fall_abs");
  for (const Json& arm : file.at("expected").at("arms")) {
    const Json& fall = arm.at("free_fall");
    const std::vector<std::string> joints = JointsOf(arm);
    std::string text = SerialArm(arm);
    for (size_t k = 0; k < joints.size(); ++k)
      text += FixedStart(joints[k] + ".phi", fall.at("q0").at(k), "rad") +
              FixedStart(joints[k] + ".w", 0, "rad/s");
    for (const MotionForm form : {MotionForm::kMassMatrix, MotionForm::kRecursive}) {
      SCOPED_TRACE(form == MotionForm::kRecursive ? "recursive" : "mass matrix");
      TranslateOptions options;
      options.motion_form = form;
      RunOf run(text + "}\n", options);
      run.Simulate(fall.at("t").back(), 1e-11, Method::kAutomatic, 0.02);
      ExpectTimes(run, fall.at("t"));
      for (size_t k = 0; k < joints.size(); ++k) {
        EXPECT_LE(Difference(run[joints[k] + ".phi"], Column(fall.at("y"), k)), tolerance) << joints[k];
        EXPECT_LE(Difference(run[joints[k] + ".w"], Column(fall.at("y"), joints.size() + k)), tolerance)
            << joints[k];
      }
    }
  }
}

}  // namespace
}  // namespace cotree::test
