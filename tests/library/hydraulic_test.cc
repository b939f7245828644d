// SPDX-License-Identifier: Apache-2.0
// The classes of library/hydraulic.cot against textbook relations, in numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>

#include "library/mechanics_bench.h"
#include "library/probe.h"

namespace cotree::test {
namespace {

constexpr double kBar = 1e5;
constexpr double kLitre = 1e-3;
constexpr double kLitrePerMinute = 1e-3 / 60;
constexpr double kRpm = std::numbers::pi / 30;

/// |value - expected| <= tolerance*|expected|
void ExpectRelative(double value, double expected, double tolerance) {
  EXPECT_NEAR(value, expected, tolerance * std::abs(expected));
}

// A throttle into the reservoir has its whole pressure drop at its other end.
TEST(Hydraulic, ReservoirHasGaugePressureZero) {
  Probe drain("Drain", R"(component Drain {
    terminal a : hydraulic
    throttle  : LaminarResistance(R = 2e9 Pa*s/m^3)
    reservoir : Reservoir
    connect a -- throttle.a
    connect throttle.b -- reservoir.a
  })");
  drain.Set("a.q", 1e-3);
  EXPECT_NEAR(drain["a.p"], 2e6, 1e-6);
}

// --- Elements ---

// Hydrostatics (White, Fluid Mechanics, 7th ed., 2.3): 1 m of water is 9806.65 Pa at the bottom. 2 m^2 filled
// at 1 L/s rise by 0.5 mm/s. Emptying 3 m into the reservoir gives the weight times half the height.
TEST(Hydraulic, TankRises) {
  Probe tank("Tank(area = 2 m^2)");
  SetAll(tank, {{"e.p", 3 * 9806.65}, {"e.q", kLitre}});
  EXPECT_NEAR(tank["der(e.p)"], 9806.65 * 0.5e-3, 1e-9);
  EXPECT_NEAR(tank.Energy(), 1000.0 * 2.0 * 3.0 * 9.80665 * 1.5, 1e-6);
  ExpectBalanceAt(
      tank, {{{"e.p", 1e4}, {"e.q", 1e-3}}, {{"e.p", 2e4}, {"e.q", -1e-3}}, {{"e.p", 0.0}, {"e.q", 1.0}}});
}

// Bulk modulus -V*dp/dV (Merritt, Hydraulic Control Systems, 2-4): 1 mL pressed into 1 L raises the pressure
// by a thousandth of 1.4 GPa, 14 bar; the work is half of 1 mL times 14 bar.
TEST(Hydraulic, ChamberIsStiff) {
  Probe chamber("Chamber(volume = 1 L)");
  SetAll(chamber, {{"e.p", 14 * kBar}, {"e.q", 1e-6}});
  ExpectRelative(chamber["der(e.p)"], 14 * kBar, 1e-12);
  ExpectRelative(chamber.Energy(), 0.5 * 1e-6 * 14 * kBar, 1e-12);
  ExpectBalanceAt(
      chamber, {{{"e.p", 1e5}, {"e.q", 1e-3}}, {{"e.p", 2e7}, {"e.q", -1e-3}}, {{"e.p", 0.0}, {"e.q", 1.0}}});
}

// p*V^n = constant, in absolute pressures (Findeisen, Oelhydraulik, 5th ed., accumulators): 4 L at 99 bar
// over an atmosphere of 1 bar. Halved slowly: 200 bar absolute; quickly (n = 1.4): 100*2^1.4 = 263.9 bar.
// Work of the gas: p0*V0*ln 2 slowly, (p1*V1 - p0*V0)/(n - 1) quickly; the atmosphere takes part of it.
TEST(Hydraulic, GasAccumulatorIsPolytropic) {
  const double v0 = 4 * kLitre;
  const double p0 = 100 * kBar;
  Probe slow("GasAccumulator(gas_volume = 4 L, precharge = 99 bar, n = 1, atmosphere = 1 bar)");
  SetAll(slow, {{"volume", 2 * kLitre}, {"e.q", 1e-3}});
  ExpectRelative(slow["e.p"], 199 * kBar, 1e-12);
  ExpectRelative(slow.Energy(), p0 * v0 * std::log(2.0) - kBar * 2 * kLitre, 1e-12);
  Probe fast("GasAccumulator(gas_volume = 4 L, precharge = 99 bar, n = 1.4, atmosphere = 1 bar)");
  SetAll(fast, {{"volume", 2 * kLitre}, {"e.q", 1e-3}});
  const double p1 = 263.90158215457884 * kBar;
  ExpectRelative(fast["e.p"], p1 - kBar, 1e-12);
  ExpectRelative(fast.Energy(), (p1 * v0 / 2 - p0 * v0) / 0.4 - kBar * 2 * kLitre, 1e-12);
  for (Probe* accumulator : {&slow, &fast}) {
    SetAll(*accumulator, {{"volume", 0.0}, {"e.q", 0.0}});
    ExpectRelative((*accumulator)["e.p"], 99 * kBar, 1e-12);
    EXPECT_NEAR(accumulator->Energy(), 0.0, 1e-9);
    SetAll(*accumulator, {{"volume", -1e-9}, {"e.q", 0.0}});  // below the precharge it is nearly rigid
    EXPECT_LT((*accumulator)["e.p"], 99 * kBar - 1000.0 * p0 / v0 * 1e-9);
    ExpectBalanceAt(*accumulator, {{{"volume", 1e-3}, {"e.q", 1e-3}},
                                   {{"volume", 3e-3}, {"e.q", -2e-3}},
                                   {{"volume", -1e-7}, {"e.q", 1e-4}}});
  }
}

// Laminar: flow per pressure 1/R, power p^2/R (Merritt, 3-2).
TEST(Hydraulic, LaminarResistanceIsLinear) {
  Probe throttle("LaminarResistance(R = 2e9 Pa*s/m^3)");
  for (const double p : {-10 * kBar, 1 * kBar, 40 * kBar}) {
    SetAll(throttle, {{"e.p", p}});
    ExpectRelative(throttle["e.q"], 0.5e-9 * p, 1e-12);
    ExpectRelative(throttle.Loss(), p * p / 2e9, 1e-12);
    throttle.ExpectBalance();
  }
}

// Torricelli and a discharge coefficient (Merritt, 3-4): a jet of velocity sqrt(2 p/density), its area
// contracted. 20 bar and 1000 kg/m^3: 63.2456 m/s; through 2 mm^2 with cd = 0.6 that is 75.895 mL/s. Four
// times the pressure, twice the flow.
TEST(Hydraulic, OrificeIsTorricellis) {
  Probe orifice("Orifice(A = 2 mm^2, cd = 0.6, density = 1000 kg/m^3)");
  SetAll(orifice, {{"e.p", 20 * kBar}});
  const double q = orifice["e.q"];
  ExpectRelative(q, 75.8946638e-6, 1e-6);
  SetAll(orifice, {{"e.p", 80 * kBar}});
  ExpectRelative(orifice["e.q"], 2 * q, 1e-6);
  SetAll(orifice, {{"e.p", -20 * kBar}});
  EXPECT_EQ(orifice["e.q"], -q);
  SetAll(orifice, {{"e.p", 0.0}});
  EXPECT_EQ(orifice["e.q"], 0.0);
  SetAll(orifice, {{"e.p", 1.0}});  // laminar, as if 1000 Pa belonged to the flow through it at 1000 Pa
  ExpectRelative(orifice["e.q"], 0.6 * 2e-6 * std::sqrt(2.0) / 1000.0, 1e-6);
  ExpectBalanceAt(orifice, {{{"e.p", 1e3}}, {{"e.p", -1e5}}, {{"e.p", 3e7}}});
}

// Pressure loss by the square of the flow (White, 6.3): 8 bar at 40 L/min are 2 bar at 20 L/min.
TEST(Hydraulic, TurbulentResistanceIsQuadratic) {
  Probe filter("TurbulentResistance(p_nominal = 8 bar, q_nominal = 40 L/min)");
  for (const auto& [flow, drop] : {std::pair{40.0, 8.0}, {20.0, 2.0}, {-10.0, -0.5}}) {
    SetAll(filter, {{"e.p", drop * kBar}});
    ExpectRelative(filter["e.q"], flow * kLitrePerMinute, 1e-5);
    filter.ExpectBalance();
  }
}

// Newton for a column of fluid: 870 kg/m^3 * 10 m * 1 m/s^2 by the area of 1 cm^2 (White, 3.4).
TEST(Hydraulic, InertanceAcceleratesAColumn) {
  Probe pipe("Inertance(L = 8.7e7 Pa*s^2/m^3)");  // 870*10/1e-4
  SetAll(pipe, {{"e.p", 8700.0}, {"e.q", 2e-4}});
  EXPECT_NEAR(pipe["der(e.q)"], 1e-4, 1e-15);         // 1 m/s^2
  EXPECT_NEAR(pipe.Energy(), 0.5 * 0.87 * 4, 1e-12);  // 0.87 kg at 2 m/s
  ExpectBalanceAt(
      pipe, {{{"e.p", 1e3}, {"e.q", 1e-3}}, {{"e.p", -1e5}, {"e.q", 2e-3}}, {{"e.p", 1e4}, {"e.q", -1e-4}}});
}

// Hagen-Poiseuille in velocities, 32*viscosity*length*v/d^2; Darcy-Weisbach, friction*length/d*density*v^2/2;
// inertia, density*length*acceleration (White, 6.4 and 6.3).
TEST(Hydraulic, PipeInVelocities) {
  const double area = std::numbers::pi * 1e-4 / 4;
  const double v = 2.0;
  const double acceleration = 3.0;
  Probe laminar("Pipe(length = 5 m, diameter = 10 mm, density = 900 kg/m^3, viscosity = 0.05 Pa*s)");
  SetAll(laminar, {{"e.q", v * area}, {"der(e.q)", 0.0}});
  ExpectRelative(laminar["e.p"], 32 * 0.05 * 5 * v / 1e-4, 1e-12);
  SetAll(laminar, {{"e.q", 0.0}, {"der(e.q)", acceleration * area}});
  ExpectRelative(laminar["e.p"], 900 * 5 * acceleration, 1e-12);
  Probe turbulent("Pipe(length = 5 m, diameter = 10 mm, density = 900 kg/m^3, friction = 0.02) as turbulent");
  SetAll(turbulent, {{"e.q", v * area}, {"der(e.q)", 0.0}});
  ExpectRelative(turbulent["e.p"], 0.02 * 5 / 0.01 * 900 * v * v / 2, 1e-12);
  SetAll(turbulent, {{"e.q", -v * area}, {"der(e.q)", 0.0}});
  ExpectRelative(turbulent["e.p"], -0.02 * 5 / 0.01 * 900 * v * v / 2, 1e-12);
  for (Probe* pipe : {&laminar, &turbulent}) {
    ExpectBalanceAt(*pipe, {{{"e.q", 1e-4}, {"der(e.q)", 1e-3}},
                            {{"e.q", -2e-4}, {"der(e.q)", 1e-3}},
                            {{"e.q", 1e-5}, {"der(e.q)", -1e-4}}});
  }
}

// --- Valves ---

TEST(Hydraulic, Valve22IsAnOrificeOfItsOpening) {  // Merritt, 5-2
  Probe valve("Valve22(A = 2 mm^2, cd = 0.6, density = 1000 kg/m^3)");
  const double full = 75.8946638e-6;  // as in OrificeIsTorricellis
  for (const auto& [u, opening] :
       {std::pair{0.25, 0.25}, {1.0, 1.0}, {1.7, 1.0}, {0.0, 1e-6}, {-2.0, 1e-6}}) {
    SetAll(valve, {{"u", u}, {"e.p", 20 * kBar}});
    ExpectRelative(valve["e.q"], opening * full, 1e-6);
    valve.ExpectBalance();
  }
}

// Critical-centre four-way valve with a symmetric load (Merritt, 5-3, equation for the load flow): the supply
// is ps, the work ports are at (ps + pl)/2 and (ps - pl)/2; the load flow is cd*A*u*sqrt((ps - pl)/density).
TEST(Hydraulic, Valve43HasMerrittsLoadFlow) {
  Probe valve("Valve43(A = 3 mm^2, cd = 0.6, density = 900 kg/m^3, leak = 1e-9)");
  const double ps = 200 * kBar;
  for (const auto& [u, pl] : {std::pair{1.0, 0.0}, {0.5, 100 * kBar}, {0.3, -50 * kBar}}) {
    const double flow = 0.6 * 3e-6 * u * std::sqrt((ps - pl) / 900);
    SetAll(valve, {{"u", u}, {"at_p.p", ps}, {"at_a.p", (ps + pl) / 2}, {"at_b.p", (ps - pl) / 2}});
    ExpectRelative(valve["at_a.q"], -flow, 1e-6);  // out of the valve to the load
    ExpectRelative(valve["at_b.q"], flow, 1e-6);
    ExpectRelative(valve["at_p.q"], flow, 1e-6);
    valve.ExpectBalance();
    SetAll(valve, {{"u", -u}, {"at_p.p", ps}, {"at_a.p", (ps - pl) / 2}, {"at_b.p", (ps + pl) / 2}});
    ExpectRelative(valve["at_a.q"], flow, 1e-6);
    ExpectRelative(valve["at_b.q"], -flow, 1e-6);
    ExpectRelative(valve["at_p.q"], flow, 1e-6);
    valve.ExpectBalance();
  }
  SetAll(valve, {{"u", 0.0}, {"at_p.p", ps}, {"at_a.p", ps / 2}, {"at_b.p", ps / 2}});
  EXPECT_NEAR(valve["at_p.q"], 0.0, 1e-12);
}

// Open centre (Merritt, 5-4): with all four edges open by the same area the quiescent flow is
// 2*cd*area*sqrt(ps/density).
TEST(Hydraulic, Valve43WithUnderlapLeaksInItsCentre) {
  Probe open("Valve43(A = 3 mm^2, overlap = -0.25, cd = 0.6, density = 900 kg/m^3)");
  const double ps = 200 * kBar;
  SetAll(open, {{"u", 0.0}, {"at_p.p", ps}, {"at_a.p", ps / 2}, {"at_b.p", ps / 2}});
  ExpectRelative(open["at_p.q"], 2 * 0.6 * (3e-6 * 0.2) * std::sqrt(ps / 900), 1e-6);
  EXPECT_NEAR(open["at_a.q"], 0.0, 1e-15);
  Probe lapped("Valve43(A = 3 mm^2, overlap = 0.2, cd = 0.6, density = 900 kg/m^3, leak = 1e-9)");
  SetAll(lapped, {{"u", 0.15}, {"at_p.p", ps}, {"at_a.p", 0.0}, {"at_b.p", 0.0}});
  EXPECT_NEAR(lapped["at_a.q"], 0.0, 1e-12);  // still closed
  SetAll(lapped, {{"u", 0.6}, {"at_p.p", ps}, {"at_a.p", 0.0}, {"at_b.p", 0.0}});
  ExpectRelative(lapped["at_a.q"], -0.6 * 1.5e-6 * std::sqrt(2 * ps / 900), 1e-6);  // half open
  ExpectBalanceAt(lapped, {{{"u", 0.6}, {"at_p.p", ps}, {"at_a.p", 1e5}, {"at_b.p", 2e6}},
                           {{"u", -0.6}, {"at_p.p", ps}, {"at_a.p", 1e5}, {"at_b.p", 2e6}},
                           {{"u", 0.0}, {"at_p.p", ps}, {"at_a.p", 3e7}, {"at_b.p", -1e5}}});
}

// Relief valve with a spring (Merritt, 9-2): closed up to the cracking pressure, then open in proportion; 100
// bar with 10 bar of override. At 105 bar half of the area: 0.65*5 mm^2*sqrt(2*105 bar/870) = 0.50494 L/s.
TEST(Hydraulic, ReliefValveOpensInProportion) {
  Probe valve("ReliefValve(p_crack = 100 bar, A = 10 mm^2)");
  SetAll(valve, {{"e.p", 99.9 * kBar}});
  EXPECT_LT(valve["e.q"], 1e-8);
  SetAll(valve, {{"e.p", 105 * kBar}});
  ExpectRelative(valve["e.q"], 0.50494e-3, 1e-4);
  SetAll(valve, {{"e.p", 160 * kBar}});  // fully open: twice the area, more pressure
  ExpectRelative(valve["e.q"], 2 * 0.50494e-3 * std::sqrt(160.0 / 105.0), 1e-4);
  ExpectBalanceAt(valve,
                  {{{"e.p", 50 * kBar}}, {{"e.p", 104 * kBar}}, {{"e.p", 200 * kBar}}, {{"e.p", -5 * kBar}}});
}

// Check valve: no flow back, none below the cracking pressure, an orifice when open (Merritt, 9-2).
TEST(Hydraulic, CheckValvePoppetFlowsOneWay) {
  Probe valve("CheckValve(p_crack = 1 bar, p_open = 2 bar, A = 50 mm^2)");
  SetAll(valve, {{"e.p", -300 * kBar}});
  EXPECT_NEAR(valve["e.q"], 0.0, 1e-7);
  SetAll(valve, {{"e.p", 0.9 * kBar}});
  EXPECT_NEAR(valve["e.q"], 0.0, 1e-8);
  Probe standard("CheckValve(A = 50 mm^2)");  // opens from 0.3 to 0.5 bar
  SetAll(standard, {{"e.p", 0.435 * kBar}});  // 10 m/s through 0.675 of the area
  ExpectRelative(standard["e.q"], 0.675 * 0.65 * 50e-6 * 10.0, 1e-3);
  SetAll(valve, {{"e.p", 4.35 * kBar}});  // sqrt(2*4.35e5/870) = 31.623 m/s
  ExpectRelative(valve["e.q"], 0.65 * 50e-6 * 31.6227766, 1e-5);
  ExpectBalanceAt(valve, {{{"e.p", -50 * kBar}}, {{"e.p", 1.5 * kBar}}, {{"e.p", 7 * kBar}}});
}

// Piecewise linear, as a diode with threshold (Modelica Standard Library 4.0,
// Electrical.Analog.Ideal.IdealDiode): the differential conductance is G_leak below p_crack and G_open above,
// without a jump at it.
TEST(Hydraulic, CheckValveSwitchingIsADiode) {
  Probe valve(
      "CheckValve(p_crack = 1 bar, G_open = 1e-8 m^3/(s*Pa), G_leak = 1e-12 m^3/(s*Pa)) as switching");
  const auto flow = [&](double p) {
    SetAll(valve, {{"e.p", p}});
    return valve["e.q"];
  };
  EXPECT_NEAR(flow(-100 * kBar), -1e-5, 1e-12);
  EXPECT_NEAR((flow(0.9 * kBar) - flow(0.8 * kBar)) / (0.1 * kBar), 1e-12, 1e-18);
  EXPECT_NEAR((flow(3 * kBar) - flow(2 * kBar)) / kBar, 1e-8, 1e-14);
  EXPECT_NEAR(flow(1.000001 * kBar), flow(0.999999 * kBar), 1e-8);
  SetAll(valve, {{"e.p", 2 * kBar}});
  EXPECT_EQ(valve["open"], 1.0);
  SetAll(valve, {{"e.p", 0.5 * kBar}});
  EXPECT_EQ(valve["open"], 0.0);
  ExpectBalanceAt(valve, {{{"e.p", -50 * kBar}}, {{"e.p", 1.5 * kBar}}, {{"e.p", 0.5 * kBar}}});
}

// --- Pumps and motors ---

// Data sheet arithmetic (Findeisen, Oelhydraulik, 5th ed., displacement machines): 28 cm^3 at 1500 rpm
// deliver 42 L/min; against 200 bar that takes 14 kW and p*V/(2 pi) = 89.127 N*m.
TEST(Hydraulic, IdealMachinesConvert) {
  for (const char* use : {"FixedPump(D = 28 cm^3/rev)", "HydraulicMotor(D = 28 cm^3/rev)"}) {
    Probe machine(use);
    SetAll(machine, {{"rotor.w", 1500 * kRpm}, {"chamber.p", -200 * kBar}});  // b above a: pumps
    ExpectRelative(machine["chamber.q"], 42 * kLitrePerMinute, 1e-12);
    ExpectRelative(machine["rotor.tau"], 89.12676813, 1e-8);
    ExpectRelative(machine["rotor.tau"] * 1500 * kRpm, 14e3, 1e-12);
    SetAll(machine, {{"rotor.w", 1500 * kRpm}, {"chamber.p", 200 * kBar}});  // a above b: drives the shaft
    ExpectRelative(machine["rotor.tau"], -89.12676813, 1e-8);
    ExpectBalanceAt(machine, {{{"rotor.w", 100.0}, {"chamber.p", -2e7}},
                              {{"rotor.w", -50.0}, {"chamber.p", -2e7}},
                              {{"rotor.w", 10.0}, {"chamber.p", 1e6}}});
  }
  Probe variable("VariablePump(D = 56 cm^3/rev)");
  SetAll(variable, {{"u", 0.5}, {"rotor.w", 1500 * kRpm}, {"chamber.p", -200 * kBar}});
  ExpectRelative(variable["chamber.q"], 42 * kLitrePerMinute, 1e-12);
  ExpectRelative(variable["rotor.tau"], 89.12676813, 1e-8);
  SetAll(variable, {{"u", -1.0}, {"rotor.w", 1500 * kRpm}, {"chamber.p", 0.0}});
  ExpectRelative(variable["chamber.q"], -84 * kLitrePerMinute, 1e-12);  // over centre: from b to a
  ExpectBalanceAt(variable, {{{"u", 0.5}, {"rotor.w", 100.0}, {"chamber.p", -2e7}},
                             {{"u", -0.5}, {"rotor.w", 50.0}, {"chamber.p", -2e7}},
                             {{"u", 0.0}, {"rotor.w", 10.0}, {"chamber.p", 1e6}}});
}

// Wilson's coefficients (Merritt, 4-3): leak by pressure, torque by speed and by pressure. The total
// efficiency is the volumetric times the mechanical one, and 1 minus it is what is lost.
TEST(Hydraulic, LossyMachinesHaveEfficiencies) {
  const std::string parameters =
      "(D = 28 cm^3/rev, G_leak = 1e-12 m^3/(s*Pa), d = 0.02 N*m*s/rad, friction = 0.05)";
  const double p = 200 * kBar;
  const double w = 1500 * kRpm;
  const double q_ideal = 42 * kLitrePerMinute;
  const double torque_ideal = 89.12676813;
  for (const char* name : {"FixedPump", "VariablePump", "HydraulicMotor"}) {
    Probe machine(name + parameters + " as lossy");
    const auto at = [&](double pressure, double speed) {
      SetAll(machine, {{"rotor.w", speed}, {"chamber.p", pressure}});
      if (std::string(name) == "VariablePump") machine.Set("u", 1.0);
    };
    at(-p, w);                                                    // pumps: less flow, more torque
    ExpectRelative(machine["chamber.q"], q_ideal - 20e-6, 1e-9);  // 20 mL/s leak at 20 MPa
    ExpectRelative(machine["rotor.tau"], torque_ideal * 1.05 + 0.02 * w, 1e-8);
    double power_in = machine["rotor.tau"] * w;
    double power_out = p * machine["chamber.q"];
    ExpectRelative(machine.Loss(), power_in - power_out, 1e-9);
    ExpectRelative(power_out / power_in,
                   (machine["chamber.q"] / q_ideal) * (torque_ideal / machine["rotor.tau"]), 1e-8);
    machine.ExpectBalance();
    at(p, w);  // is driven: more flow, less torque
    ExpectRelative(machine["chamber.q"], q_ideal + 20e-6, 1e-9);
    ExpectRelative(machine["rotor.tau"], -(torque_ideal * 0.95 - 0.02 * w), 1e-8);
    machine.ExpectBalance();
    at(p, -w);
    machine.ExpectBalance();
    EXPECT_GT(machine.Loss(), 0.0);
    at(p, 0.0);  // at rest the friction is smoothed away, the leak stays
    ExpectRelative(machine["chamber.q"], 20e-6, 1e-12);
    ExpectRelative(machine["rotor.tau"], -torque_ideal, 1e-8);
  }
}

// --- Cylinders ---

// Pascal (White, 2.3): 100 bar on 10 cm^2 lift 10 kN; 6 L/min move 10 cm^2 with 0.1 m/s.
TEST(Hydraulic, CylinderIsPascals) {
  Probe cylinder("Cylinder(A = 10 cm^2)");
  SetAll(cylinder, {{"chamber.p", 100 * kBar}, {"chamber.q", 6 * kLitrePerMinute}});
  ExpectRelative(cylinder["piston.f"], -10e3, 1e-12);  // f < 0 pushes the rod forwards
  ExpectRelative(cylinder["piston.v"], 0.1, 1e-12);
  ExpectBalanceAt(cylinder, {{{"chamber.p", 1e6}, {"chamber.q", 1e-3}},
                             {{"chamber.p", -1e6}, {"chamber.q", 2e-3}},
                             {{"chamber.p", 3e7}, {"chamber.q", -1e-3}}});
}

// Regenerative circuit: both sides at one pressure push with the area of the rod alone, A_a - A_b (Findeisen,
// cylinders).
TEST(Hydraulic, DifferentialCylinderRegenerates) {
  Probe cylinder("DifferentialCylinder(A_a = 10 cm^2, A_b = 6 cm^2)");
  SetAll(cylinder, {{"chamber_a.p", 100 * kBar}, {"chamber_b.p", 100 * kBar}, {"piston.v", 0.5}});
  ExpectRelative(cylinder["piston.f"], -4e3, 1e-12);
  ExpectRelative(cylinder["chamber_a.q"] + cylinder["chamber_b.q"], 0.5 * 4e-4, 1e-12);
  ExpectRelative(cylinder["chamber_a.q"], 30 * kLitrePerMinute, 1e-12);
  ExpectBalanceAt(cylinder, {{{"chamber_a.p", 1e6}, {"chamber_b.p", 2e5}, {"piston.v", 0.1}},
                             {{"chamber_a.p", 1e6}, {"chamber_b.p", 2e7}, {"piston.v", 0.2}},
                             {{"chamber_a.p", 0.0}, {"chamber_b.p", 2e5}, {"piston.v", -0.1}}});
}

// Hydraulic stiffness with closed ports (Merritt, 6-2; Jelali, Kroll, Hydraulic Servo-systems, 4.3): bulk
// modulus times the sum of A^2/V, least near the middle of the stroke.
TEST(Hydraulic, DoubleActingCylinderHasItsStiffness) {
  Probe cylinder(
      "DoubleActingCylinder(A_a = 10 cm^2, A_b = 6 cm^2, stroke = 0.4 m, V_dead = 50 mL, bulk_modulus = 1.2 "
      "GPa)");
  const double v = 0.01;
  for (const double s : {0.1, 0.2, 0.3}) {
    SetAll(cylinder, {{"chamber_a.p", 0.0},
                      {"chamber_b.p", 0.0},
                      {"chamber_a.q", 0.0},
                      {"chamber_b.q", 0.0},
                      {"piston.s", s},
                      {"piston.v", v}});
    const double stiffness =
        1.2e9 * (1e-3 * 1e-3 / (50e-6 + 1e-3 * s) + 0.6e-3 * 0.6e-3 / (50e-6 + 0.6e-3 * (0.4 - s)));
    // The force at the rod changes by pressure times area on both sides; to pull it out takes f > 0.
    ExpectRelative(0.6e-3 * cylinder["der(chamber_b.p)"] - 1e-3 * cylinder["der(chamber_a.p)"], stiffness * v,
                   1e-9);
  }
}

TEST(Hydraulic, DoubleActingCylinderAtRestIsPascalsAndLeaks) {
  Probe cylinder(
      "DoubleActingCylinder(A_a = 10 cm^2, A_b = 6 cm^2, stroke = 0.4 m, G_leak = 1e-12 m^3/(s*Pa), d = 500 "
      "N*s/m, "
      "f_coulomb = 200 N, k_stop = 1e8 N/m)");
  const Point rest = {{"chamber_a.p", 100 * kBar}, {"chamber_b.p", 20 * kBar}, {"der(chamber_a.p)", 0.0},
                      {"der(chamber_b.p)", 0.0},   {"piston.s", 0.1},          {"piston.v", 0.0}};
  SetAll(cylinder, rest);
  ExpectRelative(cylinder["piston.f"], -(10e3 - 1.2e3), 1e-9);
  ExpectRelative(cylinder["chamber_a.q"], 8e-6, 1e-9);  // 80 bar drive 8 mL/s past the piston
  ExpectRelative(cylinder["chamber_b.q"], -8e-6, 1e-9);
  cylinder.Set("piston.v", 0.2);  // moving, friction takes 200 N and 100 N
  ExpectRelative(cylinder["piston.f"], -(10e3 - 1.2e3 - 300.0), 1e-9);
  ExpectRelative(cylinder["chamber_a.q"], 2e-4 + 8e-6, 0.004);  // swept volume, within p/(2*bulk modulus)
  cylinder.Set("piston.v", 0.0);
  cylinder.Set("piston.s", 0.4 + 1e-4);  // 0.1 mm in the stop: 10 kN hold the rod back
  ExpectRelative(cylinder["piston.f"], 1.2e3, 1e-6);
  cylinder.Set("piston.s", -1e-4);
  ExpectRelative(cylinder["piston.f"], -(18.8e3), 1e-6);
  ExpectBalanceAt(cylinder, {{{"chamber_a.p", 1e7},
                              {"chamber_b.p", 2e6},
                              {"der(chamber_a.p)", 1e8},
                              {"der(chamber_b.p)", -2e8},
                              {"piston.s", 0.1},
                              {"piston.v", 0.3}},
                             {{"chamber_a.p", 1e7},
                              {"chamber_b.p", 3e7},
                              {"der(chamber_a.p)", -1e8},
                              {"der(chamber_b.p)", -2e8},
                              {"piston.s", 0.401},
                              {"piston.v", 0.0005}},
                             {{"chamber_a.p", 0.0},
                              {"chamber_b.p", 2e7},
                              {"der(chamber_a.p)", 1e8},
                              {"der(chamber_b.p)", 0.0},
                              {"piston.s", -0.001},
                              {"piston.v", -0.5}}});
}

// --- Sources and sensors ---

TEST(Hydraulic, SourcesPrescribeTheirVariable) {
  Probe pressure("PressureSource(pressure = 200 bar)");
  pressure.Set("e.q", -1e-3);  // what drives has negative power into its edge
  ExpectRelative(pressure["e.p"], 2e7, 1e-12);
  ExpectRelative(pressure.Power(), -20e3, 1e-12);
  Probe flow("FlowSource(flow = 60 L/min)");
  flow.Set("e.p", -200 * kBar);  // out of b into the circuit, against 200 bar
  ExpectRelative(flow["e.q"], 1e-3, 1e-12);
  ExpectRelative(flow.Power(), -20e3, 1e-12);
  for (const auto& [use, variable] :
       {std::pair{"SignalPressureSource", "e.p"}, {"SignalFlowSource", "e.q"}}) {
    Probe source(use);
    for (const double value : {-2.5, 0.0, 4.0}) {
      SetAll(source, {{"u", value}});
      EXPECT_EQ(source[variable], value) << use;
    }
  }
}

TEST(Hydraulic, SensorsTakeNoPower) {  // Bentley, Principles of Measurement Systems, 4th ed., 5.2
  for (const auto& [use, measured, none] : {std::tuple{"PressureSensor", "e.p", "e.q"},
                                            {"RelativePressureSensor", "e.p", "e.q"},
                                            {"FlowSensor", "e.q", "e.p"}}) {
    Probe sensor(use);
    for (const double value : {-2.5, 0.0, 4.0}) {
      SetAll(sensor, {{measured, value}});
      EXPECT_EQ(sensor["y"], value) << use;
      EXPECT_EQ(sensor[none], 0.0) << use;
    }
  }
  Probe meter("VolumeSensor");
  SetAll(meter, {{"e.q", 6 * kLitrePerMinute}, {"volume", 0.2}});
  EXPECT_EQ(meter["y"], 0.2);
  EXPECT_NEAR(meter["der(volume)"], 1e-4, 1e-18);
  EXPECT_EQ(meter["e.p"], 0.0);
}

// Hydraulic power in kilowatts is bar times L/min by 600.
TEST(Hydraulic, PowerSensorReadsHydraulicPower) {
  Probe sensor("HydraulicPowerSensor");
  SetAll(sensor, {{"line.q", 60 * kLitrePerMinute}, {"gauge.p", 200 * kBar}});
  ExpectRelative(sensor["y"], 20e3, 1e-12);
  EXPECT_EQ(sensor["line.p"], 0.0);
  EXPECT_EQ(sensor["gauge.q"], 0.0);
  EXPECT_EQ(sensor.Power(), 0.0);
  SetAll(sensor, {{"line.q", -60 * kLitrePerMinute}, {"gauge.p", 200 * kBar}});  // it flows back
  ExpectRelative(sensor["y"], -20e3, 1e-12);
}

}  // namespace
}  // namespace cotree::test
