// SPDX-License-Identifier: Apache-2.0
// What tells an orientation, tested by putting it together again: quaternions multiplied here, not matrices.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "curves.h"
#include "run_support.h"

namespace cotree::test {
namespace {

using Quaternion = std::array<double, 4>;  // w, x, y, z

Quaternion operator*(const Quaternion& p, const Quaternion& q) {
  return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
          p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
          p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}
Quaternion Conjugate(const Quaternion& q) {
  return {q[0], -q[1], -q[2], -q[3]};
}
Quaternion Turn(int axis, double angle) {
  Quaternion q{std::cos(angle / 2), 0, 0, 0};
  q[static_cast<size_t>(axis)] = std::sin(angle / 2);
  return q;
}
Quaternion Unit(const Quaternion& q) {
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
}
/// How far two orientations are apart: a quaternion and its opposite are the same one.
double Apart(const Quaternion& p, const Quaternion& q) {
  double plus = 0, minus = 0;
  for (size_t k = 0; k < 4; ++k) {
    plus = std::max(plus, std::fabs(p[k] - q[k]));
    minus = std::max(minus, std::fabs(p[k] + q[k]));
  }
  return std::min(plus, minus);
}

/// A body named `name` with that orientation in the world.
std::string Posed(const std::string& name, const Quaternion& q) {
  std::string text = "  " + name + "_fly : Free\n  " + name +
                     " : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n  connect mechanics.ground -- " +
                     name + "_fly.a\n  connect " + name + "_fly.b -- " + name + ".a\n";
  for (size_t k = 0; k < 4; ++k) text += FixedStart(name + "_fly.Q[" + std::to_string(k + 1) + "]", q[k], "");
  return text;
}

RunOf AtStart(const std::string& text) {
  RunOf run("system S {\n" + text + "}\n");
  run.Simulate(1e-6, 1e-9, Method::kExplicit, 1e-6);
  return run;
}

double First(const RunOf& run, const std::string& name, size_t k) {
  return run[name + "[" + std::to_string(k) + "]"].front();
}
Quaternion QuaternionAt(const RunOf& run, const std::string& name) {
  return {First(run, name, 1), First(run, name, 2), First(run, name, 3), First(run, name, 4)};
}

// Common ones, those of half a turn (w = 0) about axes and diagonals, those next to it, the corners where no
// part is larger than the others, and turns at which sequences of angles lock.
const Quaternion kPoses[] = {
    {1, 0, 0, 0},        {0.3, -0.5, 0.7, 0.2}, {0.1, 0.9, -0.2, 0.4}, {0.05, -0.1, 0.3, -0.9},
    {0, 1, 0, 0},        {0, 0, -1, 0},         {0, 0, 0, 1},          {0, 1, -1, 0},
    {0, -1, 2, 3},       {1e-9, 0.6, -0.8, 0},  {-1e-9, 0.6, 0, 0.8},  {1, 1, 1, 1},
    {1, -1, 1, -1},      {1, 1, 0, 0},          {1, 0, -1, 0},         {1, 0, 0, 1},
    {0.9, 0.3, 0.9, 0.3}};

TEST(OrientationSensors, Quaternions) {
  for (const Quaternion& pose : kPoses) {
    const Quaternion want = Unit(pose);
    const RunOf run = AtStart(Posed("b", want) + "  s : QuaternionSensor\n  connect b.a -- s.a\n");
    const Quaternion got = QuaternionAt(run, "s.y");
    EXPECT_LT(Apart(got, want), 1e-14) << pose[0] << " " << pose[1] << " " << pose[2] << " " << pose[3];
    EXPECT_GE(got[0], 0);
    EXPECT_NEAR(got[0] * got[0] + got[1] * got[1] + got[2] * got[2] + got[3] * got[3], 1, 1e-14);
  }
}

// All twelve sequences, at every pose: three turns about the axes they name give the orientation, locked or
// not.
TEST(OrientationSensors, EulerAngles) {
  const int sequences[][3] = {{1, 2, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}, {2, 1, 3}, {1, 3, 2},
                              {1, 2, 1}, {2, 3, 2}, {3, 1, 3}, {1, 3, 1}, {2, 1, 2}, {3, 2, 3}};
  for (const Quaternion& pose : kPoses) {
    const Quaternion want = Unit(pose);
    std::string text = Posed("b", want);
    for (size_t n = 0; n < 12; ++n) {
      const std::string name = "s" + std::to_string(n);
      text += "  " + name + " : EulerAnglesSensor(sequence = [" + std::to_string(sequences[n][0]) + ", " +
              std::to_string(sequences[n][1]) + ", " + std::to_string(sequences[n][2]) +
              "])\n  connect b.a -- " + name + ".a\n";
    }
    const RunOf run = AtStart(text);
    for (size_t n = 0; n < 12; ++n) {
      const std::string name = "s" + std::to_string(n) + ".y";
      const Quaternion got = Turn(sequences[n][0], First(run, name, 1)) *
                             Turn(sequences[n][1], First(run, name, 2)) *
                             Turn(sequences[n][2], First(run, name, 3));
      EXPECT_LT(Apart(got, want), 2e-8)
          << n << ": " << pose[0] << " " << pose[1] << " " << pose[2] << " " << pose[3];
      // The middle one is in the range that makes the others unique.
      const double middle = First(run, name, 2);
      if (n < 6) {
        EXPECT_LE(std::fabs(middle), M_PI / 2) << n;
      } else {
        EXPECT_GE(middle, 0) << n;
      }
    }
  }
}

// The sensor of roll, pitch and yaw is that of z, y, x from the end, also where the pitch is 90 degrees.
TEST(OrientationSensors, RollPitchYaw) {
  for (const Quaternion& pose : {Unit({0.3, -0.5, 0.7, 0.2}), Turn(3, 0.4) * Turn(2, M_PI / 2) * Turn(1, 0.9),
                                 Turn(3, 1.4) * Turn(2, -M_PI / 2) * Turn(1, -0.2)}) {
    const RunOf run = AtStart(Posed("b", pose) + "  s : RollPitchYawSensor\n  connect b.a -- s.a\n");
    EXPECT_LT(
        Apart(Turn(3, First(run, "s.y", 3)) * Turn(2, First(run, "s.y", 2)) * Turn(1, First(run, "s.y", 1)),
              pose),
        2e-8);
  }
}

TEST(OrientationSensors, OfOneFrameAgainstAnother) {
  const Quaternion a = Unit({0.3, -0.5, 0.7, 0.2}), b = Unit({-0.1, 0.4, 0.2, 0.9}), seen = Conjugate(a) * b;
  const RunOf run = AtStart(Posed("a", a) + Posed("b", b) +
                            "  m : RelativeOrientationSensor\n  q : RelativeQuaternionSensor\n"
                            "  e : RelativeEulerAnglesSensor(sequence = [2, 1, 3])\n"
                            "  c : MatrixToQuaternion\n"
                            "  d : MatrixToEulerAngles(first = 2, second = 1, third = 3)\n"
                            "  connect m.y -> c.R, d.R\n"
                            "  connect a.a -- m.a -- q.a -- e.a\n  connect b.a -- m.b -- q.b -- e.b\n");
  EXPECT_LT(Apart(QuaternionAt(run, "q.y"), seen), 1e-14);
  EXPECT_EQ(QuaternionAt(run, "c.y"), QuaternionAt(run, "q.y"));
  for (size_t k = 1; k <= 3; ++k) EXPECT_EQ(First(run, "d.y", k), First(run, "e.y", k)) << k;
  EXPECT_LT(
      Apart(Turn(2, First(run, "e.y", 1)) * Turn(1, First(run, "e.y", 2)) * Turn(3, First(run, "e.y", 3)),
            seen),
      1e-14);
  // Its second column is where y of b points to, seen from a.
  const Quaternion y = seen * Quaternion{0, 0, 1, 0} * Conjugate(seen);
  for (size_t k = 1; k <= 3; ++k)
    EXPECT_NEAR(run["m.y[" + std::to_string(k) + ",2]"].front(), y[k], 1e-14) << k;
}

TEST(OrientationSensors, RefuseSequencesThatAreNone) {
  for (const char* sequence : {"[1, 1, 2]", "[1, 2, 2]", "[0, 1, 2]", "[1, 2, 4]"}) {
    try {
      AtStart(Posed("b", {1, 0, 0, 0}) + "  s : EulerAnglesSensor(sequence = " + sequence +
              ")\n  connect b.a -- s.a\n");
      ADD_FAILURE() << sequence;
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find("ax"), std::string::npos) << e.what();
    }
  }
}

/* A turntable of 2 rad/s about z, at 0.3 rad, and a body that flies past: its velocity as seen from the table
is the rate of its place as seen from there, here by differences. */
TEST(OrientationSensors, MotionOfOneFrameAgainstAnother) {
  RunOf run(
      "system S {\n  turntable : Revolute(start phi = 0.3 rad fixed, start w = 2 rad/s fixed)\n"
      "  disc : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n  fly : Free\n"
      "  ball : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n  place : RelativePlaceSensor\n"
      "  speed : RelativeSpatialVelocitySensor\n  rate : RelativeTurnRateSensor\n"
      "  connect mechanics.ground -- turntable.a -- fly.a\n  connect turntable.b -- disc.a -- place.a -- "
      "speed.a -- "
      "rate.a\n"
      "  connect fly.b -- ball.a -- place.b -- speed.b -- rate.b\n" +
      FixedStart("fly.r[1]", 1, "m") + FixedStart("fly.v[2]", 3, "m/s") + FixedStart("fly.v[3]", -1, "m/s") +
      FixedStart("fly.w[1]", 5, "rad/s") + "}\n");
  const double step = 1e-3;
  run.Simulate(0.2, 1e-12, Method::kExplicit, step);
  for (size_t c = 1; c <= 3; ++c) {
    const std::string at = "[" + std::to_string(c) + "]";
    const auto& r = run["place.y" + at];
    const auto& v = run["speed.y" + at];
    for (size_t k = 2; k + 2 < r.size(); ++k)
      ASSERT_NEAR(v[k], (8 * (r[k + 1] - r[k - 1]) - r[k + 2] + r[k - 2]) / (12 * step), 1e-8)
          << c << " " << k;
  }
  // 5 rad/s about x of the world, which the table sees turned back; and its own 2 rad/s, the other way.
  EXPECT_LT(run.Error("rate.y[1]", [](double t) { return 5 * std::cos(0.3 + 2 * t); }), 1e-9);
  EXPECT_LT(run.Error("rate.y[2]", [](double t) { return -5 * std::sin(0.3 + 2 * t); }), 1e-9);
  EXPECT_LT(run.Error("rate.y[3]", [](double) { return -2; }), 1e-9);
}

}  // namespace
}  // namespace cotree::test
