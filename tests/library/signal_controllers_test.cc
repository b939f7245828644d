// SPDX-License-Identifier: Apache-2.0
// Astrom & Hagglund, Advanced PID Control (ISA 2006): §3.2 the form, §3.3 the filter of the derivative, §3.4
// set-point weights, §3.5 back-calculation. Astrom & Wittenmark, Computer-Controlled Systems, 3rd ed., §8.5:
// in a computer.
#include <algorithm>
#include <cmath>

#include "library/signal_bench.h"

namespace cotree::test {
namespace {

using Complex = std::complex<double>;
constexpr Complex kI(0, 1);

// In the series-like form K*(1 + 1/(s*Ti)): at w = 1/Ti the phase is -45 degrees and the gain K*sqrt(2).
TEST(SignalControllers, PI) {
  Probe pi("PI(kp = 4 V/rad, ki = 8 V/(rad*s))");  // Ti = 0.5 s
  const Complex corner = Response(pi, {"integral"}, "target", "y", 2.0 * kI, {"measured"});
  EXPECT_NEAR(std::abs(corner), 4 * std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(std::arg(corner), -kPi / 4, 1e-12);
  const Complex measured = Response(pi, {"integral"}, "measured", "y", 2.0 * kI, {"target"});
  EXPECT_NEAR(std::abs(measured + corner), 0, 1e-12);
  EXPECT_DOUBLE_EQ(Output(pi, {{"target", 100}, {"measured", 0}, {"integral", 50}}), 450);
}

// At the limit the integral part comes to rest where ki*e = (free - limit)/Tt, and from wherever it is it
// approaches that with time constant Tt (§3.5: the time constant of the reset).
TEST(SignalControllers, BackCalculation) {
  for (const std::string name : {"PI", "PID"}) {
    Probe controller(name + "(kp = 4 V/rad, ki = 8 V/(rad*s), limit = 10 V, Tt = 0.25 s)");
    const auto at = [&](double integral, const std::string& what) {
      Values values = {{"target", 3}, {"measured", 1}, {"integral", integral}};
      if (name == "PID") values.push_back({"filtered", 2});
      return Output(controller, values, what);
    };
    const double rest = 10 - 4 * 2 + 0.25 * 8 * 2;
    EXPECT_DOUBLE_EQ(at(rest, "y"), 10);
    EXPECT_NEAR(at(rest, "der(integral)"), 0, 1e-12);
    EXPECT_NEAR(at(rest + 1, "der(integral)"), -1 / 0.25, 1e-12);
    EXPECT_DOUBLE_EQ(at(-60, "y"), -10);
    EXPECT_NEAR(at(-60, "der(integral)"), 16 + (52 - 10) / 0.25, 1e-12);
    // Within the limits it is an integral part and nothing else.
    EXPECT_DOUBLE_EQ(at(1, "y"), 9);
    EXPECT_DOUBLE_EQ(at(1, "der(integral)"), 16);
  }
}

// kp + ki/s + kd*s/(1 + s*Tf), from the measured value with the opposite sign.
TEST(SignalControllers, PIDHasItsTransferFunction) {
  Probe pid("PID(kp = 4 V/rad, ki = 8 V/(rad*s), kd = 0.35 V*s/rad, Tf = 10 ms)");
  const std::vector<std::string> states = {"integral", "filtered"};
  for (const double w : {0.5, 12.0, 400.0}) {
    // Real and imaginary parts by hand: the derivative part is kd*(w^2*Tf + i*w)/(1 + (w*Tf)^2).
    const double lag = 1 + w * w * 1e-4;
    const Complex wanted(4 + 0.35 * w * w * 0.01 / lag, -8 / w + 0.35 * w / lag);
    ExpectNear(Response(pid, states, "target", "y", w * kI, {"measured"}), wanted, 1e-9);
    ExpectNear(Response(pid, states, "measured", "y", w * kI, {"target"}), -wanted, 1e-9);
  }
}

// §3.4: weights act on the way from the target only: kp*b + ki/s + c*kd*s/(1 + s*Tf).
TEST(SignalControllers, SetPointWeights) {
  Probe pid("PID(kp = 4, ki = 8 1/s, kd = 0.35 s, Tf = 10 ms, b = 0.3, c = 0)");
  Probe plain("PID(kp = 4, ki = 8 1/s, kd = 0.35 s, Tf = 10 ms)");
  const std::vector<std::string> states = {"integral", "filtered"};
  const Complex s = 7.0 * kI;
  ExpectNear(Response(pid, states, "target", "y", s, {"measured"}), 1.2 + 8.0 / s, 1e-12);
  ExpectNear(Response(pid, states, "measured", "y", s, {"target"}),
             Response(plain, states, "measured", "y", s, {"target"}), 1e-12);
}

// Astrom & Wittenmark, §8.5: I(k+1) = I(k) + ki*h*e(k) is forward; with backward differences I(k) = I(k-1) +
// ki*h*e(k), D(k) = Tf/(Tf + h)*D(k-1) + kd/(Tf + h)*(e(k) - e(k-1)).
TEST(SignalControllers, SampledPIDFollowsTheTextbook) {
  SampledRun pid("SampledPID(kp = 4, ki = 8 1/s, kd = 0.5 s, Tf = 30 ms, period = 20 ms, b = 0.6, c = 0.2)",
                 {"filtered", "integral"});
  const double targets[] = {1, 1, 2, 2, -3, 0, 0, 5}, values[] = {0, 0.5, 0.25, 3, 2, 2, -1, 4};
  double integral = 0, derivative = 0, last = 0;
  for (int k = 0; k < 8; ++k) {
    const double r = targets[k], x = values[k], d = 0.2 * r - x;
    integral += 8 * 0.02 * (r - x);
    derivative = 0.03 / 0.05 * derivative + 0.5 / 0.05 * (d - last);
    last = d;
    EXPECT_NEAR(pid.Step({{"target", r}, {"measured", x}}), 4 * (0.6 * r - x) + integral + derivative, 1e-9);
  }
}

TEST(SignalControllers, SampledPIIsSampledPIDWithoutDerivative) {
  const std::string arguments = "(kp = 4, ki = 8 1/s, period = 20 ms, limit = 6, Tt = 50 ms)";
  SampledRun pi("SampledPI" + arguments, {"integral"}),
      pid("SampledPID" + arguments, {"filtered", "integral"});
  double integral = 0;
  for (int k = 0; k < 20; ++k) {
    const Values inputs = {{"target", k < 12 ? 2.0 : -1.0}, {"measured", 0.1 * k}};
    const double y = pi.Step(inputs), e = inputs[0].second - inputs[1].second;
    // By hand: what is beyond the limit is taken back by h/(Tt + h) of it.
    integral += 0.16 * e;
    const double beyond = 4 * e + integral - std::clamp(4 * e + integral, -6.0, 6.0);
    EXPECT_NEAR(y, 4 * e + integral - beyond, 1e-9);
    integral -= beyond * 2 / 7;
    EXPECT_NEAR(pid.Step(inputs), y, 1e-9);
  }
}

// As the period goes to 0 the sampled controller becomes the continuous one: held at its limit both integral
// parts come to rest at the same place, and without a limit a step gives kp + ki*t + kd/Tf*exp(-t/Tf).
TEST(SignalControllers, SampledPIDApproachesPID) {
  const double h = 1e-4;
  SampledRun limited("SampledPID(kp = 4, ki = 8 1/s, period = 0.1 ms, limit = 10, Tt = 20 ms)",
                     {"filtered", "integral"});
  SampledRun step("SampledPID(kp = 4, ki = 8 1/s, kd = 0.5 s, Tf = 30 ms, period = 0.1 ms)",
                  {"filtered", "integral"});
  double y = 0;
  const int samples = 1500;
  for (int k = 0; k < samples; ++k) {
    EXPECT_LE(std::abs(limited.Step({{"target", 5}, {"measured", 0}})), 10);
    y = step.Step({{"target", 1}, {"measured", 0}});
  }
  EXPECT_NEAR(limited.state(1), 10 - 20 + 0.02 * 8 * 5, 0.02);
  const double t = samples * h;
  EXPECT_NEAR(y, 4 + 8 * t + 0.5 / 0.03 * std::exp(-t / 0.03), 0.01);
}

}  // namespace
}  // namespace cotree::test
