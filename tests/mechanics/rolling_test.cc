// SPDX-License-Identifier: Apache-2.0
// A disc that rolls: conditions on velocities that no condition on positions implies.
#include <gtest/gtest.h>

#include <cmath>

#include "curves.h"
#include "run_support.h"

namespace cotree::test {
namespace {

constexpr double kMass = 2, kRadius = 0.3, kGravity = 9.81;
const double kAcross = kMass * kRadius * kRadius / 4, kAlong = 2 * kAcross;

// A disc whose axis is inclined by `tilt` from the vertical, its middle at (x, 0); it turns with `w` in its
// own axes.
std::string Disc(double tilt, double x, const std::vector<double>& v, const std::vector<double>& w) {
  std::string text =
      "system Disc {\n  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n  fly : Free\n"
      "  roll : RollingDisc(n = [0, 0, 1], radius = 0.3 m)\n  energy : MechanicalEnergySensor\n"
      "  body : Body(m = 2 kg, I = " +
      List({kAcross, kAcross, kAlong, 0, 0, 0}, "kg*m^2") +
      ")\n"
      "  connect mechanics.ground -- fly.a -- roll.a\n  connect fly.b -- body.a -- roll.b\n";
  text += FixedStart("fly.Q[1]", std::cos(tilt / 2), "") + FixedStart("fly.Q[2]", 0, "") +
          FixedStart("fly.Q[3]", std::sin(tilt / 2), "") + FixedStart("fly.Q[4]", 0, "");
  text += FixedStart("fly.r[1]", x, "m") + FixedStart("fly.r[2]", 0, "m") +
          FixedStart("fly.r[3]", kRadius * std::sin(tilt), "m");
  for (size_t k = 0; k < 3; ++k) {
    const std::string at = "[" + std::to_string(k + 1) + "]";
    text += "  start fly.v" + at + " = " + Number(v[k]) + " m/s\n" + FixedStart("fly.w" + at, w[k], "rad/s");
  }
  return text + "}\n";
}

/* Steady rolling in a circle: the axis e keeps its inclination q and goes round with rate W, the disc turns
with u about e. From L' = p x F about the middle, p = -a t to the contact, t across e in the vertical plane:
W sin q u (C + m a^2) = A W^2 sin q cos q - m a g cos q. */
TEST(Rolling, SteadyCircle) {
  const double q = 1.2, W = 1.7;
  const double u = std::cos(q) * (kAcross * W * W * std::sin(q) - kMass * kRadius * kGravity) /
                   (W * std::sin(q) * (kAlong + kMass * kRadius * kRadius));
  const double x = -kRadius * u / W;
  RunOf run(Disc(q, x, {0, -kRadius * u, 0}, {-W * std::sin(q), 0, u}));
  EXPECT_EQ(run.translation->motion.degrees, 3u);
  EXPECT_EQ(run.translation->motion.position_degrees, 5u);
  run.Simulate(6, 1e-10, Method::kAutomatic, 0.05);
  EXPECT_LE(run.Error("fly.r[1]", [&](double t) { return x * std::cos(W * t); }), 1e-6);
  EXPECT_LE(run.Error("fly.r[2]", [&](double t) { return x * std::sin(W * t); }), 1e-6);
  EXPECT_LE(run.Error("fly.r[3]", [&](double) { return kRadius * std::sin(q); }), 1e-7);
  EXPECT_LE(run.Error("fly.w[3]", [&](double) { return u; }), 1e-7);
}

/* A disc that wobbles on its way keeps its energy and never slips: the velocity of its material at the lowest
point is zero. */
TEST(Rolling, WobblingDiscKeepsItsEnergyAndDoesNotSlip) {
  RunOf run(Disc(1.3, 0, {0, 0, 0}, {-0.8, 0.6, -5}));
  run.Simulate(4, 1e-10, Method::kAutomatic, 0.02);
  EXPECT_GT(Drift(run["fly.r[3]"]), 0.005) << "it must wobble";
  EXPECT_LE(Drift(run["energy.total"]), 1e-7 * run["energy.total"].front());
  double slip = 0, height = 0;
  for (size_t k = 0; k < run.times().size(); ++k) {
    double Q[4], w[3], v[3];
    for (size_t i = 0; i < 4; ++i) Q[i] = run["fly.Q[" + std::to_string(i + 1) + "]"][k];
    const double length = std::sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
    for (double& number : Q) number /= length;
    for (size_t i = 0; i < 3; ++i) {
      w[i] = run["fly.w[" + std::to_string(i + 1) + "]"][k];
      v[i] = run["fly.v[" + std::to_string(i + 1) + "]"][k];
    }
    // The vertical in axes of the disc, and the lowest point in them.
    const double z[3] = {2 * (Q[1] * Q[3] - Q[0] * Q[2]), 2 * (Q[2] * Q[3] + Q[0] * Q[1]),
                         1 - 2 * (Q[1] * Q[1] + Q[2] * Q[2])};
    const double size = std::hypot(z[0], z[1]);
    const double p[3] = {-kRadius * z[0] / size, -kRadius * z[1] / size, 0};
    const double turned[3] = {w[1] * p[2] - w[2] * p[1], w[2] * p[0] - w[0] * p[2],
                              w[0] * p[1] - w[1] * p[0]};
    // In the world: the rows of the matrix of Q.
    const double R[3][3] = {{1 - 2 * (Q[2] * Q[2] + Q[3] * Q[3]), 2 * (Q[1] * Q[2] - Q[0] * Q[3]),
                             2 * (Q[1] * Q[3] + Q[0] * Q[2])},
                            {2 * (Q[1] * Q[2] + Q[0] * Q[3]), 1 - 2 * (Q[1] * Q[1] + Q[3] * Q[3]),
                             2 * (Q[2] * Q[3] - Q[0] * Q[1])},
                            {z[0], z[1], z[2]}};
    for (size_t i = 0; i < 3; ++i) {
      double along = v[i];
      for (size_t j = 0; j < 3; ++j) along += R[i][j] * turned[j];
      slip = std::max(slip, std::fabs(along));
    }
    height = std::max(height, std::fabs(run["fly.r[3]"][k] - kRadius * size));
  }
  EXPECT_LE(slip, 1e-7);
  EXPECT_LE(height, 1e-8);
}

// Three of four wheels bear, and which three are good changes as they are steered: where the line of the
// front wheels meets a rear wheel (tan phi = 2/0.8) nothing happens to the wagon.
TEST(Rolling, WagonSteersPastAnyAngle) {
  const std::string text =
      "system Wagon \"a flywheel on one front wheel\" {\n"
      "  base : Free(start r[3] = 0.2 m)\n"
      "  frame : Body(m = 5 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n"
      "  front : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n"
      "  steer : Revolute(n = [0, 0, 1])\n"
      "  axle2, axle3, axle4, axle1 : Revolute(n = [0, 1, 0])\n"
      "  wheel1, wheel2, wheel3, wheel4 : Body(m = 1 kg, I = [0.01, 0.02, 0.01, 0, 0, 0] kg*m^2)\n"
      "  roll3, roll4, roll1, roll2 : RollingDisc(radius = 0.2 m)\n"
      "  arm1 : Arm(r = [0, 0.8, 0] m)\n"
      "  arm2 : Arm(r = [0, -0.8, 0] m)\n"
      "  ahead : Arm(r = [2, 0, 0] m)\n"
      "  arm3 : Arm(r = [0, 0.8, 0] m)\n"
      "  arm4 : Arm(r = [0, -0.8, 0] m)\n"
      "  turn : TorqueSource(torque = 5 N*m)\n"
      "  flywheel : Inertia(J = 0.1 kg*m^2)\n"
      "  connect mechanics.ground -- base.a -- roll3.a -- roll4.a -- roll1.a -- roll2.a\n"
      "  connect base.b -- frame.a -- arm1.a -- arm2.a -- ahead.a\n"
      "  connect ahead.b -- steer.a\n"
      "  connect steer.b -- front.a -- arm3.a -- arm4.a\n"
      "  connect arm1.b -- axle2.a\n"
      "  connect arm2.b -- axle3.a\n"
      "  connect arm3.b -- axle4.a\n"
      "  connect arm4.b -- axle1.a\n"
      "  connect axle2.b -- wheel1.a -- roll3.b\n"
      "  connect axle3.b -- wheel2.a -- roll4.b\n"
      "  connect axle4.b -- wheel3.a -- roll1.b\n"
      "  connect axle1.b -- wheel4.a -- roll2.b\n"
      "  connect turn.a -- axle4.axis\n"
      "  connect flywheel.a -- axle1.axis\n"
      "  connect turn.b -- axle2.housing -- axle4.housing -- axle1.housing -- rotational.ground\n"
      "}\n";
  RunOf run(text), fine(text);
  run.Simulate(1.2, 1e-8);
  fine.Simulate(1.2, 1e-10);
  EXPECT_GT(std::max(run.End("steer.phi"), -run.End("steer.phi")), std::atan(2 / 0.8));
  for (const std::string name : {"steer.phi", "axle1.phi", "axle4.w", "base.r[1]", "base.r[2]", "base.r[3]"})
    EXPECT_NEAR(run.End(name), fine.End(name), 1e-6 * std::max(1.0, std::fabs(fine.End(name)))) << name;
  EXPECT_NEAR(run.End("base.r[3]"), 0.2, 1e-9);
}

// Where a planar joint carries the chassis the heights of wheels say nothing, and their rows are rounding: in
// a plane of any direction an axle starts and rolls as it does in the horizontal one.
TEST(Rolling, AChassisOnAPlanarJointRollsInAnyPlane) {
  const auto text = [](const std::string& place) {
    return "system Axle {\n"
           "  floor : Arm(r = [0, 0, 0] m" + place + ")\n"
           "  base : Planar(start turn.phi = 0.7 rad fixed)\n"
           "  frame : Body(m = 5 kg, center = [0.1, 0.02, 0] m, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n"
           "  left, right : Arm(r = [0, 0.4, 0] m)\n"
           "  axle1, axle2 : Revolute(n = [0, 1, 0])\n"
           "  wheel1, wheel2 : Body(m = 1 kg, I = [0.01, 0.02, 0.01, 0, 0, 0] kg*m^2)\n"
           "  roll1, roll2 : RollingDisc(radius = 0.2 m)\n"
           "  up : Arm(r = [0, 0, 0.2] m)\n"
           "  connect mechanics.ground -- floor.a\n  connect floor.b -- roll1.a -- roll2.a -- up.a\n"
           "  connect up.b -- base.a\n  connect base.b -- frame.a -- left.a -- right.b\n"
           "  connect left.b -- axle1.a\n  connect right.a -- axle2.a\n"
           "  connect axle1.b -- wheel1.a -- roll1.b\n  connect axle2.b -- wheel2.a -- roll2.b\n" +
           FixedStart("axle1.w", 3, "rad/s") + FixedStart("axle2.w", 5, "rad/s") + "}\n";
  };
  RunOf level(text("")), turned(text(", rpy = [0.4, -1.1, 2.3] rad"));
  level.Simulate(2, 1e-9);
  turned.Simulate(2, 1e-9);
  EXPECT_GT(std::fabs(level.End("base.turn.phi")), 0.2) << "it must turn";
  for (const std::string name : {"base.x.s", "base.y.s", "base.turn.phi", "axle1.phi", "axle2.w"})
    EXPECT_NEAR(level.End(name), turned.End(name), 1e-7) << name;
}

}  // namespace
}  // namespace cotree::test
