// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "library/signal_bench.h"

namespace cotree::test {
namespace {

using Complex = std::complex<double>;
constexpr Complex kI(0, 1);

TEST(SignalDynamics, Integrator) {
  Probe integrator("Integrator(k = 3)");
  EXPECT_DOUBLE_EQ(Output(integrator, {{"u", -2}, {"y", 5}}, "der(y)"), -6);
  ExpectNear(Response(integrator, {"y"}, "u", "y", 2.0 * kI), {0, -1.5}, 1e-12);
}

// At a limit it only leaves inwards (conditional integration: Astrom & Hagglund, Advanced PID Control, §3.5).
TEST(SignalDynamics, LimitedIntegrator) {
  Probe integrator("LimitedIntegrator(k = -2, upper = 5 V*s, lower = -1 V*s)");
  const double cases[][3] = {{3, 2, -6}, {3, 5, -6},  {-3, 5, 0}, {-3, 5.001, 0},
                             {3, -1, 0}, {-3, -1, 6}, {-3, 2, 6}};
  for (const auto& [u, y, rate] : cases)
    EXPECT_DOUBLE_EQ(Output(integrator, {{"u", u}, {"y", y}}, "der(y)"), rate) << u << " " << y;
}

TEST(SignalDynamics, ResettableIntegrator) {
  Probe integrator("ResettableIntegrator(k = 2, value = 1.5 V*s)");
  EXPECT_DOUBLE_EQ(Output(integrator, {{"u", 3}, {"y", 7}, {"reset", 0}}, "der(y)"), 6);
  EXPECT_FALSE(integrator.WhenHolds(0));
  integrator.Set("reset", 1);
  EXPECT_TRUE(integrator.WhenHolds(0));
  EXPECT_DOUBLE_EQ(integrator.WhenValue(0, "y"), 1.5);
}

// Franklin, Powell & Emami-Naeini, Feedback Control of Dynamic Systems, 7th ed., §6.1: at its corner a
// first-order low-pass has lost 3 dB and lags by 45 degrees; ten times above, 20 dB and 84.3 degrees.
TEST(SignalDynamics, FirstOrder) {
  Probe low_pass("FirstOrder(k = 4 V/A, T = 0.5 s)");
  EXPECT_NEAR(Output(low_pass, {{"u", 3}, {"y", 12}}, "der(y)"), 0, 1e-12);
  const Complex corner = Response(low_pass, {"y"}, "u", "y", 2.0 * kI);
  EXPECT_NEAR(std::abs(corner), 4 / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(std::arg(corner), -kPi / 4, 1e-12);
  const Complex above = Response(low_pass, {"y"}, "u", "y", 20.0 * kI);
  EXPECT_NEAR(20 * std::log10(std::abs(above) / 4), -20.043, 1e-3);
  EXPECT_NEAR(std::arg(above) * 180 / kPi, -84.289, 1e-3);
}

// Ibid. §6.1.1: gain k/(2*D) and -90 degrees at w0; for D < 1/sqrt(2) the peak is k/(2*D*sqrt(1 - D^2)) at
// w0*sqrt(1 - 2*D^2).
TEST(SignalDynamics, SecondOrder) {
  Probe low_pass("SecondOrder(k = 3 V/A, w0 = 10 rad/s, D = 0.2)");
  const auto response = [&](double w) { return Response(low_pass, {"y", "rate"}, "u", "y", w * kI); };
  EXPECT_NEAR(std::abs(response(10)), 3 / 0.4, 1e-9);
  EXPECT_NEAR(std::arg(response(10)), -kPi / 2, 1e-9);
  const double peak = 10 * std::sqrt(1 - 2 * 0.04);
  EXPECT_NEAR(std::abs(response(peak)), 3 / (0.4 * std::sqrt(0.96)), 1e-9);
  EXPECT_LT(std::abs(response(peak * 1.01)), std::abs(response(peak)));
  EXPECT_LT(std::abs(response(peak * 0.99)), std::abs(response(peak)));
  EXPECT_NEAR(response(1e-6).real(), 3, 1e-9);
  Probe critical("SecondOrder(k = 1, w0 = 10 rad/s)");  // two equal real poles
  ExpectNear(Response(critical, {"y", "rate"}, "u", "y", 4.0 * kI),
             1.0 / ((1.0 + 0.4 * kI) * (1.0 + 0.4 * kI)), 1e-12);
}

// s/(Tf*s + 1) = (1 - 1/(Tf*s + 1))/Tf; a ramp gives its slope.
TEST(SignalDynamics, Derivative) {
  Probe derivative("Derivative(k = 2, Tf = 0.1 s)");
  for (const double w : {0.1, 10.0, 300.0}) {
    const Complex s = w * kI;
    ExpectNear(Response(derivative, {"filtered"}, "u", "y", s), 2.0 * (1.0 - 1.0 / (0.1 * s + 1.0)) / 0.1,
               1e-9);
  }
  // On a ramp of slope 5 the filter trails by 5*Tf, and y is the slope times k.
  EXPECT_NEAR(Output(derivative, {{"u", 7}, {"filtered", 6.5}}), 10, 1e-12);
  EXPECT_NEAR(Output(derivative, {{"u", 7}, {"filtered", 6.5}}, "der(filtered)"), 5, 1e-12);
}

// Franklin et al., §6.7.1: the phase lead is largest at 1/sqrt(T1*T2), where sin(phase) = (T1 - T2)/(T1 +
// T2).
TEST(SignalDynamics, LeadLag) {
  Probe lead("LeadLag(k = 2 A/V, T1 = 0.4 s, T2 = 0.1 s)"), lag("LeadLag(k = 2 A/V, T1 = 0.1 s, T2 = 0.4 s)");
  const auto at = [](Probe& probe, double w) { return Response(probe, {"filtered"}, "u", "y", w * kI); };
  EXPECT_NEAR(std::sin(std::arg(at(lead, 5))), 0.6, 1e-12);
  EXPECT_NEAR(std::sin(std::arg(at(lag, 5))), -0.6, 1e-12);
  EXPECT_NEAR(std::abs(at(lead, 5)), 2 * 2, 1e-12);  // k*sqrt(T1/T2)
  EXPECT_NEAR(std::abs(at(lead, 1e-7)), 2, 1e-9);
  EXPECT_NEAR(std::abs(at(lead, 1e7)), 8, 1e-6);
}

// Zverev, Handbook of Filter Synthesis, ch. 2: the -3 dB points of a band-stop lie at w0*(sqrt(1 + D^2) -+
// D); their geometric mean is w0, their distance 2*D*w0.
TEST(SignalDynamics, Notch) {
  Probe notch("Notch(w0 = 50 rad/s, D = 0.3)"), shallow("Notch(w0 = 50 rad/s, D = 0.3, depth = 0.25)");
  const auto gain = [](Probe& probe, double w) {
    return std::abs(Response(probe, {"low", "band"}, "u", "y", w * kI));
  };
  EXPECT_NEAR(gain(notch, 50), 0, 1e-12);
  EXPECT_NEAR(gain(shallow, 50), 0.25, 1e-12);
  EXPECT_NEAR(gain(notch, 50 * (std::sqrt(1.09) - 0.3)), std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(gain(notch, 50 * (std::sqrt(1.09) + 0.3)), std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(gain(shallow, 1e-6), 1, 1e-9);
  EXPECT_NEAR(gain(shallow, 1e9), 1, 1e-6);
  // The parts inside are the low-pass and the band-pass of the same poles.
  const Complex s = 70.0 * kI, den = s * s + 30.0 * s + 2500.0;
  ExpectNear(Response(notch, {"low", "band"}, "u", "low", s), 2500.0 / den, 1e-12);
  ExpectNear(Response(notch, {"low", "band"}, "u", "band", s), 50.0 * s / den, 1e-12);
}

// Oppenheim & Schafer, Discrete-Time Signal Processing, 3rd ed., appendix B.1: 1/(1 + (w/wc)^(2n)); at wc the
// phase is -n*45 degrees; all poles lie on the circle of radius wc.
TEST(SignalDynamics, Butterworth) {
  for (const int n : {2, 3, 4, 7}) {
    Probe filter("Butterworth(n = " + std::to_string(n) + ", w0 = 20 rad/s)");
    std::vector<std::string> states;
    for (int i = 1; i <= n; ++i) states.push_back("x[" + std::to_string(i) + "]");
    for (const double w : {0.0, 5.0, 18.0, 20.0, 33.0, 100.0}) {
      const Complex h = Response(filter, states, "u", "y", w * kI);
      EXPECT_NEAR(std::norm(h) * (1 + std::pow(w / 20, 2 * n)), 1, 1e-9) << n << " " << w;
    }
    const Complex corner = Response(filter, states, "u", "y", 20.0 * kI);
    EXPECT_NEAR(std::abs(corner / std::polar(std::sqrt(0.5), -n * kPi / 4) - 1.0), 0, 1e-9);
    // By its poles, as a product.
    Complex product = 1;
    const Complex s(3, 11);
    for (int k = 0; k < n; ++k) product *= 20.0 / (s - std::polar(20.0, kPi * (2 * k + n + 1) / (2 * n)));
    EXPECT_NEAR(std::abs(Response(filter, states, "u", "y", s) - product), 0, 1e-9);
  }
}

// Partial fractions: (s + 3)/((s + 1)*(s + 2)) = 2/(s + 1) - 1/(s + 2).
TEST(SignalDynamics, TransferFunction) {
  Probe f("TransferFunction(n = 2, num = [0, 1, 3], den = [1, 3, 2], k = 5 V/A)");
  for (const double w : {0.1, 1.0, 20.0}) {
    const Complex s = w * kI;
    ExpectNear(Response(f, {"z[1]", "z[2]"}, "u", "y", s), 5.0 * (2.0 / (s + 1.0) - 1.0 / (s + 2.0)), 1e-12);
  }
  // With direct feedthrough, and a leading coefficient other than 1: (2*s + 1)/(4*s + 1) = 1/2 + (1/2)/(4*s +
  // 1).
  Probe lag("TransferFunction(n = 1, num = [2, 1], den = [4, 1])");
  const Complex s = 0.3 * kI;
  ExpectNear(Response(lag, {"z[1]"}, "u", "y", s), 0.5 + 0.5 / (4.0 * s + 1.0), 1e-12);
}

// Two carts with springs (Franklin et al., §7.3), by their normal modes 1 and sqrt(3): the forces u1 = u2
// excite only the first, u1 = -u2 only the second.
TEST(SignalDynamics, StateSpace) {
  Probe carts(
      "StateSpace(n = 4, m = 2, p = 2,"
      " A = [[0, 1, 0, 0], [-2, 0, 1, 0], [0, 0, 0, 1], [1, 0, -2, 0]],"
      " B = [[0, 0], [1, 0], [0, 0], [0, 1]], C = [[1, 0, 0, 0], [0, 0, 1, 0]], k = 3 V/A)");
  const std::vector<std::string> x = {"x[1]", "x[2]", "x[3]", "x[4]"};
  const Complex s(0.2, 0.7);
  const Complex first = 3.0 / (s * s + 1.0), second = 3.0 / (s * s + 3.0);
  ExpectNear(Response(carts, x, "u[1]", "y[1]", s, {"u[2]"}), (first + second) / 2.0, 1e-12);
  ExpectNear(Response(carts, x, "u[1]", "y[2]", s, {"u[2]"}), (first - second) / 2.0, 1e-12);
  ExpectNear(Response(carts, x, "u[2]", "y[1]", s, {"u[1]"}), (first - second) / 2.0, 1e-12);
  ExpectNear(Response(carts, x, "u[2]", "y[2]", s, {"u[1]"}), (first + second) / 2.0, 1e-12);
  Probe direct("StateSpace(n = 1, A = [[-2]], B = [[4]], C = [[3]], D = [[7]])");
  ExpectNear(Response(direct, {"x[1]"}, "u[1]", "y[1]", s), 7.0 + 12.0 / (s + 2.0), 1e-12);
}

// Golub & Van Loan, Matrix Computations, 4th ed., §9.3.1: the diagonal approximants of exp; the first three
// written out.
TEST(SignalDynamics, PadeDelay) {
  const Complex s(0.3, 1.7), x = 2.0 * s;
  const auto response = [&](int n, Complex at) {
    Probe delay("PadeDelay(T = 2 s, n = " + std::to_string(n) + ")");
    std::vector<std::string> states;
    for (int i = 1; i <= n; ++i) states.push_back("z[" + std::to_string(i) + "]");
    return Response(delay, states, "u", "y", at);
  };
  ExpectNear(response(1, s), (2.0 - x) / (2.0 + x), 1e-12);
  ExpectNear(response(2, s), (12.0 - 6.0 * x + x * x) / (12.0 + 6.0 * x + x * x), 1e-12);
  const Complex even = 120.0 + 12.0 * x * x, odd = 60.0 * x + x * x * x;
  ExpectNear(response(3, s), (even - odd) / (even + odd), 1e-12);
  double last = 10;
  for (const int n : {1, 2, 3, 4, 6}) {
    for (const double w : {0.2, 1.0, 8.0})
      EXPECT_NEAR(std::abs(response(n, w * kI)), 1, 1e-9);  // an all-pass
    const double error = std::abs(response(n, 1.5 * kI) - std::exp(-3.0 * kI));
    EXPECT_LT(error, last / 4);
    last = error;
  }
  EXPECT_LT(last, 1e-6);
  // "Right up to about n/T": less than 2 degrees there.
  EXPECT_LT(std::abs(response(3, 1.5 * kI) - std::exp(-3.0 * kI)), 2 * kPi / 180);
}

TEST(SignalDynamics, TransportDelayPassesOnWhatWas) {
  Probe delay("TransportDelay(T = 2 s)");
  delay.Set("u", 100);
  delay.Set("delay(u)", 3.25);
  EXPECT_DOUBLE_EQ(delay["y"], 3.25);
}

}  // namespace
}  // namespace cotree::test
