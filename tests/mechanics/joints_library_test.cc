// SPDX-License-Identifier: Apache-2.0
// Friction and stops of joints, driven and coupled joints, coupled bushings and what joints bear, against
// closed forms and laws of conservation.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "curves.h"
#include "run_support.h"

namespace cotree::test {
namespace {

constexpr double kTiny = 1e-9;

/* A joint of one freedom with an inertia of 0.5, at a rate it begins with. */
struct JointCase {
  std::string joint;     // its class and the first arguments
  std::string body;      // what it carries
  std::string rate;      // `w` or `v`
  std::string position;  // units of the coordinate and of what drives it
  std::string force;
  std::string slow;  // the speed below which friction falls is 0.2
};
constexpr double kInertia = 0.5;

const JointCase kJoints[] = {
    {"Revolute(", "Body(m = 1 kg, I = [1, 1, 0.5, 0, 0, 0] kg*m^2)", "w", "rad", "N*m", "w0"},
    {"Prismatic(", "Body(m = 0.5 kg)", "v", "m", "N", "v0"},
    // 0.3 kg*m^2 + 500 kg*(20 mm/rad)^2
    {"ScrewJoint(pitch = 20 mm/rad, ", "Body(m = 500 kg, I = [1, 1, 0.3, 0, 0, 0] kg*m^2)", "w", "rad", "N*m",
     "w0"}};

std::string JointText(const JointCase& c, const std::string& arguments, const std::string& model,
                      double speed) {
  return "system S {\n  j : " + c.joint + arguments + "start " + c.rate + " = " + Number(speed) + " " +
         c.position + "/s fixed) as " + model + "\n  b : " + c.body +
         "\n  connect mechanics.ground -- j.a\n  connect j.b -- b.a\n}\n";
}

std::string FrictionText(const JointCase& c) {
  return "friction = 3 " + c.force + ", " + c.slow + " = 0.2 " + c.position + "/s, ";
}

/// With I*w' = -T*w/sqrt(w^2 + w0^2), sqrt(w^2 + w0^2) - w0*asinh(w0/w) falls by T/I a second.
double Slowness(double w, double w0) {
  return std::hypot(w, w0) - w0 * std::asinh(w0 / w);
}

void ExpectFriction(const std::vector<double>& times, const std::vector<double>& w, double w0, double fall) {
  for (size_t k = 0; k < w.size(); ++k)
    ASSERT_NEAR(Slowness(w[k], w0), Slowness(w[0], w0) - fall * times[k], 1e-7) << k;
  EXPECT_LT(w.back(), 0.5 * w.front()) << "it must slow down";
}

TEST(JointFriction, SlowsDown) {
  for (const JointCase& c : kJoints) {
    RunOf dry(JointText(c, FrictionText(c), "dry", 2));
    dry.Simulate(0.3, 1e-10);
    ExpectFriction(dry.times(), dry["j." + c.rate], 0.2, 3 / kInertia);
    RunOf limited(JointText(
        c, "lower = -1 " + c.position + ", upper = 99 " + c.position + ", " + FrictionText(c), "limited", 2));
    limited.Simulate(0.3, 1e-10);
    ExpectFriction(limited.times(), limited["j." + c.rate], 0.2, 3 / kInertia);
  }
}

// Damping is apart from it: at the start both act.
TEST(JointFriction, AddsToDamping) {
  for (const JointCase& c : kJoints) {
    RunOf run(JointText(c, "d = 0.7 " + c.force + "*s/" + c.position + ", " + FrictionText(c), "dry", -2));
    run.Simulate(1e-6, 1e-9, Method::kExplicit, 1e-6);
    EXPECT_NEAR(run["j.drive"].front(), 0.7 * 2 + 3 * 2 / std::hypot(2, 0.2), kTiny) << c.joint;
  }
}

TEST(JointFriction, APlainJointHasNone) {
  for (const JointCase& c : kJoints) {
    RunOf plain(JointText(c, "", "smooth", 1));
    EXPECT_FALSE(plain.translation->program->HasEvents());
    // Not even one that says that friction is 0.
    RunOf dry(JointText(c, FrictionText(c), "dry", 1));
    EXPECT_EQ(dry.translation->sorted->equations.size(), plain.translation->sorted->equations.size() + 1);
  }
}

/* What meets a stop of 800 and 12 with speed u leaves it with this one: a damped oscillation of kInertia
until the stop would begin to pull, where the acceleration passes 0; from there on it flies. `until`: how long
that takes. */
double SpeedBehindStop(double u, double* until = nullptr) {
  const double fade = 12 / (2 * kInertia), omega = std::sqrt(800 / kInertia - fade * fade);
  const double t = (M_PI - std::atan(2 * fade * omega / (omega * omega - fade * fade))) / omega;
  if (until != nullptr) *until = t;
  return u * std::exp(-fade * t) * (std::cos(omega * t) - fade / omega * std::sin(omega * t));
}

TEST(JointStops, PushAndNeverPull) {
  double until = 0;
  const double u = 1.5, leaves = SpeedBehindStop(u, &until);
  // One that pulled until the depth is 0 would take more of the speed.
  ASSERT_LT(leaves, -1.2 * u * std::exp(-0.987));
  for (const JointCase& c : kJoints) {
    for (const double way : {1.0, -1.0}) {
      RunOf run(JointText(c,
                          "lower = -0.3 " + c.position + ", upper = 0.3 " + c.position + ", stop_k = 800 " +
                              c.force + "/" + c.position + ", stop_d = 12 " + c.force + "*s/" + c.position +
                              ", ",
                          "limited", way * u));
      run.Simulate(0.2 + until + 0.1, 1e-9);
      EXPECT_NEAR(run.End("j." + c.rate), way * leaves, 1e-6) << c.joint;
      for (const double stop : run["j.stop"]) ASSERT_GE(way * stop, 0) << c.joint;
    }
  }
}

// What holds a joint back acts in the recursive form of the equations, too: a chain of three, all against
// friction and a stop, moves as by the mass matrix.
TEST(JointStops, InBothFormsOfTheEquations) {
  std::string text = "system S {\n  g : Gravity\n";
  for (int k = 1; k <= 3; ++k) {
    const std::string at = std::to_string(k);
    text +=
        "  j" + at + " : Revolute(n = [0, 1, 0], lower = -0.1 rad, upper = 0.2 rad, stop_k = 300 N*m/rad, " +
        "stop_d = 2 N*m*s/rad, friction = 0.1 N*m, start phi = 0.1 rad fixed) as limited\n  b" + at +
        " : Body(m = 1 kg, center = [0.1, 0, 0] m, I = [0.01, 0.01, 0.01, 0, 0, 0] kg*m^2)\n  a" + at +
        " : Arm(r = [0.2, 0, 0] m)\n  connect j" + at + ".b -- b" + at + ".a -- a" + at + ".a\n  connect " +
        (k == 1 ? "mechanics.ground" : "a" + std::to_string(k - 1) + ".b") + " -- j" + at + ".a\n";
  }
  TranslateOptions recursive;
  recursive.motion_form = MotionForm::kRecursive;
  RunOf matrix(text + "}\n"), chain(text + "}\n", recursive);
  matrix.Simulate(0.5, 1e-10);
  chain.Simulate(0.5, 1e-10);
  for (const char* name : {"j1.phi", "j2.phi", "j3.phi"})
    EXPECT_NEAR(matrix.End(name), chain.End(name), 1e-7) << name;
  EXPECT_GT(Largest(matrix["j1.stop"]), 1) << "it must meet the stop";
}

// On a ball joint: a swing across n meets the stop as a joint of one freedom does, and a spin about n goes
// on. The carrier is turned, so that axes of `a` are not those of the world.
TEST(JointStops, OfABallJoint) {
  const std::string ball =
      "system S {\n  turned : Arm(r = [1, 0, 0] m, rpy = [0.3, -0.7, 2] rad)\n  j : Spherical\n"
      "  p : SwingStop(n = [1, 2, 2], swing = 0.3 rad, k = 800 N*m/rad, d = 12 N*m*s/rad)\n"
      "  b : Body(m = 1 kg, I = [0.5, 0.5, 0.5, 0, 0, 0] kg*m^2)\n  connect mechanics.ground -- turned.a\n"
      "  connect turned.b -- j.a -- p.a\n  connect j.b -- b.a -- p.b\n";
  RunOf run(ball + FixedStart("j.w[1]", 1, "rad/s") + FixedStart("j.w[2]", 0.5, "rad/s") +
            FixedStart("j.w[3]", -1, "rad/s") + "}\n");
  run.Simulate(0.5, 1e-9);
  const double share = SpeedBehindStop(1.5) / 1.5;
  EXPECT_NEAR(run.End("j.w[1]"), share, 1e-6);
  EXPECT_NEAR(run.End("j.w[2]"), 0.5 * share, 1e-6);
  EXPECT_NEAR(run.End("j.w[3]"), -share, 1e-6);
  RunOf spin(ball + FixedStart("j.w[1]", 1, "rad/s") + FixedStart("j.w[2]", 2, "rad/s") +
             FixedStart("j.w[3]", 2, "rad/s") + "}\n");
  spin.Simulate(2, 1e-9);
  EXPECT_LE(Drift(spin["j.w[1]"]), kTiny);
  EXPECT_LE(Largest(spin["p.angle"]), 1e-6);
}

/* Beside a joint that closes a loop both act as well: on the way of a crank, the work of friction, damping
and stop is what the motion loses. */
TEST(JointStops, InLoops) {
  RunOf run(
      "system S {\n  g : Gravity(g = [0, 0, -10] m/s^2)\n  left, right, left_pin : Revolute(n = [0, 1, 0])\n"
      "  right_pin : Revolute(n = [0, 1, 0], lower = -0.25 rad, upper = 0.4 rad, stop_k = 400 N*m/rad,\n"
      "    stop_d = 3 N*m*s/rad, friction = 1.5 N*m, w0 = 0.1 rad/s, d = 0.8 N*m*s/rad) as limited\n"
      "  rub : TurnFriction(friction = 2 N*m, w0 = 0.1 rad/s, d = 0.5 N*m*s/rad)\n"
      "  apart, across : Arm(r = [2, 0, 0] m)\n  left_rod, right_rod : Arm(r = [0, 0, -1] m)\n"
      "  beam : Body(m = 8 kg, center = [0.5, 0, 0] m, I = [0.1, 1, 1, 0, 0, 0] kg*m^2)\n"
      "  energy : MechanicalEnergySensor\n  start left.phi = 0.2 rad fixed\n  start left.w = 1 rad/s fixed\n"
      "  start right.phi = 0.2 rad\n  connect mechanics.ground -- left.a -- apart.a\n  connect apart.b -- "
      "right.a\n"
      "  connect left.b -- left_rod.a\n  connect right.b -- right_rod.a\n  connect left_rod.b -- left_pin.a\n"
      "  connect left_pin.b -- beam.a -- across.a\n  connect across.b -- right_pin.b -- rub.b\n"
      "  connect right_rod.b -- right_pin.a -- rub.a\n}\n");
  for (const auto& freedom : run.translation->motion.freedoms)
    ASSERT_NE(ComponentName(run.loaded->model, *run.translation->graph, freedom.joint), "right_pin");
  run.Simulate(0.6, 1e-10, Method::kAutomatic, 1e-4);
  const auto& t = run.times();
  const auto power = [&](size_t k) {
    const double w = run["right_pin.w"][k];
    return ((1.5 + 2) * w / std::hypot(w, 0.1) + (0.8 + 0.5) * w + run["right_pin.stop"][k]) * w;
  };
  double lost = 0;
  for (size_t k = 1; k < t.size(); ++k) lost += (power(k) + power(k - 1)) / 2 * (t[k] - t[k - 1]);
  EXPECT_NEAR(run["energy.total"].front() - run.End("energy.total"), lost, 2e-4 * lost);
  EXPECT_GT(lost, 1);
  EXPECT_GT(Largest(run["right_pin.stop"]), 1) << "it must meet the stop";
}

// ---- Joints of several freedoms --------------------------------------------------------------------------

const char* const kOnTheGround = "  connect mechanics.ground -- j.a\n  connect j.b -- b.a\n}\n";

TEST(JointDamping, OfEachFreedom) {
  RunOf pin(std::string("system S {\n  j : Cylindrical(d_turn = 0.6 N*m*s/rad, d_slide = 3 N*s/m)\n"
                        "  b : Body(m = 2 kg, I = [1, 1, 0.5, 0, 0, 0] kg*m^2)\n"
                        "  start j.turn.w = 4 rad/s fixed\n  start j.slide.v = 5 m/s fixed\n") +
            kOnTheGround);
  pin.Simulate(2, 1e-10);
  EXPECT_LT(pin.Error("j.turn.w", [](double t) { return 4 * std::exp(-0.6 / 0.5 * t); }), 1e-8);
  EXPECT_LT(pin.Error("j.slide.v", [](double t) { return 5 * std::exp(-3.0 / 2 * t); }), 1e-8);
  RunOf plate(
      std::string("system S {\n  j : Planar(d_turn = 0.6 N*m*s/rad, d = 3 N*s/m)\n"
                  "  b : Body(m = 2 kg, I = [1, 1, 0.5, 0, 0, 0] kg*m^2)\n  start j.turn.w = 4 rad/s fixed\n"
                  "  start j.x.v = 5 m/s fixed\n  start j.y.v = -2 m/s fixed\n") +
      kOnTheGround);
  plate.Simulate(2, 1e-10);
  EXPECT_LT(plate.Error("j.turn.w", [](double t) { return 4 * std::exp(-0.6 / 0.5 * t); }), 1e-8);
  EXPECT_LT(plate.Error("j.x.v", [](double t) { return 5 * std::exp(-3.0 / 2 * t); }), 1e-8);
  EXPECT_LT(plate.Error("j.y.v", [](double t) { return -2 * std::exp(-3.0 / 2 * t); }), 1e-8);
  RunOf cross(std::string("system S {\n  j : Universal(d = 0.6 N*m*s/rad)\n"
                          "  b : Body(m = 2 kg, I = [0.5, 0.5, 0.5, 0, 0, 0] kg*m^2)\n"
                          "  start j.first.w = 4 rad/s fixed\n  start j.second.w = 3 rad/s fixed\n") +
              kOnTheGround);
  cross.Simulate(1e-6, 1e-9, Method::kExplicit, 1e-6);
  // Of a ball in the middle position, the two axes being at a right angle.
  EXPECT_NEAR(cross["j.first.alpha"].front(), -0.6 / 0.5 * 4, kTiny);
  EXPECT_NEAR(cross["j.second.alpha"].front(), -0.6 / 0.5 * 3, kTiny);
}

// With I = m*radius^2 a sleeve slows down along its helix, and a ball about its axis: the law of one freedom.
TEST(JointFriction, ActsAgainstTheSlip) {
  RunOf sleeve(
      std::string("system S {\n  j : Cylindrical(friction = 3 N, radius = 50 mm, v0 = 0.2 m/s) as dry\n"
                  "  b : Body(m = 2 kg, I = [1, 1, 0.005, 0, 0, 0] kg*m^2)\n"
                  "  start j.turn.w = 24 rad/s fixed\n  start j.slide.v = 0.5 m/s fixed\n") +
      kOnTheGround);
  sleeve.Simulate(0.6, 1e-10);
  std::vector<double> slip;
  for (size_t k = 0; k < sleeve.times().size(); ++k)
    slip.push_back(std::hypot(0.05 * sleeve["j.turn.w"][k], sleeve["j.slide.v"][k]));
  ExpectFriction(sleeve.times(), slip, 0.2, 3.0 / 2);
  EXPECT_NEAR(sleeve.End("j.turn.w"), 48 * sleeve.End("j.slide.v"), 1e-8);
  RunOf ball(
      "system S {\n  turned : Arm(r = [1, 0, 0] m, rpy = [0.3, -0.7, 2] rad)\n  j : Spherical\n"
      "  p : TurnFriction(friction = 3 N*m, w0 = 0.2 rad/s)\n"
      "  b : Body(m = 2 kg, I = [0.5, 0.5, 0.5, 0, 0, 0] kg*m^2)\n  start j.w[1] = 1 rad/s fixed\n"
      "  start j.w[2] = -2 rad/s fixed\n  start j.w[3] = 3 rad/s fixed\n  connect mechanics.ground -- "
      "turned.a\n"
      "  connect turned.b -- j.a -- p.a\n  connect j.b -- b.a -- p.b\n}\n");
  ball.Simulate(0.4, 1e-10);
  std::vector<double> turning;
  for (size_t k = 0; k < ball.times().size(); ++k)
    turning.push_back(std::hypot(ball["j.w[1]"][k], ball["j.w[2]"][k], ball["j.w[3]"][k]));
  ExpectFriction(ball.times(), turning, 0.2, 3 / 0.5);
  EXPECT_NEAR(ball.End("j.w[2]"), -2 * ball.End("j.w[1]"), 1e-8);
}

// ---- Driven joints ---------------------------------------------------------------------------------------

// phi = 0.4*sin(3*t) of a pendulum, s = 0.2*sin(5*t) of a lift: what they take.
TEST(DrivenJoints, TakeWhatTheMotionNeeds) {
  RunOf run(
      "component Wave \"a sine\" { output y : $a  parameter a : $a  parameter w : AngularVelocity  equation "
      "y = a*sin(w*time) }\n"
      "system S {\n  g : Gravity(g = [0, 0, -10] m/s^2)\n  swing : DrivenRevolute(n = [0, 1, 0])\n"
      "  lift : DrivenPrismatic(n = [0, 0, 1])\n  angle : Wave(a = 0.4 rad, w = 3 rad/s)\n"
      "  height : Wave(a = 0.2 m, w = 5 rad/s)\n"
      "  rod : Body(m = 2 kg, center = [0, 0, -0.5] m, I = [0.2, 0.3, 0.1, 0, 0, 0] kg*m^2)\n"
      "  cabin : Body(m = 7 kg)\n  connect angle.y -> swing.u\n  connect height.y -> lift.u\n"
      "  connect mechanics.ground -- swing.a -- lift.a\n  connect swing.b -- rod.a\n  connect lift.b -- "
      "cabin.a\n}\n");
  run.Simulate(3, 1e-9);
  EXPECT_LT(run.Error("swing.joint.drive",
                      [](double t) {
                        const double phi = 0.4 * std::sin(3 * t);
                        return (0.3 + 2 * 0.25) * -9 * phi + 2 * 10 * 0.5 * std::sin(phi);
                      }),
            kTiny);
  EXPECT_LT(run.Error("lift.joint.drive", [](double t) { return 7 * (10 - 5 * std::sin(5 * t)); }), kTiny);
}

/* Everything about a driven frame by Newton and Euler in axes of the body, the angular velocity from the
rates of roll, pitch and yaw (Kane and Levinson, Dynamics, app. II). The pitch passes 90 degrees. */
TEST(DrivenJoints, AllSixFreedoms) {
  RunOf run(
      "component Path \"a way through space\" {\n  output r : Length[3]  output rpy : Angle[3]\n  equation\n"
      "    r[1] = 0.3 m * sin(2 rad/s * time)\n    r[2] = 0.2 m * cos(time * 1 rad/s)\n    r[3] = 0.1 m/s^2 "
      "* time^2\n"
      "    rpy[1] = 0.5 rad * sin(3 rad/s * time)\n    rpy[2] = 2 rad/s * time\n    rpy[3] = 1 rad/s^2 * "
      "time^2\n}\n"
      "system S {\n  g : Gravity(g = [0, 0, -10] m/s^2)\n  path : Path\n  f : DrivenFrame\n  cut : "
      "ForceTorqueSensor\n"
      "  b : Body(m = 2 kg, I = [0.2, 0.3, 0.4, 0, 0, 0] kg*m^2)\n  place : PlaceSensor\n  axes : "
      "OrientationSensor\n"
      "  connect path.r -> f.r\n  connect path.rpy -> f.rpy\n  connect mechanics.ground -- f.a\n"
      "  connect f.b -- cut.a\n  connect cut.b -- b.a -- place.a -- axes.a\n}\n");
  run.Simulate(1.5, 1e-9);
  const auto omega = [](double t) -> std::array<double, 3> {
    const double roll = 0.5 * std::sin(3 * t), pitch = 2 * t;
    const double rate = 1.5 * std::cos(3 * t), pitching = 2, yawing = 2 * t;
    return {rate - yawing * std::sin(pitch),
            pitching * std::cos(roll) + yawing * std::sin(roll) * std::cos(pitch),
            -pitching * std::sin(roll) + yawing * std::cos(roll) * std::cos(pitch)};
  };
  EXPECT_LT(run.Error("place.y[1]", [](double t) { return 0.3 * std::sin(2 * t); }), kTiny);
  EXPECT_LT(run.Error("place.y[3]", [](double t) { return 0.1 * t * t; }), kTiny);
  // The last row of Rz*Ry*Rx: what the frame sees of the vertical.
  EXPECT_LT(run.Error("axes.y[3,1]", [](double t) { return -std::sin(2 * t); }), kTiny);
  EXPECT_LT(
      run.Error("axes.y[3,2]", [](double t) { return std::cos(2 * t) * std::sin(0.5 * std::sin(3 * t)); }),
      kTiny);
  EXPECT_LT(run.Error("axes.y[2,1]", [](double t) { return std::sin(t * t) * std::cos(2 * t); }), kTiny);
  // First axis of the body times m*(acceleration less gravity).
  EXPECT_LT(run.Error("cut.force[1]",
                      [](double t) {
                        return 2 * (std::cos(t * t) * std::cos(2 * t) * -1.2 * std::sin(2 * t) +
                                    std::sin(t * t) * std::cos(2 * t) * -0.2 * std::cos(t) -
                                    std::sin(2 * t) * (0.2 + 10));
                      }),
            kTiny);
  const double moments[] = {0.2, 0.3, 0.4};
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_LT(run.Error("cut.torque[" + std::to_string(k + 1) + "]",
                        [&](double t) {
                          const double h = 1e-4;
                          const auto w = omega(t);
                          const size_t i = (k + 1) % 3, j = (k + 2) % 3;
                          const double alpha = (8 * (omega(t + h)[k] - omega(t - h)[k]) -
                                                omega(t + 2 * h)[k] + omega(t - 2 * h)[k]) /
                                               (12 * h);
                          return moments[k] * alpha + (moments[j] - moments[i]) * w[i] * w[j];
                        }),
              1e-8)
        << k;
  }
}

// ---- Coupled joints --------------------------------------------------------------------------------------

// A torque T on a wheel of J1 = 0.2 that drives one of J2 = 0.3 three times slower, the other way round.
TEST(CoupledJoints, GearOnTheGround) {
  RunOf run(
      "system S {\n  g : GearJoint(n2 = [1, 0, 0], r = [0.1, 0, 0] m, ratio = -3)\n"
      "  w1 : Body(m = 1 kg, I = [0.2, 0.2, 0.2, 0, 0, 0] kg*m^2)\n"
      "  w2 : Body(m = 1 kg, I = [0.3, 0.3, 0.3, 0, 0, 0] kg*m^2)\n  t : TorqueSource(torque = 2 N*m)\n"
      "  connect mechanics.ground -- g.a\n  connect g.b1 -- w1.a\n  connect g.b2 -- w2.a\n"
      "  connect t.a -- rotational.ground\n  connect t.b -- g.axis1\n}\n");
  run.Simulate(2, 1e-10);
  const double alpha = 2 / (0.2 + 0.3 / 9);
  EXPECT_LT(run.Error("g.first.phi", [&](double t) { return alpha * t * t / 2; }), 1e-8);
  EXPECT_LT(run.Error("g.second.phi", [&](double t) { return -alpha * t * t / 6; }), 1e-8);
}

/* Carriers that float: a motor between carrier and first body can change neither momentum nor angular
momentum, and all its work is in the motion. A gear whose torque went to the ground would break the second. */
void ExpectFloating(RunOf& run, const std::string& turn, double torque) {
  run.Simulate(2, 1e-11);
  const auto& energy = run["energy.total"];
  const auto& phi = run[turn];
  for (size_t k = 0; k < energy.size(); ++k)
    ASSERT_NEAR(energy[k] - energy[0], torque * (phi[k] - phi[0]), 1e-7 * Largest(energy)) << k;
  EXPECT_GT(Drift(phi), 1) << "it must turn";
  for (const char* component : {"[1]", "[2]", "[3]"}) {
    EXPECT_LE(Drift(run[std::string("energy.angular_momentum") + component]), 1e-8) << component;
    EXPECT_LE(Drift(run[std::string("energy.momentum") + component]), 1e-8) << component;
  }
}

const char* const kFloating =
    "system S {\n  fly : Free(start w[1] = 0.4 rad/s fixed, start w[2] = -0.3 rad/s fixed, start w[3] = 0.2 "
    "rad/s fixed)\n"
    "  frame : Body(m = 3 kg, center = [0.1, -0.1, 0.05] m, I = [0.5, 0.6, 0.7, 0.05, 0, 0.02] kg*m^2)\n"
    "  energy : MechanicalEnergySensor\n  t : TorqueSource(torque = 0.5 N*m)\n"
    "  connect mechanics.ground -- fly.a\n  connect fly.b -- frame.a -- g.a\n  connect t.a -- "
    "rotational.ground\n";

TEST(CoupledJoints, GearOnAFloatingCarrier) {
  RunOf run(std::string(kFloating) +
            "  g : GearJoint(n1 = [0, 0, 1], n2 = [0, 1, 1], r = [0.2, 0.1, 0] m, ratio = 2.5)\n"
            "  w1 : Body(m = 1 kg, center = [0.05, 0, 0] m, I = [0.2, 0.2, 0.3, 0, 0, 0] kg*m^2)\n"
            "  w2 : Body(m = 1 kg, center = [0, 0.1, 0] m, I = [0.3, 0.2, 0.25, 0, 0.01, 0] kg*m^2)\n"
            "  connect g.b1 -- w1.a\n  connect g.b2 -- w2.a\n  connect t.b -- g.axis1\n}\n");
  ExpectFloating(run, "g.first.phi", 0.5);
  EXPECT_LT(
      run.Error("g.second.phi", [&, k = size_t{0}](double) mutable { return run["g.first.phi"][k++] / 2.5; }),
      1e-9);
}

TEST(CoupledJoints, RackOnAFloatingCarrier) {
  RunOf run(std::string(kFloating) +
            "  g : RackJoint(n1 = [0, 0, 1], n2 = [1, 0, 0], r = [0, -0.1, 0] m, radius = 0.1 m)\n"
            "  w1 : Body(m = 1 kg, center = [0.05, 0, 0] m, I = [0.2, 0.2, 0.3, 0, 0, 0] kg*m^2)\n"
            "  w2 : Body(m = 2 kg, center = [0, 0.1, 0] m, I = [0.3, 0.2, 0.25, 0, 0.01, 0] kg*m^2)\n"
            "  connect g.b1 -- w1.a\n  connect g.b2 -- w2.a\n  connect t.b -- g.axis\n}\n");
  ExpectFloating(run, "g.pinion.phi", 0.5);
  EXPECT_LT(
      run.Error("g.rack.s", [&, k = size_t{0}](double) mutable { return run["g.pinion.phi"][k++] * 0.1; }),
      1e-9);
}

// A torque T on a pinion of J = 0.2 and radius 0.1 that moves a rack of 5 kg: T = (J + m*radius^2)*alpha.
TEST(CoupledJoints, RackOnTheGround) {
  RunOf run(
      "system S {\n  g : RackJoint(r = [0, -0.1, 0] m, radius = 0.1 m, d = 0.5 N*m*s/rad)\n"
      "  w1 : Body(m = 1 kg, I = [0.2, 0.2, 0.2, 0, 0, 0] kg*m^2)\n  w2 : Body(m = 5 kg)\n"
      "  t : TorqueSource(torque = 2 N*m)\n  connect mechanics.ground -- g.a\n  connect g.b1 -- w1.a\n"
      "  connect g.b2 -- w2.a\n  connect t.a -- rotational.ground\n  connect t.b -- g.axis\n}\n");
  run.Simulate(2, 1e-10);
  EXPECT_LT(run.Error("g.pinion.w", [](double t) { return 4 * (1 - std::exp(-0.5 / 0.25 * t)); }), 1e-8);
  EXPECT_LT(run.Error("g.rack.v", [](double t) { return 0.4 * (1 - std::exp(-0.5 / 0.25 * t)); }), 1e-8);
}

// A disc is felt at its axis with J, across it with J/2, whatever the length of n.
TEST(CoupledJoints, RotorsOnAnyAxis) {
  RunOf run(
      "system S {\n  carrier : Revolute(n = [0, -4, 3])\n  hull : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] "
      "kg*m^2)\n"
      "  rotor : RotorOnBody(J = 0.2 kg*m^2, n = [0, 3, 4])\n  connect mechanics.ground -- carrier.a\n"
      "  connect carrier.b -- hull.a -- rotor.a\n}\n");
  run.Simulate(1e-6, 1e-9, Method::kExplicit, 1e-6);
  EXPECT_NEAR(run["rotor.joint.inertia"].front(), 0.2, kTiny);
  EXPECT_NEAR(run["carrier.inertia"].front(), 1.1, kTiny);
}

// ---- Bushings --------------------------------------------------------------------------------------------

// Eight blocks without any symmetry, at a place, a turn of 0.3 rad about [2, 3, 6]/7, and speeds that are all
// known.
TEST(BushingMatrices, EveryEntryCounts) {
  const auto block = [](int seed) {
    std::string text;
    for (int i = 0; i < 3; ++i) {
      std::vector<double> row;
      for (int j = 0; j < 3; ++j) row.push_back(10 + seed + 3 * i - 2 * j + 7 * ((i * j + seed) % 3));
      text += (i > 0 ? ", " : "[") + List(row, "");
    }
    return text + "]";
  };
  const auto entry = [](int seed, int i, int j) {
    return 10 + seed + 3 * i - 2 * j + 7 * ((i * j + seed) % 3);
  };
  const double half = 0.15, place[] = {0.1, -0.2, 0.3}, speed[] = {0.5, 0.7, -0.4},
               axis[] = {2. / 7, 3. / 7, 6. / 7};
  const double rate = 0.9;  // about the axis of the turn: the same in axes of a and b
  std::string text =
      "system S {\n  j : Free\n  b : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n"
      "  connect mechanics.ground -- j.a -- p.a\n  connect j.b -- b.a -- p.b\n"
      "  p : BushingMatrix(k = " +
      block(0) + " N/m, k_cross = " + block(1) + " N, k_back = " + block(2) + " N, k_turn = " + block(3) +
      " N*m/rad,\n    d = " + block(4) + " N*s/m, d_cross = " + block(5) + " N*s, d_back = " + block(6) +
      " N*s, d_turn = " + block(7) + " N*m*s/rad)\n" + FixedStart("j.Q[1]", std::cos(half), "");
  for (int k = 0; k < 3; ++k) {
    const std::string at = "[" + std::to_string(k + 1) + "]";
    text += FixedStart("j.r" + at, place[k], "m") + FixedStart("j.v" + at, speed[k], "m/s") +
            FixedStart("j.w" + at, rate * axis[k], "rad/s") +
            FixedStart("j.Q[" + std::to_string(k + 2) + "]", std::sin(half) * axis[k], "");
  }
  RunOf run(text + "}\n");
  run.Simulate(1e-6, 1e-9, Method::kExplicit, 1e-6);
  for (int i = 0; i < 3; ++i) {
    double force = 0, torque = 0;
    for (int j = 0; j < 3; ++j) {
      const double turn = std::sin(0.3) * axis[j], turning = rate * axis[j];
      force -= entry(0, i, j) * place[j] + entry(1, i, j) * turn + entry(4, i, j) * speed[j] +
               entry(5, i, j) * turning;
      torque -= entry(2, i, j) * place[j] + entry(3, i, j) * turn + entry(6, i, j) * speed[j] +
                entry(7, i, j) * turning;
    }
    const std::string at = "[" + std::to_string(i + 1) + "]";
    EXPECT_NEAR(run["p.f_a" + at].front(), force, kTiny) << i;
    EXPECT_NEAR(run["p.t_a" + at].front(), torque, kTiny) << i;
    // It acts: with m = 1 and I = 1 the force is the acceleration.
    EXPECT_NEAR(run["der(j.v" + at + ")"].front(), force, kTiny) << i;
  }
}

// Given one block across, the other is its transpose, so that small motions keep kinetic + elastic energy.
TEST(BushingMatrices, KeepEnergy) {
  RunOf run(
      "system S {\n  j : Free\n  b : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n  energy : "
      "MechanicalEnergySensor\n"
      "  p : BushingMatrix(k = [[50, 0, 0], [0, 60, 0], [0, 0, 70]] N/m, k_cross = [[0, 20, 0], [-5, 0, 0], "
      "[0, 0, 8]] N,\n"
      "    k_turn = [[40, 0, 0], [0, 30, 0], [0, 0, 50]] N*m/rad)\n"
      "  start j.r[1] = 1 mm fixed\n  start j.r[2] = -2 mm fixed\n  start j.w[3] = 0.005 rad/s fixed\n"
      "  connect mechanics.ground -- j.a -- p.a\n  connect j.b -- b.a -- p.b\n}\n");
  run.Simulate(10, 1e-10);
  const double k[] = {50, 60, 70}, k_turn[] = {40, 30, 50};
  const double cross[3][3] = {{0, 20, 0}, {-5, 0, 0}, {0, 0, 8}};
  std::vector<double> total = run["energy.kinetic"];
  for (size_t n = 0; n < total.size(); ++n) {
    double r[3], turn[3];
    for (int i = 0; i < 3; ++i) {
      r[i] = run["p.r_a[" + std::to_string(i + 1) + "]"][n];
      turn[i] = run["p.turn[" + std::to_string(i + 1) + "]"][n];
    }
    for (int i = 0; i < 3; ++i) {
      total[n] += (k[i] * r[i] * r[i] + k_turn[i] * turn[i] * turn[i]) / 2;
      for (int j = 0; j < 3; ++j) total[n] += r[i] * cross[i][j] * turn[j];
    }
  }
  EXPECT_LE(Drift(total), 1e-4 * total.front());
  EXPECT_GT(Drift(run["energy.kinetic"]), 0.1 * total.front()) << "it must swing";
}

// ---- What joints bear ------------------------------------------------------------------------------------

/* A beam on two parallel rods moves on a circle without turning: its rods bear m*(g*cos(phi) + l*w^2), shared
by the law of the lever, 3 to 1. One sensor is at a joint of the tree, one at that which closes the loop. */
TEST(Reactions, BesideJointsOfALoop) {
  RunOf run(
      "system S {\n  g : Gravity(g = [0, 0, -10] m/s^2)\n  left, right, left_pin, right_pin : Revolute(n = "
      "[0, 1, 0])\n"
      "  left_cut, right_cut, pin_cut : ForceTorqueSensor\n  apart, across : Arm(r = [2, 0, 0] m)\n"
      "  left_rod, right_rod : Arm(r = [0, 0, -1] m)\n"
      "  beam : Body(m = 8 kg, center = [0.5, 0, 0] m, I = [0.1, 1, 1, 0, 0, 0] kg*m^2)\n"
      "  start left.phi = 0.3 rad fixed\n  start left.w = 0.8 rad/s fixed\n  start right.phi = 0.3 rad\n"
      "  connect mechanics.ground -- left_cut.a -- apart.a\n  connect left_cut.b -- left.a\n"
      "  connect apart.b -- right_cut.a\n  connect right_cut.b -- right.a\n  connect left.b -- left_rod.a\n"
      "  connect right.b -- right_rod.a\n  connect left_rod.b -- left_pin.a\n"
      "  connect left_pin.b -- beam.a -- across.a\n  connect across.b -- pin_cut.a\n"
      "  connect pin_cut.b -- right_pin.b\n  connect right_rod.b -- right_pin.a\n}\n");
  run.Simulate(1, 1e-10);
  const auto& phi = run["left.phi"];
  const auto& w = run["left.w"];
  for (size_t k = 0; k < phi.size(); ++k) {
    const double bears = 8 * (10 * std::cos(phi[k]) + w[k] * w[k]);
    ASSERT_NEAR(run["left_cut.force[3]"][k], 0.75 * bears * std::cos(phi[k]), 1e-5);
    ASSERT_NEAR(run["right_cut.force[3]"][k], 0.25 * bears * std::cos(phi[k]), 1e-5);
    ASSERT_NEAR(run["right_cut.force[1]"][k], 0.25 * bears * std::sin(phi[k]), 1e-5);
    // From the beam to the rod.
    ASSERT_NEAR(run["pin_cut.force[3]"][k], -0.25 * bears * std::cos(phi[k]), 1e-5);
  }
}

/// A body of 2 kg with inertia 0.5 kg*m^2 behind a joint, and what the joint does to it at the start.
double FirstAcceleration(const std::string& joint, const std::string& starts, const std::string& name) {
  RunOf run("system S {\n  j : " + joint + "\n  b : Body(m = 2 kg, I = [0.5, 0.5, 0.5, 0, 0, 0] kg*m^2)\n" +
            starts + "  connect mechanics.ground -- j.a\n  connect j.b -- b.a\n}\n");
  run.Simulate(1e-6, 1e-9, Method::kExplicit, 1e-6);
  return run[name].front();
}

// Depth times stiffness and rate times damping, by inertia; outside the stops nothing; never a pull.
TEST(JointLimits, OfJointsWithSeveralFreedoms) {
  const std::string cylindrical =
      "Cylindrical(lower_turn = -0.1 rad, upper_turn = 0.1 rad, lower_slide = -1 m, upper_slide = 1 m, "
      "stop_k_turn = 100 N*m/rad, stop_d_turn = 2 N*m*s/rad, stop_k_slide = 50 N/m, stop_d_slide = 4 N*s/m) "
      "as limited";
  const std::string turned = "  start j.turn.phi = 0.3 rad fixed\n";
  EXPECT_NEAR(FirstAcceleration(cylindrical, turned, "j.turn.alpha"), -100 * 0.2 / 0.5, 1e-6);
  EXPECT_NEAR(FirstAcceleration(cylindrical, turned, "j.slide.acc"), 0, 1e-9);
  EXPECT_NEAR(FirstAcceleration(cylindrical, turned + "  start j.turn.w = -20 rad/s fixed\n", "j.turn.alpha"),
              0, 1e-9);
  EXPECT_NEAR(
      FirstAcceleration(cylindrical, "  start j.slide.s = -1.5 m fixed\n  start j.slide.v = -3 m/s fixed\n",
                        "j.slide.acc"),
      (50 * 0.5 + 4 * 3) / 2, 1e-4);
  const std::string planar =
      "Planar(lower_x = -1 m, upper_x = 1 m, lower_y = -2 m, upper_y = 2 m, lower_turn = -0.1 rad, "
      "upper_turn = 0.1 rad, stop_k = 50 N/m, stop_d = 4 N*s/m, stop_k_turn = 100 N*m/rad, stop_d_turn = 2 "
      "N*m*s/rad) as limited";
  EXPECT_NEAR(FirstAcceleration(planar, "  start j.x.s = 1.5 m fixed\n", "j.x.acc"), -50 * 0.5 / 2, 1e-6);
  EXPECT_NEAR(FirstAcceleration(planar, "  start j.y.s = -2.4 m fixed\n", "j.y.acc"), 50 * 0.4 / 2, 1e-6);
  EXPECT_NEAR(FirstAcceleration(planar, "  start j.turn.phi = -0.3 rad fixed\n", "j.turn.alpha"), 40, 1e-6);
  EXPECT_NEAR(FirstAcceleration(planar, "  start j.x.s = 0.9 m fixed\n", "j.x.acc"), 0, 1e-9);
  const std::string universal =
      "Universal(lower = -0.1 rad, upper = 0.1 rad, stop_k = 100 N*m/rad, stop_d = 0 N*m*s/rad) as limited";
  EXPECT_NEAR(FirstAcceleration(universal, "  start j.first.phi = 0.3 rad fixed\n", "j.first.alpha"), -40,
              1e-6);
  EXPECT_NEAR(FirstAcceleration(universal, "  start j.second.phi = -0.2 rad fixed\n", "j.second.alpha"), 20,
              1e-6);
}

// Friction has its full size at many times the speed below which it falls, and the direction of the slip.
TEST(JointFriction, OfJointsWithSeveralFreedoms) {
  const std::string sliding = "  start j.x.v = 3 m/s fixed\n  start j.y.v = -4 m/s fixed\n";
  const std::string planar = "Planar(friction = 10 N, friction_turn = 2 N*m) as dry";
  EXPECT_NEAR(FirstAcceleration(planar, sliding, "j.x.acc"), -10 * 0.6 / 2, 1e-6);
  EXPECT_NEAR(FirstAcceleration(planar, sliding, "j.y.acc"), 10 * 0.8 / 2, 1e-6);
  EXPECT_NEAR(FirstAcceleration(planar, "  start j.turn.w = -30 rad/s fixed\n", "j.turn.alpha"), 2 / 0.5,
              1e-6);
  EXPECT_NEAR(FirstAcceleration("Universal(friction = 2 N*m) as dry", "  start j.first.w = 30 rad/s fixed\n",
                                "j.first.alpha"),
              -2 / 0.5, 1e-6);
}

}  // namespace
}  // namespace cotree::test
