// SPDX-License-Identifier: Apache-2.0
// Rotational components with modes against closed forms.
#include "events/event_curves.h"

namespace cotree::test {
namespace {

double Sq(double x) {
  return x * x;
}

/// A motion of constant accelerations, each from its time on, from rest at 0; stays at rest with `hold`.
struct Stages {
  std::vector<double> begins, accelerations;
  double Speed(double t) const {
    double w = 0;
    for (size_t k = 0; k < begins.size() && t > begins[k]; ++k) {
      const double end = k + 1 < begins.size() ? std::min(t, begins[k + 1]) : t;
      w += accelerations[k] * (end - begins[k]);
    }
    return w;
  }
  double Angle(double t) const {
    double phi = 0;
    for (size_t k = 0; k < begins.size() && t > begins[k]; ++k) {
      const double end = k + 1 < begins.size() ? std::min(t, begins[k + 1]) : t, h = end - begins[k];
      phi += Speed(begins[k]) * h + accelerations[k] * h * h / 2;
    }
    return phi;
  }
};

// --- Friction ----------------------------------------------------------------------------------------------

// By hand, as translational.Friction: away at tau/c, to rest at J/d*log(1 + d*w0/tau).
TEST(EventsRotational, FrictionBreaksAwayAndBringsToRest) {
  for (const double sign : {1.0, -1.0}) {
    const auto run = RunBody("pull : Ramp(slope = " + std::to_string(3 * sign) + R"( N*m/s)
      source : SignalTorqueSource
      disc   : Inertia(J = 2 kg*m^2)
      slide  : RotationalFriction(tau_coulomb = 4 N*m)
      other  : Inertia(J = 2 kg*m^2, start w = )" +
                                 std::to_string(3 * sign) + R"( rad/s fixed)
      rest   : RotationalFriction(tau_coulomb = 4 N*m, d = 1 N*m*s/rad)
      connect pull.y -> source.u
      connect source.b -- disc.a -- slide.a
      connect other.a -- rest.a
      connect source.a -- slide.b -- rest.b -- rotational.ground)",
                             3);
    const double t0 = 4.0 / 3, end = 2 * std::log1p(0.75);
    Close("breaks away: speed", run.Error("disc.w", [&](double t) { return t < t0 ? 0 : sign * 0.75 * Sq(t - t0); }));
    Close("breaks away: time", TimesError(Jumps(run, "slide.mode"), {t0}), kEventTime);
    Close("comes to rest: speed",
          run.Error("other.w", [&](double t) { return t < end ? sign * (7 * std::exp(-t / 2) - 4) : 0; }));
    Close("comes to rest: time", TimesError(Jumps(run, "rest.mode"), {end}), kEventTime);
    EXPECT_EQ(run.End("other.w"), 0);
  }
}

// The same as on a slope: a torque beyond the friction from the start.
TEST(EventsRotational, FrictionSlidesFromTheStart) {
  for (const double torque : {5.0, -5.0, 3.0}) {
    const auto run = RunBody("source : TorqueSource(torque = " + std::to_string(torque) + R"( N*m)
      disc  : Inertia(J = 2 kg*m^2)
      slide : RotationalFriction(tau_coulomb = 4 N*m)
      connect source.b -- disc.a -- slide.a
      connect source.a -- slide.b -- rotational.ground)",
                             2);
    const double acc = torque == 3 ? 0 : torque / 10;
    Close("from the start", run.Error("disc.w", [&](double t) { return acc * t; }));
  }
}

// Stribeck's curve: the time to rest is the integral of J/tau(w), by Simpson's rule.
TEST(EventsRotational, FrictionOfStribeck) {
  const auto run = RunBody(R"(
    disc  : Inertia(J = 2 kg*m^2, start w = -0.5 rad/s fixed)
    slide : RotationalFriction(tau_coulomb = 4 N*m, tau_static = 6 N*m, w_stribeck = 0.2 rad/s, d = 1 N*m*s/rad)
    connect disc.a -- slide.a
    connect slide.b -- rotational.ground)",
                           0.4);
  double end = 0;
  const int n = 20000;
  for (int k = 0; k <= n; ++k) {
    const double w = 0.5 * k / n;
    end += (k == 0 || k == n ? 1 : k % 2 == 1 ? 4 : 2) * 2 / (4 + w + 2 * std::exp(-Sq(w / 0.2))) * 0.5 / n / 3;
  }
  Close("Stribeck: time to rest", TimesError(Jumps(run, "slide.mode"), {end}), kEventTime);
}

// Stick-slip as in translational, here with RotationalFriction between two discs: the driven one turns evenly.
// Two modes of Coulomb alone: Stribeck's excess is passed through with w_stribeck far below the speeds.
// By hand: a clutch's slip dw falls by tau*(1/J1 + 1/J2); the common speed follows from the momentum; the loss is
// J1*J2/(J1 + J2)*dw^2/2 (Dubbel, Taschenbuch für den Maschinenbau, G 3).
TEST(EventsRotational, ClutchEngages) {
  const auto run = RunBody(R"(
    press  : Step(height = 50 N, start = 0.5 s)
    torque : Step(height = 6 N*m, start = 3 s)
    engine : SignalTorqueSource
    j1     : Inertia(J = 2 kg*m^2, start w = 10 rad/s fixed)
    j2     : Inertia(J = 3 kg*m^2)
    clutch : Clutch(radius = 0.1 m)
    lost   : Integrator
    power  : Product
    connect press.y -> clutch.u
    connect torque.y -> engine.u
    connect clutch.e.tau -> power.u1
    connect clutch.e.w -> power.u2
    connect power.y -> lost.u
    connect engine.b -- j1.a -- clutch.a
    connect j2.a -- clutch.b
    connect engine.a -- rotational.ground)",
                           4);
  const double tau = 4, end = 0.5 + 10 / (tau / 2 + tau / 3);
  Close("clutch: first", run.Error("j1.w", [&](double t) {
          return t < 0.5 ? 10 : t < end ? 10 - 2 * (t - 0.5) : t < 3 ? 4 : 4 + 1.2 * (t - 3);
        }),
        t_limit);
  Close("clutch: second", run.Error("j2.w", [&](double t) {
          return t < 0.5 ? 0 : t < end ? tau / 3 * (t - 0.5) : t < 3 ? 4 : 4 + 1.2 * (t - 3);
        }));
  Close("clutch: time", TimesError(Jumps(run, "clutch.mode"), {end}), kEventTime);
  Close("clutch: loss", std::fabs(run.End("lost.y") - 0.5 * 1.2 * 100) / 60);
  Close("clutch: torque when stuck", std::fabs(run.End("clutch.tau") - 3.6) / 3.6);
}

}  // namespace
}  // namespace cotree::test
