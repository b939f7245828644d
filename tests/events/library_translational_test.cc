// SPDX-License-Identifier: Apache-2.0
// Translational components with modes against closed forms.
#include "events/event_curves.h"

namespace cotree::test {
namespace {

double Sq(double x) {
  return x * x;
}

// --- Friction ----------------------------------------------------------------------------------------------

// Coulomb (Meriam & Kraige, Statics, ch. 6): a block on a slope stays while tan(angle) < mu; above, it slides
// with g*(sin(angle) - mu*cos(angle)).
TEST(EventsTranslational, FrictionOnASlope) {
  const double mu = 0.4, rad = kPi / 180, m = 2;
  for (const double angle : {21.0, 24.0}) {
    char friction[80];
    std::snprintf(friction, sizeof friction, "%.17g N", mu * m * kGravity * std::cos(angle * rad));
    const auto run = RunBody("block : HangingMass(m = 2 kg, angle = " + std::to_string(angle) +
                                 " deg)\n slope : Friction(f_coulomb = " + friction +
                                 ")\n connect block.a -- slope.a\n connect slope.b -- translational.ground",
                             3);
    const double acc = kGravity * (std::sin(angle * rad) - mu * std::cos(angle * rad));
    if (acc < 0) {
      for (const double s : run["block.s"]) EXPECT_EQ(s, 0);
      Close("slope, stuck: force",
            run.Error("slope.f", [&](double) { return -m * kGravity * std::sin(angle * rad); }));
    } else {
      Close("slope, sliding", run.Error("block.s", [&](double t) { return -acc * t * t / 2; }));
    }
  }
}

// By hand: pulled by F = c*t it breaks away at t0 = f/c; then m*v = c*(t - t0)^2/2.
TEST(EventsTranslational, FrictionBreaksAway) {
  for (const double c : {3.0, -3.0}) {
    const auto run = RunBody("pull : Ramp(slope = " + std::to_string(c) + R"( N/s)
      source : SignalForceSource
      mass   : Mass(m = 2 kg)
      slide  : Friction(f_coulomb = 4 N)
      connect pull.y -> source.u
      connect source.b -- mass.a -- slide.a
      connect source.a -- slide.b -- translational.ground)",
                             3);
    const double t0 = 4.0 / 3;
    Close("breaks away: speed",
          run.Error("mass.v", [&](double t) { return t < t0 ? 0 : c * Sq(t - t0) / 4; }));
    Close("breaks away: way",
          run.Error("mass.s", [&](double t) { return t < t0 ? 0 : c * (t - t0) * Sq(t - t0) / 12; }));
    Close("breaks away: time", TimesError(Jumps(run, "slide.mode"), {t0}), kEventTime);
  }
}

// By hand: m*v' = -f - d*v; v = (v0 + f/d)*exp(-d*t/m) - f/d until it rests, at m/d*log(1 + d*v0/f).
TEST(EventsTranslational, FrictionBringsToRest) {
  for (const double v0 : {3.0, -3.0}) {
    const auto run = RunBody("mass : Mass(m = 2 kg, start v = " + std::to_string(v0) + R"( m/s fixed)
      slide : Friction(f_coulomb = 4 N, d = 1 N*s/m)
      connect mass.a -- slide.a
      connect slide.b -- translational.ground)",
                             2);
    const double end = 2 * std::log1p(0.75);
    const auto sign = v0 / 3;
    Close("comes to rest: speed",
          run.Error("mass.v", [&](double t) { return t < end ? sign * (7 * std::exp(-t / 2) - 4) : 0; }));
    const auto way = [](double t) { return 14 * (1 - std::exp(-t / 2)) - 4 * t; };
    Close("comes to rest: way", run.Error("mass.s", [&](double t) { return sign * way(std::min(t, end)); }));
    Close("comes to rest: time", TimesError(Jumps(run, "slide.mode"), {end}), kEventTime);
    EXPECT_EQ(run.End("mass.v"), 0);
  }
}

// Stribeck's curve (Olsson et al., Friction models and friction compensation, Eur. J. Control 4, 1998, eq.
// 4): the time to rest is the integral of m/f(v), here by Simpson's rule.
TEST(EventsTranslational, FrictionOfStribeck) {
  const auto run = RunBody(R"(
    mass  : Mass(m = 2 kg, start v = 0.5 m/s fixed)
    slide : Friction(f_coulomb = 4 N, f_static = 6 N, v_stribeck = 0.1 m/s, d = 1 N*s/m)
    connect mass.a -- slide.a
    connect slide.b -- translational.ground)",
                           0.4);
  const auto force = [](double v) { return 4 + v + 2 * std::exp(-Sq(v / 0.1)); };
  double end = 0;
  const int n = 20000;
  for (int k = 0; k <= n; ++k)
    end += (k == 0 || k == n ? 1 : k % 2 == 1 ? 4 : 2) * 2 / force(0.5 * k / n) * 0.5 / n / 3;
  Close("Stribeck: time to rest", TimesError(Jumps(run, "slide.mode"), {end}), kEventTime);
  double worst = 0;
  for (size_t k = 0; k < run.times().size(); ++k) {
    const double v = run["mass.v"][k];
    if (v > 0) worst = std::max(worst, std::fabs(run["slide.f"][k] - force(v)));
  }
  Close("Stribeck: force", worst / 6);
}

// Den Hartog, Forced vibrations with combined Coulomb and viscous friction (Trans. ASME 53, 1931); free
// vibration after Meirovitch, Fundamentals of Vibrations, §3.11: cosines about +-f/k, each half swing smaller
// by 2*f/k, until the spring cannot break away: 0.95 m, 0.75, 0.55, 0.35, 0.15, then stuck at 0.05 m beyond
// the middle.
TEST(EventsTranslational, FrictionDampsASwing) {
  const auto run = RunBody(R"(
    mass   : Mass(m = 2 kg, start s = 0.95 m fixed)
    spring : Spring(k = 50 N/m)
    slide  : Friction(f_coulomb = 5 N)
    connect mass.a -- spring.a -- slide.a
    connect spring.b -- slide.b -- translational.ground)",
                           4);
  const auto s = [](double t) {
    const double half = kPi / 5;
    double swing = 0.95, sign = 1;
    while (t > half && swing > 0.1) t -= half, swing -= 0.2, sign = -sign;
    if (swing <= 0.1) return sign * swing;
    return sign * (0.1 + (swing - 0.1) * std::cos(5 * t));
  };
  Close("swing with friction", run.Error("mass.s", s));
  EXPECT_NEAR(run.End("mass.s"), s(4), 1e-6);
  EXPECT_EQ(run.End("mass.v"), 0);
  std::vector<double> turns;
  for (int k = 1; k <= 5; ++k) turns.push_back(k * kPi / 5);
  Close("swing with friction: turns", MissedEvents(run, turns), kEventTime);
}

/// By hand: a block on a table with the speed V*sin(w*t). It slides with +-a (a = mu*g) until the speeds are
/// equal; then it sticks if the table's acceleration is no more than a, until it is.
Pieces BlockOnTable(double amplitude, double w, double a, double stop, std::vector<double>* changes) {
  const auto table = [=](double t) { return amplitude * std::sin(w * t); };
  const auto acc = [=](double t) { return amplitude * w * std::cos(w * t); };
  Pieces speed;
  double t = 0, v = 0;
  while (t < stop) {
    if (std::fabs(acc(t)) <= a) {
      speed.Add(t, table);
      t = FirstZero([&](double x) { return a - std::fabs(acc(x)); }, t + 1e-12, 1e-4, stop);
      v = table(t);
    } else {
      const double sign = acc(t) > 0 ? 1 : -1, begin = t, from = v;
      const Curve sliding = [=](double x) { return from + sign * a * (x - begin); };
      speed.Add(t, sliding);
      t = FirstZero([&](double x) { return sign * (table(x) - sliding(x)); }, t + 1e-6, 1e-4, stop);
      v = table(t);
    }
    // A little past the zero, so that acc decides for the new phase.
    if (std::fabs(std::fabs(acc(t)) - a) < 1e-9) t += 1e-12;
    if (t < stop) changes->push_back(t);
  }
  return speed;
}

// With both integrators: sticking, the speeds differ by rounding only, to and fro.
TEST(EventsTranslational, BlockOnAShakingTable) {
  for (const double amplitude : {0.12, 0.3, 1.0}) {  // table's acceleration by mu*g: 0.75, 1.9, 6.3
    for (const Method method : {Method::kBdf, Method::kExplicit}) {
      RunOf run("system S { shake : Sine(frequency = 1 Hz, amplitude = " + std::to_string(amplitude) +
                R"( m/s)
        board : SignalVelocitySource
        block : Mass(m = 3 kg)
        touch : Friction(f_coulomb = 3 N)
        connect shake.y -> board.u
        connect board.a -- touch.a
        connect block.a -- touch.b
        connect board.b -- translational.ground })");
      run.Simulate(3.3, 1e-8, method);
      std::vector<double> changes;
      const Pieces speed = BlockOnTable(amplitude, 2 * kPi, 1, 3.3, &changes);
      Close("shaking table: speed", run.Error("block.v", [&](double t) { return speed(t); }));
      Close("shaking table: times", MissedEvents(run, changes), kEventTime);
    }
  }
}

// By hand: a block on a block, both at rest, the lower one pulled with 30 N for 1 s: it goes off with (30 -
// 10 - 4)/3, the upper one with 4 m/s^2. Then the lower one slows down by 14/3 until both are equally fast,
// at 1 + 2/13 s; together they slow down by 2.5 and rest at 3 s.
TEST(EventsTranslational, BlockOnABlock) {
  const auto run = RunBody(R"(
    pull   : Step(offset = 30 N, height = -30 N, start = 1 s)
    source : SignalForceSource
    top    : Mass(m = 1 kg)
    base   : Mass(m = 3 kg)
    upper  : Friction(f_coulomb = 4 N)
    lower  : Friction(f_coulomb = 10 N)
    connect pull.y -> source.u
    connect source.b -- base.a -- lower.a -- upper.b
    connect top.a -- upper.a
    connect source.a -- lower.b -- translational.ground)",
                           4);
  const double equal = 1 + 2.0 / 13;
  const auto together = [](double t) { return std::max(0.0, 2.5 * (3 - t)); };
  Close("block on a block: lower", run.Error("base.v", [&](double t) {
    return t < 1 ? 16.0 / 3 * t : t < equal ? 16.0 / 3 - 14.0 / 3 * (t - 1) : together(t);
  }));
  Close("block on a block: upper",
        run.Error("top.v", [&](double t) { return t < equal ? 4 * t : together(t); }));
  Close("block on a block: times", MissedEvents(run, {equal, 3}), kEventTime);
  EXPECT_EQ(run.End("base.v"), 0);
  EXPECT_NEAR(run.End("top.v"), 0, 1e-12);  // reinit sets the speed of the lower one only
}

// By hand, and Thomsen & Fidlin, Analytical approximations for stick-slip vibration amplitudes (Int. J.
// Non-Linear Mechanics 38, 2003): with the belt until k*x = Fs; then a swing about Fk/k, until the speeds are
// equal again, at x = (2*Fk - Fs)/k. LinearBrake: Coulomb's friction with a static limit and no Stribeck
// effect.
TEST(EventsTranslational, StickSlipOverABelt) {
  const auto run = RunBody(R"(
    press  : Constant(k = 10 N)
    belt   : VelocitySource(velocity = 0.5 m/s)
    touch  : LinearBrake(mu = 0.4, mu_static = 0.6)
    mass   : Mass(m = 2 kg, start v = 0.5 m/s fixed)
    spring : Spring(k = 50 N/m)
    connect press.y -> touch.u
    connect belt.a -- touch.b
    connect mass.a -- touch.a -- spring.a
    connect spring.b -- belt.b -- translational.ground)",
                           6);
  const double fs = 12, fk = 8, k = 50, w = 5, v = 0.5, d = (fs - fk) / k;
  const double slip = (2 * kPi - 2 * std::atan(d * w / v)) / w, stick = 2 * d / v, first = fs / k / v;
  const auto x = [&](double t) {
    if (t < first) return v * t;
    t = std::fmod(t - first, slip + stick);
    if (t < slip) return fk / k + d * std::cos(w * t) + v / w * std::sin(w * t);
    return (2 * fk - fs) / k + v * (t - slip);
  };
  Close("stick-slip: way", run.Error("mass.s", x));
  std::vector<double> changes;
  for (double t = first; t < 6; t += slip + stick) {
    changes.push_back(t);
    if (t + slip < 6) changes.push_back(t + slip);
  }
  Close("stick-slip: times", TimesError(Jumps(run, "touch.mode"), changes), kEventTime);
}

// By hand: braked from 3 m/s with 2*0.4*5 N on 2 kg it rests at 1.5 s, held against 3 N; at 3 s the pads open
// and it goes off with 1.5 m/s^2.
TEST(EventsTranslational, LinearBrakeHoldsAndLetsGo) {
  const auto run = RunBody(R"(
    press : Step(offset = 5 N, height = -6 N, start = 3 s)
    load  : Step(height = 3 N, start = 2 s)
    force : SignalForceSource
    mass  : Mass(m = 2 kg, start v = 3 m/s fixed)
    brake : LinearBrake
    connect press.y -> brake.u
    connect load.y -> force.u
    connect force.b -- mass.a -- brake.a
    connect force.a -- brake.b -- translational.ground)",
                           4);
  Close("brake: speed", run.Error("mass.v", [](double t) {
    return t < 1.5 ? 3 - 2 * t : t < 3 ? 0 : 1.5 * (t - 3);
  }));
  Close("brake: force", EventError(run, "brake.f", [](double t) {
          return t < 1.5 ? 4 : t < 2 ? 0 : t < 3 ? 3 : 0;
        }));
  Close("brake: times", TimesError(Jumps(run, "brake.mode"), {1.5, 3}), kEventTime);
}

// --- Contact -----------------------------------------------------------------------------------------------

/// By hand: a mass let go at h over an elastic floor of w^2 = k/m: falls, half swings about -g/w^2, flies
/// again.
double Bounce(double h, double w, double t) {
  const double v = std::sqrt(2 * kGravity * h), fall = v / kGravity, rest = kGravity / (w * w);
  const double contact = 2 * (kPi - std::atan(v / w / rest)) / w;
  double x = std::fmod(t + fall, 2 * fall + contact);  // begins at the floor, upwards
  if (x < 2 * fall) return v * x - kGravity * x * x / 2;
  x -= 2 * fall;
  return -rest + rest * std::cos(w * x) - v / w * std::sin(w * x);
}

TEST(EventsTranslational, ElastoGapBounces) {
  const auto run = RunBody(R"(
    ball  : HangingMass(m = 2 kg, start s = 0.5 m fixed)
    floor : ElastoGap(k = 20000 N/m)
    connect ball.a -- floor.a
    connect floor.b -- translational.ground)",
                           4);
  Close("bounce on ElastoGap", run.Error("ball.s", [](double t) { return Bounce(0.5, 100, t); }));
  Close("bounce on ElastoGap: touch", MissedEvents(run, {std::sqrt(1 / kGravity)}), kEventTime);
}

TEST(EventsTranslational, EndStopAndBacklash) {
  for (const char* stop : {"stop : EndStop(s_min = -0.3 m, s_max = 0.3 m, k = 200 N/m, d = 0 N*s/m)",
                           "stop : Backlash(gap = 0.6 m, k = 200 N/m)"}) {
    const auto run = RunBody(std::string(stop) + R"(
      mass : Mass(m = 2 kg, start v = 1 m/s fixed)
      connect mass.a -- stop.a
      connect stop.b -- translational.ground)",
                             3);
    Close("between stops", run.Error("mass.s", [](double t) { return BetweenStops(0.3, 1, 10, t); }));
    Close("between stops: touches",
          MissedEvents(run, {0.3, 0.3 + kPi / 10, 0.9 + kPi / 10, 0.9 + 2 * kPi / 10}), kEventTime);
  }
  for (const char* stop : {"stop : EndStop(s_min = -0.3 m, s_max = 0.3 m, k = 200 N/m, d = 12 N*s/m)",
                           "stop : Backlash(gap = 0.6 m, k = 200 N/m, d = 12 N*s/m)"}) {
    const auto run = RunBody(std::string(stop) + R"(
      mass : Mass(m = 2 kg, start v = -1 m/s fixed)
      connect mass.a -- stop.a
      connect stop.b -- translational.ground)",
                             0.8);
    Close("damped stop", run.Error("mass.s", [](double t) {
      return -(t < 0.3 ? t : 0.3 + HitAndLeave(10, 3, 1, t - 0.3));
    }));
    const auto x = [](double t) { return HitAndLeave(10, 3, 1, t); };  // leaves where it touched
    Close("damped stop: leaves", MissedEvents(run, {0.3, 0.3 + Bisect(x, 0.1, 0.45)}), kEventTime);
  }
}

// By hand: across the play masses exchange momentum; the centre goes on evenly, the distance swings as
// between stops.
TEST(EventsTranslational, BacklashBetweenMasses) {
  const auto run = RunBody(R"(
    m1   : Mass(m = 2 kg, start v = 1 m/s fixed)
    m2   : Mass(m = 6 kg)
    play : Backlash(gap = 0.2 m, k = 600 N/m)
    connect m1.a -- play.a
    connect m2.a -- play.b)",
                           3);
  const double w = std::sqrt(600 / 1.5);
  Close("play between masses",
        run.Error("m1.s", [&](double t) { return 0.25 * t + 0.75 * BetweenStops(0.1, 1, w, t); }));
  Close("play between masses: other",
        run.Error("m2.s", [&](double t) { return 0.25 * t - 0.25 * BetweenStops(0.1, 1, w, t); }));
}

}  // namespace
}  // namespace cotree::test
