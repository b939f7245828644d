// SPDX-License-Identifier: Apache-2.0
// Signal blocks in a run: sources against their formulas, dynamics against their step responses.
#include <utility>

#include "library/dynamic_curves.h"

namespace cotree::test {
namespace {

constexpr double kClose = 1e-6;  // of the largest value

/** A block in a run: how it is written, and its output. */
struct Case {
  std::string block;
  Curve expected;
};

/// The block named x, with `around` that feeds it; its output is compared behind every jump and before.
void ExpectOutput(const Case& c, double stop, const std::string& around = "",
                  const std::string& name = "x.y") {
  const auto run = RunBody(c.block + "\n" + around, stop);
  EXPECT_LT(JumpError(run, name, c.expected), kClose) << c.block;
}

double Between(double low, double x, double high) {
  return std::max(low, std::min(x, high));
}
// Positive remainder.
double Mod(double x, double y) {
  return x - y * std::floor(x / y);
}

// --- Sources -----------------------------------------------------------------------------------------------

// By hand: from the description of each. Jumps lie off the rows, which are 3 ms apart.
TEST(DynamicSignal, Sources) {
  const Case cases[] = {
      {"x : Constant(k = 3 V)", [](double) { return 3; }},
      {"x : Step(height = 2 V, start = 0.5 s, offset = 1 V)", [](double t) { return t < 0.5 ? 1 : 3; }},
      {"x : Ramp(slope = 2 V/s, start = 0.25 s, offset = 1 V)",
       [](double t) { return 1 + 2 * std::max(0.0, t - 0.25); }},
      {"x : Ramp(slope = 2 V/s, start = 0.25 s, duration = 0.5 s, offset = 1 V)",
       [](double t) { return 1 + 2 * Between(0, t - 0.25, 0.5); }},
      {"x : Sine(amplitude = 2 V, frequency = 3 Hz, phase = 30 deg, offset = 1 V)",
       [](double t) { return 1 + 2 * std::sin(6 * kPi * t + kPi / 6); }},
      {"x : Trapezoid(low = 1 V, high = 3 V, period = 0.5 s, rising = 0.1 s, width = 0.1 s, falling = 0.2 s, "
       "delay = 0.2 s)",
       [](double t) {
         const double p = Mod(t - 0.2, 0.5);
         return t < 0.2 ? 1 : 1 + 2 * Between(0, std::min(p / 0.1, (0.4 - p) / 0.2), 1);
       }},
      {"x : SawTooth(low = 1 V, high = 3 V, period = 0.4 s, delay = 0.25 s)",
       [](double t) { return t < 0.25 ? 1 : 1 + 2 * Mod(t - 0.25, 0.4) / 0.4; }},
      {"x : Exponential(height = 2 V, T_rise = 0.2 s, T_fall = 0.1 s, start = 0.25 s, duration = 0.5 s, "
       "offset = 1 V)",
       [](double t) {
         const double up = 1 - std::exp(-Between(0, t - 0.25, 0.5) / 0.2);
         return 1 + 2 * up * std::exp(-std::max(0.0, t - 0.75) / 0.1);
       }},
      {"x : DampedSine(amplitude = 2 V, frequency = 3 Hz, T = 0.2 s, phase = 30 deg, start = 0.25 s, offset "
       "= 1 V)",
       [](double t) {
         const double s = t - 0.25;
         return s < 0 ? 1 : 1 + 2 * std::exp(-s / 0.2) * std::sin(6 * kPi * s + kPi / 6);
       }},
      {"x : Chirp(amplitude = 2 V, f_begin = 1 Hz, f_end = 5 Hz, duration = 0.8 s, start = 0.25 s, phase = "
       "30 deg, offset = 1 V)",
       [](double t) {  // the integral of the frequency, 1 + 5*s up to s = 0.8
         const double s = std::max(0.0, t - 0.25), r = std::min(s, 0.8);
         return 1 + 2 * std::sin(2 * kPi * (r + 2.5 * r * r + 5 * (s - r)) + kPi / 6);
       }},
      {"x : TimeTable(n = 4, t = [0.25 s, 0.5 s, 0.75 s, 1.25 s], values = [1 V, 3 V, 2 V, -4 V])",
       [](double t) {
         return 1 + 2 * Between(0, (t - 0.25) / 0.25, 1) - Between(0, (t - 0.5) / 0.25, 1) -
                6 * Between(0, (t - 0.75) / 0.5, 1);
       }},
      {"x : BooleanConstant(k = true)", [](double) { return 1; }},
      {"x : BooleanStep(start = 0.5 s)", [](double t) { return t < 0.5 ? 0 : 1; }},
      {"x : BooleanStep(start = 0.5 s, initially = true)", [](double t) { return t < 0.5 ? 1 : 0; }},
  };
  for (const Case& c : cases) ExpectOutput(c, 1.5);
}

// By hand: as the other sources. Rectangles end within a period, where a comparison with mod(time, ...)
// switches.
TEST(DynamicSignal, PulseSources) {
  const Case cases[] = {
      {"x : Pulse(low = 1 V, high = 3 V, period = 0.4 s, width = 0.1 s, delay = 0.25 s)",
       [](double t) { return t >= 0.25 && Mod(t - 0.25, 0.4) < 0.1 ? 3 : 1; }},
      {"x : Pulse(high = 3 V, period = 0.4 s)", [](double t) { return Mod(t, 0.4) < 0.2 ? 3 : 0; }},
      {"x : BooleanPulse(period = 0.4 s, width = 0.1 s, delay = 0.25 s)",
       [](double t) { return t >= 0.25 && Mod(t - 0.25, 0.4) < 0.1 ? 1 : 0; }},
  };
  for (const Case& c : cases) ExpectOutput(c, 1.5);
}

// By hand: the integral of the rectangular signal is exact only if every edge is met.
TEST(DynamicSignal, PulsesAreMetExactly) {
  const auto run = RunBody(R"(
    pulse : Pulse(high = 3 V, period = 0.1 s, width = 0.03 s)
    sum   : Integrator
    connect pulse.y -> sum.u)",
                           1);
  EXPECT_LT(run.Error("sum.y",
                      [](double t) {
                        return 3 * (0.03 * std::floor(t / 0.1 + 1e-9) +
                                    std::min(0.03, std::max(0.0, Mod(t + 1e-10, 0.1))));
                      }),
            kClose);
}

// --- Arithmetic --------------------------------------------------------------------------------------------

// u1 = 2*sin(w*t), u2 = 3*cos(w*t), w = 2*pi; by hand.
TEST(DynamicSignal, BlocksOfTwo) {
  const std::string around = R"(
    s1 : Sine(amplitude = 2, frequency = 1 Hz)
    s2 : Sine(amplitude = 3, frequency = 1 Hz, phase = 90 deg)
    connect s1.y -> x.u1
    connect s2.y -> x.u2)";
  const auto a = [](double t) { return 2 * std::sin(2 * kPi * t); };
  const auto b = [](double t) { return 3 * std::cos(2 * kPi * t); };
  const Case cases[] = {
      {"x : Add(k1 = 2, k2 = -0.5)", [&](double t) { return 2 * a(t) - 0.5 * b(t); }},
      {"x : Feedback", [&](double t) { return a(t) - b(t); }},
      {"x : Product", [&](double t) { return 3 * std::sin(4 * kPi * t); }},
      {"x : Division(smallest = 0.5)",
       [&](double t) { return a(t) / (b(t) >= 0 ? std::max(b(t), 0.5) : std::min(b(t), -0.5)); }},
      {"x : Min", [&](double t) { return std::min(a(t), b(t)); }},
      {"x : Max", [&](double t) { return std::max(a(t), b(t)); }},
      {"x : Atan2", [&](double t) { return std::atan2(a(t), b(t)); }},
      {"x : GreaterThan", [&](double t) { return a(t) > b(t) ? 1 : 0; }},
      {"x : LessThan", [&](double t) { return a(t) < b(t) ? 1 : 0; }},
      {"x : Lookup2D(n1 = 2, n2 = 3, x1 = [-1, 1], x2 = [-2, 0, 2], values = [[0, 1, 4], [2, 5, 3]])",
       [&](double t) {
         const double p = Between(0, (a(t) + 1) / 2, 1);
         const double l = Between(0, (b(t) + 2) / 2, 1), r = Between(0, b(t) / 2, 1);
         return (1 - p) * (l + 3 * r) + p * (2 + 3 * l - 2 * r);
       }},
  };
  for (const Case& c : cases) ExpectOutput(c, 1.1131, around);
}

// u = 2*sin(w*t), w = 2*pi; by hand.
TEST(DynamicSignal, BlocksOfOne) {
  const std::string around = "s : Sine(amplitude = 2, frequency = 1 Hz)\n connect s.y -> x.u\n";
  const auto u = [](double t) { return 2 * std::sin(2 * kPi * t); };
  const Case cases[] = {
      {"x : Gain(k = -3)", [&](double t) { return -3 * u(t); }},
      {"x : Abs", [&](double t) { return std::fabs(u(t)); }},
      {"x : Sign", [&](double t) { return t <= 0     ? 0
                                          : u(t) > 0 ? 1
                                                     : -1; }},
      {"x : Sin", [&](double t) { return std::sin(u(t)); }},
      {"x : Cos", [&](double t) { return std::cos(u(t)); }},
      {"x : ToDegrees", [&](double t) { return u(t) * 180 / kPi; }},
      {"x : FromDegrees", [&](double t) { return u(t) * kPi / 180; }},
      {"x : FromRpm", [&](double t) { return u(t) * kPi / 30; }},
      {"x : FromCelsius", [&](double t) { return u(t) + 273.15; }},
      {"x : Limiter(upper = 1.5, lower = -0.5)", [&](double t) { return Between(-0.5, u(t), 1.5); }},
      {"x : DeadZone(upper = 1.5, lower = -0.5)",
       [&](double t) { return std::max(0.0, u(t) - 1.5) + std::min(0.0, u(t) + 0.5); }},
      {"x : Quantiser(step = 0.3)", [&](double t) { return 0.3 * std::floor(u(t) / 0.3 + 0.5); }},
      {"x : Lookup1D(n = 3, x = [-1, 0.5, 1], values = [3, 0, 2])",
       [&](double t) {
         return 3 - 3 * Between(0, (u(t) + 1) / 1.5, 1) + 2 * Between(0, (u(t) - 0.5) / 0.5, 1);
       }},
      {"x : Lookup1D(n = 3, x = [-1, 0.5, 1], values = [3, 0, 2], continues = true)",
       [&](double t) { return u(t) < 0.5 ? 1 - 2 * u(t) : 4 * (u(t) - 0.5); }},
      {"x : AboveThreshold(threshold = 1)", [&](double t) { return u(t) > 1 ? 1 : 0; }},
      {"x : BelowThreshold(threshold = 1)", [&](double t) { return u(t) < 1 ? 1 : 0; }},
  };
  for (const Case& c : cases) ExpectOutput(c, 1.1131, around);
}

// By hand: what has an input of its own kind.
TEST(DynamicSignal, OtherBlocks) {
  ExpectOutput({"x : ToRpm", [](double t) { return 300 * t / kPi; }}, 1,
               "r : Ramp(slope = 10 rad/s^2)\n connect r.y -> x.u");
  ExpectOutput({"x : ToCelsius", [](double t) { return 10 * t - 73.15; }}, 1,
               "r : Ramp(slope = 10 K/s, offset = 200 K)\n connect r.y -> x.u");
  ExpectOutput({"x : Sqrt", [](double t) { return std::sqrt(1 + 10 * t); }}, 1,
               "r : Ramp(slope = 10 V^2/s, offset = 1 V^2)\n connect r.y -> x.u");
  ExpectOutput({"x : Sum(n = 3, k = [1, -2, 3])", [](double t) { return 8 * t; }}, 1,
               "r : Ramp(slope = 4 V/s)\n connect r.y -> x.u[1], x.u[2], x.u[3]");
  ExpectOutput(
      {"x : VariableLimiter", [](double t) { return Between(-t, 2 * std::sin(2 * kPi * t), 2 * t); }}, 1.1131,
      "s : Sine(amplitude = 2, frequency = 1 Hz)\n r : Ramp(slope = 2 1/s)\n g : Gain(k = -0.5)\n"
      "connect s.y -> x.u\n connect r.y -> x.upper, g.u\n connect g.y -> x.lower");
  ExpectOutput(
      {"x : LogicSwitch", [](double t) { return t < 0.5 ? t : 3; }}, 1,
      "c : BooleanStep(start = 0.5 s, initially = true)\n r : Ramp(slope = 1 1/s)\n k : Constant(k = 3)\n"
      "connect c.y -> x.choose\n connect r.y -> x.u1\n connect k.y -> x.u2");
  ExpectOutput({"x : BooleanToReal(high = 3 V, low = -1 V)", [](double t) { return t < 0.5 ? -1 : 3; }}, 1,
               "c : BooleanStep(start = 0.5 s)\n connect c.y -> x.u");
  const auto run = RunBody("r : Ramp(slope = 1 1/s)\n x : Terminator\n connect r.y -> x.u", 1);
  EXPECT_LT(run.Error("x.u", [](double t) { return t; }), kClose);
}

// By hand: y = K*u.
TEST(DynamicSignal, MatrixGain) {
  const auto run = RunBody(R"(
    r : Ramp(slope = 1 V/s)
    s : Sine(amplitude = 2 V, frequency = 1 Hz)
    x : MatrixGain(m = 2, p = 3, K = [[1, 2], [3, -4], [0, 5]])
    connect r.y -> x.u[1]
    connect s.y -> x.u[2])",
                           1);
  const auto s = [](double t) { return 2 * std::sin(2 * kPi * t); };
  EXPECT_LT(run.Error("x.y[1]", [&](double t) { return t + 2 * s(t); }), kClose);
  EXPECT_LT(run.Error("x.y[2]", [&](double t) { return 3 * t - 4 * s(t); }), kClose);
  EXPECT_LT(run.Error("x.y[3]", [&](double t) { return 5 * s(t); }), kClose);
}

// By hand: two steps, up and up or up and down, pass through all four combinations.
TEST(DynamicSignal, Logic) {
  for (const bool down : {false, true}) {
    const std::string around = std::string("a : BooleanStep(start = 0.25 s)\n") +
                               "b : BooleanStep(start = 0.5 s, initially = " + (down ? "true" : "false") +
                               ")\n connect a.y -> x.u1\n connect b.y -> x.u2";
    const auto a = [](double t) { return t >= 0.25; };
    const auto b = [&](double t) { return (t >= 0.5) != down; };
    const Case cases[] = {
        {"x : And", [&](double t) { return a(t) && b(t) ? 1 : 0; }},
        {"x : Or", [&](double t) { return a(t) || b(t) ? 1 : 0; }},
        {"x : Xor", [&](double t) { return a(t) != b(t) ? 1 : 0; }},
        {"x : NAnd", [&](double t) { return a(t) && b(t) ? 0 : 1; }},
        {"x : NOr", [&](double t) { return a(t) || b(t) ? 0 : 1; }},
    };
    for (const Case& c : cases) ExpectOutput(c, 1, around);
  }
  ExpectOutput({"x : Not", [](double t) { return t < 0.5 ? 1 : 0; }}, 1,
               "a : BooleanStep(start = 0.5 s)\n connect a.y -> x.u");
}

// --- Dynamics ----------------------------------------------------------------------------------------------

// Step of 2 at time 0. Franklin, Powell & Emami-Naeini, Feedback Control of Dynamic Systems, 7th ed., table
// A.2 (Laplace transforms) for all; Butterworth: its poles lie on a circle, Zverev, Handbook
// of Filter Synthesis; Pade: (1 - T*s/2)/(1 + T*s/2).
TEST(DynamicSignal, StepResponses) {
  const std::string around = "s : Step(height = 2)\n connect s.y -> x.u";
  const double w3 = std::sqrt(3.0) / 2;
  const Case cases[] = {
      {"x : Integrator(k = 3)", [](double t) { return 6 * t; }},
      {"x : Derivative(k = 3, Tf = 0.2 s)", [](double t) { return 30 * std::exp(-5 * t); }},
      {"x : FirstOrder(k = 3, T = 0.2 s)", [](double t) { return 6 * (1 - std::exp(-5 * t)); }},
      {"x : SecondOrder(k = 3, w0 = 10 rad/s, D = 0.3)",
       [](double t) { return 6 * StepOfSecondOrder(10, 0.3, t); }},
      {"x : SecondOrder(k = 3, w0 = 10 rad/s)",
       [](double t) { return 6 * (1 - (1 + 10 * t) * std::exp(-10 * t)); }},
      {"x : LeadLag(k = 3, T1 = 0.5 s, T2 = 0.2 s)",
       [](double t) { return 6 * (1 + 1.5 * std::exp(-5 * t)); }},
      // u - 2*D*(1 - depth)*band; the band-pass w0*s/(s^2 + ...) answers a step by w0/wd*exp(-a*t)*sin(wd*t).
      {"x : Notch(w0 = 10 rad/s, D = 0.3, depth = 0.25)",
       [](double t) {
         const double wd = 10 * std::sqrt(0.91);
         return 2 * (1 - 0.45 * 10 / wd * std::exp(-3 * t) * std::sin(wd * t));
       }},
      {"x : Butterworth(n = 2, w0 = 10 rad/s)",
       [](double t) { return 2 * StepOfSecondOrder(10, std::sqrt(0.5), t); }},
      {"x : Butterworth(n = 3, w0 = 10 rad/s)",
       [&](double t) {
         const double s = 10 * t;
         return 2 * (1 - std::exp(-s) - std::exp(-s / 2) * std::sin(w3 * s) / w3);
       }},
      // (s + 2)/((s + 1)*(s + 4)) = (1/3)/(s + 1) + (2/3)/(s + 4)
      {"x : TransferFunction(n = 2, num = [0, 1, 2], den = [1, 5, 4], k = 3)",
       [](double t) { return 6 * (0.5 - std::exp(-t) / 3 - std::exp(-4 * t) / 6); }},
      // (2*s + 3)/(2*s + 1) = 1 + 2/(2*s + 1)
      {"x : TransferFunction(n = 1, num = [2, 3], den = [2, 1])",
       [](double t) { return 2 * (1 + 2 * (1 - std::exp(-t / 2))); }},
      {"x : PadeDelay(T = 0.4 s, n = 1)", [](double t) { return 2 * (1 - 2 * std::exp(-5 * t)); }},
      // n = 2: (1 - h + h^2/3)/(1 + h + h^2/3), h = s*T/2: 1 - 6*h/(h^2 + 3*h + 3); step: -6*sin/.. in
      // t/(T/2).
      {"x : PadeDelay(T = 0.4 s, n = 2)",
       [&](double t) { return 2 * (1 - 6 / w3 * std::exp(-7.5 * t) * std::sin(w3 * 5 * t)); }},
      // Rises with 4 up to where (u - y)/T is less, then exponentially.
      {"x : RateLimiter(rising = 4 1/s, T = 50 ms)",
       [](double t) { return t < 0.45 ? 4 * t : 2 - 0.2 * std::exp(-(t - 0.45) / 0.05); }},
      {"x : BacklashSignal(width = 1, T = 0.2 s)", [](double t) { return 1.5 * (1 - std::exp(-5 * t)); }},
      {"x : LimitedIntegrator(k = 3, upper = 4 s)", [](double t) { return std::min(6 * t, 4.0); }},
      {"x : LimitedIntegrator(k = -3, upper = 4 s, lower = -3 s)",
       [](double t) { return std::max(-6 * t, -3.0); }},
  };
  for (const Case& c : cases) ExpectOutput(c, 1, around);
}

// By hand: y follows with constant slope, trailing by width/2 + T*slope; with the rate limit as slope.
TEST(DynamicSignal, BacklashAndRateLimiterOnRamps) {
  const std::string around = "s : Ramp(slope = -2 1/s)\n connect s.y -> x.u";
  const auto tail = [](double t, double T) { return t - T * (1 - std::exp(-t / T)); };
  ExpectOutput({"x : BacklashSignal(width = 1, T = 0.1 s)",
                [&](double t) { return t < 0.25 ? 0 : -2 * tail(t - 0.25, 0.1); }},
               1, around);
  ExpectOutput({"x : RateLimiter(rising = 1 1/s, falling = -3 1/s, T = 0.1 s)",
                [&](double t) { return -2 * tail(t, 0.1); }},
               1, around);
  // It falls ever faster, until at T*log(2) it would fall faster than 1 1/s.
  ExpectOutput({"x : RateLimiter(rising = 5 1/s, falling = -1 1/s, T = 0.1 s)",
                [&](double t) {
                  const double limited = 0.1 * std::log(2.0);
                  return t < limited ? -2 * tail(t, 0.1) : -2 * tail(limited, 0.1) - (t - limited);
                }},
               1, around);
}

// By hand: two undamped states turn; A = [[0, 1], [-4, 0]], u into the second: x1 = (1 - cos(2*t))/4*u.
TEST(DynamicSignal, StateSpace) {
  const auto run = RunBody(R"(
    s : Step(height = 2 V)
    x : StateSpace(n = 2, m = 1, p = 2, A = [[0, 1], [-4, 0]], B = [[0], [1]], C = [[4, 0], [0, 2]],
                   D = [[0], [0.5]], k = 3 A/V)
    connect s.y -> x.u[1])",
                           3);
  EXPECT_LT(run.Error("x.y[1]", [](double t) { return 6 * (1 - std::cos(2 * t)); }), kClose);
  EXPECT_LT(run.Error("x.y[2]", [](double t) { return 3 * (2 * std::sin(2 * t) + 1); }), kClose);
}

// Golub & Van Loan, Matrix Computations, 4th ed., ch. 9: the error of the diagonal Pade approximant is about
// (n!)^2/((2*n)!*(2*n + 1)!)*(w*T)^(2*n + 1): 3e-9 for n = 3 and w*T = 0.1*pi, when the transient is gone.
TEST(DynamicSignal, PadeDelayOfASine) {
  const auto run = RunBody(R"(
    s : Sine(amplitude = 2, frequency = 1 Hz)
    x : PadeDelay(T = 50 ms)
    connect s.y -> x.u)",
                           3);
  for (size_t k = 250; k < run.times().size(); ++k)
    EXPECT_NEAR(run["x.y"][k], 2 * std::sin(2 * kPi * (run.times()[k] - 0.05)), 1e-6);
}

// By hand: u(t - T), before that u(0).
TEST(DynamicSignal, TransportDelay) {
  RunOf run(
      "system S {\n s : Sine(amplitude = 2, frequency = 1 Hz, phase = 30 deg)\n x : TransportDelay(T = 0.3 "
      "s)\n"
      "connect s.y -> x.u\n}");
  run.Simulate(1.5);
  EXPECT_LT(
      run.Error("x.y", [](double t) { return 2 * std::sin(2 * kPi * std::max(0.0, t - 0.3) + kPi / 6); }),
      kClose);
}

// By hand: the mean of 2*sin(w*t) since t0 is 2*(cos(w*t0) - cos(w*t))/(w*(t - t0)).
TEST(DynamicSignal, RunningMean) {
  const std::string around = "s : Sine(amplitude = 2, frequency = 1 Hz)\n connect s.y -> x.u";
  for (const double start : {0.0, 0.25}) {
    const auto run = RunBody("x : RunningMean(start = " + std::to_string(start) + " s)\n" + around, 1.5);
    EXPECT_LT(run.Error("x.y",
                        [&](double t) {
                          constexpr double w = 2 * kPi;
                          if (t <= start) return 2 * std::sin(w * t);
                          return 2 * (std::cos(w * start) - std::cos(w * t)) / (w * (t - start));
                        }),
              kClose)
        << start;
  }
}

// --- Controllers -------------------------------------------------------------------------------------------

// By hand: an error of 2 V from the beginning on.
TEST(DynamicSignal, ControllersInOpenLoop) {
  const std::string around = R"(
    t : Constant(k = 5 V)
    m : Constant(k = 3 V)
    connect t.y -> x.target
    connect m.y -> x.measured)";
  const Case cases[] = {
      {"x : PI(kp = 4 A/V)", [](double) { return 8; }},
      {"x : PI(kp = 4 A/V, ki = 3 A/(V*s))", [](double t) { return 8 + 6 * t; }},
      {"x : PI(kp = 4 A/V, ki = 3 A/(V*s), limit = 10 A)",
       [](double t) { return std::min(8 + 6 * t, 10.0); }},
      {"x : PID(kp = 4 A/V, ki = 3 A/(V*s), kd = 0.5 A*s/V, Tf = 0.1 s)",
       [](double t) { return 8 + 6 * t + 10 * std::exp(-10 * t); }},
      {"x : PID(kp = 4 A/V, ki = 3 A/(V*s), kd = 0.5 A*s/V, Tf = 0.1 s, b = 0.5, c = 0)",
       [](double t) { return -2 + 6 * t - 15 * std::exp(-10 * t); }},
      {"x : PID(kp = 4 A/V, ki = 3 A/(V*s), limit = 10 A)",
       [](double t) { return std::min(8 + 6 * t, 10.0); }},
  };
  for (const Case& c : cases) ExpectOutput(c, 1, around);
  const std::string opposite = R"(
    t : Constant(k = 3 V)
    m : Constant(k = 5 V)
    connect t.y -> x.target
    connect m.y -> x.measured)";
  for (const char* block : {"x : PI(kp = 4 A/V, ki = 3 A/(V*s), limit = 10 A)",
                            "x : PID(kp = 4 A/V, ki = 3 A/(V*s), limit = 10 A)"})
    ExpectOutput({block, [](double t) { return std::max(-8 - 6 * t, -10.0); }}, 1, opposite);
  // Astrom & Hagglund, Advanced PID Control, §3.5: at the limit the integral goes to limit - kp*e + Tt*ki*e
  // with Tt.
  const Curve integral = [](double t) {
    const double s = t - 1.0 / 3;
    return s < 0 ? 6 * t : 2 + 0.6 * (1 - std::exp(-10 * s));
  };
  ExpectOutput({"x : PI(kp = 4 A/V, ki = 3 A/(V*s), limit = 10 A)", integral}, 1, around, "x.integral");
  ExpectOutput({"x : PID(kp = 4 A/V, ki = 3 A/(V*s), limit = 10 A)", integral}, 1, around, "x.integral");
}

// By hand: on 1/(T*s + 1), kp = 2*D*w0*T - 1 and ki = w0^2*T give the poles of w0, D; with T = 1 s, w0 = 5, D
// = 0.6: kp = 5, ki = 25. y = step of (kp*s + ki)/(s^2 + 6*s + 25).
TEST(DynamicSignal, PIInClosedLoop) {
  const auto run = RunBody(R"(
    target     : Step(height = 2)
    controller : PI(kp = 5, ki = 25 1/s)
    plant      : FirstOrder(k = 1, T = 1 s)
    connect target.y -> controller.target
    connect controller.y -> plant.u
    connect plant.y -> controller.measured)",
                           3);
  EXPECT_LT(run.Error("plant.y",
                      [](double t) {
                        return 2 *
                               (StepOfSecondOrder(5, 0.6, t) + 5.0 / 4 * std::exp(-3 * t) * std::sin(4 * t));
                      }),
            kClose);
}

// By hand: the plant (Tf*s + 1)/(s*(s + 1)) cancels the filter of the derivative part, which sees the
// measurement alone: y*(s^2 + s) = (Tf*s + 1)*kp*(r - y) - kd*s*y, so y = kp*(Tf*s + 1)/(s^2 + 6*s + 25)*r:
// w0 = 5, D = 0.6.
TEST(DynamicSignal, PIDInClosedLoop) {
  const auto run = RunBody(R"(
    target     : Step(height = 2)
    controller : PID(kp = 25, kd = 2.5 s, Tf = 0.1 s, c = 0)
    plant      : TransferFunction(n = 2, num = [0, 0.1, 1], den = [1, 1, 0])
    connect target.y -> controller.target
    connect controller.y -> plant.u
    connect plant.y -> controller.measured)",
                           3);
  EXPECT_LT(run.Error("plant.y",
                      [](double t) {
                        return 2 *
                               (StepOfSecondOrder(5, 0.6, t) + 2.5 / 4 * std::exp(-3 * t) * std::sin(4 * t));
                      }),
            kClose);
}

}  // namespace
}  // namespace cotree::test
