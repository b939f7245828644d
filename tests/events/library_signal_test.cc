// SPDX-License-Identifier: Apache-2.0
// Signal components with memory, samples and delays against closed forms and recurrences written out.
#include "events/event_curves.h"

namespace cotree::test {
namespace {

/// The value of the sample that counts at a time: k-th from k*period on.
Curve Steps(std::vector<double> values, double period) {
  return [values = std::move(values), period](double t) {
    const double k = std::floor(t / period + 1e-9);
    return values.at(static_cast<size_t>(std::max(0.0, k)));
  };
}

/// The input of sampled blocks: two sines, of which no sample is like another.
constexpr const char* kInput = R"(
    s1 : Sine(amplitude = 1, frequency = 3 Hz, phase = 40 deg)
    s2 : Sine(amplitude = 0.6, frequency = 7.3 Hz)
    mix : Add
    connect s1.y -> mix.u1
    connect s2.y -> mix.u2
)";
double Input(double t) {
  return std::sin(6 * kPi * t + 40 * kPi / 180) + 0.6 * std::sin(14.6 * kPi * t);
}
std::vector<double> Inputs(double period, int n) {
  std::vector<double> out;
  for (int k = 0; k <= n; ++k) out.push_back(Input(k * period));
  return out;
}

// --- Noise -------------------------------------------------------------------------------------------------

// Park & Miller (CACM 31, 1988): with seed 1 the 10000th number is 1043618065.
TEST(EventsSignal, UniformNoise) {
  const auto run = RunBody("noise : UniformNoise(high = 3, low = -1, period = 1 ms, seed = 1)", 9.9995);
  EXPECT_EQ(run.End("noise.z"), 1043618065);
  std::vector<double> values;
  uint64_t z = 1;
  for (int k = 0; k < 10000; ++k) {
    z = z * 16807 % 2147483647;
    values.push_back(-1 + 4 * static_cast<double>(z) / 2147483647);
  }
  Close("uniform noise", EventError(run, "noise.y", Steps(values, 1e-3)));
}

// Box & Muller (1958) of pairs of these numbers.
TEST(EventsSignal, NormalNoise) {
  const auto run = RunBody("noise : NormalNoise(sigma = 2, mean = 0.5, period = 1 ms)", 0.9995);
  std::vector<double> values;
  uint64_t z = 314159265;
  for (int k = 0; k < 1000; ++k) {
    const uint64_t one = z * 16807 % 2147483647;
    z = one * 16807 % 2147483647;
    values.push_back(0.5 + 2 * std::sqrt(-2 * std::log(static_cast<double>(one) / 2147483647)) *
                               std::cos(2 * kPi * static_cast<double>(z) / 2147483647));
  }
  Close("normal noise", EventError(run, "noise.y", Steps(values, 1e-3)));
}

// --- Characteristics ---------------------------------------------------------------------------------------

// By hand: the swing x = cos(w*t) of a mass and spring, a state and not a known function of time.
constexpr const char* kSwing = R"(
    one : SecondOrder(k = 1, w0 = 6.283185307179586 rad/s, D = 0, start y = 1 fixed, start rate = 0 1/s fixed)
    off : Constant(k = 0)
    connect off.y -> one.u
)";
double Swing(double t) {
  return std::cos(2 * kPi * t);
}

// Above 0.6 at the begin; false below -0.3, true again above 0.6.
TEST(EventsSignal, HysteresisAndRelay) {
  const auto run = RunBody(std::string(kSwing) + R"(
    h : Hysteresis(upper = 0.6, lower = -0.3)
    r : Relay(upper = 0.6, lower = -0.3, high = 5, low = -2)
    between : Hysteresis(upper = 2, lower = -0.3, initially = true)
    never   : Relay(upper = 2, lower = -0.3, high = 5, low = -2)
    connect one.y -> h.u, r.u, between.u, never.u)",
                           2.6);
  const double down = std::acos(-0.3) / (2 * kPi), up = 1 - std::acos(0.6) / (2 * kPi);
  const auto on = [&](double t) { return std::fmod(t, 1) < down || std::fmod(t, 1) >= up; };
  Close("hysteresis", EventError(run, "h.y", [&](double t) { return on(t) ? 1 : 0; }));
  Close("relay", EventError(run, "r.y", [&](double t) { return on(t) ? 5 : -2; }));
  Close("relay: times", TimesError(Jumps(run, "r.y"), {down, up, 1 + down, 1 + up, 2 + down}), kEventTime);
  Close("hysteresis, at first true",
        EventError(run, "between.y", [&](double t) { return t < down ? 1 : 0; }));
  Close("relay, at first low", EventError(run, "never.y", [](double) { return -2; }));
}

TEST(EventsSignal, QuantiserSignAndLevels) {
  const auto run = RunBody(std::string(kSwing) + R"(
    q     : Quantiser(step = 0.3)
    s     : Sign
    half  : Constant(k = 0.5)
    more  : GreaterThan
    less  : LessThan
    above : AboveThreshold(threshold = -0.7)
    below : BelowThreshold(threshold = -0.7)
    which : LogicSwitch
    real  : BooleanToReal(high = 7, low = -1)
    zone  : DeadZone(upper = 0.25)
    connect one.y -> q.u, s.u, more.u1, less.u1, above.u, below.u, which.u1, zone.u
    connect half.y -> more.u2, less.u2, which.u2
    connect above.y -> which.choose, real.u)",
                           1.9);
  Close("quantiser", EventError(run, "q.y", [](double t) { return 0.3 * std::floor(Swing(t) / 0.3 + 0.5); }));
  std::vector<double> times;
  for (const double period : {0.0, 1.0}) {
    for (const double sign : {1.0, -1.0}) {
      for (const double level : {0.75, 0.45, 0.15, -0.15, -0.45, -0.75}) {
        const double t = period + (sign > 0 ? 0 : 1) + sign * std::acos(level) / (2 * kPi);
        if (t < 1.9) times.push_back(t);
      }
    }
  }
  std::sort(times.begin(), times.end());
  Close("quantiser: times", TimesError(Jumps(run, "q.y"), times), kEventTime);
  Close("sign", EventError(run, "s.y", [](double t) { return Swing(t) > 0 ? 1 : -1; }));
  Close("greater", EventError(run, "more.y", [](double t) { return Swing(t) > 0.5 ? 1 : 0; }));
  Close("less", EventError(run, "less.y", [](double t) { return Swing(t) < 0.5 ? 1 : 0; }));
  Close("above", EventError(run, "above.y", [](double t) { return Swing(t) > -0.7 ? 1 : 0; }));
  Close("below", EventError(run, "below.y", [](double t) { return Swing(t) < -0.7 ? 1 : 0; }));
  Close("switch", EventError(run, "which.y", [](double t) { return Swing(t) > -0.7 ? Swing(t) : 0.5; }));
  Close("to real", EventError(run, "real.y", [](double t) { return Swing(t) > -0.7 ? 7 : -1; }));
  Close("dead zone", run.Error("zone.y", [](double t) {
    return std::max(0.0, Swing(t) - 0.25) + std::min(0.0, Swing(t) + 0.25);
  }));
}

// By hand: 2/s until 2*T before the step's height, then a lag.
TEST(EventsSignal, RateLimiter) {
  const auto run = RunBody(R"(
    step : Pulse(high = 1, period = 2 s, width = 1 s)
    rate : RateLimiter(rising = 2 1/s, falling = -4 1/s, T = 50 ms)
    connect step.y -> rate.u)",
                           1.9);
  const auto to = [](double rate, double t) {  // from 0 to 1
    const double end = (1 - rate * 0.05) / rate;
    return t < end ? rate * t : 1 - rate * 0.05 * std::exp(-(t - end) / 0.05);
  };
  const double top = to(2, 1);
  Close("rate limiter", run.Error("rate.y", [&](double t) {
    if (t < 1) return to(2, t);
    const double end = 1 + (top - 0.2) / 4;
    return t < end ? top - 4 * (t - 1) : 0.2 * std::exp(-(t - end) / 0.05);
  }));
}

// By hand: y follows a ramp with the lag T behind the edge of the play; when u turns it stays as soon as u -
// y = width/2.
TEST(EventsSignal, BacklashSignal) {
  const auto run = RunBody(R"(
    u    : Trapezoid(high = 1, period = 4 s, rising = 1 s)
    play : BacklashSignal(width = 0.4, T = 20 ms)
    connect u.y -> play.u)",
                           1.9);
  const double lag = 0.02;
  const auto follow = [&](double t) {
    return t - lag * (1 - std::exp(-t / lag));
  };  // of the ramp t from rest
  const double y1 = follow(0.8);
  // Falling: lag*y' = 0.8 - s - y, s = t - 1
  const auto after = [&](double s) { return 0.8 - s + lag + (y1 - 0.8 - lag) * std::exp(-s / lag); };
  const double stays = Bisect([&](double s) { return 0.8 - s - after(s); }, 1e-9, 0.1), held = after(stays);
  const double back = 1 - (held - 0.2) + 0.0;  // u = held - 0.2
  Close("backlash", run.Error("play.y", [&](double t) {
    if (t < 0.2) return 0.0;
    if (t < 1) return follow(t - 0.2);
    if (t < 1 + stays) return after(t - 1);
    if (t < 1 + back) return held;
    return held - follow(t - 1 - back);
  }));
}

// --- Logic -------------------------------------------------------------------------------------------------

TEST(EventsSignal, Gates) {
  const auto run = RunBody(R"(
    a : BooleanPulse(period = 4 s)
    b : BooleanPulse(period = 2 s)
    and_ : And   or_ : Or   xor_ : Xor   nand_ : NAnd   nor_ : NOr   not_ : Not
    connect a.y -> and_.u1, or_.u1, xor_.u1, nand_.u1, nor_.u1, not_.u
    connect b.y -> and_.u2, or_.u2, xor_.u2, nand_.u2, nor_.u2)",
                           7.7);
  const auto a = [](double t) { return std::fmod(t, 4) < 2; };
  const auto b = [](double t) { return std::fmod(t, 2) < 1; };
  Close("and", EventError(run, "and_.y", [&](double t) { return a(t) && b(t) ? 1 : 0; }));
  Close("or", EventError(run, "or_.y", [&](double t) { return a(t) || b(t) ? 1 : 0; }));
  Close("xor", EventError(run, "xor_.y", [&](double t) { return a(t) != b(t) ? 1 : 0; }));
  Close("nand", EventError(run, "nand_.y", [&](double t) { return a(t) && b(t) ? 0 : 1; }));
  Close("nor", EventError(run, "nor_.y", [&](double t) { return a(t) || b(t) ? 0 : 1; }));
  Close("not", EventError(run, "not_.y", [&](double t) { return a(t) ? 0 : 1; }));
}

// Edges are true for a moment only: counters see them. u: 0.5 to 1, 2.5 to 3, ... s; the third counter is set
// back at 5 s.
TEST(EventsSignal, EdgesAndCounters) {
  const auto run = RunBody(R"(
    u     : BooleanPulse(period = 2 s, width = 0.5 s, delay = 0.5 s)
    never : BooleanConstant(k = false)
    at_5  : BooleanStep(start = 5 s)
    up    : RisingEdge
    down  : FallingEdge
    n1, n2, n3, n4 : Counter
    connect u.y -> up.u, down.u, n3.u, n4.u
    connect up.y -> n1.u
    connect down.y -> n2.u
    connect never.y -> n1.reset, n2.reset, n4.reset
    connect at_5.y -> n3.reset)",
                           9.5);
  const auto rises = [](double t) { return std::floor((t + 1.5) / 2); };
  Close("rising edges", EventError(run, "n1.y", rises));
  Close("falling edges", EventError(run, "n2.y", [](double t) { return std::floor((t + 1) / 2); }));
  Close("counter", EventError(run, "n4.y", rises));
  Close("counter with reset",
        EventError(run, "n3.y", [&](double t) { return t < 5 ? rises(t) : rises(t) - 3; }));
}

// At the moment of an edge of the motion: counts of a swing's passages upwards through 0.5.
TEST(EventsSignal, CounterOfTheMotion) {
  const auto run = RunBody(std::string(kSwing) + R"(
    above : AboveThreshold(threshold = 0.5)
    up    : RisingEdge
    never : BooleanConstant(k = false)
    n1, n2 : Counter
    connect one.y -> above.u
    connect above.y -> up.u, n2.u
    connect up.y -> n1.u
    connect never.y -> n1.reset, n2.reset)",
                           4.6);
  for (const char* n : {"n1.y", "n2.y"}) {
    Close("counter of the motion", EventError(run, n, [](double t) { return std::floor(t + 1.0 / 6); }));
    Close("counter of the motion: times", TimesError(Jumps(run, n), {5.0 / 6, 11.0 / 6, 17.0 / 6, 23.0 / 6}),
          kEventTime);
  }
}

// set: 1 to 1.5, 4 to 4.5, ... s; reset: 2 to 4.2 s: wins at 4 s, then set wins until 4.5.
TEST(EventsSignal, SRLatch) {
  const auto run = RunBody(R"(
    set   : BooleanPulse(period = 3 s, width = 0.5 s, delay = 1 s)
    reset : BooleanPulse(period = 10 s, width = 2.2 s, delay = 2 s)
    latch : SRLatch
    other : SRLatch(initially = true)
    connect set.y -> latch.set, other.set
    connect reset.y -> latch.reset, other.reset)",
                           6);
  Close("latch", EventError(run, "latch.y", [](double t) { return (t >= 1 && t < 2) || t >= 4.2 ? 1 : 0; }));
  Close("latch, at first true",
        EventError(run, "other.y", [](double t) { return t < 2 || t >= 4.2 ? 1 : 0; }));
}

TEST(EventsSignal, TimerAndOnDelay) {
  const auto run = RunBody(R"(
    u     : BooleanPulse(period = 3 s, width = 1 s, delay = 0.5 s)
    brief : BooleanPulse(period = 1 s, width = 0.3 s)
    timer : Timer
    late  : OnDelay(T = 0.4 s)
    none  : OnDelay(T = 0.4 s)
    from0 : BooleanConstant
    since : Timer
    at    : OnDelay(T = 0.7 s)
    connect u.y -> timer.u, late.u
    connect brief.y -> none.u
    connect from0.y -> since.u, at.u)",
                           5.2);
  const auto begun = [](double t) { return t < 0.5 ? -1 : std::fmod(t - 0.5, 3); };
  Close("timer",
        EventError(run, "timer.y", [&](double t) { return begun(t) >= 0 && begun(t) < 1 ? begun(t) : 0; }));
  Close("on delay",
        EventError(run, "late.y", [&](double t) { return begun(t) >= 0.4 && begun(t) < 1 ? 1 : 0; }));
  Close("on delay: times", TimesError(Jumps(run, "late.y"), {0.9, 1.5, 3.9, 4.5}), kEventTime);
  Close("on delay, too short", EventError(run, "none.y", [](double) { return 0; }));
  Close("timer from the start", EventError(run, "since.y", [](double t) { return t; }));
  Close("on delay from the start", EventError(run, "at.y", [](double t) { return t < 0.7 ? 0 : 1; }));
}

// By the motion: a swing is above 0 for half a second; true 0.2 s after it rose.
TEST(EventsSignal, TimerOfTheMotion) {
  const auto run = RunBody(std::string(kSwing) + R"(
    above : AboveThreshold
    timer : Timer
    late  : OnDelay(T = 0.2 s)
    connect one.y -> above.u
    connect above.y -> timer.u, late.u)",
                           2.1);
  const auto since = [](double t) {
    return t < 0.25 ? t : t < 0.75 ? -1 : std::fmod(t - 0.75, 1) < 0.5 ? std::fmod(t - 0.75, 1) : -1;
  };
  Close("timer of the motion", EventError(run, "timer.y", [&](double t) { return std::max(0.0, since(t)); }));
  Close("on delay of the motion",
        EventError(run, "late.y", [&](double t) { return since(t) >= 0.2 ? 1 : 0; }));
}

// A run that begins at 5 s: what is true from then on has been true since then.
TEST(EventsSignal, TimerInARunThatBeginsLater) {
  RunOf run(R"(system S {
    on    : BooleanConstant
    timer : Timer
    late  : OnDelay(T = 0.4 s)
    connect on.y -> timer.u, late.u })");
  SimulationOptions options;
  options.start = 5;
  options.stop = 6;
  run.trajectory = Simulate(*run.translation->program, run.translation->starts, options);
  ASSERT_TRUE(run.trajectory.ok) << run.trajectory.problem;
  Close("timer, later", EventError(run, "timer.y", [](double t) { return t - 5; }));
  Close("on delay, later", EventError(run, "late.y", [](double t) { return t < 5.4 ? 0 : 1; }));
}

// --- Integrators -------------------------------------------------------------------------------------------

// By hand: y = sin(t) until 0.6, held while cos(t) > 0, then 0.6 - 1 + sin(t), at -0.8 held, and so on.
TEST(EventsSignal, LimitedIntegrator) {
  const auto run = RunBody(R"(
    u : Sine(amplitude = 1, frequency = 0.15915494309189535 Hz, phase = 90 deg)
    y : LimitedIntegrator(upper = 0.6 s, lower = -0.8 s)
    connect u.y -> y.u)",
                           12);
  const auto expected = [](double t) {
    if (t < std::asin(0.6)) return std::sin(t);
    double y = 0.6, base = 0.6 - 1;  // y = base + sin(t) from pi/2 on
    if (t < kPi / 2) return y;
    for (double begin = kPi / 2;; begin += kPi) {
      const bool down = std::lround((begin - kPi / 2) / kPi) % 2 == 0;
      base = y - (down ? 1 : -1);
      const double h = std::min(t, begin + kPi);
      y = std::clamp(base + std::sin(h), -0.8, 0.6);
      if (t <= begin + kPi) return y;
    }
  };
  Close("limited integrator", run.Error("y.y", expected));
}

// By hand: an integral of 2 that sets itself back at 1: a saw of 0.5 s, each tooth counted.
TEST(EventsSignal, IntegratorThatResetsItself) {
  const auto run = RunBody(R"(
    u    : Constant(k = 2)
    y    : ResettableIntegrator(start y = 0 s fixed)
    full : AboveThreshold(threshold = 1 s)
    none : BooleanConstant(k = false)
    n    : Counter
    connect u.y -> y.u
    connect y.y -> full.u
    connect full.y -> y.reset, n.u
    connect none.y -> n.reset)",
                           10.2);
  Close("saw", EventError(run, "y.y", [](double t) { return 2 * std::fmod(t, 0.5); }));
  EXPECT_EQ(run.End("n.y"), 20);
}

// By hand: y = t - t0 + value from each pulse on; the integral of a swing, set to 0 where it passes 0
// upwards.
TEST(EventsSignal, ResettableIntegrator) {
  const auto run = RunBody(std::string(kSwing) + R"(
    u     : Constant(k = 2)
    pulse : BooleanPulse(period = 1.5 s, width = 0.1 s, delay = 0.5 s)
    y     : ResettableIntegrator(value = -1 s)
    above : AboveThreshold
    swung : ResettableIntegrator(k = 3)
    connect u.y -> y.u
    connect pulse.y -> y.reset
    connect one.y -> above.u, swung.u
    connect above.y -> swung.reset)",
                           4);
  Close("resettable integrator",
        EventError(run, "y.y", [](double t) { return t < 0.5 ? 2 * t : -1 + 2 * std::fmod(t - 0.5, 1.5); }));
  Close("resettable by the motion", EventError(run, "swung.y", [](double t) {
          return 3 * (std::sin(2 * kPi * t) + (t < 0.75 ? 0 : 1)) / (2 * kPi);
        }));
}

// --- Delay -------------------------------------------------------------------------------------------------

TEST(EventsSignal, TransportDelay) {
  const auto run = RunBody(R"(
    step  : Step(height = 2, offset = 1, start = 0.5 s)
    ramp  : Ramp(slope = 3 1/s, start = 0.2 s, duration = 1 s, offset = -1)
    sine  : Sine(amplitude = 2, frequency = 1.3 Hz, phase = 30 deg)
    d1, d2, d3 : TransportDelay(T = 0.7 s)
    lag   : FirstOrder(k = 1, T = 0.4 s, start y = 0 fixed)
    connect step.y -> d1.u
    connect ramp.y -> d2.u
    connect sine.y -> d3.u
    connect d1.y -> lag.u)",
                           3);
  Close("delayed step", EventError(run, "d1.y", [](double t) { return t < 1.2 ? 1 : 3; }));
  Close("delayed step: time", TimesError(Jumps(run, "d1.y"), {1.2}), kEventTime);
  Close("delayed ramp", run.Error("d2.y", [](double t) { return -1 + 3 * std::clamp(t - 0.9, 0.0, 1.0); }));
  Close("delayed sine", run.Error("d3.y", [](double t) {
    return 2 * std::sin(2.6 * kPi * std::max(0.0, t - 0.7) + kPi / 6);
  }));
  Close("lag behind a delayed step", run.Error("lag.y", [](double t) {
    return t < 1.2 ? 1 - std::exp(-t / 0.4) : 3 - (3 - (1 - std::exp(-3.0))) * std::exp(-(t - 1.2) / 0.4);
  }));
}

// Method of steps (Bellman & Cooke, Differential-Difference Equations, ch. 3): x' = -x(t - 1), x = 1 before
// 0: x = sum of (-1)^k*(t - k + 1)^k/k! for k <= t + 1.
TEST(EventsSignal, DelayInALoop) {
  const auto run = RunBody(R"(
    x    : Integrator(k = -1, start y = 1 fixed)
    late : TransportDelay(T = 1 s)
    rate : Gain(k = 1 1/s)
    connect x.y -> late.u
    connect late.y -> rate.u
    connect rate.y -> x.u)",
                           6);
  Close("x' = -x(t - 1)", run.Error("x.y", [](double t) {
    double sum = 1, power = 1;
    for (int k = 1; k - 1 < t; ++k) {
      power = 1;
      for (int i = 1; i <= k; ++i) power *= (t - k + 1) / i;
      sum += k % 2 == 0 ? power : -power;
    }
    return sum;
  }));
}

// Samples and what comes out of a delay, often at the same moment but for rounding: 0.25 s after a tick is
// the middle between two, 0.5 s after it another one.
TEST(EventsSignal, DelayBehindSamples) {
  const auto run = RunBody(R"(
    u    : Sine(amplitude = 1, frequency = 0.7 Hz)
    hold : ZeroOrderHold(period = 0.1 s)
    near : Sampler(period = 0.1 s)
    d1   : TransportDelay(T = 0.25 s)
    d2   : TransportDelay(T = 0.5 s)
    lag  : FirstOrder(k = 1, T = 0.05 s, start y = 0 fixed)
    connect u.y -> hold.u, near.u
    connect hold.y -> d1.u
    connect near.y -> d2.u
    connect d2.y -> lag.u)",
                           2.96);
  const auto u = [](double t) { return std::sin(1.4 * kPi * t); };
  const auto last = [](double t) { return 0.1 * std::floor(std::max(t, 0.0) / 0.1 + 1e-9); };
  Close("delayed hold", EventError(run, "d1.y", [&](double t) { return u(last(t - 0.25)); }));
  Close("delayed samples", EventError(run, "d2.y", [&](double t) { return u(last(t - 0.5)); }));
  Close("lag behind delayed samples", run.Error("lag.y", [&](double t) {
    double y = 0;
    for (int k = 0; k < 30; ++k) {
      const double begin = 0.1 * k, end = std::min(t, begin + 0.1), in = k < 5 ? 0 : u(begin - 0.5);
      if (end > begin) y = in + (y - in) * std::exp(-(end - begin) / 0.05);
    }
    return y;
  }));
}

// By hand: x' = -sign(x(t - T)) is a triangle of height T and period 4*T, once it has come to 0 from 0.5.
TEST(EventsSignal, RelayBehindADelay) {
  const auto run = RunBody(R"(
    x    : Integrator(k = -1, start y = 0.5 s fixed)
    late : TransportDelay(T = 0.3 s)
    sign : Sign
    more : TransportDelay(T = 0.2 s)
    connect x.y -> late.u
    connect late.y -> sign.u
    connect sign.y -> x.u, more.u)",
                           4.9);
  const auto phase = [](double t) { return std::fmod(t - 0.5, 1.2); };
  Close("triangle", run.Error("x.y", [&](double t) {
    if (t < 0.5) return 0.5 - t;
    return phase(t) < 0.3 ? -phase(t) : phase(t) < 0.9 ? phase(t) - 0.6 : 1.2 - phase(t);
  }));
  std::vector<double> times, later;
  for (double t = 0.8; t < 4.9; t += 0.6) {
    times.push_back(t);
    if (t + 0.2 < 4.9) later.push_back(t + 0.2);
  }
  Close("triangle: times", TimesError(Jumps(run, "sign.y"), times), kEventTime);
  Close("triangle: delayed times", TimesError(Jumps(run, "more.y"), later), kEventTime);
}

// --- Means -------------------------------------------------------------------------------------------------

// By hand: integrals of 1 + 2*sin(w*t) and its square over [k*p, (k + 1)*p].
TEST(EventsSignal, MeanValueAndRootMeanSquare) {
  const auto run = RunBody(R"(
    u    : Sine(amplitude = 2, frequency = 1 Hz, offset = 1)
    mean : MeanValue(period = 0.3 s)
    rms  : RootMeanSquare(period = 0.3 s)
    full : RootMeanSquare(period = 1 s)
    connect u.y -> mean.u, rms.u, full.u)",
                           2.5);
  const double w = 2 * kPi;
  const auto one = [&](double t) { return t - 2 / w * std::cos(w * t); };
  const auto square = [&](double t) { return 3 * t - 4 / w * std::cos(w * t) - std::sin(2 * w * t) / w; };
  std::vector<double> means{0}, roots{0};
  for (int k = 0; k < 9; ++k) {
    const double a = 0.3 * k, b = a + 0.3;
    means.push_back((one(b) - one(a)) / 0.3);
    roots.push_back(std::sqrt((square(b) - square(a)) / 0.3));
  }
  Close("mean", EventError(run, "mean.y", Steps(means, 0.3)));
  Close("rms", EventError(run, "rms.y", Steps(roots, 0.3)));
  Close("rms of a whole period",
        EventError(run, "full.y", [](double t) { return t < 1 ? 0 : std::sqrt(3.0); }));
}

// --- Sampling ----------------------------------------------------------------------------------------------

TEST(EventsSignal, SamplersAndHolds) {
  const auto run = RunBody(std::string(kInput) + R"(
    sampler : Sampler(period = 50 ms)
    delay   : UnitDelay(period = 50 ms, y_start = 0.7)
    mean    : MovingAverage(n = 4, period = 50 ms)
    zero    : ZeroOrderHold(period = 50 ms)
    late    : ZeroOrderHold(period = 50 ms, start = 20 ms)
    first   : FirstOrderHold(period = 50 ms)
    connect mix.y -> sampler.u, delay.u, mean.u, zero.u, late.u, first.u)",
                           1.99);
  const auto u = Inputs(0.05, 50);
  Close("sampler", EventError(run, "sampler.y", Steps(u, 0.05)));
  Close("zero-order hold", EventError(run, "zero.y", Steps(u, 0.05)));
  Close("zero-order hold, later", EventError(run, "late.y", [](double t) {
          return t < 0.02 ? 0 : Input(0.02 + 0.05 * std::floor((t - 0.02) / 0.05 + 1e-9));
        }));
  std::vector<double> delayed{0.7}, means;
  for (size_t k = 0; k < u.size(); ++k) {
    delayed.push_back(u[k]);
    double sum = 0;
    for (size_t i = 0; i < 4 && i <= k; ++i) sum += u[k - i];
    means.push_back(sum / 4);
  }
  Close("unit delay", EventError(run, "delay.y", Steps(delayed, 0.05)));
  Close("moving average", EventError(run, "mean.y", Steps(means, 0.05)));
  Close("first-order hold", EventError(run, "first.y", [&](double t) {
          const auto k = static_cast<size_t>(t / 0.05 + 1e-10);
          const double slope = k == 0 ? 0 : (u[k] - u[k - 1]) / 0.05;
          return u[k] + slope * (t - 0.05 * static_cast<double>(k));
        }));
}

TEST(EventsSignal, TriggeredSampler) {
  const auto run = RunBody(std::string(kInput) + kSwing + R"(
    clock  : BooleanPulse(period = 0.2 s, delay = 0.1 s)
    above  : AboveThreshold(threshold = 0.5)
    s1_    : TriggeredSampler(y_start = 9)
    s2_    : TriggeredSampler
    connect mix.y -> s1_.u, s2_.u
    connect clock.y -> s1_.trigger
    connect one.y -> above.u
    connect above.y -> s2_.trigger)",
                           3.45);
  Close("triggered sampler", EventError(run, "s1_.y", [](double t) {
          return t < 0.1 ? 9 : Input(0.1 + 0.2 * std::floor((t - 0.1) / 0.2 + 1e-9));
        }));
  Close("triggered by the motion", EventError(run, "s2_.y", [](double t) {
          return t < 5.0 / 6 ? 0 : Input(5.0 / 6 + std::floor(t - 5.0 / 6));
        }));
}

// Sums written out (Franklin, Powell & Workman, Digital Control of Dynamic Systems, 3rd ed., §6.3).
TEST(EventsSignal, DiscreteIntegrator) {
  const auto run = RunBody(std::string(kInput) + R"(
    back  : DiscreteIntegrator(k = 2, period = 50 ms, y_start = 0.3 s) as backward
    forth : DiscreteIntegrator(k = 2, period = 50 ms, y_start = 0.3 s) as forward
    trap  : DiscreteIntegrator(k = 2, period = 50 ms, y_start = 0.3 s) as trapezoidal
    connect mix.y -> back.u, forth.u, trap.u)",
                           1.99);
  const auto u = Inputs(0.05, 50);
  std::vector<double> back, forth, trap;
  double sum = 0.3;
  for (const double x : u) {
    forth.push_back(sum);
    trap.push_back(sum + 0.05 * x);
    sum += 0.1 * x;
    back.push_back(sum);
  }
  Close("integrator backward", EventError(run, "back.y", Steps(back, 0.05)));
  Close("integrator forward", EventError(run, "forth.y", Steps(forth, 0.05)));
  Close("integrator trapezoidal", EventError(run, "trap.y", Steps(trap, 0.05)));
}

// The recurrences themselves; a transfer function also as its difference equation.
TEST(EventsSignal, DiscreteTransferFunctionAndStateSpace) {
  const auto run = RunBody(std::string(kInput) + R"(
    tf : DiscreteTransferFunction(n = 2, num = [0.5, 0.2, -0.1], den = [2, -2.4, 0.9], k = 3, period = 50 ms)
    ss : DiscreteStateSpace(n = 2, A = [[0.9, 0.2], [-0.3, 0.7]], B = [[1], [0.5]], C = [[1, -2]], D = [[0.4]], k = 2,
                            period = 50 ms)
    connect mix.y -> tf.u
    connect mix.y -> ss.u[1])",
                           1.99);
  const auto u = Inputs(0.05, 50);
  std::vector<double> tf, ss;
  double x1 = 0, x2 = 0;
  for (size_t k = 0; k < u.size(); ++k) {
    const auto in = [&](size_t i) { return k >= i ? u[k - i] : 0; };
    const auto out = [&](size_t i) { return k >= i ? tf[k - i] : 0; };
    tf.push_back((3 * (0.5 * in(0) + 0.2 * in(1) - 0.1 * in(2)) + 2.4 * out(1) - 0.9 * out(2)) / 2);
    ss.push_back(2 * (x1 - 2 * x2 + 0.4 * u[k]));
    const double y1 = 0.9 * x1 + 0.2 * x2 + u[k], y2 = -0.3 * x1 + 0.7 * x2 + 0.5 * u[k];
    x1 = y1, x2 = y2;
  }
  Close("discrete transfer function", EventError(run, "tf.y", Steps(tf, 0.05)));
  Close("discrete state space", EventError(run, "ss.y[1]", Steps(ss, 0.05)));
}

// --- Sampled controllers -----------------------------------------------------------------------------------

// A loop with a lag k/(T*s + 1), which between samples goes exponentially: x[k + 1] = a*x[k] + (1 - a)*y[k]
// (Franklin, Powell & Workman, §4.3). The controllers' recurrences are those of implicit Euler, written out.
TEST(EventsSignal, SampledControllersInALoop) {
  for (const double limit : {0.0, 1.3}) {
    const std::string bound = limit > 0 ? ", limit = 1.3" : "";
    const auto run = RunBody("pi : SampledPI(kp = 1.5, ki = 8 1/s, period = 20 ms, Tt = 60 ms" + bound + R"()
      pid  : SampledPID(kp = 1.5, ki = 8 1/s, kd = 0.02 s, period = 20 ms, Tf = 15 ms, Tt = 60 ms, b = 0.8, c = 0.3)" +
                                 bound + R"()
      goal : Constant(k = 1)
      p1, p2 : FirstOrder(k = 1, T = 0.1 s, start y = 0 fixed)
      connect goal.y -> pi.target, pid.target
      connect p1.y -> pi.measured
      connect p2.y -> pid.measured
      connect pi.y -> p1.u
      connect pid.y -> p2.u)",
                             1.01);
    const double h = 0.02, tf = 0.015, tt = 0.06, a = std::exp(-h / 0.1);
    const auto held = [&](double y) { return limit > 0 ? std::clamp(y, -limit, limit) : y; };
    std::vector<double> y1, y2, x1{0}, x2{0};
    double i1 = 0, i2 = 0, f = 0;
    for (int k = 0; k <= 51; ++k) {
      const double e1 = 1 - x1.back(), e2 = 1 - x2.back();
      const double free1 = 1.5 * e1 + i1 + 8 * h * e1;
      y1.push_back(held(free1));
      i1 += 8 * h * e1 + h / (tt + h) * (y1.back() - free1);
      const double d = 0.3 - x2.back(), next = (tf * f + h * d) / (tf + h);
      const double free2 = 1.5 * (0.8 - x2.back()) + i2 + 8 * h * e2 + 0.02 * (next - f) / h;
      f = next;
      y2.push_back(held(free2));
      i2 += 8 * h * e2 + h / (tt + h) * (y2.back() - free2);
      x1.push_back(a * x1.back() + (1 - a) * y1.back());
      x2.push_back(a * x2.back() + (1 - a) * y2.back());
    }
    const auto between = [&](const std::vector<double>& x, const std::vector<double>& y) {
      return [&x, &y, h](double t) {
        const auto k = static_cast<size_t>(t / h + 1e-9);
        return y[k] + (x[k] - y[k]) * std::exp(-(t - h * static_cast<double>(k)) / 0.1);
      };
    };
    Close("sampled PI", EventError(run, "pi.y", Steps(y1, h)));
    Close("sampled PID", EventError(run, "pid.y", Steps(y2, h)));
    Close("plant behind PI", run.Error("p1.y", between(x1, y1)));
    Close("plant behind PID", run.Error("p2.y", between(x2, y2)));
  }
}

// Two clocks in one loop, one three times as slow: a slow integrator behind a fast average.
TEST(EventsSignal, ClocksOfDifferentPeriods) {
  const auto run = RunBody(std::string(kInput) + R"(
    fast : MovingAverage(n = 3, period = 10 ms)
    slow : DiscreteIntegrator(period = 30 ms) as backward
    connect mix.y -> fast.u
    connect fast.y -> slow.u)",
                           0.995);
  const auto u = Inputs(0.01, 100);
  std::vector<double> out;
  double sum = 0;
  for (size_t k = 0; k < u.size(); k += 3) {
    sum += 0.03 * (u[k] + (k >= 1 ? u[k - 1] : 0) + (k >= 2 ? u[k - 2] : 0)) / 3;
    out.push_back(sum);
  }
  Close("two clocks", EventError(run, "slow.y", Steps(out, 0.03)));
}

}  // namespace
}  // namespace cotree::test
