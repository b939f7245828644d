// SPDX-License-Identifier: Apache-2.0
// Sources, controlled sources and sensors at work: small circuits of the textbooks, wired up on the bench, so
// that a sign that is wrong at one terminal shows. What each of them does alone stands in electrical_test.cc.

#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "library/probe.h"

namespace cotree::test {
namespace {

constexpr double kPi = std::numbers::pi;

/// A circuit without terminals, or with those its text declares.
Probe Circuit(const std::string& text) {
  return Probe("Circuit", "component Circuit {\n" + text + "\n}\n");
}

// --- Sources and sensors ---------------------------------------------------------------------------------

// Horowitz & Hill, The Art of Electronics, 3rd ed., §1.2.5: 30 V divided by two resistors of 10 kohm is a
// source of 15 V behind 5 kohm; with 10 kohm as its load 10 V are left.
TEST(ElectricalBasics, AVoltageDividerAndItsLoad) {
  const std::string divider = R"(
  supply : VoltageSource(V = 30 V)
  r1, r2 : Resistor(R = 10 kohm)
  meter  : VoltageSensor
  series : CurrentSensor
  connect supply.p -- series.p
  connect series.n -- r1.p
  connect r1.n -- r2.p -- meter.p
  connect supply.n -- r2.n -- meter.n -- electrical.ground
)";
  Probe open = Circuit(divider);
  EXPECT_NEAR(open["meter.y"], 15, 1e-12);
  EXPECT_NEAR(open["series.y"], 1.5e-3, 1e-15);
  EXPECT_NEAR(open["supply.e.i"], -1.5e-3, 1e-15) << "what delivers has a negative current through it";
  EXPECT_NEAR(open["supply.e.v"] * open["supply.e.i"], -open.Loss(), 1e-15);

  Probe loaded =
      Circuit(divider + "load : Resistor(R = 10 kohm)\nconnect load.p -- r1.n\nconnect load.n -- supply.n");
  EXPECT_NEAR(loaded["meter.y"], 10, 1e-12);
  EXPECT_NEAR(loaded["series.y"], 2e-3, 1e-15);
  EXPECT_NEAR(loaded.Loss(), 30 * 2e-3, 1e-14);
}

// The theorem of Thevenin and Norton: Nilsson & Riedel, Electric Circuits, 10th ed., §4.9 to 4.11.
TEST(ElectricalBasics, CurrentAndVoltageSourcesAreEquivalent) {
  for (const double load : {1.0, 5.0, 45.0}) {
    const std::string rest = "load : Resistor(R = " + std::to_string(load) +
                             " ohm)\nmeter : VoltageSensor\nconnect r.n -- load.p -- meter.p\n"
                             "connect load.n -- meter.n -- electrical.ground\n";
    Probe thevenin = Circuit(
        "s : VoltageSource(V = 10 V)\nr : Resistor(R = 5 ohm)\nconnect s.p -- r.p\nconnect s.n -- load.n\n" +
        rest);
    // Out of n the current goes into the circuit.
    Probe norton = Circuit(
        "s : CurrentSource(I = 2 A)\nr : Resistor(R = 5 ohm)\nconnect s.n -- r.n\nconnect s.p -- r.p -- "
        "load.n\n" +
        rest);
    EXPECT_NEAR(thevenin["meter.y"], 10 * load / (load + 5), 1e-12);
    EXPECT_NEAR(norton["meter.y"], thevenin["meter.y"], 1e-12);
    EXPECT_NEAR(norton["load.e.i"], thevenin["load.e.i"], 1e-12);
  }
}

// Millman's theorem: branches in parallel have the voltage sum(V/R)/sum(1/R). Nilsson & Riedel §4.2 (node
// voltages).
TEST(ElectricalBasics, SourcesInParallelFollowMillman) {
  Probe p = Circuit(R"(
  v1 : VoltageSource(V = 12 V)
  v2 : VoltageSource(V = -6 V)
  i3 : CurrentSource(I = 0.5 A)
  r1 : Resistor(R = 4 ohm)
  r2 : Resistor(R = 3 ohm)
  r4 : Resistor(R = 12 ohm)
  meter : VoltageSensor
  connect v1.p -- r1.p
  connect v2.p -- r2.p
  connect r1.n -- r2.n -- i3.n -- r4.p -- meter.p
  connect v1.n -- v2.n -- i3.p -- r4.n -- meter.n -- electrical.ground
)");
  EXPECT_NEAR(p["meter.y"], (12.0 / 4 - 6.0 / 3 + 0.5) / (1.0 / 4 + 1.0 / 3 + 1.0 / 12), 1e-12);
}

// Wheatstone's bridge: nothing flows in balance; off it, an open meter shows the difference of two dividers.
// Bentley, Principles of Measurement Systems, 4th ed., §9.1.
TEST(ElectricalBasics, WheatstoneBridge) {
  const auto bridge = [](const std::string& unknown, const std::string& meter) {
    return Circuit(R"(
  supply : VoltageSource(V = 5 V)
  a : Resistor(R = 100 ohm)
  b : Resistor(R = 150 ohm)
  c : Resistor(R = 200 ohm)
  x : Resistor(R = )" +
                   unknown + ")\nmeter : " + meter + R"(
  connect supply.p -- a.p -- c.p
  connect a.n -- b.p -- meter.p
  connect c.n -- x.p -- meter.n
  connect b.n -- x.n -- supply.n -- electrical.ground
)");
  };
  EXPECT_NEAR(bridge("300 ohm", "VoltageSensor")["meter.y"], 0, 1e-14);
  EXPECT_NEAR(bridge("300 ohm", "CurrentSensor")["meter.y"], 0, 1e-14);
  EXPECT_NEAR(bridge("200 ohm", "VoltageSensor")["meter.y"], 5 * (0.6 - 0.5), 1e-14);
  // A short between the arms: 0.1*5 V behind 100|150 + 200|200.
  EXPECT_NEAR(bridge("200 ohm", "CurrentSensor")["meter.y"], 0.5 / (60 + 100), 1e-14);
}

TEST(ElectricalBasics, SensorsTakeNoPower) {
  Probe v("VoltageSensor"), i("CurrentSensor");
  for (const double x : {-3.0, 0.5, 1e4}) {
    v.Set("e.v", x);
    EXPECT_EQ(v["y"], x);
    EXPECT_EQ(v.Power(), 0);
    i.Set("e.i", x);
    EXPECT_EQ(i["y"], x);
    EXPECT_EQ(i.Power(), 0);
  }
}

/** Fourier coefficients of a waveform by the sum over equidistant points, which is exact for a sine. */
struct Fourier {
  double mean = 0, square = 0;
  std::complex<double> first;  // of exp(i w t): offset + Re(first*exp(i w t))
};
Fourier Analyse(Probe& source, const std::string& variable, double begin, double period, int points) {
  Fourier f;
  for (int k = 0; k < points; ++k) {
    const double time = begin + (k + 0.5) * period / points;
    source.Set("time", time);
    const double value = source[variable];
    f.mean += value / points;
    f.square += value * value / points;
    f.first += 2.0 / points * value * std::polar(1.0, -2 * kPi * time / period);
  }
  return f;
}

// Amplitude, phase, mean and effective value: Nilsson & Riedel, ch. 9 (effective value sqrt(offset^2 +
// amplitude^2/2)).
TEST(ElectricalBasics, SineSourcesHaveTheirSpectrum) {
  for (const bool voltage : {true, false}) {
    const std::string unit = voltage ? " V" : " A";
    Probe s((voltage ? "SineVoltageSource" : "SineCurrentSource") + ("(amplitude = 3" + unit) +
            ", frequency = 50 Hz, phase = 30 deg, offset = -2" + unit + ")");
    const Fourier f = Analyse(s, voltage ? "e.v" : "e.i", 0.7, 0.02, 8);
    EXPECT_NEAR(f.mean, -2, 1e-12);
    EXPECT_NEAR(f.square, 4 + 4.5, 1e-12);
    EXPECT_NEAR(std::abs(f.first), 3, 1e-12);
    EXPECT_NEAR(std::arg(f.first), -kPi / 3, 1e-12) << "a sine lags its cosine by 90 deg: 30 - 90";
  }
}

// Mean and effective value of a rectangle: Nilsson & Riedel, ch. 16.
TEST(ElectricalBasics, PulseSourcesHaveTheirDutyCycle) {
  for (const bool voltage : {true, false}) {
    const std::string unit = voltage ? " V" : " A", variable = voltage ? "e.v" : "e.i";
    const std::string name = voltage ? "PulseVoltageSource" : "PulseCurrentSource";
    Probe s(name + "(low = -1" + unit + ", high = 5" + unit + ", period = 8 ms, width = 2 ms, delay = 3 ms)");
    const Fourier f = Analyse(s, variable, 3e-3 + 5 * 8e-3, 8e-3, 64);
    EXPECT_NEAR(f.mean, -1 + 6 * 0.25, 1e-12);
    EXPECT_NEAR(f.square, 0.25 * 25 + 0.75 * 1, 1e-12);
    // The first harmonic of a rectangle has the amplitude 2*height/pi*sin(pi*duty); 64 points miss it by 0.04
    // %.
    EXPECT_NEAR(std::abs(f.first), 2 * 6 / kPi * std::sin(kPi / 4), 2e-3);
    s.Set("time", 2.9e-3);
    EXPECT_EQ(s[variable], -1) << "nothing before the first pulse";

    Probe half(name + "(high = 2" + unit + ", period = 1 s)");
    EXPECT_NEAR(Analyse(half, variable, 0, 1, 64).mean, 1, 1e-12);
  }
}

// A conductance made of a sensor and a source: what is measured is fed back as the current through the
// source, from p to n like that of any load; turned round it delivers.
TEST(ElectricalBasics, SignalSourcesObeyTheirSignal) {
  for (const double g : {0.25, -0.25}) {
    Probe p = Circuit(R"(
  terminal p, n : electrical
  v : VoltageSensor
  k : Gain(k = )" + std::to_string(g) +
                      R"( A/V)
  s : SignalCurrentSource
  connect p -- v.p -- s.p
  connect n -- v.n -- s.n
  connect v.y -> k.u
  connect k.y -> s.u
)");
    p.Set("p.v", 7);
    p.Set("n.v", 3);
    EXPECT_NEAR(p["p.i"], 4 * g, 1e-14);
    EXPECT_NEAR(p["n.i"], -4 * g, 1e-14);
    EXPECT_NEAR(p.Power(), 16 * g, 1e-13);
  }
  // And a resistance of a current sensor and a voltage source.
  Probe p = Circuit(R"(
  terminal p, n : electrical
  i : CurrentSensor
  k : Gain(k = 6 V/A)
  s : SignalVoltageSource
  connect p -- i.p
  connect i.n -- s.p
  connect s.n -- n
  connect i.y -> k.u
  connect k.y -> s.u
)");
  p.Set("p.v", 7);
  p.Set("n.v", -5);
  EXPECT_NEAR(p["p.i"], 2, 1e-14);
}

// --- Controlled sources ----------------------------------------------------------------------------------

// Miller's theorem: a resistor from the input to the output of an amplifier with gain -A loads the input like
// R/(1 + A). Sedra & Smith, Microelectronic Circuits, 7th ed., ch. 10.
TEST(ElectricalBasics, MillerEffectOfAVoltageControlledVoltageSource) {
  Probe p = Circuit(R"(
  terminal p : electrical
  a : VoltageControlledVoltageSource(gain = -99)
  r : Resistor(R = 50 kohm)
  connect p -- a.p1 -- r.p
  connect a.p2 -- r.n
  connect a.n1 -- a.n2 -- electrical.ground
)");
  p.Set("p.v", 0.2);
  EXPECT_NEAR(p["p.i"], 0.2 / 500, 1e-15);
  EXPECT_NEAR(p["r.n.v"], -19.8, 1e-13);
}

// Common emitter stage, hybrid-pi model: gain -gm*(RC || RL). Sedra & Smith, ch. 7.
TEST(ElectricalBasics, CommonEmitterOfAVoltageControlledCurrentSource) {
  Probe p = Circuit(R"(
  source  : VoltageSource(V = 10 mV)
  rb      : Resistor(R = 2.5 kohm)
  rpi     : Resistor(R = 2.5 kohm)
  gm      : VoltageControlledCurrentSource(transconductance = 40 mS)
  rc, rl  : Resistor(R = 10 kohm)
  connect source.p -- rb.p
  connect rb.n -- rpi.p -- gm.p1
  connect gm.p2 -- rc.p -- rl.p
  connect source.n -- rpi.n -- gm.n1 -- gm.n2 -- rc.n -- rl.n -- electrical.ground
)");
  EXPECT_NEAR(p["rpi.e.v"], 5e-3, 1e-15);
  EXPECT_NEAR(p["rl.e.v"], -200 * 5e-3, 1e-12) << "a stage in this connection inverts";
}

// Emitter follower: seen at the base, rpi + (beta + 1)*RE. Sedra & Smith, ch. 7.
TEST(ElectricalBasics, EmitterFollowerOfACurrentControlledCurrentSource) {
  Probe p = Circuit(R"(
  terminal base : electrical
  rpi  : Resistor(R = 2.5 kohm)
  beta : CurrentControlledCurrentSource(gain = 100)
  re   : Resistor(R = 1 kohm)
  connect base -- rpi.p
  connect rpi.n -- beta.p1
  connect beta.n1 -- beta.n2 -- re.p
  connect beta.p2 -- re.n -- electrical.ground
)");
  p.Set("base.v", 1.035);
  EXPECT_NEAR(p["base.i"], 1.035 / 103.5e3, 1e-16);
  EXPECT_NEAR(p["re.e.v"], 1.035 * 101 / 103.5, 1e-13) << "nearly 1";
}

// Two current-controlled voltage sources across are a gyrator: v1 = -r*i2, v2 = r*i1, so a resistor R behind
// them looks like r^2/R (Tellegen, The gyrator, a new electric network element, Philips Res. Rep. 3 (1948)).
TEST(ElectricalBasics, GyratorOfTwoCurrentControlledVoltageSources) {
  Probe p = Circuit(R"(
  terminal p : electrical
  forth : CurrentControlledVoltageSource(transresistance = 30 ohm)
  back  : CurrentControlledVoltageSource(transresistance = -30 ohm)
  r     : Resistor(R = 4 ohm)
  connect p -- forth.p1
  connect forth.n1 -- back.p2
  connect back.n2 -- electrical.ground
  connect back.p1 -- r.p
  connect back.n1 -- forth.p2
  connect r.n -- forth.n2 -- electrical.ground
)");
  p.Set("p.i", 2);
  EXPECT_NEAR(p["p.v"], 2 * 900.0 / 4, 1e-11);
  EXPECT_NEAR(p["r.e.v"], 60, 1e-12) << "forth drives p2 positive";
}

// Antiparallel voltage-controlled current sources are the same thing, and the class Gyrator too: R becomes
// r^2/R.
TEST(ElectricalBasics, GyratorOfTwoVoltageControlledCurrentSources) {
  const std::string rest = "terminal p : electrical\nload : Resistor(R = 50 ohm)\n";
  Probe sources = Circuit(rest + R"(
  forth : VoltageControlledCurrentSource(transconductance = 20 mS)
  back  : VoltageControlledCurrentSource(transconductance = -20 mS)
  connect p -- forth.p1 -- back.p2
  connect load.p -- forth.p2 -- back.p1
  connect load.n -- forth.n1 -- forth.n2 -- back.n1 -- back.n2 -- electrical.ground
)");
  Probe gyrator = Circuit(rest + R"(
  g : Gyrator(r = 50 ohm)
  connect p -- g.p1
  connect load.p -- g.p2
  connect load.n -- g.n1 -- g.n2 -- electrical.ground
)");
  for (Probe* p : {&sources, &gyrator}) {
    p->Set("p.v", 3);
    EXPECT_NEAR((*p)["p.i"], 3.0 / 50, 1e-14);
    EXPECT_NEAR(std::abs((*p)["load.e.v"]), 3, 1e-12);
  }
}

// --- The ideal operational amplifier -----------------------------------------------------------------------
// Horowitz & Hill, 3rd ed., §4.2: non-inverting and difference amplifier; ch. 6: negative-impedance
// converter.

TEST(ElectricalBasics, OperationalAmplifierCircuits) {
  Probe plus = Circuit(R"(
  terminal p : electrical
  a  : OpAmp
  r1 : Resistor(R = 1 kohm)
  r2 : Resistor(R = 9 kohm)
  connect p -- a.p
  connect a.out -- r2.p
  connect r2.n -- r1.p -- a.n
  connect r1.n -- electrical.ground
)");
  plus.Set("p.v", 0.3);
  EXPECT_NEAR(plus["a.drive.v"], 3, 1e-12);
  EXPECT_NEAR(plus["a.drive.i"], -0.3e-3, 1e-15) << "the output delivers";
  EXPECT_NEAR(plus["p.i"], 0, 1e-18);

  Probe difference = Circuit(R"(
  terminal p, n : electrical
  a  : OpAmp
  r1, r3 : Resistor(R = 1 kohm)
  r2, r4 : Resistor(R = 5 kohm)
  connect n -- r1.p
  connect r1.n -- a.n -- r2.p
  connect r2.n -- a.out
  connect p -- r3.p
  connect r3.n -- a.p -- r4.p
  connect r4.n -- electrical.ground
)");
  difference.Set("p.v", 2.5);
  difference.Set("n.v", 2.1);
  EXPECT_NEAR(difference["a.drive.v"], 5 * 0.4, 1e-12) << "the common mode does not count";

  Probe negative = Circuit(R"(
  terminal p : electrical
  a  : OpAmp
  r1, r2 : Resistor(R = 2 kohm)
  z  : Resistor(R = 600 ohm)
  connect p -- a.p -- r1.p
  connect r1.n -- a.out -- r2.p
  connect r2.n -- a.n -- z.p
  connect z.n -- electrical.ground
)");
  negative.Set("p.v", 3);
  EXPECT_NEAR(negative["p.i"], -3.0 / 600, 1e-14);
}

// Antoniou's circuit makes an inductance of a capacitor: Sedra & Smith, §17.6.1.
TEST(ElectricalBasics, AntoniousInductor) {
  Probe p = Circuit(R"(
  terminal p : electrical
  a, b : OpAmp
  r1 : Resistor(R = 1 kohm)
  r2 : Resistor(R = 2 kohm)
  r3 : Resistor(R = 3 kohm)
  c  : Capacitor(C = 10 nF)
  r5 : Resistor(R = 5 kohm)
  connect p -- r1.p -- a.p
  connect r1.n -- r2.p -- b.out
  connect r2.n -- r3.p -- a.n -- b.n
  connect r3.n -- c.p -- a.out
  connect c.n -- r5.p -- b.p
  connect r5.n -- electrical.ground
)");
  // Z = Z1*Z3*Z5/(Z2*Z4) with Z4 = 1/(s*C): L = R1*R3*R5*C/R2 = 75 mH. di/dt = v/L: after the current of R1
  // is known, i = v_c*R2/(R1*R3), so di/dt follows from dv_c/dt = v/(R5*C).
  p.Set("p.v", 1.5);
  p.Set("c.e.v", 0.6);
  EXPECT_NEAR(std::abs(p["p.i"]), 0.6 * 2e3 / (1e3 * 3e3), 1e-14);
  EXPECT_NEAR(std::abs(p["der(c.e.v)"]) * 2e3 / (1e3 * 3e3), 1.5 / 75e-3, 1e-9);
  EXPECT_GT(p["p.i"] * p["der(c.e.v)"] * 0.6, 0)
      << "it rises with the voltage: an inductance, not a negative one";
}

}  // namespace
}  // namespace cotree::test
