// SPDX-License-Identifier: Apache-2.0
// Forces, sensors and joints of library/mechanics.cot against what can be said by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "run_support.h"

namespace cotree::test {
namespace {

constexpr double kTiny = 1e-9;

double AtStart(const std::string& text, const std::string& name) {
  RunOf run("system S {\n" + text + "}\n");
  run.Simulate(1e-6, 1e-9, Method::kExplicit, 1e-6);
  return run[name].front();
}

// A body of 2 kg, free, turned by a quarter about z: its x points along y of the world.
const char* const kFreeBody =
    "  j : Free(start Q[1] = 0.70710678118654752 fixed, start Q[4] = 0.70710678118654752 fixed)\n"
    "  b : Body(m = 2 kg, I = [1, 2, 2.5, 0, 0, 0] kg*m^2)\n"
    "  connect mechanics.ground -- j.a\n  connect j.b -- b.a\n"
    "  c : Constant[3](k = [6, 0, 0] N)\n  e : Constant[3](k = [5, 0, 0] N*m)\n";

TEST(SpatialLibrary, Forces) {
  const std::string force = "  connect b.a -- p.a\n  connect c.y -> p.u\n";
  const std::string torque = "  connect b.a -- p.a\n  connect e.y -> p.u\n";
  const auto text = [&](const std::string& element, const std::string& wires) {
    return kFreeBody + ("  p : " + element + "\n") + wires;
  };
  EXPECT_NEAR(AtStart(text("WorldForce", force), "der(j.v[1])"), 3, kTiny);
  EXPECT_NEAR(AtStart(text("BodyForce", force), "der(j.v[2])"), 3, kTiny);
  // A torque along x of the world is one along -y of the body.
  EXPECT_NEAR(AtStart(text("WorldTorque", torque), "der(j.w[2])"), -2.5, kTiny);
  EXPECT_NEAR(AtStart(text("BodyTorque", torque), "der(j.w[1])"), 5, kTiny);
}

TEST(SpatialLibrary, SpringsAndActuators) {
  const std::string slider =
      "  j : Prismatic(n = [1, 0, 0], start s = 0.5 m fixed, start v = 0.2 m/s fixed)\n"
      "  b : Body(m = 2 kg)\n  connect mechanics.ground -- j.a\n  connect j.b -- b.a\n";
  // 100 N/m stretched by 0.3 m, and 10 N*s/m at 0.2 m/s.
  EXPECT_NEAR(AtStart(slider + "  p : PointSpring(k = 100 N/m, d = 10 N*s/m, l0 = 0.2 m)\n"
                               "  connect mechanics.ground -- p.a\n  connect j.b -- p.b\n",
                      "j.acc"),
              -(30.0 + 2) / 2, kTiny);
  EXPECT_NEAR(AtStart(slider + "  p : PointActuator\n  q : ForceSource(force = 7 N)\n"
                               "  connect mechanics.ground -- p.a\n  connect j.b -- p.b\n"
                               "  connect q.a -- p.housing\n  connect q.b -- p.axis\n",
                      "j.acc"),
              3.5, kTiny);
  EXPECT_NEAR(AtStart(slider + "  p : Bushing(k = [100, 1, 1] N/m, d = [10, 0, 0] N*s/m, k_turn = [1, 1, 1] "
                               "N*m/rad)\n  connect mechanics.ground -- p.a\n  connect j.b -- p.b\n",
                      "j.acc"),
              -(50.0 + 2) / 2, kTiny);
}

TEST(SpatialLibrary, Contact) {
  RunOf run(
      "system S {\n  g : Gravity(g = [0, 0, -10] m/s^2)\n  j : Prismatic(n = [0, 0, 1], start s = 0.1 m)\n"
      "  b : Body(m = 2 kg)\n  p : PlaneContact(k = 1e4 N/m, d = 200 N*s/m, radius = 0.1 m)\n"
      "  connect mechanics.ground -- j.a\n  connect j.b -- b.a -- p.a\n}\n");
  run.Simulate(3, 1e-8);
  EXPECT_NEAR(run.End("p.depth"), 20.0 / 1e4, 1e-7);
  EXPECT_NEAR(run.End("p.press"), 20, 1e-3);
}

// Moments about x through the frame, each by another formula than the library's.
TEST(SpatialLibrary, Shapes) {
  const double rho = 7850;
  const auto felt = [&](const std::string& body) {
    return AtStart("  j : Revolute(n = [1, 0, 0])\n  b : " + body +
                       "\n  connect mechanics.ground -- j.a\n  connect j.b -- b.a\n",
                   "j.inertia");
  };
  // A box about an edge of its base: m*(b^2 + c^2)/3.
  EXPECT_NEAR(felt("BoxBody(size = [0.1, 0.2, 0.3] m, center = [0, 0.1, 0.15] m)"),
              rho * 0.1 * 0.2 * 0.3 * (0.04 + 0.09) / 3, 1e-9);
  // A cylinder about a diameter of its end: m*(r^2/4 + l^2/3).
  const double rod = rho * M_PI * 0.01 * 0.3;
  EXPECT_NEAR(felt("CylinderBody(radius = 0.1 m, length = 0.3 m, center = [0, 0, 0.15] m)"),
              rod * (0.01 / 4 + 0.09 / 3), 1e-9);
  // A tube: the cylinder less its bore.
  const double bore = rho * M_PI * 0.0025 * 0.3;
  EXPECT_NEAR(felt("TubeBody(radius = 0.1 m, bore = 0.05 m, length = 0.3 m, center = [0, 0, 0.15] m)"),
              rod * (0.01 / 4 + 0.09 / 3) - bore * (0.0025 / 4 + 0.09 / 3), 1e-9);
  // A ball about a tangent: 7/5 m r^2.
  EXPECT_NEAR(felt("SphereBody(radius = 0.1 m, center = [0, 0.1, 0] m)"),
              1.4 * rho * 4 / 3 * M_PI * 1e-3 * 0.01, 1e-9);
  // A cone about a diameter of its base: m*(3*r^2/20 + h^2/10).
  EXPECT_NEAR(felt("ConeBody(radius = 0.1 m, length = 0.3 m)"), rod / 3 * (3 * 0.01 / 20 + 0.09 / 10), 1e-9);
}

// A point at 0.5 m on an arm that turns with 2 rad/s about z, now along x.
TEST(SpatialLibrary, Sensors) {
  const std::string arm =
      "  g : Gravity(g = [0, 0, -10] m/s^2)\n  j : Revolute(n = [0, 0, 1], start phi = 0.1 rad fixed, start "
      "w "
      "= 2 rad/s fixed)\n  b : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n  tip : Arm(r = [0.5, 0, 0] "
      "m)\n"
      "  connect mechanics.ground -- j.a\n  connect j.b -- b.a -- tip.a\n  connect tip.b -- p.a\n";
  const double c = std::cos(0.1), s = std::sin(0.1);
  const auto read = [&](const std::string& sensor, const std::string& name) {
    return AtStart(arm + "  p : " + sensor + "\n", name);
  };
  EXPECT_NEAR(read("PlaceSensor", "p.y[1]"), 0.5 * c, kTiny);
  EXPECT_NEAR(read("PlaceSensor", "p.y[2]"), 0.5 * s, kTiny);
  EXPECT_NEAR(read("OrientationSensor", "p.y[2,1]"), s, kTiny);
  EXPECT_NEAR(read("RollPitchYawSensor", "p.y[3]"), 0.1, kTiny);
  EXPECT_NEAR(read("SpatialVelocitySensor", "p.y[1]"), -s, kTiny);
  EXPECT_NEAR(read("SpatialVelocitySensor", "p.y[2]"), c, kTiny);
  EXPECT_NEAR(read("TurnRateSensor", "p.y[3]"), 2, kTiny);
  EXPECT_NEAR(read("SpatialAccelerationSensor", "p.y[1]"), -2 * c, kTiny);
  EXPECT_NEAR(read("Accelerometer", "p.y[1]"), -2, kTiny);
  EXPECT_NEAR(read("Accelerometer", "p.y[3]"), 10, kTiny);
  EXPECT_NEAR(AtStart(arm + "  p : RelativePlaceSensor\n  connect p.b -- mechanics.ground\n", "p.y[1]"), -0.5,
              kTiny);
}

// Two masses on one line, kept 1 m apart by a rod, pushed at one of them.
TEST(SpatialLibrary, Rods) {
  EXPECT_NEAR(AtStart("  j : Prismatic(n = [1, 0, 0])\n  k : Prismatic(n = [1, 0, 0], start s = 1 m)\n"
                      "  a : Body(m = 2 kg)\n  b : Body(m = 4 kg)\n  rod : Rod(length = 1 m)\n"
                      "  q : ForceSource(force = 3 N)\n  connect mechanics.ground -- j.a -- k.a\n"
                      "  connect j.b -- a.a -- rod.a\n  connect k.b -- b.a -- rod.b\n"
                      "  connect q.a -- translational.ground\n  connect q.b -- j.axis\n",
                      "k.acc"),
              0.5, 1e-6);
}

// A rotor along x with angular momentum J*w on a carrier that turns about z with W: it exerts J*w*W about y.
TEST(SpatialLibrary, RotorsCarryTheirMomentum) {
  EXPECT_NEAR(AtStart("  j : Revolute(n = [0, 0, 1], start w = 3 rad/s fixed)\n  cut : ForceTorqueSensor\n"
                      "  b : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n"
                      "  rotor : RotorOnBody(J = 0.2 kg*m^2, n = [1, 0, 0])\n"
                      "  start rotor.joint.w = 50 rad/s fixed\n"
                      "  connect mechanics.ground -- j.a\n  connect j.b -- cut.a\n"
                      "  connect cut.b -- b.a -- rotor.a\n",
                      "cut.torque[2]"),
              0.2 * 50 * 3, 1e-6);
}

}  // namespace
}  // namespace cotree::test
