// SPDX-License-Identifier: Apache-2.0
// The motion of motors, actuators and sensors in small systems, against closed forms.
#include "library/dynamic_curves.h"

namespace cotree::test {
namespace {

constexpr double kClose = 1e-6;  // of the largest value

double Sq(double x) {
  return x * x;
}

// --- DC motors ---------------------------------------------------------------------------------------------

// Franklin, Powell & Emami-Naeini, Feedback Control of Dynamic Systems, 7th ed., ch. 2: L*i' =
// V - R*i - Ke*w, J*w' = Kt*i. Data: V = 12, R = 0.5, L = 0.01, Kt = 0.1, Ke = 0.12, J = 0.001 + 0.001.
TEST(DynamicMotor, DCMotorStandard) {
  const auto run = RunBody(R"(
    supply : VoltageSource(V = 12 V)
    motor  : DCMotor(R = 0.5 ohm, L = 10 mH, Kt = 0.1 N*m/A, Ke = 0.12 V*s/rad, J = 0.001 kg*m^2) as standard
    load   : Inertia(J = 0.001 kg*m^2)
    connect supply.p -- motor.p
    connect supply.n -- motor.n -- electrical.ground
    connect motor.shaft -- load.a
    connect motor.housing -- rotational.ground)",
                           0.3);
  const auto exact = [](double t) { return Linear2({-50, -12, 50, 0}, {1200, 0}, {0, 0}, t); };
  EXPECT_LT(run.Error("motor.armature.i", [&](double t) { return exact(t)[0]; }), kClose);
  EXPECT_LT(run.Error("load.w", [&](double t) { return exact(t)[1]; }), kClose);
}

// By hand: without L, J*w' = Kt*(V - Ke*w)/R: V/Ke*(1 - exp(-t/T)), T = J*R/(Kt*Ke). In `ideal` R is outside.
TEST(DynamicMotor, DCMotorResistiveAndIdeal) {
  const auto run = RunBody(R"(
    supply : VoltageSource(V = 12 V)
    motor  : DCMotor(R = 0.5 ohm, Kt = 0.1 N*m/A, Ke = 0.12 V*s/rad, J = 0.001 kg*m^2) as resistive
    load   : Inertia(J = 0.001 kg*m^2)
    r      : Resistor(R = 0.5 ohm)
    ideal  : DCMotor(R = 7 ohm, Kt = 0.1 N*m/A, Ke = 0.12 V*s/rad, J = 7 kg*m^2) as ideal
    whole  : Inertia(J = 0.002 kg*m^2)
    connect supply.p -- motor.p -- r.p
    connect r.n -- ideal.p
    connect supply.n -- motor.n -- ideal.n -- electrical.ground
    connect motor.shaft -- load.a
    connect ideal.shaft -- whole.a
    connect motor.housing -- ideal.housing -- rotational.ground)",
                           0.3);
  const Curve exact = [](double t) { return 100 * (1 - std::exp(-12 * t)); };
  EXPECT_LT(run.Error("load.w", exact), kClose);
  EXPECT_LT(run.Error("whole.w", exact), kClose);
  EXPECT_LT(run.Error("motor.armature.i", [](double t) { return 24 * std::exp(-12 * t); }), kClose);
  EXPECT_LT(run.Error("ideal.armature.i", [](double t) { return 24 * std::exp(-12 * t); }), kClose);
}

// As DCMotor, with force for torque: R = 0.5, L = 0.01, Kf = 10, Ke = 12, m = 10 + 10.
TEST(DynamicMotor, LinearMotorStandard) {
  const auto run = RunBody(R"(
    supply : VoltageSource(V = 12 V)
    motor  : LinearMotor(R = 0.5 ohm, L = 10 mH, Kf = 10 N/A, Ke = 12 V*s/m, m = 10 kg) as standard
    load   : Mass(m = 10 kg)
    connect supply.p -- motor.p
    connect supply.n -- motor.n -- electrical.ground
    connect motor.coil -- load.a
    connect motor.housing -- translational.ground)",
                           0.3);
  const auto exact = [](double t) { return Linear2({-50, -1200, 0.5, 0}, {1200, 0}, {0, 0}, t); };
  EXPECT_LT(run.Error("motor.armature.i", [&](double t) { return exact(t)[0]; }), kClose);
  EXPECT_LT(run.Error("load.v", [&](double t) { return exact(t)[1]; }), kClose);
}

TEST(DynamicMotor, LinearMotorResistiveAndIdeal) {
  const auto run = RunBody(R"(
    supply : VoltageSource(V = 12 V)
    motor  : LinearMotor(R = 0.5 ohm, Kf = 10 N/A, Ke = 12 V*s/m, m = 10 kg) as resistive
    load   : Mass(m = 10 kg)
    r      : Resistor(R = 0.5 ohm)
    ideal  : LinearMotor(R = 7 ohm, Kf = 10 N/A, Ke = 12 V*s/m, m = 7 kg) as ideal
    whole  : Mass(m = 20 kg)
    connect supply.p -- motor.p -- r.p
    connect r.n -- ideal.p
    connect supply.n -- motor.n -- ideal.n -- electrical.ground
    connect motor.coil -- load.a
    connect ideal.coil -- whole.a
    connect motor.housing -- ideal.housing -- translational.ground)",
                           0.3);
  EXPECT_LT(run.Error("load.v", [](double t) { return 1 - std::exp(-12 * t); }), kClose);
  EXPECT_LT(run.Error("whole.v", [](double t) { return 1 - std::exp(-12 * t); }), kClose);
}

// As DCMotorStandard, at 120 degC: R = 0.5*(1 + 0.004*100) = 0.7 ohm; viscous friction d = 0.01.
TEST(DynamicMotor, DCMotorThermalRuns) {
  const auto run = RunBody(R"(
    supply : VoltageSource(V = 12 V)
    hot    : TemperatureSource(temperature = 120 degC)
    motor  : DCMotorThermal(R = 0.5 ohm, alpha = 0.004 1/K, T_ref = 20 degC, L = 10 mH, Kt = 0.1 N*m/A,
                            Ke = 0.12 V*s/rad, J = 0.002 kg*m^2, d = 0.01 N*m*s/rad)
    w      : SpeedSensor
    connect motor.shaft -- w.a
    connect supply.p -- motor.p
    connect supply.n -- motor.n -- electrical.ground
    connect motor.housing -- rotational.ground
    connect motor.heat -- hot.a)",
                           0.3);
  const auto exact = [](double t) { return Linear2({-70, -12, 50, -5}, {1200, 0}, {0, 0}, t); };
  EXPECT_LT(run.Error("motor.armature.i", [&](double t) { return exact(t)[0]; }), kClose);
  EXPECT_LT(run.Error("motor.rotor.w", [&](double t) { return exact(t)[1]; }), kClose);
  EXPECT_LT(run.Error("motor.h.Q_flow",
                      [&](double t) {
                        const auto [i, w] = exact(t);
                        return -(0.7 * i * i + 0.01 * w * w + 0.02 * w * i);
                      }),
            kClose);
}

// By hand: without current J*w' = -tau_c*tanh(w/w_c) is separable (see SmoothFriction); what the rotor loses
// warms the capacity.
TEST(DynamicMotor, DCMotorThermalRunsOut) {
  const auto run = RunBody(R"(
    none  : CurrentSource(I = 0 A)
    body  : HeatCapacity(C = 5 J/K, start T = 300 K fixed)
    motor : DCMotorThermal(Kt = 0.1 N*m/A, J = 0.02 kg*m^2, tau_c = 0.4 N*m, w_c = 10 rad/s,
                           start rotor.w = 100 rad/s fixed)
    w     : SpeedSensor
    connect motor.shaft -- w.a
    connect none.p -- motor.p
    connect none.n -- motor.n -- electrical.ground
    connect motor.housing -- rotational.ground
    connect motor.heat -- body.a)",
                           8);
  const Curve w = [](double t) { return 10 * std::asinh(std::sinh(10.0) * std::exp(-2 * t)); };
  EXPECT_LT(run.Error("motor.rotor.w", w), kClose);
  EXPECT_LT(run.Error("body.T", [&](double t) { return 300 + 0.01 * (1e4 - Sq(w(t))) / 5; }), kClose);
}

// --- Synchronous motors ------------------------------------------------------------------------------------

// Krause, Wasynczuk & Sudhoff, Analysis of Electric Machinery, 3rd ed., ch. 4, in power-invariant form: at
// constant speed two linear equations. W = 4*50 = 200 rad/s, R = 0.5, Ld = 0.01, Lq = 0.02, psi_d =
// sqrt(3/2)*0.05.
TEST(DynamicMotor, BrushlessMotorDQAtConstantSpeed) {
  const auto run = RunBody(R"(
    vd    : VoltageSource(V = 3 V)
    vq    : VoltageSource(V = 20 V)
    drive : SpeedSource(speed = 50 rad/s)
    motor : BrushlessMotorDQ(R = 0.5 ohm, Ld = 10 mH, Lq = 20 mH, psi = 0.05 Wb, pole_pairs = 4)
    connect vd.p -- motor.dp
    connect vq.p -- motor.qp
    connect vd.n -- vq.n -- motor.dn -- motor.qn -- electrical.ground
    connect drive.a -- motor.shaft
    connect drive.b -- motor.housing -- rotational.ground)",
                           0.2);
  const double psi = std::sqrt(1.5) * 0.05;
  const auto exact = [&](double t) {
    return Linear2({-50, 400, -100, -25}, {300, (20 - 200 * psi) / 0.02}, {0, 0}, t);
  };
  EXPECT_LT(run.Error("motor.d.i", [&](double t) { return exact(t)[0]; }), kClose);
  EXPECT_LT(run.Error("motor.q.i", [&](double t) { return exact(t)[1]; }), kClose);
  EXPECT_LT(
      run.Error("motor.rotor.tau", [&](double t) { return -4 * (psi - 0.01 * exact(t)[0]) * exact(t)[1]; }),
      kClose);
}

// By hand: with i_d held at 0 it is a DC motor with Kt = pole_pairs*psi_d = 4*sqrt(3/2)*psi.
TEST(DynamicMotor, BrushlessMotorDQAsDCMotor) {
  const auto run = RunBody(R"(
    id    : CurrentSource(I = 0 A)
    vq    : VoltageSource(V = 20 V)
    motor : BrushlessMotorDQ(R = 0.5 ohm, Ld = 10 mH, Lq = 20 mH, psi = 0.05 Wb, pole_pairs = 4,
                             J = 0.002 kg*m^2)
    w     : SpeedSensor
    connect motor.shaft -- w.a
    connect id.p -- motor.dp
    connect vq.p -- motor.qp
    connect id.n -- vq.n -- motor.dn -- motor.qn -- electrical.ground
    connect motor.housing -- rotational.ground)",
                           0.3);
  const double kt = std::sqrt(1.5) * 0.2;
  const auto exact = [&](double t) {
    return Linear2({-25, -kt / 0.02, kt / 0.002, 0}, {1000, 0}, {0, 0}, t);
  };
  EXPECT_LT(run.Error("motor.q.i", [&](double t) { return exact(t)[0]; }), kClose);
  EXPECT_LT(run.Error("motor.rotor.w", [&](double t) { return exact(t)[1]; }), kClose);
}

// Ibid.: short-circuited and turned; i_u is i_d and i_q turned back by theta = 4*50*t (Park's inverse).
TEST(DynamicMotor, BrushlessMotorShorted) {
  const auto run = RunBody(R"(
    drive : SpeedSource(speed = 50 rad/s)
    motor : BrushlessMotor(R = 0.5 ohm, Ld = 10 mH, Lq = 20 mH, psi = 0.05 Wb, pole_pairs = 4)
    su    : CurrentSensor
    sv    : CurrentSensor
    connect su.n -- motor.u
    connect sv.n -- motor.v
    connect su.p -- sv.p -- motor.w -- electrical.ground
    connect drive.a -- motor.shaft
    connect drive.b -- motor.housing -- rotational.ground)",
                           0.2);
  const double psi = std::sqrt(1.5) * 0.05;
  const auto exact = [&](double t) { return Linear2({-50, 400, -100, -25}, {0, -1e4 * psi}, {0, 0}, t); };
  const auto phase = [&](double t, double angle) {
    const double theta = 200 * t - angle;
    return std::sqrt(2.0 / 3) * (exact(t)[0] * std::cos(theta) - exact(t)[1] * std::sin(theta));
  };
  EXPECT_LT(run.Error("motor.id", [&](double t) { return exact(t)[0]; }), kClose);
  EXPECT_LT(run.Error("motor.iq", [&](double t) { return exact(t)[1]; }), kClose);
  EXPECT_LT(run.Error("su.y", [&](double t) { return phase(t, 0); }), kClose);
  EXPECT_LT(run.Error("sv.y", [&](double t) { return phase(t, 2 * kPi / 3); }), kClose);
  EXPECT_LT(run.Error("drive.tau", [&](double t) { return 4 * (psi - 0.01 * exact(t)[0]) * exact(t)[1]; }),
            kClose);
}

// Ibid.: three sinusoidal voltages in phase with the rotor are constant in dq: v_u = -V*sin(theta) gives v_d
// = 0, v_q = sqrt(3/2)*V.
TEST(DynamicMotor, BrushlessMotorOnThreePhases) {
  const auto run = RunBody(R"(
    drive : SpeedSource(speed = 50 rad/s)
    motor : BrushlessMotor(R = 0.5 ohm, Ld = 10 mH, Lq = 20 mH, psi = 0.05 Wb, pole_pairs = 4)
    u : SineVoltageSource(amplitude = 20 V, frequency = 100/pi*1 Hz, phase = 180 deg)
    v : SineVoltageSource(amplitude = 20 V, frequency = 100/pi*1 Hz, phase = 60 deg)
    w : SineVoltageSource(amplitude = 20 V, frequency = 100/pi*1 Hz, phase = -60 deg)
    connect u.p -- motor.u
    connect v.p -- motor.v
    connect w.p -- motor.w
    connect u.n -- v.n -- w.n -- electrical.ground
    connect drive.a -- motor.shaft
    connect drive.b -- motor.housing -- rotational.ground)",
                           0.2);
  const auto exact = [&](double t) {
    return Linear2({-50, 400, -100, -25}, {0, std::sqrt(1.5) * (20 - 200 * 0.05) / 0.02}, {0, 0}, t);
  };
  EXPECT_LT(run.Error("motor.id", [&](double t) { return exact(t)[0]; }), kClose);
  EXPECT_LT(run.Error("motor.iq", [&](double t) { return exact(t)[1]; }), kClose);
}

// Ibid.: open, a phase has -psi*theta'*sin(theta - angle), angle = 0, 120 deg, -120 deg. Here theta = 4*phi,
// phi = 10*t^2.
TEST(DynamicMotor, BrushlessMotorOpen) {
  const auto run = RunBody(R"(
    drive : AngularAccelerationSource(acceleration = 20 rad/s^2)
    motor : BrushlessMotor(psi = 0.05 Wb, pole_pairs = 4, J = 0.002 kg*m^2)
    u : CurrentSource(I = 0 A)
    v : CurrentSource(I = 0 A)
    connect u.p -- motor.u
    connect v.p -- motor.v
    connect u.n -- v.n -- motor.w -- electrical.ground
    connect drive.a -- motor.shaft
    connect drive.b -- motor.housing -- rotational.ground)",
                           1);
  const auto phase = [](double t, double angle) { return -0.05 * 80 * t * std::sin(40 * t * t - angle); };
  EXPECT_LT(run.Error("u.v", [&](double t) { return phase(t, 0) - phase(t, -2 * kPi / 3); }), kClose);
  EXPECT_LT(run.Error("v.v", [&](double t) { return phase(t, 2 * kPi / 3) - phase(t, -2 * kPi / 3); }),
            kClose);
  EXPECT_LT(run.Error("motor.rotor.tau", [](double) { return 0.04; }), kClose);
}

// --- Stepper -----------------------------------------------------------------------------------------------

// Acarnley, Stepping Motors, 4th ed., ch. 4: with one phase at constant current the rotor is a pendulum in
// teeth*phi, w0^2 = teeth*Km*I/J; without current the detent torque makes one in 4*teeth*phi.
TEST(DynamicMotor, StepperSwings) {
  const auto run = RunBody(R"(
    ia : CurrentSource(I = 2 A)
    ib : CurrentSource(I = 0 A)
    motor : Stepper(Km = 0.1 N*m/A, teeth = 50, J = 0.001 kg*m^2, start rotor.phi = 0.04 rad fixed)
    oa : CurrentSource(I = 0 A)
    ob : CurrentSource(I = 0 A)
    detent : Stepper(Km = 0.1 N*m/A, teeth = 50, tau_d = 0.05 N*m, J = 0.001 kg*m^2,
                     start rotor.phi = 0.01 rad fixed)
    w1 : SpeedSensor
    w2 : SpeedSensor
    connect motor.shaft -- w1.a
    connect detent.shaft -- w2.a
    connect ia.n -- motor.ap
    connect ib.n -- motor.bp
    connect oa.n -- detent.ap
    connect ob.n -- detent.bp
    connect ia.p -- ib.p -- motor.an -- motor.bn -- electrical.ground
    connect oa.p -- ob.p -- detent.an -- detent.bn -- electrical.ground
    connect motor.housing -- detent.housing -- rotational.ground)",
                           0.1);
  EXPECT_LT(run.Error("motor.rotor.phi", [](double t) { return PendulumAngle(100, 2, t) / 50; }), kClose);
  EXPECT_LT(run.Error("detent.rotor.phi", [](double t) { return PendulumAngle(100, 2, t) / 200; }), kClose);
}

// By hand: shorted and turned at W = teeth*w = 100 rad/s, L*i_a' + R*i_a = Km*w*sin(W*t), L*i_b' + R*i_b =
// -Km*w*cos(W*t): the complex current c = i_b + j*i_a obeys L*c' + R*c = -Km*w*exp(-j*W*t). Friction d*w
// besides.
TEST(DynamicMotor, StepperTurned) {
  const auto run = RunBody(R"(
    drive : SpeedSource(speed = 2 rad/s)
    motor : Stepper(R = 1 ohm, L = 5 mH, Km = 0.1 N*m/A, teeth = 50, d = 0.01 N*m*s/rad)
    connect motor.ap -- motor.an -- motor.bp -- motor.bn -- electrical.ground
    connect drive.a -- motor.shaft
    connect drive.b -- motor.housing -- rotational.ground)",
                           0.1);
  const auto exact = [](double t) {
    const std::complex<double> j(0, 1), gain = -0.2 / (1.0 - 0.5 * j);
    return gain * (std::exp(-100.0 * j * t) - std::exp(-200 * t));
  };
  EXPECT_LT(run.Error("motor.b.i", [&](double t) { return exact(t).real(); }), kClose);
  EXPECT_LT(run.Error("motor.a.i", [&](double t) { return exact(t).imag(); }), kClose);
  EXPECT_LT(run.Error("motor.rotor.tau",
                      [&](double t) {
                        return 0.02 + 0.1 * (exact(t).imag() * std::sin(100 * t) -
                                             exact(t).real() * std::cos(100 * t));
                      }),
            kClose);
}

// --- Linear actuators --------------------------------------------------------------------------------------

// By hand: at constant current the work is m*v^2/2 = I*integral(k) = I*Kf*s_half*(atan(x) - atan(x0)), x = (s
// - s_mid)/s_half.
TEST(DynamicMotor, VoiceCoilAtConstantCurrent) {
  const auto run = RunBody(R"(
    source : CurrentSource(I = 2 A)
    motor  : VoiceCoil(R = 3 ohm, Kf = 5 N/A, s_mid = 2 mm, s_half = 10 mm, m = 0.1 kg)
    s      : PositionSensor
    connect motor.coil -- s.a
    connect source.n -- motor.p
    connect source.p -- motor.n -- electrical.ground
    connect motor.housing -- translational.ground)",
                           0.05);
  const auto& s = run["motor.mover.s"];
  const auto& v = run["motor.mover.v"];
  const auto& voltage = run["motor.armature.v"];
  EXPECT_GT(s.back(), 0.05);
  for (size_t k = 0; k < s.size(); ++k) {
    const double x = (s[k] - 0.002) / 0.01;
    EXPECT_NEAR(0.05 * Sq(v[k]), 0.1 * (std::atan(x) + std::atan(0.2)), 1e-7);
    EXPECT_NEAR(voltage[k], 6 + 5 / (1 + x * x) * v[k], 1e-6);
  }
}

// By hand: clamped it is R and L in series; its force is Kf/(1 + x^2)*i, here at x = -1 half.
TEST(DynamicMotor, VoiceCoilClamped) {
  const auto run = RunBody(R"(
    source : VoltageSource(V = 6 V)
    clamp  : Fixed(position = -8 mm)
    motor  : VoiceCoil(R = 3 ohm, L = 30 mH, Kf = 5 N/A, s_mid = 2 mm, s_half = 10 mm, m = 0.1 kg)
    connect source.p -- motor.p
    connect source.n -- motor.n -- electrical.ground
    connect motor.coil -- clamp.a
    connect motor.housing -- translational.ground)",
                           0.05);
  EXPECT_LT(run.Error("motor.armature.i", [](double t) { return 2 * (1 - std::exp(-100 * t)); }), kClose);
  EXPECT_LT(run.Error("motor.mover.f", [](double t) { return -5 * (1 - std::exp(-100 * t)); }), kClose);
}

// Woodson & Melcher, Electromechanical Dynamics, ch. 3: f = i^2/2*dL/ds. At constant current the work on the
// plunger is I^2/2*(L(s) - L(0)), and the voltage R*I + I*dL/ds*v.
TEST(DynamicMotor, SolenoidAtConstantCurrent) {
  const auto run = RunBody(R"(
    source : CurrentSource(I = 2 A)
    motor  : Solenoid(R = 3 ohm, L0 = 100 mH, gap_half = 1 mm, gap0 = 5 mm, m = 0.1 kg)
    s      : PositionSensor
    connect motor.plunger -- s.a
    connect source.n -- motor.p
    connect source.p -- motor.n -- electrical.ground
    connect motor.housing -- translational.ground)",
                           0.01);
  const auto& s = run["motor.mover.s"];
  const auto& v = run["motor.mover.v"];
  const auto& voltage = run["motor.coil.v"];
  EXPECT_LT(s.back(), -0.002);
  for (size_t k = 0; k < s.size(); ++k) {
    const double x = 6 + s[k] / 0.001;
    EXPECT_NEAR(0.05 * Sq(v[k]), 0.2 * (1 / x - 1 / 6.0), 1e-7);
    EXPECT_NEAR(voltage[k], 6 - 2 * 100 / (x * x) * v[k], 1e-5);
  }
}

// Ibid.: in a shorted coil without resistance the flux L(s)*i stays, however the plunger is moved.
TEST(DynamicMotor, SolenoidKeepsItsFlux) {
  const auto run = RunBody(R"(
    sine   : Sine(amplitude = 2 mm, frequency = 5 Hz)
    drive  : SignalPositionSource
    motor  : Solenoid(R = 0 ohm, L0 = 100 mH, gap_half = 1 mm, gap0 = 3 mm, m = 0.1 kg,
                      start coil.i = 2 A fixed)
    connect sine.y -> drive.u
    connect drive.a -- motor.plunger
    connect motor.p -- motor.n -- electrical.ground
    connect drive.b -- motor.housing -- translational.ground)",
                           0.3);
  EXPECT_LT(run.Error("motor.coil.i", [](double t) { return 2 * (4 + 2 * std::sin(10 * kPi * t)) / 4; }),
            kClose);
}

// By hand: clamped at a gap equal to gap_half it is R and L0/2 in series.
TEST(DynamicMotor, SolenoidClamped) {
  const auto run = RunBody(R"(
    source : VoltageSource(V = 6 V)
    motor  : Solenoid(R = 3 ohm, L0 = 60 mH, gap_half = 1 mm, gap0 = 1 mm)
    connect source.p -- motor.p
    connect source.n -- motor.n -- electrical.ground
    connect motor.plunger -- motor.housing -- translational.ground)",
                           0.05);
  const Curve i = [](double t) { return 2 * (1 - std::exp(-100 * t)); };
  EXPECT_LT(run.Error("motor.coil.i", i), kClose);
  EXPECT_LT(run.Error("motor.mover.f", [&](double t) { return 0.06 * Sq(i(t)) / (2 * 0.001 * 4); }), kClose);
}

// IEEE Std 176-1987: the constitutive equations. Charged through 1 kohm: clamped with C - k*D^2 = 0.5 uF,
// free and massless with C = 1 uF, the tip following by D*v.
TEST(DynamicMotor, PiezoStackCharges) {
  const auto run = RunBody(R"(
    source  : VoltageSource(V = 100 V)
    r1      : Resistor(R = 1 kohm)
    r2      : Resistor(R = 1 kohm)
    clamped : PiezoStack(C = 1 uF, D = 100 nm/V, k = 50 N/um)
    free    : PiezoStack(C = 1 uF, D = 100 nm/V, k = 50 N/um, s0 = 3 um)
    s       : PositionSensor
    connect free.tip -- s.a
    connect source.p -- r1.p -- r2.p
    connect r1.n -- clamped.p
    connect r2.n -- free.p
    connect source.n -- clamped.n -- free.n -- electrical.ground
    connect clamped.tip -- clamped.base -- free.base -- translational.ground)",
                           0.005);
  EXPECT_LT(run.Error("clamped.plates.v", [](double t) { return 100 * (1 - std::exp(-2000 * t)); }), kClose);
  EXPECT_LT(run.Error("clamped.stack.f", [](double t) { return -500 * (1 - std::exp(-2000 * t)); }), kClose);
  EXPECT_LT(run.Error("free.plates.v", [](double t) { return 100 * (1 - std::exp(-1000 * t)); }), kClose);
  EXPECT_LT(run.Error("free.stack.s", [](double t) { return 3e-6 + 1e-5 * (1 - std::exp(-1000 * t)); }),
            kClose);
}

// By hand: at constant voltage the tip swings about D*V: w0 = sqrt(k/m) = 1e4 rad/s, D = d/(2*m*w0) = 0.1;
// the current is k*D*v.
TEST(DynamicMotor, PiezoStackSwings) {
  const auto run = RunBody(R"(
    source : VoltageSource(V = 100 V)
    stack  : PiezoStack(C = 1 uF, D = 100 nm/V, k = 50 N/um, d = 1000 N*s/m, m = 0.5 kg)
    s      : PositionSensor
    connect stack.tip -- s.a
    connect source.p -- stack.p
    connect source.n -- stack.n -- electrical.ground
    connect stack.base -- translational.ground)",
                           0.002);
  EXPECT_LT(run.Error("stack.stack.s", [](double t) { return 1e-5 * StepOfSecondOrder(1e4, 0.1, t); }),
            kClose);
  EXPECT_LT(run.Error("stack.plates.i",
                      [](double t) {
                        const double wd = 1e4 * std::sqrt(0.99);
                        return 5 * 1e-5 * 1e8 / wd * std::exp(-1e3 * t) * std::sin(wd * t);
                      }),
            kClose);
}

// --- Sensors -----------------------------------------------------------------------------------------------

// By hand: a disc is braked by the load of the tachometer: J*w' = -K^2/(R + R_load)*w, 3 + 1 kg*m^2.
TEST(DynamicMotor, Tachometer) {
  const auto run = RunBody(R"(
    disc : Inertia(J = 3 kg*m^2, start w = 10 rad/s fixed)
    tacho : Tachometer(K = 20 V*s/rad, R = 10 ohm, J = 1 kg*m^2)
    load : Resistor(R = 40 ohm)
    connect disc.a -- tacho.shaft
    connect tacho.p -- load.p
    connect tacho.n -- load.n -- electrical.ground
    connect tacho.housing -- rotational.ground)",
                           2);
  EXPECT_LT(run.Error("disc.w", [](double t) { return 10 * std::exp(-2 * t); }), kClose);
  EXPECT_LT(run.Error("load.v", [](double t) { return 160 * std::exp(-2 * t); }), kClose);
}

// By hand: on a disc that swings, phi = cos(5*t). Rows close to an edge of a track are not compared.
TEST(DynamicMotor, QuantisedEncoder) {
  const auto run = RunBody(R"(
    disc   : Inertia(J = 2 kg*m^2, start phi = 1 rad fixed)
    spring : TorsionSpring(k = 50 N*m/rad)
    counts : QuantisedEncoder(lines = 50) as counting
    tracks : QuantisedEncoder(lines = 50) as quadrature
    connect disc.a -- spring.a -- counts.shaft -- tracks.shaft
    connect spring.b -- counts.housing -- tracks.housing -- rotational.ground)",
                           1.1);
  size_t compared = 0;
  for (size_t k = 0; k < run.times().size(); ++k) {
    const double lines = 50 * std::cos(5 * run.times()[k]) / (2 * kPi);
    const double part = lines - std::floor(lines);
    if (std::fabs(4 * part - std::round(4 * part)) < 1e-5) continue;
    ++compared;
    EXPECT_EQ(run["counts.count"][k], std::floor(lines)) << run.times()[k];
    EXPECT_NEAR(run["counts.y"][k], 2 * kPi * std::floor(lines) / 50, 1e-12);
    EXPECT_EQ(run["tracks.count"][k], std::floor(lines)) << run.times()[k];
    EXPECT_EQ(run["tracks.A"][k] != 0, part < 0.5) << run.times()[k];
    EXPECT_EQ(run["tracks.B"][k] != 0, part >= 0.25 && part < 0.75) << run.times()[k];
  }
  EXPECT_GT(compared, 490U);
}

}  // namespace
}  // namespace cotree::test
