// SPDX-License-Identifier: Apache-2.0
// Package thermal: each class against the textbook, in another form than the library writes it.
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

// --- Elements ---------------------------------------------------------------------------------------------

// Incropera et al., Fundamentals of Heat and Mass Transfer, §1.3: 1 kg of water (4186 J/K) heated with 2 kW
// for a minute warms by 28.67 K.
TEST(ThermalLibrary, HeatCapacity) {
  Probe c("HeatCapacity(C = 4186 J/K)");
  c.Set("e.T", 293.15);
  c.Set("e.Q_flow", 2000);
  ExpectClose(60 * c["der(e.T)"], 28.67, 1e-3);
  const double cold = c.Energy();
  c.Set("e.T", 393.15);
  ExpectClose(c.Energy() - cold, 418600);
  for (const double heat : {2000.0, -500.0, 1.0}) {
    c.Set("e.Q_flow", heat);
    c.ExpectBalance();
  }
}

// Incropera, §3.1.2: thermal circuits; resistances add up in series, so R = 1/G.
TEST(ThermalLibrary, ThermalConductorAndResistor) {
  Probe g("ThermalConductor(G = 5 W/K)"), r("ThermalResistor(R = 0.2 K/W)");
  for (const double q : {10.0, -4.0, 0.5}) {
    g.Reset();
    g.Set("e.Q_flow", q);
    r.Reset();
    r.Set("e.Q_flow", q);
    ExpectClose(g["e.T"], q / 5);
    ExpectClose(r["e.T"], q / 5);
  }
}

// Incropera, example 1.1: a fireclay wall, 1.7 W/(m*K), 0.15 m thick, 0.5 m by 1.2 m, 1400 K to 1150 K: 1700
// W.
TEST(ThermalLibrary, WallConduction) {
  Probe w("WallConduction(conductivity = 1.7 W/(m*K), thickness = 0.15 m, A = 0.6 m^2)");
  const std::array<double, 3> difference{250, -250, 25}, heat{1700, -1700, 170};
  for (size_t k = 0; k < 3; ++k) {
    w.Reset();
    w.Set("e.T", difference[k]);
    ExpectClose(w["e.Q_flow"], heat[k], 1e-4);
  }
}

// Incropera, §3.3.1: R = ln(r2/r1)/(2*pi*k*L); so a doubled radius has ln 2 = 0.693147. A thin wall on a
// large radius is a plane one.
TEST(ThermalLibrary, CylinderConduction) {
  Probe pipe(
      "CylinderConduction(conductivity = 0.055 W/(m*K), length = 3 m, r_inner = 10 mm, r_outer = 20 mm)");
  for (const double q : {1.0, -2.0, 30.0}) {
    pipe.Reset();
    pipe.Set("e.Q_flow", q);
    ExpectClose(pipe["e.T"], q * 0.693147 / (2 * kPi * 0.055 * 3), 1e-5);
  }
  Probe shell(
      "CylinderConduction(conductivity = 2 W/(m*K), length = 1 m, r_inner = 10 m, r_outer = 10.01 m)");
  Probe plane("WallConduction(conductivity = 2 W/(m*K), thickness = 10 mm, A = " +
              std::to_string(2 * kPi * 10.005) + " m^2)");
  shell.Set("e.T", 1);
  plane.Set("e.T", 1);
  ExpectClose(shell["e.Q_flow"], plane["e.Q_flow"], 1e-6);
}

// Incropera, §3.1: at rest a body passes on what it takes in, G*(Ta - Tb), and its middle has the mean
// temperature; insulated on one side it warms as a heat capacity does.
TEST(ThermalLibrary, ThermalMass) {
  Probe m("ThermalMass(C = 500 J/K, G = 4 W/K)");
  for (const auto& [Ta, Tb] :
       {std::array{350.0, 300.0}, std::array{290.0, 310.0}, std::array{300.0, 300.0}}) {
    m.Reset();
    m.Set("at_a.T", Ta);
    m.Set("at_b.T", Tb);
    m.Set("der(T)", 0);
    m.Guess("T", 300);
    ExpectClose(m["T"], (Ta + Tb) / 2);
    EXPECT_NEAR(m["at_a.Q_flow"], 4 * (Ta - Tb), 1e-9);
    EXPECT_NEAR(m["at_b.Q_flow"], -4 * (Ta - Tb), 1e-9);
  }
  for (const double q : {100.0, -50.0, 8.0}) {
    m.Reset();
    m.Set("T", 300);
    m.Set("at_a.Q_flow", q);
    m.Set("at_b.Q_flow", 0);
    ExpectClose(m["der(T)"], q / 500);
    EXPECT_NEAR(m["at_b.T"], 300, 1e-9);
    ExpectClose(m["at_a.T"] - 300, q / 8);
    m.ExpectBalance();
  }
}

// Incropera, §1.2.2: q = h*A*(Ts - Tinf); 0.6 m^2 at 10 W/(m^2*K) and 30 K give 180 W.
TEST(ThermalLibrary, Convection) {
  Probe constant("Convection(A = 0.6 m^2, h = 10 W/(m^2*K))"), driven("Convection(A = 0.6 m^2) as driven");
  const std::array<double, 3> difference{30, -30, 7}, heat{180, -180, 42};
  for (size_t k = 0; k < 3; ++k) {
    constant.Reset();
    constant.Set("e.T", difference[k]);
    ExpectClose(constant["e.Q_flow"], heat[k]);
    driven.Reset();
    driven.Set("u", 20);
    driven.Set("e.T", difference[k]);
    ExpectClose(driven["e.Q_flow"], 2 * heat[k]);
  }
}

// Incropera, §9.6.1 (laminar free convection, Nu ~ Ra^(1/4)): twice the difference carries 2^1.25 = 2.37841
// times the heat.
TEST(ThermalLibrary, NaturalConvection) {
  Probe c("Convection(A = 2 m^2, h = 5 W/(m^2*K), dT = 10 K, dT_0 = 0.01 K) as natural");
  const std::array<double, 3> difference{10, 20, -40}, heat{100, 237.841, -565.685};
  for (size_t k = 0; k < 3; ++k) {
    c.Reset();
    c.Set("e.T", difference[k]);
    ExpectClose(c["e.Q_flow"], heat[k], 1e-5);
  }
  c.Set("e.T", 0);
  EXPECT_EQ(c["e.Q_flow"], 0);
  Probe smooth("Convection(A = 2 m^2, h = 5 W/(m^2*K), dT = 10 K, dT_0 = 8 K) as natural");
  smooth.Set("e.T", -10);
  ExpectClose(smooth["e.Q_flow"], -100);  // where h is measured it is h, however smooth
}

// Incropera, §1.2.3: a black surface at 300 K emits 459.3 W/m^2, one at 1000 K 56,700; near to
// each other the exchange is h*dT with h = 4*eps*sigma*T^3 = 6.12 W/(m^2*K) at 300 K and eps = 1.
TEST(ThermalLibrary, Radiation) {
  Probe r("Radiation(A = 2 m^2, eps = 0.5)");
  const std::array<double, 3> Ta{300, 1000, 300}, Tb{0, 300, 1000}, heat{459.3, 56704 - 459.3, 459.3 - 56704};
  for (size_t k = 0; k < 3; ++k) {
    r.Reset();
    r.Set("at_a.T", Ta[k]);
    r.Set("at_b.T", Tb[k]);
    ExpectClose(r["at_a.Q_flow"], heat[k], 1e-4);
    ExpectClose(r["at_b.Q_flow"], -heat[k], 1e-4);
    r.ExpectBalance();
  }
  Probe black("Radiation(A = 1 m^2, eps = 1)");
  black.Set("at_a.T", 300.5);
  black.Set("at_b.T", 299.5);
  ExpectClose(black["at_a.Q_flow"], 6.124, 1e-3);
}

// Goldsmid, Introduction to Thermoelectricity, ch. 1 and 2: the greatest cooling is at I = S*Tc/R,
// S^2*Tc^2/(2*R) - G*dT; it vanishes at dT = Z*Tc^2/2 with Z = S^2/(R*G). Backwards it is a generator of
// S*dT.
TEST(ThermalLibrary, PeltierElement) {
  Probe p("PeltierElement(S = 50 mV/K, R = 2 ohm, G = 0.5 W/K)");  // Z = 2.5e-3 1/K
  const double Tc = 280, dT_max = 2.5e-3 * Tc * Tc / 2, best = 0.05 * Tc / 2;
  p.Set("at_cold.T", Tc);
  for (const double share : {0.0, 0.5, 1.0}) {
    p.Set("at_hot.T", Tc + share * dT_max);
    p.Set("e.i", best);
    EXPECT_NEAR(p["at_cold.Q_flow"], (1 - share) * 49, 1e-9);
    for (const double near : {0.99, 1.01}) {
      p.Set("e.i", near * best);
      EXPECT_LT(p["at_cold.Q_flow"], (1 - share) * 49);
    }
    p.ExpectBalance();
  }
  p.Set("at_hot.T", 380);
  p.Set("e.i", 0);
  ExpectClose(p["e.v"], 5);
  ExpectClose(p["at_hot.Q_flow"], 50);  // in at the hot side, through by conduction
  p.Set("e.i", -1);                     // matched load: 1 A out of p, of 2.5 V
  p.Set("at_hot.T", 360);
  ExpectClose(p["e.v"], 2);
  p.ExpectBalance();
}

// --- Sources and sensors ----------------------------------------------------------------------------------

TEST(ThermalLibrary, Sources) {
  Probe T("TemperatureSource"), Q("HeatFlowSource(heat_flow = 40 W)"), uT("SignalTemperatureSource"),
      uQ("SignalHeatFlowSource");
  T.Set("e.Q_flow", -3);
  ExpectClose(T["e.T"], 293.15);  // 20 degC, whatever it gives
  Q.Set("e.T", 300);
  EXPECT_EQ(Q.Power(), -40);  // it delivers
  for (const double u : {250.0, 300.0, 400.0}) {
    uT.Reset();
    uT.Set("u", u);
    uT.Set("e.Q_flow", 1);
    EXPECT_EQ(uT["e.T"], u);
    uQ.Reset();
    uQ.Set("u", u);
    uQ.Set("e.T", 300);
    EXPECT_EQ(uQ.Power(), -u);
  }
}

TEST(ThermalLibrary, Sensors) {
  Probe T("TemperatureSensor"), d("TemperatureDifferenceSensor"), Q("HeatFlowSensor");
  T.Set("e.T", 310);
  EXPECT_EQ(T["y"], 310);
  EXPECT_EQ(T["e.Q_flow"], 0);
  d.Set("e.T", -12);
  EXPECT_EQ(d["y"], -12);
  EXPECT_EQ(d["e.Q_flow"], 0);
  Q.Set("e.Q_flow", 25);
  EXPECT_EQ(Q["y"], 25);
  EXPECT_EQ(Q["e.T"], 0);
}

}  // namespace
}  // namespace cotree::test
