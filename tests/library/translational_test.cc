// SPDX-License-Identifier: Apache-2.0
// The classes of library/translational.cot against textbook relations, in numbers worked out by hand.
#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "library/mechanics_bench.h"
#include "library/probe.h"

namespace cotree::test {
namespace {

// --- Fixed points ---

// A spring against the ground has its whole stretch at its free end.
TEST(Translational, GroundNeverMoves) {
  Probe held("Held", R"(component Held {
    terminal a : translational
    spring : Spring(k = 200 N/m)
    ground : TranslationalGround
    connect a -- spring.a
    connect spring.b -- ground.a
  })");
  held.Set("a.f", 3.0);
  EXPECT_NEAR(held["a.s"], 0.015, 1e-12);
}

TEST(Translational, FixedHoldsItsPosition) {
  Probe fixed("Fixed(position = 25 mm)");
  fixed.Set("e.f", -7.0);
  EXPECT_DOUBLE_EQ(fixed["e.s"], 0.025);
}

// --- Elements ---

// Newton's second law: a 2 kg body under 6 N is 3 m/s faster after a second.
// Halliday, Resnick, Walker, Fundamentals of Physics, 10th ed., ch. 5-1; kinetic energy ch. 7-1.
TEST(Translational, MassFollowsNewton) {
  Probe mass("Mass(m = 2 kg)");
  for (const double force : {-1.5, 0.0, 6.0}) {
    SetAll(mass, {{"e.f", force}, {"e.v", 4.0}});
    EXPECT_DOUBLE_EQ(mass["e.acc"], force * 0.5);
    EXPECT_DOUBLE_EQ(mass.Energy(), 16.0);
    mass.ExpectBalance();
  }
}

// Body on a frictionless incline: left alone it accelerates with -g*sin(angle) along the slope, whatever its
// mass; potential energy is the weight times the height gained. Halliday et al., ch. 5-3 and 8-1.
TEST(Translational, HangingMassFallsDownItsSlope) {
  Probe mass("HangingMass(m = 3 kg, angle = 30 deg, gravity = 10 m/s^2)");
  SetAll(mass, {{"e.f", 0.0}, {"e.v", 0.0}, {"e.s", 0.0}});
  EXPECT_NEAR(mass["e.acc"], -5.0, 1e-12);
  const double low = mass.Energy();
  SetAll(mass, {{"e.f", 0.0}, {"e.v", 0.0}, {"e.s", 4.0}});  // 2 m higher
  EXPECT_NEAR(mass.Energy() - low, 60.0, 1e-9);
  Probe down("HangingMass(m = 3 kg, angle = -90 deg)");  // s counts downwards: standard gravity, ISO 80000-3
  down.Set("e.f", 0.0);
  EXPECT_NEAR(down["e.acc"], 9.80665, 1e-12);
  ExpectBalanceAt(mass, {{{"e.s", 0.3}, {"e.v", 1.0}, {"e.acc", 2.0}},
                         {{"e.s", -1.0}, {"e.v", -2.0}, {"e.acc", 0.5}},
                         {{"e.s", 0.0}, {"e.v", 3.0}, {"e.acc", -4.0}}});
}

// A kilogram weighs one kilopond, 9.80665 N (ISO 80000-4); lifting it by 2 m takes 2 kp*m.
TEST(Translational, WeightPullsBackOnAnUprightAxis) {
  Probe weight("Weight(m = 1 kg)");
  SetAll(weight, {{"e.s", 0.0}, {"e.v", 1.0}});
  EXPECT_NEAR(weight["e.f"], 9.80665, 1e-12);  // f > 0 pulls a backwards, here down
  const double low = weight.Energy();
  SetAll(weight, {{"e.s", 2.0}, {"e.v", 1.0}});
  EXPECT_NEAR(weight.Energy() - low, 19.6133, 1e-9);
  Probe level("Weight(m = 1 kg, angle = 0 deg)");
  EXPECT_NEAR(level["e.f"], 0.0, 1e-12);
  ExpectBalanceAt(
      weight, {{{"e.s", 0.5}, {"e.v", 1.0}}, {{"e.s", -2.0}, {"e.v", -3.0}}, {{"e.s", 0.0}, {"e.v", 0.1}}});
}

// Hooke: the compliance is 1/k; the stored energy is force^2/(2 k). Meriam, Kraige, Dynamics, 7th ed., 3/6.
TEST(Translational, SpringIsHookes) {
  Probe spring("Spring(k = 200 N/m, s0 = 10 mm)");
  for (const double force : {-4.0, 1.0, 8.0}) {
    SetAll(spring, {{"e.f", force}, {"e.v", 0.7}});
    EXPECT_NEAR(spring["e.s"], 0.01 + 0.005 * force, 1e-12);
    EXPECT_NEAR(spring.Energy(), force * force / 400.0, 1e-12);
    spring.ExpectBalance();
  }
}

// Duffing: secant stiffness k + k3*x^2 (Nayfeh, Mook, Nonlinear Oscillations, 4.1). x = 0.1 m: 100 +
// 5000*0.01.
TEST(Translational, CubicSpringStiffens) {
  Probe spring("CubicSpring(k = 100 N/m, k3 = 5000 N/m^3, s0 = 0.2 m)");
  SetAll(spring, {{"e.s", 0.3}, {"e.v", 1.0}});
  EXPECT_NEAR(spring["e.f"] / 0.1, 150.0, 1e-9);
  EXPECT_NEAR(spring.Energy(), 0.5 + 0.125, 1e-12);  // 100*0.01/2 + 5000*1e-4/4
  SetAll(spring, {{"e.s", 0.1}, {"e.v", 1.0}});
  EXPECT_NEAR(spring["e.f"], -15.0, 1e-9);
  ExpectBalanceAt(
      spring, {{{"e.s", 0.5}, {"e.v", 1.0}}, {{"e.s", -0.2}, {"e.v", 2.0}}, {{"e.s", 0.21}, {"e.v", -3.0}}});
}

// Linear interpolation between two neighbouring points (Press et al., Numerical Recipes, 3rd ed., 3.1), the
// ends continued; the energy is the area under the polygon: trapezoids.
TEST(Translational, TableSpringInterpolates) {
  Probe spring("TableSpring(n = 4, displacement = [-10, 0, 10, 30] mm, force = [-50, 0, 20, 100] N)");
  const std::pair<double, double> points[] = {{-0.020, -100.0}, {-0.010, -50.0}, {-0.005, -25.0},
                                              {0.0, 0.0},       {0.004, 8.0},    {0.010, 20.0},
                                              {0.020, 60.0},    {0.030, 100.0},  {0.040, 140.0}};
  for (const auto& [s, f] : points) {
    SetAll(spring, {{"e.s", s}, {"e.v", 1.0}});
    EXPECT_NEAR(spring["e.f"], f, 1e-9) << s;
  }
  SetAll(spring, {{"e.s", 0.0}, {"e.v", 1.0}});
  const double relaxed = spring.Energy();
  SetAll(spring, {{"e.s", 0.03}, {"e.v", 1.0}});
  EXPECT_NEAR(spring.Energy() - relaxed, 0.5 * 0.01 * 20.0 + 0.02 * 0.5 * (20.0 + 100.0), 1e-9);
  SetAll(spring, {{"e.s", -0.01}, {"e.v", 1.0}});
  EXPECT_NEAR(spring.Energy() - relaxed, 0.5 * 0.01 * 50.0, 1e-9);
  EXPECT_NEAR(spring.Energy(), 0.0, 1e-12);  // counted from the first point
  ExpectBalanceAt(
      spring,
      {{{"e.s", -0.015}, {"e.v", 2.0}}, {{"e.s", 0.007}, {"e.v", -1.0}}, {{"e.s", 0.035}, {"e.v", 0.5}}});
  Probe straight("TableSpring(displacement = [1, 2] m, force = [3, 5] N)");  // two points: a plain line
  straight.Set("e.s", 0.0);
  EXPECT_NEAR(straight["e.f"], 1.0, 1e-12);
}

// Viscous damper: velocity per force 1/d, power force^2/d. Meriam, Kraige, Dynamics, 8/2.
TEST(Translational, DamperIsViscous) {
  Probe damper("Damper(d = 50 N*s/m)");
  for (const double force : {-10.0, 5.0, 20.0}) {
    SetAll(damper, {{"e.f", force}});
    EXPECT_NEAR(damper["e.v"], 0.02 * force, 1e-12);
    EXPECT_NEAR(damper.Loss(), force * force / 50.0, 1e-9);
    damper.ExpectBalance();
  }
}

// Drag 1/2 rho cd A v^2 (White, Fluid Mechanics, 7th ed., 7.6): a car with cd*A = 0.6 m^2 at 30 m/s in air of
// 1.2 kg/m^3 has 324 N, and needs 9.72 kW. c = rho*cd*A/2 = 0.36 N*s^2/m^2.
TEST(Translational, QuadraticDamperIsDrag) {
  Probe car("QuadraticDamper(c = 0.36 N*s^2/m^2)");
  SetAll(car, {{"e.v", 30.0}});
  EXPECT_NEAR(car["e.f"], 324.0, 1e-9);
  EXPECT_NEAR(car.Loss(), 9720.0, 1e-6);
  SetAll(car, {{"e.v", -15.0}});
  EXPECT_NEAR(car["e.f"], -81.0, 1e-9);
  ExpectBalanceAt(car, {{{"e.v", -2.0}}, {{"e.v", 0.0}}, {{"e.v", 9.0}}});
}

// Kelvin-Voigt: at rest the spring alone, at the relaxed length the damper alone. Meriam, Kraige, 8/2.
TEST(Translational, SpringDamperAddsBoth) {
  Probe both("SpringDamper(k = 1000 N/m, d = 20 N*s/m, s0 = 5 mm)");
  SetAll(both, {{"e.s", 0.008}, {"e.v", 0.0}});
  EXPECT_NEAR(both["e.f"], 3.0, 1e-12);
  SetAll(both, {{"e.s", 0.005}, {"e.v", -0.5}});
  EXPECT_NEAR(both["e.f"], -10.0, 1e-12);
  EXPECT_NEAR(both.Loss(), 5.0, 1e-12);
  ExpectBalanceAt(
      both, {{{"e.s", 0.01}, {"e.v", 1.0}}, {{"e.s", 0.0}, {"e.v", 2.0}}, {{"e.s", -0.1}, {"e.v", -3.0}}});
}

// Lever law: force times arm is equal on both sides (Archimedes; Gross et al., Engineering Mechanics 1, ch.
// 3). Pivot between the ends, arms 2 m at a and 1 m at b: 10 N down at a holds 20 N at b, ends move
// oppositely.
TEST(Translational, LeverLaw) {
  Probe lever("Lever(ratio = -2)");
  SetAll(lever, {{"at_b.s", 0.1}, {"at_b.v", 0.3}, {"at_a.v", -0.6}, {"at_a.f", 10.0}});
  EXPECT_NEAR(lever["at_a.s"], -0.2, 1e-12);
  EXPECT_NEAR(lever["at_b.f"], 20.0, 1e-12);
  EXPECT_NEAR(lever.Power(), 0.0, 1e-12);
  ExpectBalanceAt(lever, {{{"at_b.s", 1.0}, {"at_b.v", 1.0}, {"at_a.v", -2.0}, {"at_a.f", 3.0}},
                          {{"at_b.s", 0.0}, {"at_b.v", -2.0}, {"at_a.v", 4.0}, {"at_a.f", 5.0}},
                          {{"at_b.s", -1.0}, {"at_b.v", 0.5}, {"at_a.v", -1.0}, {"at_a.f", -7.0}}});
}

// Block and tackle (Archimedes; Gross et al., Engineering Mechanics 1, ch. 3): one end of the rope fixed, the
// load at the axle. The free end moves by 2 m for 1 m of the load, and 50 N at it balance 100 N.
TEST(Translational, PulleyHalvesTheForce) {
  Probe pulley("Pulley");
  const double axle = 1.0;
  SetAll(pulley, {{"end_b.s", 0.0 - axle}, {"end_b.v", -1.0}, {"end_a.v", 1.0}, {"end_a.f", -50.0}});
  EXPECT_NEAR(pulley["end_a.s"] + axle, 2.0, 1e-12);
  EXPECT_NEAR(pulley["end_a.f"] + pulley["end_b.f"], -100.0, 1e-12);
  EXPECT_NEAR(pulley.Power(), 0.0, 1e-12);
  ExpectBalanceAt(pulley, {{{"end_a.s", 0.7}, {"end_a.v", 1.0}, {"end_b.v", -1.0}, {"end_a.f", 2.0}},
                           {{"end_a.s", 0.1}, {"end_a.v", 2.0}, {"end_b.v", -2.0}, {"end_a.f", -3.0}},
                           {{"end_a.s", 0.0}, {"end_a.v", -1.0}, {"end_b.v", 1.0}, {"end_a.f", 4.0}}});
}

// --- Contact ---

// Contact with spring and damper that cannot pull: Modelica Standard Library 4.0,
// Mechanics.Translational.Components.ElastoGap.
TEST(Translational, ElastoGapPushesOnly) {
  Probe gap("ElastoGap(k = 1000 N/m, d = 10 N*s/m, s0 = 20 mm)");
  SetAll(gap, {{"e.s", 0.025}, {"e.v", -1.0}});
  EXPECT_EQ(gap["e.f"], 0.0);  // apart
  SetAll(gap, {{"e.s", 0.015}, {"e.v", -1.0}});
  EXPECT_NEAR(gap["e.f"], -15.0, 1e-12);  // 5 N of the spring, 10 N of the damper push a forwards
  SetAll(gap, {{"e.s", 0.015}, {"e.v", 0.2}});
  EXPECT_NEAR(gap["e.f"], -3.0, 1e-12);
  SetAll(gap, {{"e.s", 0.015}, {"e.v", 3.0}});
  EXPECT_EQ(gap["e.f"], 0.0);            // leaves faster than the spring follows
  EXPECT_NEAR(gap.Loss(), 15.0, 1e-12);  // what the spring gives then is lost
  ExpectBalanceAt(
      gap, {{{"e.s", 0.015}, {"e.v", -1.0}}, {{"e.s", 0.015}, {"e.v", 3.0}}, {{"e.s", 0.05}, {"e.v", 1.0}}});
}

TEST(Translational, EndStopActsBeyondItsLimits) {  // same source, once on each side
  Probe stop("EndStop(s_min = -10 mm, s_max = 40 mm, k = 1e5 N/m, d = 100 N*s/m)");
  const double table[][3] = {{0.0, 5.0, 0.0},       {0.039, 5.0, 0.0},      {0.042, 0.0, 200.0},
                             {0.042, 1.0, 300.0},   {0.042, -3.0, 0.0},     {-0.009, -5.0, 0.0},
                             {-0.013, 0.0, -300.0}, {-0.013, -2.0, -500.0}, {-0.013, 4.0, 0.0}};
  for (const auto& [s, v, f] : table) {
    SetAll(stop, {{"e.s", s}, {"e.v", v}});
    EXPECT_NEAR(stop["e.f"], f, 1e-7) << s << " " << v;
  }
  SetAll(stop, {{"e.s", 0.042}, {"e.v", 1.0}});
  EXPECT_NEAR(stop.Energy(), 0.2, 1e-9);  // 200 N over 2 mm, triangle
  ExpectBalanceAt(stop, {{{"e.s", 0.042}, {"e.v", 1.0}},
                         {{"e.s", 0.042}, {"e.v", -3.0}},
                         {{"e.s", -0.013}, {"e.v", -2.0}},
                         {{"e.s", 0.01}, {"e.v", -2.0}}});
}

// Dead zone of width `gap` with a spring on both sides: Nordin, Gutman, Controlling mechanical systems with
// backlash, Automatica 38 (2002), section 2.
TEST(Translational, BacklashHasADeadZone) {
  Probe play("Backlash(gap = 2 mm, k = 1e6 N/m, d = 100 N*s/m)");
  const double table[][3] = {{0.0, 1.0, 0.0},       {0.0009, 1.0, 0.0},  {0.0015, 0.0, 500.0},
                             {0.0015, 1.0, 600.0},  {0.0015, -6.0, 0.0}, {-0.0015, 0.0, -500.0},
                             {-0.002, 2.0, -800.0}, {-0.0015, 6.0, 0.0}, {-0.0009, -1.0, 0.0}};
  for (const auto& [s, v, f] : table) {
    SetAll(play, {{"e.s", s}, {"e.v", v}});
    EXPECT_NEAR(play["e.f"], f, 1e-6) << s << " " << v;
  }
  ExpectBalanceAt(play, {{{"e.s", 0.0015}, {"e.v", 1.0}},
                         {{"e.s", 0.0}, {"e.v", 1.0}},
                         {{"e.s", -0.002}, {"e.v", 2.0}},
                         {{"e.s", -0.002}, {"e.v", 200.0}}});
}

// --- Friction ---

// Stribeck curve: Armstrong-Helouvry, Dupont, Canudas de Wit, A survey of models, analysis tools and
// compensation methods for the control of machines with friction, Automatica 30 (1994), section 2: f_static
// at rest, 1/e of the excess at the Stribeck velocity, Coulomb and viscous friction far beyond.
TEST(Translational, FrictionFollowsStribecksCurve) {
  Probe friction("Friction(f_coulomb = 10 N, f_static = 15 N, v_stribeck = 0.1 m/s, d = 2 N*s/m)");
  SetAll(friction, {{"mode", kForward}, {"e.v", 0.0}});
  EXPECT_NEAR(friction["e.f"], 15.0, 1e-12);
  SetAll(friction, {{"mode", kForward}, {"e.v", 0.1}});
  EXPECT_NEAR(friction["e.f"], 10.0 + 5.0 * 0.36787944117144233 + 0.2, 1e-12);
  SetAll(friction, {{"mode", kForward}, {"e.v", 5.0}});
  EXPECT_NEAR(friction["e.f"], 20.0, 1e-12);
  SetAll(friction, {{"mode", kBackward}, {"e.v", -5.0}});
  EXPECT_NEAR(friction["e.f"], -20.0, 1e-12);
  EXPECT_NEAR(friction.Loss(), 100.0, 1e-12);
  SetAll(friction, {{"mode", kBackward}, {"e.v", -0.1}});
  EXPECT_NEAR(friction["e.f"], -(10.0 + 5.0 * 0.36787944117144233 + 0.2), 1e-12);
  SetAll(friction, {{"mode", kStuck}, {"e.f", 12.0}, {"e.v", 0.0}});
  EXPECT_EQ(friction["e.acc"], 0.0);
  ExpectBalanceAt(friction, {{{"mode", kForward}, {"e.v", 0.05}},
                             {{"mode", kBackward}, {"e.v", -1.0}},
                             {{"mode", kStuck}, {"e.v", 0.0}, {"e.f", 3.0}}});
}

TEST(Translational, FrictionSticksAndBreaksAway) {
  Probe friction("Friction(f_coulomb = 10 N, f_static = 15 N)");
  ExpectFrictionModes(friction, "e.v", "e.f", -15.0, 15.0, {});
}

// The same curve as Friction beyond v_small (tanh(10) is 1 within 5e-9), a steep damper f_static/v_small
// below.
TEST(Translational, SmoothFrictionAgreesWithFrictionWhenSliding) {
  Probe smooth(
      "SmoothFriction(f_coulomb = 10 N, f_static = 15 N, v_stribeck = 0.1 m/s, v_small = 0.01 m/s, d = 2 "
      "N*s/m)");
  SetAll(smooth, {{"e.v", 0.1}});
  EXPECT_NEAR(smooth["e.f"], 10.0 + 5.0 * 0.36787944117144233 + 0.2, 1e-6);
  SetAll(smooth, {{"e.v", -5.0}});
  EXPECT_NEAR(smooth["e.f"], -20.0, 1e-9);
  SetAll(smooth, {{"e.v", 1e-6}});
  EXPECT_NEAR(smooth["e.f"], 1502.0 * 1e-6, 1e-9);
  SetAll(smooth, {{"e.v", 0.0}});
  EXPECT_EQ(smooth["e.f"], 0.0);
  ExpectBalanceAt(smooth, {{{"e.v", 0.003}}, {{"e.v", -0.2}}, {{"e.v", 3.0}}});
}

// Amontons-Coulomb: friction is mu times the normal force on each pad (Gross et al., Engineering Mechanics 1,
// 9.1): 1 kN on two pads, mu = 0.3, holds back 600 N and dissipates 1.2 kW at 2 m/s.
TEST(Translational, LinearBrakeIsCoulombs) {
  Probe brake("LinearBrake(mu = 0.3, mu_static = 0.35)");
  SetAll(brake, {{"u", 1000.0}, {"mode", kForward}, {"e.v", 2.0}});
  EXPECT_NEAR(brake["e.f"], 600.0, 1e-9);
  EXPECT_NEAR(brake.Loss(), 1200.0, 1e-9);
  SetAll(brake, {{"u", 1000.0}, {"mode", kBackward}, {"e.v", -2.0}});
  EXPECT_NEAR(brake["e.f"], -600.0, 1e-9);
  SetAll(brake, {{"u", -50.0}, {"mode", kForward}, {"e.v", 2.0}});
  EXPECT_EQ(brake["e.f"], 0.0);  // pads off
  SetAll(brake, {{"u", 1000.0}, {"mode", kStuck}, {"e.v", 0.0}, {"e.f", 100.0}});
  EXPECT_EQ(brake["e.acc"], 0.0);
  ExpectBalanceAt(brake, {{{"u", 1000.0}, {"mode", kForward}, {"e.v", 2.0}},
                          {{"u", 500.0}, {"mode", kBackward}, {"e.v", -1.0}},
                          {{"u", 500.0}, {"mode", kStuck}, {"e.v", 0.0}, {"e.f", 5.0}}});
  ExpectFrictionModes(brake, "e.v", "e.f", -700.0, 700.0, {{"u", 1000.0}});
}

// --- Sources ---
// Sign: Hogan, Breedveld, The physical basis of analogies in physical system models, in: Bishop, The
// Mechatronics Handbook, ch. 15: what drives has negative power into its edge.

TEST(Translational, ForceSourcePushesB) {
  Probe source("ForceSource(force = 12 N)");
  SetAll(source, {{"e.v", -2.0}});  // b runs ahead of a by 2 m/s: the source drives it with 24 W
  EXPECT_EQ(source["e.f"], 12.0);
  EXPECT_NEAR(source.Power(), -24.0, 1e-12);
}

TEST(Translational, MotionSourcesPrescribeMotionAndTakeAnyForce) {
  for (const double force : {-3.0, 0.0, 8.0}) {
    Probe velocity("VelocitySource(velocity = 36 km/h)");
    velocity.Set("e.f", force);
    EXPECT_NEAR(velocity["e.v"], 10.0, 1e-12);
    EXPECT_NEAR(velocity.Power(), 10.0 * force, 1e-12);
    Probe position("PositionSource(position = 3 cm)");
    position.Set("e.f", force);
    EXPECT_NEAR(position["e.s"], 0.03, 1e-12);
    Probe acceleration("AccelerationSource(acceleration = 2 m/s^2)");
    acceleration.Set("e.f", force);
    EXPECT_NEAR(acceleration["e.acc"], 2.0, 1e-12);
  }
}

TEST(Translational, SignalSourcesFollowTheirSignal) {
  for (const auto& [use, variable] : {std::pair{"SignalForceSource", "e.f"},
                                      {"SignalVelocitySource", "e.v"},
                                      {"SignalPositionSource", "e.s"},
                                      {"SignalAccelerationSource", "e.acc"}}) {
    Probe source(use);
    for (const double value : {-2.5, 0.0, 4.0}) {
      SetAll(source, {{"u", value}});
      EXPECT_EQ(source[variable], value) << use;
    }
  }
}

// --- Sensors: they take no power (Bentley, Principles of Measurement Systems, 4th ed., 5.2). ---

TEST(Translational, SensorsOfMotionReadAndTakeNoForce) {
  for (const auto& [use, variable] : {std::pair{"PositionSensor", "e.s"},
                                      {"VelocitySensor", "e.v"},
                                      {"AccelerationSensor", "e.acc"},
                                      {"RelativePositionSensor", "e.s"},
                                      {"RelativeVelocitySensor", "e.v"},
                                      {"RelativeAccelerationSensor", "e.acc"}}) {
    Probe sensor(use);
    for (const double value : {-2.5, 0.0, 4.0}) {
      SetAll(sensor, {{variable, value}});
      EXPECT_EQ(sensor["y"], value) << use;
      EXPECT_EQ(sensor["e.f"], 0.0) << use;
    }
  }
}

TEST(Translational, ForceSensorIsRigid) {
  Probe sensor("ForceSensor");
  for (const double force : {-2.5, 0.0, 4.0}) {
    SetAll(sensor, {{"e.f", force}});
    EXPECT_EQ(sensor["y"], force);
    EXPECT_EQ(sensor["e.s"], 0.0);
  }
}

// A horse that pulls with 75 kp at 1 m/s gives one metric horsepower, 735.49875 W.
TEST(Translational, PowerSensorReadsHorsepower) {
  Probe sensor("TranslationalPowerSensor");
  SetAll(sensor, {{"rod.f", 75.0 * 9.80665}, {"motion.v", 1.0}, {"rod.v", 0.0}});
  EXPECT_NEAR(sensor["y"], 735.49875, 1e-9);
  EXPECT_EQ(sensor["rod.s"], 0.0);
  EXPECT_EQ(sensor["motion.f"], 0.0);
  EXPECT_EQ(sensor.Power(), 0.0);
  SetAll(sensor, {{"rod.f", 10.0}, {"motion.v", -3.0}});  // b drives a
  EXPECT_NEAR(sensor["y"], -30.0, 1e-12);
}

}  // namespace
}  // namespace cotree::test
