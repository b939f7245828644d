// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "library/signal_bench.h"

namespace cotree::test {
namespace {

// --- Means
// --------------------------------------------------------------------------------------------------

// The mean of a ramp is half its last value, that of a constant the constant.
TEST(SignalMeans, RunningMean) {
  Probe mean("RunningMean(start = 1 s)");
  EXPECT_DOUBLE_EQ(Output(mean, {{"time", 0.5}, {"u", 3}, {"integral", 0}, {"duration", 0}}, "der(integral)"),
                   0);
  EXPECT_DOUBLE_EQ(Output(mean, {{"time", 0.5}, {"u", 3}, {"integral", 0}, {"duration", 0}}, "der(duration)"),
                   0);
  EXPECT_DOUBLE_EQ(Output(mean, {{"time", 4}, {"u", 3}, {"integral", 0}, {"duration", 0}}, "der(duration)"),
                   1);
  EXPECT_DOUBLE_EQ(Output(mean, {{"time", 1}, {"u", 3}, {"integral", 0}, {"duration", 0}}), 3);
  EXPECT_DOUBLE_EQ(Output(mean, {{"time", 4}, {"u", 3}, {"integral", 0}, {"duration", 0}}, "der(integral)"),
                   3);
  for (const double t : {1.5, 4.0, 9.0})
    EXPECT_NEAR(
        Output(mean, {{"time", t}, {"u", t - 1}, {"integral", (t - 1) * (t - 1) / 2}, {"duration", t - 1}}),
        (t - 1) / 2, 1e-12);
}

// Horowitz & Hill, The Art of Electronics, 3rd ed., §1.3.1: the mean of a rectified sine is 2/pi, the root of
// the mean of its square 1/sqrt(2) of its amplitude. Integrated here, over half a period of 10 ms.
TEST(SignalMeans, MeanValueAndRootMeanSquare) {
  Probe mean("MeanValue(period = 10 ms)"), rms("RootMeanSquare(period = 10 ms)");
  double integrals[2] = {0, 0};
  const int steps = 2000;
  for (int i = 0; i < steps; ++i) {
    const double u = 5 * std::sin(kPi * (i + 0.5) / steps), h = 0.01 / steps;
    integrals[0] +=
        h * Output(mean, {{"u", u}, {"integral", 0}, {"mean", 0}, {"span", 0.01}}, "der(integral)");
    integrals[1] +=
        h * Output(rms, {{"u", u}, {"integral", 0}, {"mean", 0}, {"span", 0.01}}, "der(integral)");
  }
  const double wanted[2] = {10 / kPi, 5 / std::sqrt(2.0)};
  int k = 0;
  for (Probe* probe : {&mean, &rms}) {
    probe->Reset();
    probe->Set("u", 1);
    probe->Set("mean", 0);
    probe->Set("integral", integrals[k]);
    probe->Set("span", 0.01);
    probe->Set("pre(span)", 0.01);
    probe->Set("initial()", 0);
    EXPECT_FALSE(probe->WhenHolds(1));
    probe->Set("sample(period, period)", 1);
    EXPECT_TRUE(probe->WhenHolds(1));
    EXPECT_DOUBLE_EQ(probe->WhenValue(1, "integral"), 0);
    EXPECT_DOUBLE_EQ(probe->WhenValue(1, "span"), 0.01);
    const double renewed = probe->WhenValue(1, "mean");
    for (const auto& [begin, span] : std::map<double, double>{{0, 0.01}, {0.004, 0.006}, {0.03, 0.01}}) {
      probe->Set("time", begin);
      EXPECT_NEAR(probe->WhenValue(0, "span"), span, 1e-15);
    }
    EXPECT_NEAR(Output(*probe, {{"u", 1}, {"integral", 0}, {"mean", renewed}, {"span", 0.01}}), wanted[k],
                1e-5);
    ++k;
  }
}

// Oppenheim & Schafer, Discrete-Time Signal Processing, 3rd ed., §2.6: a moving average of n lags by (n -
// 1)/2 samples behind a ramp, and takes out a sine of n samples a period.
TEST(SignalMeans, MovingAverage) {
  const std::vector<std::string> states = {"x[1]", "x[2]", "x[3]", "x[4]", "x[5]"};
  SampledRun ramp("MovingAverage(n = 5, period = 1 ms)", states),
      sine("MovingAverage(n = 5, period = 1 ms)", states);
  EXPECT_NEAR(ramp.Step(10), 2, 1e-12);  // begins with zeros
  for (int k = 1; k < 12; ++k) {
    const double r = ramp.Step(10 + k), s = sine.Step(std::sin(2 * kPi * k / 5 + 0.3));
    if (k < 5) continue;
    EXPECT_NEAR(r, 10 + k - 2, 1e-12);
    EXPECT_NEAR(s, 0, 1e-12);
  }
  SampledRun one("MovingAverage(n = 1, period = 1 ms)", {"x[1]"});
  EXPECT_DOUBLE_EQ(one.Step(4), 4);
}

// --- Sampling
// -----------------------------------------------------------------------------------------------

TEST(SignalSampling, SamplerAndUnitDelay) {
  Probe sampler("Sampler(period = 1 ms)");
  EXPECT_DOUBLE_EQ(Of(sampler, 4.5), 4.5);
  SampledRun delay("UnitDelay(period = 1 ms, y_start = 9)", {"x"}, {9});
  const double in[] = {3, 1, 4, 1, 5}, out[] = {9, 3, 1, 4, 1};
  for (int k = 0; k < 5; ++k) EXPECT_DOUBLE_EQ(delay.Step(in[k]), out[k]);
}

TEST(SignalSampling, TriggeredSampler) {
  Probe sampler("TriggeredSampler");
  EXPECT_DOUBLE_EQ(Output(sampler, {{"u", 5}, {"trigger", 0}, {"held", 2}}), 2);
  EXPECT_FALSE(sampler.WhenHolds(0));
  sampler.Set("trigger", 1);
  EXPECT_TRUE(sampler.WhenHolds(0));
  EXPECT_DOUBLE_EQ(sampler.WhenValue(0, "held"), 5);
}

TEST(SignalSampling, ZeroOrderHold) {
  Probe hold("ZeroOrderHold(period = 1 ms)");
  EXPECT_DOUBLE_EQ(Output(hold, {{"u", 5}, {"held", 7}, {"pre(held)", 2}}), 2);
  EXPECT_FALSE(hold.WhenHolds(0));
  hold.Set("sample(start, period)", 1);
  EXPECT_TRUE(hold.WhenHolds(0));
  EXPECT_DOUBLE_EQ(hold.WhenValue(0, "held"), 5);
}

// Franklin, Powell & Workman, Digital Control of Dynamic Systems, 3rd ed., §5.4 (data extrapolation): from
// the second sample on a first-order hold reproduces straight lines.
TEST(SignalSampling, FirstOrderHold) {
  Probe hold("FirstOrderHold(period = 0.5 s, start = 1 s)");
  const auto line = [](double t) { return 4 - 3 * t; };
  double held = 0, slope = 0, last = 1;
  for (int k = 0; k < 4; ++k) {
    const double t = 1 + 0.5 * k;
    hold.Reset();
    for (const auto& [name, value] :
         Values{{"held", held}, {"slope", slope}, {"last", last}, {"first", k == 0 ? 1 : 0}}) {
      hold.Set(name, value);
      hold.Set("pre(" + name + ")", value);
    }
    hold.Set("time", t);
    hold.Set("u", line(t));
    held = hold.WhenValue(0, "held");
    slope = hold.WhenValue(0, "slope");
    last = hold.WhenValue(0, "last");
    EXPECT_DOUBLE_EQ(last, t);
    EXPECT_EQ(hold.WhenValue(0, "first"), 0);
    for (const double later : {0.0, 0.2, 0.49}) {
      const double y = Output(hold, {{"time", t + later},
                                     {"u", 100},
                                     {"pre(held)", held},
                                     {"pre(slope)", slope},
                                     {"pre(last)", last},
                                     {"first", 0}});
      EXPECT_NEAR(y, k == 0 ? line(1) : line(t + later), 1e-12);
    }
  }
}

// Franklin, Powell & Workman, §4.3: with samples 1, 4, 9, ... and T = 0.1 the rules differ by what the first
// and the last value count; the trapezoidal rule is the mean of the other two.
TEST(SignalSampling, DiscreteIntegrator) {
  const std::string use = "DiscreteIntegrator(k = 2, period = 0.1 s, y_start = 7)";
  SampledRun backward(use, {"x"}, {7}), forward(use + " as forward", {"x"}, {7}),
      trapezoidal(use + " as trapezoidal", {"x"}, {7});
  for (int k = 1; k <= 6; ++k) {
    const double u = k * k;
    const double b = backward.Step(u), f = forward.Step(u), t = trapezoidal.Step(u);
    EXPECT_NEAR(b, 7 + 0.2 * k * (k + 1) * (2 * k + 1) / 6, 1e-12);  // sum of squares
    EXPECT_NEAR(f, 7 + 0.2 * (k - 1) * k * (2 * k - 1) / 6, 1e-12);
    EXPECT_NEAR(t, (b + f) / 2, 1e-12);
  }
}

// Graham, Knuth & Patashnik, Concrete Mathematics, 2nd ed., §6.6: 1/(1 - z - z^2) generates the Fibonacci
// numbers.
TEST(SignalSampling, DiscreteTransferFunction) {
  SampledRun fibonacci(
      "DiscreteTransferFunction(n = 2, num = [1, 0, 0], den = [1, -1, -1], period = 1 ms, k = 3 V/A)",
      {"x[1]", "x[2]"});
  const double numbers[] = {1, 1, 2, 3, 5, 8, 13};
  for (int k = 0; k < 7; ++k) EXPECT_NEAR(fibonacci.Step(k == 0 ? 1 : 0), 3 * numbers[k], 1e-12);
  // A zero-order-held first-order lag: (1 - a)/(z - a), whose step response is 1 - a^k; scaled by den[1] = 4.
  SampledRun lag("DiscreteTransferFunction(n = 1, num = [0, 0.4], den = [4, -3.6], period = 1 ms)", {"x[1]"});
  for (int k = 0; k < 8; ++k) EXPECT_NEAR(lag.Step(1), 1 - std::pow(0.9, k), 1e-12);
  // A finite response: the coefficients themselves.
  SampledRun fir("DiscreteTransferFunction(n = 3, num = [5, -2, 7, 1], den = [1, 0, 0, 0], period = 1 ms)",
                 {"x[1]", "x[2]", "x[3]"});
  const double taps[] = {5, -2, 7, 1, 0, 0};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(fir.Step(k == 0 ? 1 : 0), taps[k], 1e-12);
}

// A rotation by 60 degrees a sample, begun by u: cos and sin of k*60 degrees, one sample later.
TEST(SignalSampling, DiscreteStateSpace) {
  SampledRun rotation(
      "DiscreteStateSpace(n = 2, m = 2, p = 2, A = [[0.5, -0.8660254037844386], [0.8660254037844386, 0.5]],"
      " B = [[1, 0], [0, 1]], C = [[1, 0], [0, 2]], D = [[0, 0], [0, 10]], k = 3 V/A, period = 1 ms)",
      {"x[1]", "x[2]"});
  const double first = rotation.Step({{"u[1]", 1}, {"u[2]", 0}}, "y[1]");
  EXPECT_NEAR(first, 0, 1e-12);
  for (int k = 0; k < 7; ++k) {
    const double y1 = rotation.Step({{"u[1]", 0}, {"u[2]", 0}}, "y[1]");
    EXPECT_NEAR(y1, 3 * std::cos(k * kPi / 3), 1e-12);
    EXPECT_NEAR(rotation.probe()["y[2]"], 6 * std::sin(k * kPi / 3), 1e-12);
  }
  Probe direct("DiscreteStateSpace(n = 1, A = [[0]], B = [[1]], C = [[1]], D = [[4]], period = 1 ms)");
  EXPECT_NEAR(Output(direct, {{"pre(x[1])", 2}, {"u[1]", 5}}, "y[1]"), 22, 1e-12);
}

}  // namespace
}  // namespace cotree::test
