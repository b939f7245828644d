// SPDX-License-Identifier: Apache-2.0
// Package electrical: each class against the textbook, in another form than the library writes it.
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

// The reference has potential 0, whatever current goes there.
TEST(ElectricalLibrary, Ground) {
  Probe g("Ground");
  g.Set("p.i", 5);
  EXPECT_EQ(g["p.v"], 0);
}

// --- Passive elements -------------------------------------------------------------------------------------

// Horowitz & Hill, The Art of Electronics, 3rd ed., §1.2.2: P = V^2/R = I^2 R.
TEST(ElectricalLibrary, Resistor) {
  Probe r("Resistor(R = 4 ohm)");
  for (const double v : {12.0, -6.0, 0.5}) {
    r.Reset();
    r.Set("e.v", v);
    ExpectClose(r["e.i"], 0.25 * v);
    ExpectClose(r.Power(), v * v / 4);
    ExpectClose(r.Loss(), v * v / 4);
    r.ExpectBalance();
  }
}

// A conductor is the resistor of 1/G (Horowitz & Hill, §1.2.2).
TEST(ElectricalLibrary, Conductor) {
  Probe g("Conductor(G = 0.25 S)");
  for (const double i : {3.0, -1.5, 0.125}) {
    g.Reset();
    g.Set("e.i", i);
    ExpectClose(g["e.v"], 4 * i);
    ExpectClose(g.Loss(), 4 * i * i);
    g.ExpectBalance();
  }
}

// Horowitz & Hill, §1.4.1: 1 mA into 1 uF makes 1000 V/s; the energy is Q^2/(2C).
TEST(ElectricalLibrary, Capacitor) {
  Probe c("Capacitor(C = 1 uF)");
  c.Set("e.i", 1e-3);
  c.Set("e.v", 5.0);
  ExpectClose(c["der(e.v)"], 1000);
  const double charge = 5e-6;
  ExpectClose(c.Energy(), charge * charge / 2e-6);
  for (const double v : {5.0, -3.0, 0.1}) {
    c.Set("e.v", v);
    c.ExpectBalance();
  }
}

// Horowitz & Hill, §1.5.1: 1 V across 1 H makes 1 A/s; the energy is flux^2/(2L).
TEST(ElectricalLibrary, Inductor) {
  Probe l("Inductor(L = 10 mH)");
  l.Set("e.v", 1.0);
  l.Set("e.i", 2.0);
  ExpectClose(l["der(e.i)"], 100);
  const double flux = 0.02;
  ExpectClose(l.Energy(), flux * flux / 0.02);
  for (const double i : {2.0, -3.0, 0.1}) {
    l.Set("e.i", i);
    l.ExpectBalance();
  }
}

// --- Passive elements set by a signal ---------------------------------------------------------------------

TEST(ElectricalLibrary, VariableResistor) {
  Probe r("VariableResistor");
  for (const double u : {1.0, 4.0, 16.0}) {
    r.Reset();
    r.Set("u", u);
    r.Set("e.v", 8.0);
    ExpectClose(r["e.i"], 8.0 / u);
    ExpectClose(r.Loss(), 64.0 / u);
    r.ExpectBalance();
  }
}

TEST(ElectricalLibrary, VariableConductor) {
  Probe g("VariableConductor");
  for (const double u : {1.0, 4.0, 16.0}) {
    g.Reset();
    g.Set("u", u);
    g.Set("e.i", 8.0);
    ExpectClose(g["e.v"], 8.0 / u);
    ExpectClose(g.Loss(), 64.0 / u);
    g.ExpectBalance();
  }
}

// Woodson & Melcher, Electromechanical Dynamics, part I, ch. 2: v = L di/dt + i dL/dt. Along L = 1 + 2t, i =
// 3 - t (in H, A, s) that is v = (1 + 2t)(-1) + (3 - t)*2 = 5 - 4t; and shorted, the flux stays: half L,
// twice i.
TEST(ElectricalLibrary, VariableInductor) {
  Probe l("VariableInductor");
  for (const double t : {0.0, 0.5, 2.0}) {
    std::array<double, 2> flux{};
    for (const int side : {0, 1}) {
      const double at = t + (side == 0 ? -1e-3 : 1e-3);
      l.Reset();
      l.Set("u", 1 + 2 * at);
      l.Set("e.i", 3 - at);
      l.Set("e.v", 0);
      flux[static_cast<size_t>(side)] = l["flux"];
    }
    l.Reset();
    l.Set("u", 1 + 2 * t);
    l.Set("e.i", 3 - t);
    l.Set("der(flux)", (flux[1] - flux[0]) / 2e-3);
    EXPECT_NEAR(l["e.v"], 5 - 4 * t, 1e-9);
  }
  l.Reset();
  l.Set("flux", 4e-3);
  l.Set("u", 2e-3);
  l.Set("e.v", 0);
  ExpectClose(l["e.i"], 2);
  EXPECT_EQ(l["der(flux)"], 0);
  l.Set("u", 1e-3);
  ExpectClose(l["e.i"], 4);
}

// Halliday, Resnick, Walker, Fundamentals of Physics, ch. 25: plates of an open charged capacitor pulled
// apart to half the capacitance have twice the voltage. Beside it i = C dv/dt + v dC/dt, here along C = 1 +
// 2t, v = 3 - t.
TEST(ElectricalLibrary, VariableCapacitor) {
  Probe c("VariableCapacitor");
  c.Set("charge", 6e-6);
  c.Set("u", 2e-6);
  c.Set("e.i", 0);
  ExpectClose(c["e.v"], 3);
  EXPECT_EQ(c["der(charge)"], 0);
  c.Set("u", 1e-6);
  ExpectClose(c["e.v"], 6);
  for (const double t : {0.0, 0.5, 2.0}) {
    std::array<double, 2> charge{};
    for (const int side : {0, 1}) {
      const double at = t + (side == 0 ? -1e-3 : 1e-3);
      c.Reset();
      c.Set("u", 1 + 2 * at);
      c.Set("e.v", 3 - at);
      c.Set("e.i", 0);
      charge[static_cast<size_t>(side)] = c["charge"];
    }
    c.Reset();
    c.Set("u", 1 + 2 * t);
    c.Set("e.v", 3 - t);
    c.Set("der(charge)", (charge[1] - charge[0]) / 2e-3);
    EXPECT_NEAR(c["e.i"], 5 - 4 * t, 1e-9);
  }
}

// Horowitz & Hill, §1.2.5: the loaded divider is Thévenin's source x*V behind R*x*(1 - x).
TEST(ElectricalLibrary, Potentiometer) {
  const double R = 10e3;
  for (const bool driven : {false, true}) {
    for (const double x : {0.1, 0.5, 0.8}) {
      Probe p(driven ? "Potentiometer(R = 10 kohm) as driven"
                     : "Potentiometer(R = 10 kohm, position = " + std::to_string(x) + ")");
      if (driven) p.Set("u", x);
      const double V = 10, wiper = 3;
      p.Set("upper.v", V - wiper);
      p.Set("lower.v", wiper);
      const double load = p["upper.i"] - p["lower.i"];  // out of the wiper
      ExpectClose(wiper, x * V - R * x * (1 - x) * load);
      p.ExpectBalance();
    }
  }
  // Beyond its ends the wiper stays: at p all the resistance is below it, at n above it.
  Probe p("Potentiometer(R = 10 kohm) as driven");
  for (const double u : {-0.5, 1.5}) {
    p.Reset();
    p.Set("u", u);
    p.Set("upper.i", 1e-3);
    p.Set("lower.i", 1e-3);
    EXPECT_NEAR(p["upper.v"], u < 0 ? 10 : 0, 1e-12);
    EXPECT_NEAR(p["lower.v"], u < 0 ? 0 : 10, 1e-12);
  }
}

// IEC 60751: a platinum resistor of 100 ohm at 0 degC has 138.5 ohm at 100 degC (mean coefficient 0.00385
// 1/K).
TEST(ElectricalLibrary, HeatingResistor) {
  Probe r("HeatingResistor(R = 100 ohm, alpha = 0.00385 1/K, T_ref = 0 degC)");
  const std::array<double, 3> celsius{0, 50, 100}, ohms{100, 119.25, 138.5};
  for (size_t k = 0; k < 3; ++k) {
    r.Reset();
    r.Set("h.T", 273.15 + celsius[k]);
    r.Set("e.i", 0.1);
    ExpectClose(r["e.v"], 0.1 * ohms[k]);
    ExpectClose(r["h.Q_flow"], -0.01 * ohms[k]);  // out of the component
    r.ExpectBalance();
  }
  Probe plain("HeatingResistor(R = 100 ohm)");
  plain.Set("h.T", 500);
  plain.Set("e.i", 0.1);
  ExpectClose(plain["e.v"], 10);
}

// --- Coupled inductors ------------------------------------------------------------------------------------

// Nilsson & Riedel, Electric Circuits, §6.4 f.: in series L1 + L2 +- 2M; with the other side shorted L1*(1 -
// k^2), which is 0 at k = 1; open, the voltages of perfectly coupled windings are as their turns,
// sqrt(L2/L1).
TEST(ElectricalLibrary, CoupledInductorPair) {
  Probe pair("CoupledInductorPair(L1 = 1 mH, L2 = 4 mH, k = 0.5)");  // M = 1 mH
  pair.Set("der(primary.i)", 100);
  pair.Set("der(secondary.i)", 100);
  ExpectClose(pair["primary.v"] + pair["secondary.v"], 100 * 7e-3);
  pair.Set("der(secondary.i)", -100);
  ExpectClose(pair["primary.v"] - pair["secondary.v"], 100 * 3e-3);
  pair.Reset();
  pair.Set("secondary.v", 0);
  pair.Set("der(primary.i)", 1000);
  ExpectClose(pair["primary.v"], 0.75);

  Probe tight("CoupledInductorPair(L1 = 1 mH, L2 = 4 mH, k = 1)");
  tight.Set("der(secondary.i)", 0);
  tight.Set("der(primary.i)", 1000);
  ExpectClose(tight["secondary.v"] / tight["primary.v"], 2);
  tight.Reset();
  tight.Set("secondary.v", 0);
  tight.Set("der(primary.i)", 1000);
  EXPECT_NEAR(tight["primary.v"], 0, 1e-12);
  // i1 = 2, i2 = -1: the fluxes of the windings cancel, and so does the energy.
  tight.Reset();
  tight.Set("primary.i", 2);
  tight.Set("secondary.i", -1);
  tight.Set("der(primary.i)", 30);
  tight.Set("der(secondary.i)", 10);
  EXPECT_NEAR(tight.Energy(), 0, 1e-15);
  tight.ExpectBalance();
  for (const double i : {1.0, -2.0, 0.3}) {
    pair.Reset();
    pair.Set("primary.i", i);
    pair.Set("secondary.i", 0.7);
    pair.Set("der(primary.i)", 100);
    pair.Set("der(secondary.i)", -40);
    pair.ExpectBalance();
  }
}

// The same for n windings (Nilsson & Riedel, §6.4): a current ramp in one winding only shows its column of
// the inductance matrix, here M12 = 0.5*sqrt(1*4) = 1, M13 = 0.8*sqrt(1*9) = 2.4, M23 = -0.5*sqrt(4*9) = -3
// mH.
TEST(ElectricalLibrary, CoupledInductors) {
  const std::array<std::array<double, 3>, 3> mH{{{1, 1, 2.4}, {1, 4, -3}, {2.4, -3, 9}}};
  const std::string by_coupling =
      "CoupledInductors(windings = 3, L = [1, 4, 9] mH, k = [[1, 0.5, 0.8], [-1, 1, -0.5], [-1, -1, 1]])";
  const std::string by_matrix =
      "CoupledInductors(windings = 3, L = [0, 0, 0] mH, M = [[1, 1, 2.4], [1, 4, -3], [2.4, -3, 9]] mH)";
  for (const std::string& use : {by_coupling, by_matrix}) {
    Probe c(use);
    for (size_t column = 0; column < 3; ++column) {
      c.Reset();
      for (size_t k = 0; k < 3; ++k)
        c.Set("der(winding.i[" + std::to_string(k + 1) + "])", k == column ? 1000.0 : 0.0);
      for (size_t row = 0; row < 3; ++row)
        ExpectClose(c["winding.v[" + std::to_string(row + 1) + "]"], mH[row][column]);
    }
    for (const double i : {1.0, -2.0, 0.4}) {
      c.Reset();
      double twice = 0;
      const std::array<double, 3> currents{i, 0.5, -1.5};
      for (size_t row = 0; row < 3; ++row) {
        c.Set("winding.i[" + std::to_string(row + 1) + "]", currents[row]);
        c.Set("der(winding.i[" + std::to_string(row + 1) + "])", 20.0 * static_cast<double>(row) - 5);
        for (size_t column = 0; column < 3; ++column)
          twice += 1e-3 * mH[row][column] * currents[row] * currents[column];
      }
      ExpectClose(c.Energy(), twice / 2);
      c.ExpectBalance();
    }
  }
}

// --- Two ports --------------------------------------------------------------------------------------------

// Horowitz & Hill, §1.5.2: a load R on side 2 appears as n^2*R on side 1.
TEST(ElectricalLibrary, Transformer) {
  Probe t("Transformer(n = 5)");
  for (const double R : {1.0, 8.0, 200.0}) {
    t.Reset();
    t.Set("secondary.v", 4);
    t.Set("secondary.i", -4 / R);
    ExpectClose(t["primary.v"] / t["primary.i"], 25 * R);
    t.ExpectBalance();
  }
}

// Tellegen, "The gyrator, a new electric network element", Philips Res. Rep. 3 (1948): a load R on side 2
// appears as r^2/R on side 1.
TEST(ElectricalLibrary, Gyrator) {
  Probe g("Gyrator(r = 50 ohm)");
  for (const double R : {1.0, 50.0, 200.0}) {
    g.Reset();
    g.Set("secondary.v", 4);
    g.Set("secondary.i", -4 / R);
    ExpectClose(g["primary.v"] / g["primary.i"], 2500 / R);
    g.ExpectBalance();
  }
}

// --- Controlled sources -----------------------------------------------------------------------------------

// Nilsson & Riedel, §2.1: the four dependent sources, driven by 3 V or 2 A, loaded with 10 ohm.
TEST(ElectricalLibrary, VoltageControlledVoltageSource) {
  Probe s("VoltageControlledVoltageSource(gain = -20)");
  s.Set("control.v", 3);
  s.Set("source.i", 6);
  ExpectClose(s["source.v"], -60);
  EXPECT_EQ(s["control.i"], 0);
}

TEST(ElectricalLibrary, VoltageControlledCurrentSource) {
  Probe s("VoltageControlledCurrentSource(transconductance = 4 mS)");
  s.Set("control.v", 3);
  s.Set("source.v", -0.12);
  ExpectClose(s["source.i"], 0.012);
  EXPECT_EQ(s["control.i"], 0);
}

TEST(ElectricalLibrary, CurrentControlledVoltageSource) {
  Probe s("CurrentControlledVoltageSource(transresistance = 7 ohm)");
  s.Set("control.i", 2);
  s.Set("source.i", -1.4);
  ExpectClose(s["source.v"], 14);
  EXPECT_EQ(s["control.v"], 0);
}

TEST(ElectricalLibrary, CurrentControlledCurrentSource) {
  Probe s("CurrentControlledCurrentSource(gain = 100)");
  s.Set("control.i", 2e-3);
  s.Set("source.v", -2);
  ExpectClose(s["source.i"], 0.2);
  EXPECT_EQ(s["control.v"], 0);
}

// The amplifier `amp` from `a` to `out`, with R1 = 1 kohm and R2 = 10 kohm.
std::string Inverting(const std::string& amp) {
  return "component Inverting { terminal a, out : electrical   amp : " + amp + R"(
    r1 : Resistor(R = 1 kohm)   r2 : Resistor(R = 10 kohm)
    connect a -- r1.p   connect r1.n -- amp.n -- r2.p
    connect r2.n -- amp.out -- out   connect amp.p -- electrical.ground })";
}

// Horowitz & Hill, §4.2.1: the inverting amplifier has the gain -R2/R1 and the input resistance R1.
TEST(ElectricalLibrary, OpAmp) {
  Probe amp("Inverting", Inverting("OpAmp"));
  for (const double v : {1.0, -0.3, 0.01}) {
    amp.Reset();
    amp.Set("a.v", v);
    amp.Set("out.i", -2e-3);  // loaded
    ExpectClose(amp["out.v"], -10 * v);
    ExpectClose(amp["a.i"], v / 1000);
  }
}

// Horowitz & Hill, §2.5 and §4.4.2: closed-loop gain A/(1 + A*B) with B = 1/11 for the feedback, output
// resistance divided by 1 + A*B; open loop the gain falls as bandwidth/f, so that a difference of 1 mV moves
// the output by 2*pi*1 MHz*1 mV.
TEST(ElectricalLibrary, OpAmpRealLinear) {
  const double A = 2e5;
  Probe amp("Inverting", Inverting("OpAmpReal(Rin = 1e12 ohm, Rout = 0 ohm)"));
  for (const double v : {1.0, -0.3, 0.01}) {
    amp.Reset();
    amp.Set("a.v", v);
    amp.Set("out.i", 0);
    amp.Set("der(amp.y)", 0);
    ExpectClose(amp["out.v"], -10.0 / 11 * A / (1 + A / 11) * v, 1e-7);
  }
  Probe real("Inverting", Inverting("OpAmpReal"));
  std::array<double, 2> out{};
  for (const int loaded : {0, 1}) {
    real.Reset();
    real.Set("a.v", 0);
    real.Set("out.i", loaded);  // 1 A into the output
    real.Set("der(amp.y)", 0);
    out[static_cast<size_t>(loaded)] = real["out.v"];
  }
  ExpectClose(out[1] - out[0], 75 / (1 + A / 11), 0.01);
}

// The same amplifier without feedback.
TEST(ElectricalLibrary, OpAmpRealOpenLoop) {
  const double A = 2e5;
  Probe open("OpAmpReal");
  open.Set("difference.v", 1e-3);
  open.Set("y", 0);
  open.Set("drive.i", 0);
  ExpectClose(open["der(y)"], 2 * kPi * 1e6 * 1e-3);
  ExpectClose(open["difference.i"], 1e-3 / 2e6);
  open.Set("y", A * 1e-3);  // settled
  EXPECT_NEAR(open["der(y)"], 0, 1e-6);
  open.Set("drive.i", -0.1);  // 100 mA out of 75 ohm
  ExpectClose(open["drive.v"], 200 - 7.5);
}

// Horowitz & Hill, §4.4.1 (output swing, slew rate): within the rails as the linear model;
// overdriven, at the rail; the LM741 (Texas Instruments, data sheet SNOSC25) moves by no more than 0.5 V/us.
TEST(ElectricalLibrary, OpAmpRealSaturating) {
  Probe amp("OpAmpReal(Vmax = 12 V, Vmin = -5 V) as saturating");
  const std::array<double, 5> difference{1e-5, -1e-5, 1e-3, -1e-3, 2}, rest{2, -2, 12, -5, 12};
  for (size_t k = 0; k < 5; ++k) {
    amp.Reset();
    amp.Set("difference.v", difference[k]);
    amp.Set("der(y)", 0);
    amp.Set("drive.i", 0.01);
    ExpectClose(amp["drive.v"], rest[k] + 0.75, 1e-8);
    EXPECT_LE(std::abs(amp["y"] - amp["held"]), std::abs(difference[k]));  // it does not wind up
  }
  for (const double v : {1.0, -1.0}) {
    amp.Reset();
    amp.Set("difference.v", v);
    amp.Set("y", 0);
    amp.Set("drive.i", 0);
    ExpectClose(amp["der(y)"], 0.5e6 * v);
  }
}

// --- Diodes and switches ----------------------------------------------------------------------------------

// Sedra & Smith, Microelectronic Circuits, ch. 4: the voltage grows by Vt*ln(10) per decade of current, here
// from 1 mA at 25.85 mV*ln(1e9) = 0.535697 V; backwards the saturation current flows.
TEST(ElectricalLibrary, Diode) {
  Probe d("Diode(Gmin = 0 S)");
  const double decade = 59.5218e-3;
  for (const double n : {0.0, 1.0, 2.0}) {
    d.Reset();
    d.Set("e.v", 0.535697 + n * decade);
    ExpectClose(d["e.i"], 1e-3 * std::pow(10, n), 1e-4);
    d.ExpectBalance();
  }
  d.Reset();
  d.Set("e.v", -10);
  ExpectClose(d["e.i"], -1e-12);
  // Above the largest exponent: a straight line with the last slope, finite for any voltage.
  const double v40 = 40 * 25.85e-3, i40 = 1e-12 * std::exp(40.0);
  for (const double more : {0.0, 1.0, 1000.0}) {
    d.Reset();
    d.Set("e.v", v40 + more);
    ExpectClose(d["e.i"], i40 * (1 + more / 25.85e-3), 1e-9);
  }
  Probe leaking("Diode(Gmin = 1 uS)");
  leaking.Set("e.v", -10);
  ExpectClose(leaking["e.i"], -1e-5, 1e-6);
}

// Sedra & Smith, ch. 4 (Zener diodes): specified by Vz at Iz, with the incremental resistance dv/di there; a
// diode forwards.
TEST(ElectricalLibrary, ZenerDiode) {
  Probe z("ZenerDiode(Vz = 6.8 V, Iz = 10 mA, Nz = 5, Gmin = 0 S)");
  z.Set("e.v", -6.8);
  ExpectClose(z["e.i"], -10e-3);
  z.ExpectBalance();
  const double step = 1e-5;
  z.Set("e.v", -6.8 - step);
  ExpectClose((-10e-3 - z["e.i"]) / step, 10e-3 / (5 * 25.85e-3), 1e-3);
  z.Set("e.v", -4);
  EXPECT_LT(std::abs(z["e.i"]), 1e-11);
  z.ExpectBalance();
  Probe leaking("ZenerDiode(Is = 1 nA, Gmin = 1 uS)");
  leaking.Set("e.v", -1);
  ExpectClose(leaking["e.i"], -1.001e-6);
  for (const double v :
       {3.0, -9.0}) {  // beyond the largest exponent, one volt is worth 1/25.85 mV either way
    leaking.Set("e.v", v);
    const double i = leaking["e.i"];
    leaking.Set("e.v", v + (v > 0 ? 1 : -1));
    ExpectClose(leaking["e.i"] - i, (v > 0 ? 1e-9 : -5e-3) * std::exp(40.0) / 25.85e-3, 1e-9);
  }
  z.Set("e.v", 0.535697);
  ExpectClose(z["e.i"], 1e-3, 1e-4);
  z.ExpectBalance();
}

// Sedra & Smith, ch. 4 (piecewise linear model): 0.7 V and Ron forwards, Goff backwards; the lines meet at
// the knee.
TEST(ElectricalLibrary, IdealDiode) {
  Probe d("IdealDiode(Vknee = 0.7 V, Ron = 20 mohm, Goff = 1 uS)");
  d.Set("e.i", 5);
  EXPECT_EQ(d["on"], 1);
  ExpectClose(d["e.v"], 0.8, 1e-6);
  d.ExpectBalance();
  for (const double v : {-100.0, -1.0, 0.6}) {
    d.Reset();
    d.Set("e.v", v);
    EXPECT_EQ(d["on"], 0);
    ExpectClose(d["e.i"], 1e-6 * v);
    d.ExpectBalance();
  }
  d.Reset();
  d.Set("e.i", 0.7e-6 * (1 + 1e-9));
  EXPECT_EQ(d["on"], 1);
  ExpectClose(d["e.v"], 0.7, 1e-9);
  Probe soft("IdealDiode(Vknee = 0.7 V, Ron = 0 ohm, Goff = 1 S)");
  for (const double i : {0.35, 1.4}) {
    soft.Reset();
    soft.Set("e.i", i);
    ExpectClose(soft["e.v"], std::min(i, 0.7));
  }
  // The exact limit: no voltage forwards, no current backwards.
  Probe exact("IdealDiode(Ron = 0 ohm, Goff = 0 S)");
  exact.Set("e.i", 3);
  EXPECT_EQ(exact["e.v"], 0);
  exact.Reset();
  exact.Set("e.v", -3);
  EXPECT_EQ(exact["e.i"], 0);
}

// Modelica Standard Library, Electrical.Analog.Ideal: closed Ron = 1e-5 ohm, open Goff = 1e-5 S.
TEST(ElectricalLibrary, Switch) {
  Probe s("Switch");
  s.Set("u", 1);
  s.Set("e.i", 1000);
  ExpectClose(s["e.v"], 0.01);
  ExpectClose(s.Loss(), 10);
  s.ExpectBalance();
  s.Reset();
  s.Set("u", 0);
  s.Set("e.v", 1000);
  ExpectClose(s["e.i"], 0.01);
  s.ExpectBalance();
}

TEST(ElectricalLibrary, ThresholdSwitch) {
  Probe s("ThresholdSwitch(threshold = 2.5, Ron = 1 ohm, Goff = 0 S)");
  for (const double u : {-3.0, 2.5, 2.5001, 7.0}) {
    s.Reset();
    s.Set("u", u);
    s.Set("e.v", 4);
    EXPECT_EQ(s["e.i"], u > 2.5 ? 4 : 0);
    s.ExpectBalance();
  }
}

TEST(ElectricalLibrary, ChangeoverSwitch) {
  Probe s("ChangeoverSwitch(Ron = 1 ohm, Goff = 1 mS)");
  for (const double u : {0.0, 1.0}) {
    s.Reset();
    s.Set("u", u);
    s.Set("e1.v", 4);
    s.Set("e2.v", 4);
    ExpectClose(s["e1.i"], u > 0 ? 4e-3 : 4);
    ExpectClose(s["e2.i"], u > 0 ? 4 : 4e-3);
    s.ExpectBalance();
  }
}

// --- Power electronics ------------------------------------------------------------------------------------

// Mohan, Undeland, Robbins, Power Electronics, §7-7: the average output of the full bridge is (2*D - 1)*Vd,
// and what the supply gives the load takes, but for the loss in the switches.
TEST(ElectricalLibrary, HBridge) {
  Probe b("HBridge(R = 0.1 ohm)");
  for (const double D : {0.1, 0.5, 0.9}) {
    b.Reset();
    b.Set("u", 2 * D - 1);
    b.Set("supply.v", 48);
    b.Set("drive.i", -5);  // 5 A out of p2
    EXPECT_NEAR(b["drive.v"], (2 * D - 1) * 48 - 0.5, 1e-12);
    EXPECT_NEAR(b["supply.v"] * b["supply.i"], 5 * b["drive.v"] + 2.5, 1e-12);
    b.ExpectBalance();
  }
  b.Set("u", -3);
  EXPECT_NEAR(b["drive.v"], -48.5, 1e-12);
}

// Mohan, Undeland, Robbins, §7-7-1 f.: over a period of the carrier the average is that of the averaged
// bridge; with unipolar switching the output has levels 0 and +-Vd only of the sign wanted.
TEST(ElectricalLibrary, PwmBridge) {
  for (const bool unipolar : {false, true}) {
    Probe b(unipolar ? "PwmBridge(frequency = 1 kHz, R = 0.1 ohm) as unipolar"
                     : "PwmBridge(frequency = 1 kHz, R = 0.1 ohm)");
    for (const double u : {-0.6, 0.0, 0.25, 1.0, 1.7}) {
      const double wanted = std::min(1.0, u);
      b.Reset();
      b.Set("u", u);
      b.Set("time", 0.003);
      EXPECT_NEAR(b.WhenValue(0, "duty"), wanted, 1e-15);
      EXPECT_EQ(b.WhenValue(0, "begin"), 0.003);
      b.Set("duty", wanted);
      b.Set("begin", 0.003);
      b.Set("supply.v", 48);
      b.Set("drive.i", -5);
      double sum = 0;
      const int steps = 200;
      for (int k = 0; k < steps; ++k) {
        b.Set("time", 0.003 + 1e-3 * (k + 0.5) / steps);
        const double level = (b["drive.v"] + 0.5) / 48;
        EXPECT_NEAR(level, std::round(level), 1e-12);
        EXPECT_NEAR(std::abs(level), unipolar ? (level * wanted > 0 ? 1 : 0) : 1, 1e-12);
        ExpectClose(b["supply.i"] + 1, 5 * level + 1);
        sum += level;
      }
      EXPECT_NEAR(sum / steps, wanted, 1e-9);
      b.ExpectBalance();
    }
  }
}

// --- Sources ----------------------------------------------------------------------------------------------

// A source delivers with negative power: 12 V that gives 2 A out of p (design.md, §7).
TEST(ElectricalLibrary, VoltageSource) {
  Probe s("VoltageSource(V = 12 V)");
  for (const double i : {-2.0, 0.0, 3.0}) {
    s.Reset();
    s.Set("e.i", i);
    EXPECT_EQ(s["e.v"], 12);
    EXPECT_EQ(s.Power(), 12 * i);
  }
}

TEST(ElectricalLibrary, CurrentSource) {
  Probe s("CurrentSource(I = 2 A)");
  for (const double v : {-12.0, 0.0, 3.0}) {
    s.Reset();
    s.Set("e.v", v);
    EXPECT_EQ(s["e.i"], 2);
    EXPECT_EQ(s.Power(), 2 * v);
  }
}

// Quarter periods of 325 V at 50 Hz about 10 V, beginning 30 deg late: at phases 30, 90 and 210 deg.
TEST(ElectricalLibrary, SineSources) {
  for (const bool voltage : {true, false}) {
    const std::string unit = voltage ? " V" : " A", across = voltage ? "e.v" : "e.i",
                      other = voltage ? "e.i" : "e.v";
    Probe s((voltage ? "SineVoltageSource(" : "SineCurrentSource(") + std::string("amplitude = 325") + unit +
            ", frequency = 50 Hz, phase = 30 deg, offset = 10" + unit + ")");
    const std::array<double, 3> ms{0, 20.0 / 6, 10}, value{172.5, 335, -152.5};
    for (size_t k = 0; k < 3; ++k) {
      s.Reset();
      s.Set("time", 1e-3 * ms[k]);
      s.Set(other, 0);
      ExpectClose(s[across], value[k]);
    }
  }
}

TEST(ElectricalLibrary, PulseSources) {
  for (const bool voltage : {true, false}) {
    const std::string unit = voltage ? " V" : " A", across = voltage ? "e.v" : "e.i",
                      other = voltage ? "e.i" : "e.v";
    Probe s((voltage ? "PulseVoltageSource(" : "PulseCurrentSource(") + std::string("low = -1") + unit +
            ", high = 5" + unit + ", period = 10 ms, width = 2 ms, delay = 3 ms)");
    const std::array<double, 6> ms{0, 2.9, 3.1, 4.9, 5.1, 24.5}, value{-1, -1, 5, 5, -1, 5};
    for (size_t k = 0; k < 6; ++k) {
      s.Reset();
      s.Set("time", 1e-3 * ms[k]);
      s.Set(other, 0);
      EXPECT_EQ(s[across], value[k]) << ms[k];
    }
  }
}

TEST(ElectricalLibrary, SignalSources) {
  Probe v("SignalVoltageSource"), i("SignalCurrentSource");
  for (const double u : {-3.0, 0.5, 7.0}) {
    v.Reset();
    v.Set("u", u);
    v.Set("e.i", 1);
    EXPECT_EQ(v["e.v"], u);
    i.Reset();
    i.Set("u", u);
    i.Set("e.v", 1);
    EXPECT_EQ(i["e.i"], u);
  }
}

// Straight lines through (1, 2), (2, 6), (4, -2), held before and after; SPICE's PWL source (Nagel, SPICE2,
// 1975).
TEST(ElectricalLibrary, TableSources) {
  for (const bool voltage : {true, false}) {
    const std::string across = voltage ? "e.v" : "e.i", other = voltage ? "e.i" : "e.v";
    const std::string use = voltage ? "TableVoltageSource(points = 3, t = [1, 2, 4] s, v = [2, 6, -2] V"
                                    : "TableCurrentSource(points = 3, t = [1, 2, 4] s, i = [2, 6, -2] A";
    const std::array<double, 8> time{0, 1, 1.25, 2, 3, 3.5, 4, 9}, value{2, 2, 3, 6, 2, 0, -2, -2};
    Probe once(use + ")"), periodic(use + ", periodic = true)");
    for (size_t k = 0; k < 8; ++k) {
      once.Reset();
      once.Set("time", time[k]);
      once.Set(other, 0);
      EXPECT_NEAR(once[across], value[k], 1e-12) << time[k];
    }
    for (const double period : {-6.0, 0.0, 3.0, 30.0})
      for (size_t k = 1; k < 6; ++k) {
        periodic.Reset();
        periodic.Set("time", time[k] + period);
        periodic.Set(other, 0);
        EXPECT_NEAR(periodic[across], value[k], 1e-12) << time[k] + period;
      }
  }
}

// Park & Miller, "Random number generators: good ones are hard to find", Comm. ACM 31 (1988): beginning with
// 1 the 10,000th draw is 1043618065. Box & Muller, Ann. Math. Stat. 29 (1958): the values are normally
// distributed, so 68.27 % lie within one standard deviation and 95.45 % within two. 5000 samples of deviation
// 2 have a mean within 0.1 with a probability of 99.96 %.
TEST(ElectricalLibrary, NoiseSources) {
  for (const bool voltage : {true, false}) {
    Probe s(voltage ? "NoiseVoltageSource(deviation = 2 V, period = 1 ms)"
                    : "NoiseCurrentSource(deviation = 2 A, period = 1 ms)");
    double state = 1, sum = 0, squares = 0, within1 = 0, within2 = 0;
    const int samples = 5000;
    for (int k = 0; k < samples; ++k) {
      s.Set("pre(draw2)", state);
      s.Set("draw1", s.WhenValue(0, "draw1"));
      state = s.WhenValue(0, "draw2");
      s.Set("draw2", state);
      const double noise = s.WhenValue(0, "noise");
      sum += noise;
      squares += noise * noise;
      within1 += std::abs(noise) < 2 ? 1 : 0;
      within2 += std::abs(noise) < 4 ? 1 : 0;
    }
    EXPECT_EQ(state, 1043618065);
    EXPECT_NEAR(sum / samples, 0, 0.1);
    EXPECT_NEAR(std::sqrt(squares / samples), 2, 0.08);
    EXPECT_NEAR(within1 / samples, 0.6827, 0.025);
    EXPECT_NEAR(within2 / samples, 0.9545, 0.012);
    // A radius of sqrt(-2*ln(exp(-1/2))) = 1 at 60 deg.
    s.Set("draw1", std::exp(-0.5) * 2147483647);
    s.Set("draw2", 2147483647.0 / 6);
    ExpectClose(s.WhenValue(0, "noise"), 1);
    s.Set("noise", 0.7);
    s.Set(voltage ? "e.i" : "e.v", 0);
    EXPECT_EQ(s[voltage ? "e.v" : "e.i"], 0.7);
  }
  // Three draws ahead (1 -> 16807 -> 282475249 -> 1622650073, Park & Miller), and another seed, another
  // beginning.
  EXPECT_EQ(Probe("NoiseVoltageSource(deviation = 1 V, period = 1 s)")["first"], 1622650073);
  EXPECT_EQ(Probe("NoiseCurrentSource(deviation = 1 A, period = 1 s)")["first"], 1622650073);
  EXPECT_NE(Probe("NoiseVoltageSource(deviation = 1 V, period = 1 s, seed = 2)")["first"], 1622650073);
}

// Linden & Reddy, Handbook of Batteries, ch. 3: terminal voltage = open-circuit voltage - I*R on discharge. 2
// A*h at 3.6 V on the average hold 7.2 W*h.
TEST(ElectricalLibrary, Battery) {
  Probe b("Battery");
  const std::array<double, 3> soc{1, 0.5, 0}, open{4.2, 3.6, 3.0};
  for (size_t k = 0; k < 3; ++k) {
    b.Reset();
    b.Set("soc", soc[k]);
    b.Set("e.i", -2);  // empty in an hour
    ExpectClose(b["e.v"], open[k] - 0.1);
    ExpectClose(b["der(soc)"], -1.0 / 3600);
    b.ExpectBalance();
  }
  b.Set("soc", 1);
  const double full = b.Energy();
  b.Set("soc", 0);
  ExpectClose(full - b.Energy(), 7.2 * 3600);
}

// A table: the energy between two states of charge is the area under the curve, here by trapezoids.
TEST(ElectricalLibrary, BatteryByTable) {
  Probe b(
      "Battery(capacity = 1 A*h, points = 4, s = [0, 0.1, 0.9, 1], V = [2.5, 3.5, 3.9, 4.2] V, R = 0 ohm)");
  const std::array<double, 8> soc{-0.1, 0, 0.05, 0.1, 0.5, 0.9, 1, 1.1},
      open{2.5, 2.5, 3, 3.5, 3.7, 3.9, 4.2, 4.2};
  double area = 0;
  b.Set("e.i", 1);
  b.Set("soc", 0);
  const double empty = b.Energy();
  for (size_t k = 0; k < 8; ++k) {
    b.Set("soc", soc[k]);
    ExpectClose(b["e.v"], open[k]);
    if (k == 0) continue;
    if (k > 1) area += (soc[k] - soc[k - 1]) * (open[k] + open[k - 1]) / 2;
    EXPECT_NEAR(b.Energy() - empty, 3600 * area, 1e-8);
  }
  for (const double at : {0.03, 0.4, 0.97}) {
    b.Set("soc", at);
    b.ExpectBalance();
  }
}

// Chen & Rincón-Mora, "Accurate electrical battery model", IEEE Trans. Energy Conv. 21 (2006): the voltage
// drops by R*I at once, by (R + R1)*I in the end; without current v1 decays with R1*C1.
TEST(ElectricalLibrary, BatteryDynamic) {
  for (const bool heated : {false, true}) {
    Probe b(heated ? "Battery as heated" : "Battery as dynamic");  // 50 mohm, 20 mohm, 1000 F
    if (heated) b.Set("h.T", 300);
    b.Set("soc", 0.5);
    b.Set("v1", 0);
    b.Set("e.i", -10);
    ExpectClose(b["e.v"], 3.6 - 0.5);
    b.ExpectBalance();
    b.Set("v1", -0.2);
    ExpectClose(b["e.v"], 3.6 - 0.7);
    EXPECT_NEAR(b["der(v1)"], 0, 1e-15);
    if (heated) ExpectClose(b["h.Q_flow"], -0.07 * 100);
    if (!heated) ExpectClose(b.Loss(), 0.07 * 100);
    b.ExpectBalance();
    b.Set("e.i", 0);
    ExpectClose(b["der(v1)"], 0.2 / 20);
    b.ExpectBalance();
    Probe table(std::string("Battery(points = 3, s = [0, 0.2, 1], V = [2.5, 3.5, 4.2] V) as ") +
                (heated ? "heated" : "dynamic"));
    if (heated) table.Set("h.T", 300);
    table.Set("e.i", 3);
    table.Set("v1", 0.02);
    for (const double soc : {0.1, 0.3, 0.9}) {
      table.Set("soc", soc);
      ExpectClose(table["e.v"], (soc < 0.2 ? 2.5 + 5 * soc : 3.5 + 0.875 * (soc - 0.2)) + 0.15 + 0.02);
      table.ExpectBalance();
    }
  }
}

// --- Sensors ----------------------------------------------------------------------------------------------

TEST(ElectricalLibrary, Sensors) {
  Probe v("VoltageSensor"), i("CurrentSensor"), w("Wattmeter");
  v.Set("e.v", 7);
  EXPECT_EQ(v["y"], 7);
  EXPECT_EQ(v["e.i"], 0);
  i.Set("e.i", -3);
  EXPECT_EQ(i["y"], -3);
  EXPECT_EQ(i["e.v"], 0);
  // As a dynamometer wattmeter: 230 V, -2 A through the current path: -460 W, and it takes
  // none of it.
  w.Set("voltage.v", 230);
  w.Set("current.i", -2);
  EXPECT_EQ(w["y"], -460);
  EXPECT_EQ(w.Power(), 0);
}

}  // namespace
}  // namespace cotree::test
