// SPDX-License-Identifier: Apache-2.0
// The motion of small systems of translational and rotational components, against closed forms; and that
// every class of these packages, of electromechanical and of signal has such a test.
#include <cctype>
#include <set>

#include "library/dynamic_curves.h"
#include "library/repository_library.h"
#include "product_support.h"

namespace cotree::test {
namespace {

constexpr double kClose = 1e-6;  // of the largest value

double Sq(double x) {
  return x * x;
}

// --- Translational: elements -------------------------------------------------------------------------------

// Newton: s = F*t^2/(2*m).
TEST(DynamicTranslational, ForceSourceMassGround) {
  const auto run = RunBody(R"(
    source : ForceSource(force = 3 N)
    mass   : Mass(m = 2 kg)
    ground : TranslationalGround
    connect source.b -- mass.a
    connect source.a -- ground.a)",
                           2);
  EXPECT_LT(run.Error("mass.s", [](double t) { return 0.75 * t * t; }), kClose);
  EXPECT_LT(run.Error("mass.v", [](double t) { return 1.5 * t; }), kClose);
}

// By hand: about its rest at position + s0 it swings by w = sqrt(k/m).
TEST(DynamicTranslational, FixedAndSpring) {
  const auto run = RunBody(R"(
    fixed  : Fixed(position = 0.3 m)
    spring : Spring(k = 50 N/m, s0 = -0.1 m)
    mass   : Mass(m = 2 kg)
    connect mass.a -- spring.a
    connect spring.b -- fixed.a)",
                           1.3);
  EXPECT_LT(run.Error("mass.s", [](double t) { return 0.2 * (1 - std::cos(5 * t)); }), kClose);
  EXPECT_LT(run.Error("spring.f", [](double t) { return -10 * std::cos(5 * t); }), kClose);
}

// By hand: under its weight m*g*sin(angle) it swings about the static stretch.
TEST(DynamicTranslational, HangingMass) {
  const auto run = RunBody(R"(
    body   : HangingMass(m = 2 kg, angle = 30 deg)
    spring : Spring(k = 50 N/m)
    connect body.a -- spring.a
    connect spring.b -- translational.ground)",
                           2);
  EXPECT_LT(run.Error("body.s", [](double t) { return -kGravity / 50 * (1 - std::cos(5 * t)); }), kClose);
}

// Galilei: s = g*t^2/2, downwards, whatever the mass; here the heavy mass is twice the inert one.
TEST(DynamicTranslational, Weight) {
  const auto run = RunBody(R"(
    mass   : Mass(m = 1 kg)
    weight : Weight(m = 2 kg, angle = -90 deg)
    connect mass.a -- weight.a)",
                           1);
  EXPECT_LT(run.Error("mass.s", [](double t) { return kGravity * t * t; }), kClose);
}

TEST(DynamicTranslational, CubicSpring) {
  for (const double k3 : {150.0, -20.0}) {
    const auto run = RunBody(
        "mass   : Mass(m = 2 kg, start s = 1.2 m fixed)\n"
        "spring : CubicSpring(k = 50 N/m, s0 = 0.2 m, k3 = " +
            std::to_string(k3) +
            " N/m^3)\n"
            "connect mass.a -- spring.a\n connect spring.b -- translational.ground",
        0.8);
    EXPECT_LT(run.Error("mass.s", [&](double t) { return 0.2 + DuffingStretch(25, k3 / 2, 1, t); }), kClose);
  }
}

// By hand: a cosine on the stiff side, half an oscillation on the soft one, and a whole cosine half again.
TEST(DynamicTranslational, TableSpring) {
  const auto run = RunBody(R"(
    mass   : Mass(m = 1 kg, start s = 0.5 m fixed)
    spring : TableSpring(n = 3, displacement = [-1 m, 0 m, 2 m], force = [-4 N, 0 N, 50 N])
    connect mass.a -- spring.a
    connect spring.b -- translational.ground)",
                           2.5);
  const double quarter = kPi / 10, half = kPi / 2;
  EXPECT_LT(run.Error("mass.s",
                      [&](double t) {
                        if (t < quarter) return 0.5 * std::cos(5 * t);
                        if (t < quarter + half) return -1.25 * std::sin(2 * (t - quarter));
                        return 0.5 * std::sin(5 * (t - quarter - half));
                      }),
            kClose);
}

// By hand: m*v' = -d*v.
TEST(DynamicTranslational, Damper) {
  const auto run = RunBody(R"(
    mass   : Mass(m = 2 kg, start v = 3 m/s fixed)
    damper : Damper(d = 5 N*s/m)
    connect mass.a -- damper.a
    connect damper.b -- translational.ground)",
                           2);
  EXPECT_LT(run.Error("mass.v", [](double t) { return 3 * std::exp(-2.5 * t); }), kClose);
  EXPECT_LT(run.Error("mass.s", [](double t) { return 1.2 * (1 - std::exp(-2.5 * t)); }), kClose);
}

// By hand: m*v' = -c*v^2 gives v0/(1 + c*v0*t/m), and for the way m/c*log of it; the same backwards.
TEST(DynamicTranslational, QuadraticDamper) {
  for (const double sign : {1.0, -1.0}) {
    const auto run = RunBody("mass : Mass(m = 2 kg, start v = " + std::to_string(3 * sign) +
                                 " m/s fixed)\n"
                                 "drag : QuadraticDamper(c = 4 N*s^2/m^2)\n"
                                 "connect mass.a -- drag.a\n connect drag.b -- translational.ground",
                             2);
    EXPECT_LT(run.Error("mass.v", [&](double t) { return sign * 3 / (1 + 6 * t); }), kClose);
    EXPECT_LT(run.Error("mass.s", [&](double t) { return sign * std::log1p(6 * t) / 2; }), kClose);
  }
}

TEST(DynamicTranslational, SpringDamper) {
  const auto run = RunBody(R"(
    mass  : Mass(m = 2 kg)
    strut : SpringDamper(k = 50 N/m, d = 8 N*s/m, s0 = 0.3 m)
    connect mass.a -- strut.a
    connect strut.b -- translational.ground)",
                           3);
  EXPECT_LT(run.Error("mass.s", [](double t) { return 0.3 * StepOfSecondOrder(5, 0.4, t); }), kClose);
}

// By hand: at b the lever's other mass counts ratio^2 times: 3 + 4*2 = 11 kg.
TEST(DynamicTranslational, Lever) {
  const auto run = RunBody(R"(
    source : ForceSource(force = 22 N)
    lever  : Lever(ratio = -2)
    m_a    : Mass(m = 2 kg)
    m_b    : Mass(m = 3 kg)
    connect source.b -- m_b.a -- lever.b
    connect lever.a -- m_a.a
    connect source.a -- translational.ground)",
                           1);
  EXPECT_LT(run.Error("m_b.s", [](double t) { return t * t; }), kClose);
  EXPECT_LT(run.Error("m_a.s", [](double t) { return -2 * t * t; }), kClose);
}

// Atwood's machine, g*(m1 - m2)/(m1 + m2): Goldstein, Classical Mechanics, 3rd ed., §1.6.
TEST(DynamicTranslational, PulleyOfAtwood) {
  const auto run = RunBody(R"(
    heavy  : HangingMass(m = 3 kg)
    light  : HangingMass(m = 2 kg)
    pulley : Pulley
    connect pulley.a -- heavy.a
    connect pulley.b -- light.a
    connect pulley.axle -- translational.ground)",
                           1);
  EXPECT_LT(run.Error("heavy.s", [](double t) { return -kGravity / 10 * t * t; }), kClose);
  EXPECT_LT(run.Error("light.s", [](double t) { return kGravity / 10 * t * t; }), kClose);
}

// By hand: a loose pulley; its axle with M moves half as far as the end with m. (M + 4*m)*acc = -(M + 2*m)*g.
TEST(DynamicTranslational, PulleyThatMoves) {
  const auto run = RunBody(R"(
    axle   : HangingMass(m = 6 kg)
    end    : HangingMass(m = 1 kg)
    pulley : Pulley
    connect pulley.a -- end.a
    connect pulley.b -- translational.ground
    connect pulley.axle -- axle.a)",
                           1);
  EXPECT_LT(run.Error("axle.s", [](double t) { return -0.4 * kGravity * t * t; }), kClose);
  EXPECT_LT(run.Error("end.s", [](double t) { return -0.8 * kGravity * t * t; }), kClose);
}

// --- Translational: contact and friction -------------------------------------------------------------------

TEST(DynamicTranslational, ElastoGapWithoutLoss) {
  const auto run = RunBody(R"(
    mass : Mass(m = 2 kg, start s = 0.5 m fixed, start v = -1 m/s fixed)
    gap  : ElastoGap(k = 200 N/m, s0 = 0.1 m)
    connect mass.a -- gap.a
    connect gap.b -- translational.ground)",
                           1);
  EXPECT_LT(run.Error("mass.s",
                      [](double t) {
                        const double in = t - 0.4, out = in - kPi / 10;
                        return in < 0 ? 0.5 - t : out < 0 ? 0.1 - 0.1 * std::sin(10 * in) : 0.1 + out;
                      }),
            kClose);
}

TEST(DynamicTranslational, ElastoGapWithDamper) {
  const auto run = RunBody(R"(
    mass : Mass(m = 2 kg, start s = 0.5 m fixed, start v = -1 m/s fixed)
    gap  : ElastoGap(k = 200 N/m, d = 12 N*s/m, s0 = 0.1 m)
    connect mass.a -- gap.a
    connect gap.b -- translational.ground)",
                           1);
  EXPECT_LT(
      run.Error("mass.s", [](double t) { return t < 0.4 ? 0.5 - t : 0.1 - HitAndLeave(10, 3, 1, t - 0.4); }),
      kClose);
}

TEST(DynamicTranslational, EndStopWithoutLoss) {
  const auto run = RunBody(R"(
    mass : Mass(m = 2 kg, start v = 1 m/s fixed)
    stop : EndStop(s_min = -0.3 m, s_max = 0.3 m, k = 200 N/m, d = 0 N*s/m)
    connect mass.a -- stop.a
    connect stop.b -- translational.ground)",
                           2);
  EXPECT_LT(run.Error("mass.s", [](double t) { return BetweenStops(0.3, 1, 10, t); }), kClose);
}

TEST(DynamicTranslational, BacklashWithoutLoss) {
  const auto run = RunBody(R"(
    mass : Mass(m = 2 kg, start v = 1 m/s fixed)
    play : Backlash(gap = 0.6 m, k = 200 N/m)
    connect mass.a -- play.a
    connect play.b -- translational.ground)",
                           2);
  EXPECT_LT(run.Error("mass.s", [](double t) { return BetweenStops(0.3, 1, 10, t); }), kClose);
}

TEST(DynamicTranslational, EndStopAndBacklashWithDamper) {
  for (const char* stop : {"stop : EndStop(s_min = -0.3 m, s_max = 0.3 m, k = 200 N/m, d = 12 N*s/m)",
                           "stop : Backlash(gap = 0.6 m, k = 200 N/m, d = 12 N*s/m)"}) {
    for (const double v : {1.0, -1.0}) {
      const auto run =
          RunBody(std::string(stop) + "\n mass : Mass(m = 2 kg, start v = " + std::to_string(v) +
                      " m/s fixed)\n connect mass.a -- stop.a\n connect stop.b -- translational.ground",
                  0.8);
      EXPECT_LT(run.Error("mass.s",
                          [&](double t) { return v * (t < 0.3 ? t : 0.3 + HitAndLeave(10, 3, 1, t - 0.3)); }),
                kClose)
          << stop;
    }
  }
}

// By hand: m*v' = -f*tanh(v/vs) is separable: sinh(v/vs) = sinh(v0/vs)*exp(-f*t/(m*vs)).
TEST(DynamicTranslational, SmoothFriction) {
  const auto run = RunBody(R"(
    mass     : Mass(m = 2 kg, start v = 1 m/s fixed)
    friction : SmoothFriction(f_coulomb = 4 N, v_small = 0.1 m/s)
    connect mass.a -- friction.a
    connect friction.b -- translational.ground)",
                           1);
  EXPECT_LT(
      run.Error("mass.v", [](double t) { return 0.1 * std::asinh(std::sinh(10.0) * std::exp(-20 * t)); }),
      kClose);
}

// Armstrong-Helouvry, Control of Machines with Friction (1991): the Stribeck curve, passed at a
// constant acceleration.
TEST(DynamicTranslational, SmoothFrictionOfStribeck) {
  const auto run = RunBody(R"(
    drive    : AccelerationSource(acceleration = 1 m/s^2)
    friction : SmoothFriction(f_coulomb = 4 N, f_static = 6 N, v_stribeck = 0.2 m/s, v_small = 0.05 m/s,
                              d = 2 N*s/m)
    connect drive.a -- friction.a
    connect drive.b -- friction.b -- translational.ground)",
                           1);
  EXPECT_LT(
      run.Error("friction.f",
                [](double t) { return 2 * t + (4 + 2 * std::exp(-Sq(t / 0.2))) * std::tanh(t / 0.05); }),
      kClose);
}

// --- Translational: sources and sensors --------------------------------------------------------------------

// By hand: a spring pulled at constant velocity; a mass at constant acceleration; a spring whose end is
// displaced.
TEST(DynamicTranslational, ConstantSources) {
  const auto run = RunBody(R"(
    velocity     : VelocitySource(velocity = 2 m/s)
    acceleration : AccelerationSource(acceleration = 3 m/s^2)
    position     : PositionSource(position = 0.5 m)
    pulled : Spring(k = 10 N/m)
    moved  : Mass(m = 2 kg)
    spring : Spring(k = 50 N/m)
    swings : Mass(m = 2 kg)
    connect velocity.a -- pulled.a
    connect acceleration.a -- moved.a
    connect position.a -- spring.b
    connect spring.a -- swings.a
    connect velocity.b -- pulled.b -- acceleration.b -- position.b -- translational.ground)",
                           2);
  EXPECT_LT(run.Error("pulled.f", [](double t) { return 20 * t; }), kClose);
  EXPECT_LT(run.Error("moved.s", [](double t) { return 1.5 * t * t; }), kClose);
  EXPECT_LT(run.Error("acceleration.f", [](double) { return -6; }), kClose);
  EXPECT_LT(run.Error("swings.s", [](double t) { return 0.5 * (1 - std::cos(5 * t)); }), kClose);
}

// By hand: integrals and derivatives of the sine, w = 2*pi. The position source differentiates its signal
// twice.
TEST(DynamicTranslational, SignalSources) {
  const auto run = RunBody(R"(
    f : Sine(amplitude = 3 N, frequency = 1 Hz)
    v : Sine(amplitude = 3 m/s, frequency = 1 Hz)
    a : Sine(amplitude = 3 m/s^2, frequency = 1 Hz)
    s : Sine(amplitude = 3 m, frequency = 1 Hz)
    force        : SignalForceSource
    velocity     : SignalVelocitySource
    acceleration : SignalAccelerationSource
    position     : SignalPositionSource
    m1 : Mass(m = 2 kg)
    m2 : Mass(m = 2 kg)
    m3 : Mass(m = 2 kg)
    m4 : Mass(m = 2 kg)
    connect f.y -> force.u
    connect v.y -> velocity.u
    connect a.y -> acceleration.u
    connect s.y -> position.u
    connect force.b -- m1.a
    connect velocity.a -- m2.a
    connect acceleration.a -- m3.a
    connect position.a -- m4.a
    connect force.a -- velocity.b -- acceleration.b -- position.b -- translational.ground)",
                           2);
  constexpr double w = 2 * kPi;
  EXPECT_LT(run.Error("m1.v", [](double t) { return 1.5 / w * (1 - std::cos(w * t)); }), kClose);
  EXPECT_LT(run.Error("m2.s", [](double t) { return 3 / w * (1 - std::cos(w * t)); }), kClose);
  EXPECT_LT(run.Error("m2.f", [](double t) { return 6 * w * std::cos(w * t); }), kClose);
  EXPECT_LT(run.Error("m3.s", [](double t) { return 3 / w * (t - std::sin(w * t) / w); }), kClose);
  EXPECT_LT(run.Error("m4.v", [](double t) { return 3 * w * std::cos(w * t); }), kClose);
  EXPECT_LT(run.Error("m4.f", [](double t) { return -6 * w * w * std::sin(w * t); }), kClose);
}

// By hand: m1 is moved by 6 N*sin(w*t), w = 2*pi, m2 goes its way at 0.5 m/s.
TEST(DynamicTranslational, Sensors) {
  const auto run = RunBody(R"(
    sine   : Sine(amplitude = 6 N, frequency = 1 Hz)
    source : SignalForceSource
    force  : ForceSensor
    power  : TranslationalPowerSensor
    m1 : Mass(m = 2 kg)
    m2 : Mass(m = 1 kg, start v = 0.5 m/s fixed)
    s  : PositionSensor
    v  : VelocitySensor
    a  : AccelerationSensor
    rs : RelativePositionSensor
    rv : RelativeVelocitySensor
    ra : RelativeAccelerationSensor
    connect sine.y -> source.u
    connect source.a -- translational.ground
    connect source.b -- force.a
    connect force.b -- power.a
    connect power.b -- m1.a -- s.a -- v.a -- a.a -- rs.a -- rv.a -- ra.a
    connect m2.a -- rs.b -- rv.b -- ra.b)",
                           1.2);
  constexpr double w = 2 * kPi;
  const Curve acc = [](double t) { return 3 * std::sin(w * t); };
  const Curve vel = [](double t) { return 3 / w * (1 - std::cos(w * t)); };
  const Curve pos = [](double t) { return 3 / w * (t - std::sin(w * t) / w); };
  EXPECT_LT(run.Error("force.y", [&](double t) { return 2 * acc(t); }), kClose);
  EXPECT_LT(run.Error("power.y", [&](double t) { return 2 * acc(t) * vel(t); }), kClose);
  EXPECT_LT(run.Error("s.y", pos), kClose);
  EXPECT_LT(run.Error("v.y", vel), kClose);
  EXPECT_LT(run.Error("a.y", acc), kClose);
  EXPECT_LT(run.Error("rs.y", [&](double t) { return pos(t) - 0.5 * t; }), kClose);
  EXPECT_LT(run.Error("rv.y", [&](double t) { return vel(t) - 0.5; }), kClose);
  EXPECT_LT(run.Error("ra.y", acc), kClose);
}

// --- Rotational: elements ----------------------------------------------------------------------------------

// Euler: phi = tau*t^2/(2*J).
TEST(DynamicRotational, TorqueSourceInertiaGround) {
  const auto run = RunBody(R"(
    source : TorqueSource(torque = 3 N*m)
    disc   : Inertia(J = 2 kg*m^2)
    ground : RotationalGround
    connect source.b -- disc.a
    connect source.a -- ground.a)",
                           2);
  EXPECT_LT(run.Error("disc.phi", [](double t) { return 0.75 * t * t; }), kClose);
  EXPECT_LT(run.Error("disc.w", [](double t) { return 1.5 * t; }), kClose);
}

// By hand: as the mass on its spring.
TEST(DynamicRotational, FixedAngleAndTorsionSpring) {
  const auto run = RunBody(R"(
    fixed  : FixedAngle(angle = 0.3 rad)
    spring : TorsionSpring(k = 50 N*m/rad, phi0 = -0.1 rad)
    disc   : Inertia(J = 2 kg*m^2)
    connect disc.a -- spring.a
    connect spring.b -- fixed.a)",
                           1.3);
  EXPECT_LT(run.Error("disc.phi", [](double t) { return 0.2 * (1 - std::cos(5 * t)); }), kClose);
}

// Let go at 2 rad, far beyond small angles. w0^2 = m*g*l/(J + m*l^2).
TEST(DynamicRotational, Pendulum) {
  const auto run = RunBody(R"(
    pendulum : Pendulum(m = 2 kg, l = 0.5 m, J = 0.1 kg*m^2, start phi = 2 rad fixed)
    angle    : AngleSensor
    connect pendulum.a -- angle.a)",
                           1.5);
  const double w0 = std::sqrt(kGravity / 0.6);
  EXPECT_LT(run.Error("pendulum.phi", [&](double t) { return PendulumAngle(w0, 2, t); }), kClose);
}

TEST(DynamicRotational, CubicTorsionSpring) {
  for (const double k3 : {150.0, -20.0}) {
    const auto run = RunBody(
        "disc   : Inertia(J = 2 kg*m^2, start phi = 1.2 rad fixed)\n"
        "spring : CubicTorsionSpring(k = 50 N*m/rad, phi0 = 0.2 rad, k3 = " +
            std::to_string(k3) +
            " N*m/rad^3)\nconnect disc.a -- spring.a\n connect spring.b -- rotational.ground",
        0.8);
    EXPECT_LT(run.Error("disc.phi", [&](double t) { return 0.2 + DuffingStretch(25, k3 / 2, 1, t); }),
              kClose);
  }
}

// By hand: as TableSpring.
TEST(DynamicRotational, TableTorsionSpring) {
  const auto run = RunBody(R"(
    disc   : Inertia(J = 1 kg*m^2, start phi = 0.5 rad fixed)
    spring : TableTorsionSpring(n = 3, angle = [-1 rad, 0 rad, 2 rad], torque = [-4 N*m, 0 N*m, 50 N*m])
    connect disc.a -- spring.a
    connect spring.b -- rotational.ground)",
                           2.5);
  const double quarter = kPi / 10, half = kPi / 2;
  EXPECT_LT(run.Error("disc.phi",
                      [&](double t) {
                        if (t < quarter) return 0.5 * std::cos(5 * t);
                        if (t < quarter + half) return -1.25 * std::sin(2 * (t - quarter));
                        return 0.5 * std::sin(5 * (t - quarter - half));
                      }),
            kClose);
}

// By hand: as Damper, QuadraticDamper and SpringDamper.
TEST(DynamicRotational, Dampers) {
  const auto run = RunBody(R"(
    d1 : Inertia(J = 2 kg*m^2, start w = 3 rad/s fixed)
    d2 : Inertia(J = 2 kg*m^2, start w = -3 rad/s fixed)
    d3 : Inertia(J = 2 kg*m^2)
    viscous : RotationalDamper(d = 5 N*m*s/rad)
    fan     : RotationalQuadraticDamper(c = 4 N*m*s^2/rad^2)
    strut   : TorsionSpringDamper(k = 50 N*m/rad, d = 8 N*m*s/rad, phi0 = 0.3 rad)
    connect d1.a -- viscous.a
    connect d2.a -- fan.a
    connect d3.a -- strut.a
    connect viscous.b -- fan.b -- strut.b -- rotational.ground)",
                           2);
  EXPECT_LT(run.Error("d1.w", [](double t) { return 3 * std::exp(-2.5 * t); }), kClose);
  EXPECT_LT(run.Error("d2.w", [](double t) { return -3 / (1 + 6 * t); }), kClose);
  EXPECT_LT(run.Error("d3.phi", [](double t) { return 0.3 * StepOfSecondOrder(5, 0.4, t); }), kClose);
}

// --- Rotational: gears -------------------------------------------------------------------------------------

// By hand: at b the inertia at a counts ratio^2 times: 3 + 4*2 = 11 kg*m^2. 22 N*m at b.
TEST(DynamicRotational, GearWormAndRigidBelt) {
  const std::string gears[] = {"gear : Gear(ratio = -2)", "gear : Worm(ratio = -2) as ideal",
                               "gear : Belt(radius_a = 10 cm, radius_b = -20 cm) as rigid"};
  for (const std::string& gear : gears) {
    const auto run = RunBody(gear + R"(
      source : TorqueSource(torque = 22 N*m)
      j_a    : Inertia(J = 2 kg*m^2)
      j_b    : Inertia(J = 3 kg*m^2)
      connect source.b -- j_b.a -- gear.b
      connect gear.a -- j_a.a
      connect source.a -- rotational.ground)",
                             1);
    EXPECT_LT(run.Error("j_b.phi", [](double t) { return t * t; }), kClose) << gear;
    EXPECT_LT(run.Error("j_a.w", [](double t) { return -4 * t; }), kClose) << gear;
  }
}

// By hand: the stretch x = ra*phi_a - rb*phi_b obeys x'' = -(k*x + d*x')*c + ra*tau/Ja, c = ra^2/Ja + rb^2/Jb
// = 0.5 + 2 1/kg: w0^2 = 2.5*40, 2*D*w0 = 2.5*3.2.
TEST(DynamicRotational, ElasticBelt) {
  const auto run = RunBody(R"(
    source : TorqueSource(torque = 4 N*m)
    j_a    : Inertia(J = 2 kg*m^2)
    j_b    : Inertia(J = 2 kg*m^2)
    belt   : Belt(radius_a = 1 m, radius_b = 2 m, k = 40 N/m, d = 3.2 N*s/m) as elastic
    connect source.b -- j_a.a -- belt.a
    connect belt.b -- j_b.a
    connect source.a -- rotational.ground)",
                           0.7);
  EXPECT_LT(run.Error("belt.stretch", [](double t) { return 0.02 * StepOfSecondOrder(10, 0.4, t); }), kClose);
}

// Willis, w_sun + ratio*w_ring = (1 + ratio)*w_carrier, with torques 1 : ratio : -(1 + ratio) (Mueller,
// Epicyclic Drive Trains, ch. 2). By hand with T the sun's share: js*as = 4 - T, jr*ar = -3*T, jc*ac = 4*T.
TEST(DynamicRotational, PlanetaryGear) {
  const auto run = RunBody(R"(
    source  : TorqueSource(torque = 4 N*m)
    sun     : Inertia(J = 1 kg*m^2)
    ring    : Inertia(J = 3 kg*m^2)
    carrier : Inertia(J = 4 kg*m^2)
    gear    : PlanetaryGear(ratio = 3)
    connect source.b -- gear.sun -- sun.a
    connect gear.ring -- ring.a
    connect gear.carrier -- carrier.a
    connect source.a -- rotational.ground)",
                           1);
  // (4 - T) + 3*(-T) = 4*T, so T = 1/2.
  EXPECT_LT(run.Error("sun.w", [](double t) { return 3.5 * t; }), kClose);
  EXPECT_LT(run.Error("ring.w", [](double t) { return -0.5 * t; }), kClose);
  EXPECT_LT(run.Error("carrier.phi", [](double t) { return 0.25 * t * t; }), kClose);
}

// By hand: both driven shafts get half the torque T*ratio: left 2*al = T, right 1*ar = T, a: 0.5*aa = 4 -
// T/2*2, aa = 2*(al + ar)/2 = 1.5*T, so 0.75*T = 4 - T.
TEST(DynamicRotational, Differential) {
  const auto run = RunBody(R"(
    source : TorqueSource(torque = 4 N*m)
    input_ : Inertia(J = 0.5 kg*m^2)
    left   : Inertia(J = 2 kg*m^2)
    right  : Inertia(J = 1 kg*m^2)
    gear   : Differential(ratio = 2)
    connect source.b -- gear.a -- input_.a
    connect gear.left -- left.a
    connect gear.right -- right.a
    connect source.a -- rotational.ground)",
                           1);
  const double torque = 4 / 1.75;
  EXPECT_LT(run.Error("left.w", [&](double t) { return torque / 2 * t; }), kClose);
  EXPECT_LT(run.Error("right.w", [&](double t) { return torque * t; }), kClose);
  EXPECT_LT(run.Error("input_.w", [&](double t) { return 1.5 * torque * t; }), kClose);
}

// By hand: J + m*r^2 = 0.5 kg*m^2 with r = 0.1 m; 2 N*m give 4 rad/s^2. (Lead: 0.1 m per rad.)
TEST(DynamicRotational, RotationToTranslation) {
  const std::string converters[] = {
      "converter : RackAndPinion(radius = 10 cm)", "converter : Wheel(radius = 10 cm)",
      "converter : Winch(radius = 10 cm) as rigid", "converter : Screw(lead = 0.1 m/rad) as ideal"};
  for (const std::string& converter : converters) {
    const auto run = RunBody(converter + R"(
      source : TorqueSource(torque = 2 N*m)
      disc   : Inertia(J = 0.3 kg*m^2)
      mass   : Mass(m = 20 kg)
      connect source.b -- disc.a -- converter.a
      connect converter.b -- mass.a
      connect source.a -- rotational.ground)",
                             1);
    EXPECT_LT(run.Error("disc.phi", [](double t) { return 2 * t * t; }), kClose) << converter;
    EXPECT_LT(run.Error("mass.v", [](double t) { return 0.4 * t; }), kClose) << converter;
  }
}

// By hand: the drum turns at constant speed, 1 m/s of rope, towards a mass at rest with 0.2 m of slack: it is
// hit by spring and damper, and leaves as from a stop. In the frame of the rope the mass comes with 1 m/s.
TEST(DynamicRotational, ElasticWinch) {
  const auto run = RunBody(R"(
    drive : SpeedSource(speed = 2 rad/s)
    winch : Winch(radius = 0.5 m, k = 200 N/m, d = 12 N*s/m) as elastic
    mass  : Mass(m = 2 kg, start s = 0.2 m fixed)
    connect drive.a -- winch.a
    connect winch.b -- mass.a
    connect drive.b -- rotational.ground)",
                           0.8);
  EXPECT_LT(run.Error("mass.s", [](double t) { return t < 0.2 ? 0.2 : t - HitAndLeave(10, 3, 1, t - 0.2); }),
            kClose);
}

// --- Rotational: contact and friction ----------------------------------------------------------------------

TEST(DynamicRotational, EndStopAndBacklashWithoutLoss) {
  for (const char* stop : {"stop : RotationalBacklash(gap = 0.6 rad, k = 200 N*m/rad)",
                           "stop : RotationalEndStop(phi_min = -0.3 rad, phi_max = 0.3 rad, k = 200 N*m/rad,"
                           " d = 0 N*m*s/rad)"}) {
    const auto run = RunBody(std::string(stop) + R"(
      disc : Inertia(J = 2 kg*m^2, start w = 1 rad/s fixed)
      connect disc.a -- stop.a
      connect stop.b -- rotational.ground)",
                             2);
    EXPECT_LT(run.Error("disc.phi", [](double t) { return BetweenStops(0.3, 1, 10, t); }), kClose) << stop;
  }
}

TEST(DynamicRotational, EndStopAndBacklashWithDamper) {
  for (const char* stop : {"stop : RotationalBacklash(gap = 0.6 rad, k = 200 N*m/rad, d = 12 N*m*s/rad)",
                           "stop : RotationalEndStop(phi_min = -0.3 rad, phi_max = 0.3 rad, k = 200 N*m/rad,"
                           " d = 12 N*m*s/rad)"}) {
    for (const double w : {1.0, -1.0}) {
      const auto run =
          RunBody(std::string(stop) + "\n disc : Inertia(J = 2 kg*m^2, start w = " + std::to_string(w) +
                      " rad/s fixed)\n connect disc.a -- stop.a\n connect stop.b -- rotational.ground",
                  0.8);
      EXPECT_LT(run.Error("disc.phi",
                          [&](double t) { return w * (t < 0.3 ? t : 0.3 + HitAndLeave(10, 3, 1, t - 0.3)); }),
                kClose)
          << stop;
    }
  }
}

// By hand, and the Stribeck curve, as SmoothFriction.
TEST(DynamicRotational, RotationalSmoothFriction) {
  const auto run = RunBody(R"(
    disc     : Inertia(J = 2 kg*m^2, start w = 1 rad/s fixed)
    bearing  : RotationalSmoothFriction(tau_coulomb = 4 N*m, w_small = 0.1 rad/s)
    drive    : AngularAccelerationSource(acceleration = 1 rad/s^2)
    friction : RotationalSmoothFriction(tau_coulomb = 4 N*m, tau_static = 6 N*m, w_stribeck = 0.2 rad/s,
                                        w_small = 0.05 rad/s, d = 2 N*m*s/rad)
    connect disc.a -- bearing.a
    connect drive.a -- friction.a
    connect drive.b -- friction.b -- bearing.b -- rotational.ground)",
                           1);
  EXPECT_LT(
      run.Error("disc.w", [](double t) { return 0.1 * std::asinh(std::sinh(10.0) * std::exp(-20 * t)); }),
      kClose);
  EXPECT_LT(
      run.Error("friction.tau",
                [](double t) { return 2 * t + (4 + 2 * std::exp(-Sq(t / 0.2))) * std::tanh(t / 0.05); }),
      kClose);
}

// --- Rotational: sources and sensors -----------------------------------------------------------------------

TEST(DynamicRotational, ConstantSources) {
  const auto run = RunBody(R"(
    speed        : SpeedSource(speed = 2 rad/s)
    acceleration : AngularAccelerationSource(acceleration = 3 rad/s^2)
    angle        : AngleSource(angle = 0.5 rad)
    twisted : TorsionSpring(k = 10 N*m/rad)
    moved   : Inertia(J = 2 kg*m^2)
    spring  : TorsionSpring(k = 50 N*m/rad)
    swings  : Inertia(J = 2 kg*m^2)
    connect speed.a -- twisted.a
    connect acceleration.a -- moved.a
    connect angle.a -- spring.b
    connect spring.a -- swings.a
    connect speed.b -- twisted.b -- acceleration.b -- angle.b -- rotational.ground)",
                           2);
  EXPECT_LT(run.Error("twisted.tau", [](double t) { return 20 * t; }), kClose);
  EXPECT_LT(run.Error("moved.phi", [](double t) { return 1.5 * t * t; }), kClose);
  EXPECT_LT(run.Error("acceleration.tau", [](double) { return -6; }), kClose);
  EXPECT_LT(run.Error("swings.phi", [](double t) { return 0.5 * (1 - std::cos(5 * t)); }), kClose);
}

TEST(DynamicRotational, SignalSources) {
  const auto run = RunBody(R"(
    t : Sine(amplitude = 3 N*m, frequency = 1 Hz)
    v : Sine(amplitude = 3 rad/s, frequency = 1 Hz)
    a : Sine(amplitude = 3 rad/s^2, frequency = 1 Hz)
    s : Sine(amplitude = 3 rad, frequency = 1 Hz)
    torque       : SignalTorqueSource
    speed        : SignalSpeedSource
    acceleration : SignalAngularAccelerationSource
    angle        : SignalAngleSource
    j1 : Inertia(J = 2 kg*m^2)
    j2 : Inertia(J = 2 kg*m^2)
    j3 : Inertia(J = 2 kg*m^2)
    j4 : Inertia(J = 2 kg*m^2)
    connect t.y -> torque.u
    connect v.y -> speed.u
    connect a.y -> acceleration.u
    connect s.y -> angle.u
    connect torque.b -- j1.a
    connect speed.a -- j2.a
    connect acceleration.a -- j3.a
    connect angle.a -- j4.a
    connect torque.a -- speed.b -- acceleration.b -- angle.b -- rotational.ground)",
                           2);
  constexpr double w = 2 * kPi;
  EXPECT_LT(run.Error("j1.w", [](double t) { return 1.5 / w * (1 - std::cos(w * t)); }), kClose);
  EXPECT_LT(run.Error("j2.phi", [](double t) { return 3 / w * (1 - std::cos(w * t)); }), kClose);
  EXPECT_LT(run.Error("j2.tau", [](double t) { return 6 * w * std::cos(w * t); }), kClose);
  EXPECT_LT(run.Error("j3.phi", [](double t) { return 3 / w * (t - std::sin(w * t) / w); }), kClose);
  EXPECT_LT(run.Error("j4.w", [](double t) { return 3 * w * std::cos(w * t); }), kClose);
  EXPECT_LT(run.Error("j4.tau", [](double t) { return -6 * w * w * std::sin(w * t); }), kClose);
}

// By hand: J*x' = K*(s + (3 - 2*s)*x - (2 - s)*x^2) for x = w*radius/(lambda_best*u) is Riccati's equation
// with constant coefficients; with its roots r1, r2, (x - r1)/(x - r2) falls exponentially.
TEST(DynamicRotational, AerodynamicRotor) {
  const double s = 0.25, per_x = 5 * 10 / 2.0;  // w = per_x*x
  const double rate = 1.2 * kPi * 8 / 2 * 0.4 / 5 * 100 / (10 * per_x);
  const auto speed = [&](double start, double sign,
                         double t) {  // sign: -1 for x > 0; 1 for x < 0, where |x| = -x
    const double a = (2 - s) * sign, b = (2 * s - 3) * sign, root = std::sqrt(b * b - 4 * a * s);
    const double r1 = (-b + root) / (2 * a), r2 = (-b - root) / (2 * a), x0 = start / per_x;
    const double ratio = (x0 - r1) / (x0 - r2) * std::exp(a * rate * (r1 - r2) * t);
    return per_x * (r1 - r2 * ratio) / (1 - ratio);
  };
  const auto run = [](const std::string& w, double stop) {
    return RunBody("disc : Inertia(J = 10 kg*m^2, start w = " + w + R"( rad/s fixed)
      wind  : Constant(k = 10 m/s)
      rotor : AerodynamicRotor(radius = 2 m, Cp_max = 0.4, lambda_best = 5, starting = 0.25,
                               density = 1.2 kg/m^3)
      connect wind.y -> rotor.u
      connect rotor.shaft -- disc.a
      connect rotor.housing -- rotational.ground)",
                   stop);
  };
  EXPECT_LT(run("0", 5).Error("disc.w", [&](double t) { return speed(0, -1, t); }), kClose);
  EXPECT_LT(run("-10", 0.5).Error("disc.w", [&](double t) { return speed(-10, 1, t); }), kClose);
}

TEST(DynamicRotational, Sensors) {
  const auto run = RunBody(R"(
    sine   : Sine(amplitude = 6 N*m, frequency = 1 Hz)
    source : SignalTorqueSource
    torque : TorqueSensor
    power  : RotationalPowerSensor
    j1 : Inertia(J = 2 kg*m^2)
    j2 : Inertia(J = 1 kg*m^2, start w = 0.5 rad/s fixed)
    s  : AngleSensor
    v  : SpeedSensor
    a  : AngularAccelerationSensor
    rs : RelativeAngleSensor
    rv : RelativeSpeedSensor
    ra : RelativeAngularAccelerationSensor
    connect sine.y -> source.u
    connect source.a -- rotational.ground
    connect source.b -- torque.a
    connect torque.b -- power.a
    connect power.b -- j1.a -- s.a -- v.a -- a.a -- rs.a -- rv.a -- ra.a
    connect j2.a -- rs.b -- rv.b -- ra.b)",
                           1.2);
  constexpr double w = 2 * kPi;
  const Curve acc = [](double t) { return 3 * std::sin(w * t); };
  const Curve vel = [](double t) { return 3 / w * (1 - std::cos(w * t)); };
  const Curve pos = [](double t) { return 3 / w * (t - std::sin(w * t) / w); };
  EXPECT_LT(run.Error("torque.y", [&](double t) { return 2 * acc(t); }), kClose);
  EXPECT_LT(run.Error("power.y", [&](double t) { return 2 * acc(t) * vel(t); }), kClose);
  EXPECT_LT(run.Error("s.y", pos), kClose);
  EXPECT_LT(run.Error("v.y", vel), kClose);
  EXPECT_LT(run.Error("a.y", acc), kClose);
  EXPECT_LT(run.Error("rs.y", [&](double t) { return pos(t) - 0.5 * t; }), kClose);
  EXPECT_LT(run.Error("rv.y", [&](double t) { return vel(t) - 0.5; }), kClose);
  EXPECT_LT(run.Error("ra.y", acc), kClose);
}

// --- Coverage ----------------------------------------------------------------------------------------------

/// The uses of classes in the model texts of a test: "Class", and "Class as model" where a model is told.
std::set<std::string> UsesIn(const std::string& source) {
  std::string text;  // without comments; no model text has one
  for (size_t at = 0; at < source.size();) {
    const size_t end = std::min(source.find('\n', at), source.size());
    const std::string line = source.substr(at, end - at);
    text += line.substr(0, line.find("//")) + "\n";
    at = end + 1;
  }
  std::set<std::string> uses;
  const auto word = [&](size_t at) {
    size_t end = at;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    return text.substr(at, end - at);
  };
  for (size_t at = text.find(" : "); at != std::string::npos; at = text.find(" : ", at + 1)) {
    const std::string name = word(at + 3);
    if (name.empty() || std::isupper(static_cast<unsigned char>(name[0])) == 0) continue;
    size_t end = at + 3 + name.size();
    if (end < text.size() && text[end] == '(') {
      int depth = 0;
      do {
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      } while (++end < text.size() && depth > 0);
    }
    uses.insert(name);
    if (text.compare(end, 4, " as ") == 0) uses.insert(name + " as " + word(end + 4));
  }
  return uses;
}

TEST(DynamicCoverage, UsesAreFound) {
  EXPECT_EQ(
      UsesIn("// a : Lever\n R\"(\n b : Belt(k = (1), d = 2) as rigid\n c : Gear\n  d : Mass(m = 1 kg))\""),
      (std::set<std::string>{"Belt", "Belt as rigid", "Gear", "Mass"}));
}

// Every model of every class of translational, rotational, electromechanical and signal moves in a test
// dynamic_*_test.cc or, where it has modes, samples or delays, in tests/events.
TEST(DynamicCoverage, MechanicsElectromechanicsAndSignals) {
  std::set<std::string> used;
  for (const fs::path& path : FilesBelow("tests/library", ".cc")) {
    if (path.filename().string().starts_with("dynamic_")) used.merge(UsesIn(ReadText(path)));
  }
  for (const fs::path& path : FilesBelow("tests/events", ".cc")) used.merge(UsesIn(ReadText(path)));
  const auto loaded = LoadRepositoryLibrary();
  const std::set<std::string> packages{"translational", "rotational", "electromechanical", "signal"};
  std::string missing;
  size_t tested = 0;
  for (size_t i = 0; i < loaded->declarations->size(); ++i) {
    const DeclarationId id(i);
    const Declaration& declaration = (*loaded->declarations)[id];
    if (declaration.kind != NodeKind::kComponent && declaration.kind != NodeKind::kSoftware) continue;
    if (!packages.contains(loaded->model.Text(declaration.package))) continue;
    const std::string name = loaded->model.Text(declaration.name);
    const SyntaxTree& tree = loaded->declarations->TreeOf(id);
    std::vector<std::string> models;
    for (const NodeId child : tree.Children(declaration.node)) {
      if (tree.kind(child) == NodeKind::kModel)
        models.push_back(name + " as " + std::string(tree.Name(child)));
    }
    if (models.empty()) models.push_back(name);
    for (const std::string& model : models) {
      if (used.contains(model))
        ++tested;
      else
        missing += "  " + model + "\n";
    }
  }
  EXPECT_TRUE(missing.empty()) << "without a dynamic test:\n" << missing;
  EXPECT_GE(tested, 160U);
}

}  // namespace
}  // namespace cotree::test
