// SPDX-License-Identifier: Apache-2.0
// What a motion in space keeps, and the two forms of its equations against each other.
#include <gtest/gtest.h>

#include "curves.h"
#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

// ---- Energy and momentum ---------------------------------------------------------------------------------

TEST(Conserved, SphericalPendulum) {
  RunOf run(
      "system SphericalPendulum {\n"
      "  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n"
      "  ball : Spherical\n"
      "  rod : Body(m = 1.3 kg, center = [0.1, 0, -0.6] m, I = [0.05, 0.06, 0.02, 0.001, 0.002, -0.003] "
      "kg*m^2)\n"
      "  energy : MechanicalEnergySensor\n"
      "  connect mechanics.ground -- ball.a\n"
      "  connect ball.b -- rod.a\n" +
      FixedStart("ball.Q[1]", 0.9, "") + FixedStart("ball.Q[2]", 0.4, "") +
      FixedStart("ball.Q[3]", -0.1, "") + FixedStart("ball.Q[4]", 0.2, "") +
      FixedStart("ball.w[1]", 1, "rad/s") + FixedStart("ball.w[2]", -0.5, "rad/s") +
      FixedStart("ball.w[3]", 3, "rad/s") + "}\n");
  run.Simulate(20, 1e-11, Method::kAutomatic, 0.05);
  EXPECT_GT(Drift(run["energy.kinetic"]), 1) << "it must move";
  EXPECT_LE(Drift(run["energy.total"]), 1e-9 * std::fabs(run["energy.total"].front()));
  // Gravity has no torque about the vertical.
  EXPECT_LE(Drift(run["energy.angular_momentum[3]"]), 1e-9 * Largest(run["energy.angular_momentum[1]"]));
}

TEST(Conserved, FreeTop) {
  RunOf run(
      "system FreeTop {\n"
      "  fly : Free\n"
      "  top : Body(m = 2 kg, center = [0.05, 0, 0.1] m, I = [0.03, 0.05, 0.04, 0.002, 0, 0.001] kg*m^2)\n"
      "  energy : MechanicalEnergySensor\n"
      "  connect mechanics.ground -- fly.a\n"
      "  connect fly.b -- top.a\n" +
      FixedStart("fly.v[1]", 0.3, "m/s") + FixedStart("fly.v[3]", -0.2, "m/s") +
      FixedStart("fly.w[1]", 0.1, "rad/s") + FixedStart("fly.w[2]", 5, "rad/s") +
      FixedStart("fly.w[3]", 0.2, "rad/s") + "}\n");
  run.Simulate(20, 1e-11, Method::kAutomatic, 0.05);
  EXPECT_GT(Drift(run["fly.w[2]"]), 0.1) << "it must tumble";
  EXPECT_LE(Drift(run["energy.total"]), 1e-9 * run["energy.total"].front());
  double momentum = 0, angular = 0;
  for (int k = 1; k <= 3; ++k) {
    const std::string at = "[" + std::to_string(k) + "]";
    momentum = std::max(momentum, Largest(run["energy.momentum" + at]));
    angular = std::max(angular, Largest(run["energy.angular_momentum" + at]));
  }
  for (int k = 1; k <= 3; ++k) {
    const std::string at = "[" + std::to_string(k) + "]";
    EXPECT_LE(Drift(run["energy.momentum" + at]), 1e-9 * momentum) << k;
    EXPECT_LE(Drift(run["energy.angular_momentum" + at]), 1e-9 * angular) << k;
  }
}

// Of the rows of a Bennett linkage no two are good in every position. It has no dead centre, and turns on over
// all of them: to a hundredth of the tolerance no energy is lost where two rows depend on each other.
TEST(Conserved, BennettTurnsOnWhereTwoOfItsRowsDependOnEachOther) {
  std::string text = ReadText(kRoot / "tests/mechanics/models/bennett.cot");
  text.insert(text.rfind('}'), "  energy : MechanicalEnergySensor\n");
  RunOf run(text);
  run.Simulate(3, 1e-9, Method::kAutomatic, 0.01);
  EXPECT_GT(Drift(run["j1.phi"]), 4) << "it must move";
  EXPECT_LE(Drift(run["energy.total"]), 1e-7 * Drift(run["energy.kinetic"]));
  EXPECT_TRUE(run.trajectory.notes.empty()) << run.trajectory.notes.front();
}

// ---- The two forms of the equations ----------------------------------------------------------------------

TEST(MotionForms, MoveAChainAlike) {
  std::string text = "system Chain {\n  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n",
              before = "mechanics.ground";
  for (int i = 1; i <= 8; ++i) {
    const std::string k = std::to_string(i);
    text += "  j" + k + " : Revolute(n = " + (i % 2 == 0 ? "[1, 0, 0]" : "[0, 1, 0]") +
            ", d = 0.02 N*m*s/rad)\n" + "  link" + k +
            " : Body(m = 0.5 kg, center = [0, 0.01, -0.1] m, I = [0.002, 0.002, 0.0005, 0, 0, 0] kg*m^2)\n" +
            "  arm" + k + " : Arm(r = [0, 0, -0.2] m)\n  connect " + before + " -- j" + k +
            ".a\n  connect j" + k + ".b -- link" + k + ".a -- arm" + k + ".a\n" +
            FixedStart("j" + k + ".phi", 0.3 - 0.05 * i, "rad") +
            FixedStart("j" + k + ".w", 0.1 * i, "rad/s");
    before = "arm" + k + ".b";
  }
  text += "}\n";
  TranslateOptions options;
  options.motion_form = MotionForm::kMassMatrix;
  RunOf matrix(text, options);
  options.motion_form = MotionForm::kRecursive;
  RunOf recursive(text, options);
  EXPECT_EQ(matrix.translation->motion.degrees, 8u);
  EXPECT_EQ(recursive.translation->motion.degrees, 8u);
  EXPECT_FALSE(matrix.translation->motion.mass_matrix.empty());
  EXPECT_TRUE(recursive.translation->motion.mass_matrix.empty());
  matrix.Simulate(1, 1e-11, Method::kAutomatic, 0.01);
  recursive.Simulate(1, 1e-11, Method::kAutomatic, 0.01);
  for (int i = 1; i <= 8; ++i) {
    for (const std::string name : {".phi", ".w"}) {
      const std::string curve = "j" + std::to_string(i) + name;
      EXPECT_GT(Drift(matrix[curve]), 0.01) << curve;
      EXPECT_LE(Difference(matrix[curve], recursive[curve]), 1e-8) << curve;
    }
  }
}

}  // namespace
}  // namespace cotree::test
