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
    Close("breaks away: speed",
          run.Error("disc.w", [&](double t) { return t < t0 ? 0 : sign * 0.75 * Sq(t - t0); }));
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
    end += (k == 0 || k == n ? 1
            : k % 2 == 1     ? 4
                             : 2) *
           2 / (4 + w + 2 * std::exp(-Sq(w / 0.2))) * 0.5 / n / 3;
  }
  Close("Stribeck: time to rest", TimesError(Jumps(run, "slide.mode"), {end}), kEventTime);
}

// By hand: a clutch's slip dw falls by tau*(1/J1 + 1/J2); the common speed follows from the momentum; the
// loss is J1*J2/(J1 + J2)*dw^2/2 (Dubbel, Taschenbuch für den Maschinenbau, G 3).
TEST(EventsRotational, ClutchEngages) {
  const auto run = RunBody(R"(
    press  : Step(height = 50 N, start = 0.5 s)
    torque : Step(height = 6 N*m, start = 4 s)
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
                           5);
  const double tau = 4, end = 0.5 + 10 / (tau / 2 + tau / 3);
  Close("clutch: first", run.Error("j1.w", [&](double t) {
    return t < 0.5 ? 10 : t < end ? 10 - 2 * (t - 0.5) : t < 4 ? 4 : 4 + 1.2 * (t - 4);
  }));
  Close("clutch: second", run.Error("j2.w", [&](double t) {
    return t < 0.5 ? 0 : t < end ? tau / 3 * (t - 0.5) : t < 4 ? 4 : 4 + 1.2 * (t - 4);
  }));
  Close("clutch: time", TimesError(Jumps(run, "clutch.mode"), {end}), kEventTime);
  Close("clutch: loss", std::fabs(run.End("lost.y") - 0.5 * 1.2 * 100) / 60);
  Close("clutch: torque when stuck", std::fabs(run.End("clutch.tau") - 3.6) / 3.6);
}

// By hand: stuck, the clutch carries T*J2/(J1 + J2); at 0.6*T = 2*0.1*0.5*50 N*m it slips, with mu = 0.4 from
// then on.
TEST(EventsRotational, ClutchSlips) {
  const auto run = RunBody(R"(
    press  : Constant(k = 50 N)
    torque : Ramp(slope = 4 N*m/s)
    engine : SignalTorqueSource
    j1     : Inertia(J = 2 kg*m^2)
    j2     : Inertia(J = 3 kg*m^2)
    clutch : Clutch(radius = 0.1 m, mu_static = 0.5)
    connect press.y -> clutch.u
    connect torque.y -> engine.u
    connect engine.b -- j1.a -- clutch.a
    connect j2.a -- clutch.b
    connect engine.a -- rotational.ground)",
                           4);
  const double t0 = 5 / 0.6 / 4, w0 = 0.4 * t0 * t0;
  Close("clutch slips: first", run.Error("j1.w", [&](double t) {
    return t < t0 ? 0.4 * t * t : w0 + t * t - t0 * t0 - 2 * (t - t0);
  }));
  Close("clutch slips: second",
        run.Error("j2.w", [&](double t) { return t < t0 ? 0.4 * t * t : w0 + 4.0 / 3 * (t - t0); }));
  Close("clutch slips: time", TimesError(Jumps(run, "clutch.mode"), {t0}), kEventTime);
}

// By hand: J*w/tau = 2*6/8 s to rest; held against 5 N*m; let go at 3 s; braked again at 4 s, backwards now:
// the load pulls with -5 N*m, so it slows down by (8 - 5)/2 rad/s^2 and rests at 4 + 2.5/1.5 s.
TEST(EventsRotational, BrakeStopsHoldsAndLetsGo) {
  const auto run = RunBody(R"(
    press  : Pulse(low = -10 N, high = 100 N, period = 4 s, width = 3 s)
    load   : Step(height = -5 N*m, start = 2 s)
    torque : SignalTorqueSource
    disc   : Inertia(J = 2 kg*m^2, start w = 6 rad/s fixed)
    brake  : Brake(radius = 0.1 m)
    connect press.y -> brake.u
    connect load.y -> torque.u
    connect torque.b -- disc.a -- brake.shaft
    connect torque.a -- brake.housing -- rotational.ground)",
                           6.5);
  const double end = 4 + 2.5 / 1.5;
  Close("brake: speed", run.Error("disc.w", [&](double t) {
    return t < 1.5 ? 6 - 4 * t : t < 3 ? 0 : t < 4 ? -2.5 * (t - 3) : t < end ? 1.5 * (t - end) : 0;
  }));
  Close("brake: torque", EventError(run, "brake.tau", [&](double t) {
          return t < 1.5 ? 8 : t < 2 ? 0 : t < 3 ? -5 : t < 4 ? 0 : t < end ? -8 : -5;
        }));
  Close("brake: times", TimesError(Jumps(run, "brake.mode"), {1.5, 3, end}), kEventTime);
}

// --- Gears with losses -------------------------------------------------------------------------------------

/// A torque that steps at 1, 2, 3, ... s.
std::string Torques(const std::vector<double>& values) {
  std::string out, sum;
  double last = 0;
  for (size_t k = 0; k < values.size(); ++k) {
    const std::string n = std::to_string(k + 1);
    out += "t" + n + " : Step(height = " + std::to_string(values[k] - last) +
           " N*m, start = " + std::to_string(k) + " s)\n connect t" + n + ".y -> total.u[" + n + "]\n";
    last = values[k];
  }
  return "total : Sum(n = " + std::to_string(values.size()) + ")\n drive : SignalTorqueSource\n" + out +
         "connect total.y -> drive.u\n connect drive.a -- rotational.ground\n";
}

/// By hand: the load's torque seen at a is `load`, its inertia seen there `inertia`. What the gear takes at a
/// is (load + inertia*acc)/efficiency forwards and efficiency_back times that backwards; at rest it holds
/// between the two.
struct LossyMotion {
  double ja, load, inertia, efficiency, back;
  double Forward(double torque) const { return (torque - load / efficiency) / (ja + inertia / efficiency); }
  double Backward(double torque) const { return (torque - back * load) / (ja + back * inertia); }
};

// 1 N*m holds; 2 drives forwards; 1 comes to rest and holds; 0.4 lets it go backwards; 1.4 brings it to rest
// and, above 1.25, forwards at once.
TEST(EventsRotational, LossyGearBothWays) {
  const LossyMotion m{0.5, 1, 6.0 / 16, 0.8, 0.7};
  const auto run = RunBody(Torques({1, 2, 1, 1, 1, 1, 0.4, 1.4}) + R"(
    ja     : Inertia(J = 0.5 kg*m^2)
    gear   : LossyGear(ratio = 4, efficiency = 0.8, efficiency_back = 0.7)
    jb     : Inertia(J = 6 kg*m^2)
    load   : TorqueSource(torque = 4 N*m)
    connect drive.b -- ja.a -- gear.a
    connect gear.b -- jb.a -- load.a
    connect load.b -- rotational.ground)",
                           9);
  const double top = m.Forward(2), rest = 2 - top / m.Forward(1), low = m.Backward(0.4),
               turn = 7 - low / m.Backward(1.4);
  ASSERT_LT(rest, 6);
  ASSERT_LT(turn, 9);
  const Stages stages{{0, 1, 2, rest, 6, 7, turn},
                      {0, m.Forward(2), m.Forward(1), 0, m.Backward(0.4), m.Backward(1.4), m.Forward(1.4)}};
  Close("lossy gear: speed", run.Error("ja.w", [&](double t) { return stages.Speed(t); }));
  Close("lossy gear: angle", run.Error("ja.phi", [&](double t) { return stages.Angle(t); }));
  Close("lossy gear: times", MissedEvents(run, {1, rest, 6, turn}), kEventTime);
}

// Dubbel, G 8: efficiency tan(gamma)/tan(gamma + rho), backwards tan(gamma - rho)/tan(gamma); with mu = 0.12
// and 5 deg it locks itself. Without torque it holds; 2 N*m lift; 0 brings to rest; -0.5 lowers; 0 brings to
// rest again.
TEST(EventsRotational, WormLocksItself) {
  const double gamma = 5 * kPi / 180, rho = std::atan(0.12);
  const LossyMotion m{0.5, 30.0 / 30, 90.0 / 900, std::tan(gamma) / std::tan(gamma + rho),
                      std::tan(gamma - rho) / std::tan(gamma)};
  ASSERT_LT(m.back, 0);
  const auto run = RunBody(Torques({0, 3, 0, -0.6, 0}) + R"(
    ja     : Inertia(J = 0.5 kg*m^2)
    worm   : Worm(ratio = 30, lead_angle = 5 deg, mu = 0.12) as lossy
    jb     : Inertia(J = 90 kg*m^2)
    load   : TorqueSource(torque = 30 N*m)
    connect drive.b -- ja.a -- worm.a
    connect worm.b -- jb.a -- load.a
    connect load.b -- rotational.ground)",
                           6);
  const double rest = 2 - m.Forward(3) / m.Forward(0), again = 4 - m.Backward(-0.6) / m.Backward(0);
  ASSERT_LT(rest, 3);
  ASSERT_LT(again, 6);
  const Stages stages{{0, 1, 2, rest, 3, 4, again},
                      {0, m.Forward(3), m.Forward(0), 0, m.Backward(-0.6), m.Backward(0), 0}};
  Close("worm: speed", run.Error("ja.w", [&](double t) { return stages.Speed(t); }));
  Close("worm: angle", run.Error("ja.phi", [&](double t) { return stages.Angle(t); }));
  Close("worm: times", MissedEvents(run, {1, rest, 3, again}), kEventTime);
  Close("worm: holds", std::fabs(run.End("worm.at_a.tau")));
}

// By hand, as above, with the load m*g*lead and the inertia m*lead^2.
TEST(EventsRotational, ScrewLiftsAndLowers) {
  const double lead = 0.02 / (2 * kPi), load = 500 * kGravity * lead;  // 15.6 N*m
  const LossyMotion m{0.5, load, 500 * lead * lead, 0.8, 2 - 1 / 0.8};
  const auto run = RunBody(Torques({15, 25, 12, 8, 25}) + R"(
    ja    : Inertia(J = 0.5 kg*m^2)
    screw : Screw(lead = 20 mm/rev, efficiency = 0.8) as lossy
    mass  : HangingMass(m = 500 kg)
    connect drive.b -- ja.a -- screw.a
    connect screw.b -- mass.a)",
                           5);
  const double rest = 2 - m.Forward(25) / m.Forward(12), turn = 4 - m.Backward(8) / m.Backward(25);
  ASSERT_GT(rest, 2);
  ASSERT_LT(rest, 3);
  ASSERT_LT(turn, 5);
  const Stages stages{{0, 1, 2, rest, 3, 4, turn},
                      {0, m.Forward(25), m.Forward(12), 0, m.Backward(8), m.Backward(25), m.Forward(25)}};
  Close("screw: speed", run.Error("ja.w", [&](double t) { return stages.Speed(t); }));
  Close("screw: way", run.Error("mass.s", [&](double t) { return lead * stages.Angle(t); }));
  Close("screw: times", MissedEvents(run, {1, rest, 3, turn}), kEventTime);
}

// By hand: a gear that is braked hard: the load's inertia drives a (load < 0) and the efficiency changes
// sides. Without a load torque: T*(1) forwards, then -T: load = inertia*acc < 0, T = (ja + back*inertia)*acc.
TEST(EventsRotational, LossyGearIsDrivenBack) {
  const auto run = RunBody(Torques({2, -1}) + R"(
    ja   : Inertia(J = 0.5 kg*m^2)
    gear : LossyGear(ratio = -4, efficiency = 0.8, efficiency_back = 0.7)
    jb   : Inertia(J = 6 kg*m^2)
    connect drive.b -- ja.a -- gear.a
    connect gear.b -- jb.a)",
                           6);
  const double forth = 2 / (0.5 + 0.375 / 0.8), slow = -1 / (0.5 + 0.7 * 0.375),
               back = -1 / (0.5 + 0.375 / 0.8);
  const Stages stages{{0, 1, 1 - forth / slow}, {forth, slow, back}};
  Close("driven back: speed", run.Error("ja.w", [&](double t) { return stages.Speed(t); }));
  Close("driven back: other side", run.Error("jb.w", [&](double t) { return -stages.Speed(t) / 4; }));
}

// --- Contact -----------------------------------------------------------------------------------------------

TEST(EventsRotational, EndStopAndBacklash) {
  for (const char* stop : {"stop : RotationalBacklash(gap = 0.6 rad, k = 200 N*m/rad)",
                           "stop : RotationalEndStop(phi_min = -0.3 rad, phi_max = 0.3 rad, k = 200 N*m/rad,"
                           " d = 0 N*m*s/rad)"}) {
    const auto run = RunBody(std::string(stop) + R"(
      disc : Inertia(J = 2 kg*m^2, start w = 1 rad/s fixed)
      connect disc.a -- stop.a
      connect stop.b -- rotational.ground)",
                             3);
    Close("between stops", run.Error("disc.phi", [](double t) { return BetweenStops(0.3, 1, 10, t); }));
    Close("between stops: touches",
          MissedEvents(run, {0.3, 0.3 + kPi / 10, 0.9 + kPi / 10, 0.9 + 2 * kPi / 10}), kEventTime);
  }
}

// By hand: play between two discs: the sum of momenta goes on, the twist moves as between stops.
TEST(EventsRotational, BacklashBetweenDiscs) {
  const auto run = RunBody(R"(
    j1   : Inertia(J = 2 kg*m^2, start w = 1 rad/s fixed)
    j2   : Inertia(J = 6 kg*m^2)
    play : RotationalBacklash(gap = 0.2 rad, k = 600 N*m/rad)
    connect j1.a -- play.a
    connect j2.a -- play.b)",
                           3);
  const double w = std::sqrt(600 / 1.5);
  Close("play between discs",
        run.Error("j1.phi", [&](double t) { return 0.25 * t + 0.75 * BetweenStops(0.1, 1, w, t); }));
}

// By hand: a mass thrown up from the taut rope of a fixed drum: flies, then swings on the rope about its
// rest.
TEST(EventsRotational, WinchGoesSlack) {
  const auto run = RunBody(R"(
    drum  : FixedAngle
    winch : Winch(radius = 0.1 m, k = 2000 N/m, d = 0 N*s/m) as elastic
    mass  : HangingMass(m = 2 kg, start s = 0.05 m fixed)
    connect drum.a -- winch.a
    connect winch.b -- mass.a)",
                           1.2);
  const double g = kGravity, w = std::sqrt(1000.0), v = std::sqrt(0.1 * g), fall = v / g, rest = g / 1000;
  const double contact = 2 * (kPi - std::atan(v / w / rest)) / w;
  const auto s = [&](double t) {
    double x = std::fmod(t + fall, 2 * fall + contact);
    if (x < 2 * fall) return v * x - g * x * x / 2;
    x -= 2 * fall;
    return -rest + rest * std::cos(w * x) - v / w * std::sin(w * x);
  };
  Close("winch", run.Error("mass.s", s));
  Close("winch: times", MissedEvents(run, {fall, fall + contact, 3 * fall + contact}), kEventTime);
}

}  // namespace
}  // namespace cotree::test
