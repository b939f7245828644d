// SPDX-License-Identifier: Apache-2.0
// Package electromechanical: each class against the textbook, in another form than the library writes it.
// The torque (force) that a machine delivers is -tau (-f) of its mechanical edge.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "library/probe.h"

namespace cotree::test {
namespace {

constexpr double kPi = std::numbers::pi;

void ExpectClose(double value, double expected, double tolerance = 1e-9) {
  EXPECT_NEAR(value, expected, tolerance * std::max(1e-300, std::abs(expected)));
}

// --- DC motors --------------------------------------------------------------------------------------------

// Maxon, The Selection of High-Precision Microdrives: the speed-torque line goes straight from the
// no-load speed V/Ke to the stall torque Kt*V/R. Here V = 24 V, Ke = Kt = 0.05, R = 0.5: from 480 rad/s
// to 2.4 N*m.
TEST(ElectromechanicalLibrary, DCMotor) {
  for (const std::string model : {"standard", "resistive"}) {
    Probe m("DCMotor(Kt = 0.05 N*m/A, R = 0.5 ohm, J = 1e-4 kg*m^2, L = 1 mH) as " + model);
    for (const double share : {0.0, 0.25, 1.0}) {
      m.Reset();
      m.Set("armature.v", 24);
      m.Set("rotor.w", 480 * (1 - share));
      m.Set("rotor.alpha", 0);
      if (model == "standard") m.Set("der(armature.i)", 0);
      EXPECT_NEAR(m["rotor.tau"], -2.4 * share, 1e-12);
    }
    // Starting: the electrical time constant L/R, and the rotor takes J*alpha of the torque.
    m.Reset();
    m.Set("armature.i", 10);
    m.Set("rotor.w", 100);
    m.Set("rotor.alpha", 1000);
    if (model == "standard") m.Set("armature.v", 24);
    ExpectClose(m["rotor.tau"], -0.4);
    if (model == "standard") ExpectClose(m["der(armature.i)"], (24 - 5 - 5) / 1e-3);
    if (model == "standard") ExpectClose(m.Energy(), 0.05 + 0.5);
    for (const double w : {100.0, -300.0, 0.0}) {
      m.Set("rotor.w", w);
      m.ExpectBalance();
    }
  }
  Probe ideal("DCMotor(Kt = 0.05 N*m/A, Ke = 0.06 V*s/rad) as ideal");
  ideal.Set("armature.i", 10);
  ideal.Set("rotor.w", 200);
  ExpectClose(ideal["armature.v"], 12);
  ExpectClose(ideal["rotor.tau"], -0.5);
  ExpectClose(ideal.Loss(), 20);  // 120 W in, 100 W out
  ideal.ExpectBalance();
  // A data sheet whose constants differ: what they differ by is lost, 0.01*200*10 W beside the copper's.
  for (const std::string model : {"standard", "resistive"}) {
    Probe m("DCMotor(Kt = 0.05 N*m/A, Ke = 0.06 V*s/rad, R = 0.5 ohm) as " + model);
    m.Set("armature.i", 10);
    m.Set("rotor.w", 200);
    m.Set("rotor.alpha", 0);
    if (model == "standard") m.Set("der(armature.i)", 70);
    ExpectClose(m.Loss(), 50 + 20);
    m.ExpectBalance();
  }
}

// The same for a linear motor: from 24 V/(8 V*s/m) = 3 m/s to 8 N/A*24 V/2 ohm = 96 N.
TEST(ElectromechanicalLibrary, LinearMotor) {
  for (const std::string model : {"standard", "resistive"}) {
    Probe m("LinearMotor(Kf = 8 N/A, R = 2 ohm, m = 0.5 kg, L = 1 mH) as " + model);
    for (const double share : {0.0, 0.25, 1.0}) {
      m.Reset();
      m.Set("armature.v", 24);
      m.Set("mover.v", 3 * (1 - share));
      m.Set("mover.acc", 0);
      if (model == "standard") m.Set("der(armature.i)", 0);
      EXPECT_NEAR(m["mover.f"], -96 * share, 1e-12);
    }
    m.Reset();
    m.Set("armature.i", 4);
    m.Set("mover.acc", 20);
    if (model == "standard") m.Set("armature.v", 24);
    for (const double v : {1.0, -2.0, 0.0}) {
      m.Set("mover.v", v);
      ExpectClose(m["mover.f"], -22);
      if (model == "standard") ExpectClose(m["der(armature.i)"], (24 - 8 - 8 * v) / 1e-3);
      m.ExpectBalance();
    }
  }
  Probe ideal("LinearMotor(Kf = 8 N/A) as ideal");
  ideal.Set("armature.i", 2);
  ideal.Set("mover.v", 3);
  ExpectClose(ideal["armature.v"], 24);
  ExpectClose(ideal["mover.f"], -16);
  ideal.ExpectBalance();
  for (const std::string model : {"standard", "resistive", "ideal"}) {
    Probe m("LinearMotor(Kf = 8 N/A, Ke = 9 V*s/m, R = 2 ohm) as " + model);
    m.Set("armature.i", 2);
    m.Set("mover.v", 3);
    if (model != "ideal") m.Set("mover.acc", 0);
    if (model == "standard") m.Set("der(armature.i)", 70);
    ExpectClose(m.Loss(), (model == "ideal" ? 0 : 8) + 6);
    m.ExpectBalance();
  }
}

// Maxon, as above: copper has 39 % more resistance 100 K above the data sheet's temperature, so the stall
// torque falls by 1/1.39; the no-load current is the friction torque by Kt; input - output = heat.
TEST(ElectromechanicalLibrary, DCMotorThermal) {
  Probe m(
      "DCMotorThermal(Kt = 0.05 N*m/A, R = 0.5 ohm, d = 2e-5 N*m*s/rad, tau_c = 0.01 N*m, J = 1e-4 kg*m^2)");
  const std::array<double, 3> rise{0, 50, 100}, torque{2.4, 2.4 / 1.195, 2.4 / 1.39};
  for (size_t k = 0; k < 3; ++k) {
    m.Reset();
    m.Set("armature.v", 24);
    m.Set("der(armature.i)", 0);
    m.Set("rotor.w", 0);
    m.Set("rotor.alpha", 0);
    m.Set("h.T", 293.15 + rise[k]);
    ExpectClose(m["rotor.tau"], -torque[k]);
    ExpectClose(m["h.Q_flow"], -24 * torque[k] / 0.05);  // all of the input
    m.ExpectBalance();
  }
  for (const double direction : {1.0, -1.0}) {  // running free at 400 rad/s: 0.01 + 0.008 N*m of friction
    m.Reset();
    m.Set("der(armature.i)", 0);
    m.Set("rotor.w", 400 * direction);
    m.Set("rotor.alpha", 0);
    m.Set("rotor.tau", 0);
    m.Set("h.T", 293.15);
    ExpectClose(m["armature.i"], 0.36 * direction);
    ExpectClose(m["armature.v"], 20.18 * direction);
    ExpectClose(m["h.Q_flow"], -20.18 * 0.36);
    m.ExpectBalance();
  }
  Probe unequal("DCMotorThermal(Kt = 0.05 N*m/A, Ke = 0.06 V*s/rad, tau_c = 0.01 N*m, J = 1 g*m^2)");
  unequal.Set("armature.i", 3);
  unequal.Set("der(armature.i)", 50);
  unequal.Set("rotor.w", 1);
  unequal.Set("rotor.alpha", 7);
  unequal.Set("h.T", 350);
  ExpectClose(unequal["rotor.tau"], 0.007 + 0.01 * 0.761594156 - 0.15);  // tanh(1) = 0.7616 of the friction
  unequal.ExpectBalance();
}

// --- Brushless motors -------------------------------------------------------------------------------------

// Krishnan, Permanent Magnet Synchronous and Brushless DC Motor Drives, ch. 3, with amplitude-invariant
// currents (peak values of the phases): torque = 3/2*p*(psi + (Ld - Lq)*Id)*Iq; here the edges carry
// sqrt(3/2) of them.
TEST(ElectromechanicalLibrary, BrushlessMotorDQ) {
  Probe m(
      "BrushlessMotorDQ(psi = 20 mWb, Ld = 1 mH, Lq = 2 mH, pole_pairs = 3, R = 0.5 ohm, J = 1e-3 kg*m^2)");
  const double scale = std::sqrt(1.5);
  for (const auto& [Id, Iq] : {std::array{0.0, 10.0}, std::array{-8.0, 10.0}, std::array{5.0, -4.0}}) {
    m.Reset();
    m.Set("d.i", scale * Id);
    m.Set("q.i", scale * Iq);
    m.Set("der(d.i)", 0);
    m.Set("der(q.i)", 0);
    m.Set("rotor.w", 100);
    m.Set("rotor.alpha", 0);
    ExpectClose(m["rotor.tau"], -1.5 * 3 * (0.02 - 1e-3 * Id) * Iq);
    ExpectClose(m["d.v"] / scale, 0.5 * Id - 300 * 2e-3 * Iq);
    ExpectClose(m["q.v"] / scale, 0.5 * Iq + 300 * (1e-3 * Id + 0.02));
    m.Set("der(d.i)", 200);
    m.Set("der(q.i)", -700);
    m.Set("rotor.alpha", 50);
    m.ExpectBalance();
  }
}

// Krishnan, ch. 3: in phase quantities, with equal inductances in d and q, each phase is a resistance, an
// inductance and the voltage that the flux psi*cos(theta - k*120 deg) of the turning magnets induces; the
// torque is the sum of voltage * current by the speed.
TEST(ElectromechanicalLibrary, BrushlessMotorPhases) {
  const double p = 3, psi = 0.02, L = 1e-3, R = 0.5, w = 100, W = p * w, Id = -3, Iq = 8;
  Probe m("BrushlessMotor(psi = 20 mWb, Ld = 1 mH, pole_pairs = 3, R = 0.5 ohm)");
  for (const double phi : {0.0, 0.2, 1.9, -0.7}) {
    std::array<double, 3> i{}, v{};
    double torque = 0;
    for (size_t k = 0; k < 3; ++k) {
      const double x = p * phi - 2 * kPi / 3 * static_cast<double>(k);
      i[k] = Id * std::cos(x) - Iq * std::sin(x);
      const double slope = W * (-Id * std::sin(x) - Iq * std::cos(x)), induced = -W * psi * std::sin(x);
      v[k] = R * i[k] + L * slope + induced;
      torque += induced * i[k] / w;
    }
    m.Reset();
    m.Set("uw.i", i[0]);
    m.Set("vw.i", i[1]);
    m.Set("der(id)", 0);  // a constant vector in coordinates of the rotor
    m.Set("der(iq)", 0);
    m.Set("rotor.phi", phi);
    m.Set("rotor.w", w);
    m.Set("rotor.alpha", 0);
    ExpectClose(m["uw.v"], v[0] - v[2]);
    ExpectClose(m["vw.v"], v[1] - v[2]);
    ExpectClose(m["rotor.tau"], -torque);
    ExpectClose(m["id"], std::sqrt(1.5) * Id);
    ExpectClose(m["iq"], std::sqrt(1.5) * Iq);
  }
}

// With unequal inductances: the same torque and power as in dq.
TEST(ElectromechanicalLibrary, BrushlessMotorSalient) {
  const std::string data =
      "(psi = 20 mWb, Ld = 1 mH, Lq = 2 mH, pole_pairs = 3, R = 0.5 ohm, J = 1e-3 kg*m^2)";
  Probe phases("BrushlessMotor" + data), dq("BrushlessMotorDQ" + data);
  for (const double phi : {0.0, 0.4, -1.3}) {
    phases.Reset();
    phases.Set("id", -5);
    phases.Set("iq", 7);
    phases.Set("der(id)", 300);
    phases.Set("der(iq)", -100);
    phases.Set("rotor.phi", phi);
    phases.Set("rotor.w", 80);
    phases.Set("rotor.alpha", 20);
    dq.Reset();
    dq.Set("d.i", -5);
    dq.Set("q.i", 7);
    dq.Set("der(d.i)", 300);
    dq.Set("der(q.i)", -100);
    dq.Set("rotor.w", 80);
    dq.Set("rotor.alpha", 20);
    ExpectClose(phases["rotor.tau"], dq["rotor.tau"]);
    ExpectClose(phases.Power(), dq.Power());
    phases.ExpectBalance();
  }
}

// --- Stepper ----------------------------------------------------------------------------------------------

// Acarnley, Stepping Motors, 4th ed., ch. 1 and 2: 200 steps of 1.8 deg with 50 teeth; one phase holds with
// Km*I, both phases on with sqrt(2) times that, half a step apart; the torque per displacement at rest is
// teeth*Km*I.
TEST(ElectromechanicalLibrary, Stepper) {
  Probe m("Stepper(Km = 0.3 N*m/A, R = 2 ohm, L = 4 mH, J = 1e-5 kg*m^2, d = 1e-3 N*m*s/rad)");
  const double step = 1.8 * kPi / 180;
  const auto torque = [&](double a, double b, double phi) {  // delivered at rest
    m.Reset();
    m.Set("a.i", a);
    m.Set("b.i", b);
    m.Set("der(a.i)", 0);
    m.Set("der(b.i)", 0);
    m.Set("rotor.phi", phi);
    m.Set("rotor.w", 0);
    m.Set("rotor.alpha", 0);
    return -m["rotor.tau"];
  };
  // Switching a, b, -a, -b walks forwards; each position is stable.
  const std::array<std::array<double, 2>, 4> sequence{{{2, 0}, {0, 2}, {-2, 0}, {0, -2}}};
  for (size_t k = 0; k < 8; ++k) {
    const auto& [a, b] = sequence[k % 4];
    const double rest = static_cast<double>(k) * step;
    EXPECT_NEAR(torque(a, b, rest), 0, 1e-12);
    ExpectClose(torque(a, b, rest + 1e-6), -50 * 0.3 * 2 * 1e-6, 1e-6);
  }
  ExpectClose(torque(2, 0, -step), 0.6);
  EXPECT_NEAR(torque(2, 2, step / 2), 0, 1e-12);
  ExpectClose(torque(2, 2, -step / 2), 0.6 * std::sqrt(2.0));
  // Turned without current it is a generator of two phases a right angle apart.
  m.Reset();
  m.Set("a.i", 0);
  m.Set("b.i", 0);
  m.Set("der(a.i)", 0);
  m.Set("der(b.i)", 0);
  m.Set("rotor.phi", 0.3);
  m.Set("rotor.w", 20);
  m.Set("rotor.alpha", 0);
  ExpectClose(std::hypot(m["a.v"], m["b.v"]), 6);
  ExpectClose(std::atan2(m["b.v"], m["a.v"]), std::remainder(50 * 0.3 + kPi / 2, 2 * kPi));
}

// Acarnley, ch. 2: the detent torque repeats with every full step, and adds its own energy.
TEST(ElectromechanicalLibrary, StepperDetent) {
  Probe m("Stepper(Km = 0.3 N*m/A, tau_d = 0.02 N*m, d = 1e-3 N*m*s/rad)");
  const double step = 1.8 * kPi / 180;
  Probe heavy("Stepper(Km = 0.3 N*m/A, J = 2e-5 kg*m^2)");
  heavy.Set("a.i", 0);
  heavy.Set("b.i", 0);
  heavy.Set("der(a.i)", 0);
  heavy.Set("der(b.i)", 0);
  heavy.Set("rotor.phi", 0.1);
  heavy.Set("rotor.w", 30);
  heavy.Set("rotor.alpha", 500);
  ExpectClose(heavy["rotor.tau"], 0.01);
  ExpectClose(heavy.Energy(), 0.009);
  heavy.ExpectBalance();
  m.Set("a.i", 0);
  m.Set("b.i", 0);
  m.Set("der(a.i)", 0);
  m.Set("der(b.i)", 0);
  m.Set("rotor.w", 0);
  m.Set("rotor.alpha", 0);
  for (const double k : {0.0, 1.0, 7.0}) {
    m.Set("rotor.phi", k * step);
    EXPECT_NEAR(m["rotor.tau"], 0, 1e-12);
    const double rest = m.Energy();
    m.Set("rotor.phi", (k + 0.25) * step);
    ExpectClose(m["rotor.tau"], 0.02);  // the hand that holds it there
    m.Set("rotor.phi", (k + 0.5) * step);
    ExpectClose(m.Energy() - rest, 0.02 * step / kPi);  // the work of half a sine over half a step
  }
  for (const double phi : {0.01, 0.02, 1.5}) {
    m.Set("a.i", 1.5);
    m.Set("b.i", -0.5);
    m.Set("der(a.i)", 100);
    m.Set("der(b.i)", 30);
    m.Set("rotor.phi", phi);
    m.Set("rotor.w", 12);
    m.Set("rotor.alpha", 3);
    m.ExpectBalance();
  }
}

// --- Linear actuators -------------------------------------------------------------------------------------

// Beranek & Mellow, Acoustics: Sound Fields and Transducers, ch. 6: force Bl*i and voltage Bl*v with one and
// the same Bl(x); half of it at s_half to either side. So a blocked coil shows R, a moving one R + Bl(x)^2 *
// mobility.
TEST(ElectromechanicalLibrary, VoiceCoil) {
  Probe c("VoiceCoil(Kf = 10 N/A, R = 8 ohm, s_mid = 2 mm, s_half = 6 mm, m = 20 g)");
  const std::array<double, 4> s{2e-3, 8e-3, -4e-3, 14e-3}, Bl{10, 5, 5, 2};
  for (size_t k = 0; k < 4; ++k) {
    c.Reset();
    c.Set("mover.s", s[k]);
    c.Set("mover.acc", 0);
    c.Set("der(armature.i)", 0);
    c.Set("mover.v", 0);
    c.Set("armature.i", 2);
    ExpectClose(c["armature.v"], 16);
    ExpectClose(c["mover.f"], -2 * Bl[k]);
    const double mobility = 0.5;  // against a damper of 2 N*s/m
    c.Set("mover.v", mobility * 2 * Bl[k]);
    ExpectClose(c["armature.v"] / 2, 8 + Bl[k] * Bl[k] * mobility);
    c.ExpectBalance();
    c.Set("mover.acc", 100);
    c.Set("der(armature.i)", -40);
    ExpectClose(c["mover.f"], 2 - 2 * Bl[k]);
    c.ExpectBalance();
  }
}

// Woodson & Melcher, Electromechanical Dynamics, part I, ch. 3: the force from the energy at constant flux,
// -(dW/ds), W = flux^2/(2 L(s)). With 1/L = (1 + s/s0)/L0 it does not depend on the gap at all:
// flux^2/(2*L0*s0), the pull Phi^2/(2*mu0*A) of an air gap.
TEST(ElectromechanicalLibrary, Solenoid) {
  Probe c("Solenoid(R = 10 ohm, L0 = 100 mH, gap_half = 0.5 mm, gap0 = 2 mm, m = 50 g)");
  const double flux = 0.05;
  for (const double gap : {0.0, 0.5e-3, 3e-3}) {
    const double L = 0.1 / (1 + gap / 0.5e-3);
    c.Reset();
    c.Set("mover.s", gap - 2e-3);
    c.Set("mover.v", 0);
    c.Set("mover.acc", 0);
    c.Set("coil.i", flux / L);
    c.Set("der(coil.i)", 0);
    ExpectClose(c["mover.f"],
                flux * flux / (2 * 0.1 * 0.5e-3));  // the hand that holds the plunger back pulls outwards
    ExpectClose(c.Energy(), flux * flux / (2 * L));
    c.Set("mover.v", 0.3);
    c.Set("mover.acc", -20);
    c.Set("der(coil.i)", 4);
    c.ExpectBalance();
    // Kept at the same flux, a superconducting coil needs no voltage whatever the plunger does: d(i)/dt =
    // -flux*d(1/L)...
    c.Set("der(coil.i)", flux / 0.1 / 0.5e-3 * 0.3);
    EXPECT_NEAR(c["coil.v"] - 10 * flux / L, 0, 1e-12);
  }
}

// Physik Instrumente, Piezo technology (tutorial): free stroke D*V, blocking force k*D*V; IEEE Std 176-1987:
// coupling kappa^2 = k*D^2/C, clamped capacitance C*(1 - kappa^2); shorted, a force makes the charge D*F.
TEST(ElectromechanicalLibrary, PiezoStack) {
  Probe z("PiezoStack(C = 2 uF, D = 150 nm/V, k = 40 N/um, s0 = 1 mm)");  // kappa^2 = 0.45
  z.Set("plates.v", 100);
  z.Set("der(plates.v)", 0);
  z.Set("stack.v", 0);
  z.Set("stack.acc", 0);
  z.Set("stack.f", 0);
  ExpectClose(z["stack.s"], 1e-3 + 15e-6);
  z.Reset();
  z.Set("plates.v", 100);
  z.Set("der(plates.v)", 5e4);
  z.Set("stack.s", 1e-3);
  z.Set("stack.v", 0);
  z.Set("stack.acc", 0);
  ExpectClose(z["stack.f"], -600);  // it pushes with 600 N
  ExpectClose(z["plates.i"], 2e-6 * 0.55 * 5e4);
  z.Set("stack.v", 150e-9 * 5e4);  // free: follows the voltage
  ExpectClose(z["plates.i"], 2e-6 * 5e4);
  z.Set("der(plates.v)", 0);  // shorted: a force that grows by k*v
  z.Set("plates.v", 0);
  z.Set("stack.v", 1e-3);
  ExpectClose(z["plates.i"], 150e-9 * 40e6 * 1e-3);
  Probe heavy("PiezoStack(d = 200 N*s/m, m = 30 g, s0 = 3 um)");
  for (const double v : {100.0, -20.0, 0.0}) {
    heavy.Reset();
    heavy.Set("plates.v", v);
    heavy.Set("der(plates.v)", 3e4);
    heavy.Set("stack.s", 4e-6);
    heavy.Set("stack.v", 2e-3);
    heavy.Set("stack.acc", 50);
    heavy.ExpectBalance();
  }
}

// --- Sensors ----------------------------------------------------------------------------------------------

// The default is the usual 7 V per 1000 rpm; loaded with its own resistance, half of it is left, and the load
// has to be turned.
TEST(ElectromechanicalLibrary, Tachometer) {
  Probe heavy("Tachometer(J = 2e-6 kg*m^2)");
  heavy.Set("rotor.w", 100);
  heavy.Set("rotor.alpha", 500);
  heavy.Set("winding.i", 0);
  ExpectClose(heavy["rotor.tau"], 1e-3);
  ExpectClose(heavy.Energy(), 0.01);
  heavy.ExpectBalance();
  Probe t("Tachometer");
  for (const double thousands : {1.0, -2.0, 3.5}) {
    t.Reset();
    t.Set("rotor.w", thousands * 1000 * 2 * kPi / 60);
    t.Set("rotor.alpha", 0);
    t.Set("winding.i", 0);
    ExpectClose(t["winding.v"], 7 * thousands, 1e-3);
    const double open = t["winding.v"];
    t.Set("winding.i", -open / 100);
    ExpectClose(t["winding.v"], open / 2);
    ExpectClose(t["rotor.tau"] * t["rotor.w"], open * open / 100);
    t.ExpectBalance();
  }
}

// A disc of 360 lines counts degrees, rounded down. The tracks A, B go through 10, 11, 01, 00 in each line
// forwards: A leads, and one track at a time changes.
TEST(ElectromechanicalLibrary, QuantisedEncoder) {
  Probe counting("QuantisedEncoder(lines = 360)"), tracks("QuantisedEncoder(lines = 360) as quadrature");
  const std::array<double, 6> degrees{0.1, 0.9, 1.1, 359.5, -0.1, -10.5}, counts{0, 0, 1, 359, -1, -11};
  for (size_t k = 0; k < 6; ++k) {
    for (Probe* e : {&counting, &tracks}) {
      e->Reset();
      e->Set("e.phi", degrees[k] * kPi / 180);
      EXPECT_EQ((*e)["count"], counts[k]);
      EXPECT_NEAR((*e)["y"], counts[k] * kPi / 180, 1e-12);
      EXPECT_EQ((*e)["e.tau"], 0);
    }
  }
  const std::array<double, 4> A{1, 1, 0, 0}, B{0, 1, 1, 0};
  for (int quarter = -400; quarter < 400; ++quarter) {
    tracks.Reset();
    tracks.Set("e.phi", (quarter + 0.5) / 4 * kPi / 180);
    EXPECT_EQ(tracks["A"], A[static_cast<size_t>(quarter + 400) % 4]);
    EXPECT_EQ(tracks["B"], B[static_cast<size_t>(quarter + 400) % 4]);
  }
}

}  // namespace
}  // namespace cotree::test
