// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "library/signal_bench.h"

namespace cotree::test {
namespace {

// Oppenheim & Willsky, Signals and Systems, 2nd ed., §1.3 and §1.4: steps, ramps and sinusoids.
TEST(SignalSources, ConstantStepAndRamp) {
  Probe constant("Constant(k = 3 V)");
  EXPECT_DOUBLE_EQ(At(constant, -1), 3);
  EXPECT_DOUBLE_EQ(At(constant, 7), 3);
  Probe step("Step(height = 2 V, start = 1 s, offset = 0.5 V)");
  EXPECT_DOUBLE_EQ(At(step, 0.999), 0.5);
  EXPECT_DOUBLE_EQ(At(step, 1), 2.5);
  EXPECT_DOUBLE_EQ(At(step, 100), 2.5);
  Probe ramp("Ramp(slope = 2 m/s, start = 1 s, duration = 3 s, offset = 1 m)");
  EXPECT_DOUBLE_EQ(At(ramp, 0), 1);
  EXPECT_DOUBLE_EQ(At(ramp, 2.5), 4);
  EXPECT_DOUBLE_EQ(At(ramp, 4), 7);
  EXPECT_DOUBLE_EQ(At(ramp, 50), 7);
  Probe endless("Ramp(slope = 2 m/s)");
  EXPECT_DOUBLE_EQ(At(endless, 50), 100);
}

// A ramp is the integral of a step, and a finite ramp the difference of two of them.
TEST(SignalSources, RampIsAnIntegral) {
  Probe ramp("Ramp(slope = 3, start = 0.25 s, duration = 0.5 s)");
  Probe one("Step(height = 3, start = 0.25 s)"), two("Step(height = -3, start = 0.75 s)");
  const int steps = 400;
  double integral = 0;
  for (int i = 0; i < steps; ++i)
    integral += (At(one, (i + 0.5) / steps) + At(two, (i + 0.5) / steps)) / steps;
  EXPECT_NEAR(At(ramp, 1), integral, 1e-12);
}

TEST(SignalSources, SineAndItsQuadratureMakeACircle) {
  Probe sine("Sine(amplitude = 3 A, frequency = 50 Hz, phase = 30 deg, offset = 1 A)");
  EXPECT_NEAR(At(sine, 0), 1 + 1.5, 1e-12);
  for (const double t : {0.001, 0.0037, 0.0123}) {
    const double a = At(sine, t) - 1, b = At(sine, t + 0.005) - 1;  // a quarter of a period later
    EXPECT_NEAR(a * a + b * b, 9, 1e-9);
    EXPECT_NEAR(At(sine, t + 0.02), 1 + a, 1e-9);
  }
}

// Mean and root mean square of a train of pulses with duty cycle d: d*high, sqrt(d)*high
// (Erickson & Maksimovic, Fundamentals of Power Electronics, 2nd ed., appendix A).
TEST(SignalSources, PulseHasItsDutyCycle) {
  Probe pulse("Pulse(high = 5 V, period = 2 ms, width = 0.5 ms, delay = 9.7 ms)");
  EXPECT_DOUBLE_EQ(At(pulse, 9.6e-3), 0);
  EXPECT_DOUBLE_EQ(At(pulse, 9.8e-3), 5);
  EXPECT_DOUBLE_EQ(At(pulse, 10.3e-3), 0);
  double mean = 0, square = 0;
  for (int i = 0; i < 1000; ++i) {
    const double y = At(pulse, 0.02 + (i + 0.5) * 2e-6);
    mean += y / 1000;
    square += y * y / 1000;
  }
  EXPECT_NEAR(mean, 1.25, 1e-9);
  EXPECT_NEAR(std::sqrt(square), 2.5, 1e-9);
  Probe half("Pulse(low = -1, high = 1, period = 1 s)");
  EXPECT_DOUBLE_EQ(At(half, 0.49), 1);
  EXPECT_DOUBLE_EQ(At(half, 0.51), -1);
}

// Root mean square of a trapezoid between 0 and h: h*sqrt((width + (rising + falling)/3)/period), ibid.
TEST(SignalSources, TrapezoidHasItsMeanAndEdges) {
  Probe trapezoid(
      "Trapezoid(low = 0, high = 4, period = 10 s, rising = 1 s, width = 2 s, falling = 3 s, delay = 4 s)");
  EXPECT_DOUBLE_EQ(At(trapezoid, 3), 0);
  EXPECT_NEAR(At(trapezoid, 4.25), 1, 1e-12);
  EXPECT_NEAR(At(trapezoid, 16), 4, 1e-12);
  EXPECT_NEAR(At(trapezoid, 7 + 2.25), 1, 1e-12);
  EXPECT_NEAR(At(trapezoid, 11), 0, 1e-12);
  double mean = 0, square = 0;
  const int steps = 6000;
  for (int i = 0; i < steps; ++i) {
    const double y = At(trapezoid, 4 + (i + 0.5) * 10 / steps);
    mean += y / steps;
    square += y * y / steps;
  }
  EXPECT_NEAR(mean, 4 * (2 + (1 + 3) / 2.0) / 10, 1e-6);
  EXPECT_NEAR(std::sqrt(square), 4 * std::sqrt((2 + (1 + 3) / 3.0) / 10), 1e-5);
  Probe triangle("Trapezoid(low = -1, high = 1, period = 2 s, rising = 1 s)");
  EXPECT_NEAR(At(triangle, 1), 1, 1e-12);
  EXPECT_NEAR(At(triangle, 1.5), 0, 1e-12);
  EXPECT_NEAR(At(triangle, 2), -1, 1e-12);
}

TEST(SignalSources, TrapezoidWithoutRampsIsAPulse) {
  Probe trapezoid("Trapezoid(high = 4, period = 10 s, rising = 0 s, width = 3 s)");
  Probe pulse("Pulse(high = 4, period = 10 s, width = 3 s)");
  for (const double t : {0.0, 2.9, 3.1, 9.0, 10.5, 14.0}) EXPECT_DOUBLE_EQ(At(trapezoid, t), At(pulse, t));
}

// Fourier series of the saw-tooth: 1/2 - sum of sin(2*pi*k*t/T)/(pi*k)
// (Oppenheim & Willsky, Signals and Systems, 2nd ed., §3.3).
TEST(SignalSources, SawToothIsItsFourierSeries) {
  Probe saw("SawTooth(low = 1, high = 3, period = 2 s, delay = 1 s)");
  EXPECT_DOUBLE_EQ(At(saw, 0.5), 1);
  for (const double t : {1.3, 2.0, 4.7}) {
    double sum = 0.5;
    for (int k = 1; k <= 20000; ++k) sum -= std::sin(kPi * k * (t - 1)) / (kPi * k);
    EXPECT_NEAR(At(saw, t), 1 + 2 * sum, 3e-4);
  }
}

// Charging of a capacitor through a resistor: 63.2 %, 86.5 %, 95.0 % after one, two, three time constants;
// half after T*ln 2 (Horowitz & Hill, The Art of Electronics, 3rd ed., §1.4.2).
TEST(SignalSources, ExponentialRisesAndFalls) {
  Probe e(
      "Exponential(height = 2 V, T_rise = 3 s, T_fall = 0.5 s, start = 1 s, duration = 6 s, offset = 1 V)");
  EXPECT_DOUBLE_EQ(At(e, 0.5), 1);
  EXPECT_NEAR(At(e, 4), 1 + 2 * 0.6321205588, 1e-9);
  EXPECT_NEAR(At(e, 1 + 3 * 0.6931471806), 2, 1e-9);
  const double top = At(e, 7);
  EXPECT_NEAR(top, 1 + 2 * 0.8646647168, 1e-9);
  EXPECT_NEAR(At(e, 7 + 0.5 * 0.6931471806) - 1, (top - 1) / 2, 1e-9);
  Probe forever("Exponential(height = 2 V, T_rise = 3 s)");
  EXPECT_NEAR(At(forever, 9), 2 * 0.9502129316, 1e-9);
  EXPECT_NEAR(At(forever, 3000), 2, 1e-12);
}

// The logarithmic decrement (Rao, Mechanical Vibrations, 5th ed., §2.6.3): ln of the ratio of values one
// period apart.
TEST(SignalSources, DampedSineHasItsLogarithmicDecrement) {
  Probe d(
      "DampedSine(amplitude = 2, frequency = 4 Hz, T = 0.5 s, phase = 90 deg, start = 1.1 s, offset = 3)");
  EXPECT_DOUBLE_EQ(At(d, 0.9), 3);
  EXPECT_NEAR(At(d, 1.1), 5, 1e-12);
  for (const double t : {1.12, 1.21, 1.7})
    EXPECT_NEAR(std::log((At(d, t) - 3) / (At(d, t + 0.25) - 3)), 0.25 / 0.5, 1e-9);
  EXPECT_NEAR(At(d, 1.1625), 3, 1e-9);  // a quarter of a period
}

// The number of cycles is the area under the line of the frequency: at constant rate the mean of its ends
// times the time (Skolnik, Radar Handbook, 3rd ed., §8.2: linear frequency modulation).
TEST(SignalSources, ChirpSweepsLinearly) {
  Probe chirp(
      "Chirp(amplitude = 2 V, f_begin = 5 Hz, f_end = 10 Hz, duration = 5 s, start = 1 s, offset = 1 V)");
  EXPECT_NEAR(At(chirp, 0.3), 1, 1e-12);
  const auto time_of = [](double cycles) { return 1 - 5 + std::sqrt(25 + 2 * cycles); };
  EXPECT_NEAR(At(chirp, time_of(0.25)), 3, 1e-9);
  EXPECT_NEAR(At(chirp, time_of(7.75)), -1, 1e-9);
  EXPECT_NEAR(At(chirp, time_of(30 + 1 / 12.0)), 2, 1e-9);
  // Behind the sweep, at 37.5 cycles, the frequency stays.
  EXPECT_NEAR(At(chirp, 6.025), -1, 1e-9);
  EXPECT_NEAR(At(chirp, 6.125), -1, 1e-9);
  EXPECT_NEAR(At(chirp, 9.075), 3, 1e-9);
  Probe shifted("Chirp(amplitude = 2 V, f_begin = 5 Hz, f_end = 10 Hz, duration = 5 s, phase = 30 deg)");
  EXPECT_NEAR(At(shifted, 0), 1, 1e-9);
  EXPECT_NEAR(At(shifted, time_of(7 + 1 / 6.0) - 1), 2, 1e-9);
}

TEST(SignalSources, TimeTableGoesThroughItsPoints) {
  Probe table("TimeTable(n = 4, t = [1, 2, 4, 5] s, values = [3, -1, -1, 7] N)");
  const double points[][2] = {{-5, 3}, {1, 3},   {1.25, 2}, {2, -1}, {3.3, -1},
                              {4, -1}, {4.5, 3}, {5, 7},    {60, 7}};
  for (const auto& [t, y] : points) EXPECT_NEAR(At(table, t), y, 1e-12) << t;
}

// Park & Miller, Random number generators: good ones are hard to find, CACM 31 (1988) 10, p. 1195: beginning
// with seed 1, z is 1043618065 after 10000 draws.
TEST(SignalSources, UniformNoiseIsTheMinimalStandard) {
  SampledRun noise("UniformNoise(low = 2, high = 6, period = 1 ms, seed = 1)", {"z"}, {1});
  EXPECT_NEAR(noise.Step(Values{}), 2 + 4 * 16807 / 2147483647.0, 1e-12);
  EXPECT_EQ(noise.state(0), 16807);
  double mean = 0, square = 0;
  for (int i = 1; i < 10000; ++i) {
    const double y = noise.Step(Values{}) - 4;
    mean += y / 10000;
    square += y * y / 10000;
    ASSERT_LE(std::abs(y), 2);
  }
  EXPECT_EQ(noise.state(0), 1043618065);
  EXPECT_NEAR(mean, 0, 0.05);
  EXPECT_NEAR(square, 16 / 12.0, 0.05);  // width^2/12
}

// Knuth, The Art of Computer Programming 2, 3rd ed., §3.4.1 C: of two normal deviates from one pair u1, u2
// this is r*cos(2*pi*u2) with exp(-r^2/2) = u1.
TEST(SignalSources, NormalNoiseIsNormal) {
  SampledRun noise("NormalNoise(sigma = 3, mean = 10, period = 1 ms, seed = 12345)", {"z1", "z2"},
                   {0, 12345});
  const double m = 2147483647;
  double mean = 0, square = 0, fourth = 0, inside = 0;
  const int count = 4000;
  for (int i = 0; i < count; ++i) {
    const double before = noise.state(1);
    const double y = (noise.Step(Values{}) - 10) / 3;
    EXPECT_EQ(noise.state(0), std::fmod(16807 * before, m));
    EXPECT_EQ(noise.state(1), std::fmod(16807 * noise.state(0), m));
    if (i < 5) {
      const double r = y / std::cos(2 * kPi * noise.state(1) / m);
      EXPECT_NEAR(std::exp(-r * r / 2), noise.state(0) / m, 1e-9);
    }
    mean += y / count;
    square += y * y / count;
    fourth += y * y * y * y / count;
    inside += std::abs(y) < 1 ? 1.0 / count : 0;
  }
  EXPECT_NEAR(mean, 0, 0.05);
  EXPECT_NEAR(square, 1, 0.07);
  EXPECT_NEAR(fourth, 3, 0.5);
  EXPECT_NEAR(inside, 0.6827, 0.03);
}

TEST(SignalSources, BooleanSources) {
  Probe constant("BooleanConstant(k = true)"), off("BooleanConstant(k = false)");
  EXPECT_EQ(At(constant, 3), 1);
  EXPECT_EQ(At(off, 3), 0);
  Probe step("BooleanStep(start = 2 s)"), down("BooleanStep(start = 2 s, initially = true)");
  for (const double t : {0.0, 1.99, 2.0, 5.0}) {
    EXPECT_EQ(At(step, t), t < 2 ? 0 : 1);
    EXPECT_EQ(At(down, t), t < 2 ? 1 : 0);
  }
  Probe pulse("BooleanPulse(period = 4 s, width = 1 s, delay = 2 s)"), half("BooleanPulse(period = 4 s)");
  const double on[][2] = {{0.5, 0}, {2.5, 1}, {3.5, 0}, {6.5, 1}, {7.5, 0}};
  for (const auto& [t, y] : on) EXPECT_EQ(At(pulse, t), y) << t;
  EXPECT_EQ(At(half, 1.9), 1);
  EXPECT_EQ(At(half, 2.1), 0);
}

}  // namespace
}  // namespace cotree::test
