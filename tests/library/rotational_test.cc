// SPDX-License-Identifier: Apache-2.0
// The classes of library/rotational.cot against textbook relations, in numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "library/mechanics_bench.h"
#include "library/probe.h"

namespace cotree::test {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kRpm = std::numbers::pi / 30;

// --- Fixed points ---

// A flexible shaft against the ground has its whole twist at its free end.
TEST(Rotational, GroundNeverTurns) {
  Probe held("Held", R"(component Held {
    terminal a : rotational
    spring : TorsionSpring(k = 200 N*m/rad)
    ground : RotationalGround
    connect a -- spring.a
    connect spring.b -- ground.a
  })");
  held.Set("a.tau", 3.0);
  EXPECT_NEAR(held["a.phi"], 0.015, 1e-12);
}

TEST(Rotational, FixedAngleHoldsItsAngle) {
  Probe fixed("FixedAngle(angle = 90 deg)");
  fixed.Set("e.tau", -7.0);
  EXPECT_NEAR(fixed["e.phi"], std::numbers::pi / 2, 1e-15);
}

// --- Elements ---

// Euler's law: 6 N*m speed 2 kg*m^2 up by 3 rad/s in a second. Halliday, Resnick, Walker, Fundamentals of
// Physics, 10th ed., ch. 10-7; kinetic energy ch. 10-4.
TEST(Rotational, InertiaFollowsEuler) {
  Probe wheel("Inertia(J = 2 kg*m^2)");
  for (const double torque : {-1.5, 0.0, 6.0}) {
    SetAll(wheel, {{"e.tau", torque}, {"e.w", 4.0}});
    EXPECT_DOUBLE_EQ(wheel["e.alpha"], torque * 0.5);
    EXPECT_DOUBLE_EQ(wheel.Energy(), 16.0);
    wheel.ExpectBalance();
  }
}

// Physical pendulum (Halliday et al., ch. 15-4): small swings have w0^2 = m g l/I with I about the pivot by
// Steiner's theorem. A uniform rod of length 1.5 m swings as a point 1 m below the pivot. Energy: m g h.
TEST(Rotational, PendulumIsTheUniformRod) {
  Probe rod("Pendulum(m = 2 kg, l = 0.75 m, J = 0.375 kg*m^2, gravity = 10 m/s^2)");  // J = m*(1.5 m)^2/12
  SetAll(rod, {{"e.phi", 1e-6}, {"e.w", 0.0}, {"e.tau", 0.0}});
  EXPECT_NEAR(rod["e.alpha"] / 1e-6, -10.0 / 1.0, 1e-9);
  SetAll(rod, {{"e.phi", 90 * kDegree}, {"e.w", 0.0}, {"e.alpha", 0.0}});
  EXPECT_NEAR(rod["e.tau"], 15.0, 1e-12);  // held level: weight 20 N at 0.75 m
  EXPECT_NEAR(rod.Energy(), 15.0, 1e-12);
  SetAll(rod, {{"e.phi", 0.0}, {"e.w", 2.0}, {"e.alpha", 0.0}});
  EXPECT_NEAR(rod.Energy(), 3.0, 1e-12);  // I = m*(1.5 m)^2/3 = 1.5 kg*m^2
  ExpectBalanceAt(rod, {{{"e.phi", 0.3}, {"e.w", 2.0}, {"e.alpha", 1.0}},
                        {{"e.phi", -2.0}, {"e.w", 1.0}, {"e.alpha", -3.0}},
                        {{"e.phi", 4.0}, {"e.w", -5.0}, {"e.alpha", 0.5}}});
}

// Torsion: compliance 1/k, energy torque^2/(2 k). Gross et al., Engineering Mechanics 2, ch. 5 and 6.
TEST(Rotational, TorsionSpringIsHookes) {
  Probe shaft("TorsionSpring(k = 200 N*m/rad, phi0 = 0.01 rad)");
  for (const double torque : {-4.0, 1.0, 8.0}) {
    SetAll(shaft, {{"e.tau", torque}, {"e.w", 0.7}});
    EXPECT_NEAR(shaft["e.phi"], 0.01 + 0.005 * torque, 1e-12);
    EXPECT_NEAR(shaft.Energy(), torque * torque / 400.0, 1e-12);
    shaft.ExpectBalance();
  }
}

// Duffing: secant stiffness k + k3*x^2 (Nayfeh, Mook, Nonlinear Oscillations, 4.1). Softening: a pendulum's
// m g l sin(phi) is 1*phi - phi^3/6 for m g l = 1, to 1 part in 10^5 at 0.2 rad.
TEST(Rotational, CubicTorsionSpringSoftens) {
  Probe spring("CubicTorsionSpring(k = 1 N*m/rad, k3 = -0.16666666666666667 N*m/rad^3)");
  for (const double angle : {-0.2, 0.1, 0.2}) {
    SetAll(spring, {{"e.phi", angle}, {"e.w", 1.0}});
    EXPECT_NEAR(spring["e.tau"], std::sin(angle), 3e-6);
    EXPECT_NEAR(spring.Energy(), 1 - std::cos(angle), 1e-7);
    spring.ExpectBalance();
  }
  Probe twisted("CubicTorsionSpring(k = 2 N*m/rad, k3 = 3 N*m/rad^3, phi0 = 1 rad)");
  SetAll(twisted, {{"e.phi", 2.0}, {"e.w", 1.0}});
  EXPECT_NEAR(twisted["e.tau"], 5.0, 1e-12);
  EXPECT_NEAR(twisted.Energy(), 1.75, 1e-12);
  twisted.ExpectBalance();
}

// Linear interpolation between two neighbouring points (Press et al., Numerical Recipes, 3rd ed., 3.1), the
// ends continued; the energy is the area under the polygon. A clutch disc with two stages.
TEST(Rotational, TableTorsionSpringInterpolates) {
  Probe disc(
      "TableTorsionSpring(n = 4, angle = [-0.2, -0.1, 0.1, 0.2] rad, torque = [-30, -10, 10, 30] N*m)");
  const std::pair<double, double> points[] = {{-0.3, -50.0}, {-0.15, -20.0}, {-0.1, -10.0}, {0.0, 0.0},
                                              {0.05, 5.0},   {0.15, 20.0},   {0.2, 30.0},   {0.25, 40.0}};
  for (const auto& [phi, tau] : points) {
    SetAll(disc, {{"e.phi", phi}, {"e.w", 1.0}});
    EXPECT_NEAR(disc["e.tau"], tau, 1e-9) << phi;
    disc.ExpectBalance();
  }
  SetAll(disc, {{"e.phi", -0.2}, {"e.w", 1.0}});
  EXPECT_NEAR(disc.Energy(), 0.0, 1e-12);  // counted from the first point
  SetAll(disc, {{"e.phi", 0.0}, {"e.w", 1.0}});
  const double relaxed = disc.Energy();
  for (const double phi : {-0.2, 0.2}) {
    SetAll(disc, {{"e.phi", phi}, {"e.w", 1.0}});
    EXPECT_NEAR(disc.Energy() - relaxed, 0.5 * 0.1 * 10.0 + 0.1 * 0.5 * (10.0 + 30.0), 1e-9);
  }
}

// Viscous bearing: speed per torque 1/d, power torque^2/d. Meriam, Kraige, Dynamics, 7th ed., 8/2.
TEST(Rotational, DamperIsViscous) {
  Probe bearing("RotationalDamper(d = 50 N*m*s/rad)");
  for (const double torque : {-10.0, 5.0, 20.0}) {
    SetAll(bearing, {{"e.tau", torque}});
    EXPECT_NEAR(bearing["e.w"], 0.02 * torque, 1e-12);
    EXPECT_NEAR(bearing.Loss(), torque * torque / 50.0, 1e-9);
    bearing.ExpectBalance();
  }
}

// Fan laws: torque by the square, power by the cube of the speed (White, Fluid Mechanics, 7th ed., 11.3).
TEST(Rotational, QuadraticDamperFollowsTheFanLaws) {
  Probe fan("RotationalQuadraticDamper(c = 0.002 N*m*s^2/rad^2)");
  SetAll(fan, {{"e.w", 50.0}});
  const double torque = fan["e.tau"];
  const double power = fan.Loss();
  EXPECT_NEAR(torque, 5.0, 1e-12);
  SetAll(fan, {{"e.w", 150.0}});
  EXPECT_NEAR(fan["e.tau"], 9 * torque, 1e-9);
  EXPECT_NEAR(fan.Loss(), 27 * power, 1e-9);
  SetAll(fan, {{"e.w", -50.0}});
  EXPECT_NEAR(fan["e.tau"], -torque, 1e-12);
  ExpectBalanceAt(fan, {{{"e.w", -20.0}}, {{"e.w", 0.0}}, {{"e.w", 90.0}}});
}

// Kelvin-Voigt: at rest the spring alone, at the relaxed angle the damper alone. Meriam, Kraige, 8/2.
TEST(Rotational, SpringDamperAddsBoth) {
  Probe both("TorsionSpringDamper(k = 1000 N*m/rad, d = 20 N*m*s/rad, phi0 = 0.005 rad)");
  SetAll(both, {{"e.phi", 0.008}, {"e.w", 0.0}});
  EXPECT_NEAR(both["e.tau"], 3.0, 1e-12);
  SetAll(both, {{"e.phi", 0.005}, {"e.w", -0.5}});
  EXPECT_NEAR(both["e.tau"], -10.0, 1e-12);
  EXPECT_NEAR(both.Loss(), 5.0, 1e-12);
  ExpectBalanceAt(
      both,
      {{{"e.phi", 0.01}, {"e.w", 1.0}}, {{"e.phi", 0.0}, {"e.w", 2.0}}, {{"e.phi", -0.1}, {"e.w", -3.0}}});
}

// --- Gears ---

// Reduction 10: the slow shaft has ten times the torque and a tenth of the speed. An inertia at b is seen at
// a divided by ratio^2 (Isermann, Mechatronic Systems, ch. 4): 5 kg*m^2 become 0.05 kg*m^2.
TEST(Rotational, GearReflectsInertia) {
  Probe gear("Gear(ratio = 10)");
  const double alpha_a = 20.0;
  const double alpha_b = alpha_a / 10;
  SetAll(gear, {{"at_a.phi", 1.0}, {"at_b.tau", -5.0 * alpha_b}, {"at_a.w", 30.0}, {"at_b.w", 3.0}});
  EXPECT_NEAR(gear["at_a.tau"] / alpha_a, 0.05, 1e-12);
  EXPECT_NEAR(gear["at_b.phi"], 0.1, 1e-12);
  EXPECT_NEAR(gear.Power(), 0.0, 1e-12);
  Probe spur("Gear(ratio = -2)");  // external teeth: the other way round
  spur.Set("at_b.phi", 1.0);
  spur.Set("at_a.tau", 3.0);
  EXPECT_NEAR(spur["at_a.phi"], -2.0, 1e-12);
  EXPECT_NEAR(spur["at_b.tau"], 6.0, 1e-12);
  ExpectBalanceAt(gear, {{{"at_a.phi", 1.0}, {"at_b.tau", 3.0}, {"at_a.w", 30.0}, {"at_b.w", 3.0}},
                         {{"at_a.phi", 0.0}, {"at_b.tau", -7.0}, {"at_a.w", 10.0}, {"at_b.w", 1.0}},
                         {{"at_a.phi", -4.0}, {"at_b.tau", 2.0}, {"at_a.w", -20.0}, {"at_b.w", -2.0}}});
}

// Efficiency is power out by power in (Dubbel, Handbook of Mechanical Engineering, part F), in all four
// quadrants. Ratio 4: 5 rad/s at b are 20 rad/s at a.
void ExpectEfficiencies(Probe& gear, const char* output_speed, const char* output_force, double per_a,
                        double forth, double back) {
  for (const double w : {20.0, -20.0}) {
    for (const double resists : {1.0, -1.0}) {  // the load takes power, or gives it
      const double mode = w > 0 ? kForward : kBackward;
      // Force into the edge at b: negative against the motion where power leaves there.
      const double force = -resists * (w > 0 ? 8.0 : -8.0);
      SetAll(gear, {{"mode", mode},
                    {"at_a.phi", 0.0},
                    {"at_a.w", w},
                    {output_speed, w * per_a},
                    {output_force, force}});
      const double power_a = gear["at_a.tau"] * w;
      const double power_b = force * w * per_a;
      EXPECT_LT(power_b * resists, 0.0);
      if (resists > 0) {
        EXPECT_NEAR(-power_b / power_a, forth, 1e-9) << w;
      } else {
        EXPECT_NEAR(-power_a / power_b, back, 1e-9) << w;
      }
      EXPECT_NEAR(gear.Loss(), power_a + power_b, 1e-9);
      EXPECT_GE(gear.Loss(), 0.0);
      gear.ExpectBalance();
    }
  }
  SetAll(gear, {{"mode", kStuck}, {"at_a.phi", 0.0}, {"at_a.tau", 0.0}, {output_force, 0.0}});
  EXPECT_EQ(gear["at_a.alpha"], 0.0);
}

TEST(Rotational, LossyGearHasItsEfficiencies) {
  Probe gear("LossyGear(ratio = 4, efficiency = 0.8, efficiency_back = 0.5)");
  ExpectEfficiencies(gear, "at_b.w", "at_b.tau", 0.25, 0.8, 0.5);
  SetAll(gear, {{"mode", kForward}, {"at_b.phi", 2.0}, {"at_b.tau", -16.0}, {"at_a.w", 0.0}});
  EXPECT_NEAR(gear["at_a.phi"], 8.0, 1e-12);
  EXPECT_NEAR(gear["at_a.tau"], 5.0, 1e-12);  // 16 N*m/4 by 0.8
  // At rest under this load it holds from 4*0.5 (b is about to drive) to 4/0.8 N*m.
  ExpectFrictionModes(gear, "at_a.w", "at_a.tau", 2.0, 5.0, {{"at_b.phi", 2.0}, {"at_b.tau", -16.0}});
  Probe ideal("LossyGear(ratio = 4, efficiency = 1)");
  SetAll(ideal, {{"mode", kForward}, {"at_b.phi", 2.0}, {"at_b.tau", -16.0}, {"at_a.w", 1.0}});
  EXPECT_NEAR(ideal["at_a.tau"], 4.0, 1e-12);
  EXPECT_NEAR(ideal.Loss(), 0.0, 1e-12);
}

TEST(Rotational, WormIdealIsAGear) {
  Probe worm("Worm(ratio = 40)");
  SetAll(worm, {{"at_b.phi", 0.5}, {"at_a.tau", 2.0}, {"at_a.w", 40.0}, {"at_b.w", 1.0}});
  EXPECT_NEAR(worm["at_a.phi"], 20.0, 1e-12);
  EXPECT_NEAR(worm["at_b.tau"], -80.0, 1e-12);
  ExpectBalanceAt(worm, {{{"at_b.phi", 0.5}, {"at_a.tau", 2.0}, {"at_a.w", 40.0}, {"at_b.w", 1.0}},
                         {{"at_b.phi", 0.0}, {"at_a.tau", -3.0}, {"at_a.w", 80.0}, {"at_b.w", 2.0}},
                         {{"at_b.phi", -1.0}, {"at_a.tau", 1.0}, {"at_a.w", -4.0}, {"at_b.w", -0.1}}});
}

// Worm gears (Dubbel, Handbook of Mechanical Engineering, part F; Shigley, Mechanical Engineering Design,
// 10th ed., 13-17, with a square thread): driving efficiency (1 - mu*tan(g))/(1 + mu/tan(g)); it locks itself
// where mu > tan(lead angle).
TEST(Rotational, WormLossyLocksItself) {
  const double slope = std::tan(20 * kDegree);
  Probe steep("Worm(ratio = 4, lead_angle = 20 deg, mu = 0.1) as lossy");
  const double forth = (1 - 0.1 * slope) / (1 + 0.1 / slope);
  const double back = (1 - 0.1 / slope) / (1 + 0.1 * slope);
  EXPECT_GT(back, 0.5);
  ExpectEfficiencies(steep, "at_b.w", "at_b.tau", 0.25, forth, back);
  ExpectFrictionModes(steep, "at_a.w", "at_a.tau", 4 * back, 4 / forth,
                      {{"at_b.phi", 2.0}, {"at_b.tau", -16.0}});

  Probe flat("Worm(ratio = 40, lead_angle = 4 deg, mu = 0.1) as lossy");  // tan(4 deg) = 0.0699 < mu
  SetAll(
      flat,
      {{"mode", kStuck}, {"pre(mode)", kStuck}, {"at_b.phi", 0.0}, {"at_b.tau", -400.0}, {"at_a.tau", 0.0}});
  EXPECT_FALSE(flat.WhenHolds(1));  // the load alone moves it neither way
  EXPECT_FALSE(flat.WhenHolds(2));
  SetAll(
      flat,
      {{"mode", kBackward}, {"at_b.phi", 0.0}, {"at_b.tau", -400.0}, {"at_a.w", -1.0}, {"at_b.w", -0.025}});
  EXPECT_LT(flat["at_a.tau"], 0.0);  // even with the load the worm must be driven
  flat.ExpectBalance();
}

// Belt drive (Shigley, 17-2): equal belt speeds, so diameters 60 and 150 mm make a ratio of 2.5.
TEST(Rotational, BeltRigidHasTheRatioOfTheRadii) {
  Probe belt("Belt(radius_a = 30 mm, radius_b = 75 mm)");
  SetAll(belt, {{"at_a.phi", 5.0}, {"at_a.tau", 2.0}, {"at_a.w", 10.0}, {"at_b.w", 4.0}});
  EXPECT_NEAR(belt["at_b.phi"], 2.0, 1e-12);
  EXPECT_NEAR(belt["at_b.tau"], -5.0, 1e-12);
  ExpectBalanceAt(belt, {{{"at_a.phi", 5.0}, {"at_a.tau", 2.0}, {"at_a.w", 10.0}, {"at_b.w", 4.0}},
                         {{"at_a.phi", 0.0}, {"at_a.tau", -1.0}, {"at_a.w", 5.0}, {"at_b.w", 2.0}},
                         {{"at_a.phi", -1.0}, {"at_a.tau", 4.0}, {"at_a.w", -5.0}, {"at_b.w", -2.0}}});
  Probe crossed("Belt(radius_a = 30 mm, radius_b = -75 mm)");
  SetAll(crossed, {{"at_a.phi", 5.0}, {"at_a.tau", 2.0}});
  EXPECT_NEAR(crossed["at_b.phi"], -2.0, 1e-12);
  EXPECT_NEAR(crossed["at_b.tau"], 5.0, 1e-12);
}

// With b held, the belt is a torsion spring k*r^2 and a damper d*r^2 at a (Gross et al., Engineering
// Mechanics 3, 5.2).
TEST(Rotational, BeltElasticIsASpringAtTheRadius) {
  Probe belt("Belt(radius_a = 0.1 m, radius_b = 0.2 m, k = 1e4 N/m, d = 50 N*s/m) as elastic");
  SetAll(belt, {{"at_a.phi", 0.03}, {"at_b.phi", 0.0}, {"at_a.w", 0.0}, {"at_b.w", 0.0}});
  EXPECT_NEAR(belt["at_a.tau"], 100.0 * 0.03, 1e-9);
  EXPECT_NEAR(belt["at_b.tau"], -2 * 3.0, 1e-9);
  EXPECT_NEAR(belt.Energy(), 100.0 * 0.03 * 0.03 / 2, 1e-12);
  SetAll(belt, {{"at_a.phi", 0.02}, {"at_b.phi", 0.01}, {"at_a.w", 3.0}, {"at_b.w", 0.0}});
  EXPECT_NEAR(belt["at_a.tau"], 0.5 * 3.0, 1e-9);  // not stretched: the damper alone
  ExpectBalanceAt(belt, {{{"at_a.phi", 0.02}, {"at_b.phi", 0.0}, {"at_a.w", 3.0}, {"at_b.w", 1.0}},
                         {{"at_a.phi", 0.0}, {"at_b.phi", 0.1}, {"at_a.w", -3.0}, {"at_b.w", 1.0}},
                         {{"at_a.phi", 0.2}, {"at_b.phi", 0.1}, {"at_a.w", 3.0}, {"at_b.w", 2.0}}});
}

// Planetary gear with 24 teeth of the sun and 72 of the ring (Dubbel, part F; Willis, Principles of
// Mechanism, 1841): ring held, the sun turns 4 times as fast as the carrier; carrier held, the ring turns
// backwards at a third; sun held, ring : carrier = 4 : 3.
TEST(Rotational, PlanetaryGearFollowsWillis) {
  Probe gear("PlanetaryGear(ratio = 3)");
  const double table[][3] = {
      {4.0, 0.0, 1.0}, {3.0, -1.0, 0.0}, {0.0, 4.0, 3.0}, {2.0, 2.0, 2.0}};  // sun, ring, carrier
  for (const auto& [sun, ring, carrier] : table) {
    SetAll(gear, {{"at_ring.phi", ring - carrier}, {"at_sun.tau", 1.0}});
    EXPECT_NEAR(gear["at_sun.phi"] + carrier, sun, 1e-12);
    // Torques: sun : ring : carrier = 1 : 3 : -4.
    EXPECT_NEAR(gear["at_ring.tau"], 3.0, 1e-12);
  }
  ExpectBalanceAt(gear,
                  {{{"at_ring.phi", 0.0}, {"at_sun.tau", 1.0}, {"at_sun.w", 6.0}, {"at_ring.w", -2.0}},
                   {{"at_ring.phi", 1.0}, {"at_sun.tau", -2.0}, {"at_sun.w", 3.0}, {"at_ring.w", -1.0}},
                   {{"at_ring.phi", 2.0}, {"at_sun.tau", 5.0}, {"at_sun.w", -9.0}, {"at_ring.w", 3.0}}});
}

// Open differential (Gillespie, Fundamentals of Vehicle Dynamics, ch. 2): the mean of the wheel speeds is the
// drive's speed by the final ratio; both wheels get half of the torque, also when one stands and the other
// spins.
TEST(Rotational, DifferentialHalvesTheTorque) {
  Probe axle("Differential(ratio = 4)");
  SetAll(axle, {{"at_left.phi", 0.0}, {"at_right.phi", 10.0}, {"at_a.tau", 100.0}});
  EXPECT_NEAR(axle["at_a.phi"], 20.0, 1e-12);
  EXPECT_NEAR(axle["at_left.tau"], -200.0, 1e-12);
  EXPECT_NEAR(axle["at_right.tau"], -200.0, 1e-12);
  for (const auto& [left, right, torque] : {std::tuple{3.0, 5.0, 10.0}, {-2.0, 2.0, 7.0}, {1.0, 1.0, -4.0}}) {
    SetAll(axle, {{"at_left.phi", 0.0},
                  {"at_right.phi", 0.0},
                  {"at_a.tau", torque},
                  {"at_a.w", 2 * (left + right)},
                  {"at_left.w", left},
                  {"at_right.w", right}});
    axle.ExpectBalance();
  }
}

// --- Rotation to translation ---

// Radius 20 mm: a turn moves the rack by 125.66 mm; 1 N*m pushes with 50 N (Dubbel, part F). A wheel of 0.3 m
// at 100 rad/s drives at 108 km/h.
TEST(Rotational, RackAndWheelRollWithoutSlip) {
  Probe rack("RackAndPinion(radius = 20 mm)");
  SetAll(rack, {{"at_a.phi", 2 * std::numbers::pi}, {"at_a.tau", 1.0}});
  EXPECT_NEAR(rack["at_b.s"], 0.12566370614359174, 1e-15);
  EXPECT_NEAR(rack["at_b.f"], -50.0, 1e-9);
  Probe wheel("Wheel(radius = 0.3 m)");
  SetAll(wheel, {{"at_a.phi", 100.0}, {"at_a.tau", 150.0}});
  EXPECT_NEAR(wheel["at_b.s"], 108.0 / 3.6, 1e-12);
  EXPECT_NEAR(wheel["at_b.f"], -500.0, 1e-9);
  Probe drum("Winch(radius = 0.3 m)");
  SetAll(drum, {{"at_a.phi", 100.0}, {"at_a.tau", 150.0}});
  EXPECT_NEAR(drum["at_b.s"], 30.0, 1e-12);
  EXPECT_NEAR(drum["at_b.f"], -500.0, 1e-9);
  for (const double w : {-2.0, 1.0, 5.0}) {
    SetAll(rack, {{"at_a.phi", 1.0}, {"at_a.tau", 3.0}, {"at_a.w", w}, {"at_b.v", 0.02 * w}});
    rack.ExpectBalance();
    SetAll(wheel, {{"at_a.phi", 1.0}, {"at_a.tau", 3.0}, {"at_a.w", w}, {"at_b.v", 0.3 * w}});
    wheel.ExpectBalance();
    SetAll(drum, {{"at_a.phi", 1.0}, {"at_a.tau", 3.0}, {"at_a.w", w}, {"at_b.v", 0.3 * w}});
    drum.ExpectBalance();
  }
}

// With the load held the rope is a torsion spring k*r^2 at the drum; slack, it does not push.
TEST(Rotational, WinchElasticOnlyPulls) {
  Probe drum("Winch(radius = 0.2 m, k = 1e4 N/m, d = 100 N*s/m) as elastic");
  SetAll(drum, {{"at_a.phi", 0.5}, {"at_b.s", 0.0}, {"at_a.w", 0.0}, {"at_b.v", 0.0}});
  EXPECT_NEAR(drum["at_a.tau"], 400.0 * 0.5, 1e-9);
  EXPECT_NEAR(drum["at_b.f"], -1000.0, 1e-9);
  EXPECT_NEAR(drum.Energy(), 400.0 * 0.25 / 2, 1e-9);
  SetAll(drum, {{"at_a.phi", -0.5}, {"at_b.s", 0.0}, {"at_a.w", 5.0}, {"at_b.v", 0.0}});
  EXPECT_EQ(drum["at_a.tau"], 0.0);
  EXPECT_EQ(drum["at_b.f"], 0.0);
  SetAll(drum, {{"at_a.phi", 0.05}, {"at_b.s", 0.0}, {"at_a.w", 0.0}, {"at_b.v", 3.0}});
  EXPECT_EQ(drum["at_b.f"], 0.0);  // the load comes nearer faster than the rope shortens
  ExpectBalanceAt(drum, {{{"at_a.phi", 0.5}, {"at_b.s", 0.0}, {"at_a.w", 2.0}, {"at_b.v", 1.0}},
                         {{"at_a.phi", 0.05}, {"at_b.s", 0.0}, {"at_a.w", 0.0}, {"at_b.v", 3.0}},
                         {{"at_a.phi", -0.5}, {"at_b.s", 0.0}, {"at_a.w", 2.0}, {"at_b.v", 1.0}}});
}

// Lead screw (Shigley, 8-2): raising a load F without friction takes F*lead/(2 pi). 5 mm per turn and 2 pi
// kN: 5 N*m.
TEST(Rotational, ScrewTurnsTorqueIntoForce) {
  Probe screw("Screw(lead = 5 mm/rev)");
  SetAll(screw, {{"at_a.phi", 4 * std::numbers::pi}, {"at_b.f", -2000 * std::numbers::pi}});
  EXPECT_NEAR(screw["at_b.s"], 0.010, 1e-15);
  EXPECT_NEAR(screw["at_a.tau"], 5.0, 1e-9);
  const double lead = 0.005 / (2 * std::numbers::pi);
  for (const double w : {-20.0, 1.0, 300.0}) {
    SetAll(screw, {{"at_a.phi", 1.0}, {"at_b.f", 1000.0}, {"at_a.w", w}, {"at_b.v", lead * w}});
    screw.ExpectBalance();
  }
}

// Where friction loses the same work forth and back, lowering gives back 2 - 1/efficiency of the load's work
// (Shigley, 8-2, with small lead and friction angles): 0.8 forth, 0.75 back; below 0.5 the screw locks
// itself.
TEST(Rotational, ScrewLossyHasItsEfficiencies) {
  const double lead = 0.01 / (2 * std::numbers::pi);
  Probe screw("Screw(lead = 10 mm/rev, efficiency = 0.8) as lossy");
  ExpectEfficiencies(screw, "at_b.v", "at_b.f", lead, 0.8, 0.75);
  const double load = 1000.0;
  ExpectFrictionModes(screw, "at_a.w", "at_a.tau", 0.75 * lead * load, lead * load / 0.8,
                      {{"at_a.phi", 2.0}, {"at_b.f", -load}});
  Probe vice("Screw(lead = 10 mm/rev, efficiency = 0.4) as lossy");
  SetAll(vice,
         {{"mode", kStuck}, {"pre(mode)", kStuck}, {"at_a.phi", 0.0}, {"at_b.f", -load}, {"at_a.tau", 0.0}});
  EXPECT_FALSE(vice.WhenHolds(1));
  EXPECT_FALSE(vice.WhenHolds(2));
}

// --- Contact ---

// Dead zone of width `gap` with a spring on both sides: Nordin, Gutman, Controlling mechanical systems with
// backlash, Automatica 38 (2002), section 2; no pull: Modelica Standard Library 4.0,
// Rotational.ElastoBacklash2.
TEST(Rotational, BacklashHasADeadZone) {
  Probe play("RotationalBacklash(gap = 0.02 rad, k = 1e4 N*m/rad, d = 10 N*m*s/rad)");
  const double table[][3] = {{0.0, 1.0, 0.0},     {0.009, 1.0, 0.0},  {0.015, 0.0, 50.0},
                             {0.015, 1.0, 60.0},  {0.015, -6.0, 0.0}, {-0.015, 0.0, -50.0},
                             {-0.02, 2.0, -80.0}, {-0.015, 6.0, 0.0}, {-0.009, -1.0, 0.0}};
  for (const auto& [phi, w, tau] : table) {
    SetAll(play, {{"e.phi", phi}, {"e.w", w}});
    EXPECT_NEAR(play["e.tau"], tau, 1e-9) << phi << " " << w;
  }
  ExpectBalanceAt(play, {{{"e.phi", 0.015}, {"e.w", 1.0}},
                         {{"e.phi", 0.0}, {"e.w", 1.0}},
                         {{"e.phi", -0.02}, {"e.w", 2.0}},
                         {{"e.phi", -0.02}, {"e.w", 200.0}}});
}

TEST(Rotational, EndStopActsBeyondItsLimits) {  // same sources
  Probe stop("RotationalEndStop(phi_min = -0.1 rad, phi_max = 0.4 rad, k = 1e3 N*m/rad, d = 1 N*m*s/rad)");
  const double table[][3] = {{0.0, 5.0, 0.0},     {0.39, 5.0, 0.0},      {0.42, 0.0, 20.0},
                             {0.42, 10.0, 30.0},  {0.42, -30.0, 0.0},    {-0.09, -5.0, 0.0},
                             {-0.13, 0.0, -30.0}, {-0.13, -20.0, -50.0}, {-0.13, 40.0, 0.0}};
  for (const auto& [phi, w, tau] : table) {
    SetAll(stop, {{"e.phi", phi}, {"e.w", w}});
    EXPECT_NEAR(stop["e.tau"], tau, 1e-9) << phi << " " << w;
  }
  SetAll(stop, {{"e.phi", 0.42}, {"e.w", 1.0}});
  EXPECT_NEAR(stop.Energy(), 0.2, 1e-9);  // 20 N*m over 0.02 rad, triangle
  ExpectBalanceAt(stop, {{{"e.phi", 0.42}, {"e.w", 10.0}},
                         {{"e.phi", 0.42}, {"e.w", -30.0}},
                         {{"e.phi", -0.13}, {"e.w", -20.0}},
                         {{"e.phi", 0.1}, {"e.w", -2.0}}});
}

// --- Friction ---

// Stribeck curve: Armstrong-Helouvry, Dupont, Canudas de Wit, Automatica 30 (1994), section 2.
TEST(Rotational, FrictionFollowsStribecksCurve) {
  Probe bearing(
      "RotationalFriction(tau_coulomb = 1 N*m, tau_static = 1.5 N*m, w_stribeck = 0.1 rad/s, d = 0.2 "
      "N*m*s/rad)");
  SetAll(bearing, {{"mode", kForward}, {"e.w", 0.0}});
  EXPECT_NEAR(bearing["e.tau"], 1.5, 1e-12);
  SetAll(bearing, {{"mode", kForward}, {"e.w", 0.1}});
  EXPECT_NEAR(bearing["e.tau"], 1.0 + 0.5 * 0.36787944117144233 + 0.02, 1e-12);
  SetAll(bearing, {{"mode", kBackward}, {"e.w", -5.0}});
  EXPECT_NEAR(bearing["e.tau"], -2.0, 1e-12);
  EXPECT_NEAR(bearing.Loss(), 10.0, 1e-12);
  SetAll(bearing, {{"mode", kBackward}, {"e.w", -0.1}});
  EXPECT_NEAR(bearing["e.tau"], -(1.0 + 0.5 * 0.36787944117144233 + 0.02), 1e-12);
  SetAll(bearing, {{"mode", kStuck}, {"e.tau", 1.2}, {"e.w", 0.0}});
  EXPECT_EQ(bearing["e.alpha"], 0.0);
  ExpectBalanceAt(bearing, {{{"mode", kForward}, {"e.w", 0.05}},
                            {{"mode", kBackward}, {"e.w", -1.0}},
                            {{"mode", kStuck}, {"e.w", 0.0}, {"e.tau", 0.3}}});
  ExpectFrictionModes(bearing, "e.w", "e.tau", -1.5, 1.5, {});
}

// The same curve beyond w_small (tanh(10) is 1 within 5e-9), a steep damper tau_static/w_small below.
TEST(Rotational, SmoothFrictionAgreesWithFrictionWhenSliding) {
  Probe smooth(
      "RotationalSmoothFriction(tau_coulomb = 1 N*m, tau_static = 1.5 N*m, w_stribeck = 0.1 rad/s, "
      "w_small = 0.01 rad/s, d = 0.2 N*m*s/rad)");
  SetAll(smooth, {{"e.w", 0.1}});
  EXPECT_NEAR(smooth["e.tau"], 1.0 + 0.5 * 0.36787944117144233 + 0.02, 1e-7);
  SetAll(smooth, {{"e.w", -5.0}});
  EXPECT_NEAR(smooth["e.tau"], -2.0, 1e-9);
  SetAll(smooth, {{"e.w", 1e-6}});
  EXPECT_NEAR(smooth["e.tau"], 150.2 * 1e-6, 1e-10);
  ExpectBalanceAt(smooth, {{{"e.w", 0.003}}, {{"e.w", -0.2}}, {{"e.w", 3.0}}});
}

// Disc clutch and brake with uniform wear (Shigley, 16-5): mu*F*r per surface, r the mean radius. mu = 0.4, 5
// kN, 0.1 m, two surfaces: 400 N*m; slipping at 50 rad/s it turns 20 kW into heat.
TEST(Rotational, ClutchAndBrakeAreCoulombs) {
  for (const char* use :
       {"Clutch(radius = 0.1 m, mu_static = 0.5)", "Brake(radius = 0.1 m, mu_static = 0.5)"}) {
    Probe disc(use);
    SetAll(disc, {{"u", 5000.0}, {"mode", kForward}, {"e.w", 50.0}});
    EXPECT_NEAR(disc["e.tau"], 400.0, 1e-9);
    EXPECT_NEAR(disc.Loss(), 20e3, 1e-6);
    SetAll(disc, {{"u", 5000.0}, {"mode", kBackward}, {"e.w", -50.0}});
    EXPECT_NEAR(disc["e.tau"], -400.0, 1e-9);
    SetAll(disc, {{"u", -50.0}, {"mode", kForward}, {"e.w", 2.0}});
    EXPECT_EQ(disc["e.tau"], 0.0);  // open
    SetAll(disc, {{"u", 5000.0}, {"mode", kStuck}, {"e.w", 0.0}, {"e.tau", 100.0}});
    EXPECT_EQ(disc["e.alpha"], 0.0);
    ExpectBalanceAt(disc, {{{"u", 1000.0}, {"mode", kForward}, {"e.w", 2.0}},
                           {{"u", 500.0}, {"mode", kBackward}, {"e.w", -1.0}},
                           {{"u", 500.0}, {"mode", kStuck}, {"e.w", 0.0}, {"e.tau", 5.0}}});
    ExpectFrictionModes(disc, "e.w", "e.tau", -500.0, 500.0, {{"u", 5000.0}});
  }
  Probe wet("Clutch(radius = 0.1 m, mu = 0.1, surfaces = 8)");
  SetAll(wet, {{"u", 5000.0}, {"mode", kForward}, {"e.w", 50.0}});
  EXPECT_NEAR(wet["e.tau"], 400.0, 1e-9);
}

// --- Sources ---

TEST(Rotational, TorqueSourceTurnsB) {
  Probe source("TorqueSource(torque = 12 N*m)");
  SetAll(source, {{"e.w", -2.0}});  // b runs ahead of a by 2 rad/s: the source drives it with 24 W
  EXPECT_EQ(source["e.tau"], 12.0);
  EXPECT_NEAR(source.Power(), -24.0, 1e-12);
}

TEST(Rotational, MotionSourcesPrescribeMotionAndTakeAnyTorque) {
  for (const double torque : {-3.0, 0.0, 8.0}) {
    Probe speed("SpeedSource(speed = 3000 rpm)");
    speed.Set("e.tau", torque);
    EXPECT_NEAR(speed["e.w"], 3000 * kRpm, 1e-12);
    EXPECT_NEAR(speed.Power(), 314.1592653589793 * torque, 1e-9);
    Probe angle("AngleSource(angle = 180 deg)");
    angle.Set("e.tau", torque);
    EXPECT_NEAR(angle["e.phi"], std::numbers::pi, 1e-12);
    Probe acceleration("AngularAccelerationSource(acceleration = 2 rad/s^2)");
    acceleration.Set("e.tau", torque);
    EXPECT_NEAR(acceleration["e.alpha"], 2.0, 1e-12);
  }
}

TEST(Rotational, SignalSourcesFollowTheirSignal) {
  for (const auto& [use, variable] : {std::pair{"SignalTorqueSource", "e.tau"},
                                      {"SignalSpeedSource", "e.w"},
                                      {"SignalAngleSource", "e.phi"},
                                      {"SignalAngularAccelerationSource", "e.alpha"}}) {
    Probe source(use);
    for (const double value : {-2.5, 0.0, 4.0}) {
      SetAll(source, {{"u", value}});
      EXPECT_EQ(source[variable], value) << use;
    }
  }
}

// Power coefficient over tip speed ratio (Manwell, McGowan, Rogers, Wind Energy Explained, 2nd ed., 3.2
// and 3.8): power Cp*density*area*wind^3/2, its best value at the design tip speed ratio, less on both sides,
// none at rest.
TEST(Rotational, AerodynamicRotorHasAPowerCurve) {
  Probe rotor(
      "AerodynamicRotor(radius = 10 m, Cp_max = 0.4, lambda_best = 6, starting = 0.2, density = 1.2 kg/m^3)");
  const auto power_coefficient = [&](double ratio, double wind) {
    const double w = ratio * wind / 10.0;
    SetAll(rotor, {{"u", wind}, {"e.w", w}});
    return -rotor["e.tau"] * w / (0.5 * 1.2 * std::numbers::pi * 100.0 * wind * wind * wind);
  };
  for (const double wind : {4.0, 8.0, 12.0}) {
    EXPECT_NEAR(power_coefficient(6.0, wind), 0.4, 1e-12);
    EXPECT_NEAR((power_coefficient(6.001, wind) - power_coefficient(5.999, wind)) / 0.002, 0.0, 1e-6);
    EXPECT_LT(power_coefficient(5.0, wind), 0.4);
    EXPECT_LT(power_coefficient(7.0, wind), 0.4);
    EXPECT_EQ(power_coefficient(0.0, wind), 0.0);
    EXPECT_LT(power_coefficient(12.0, wind), 0.0);  // driven faster it is a fan
  }
  SetAll(rotor, {{"u", 8.0}, {"e.w", 0.0}});
  const double at_rest = rotor["e.tau"];
  SetAll(rotor, {{"u", 8.0}, {"e.w", 4.8}});
  EXPECT_NEAR(at_rest / rotor["e.tau"], 0.2, 1e-12);
  EXPECT_LT(at_rest, 0.0);  // it drives the shaft forwards
  SetAll(rotor, {{"u", 8.0}, {"e.w", -4.8}});
  EXPECT_LT(rotor["e.tau"], at_rest);  // turned backwards it is driven forwards all the more
  SetAll(rotor, {{"u", 0.0}, {"e.w", 3.0}});
  EXPECT_GT(rotor["e.tau"], 0.0);  // no wind: the air brakes it, in either direction
  SetAll(rotor, {{"u", 0.0}, {"e.w", -3.0}});
  EXPECT_LT(rotor["e.tau"], 0.0);
}

// --- Sensors: they take no power (Bentley, Principles of Measurement Systems, 4th ed., 5.2). ---

TEST(Rotational, SensorsOfMotionReadAndTakeNoTorque) {
  for (const auto& [use, variable] : {std::pair{"AngleSensor", "e.phi"},
                                      {"SpeedSensor", "e.w"},
                                      {"AngularAccelerationSensor", "e.alpha"},
                                      {"RelativeAngleSensor", "e.phi"},
                                      {"RelativeSpeedSensor", "e.w"},
                                      {"RelativeAngularAccelerationSensor", "e.alpha"}}) {
    Probe sensor(use);
    for (const double value : {-2.5, 0.0, 4.0}) {
      SetAll(sensor, {{variable, value}});
      EXPECT_EQ(sensor["y"], value) << use;
      EXPECT_EQ(sensor["e.tau"], 0.0) << use;
    }
  }
}

TEST(Rotational, TorqueSensorIsRigid) {
  Probe sensor("TorqueSensor");
  for (const double torque : {-2.5, 0.0, 4.0}) {
    SetAll(sensor, {{"e.tau", torque}});
    EXPECT_EQ(sensor["y"], torque);
    EXPECT_EQ(sensor["e.phi"], 0.0);
  }
}

// Shaft power in kilowatts is torque in N*m times rpm by 9549 (Dubbel, part F).
TEST(Rotational, PowerSensorReadsShaftPower) {
  Probe sensor("RotationalPowerSensor");
  SetAll(sensor, {{"shaft.tau", 95.49}, {"motion.w", 1000 * kRpm}, {"shaft.w", 0.0}});
  EXPECT_NEAR(sensor["y"], 10e3, 1.0);
  EXPECT_EQ(sensor["shaft.phi"], 0.0);
  EXPECT_EQ(sensor["motion.tau"], 0.0);
  EXPECT_EQ(sensor.Power(), 0.0);
  SetAll(sensor, {{"shaft.tau", 10.0}, {"motion.w", -3.0}});  // b drives a
  EXPECT_NEAR(sensor["y"], -30.0, 1e-12);
}

}  // namespace
}  // namespace cotree::test
