// SPDX-License-Identifier: Apache-2.0
// Electrical components with modes and samples against closed forms.
#include "events/event_curves.h"

namespace cotree::test {
namespace {

constexpr double kW = 2 * kPi * 50;  // of the mains

/// x' = -a*x + b*sin(w*t) + c from x0 at t0; b, c and w as in the text of each test.
double DrivenLag(double a, double b, double c, double w, double t0, double x0, double t) {
  const auto forced = [&](double s) {
    return c / a + b * (a * std::sin(w * s) - w * std::cos(w * s)) / (a * a + w * w);
  };
  return forced(t) + (x0 - forced(t0)) * std::exp(-a * (t - t0));
}

// --- Diodes ------------------------------------------------------------------------------------------------

// By hand: blocking, i = Goff*vs/(1 + R*Goff); conducting, i = (vs - Vknee*(1 - Ron*Goff))/(R + Ron); the
// change is at vs = Vknee*(1 + R*Goff). With both 0 and no knee it is the half wave.
TEST(EventsElectrical, HalfWaveRectifier) {
  for (const bool ideal : {false, true}) {
    const auto run = RunBody(
        std::string("diode : IdealDiode(") +
            (ideal ? "Ron = 0 ohm, Goff = 0 S)" : "Ron = 0.5 ohm, Goff = 1e-3 S, Vknee = 0.7 V)") + R"(
      source : SineVoltageSource(amplitude = 10 V, frequency = 50 Hz)
      r      : Resistor(R = 10 ohm)
      connect source.p -- diode.p
      connect diode.n -- r.p
      connect source.n -- r.n -- electrical.ground)",
        0.05);
    const double ron = ideal ? 0 : 0.5, goff = ideal ? 0 : 1e-3, knee = ideal ? 0 : 0.7,
                 at = knee * (1 + 10 * goff);
    Close("half wave", run.Error("r.i", [&](double t) {
      const double vs = 10 * std::sin(kW * t);
      return vs < at ? goff * vs / (1 + 10 * goff) : (vs - knee * (1 - ron * goff)) / (10 + ron);
    }));
    std::vector<double> times;
    const double first = std::asin(at / 10) / kW;
    for (const double t : {first, 0.01 - first, 0.02 + first, 0.03 - first, 0.04 + first, 0.05 - first}) {
      if (t > 0 && t < 0.05) times.push_back(t);
    }
    Close("half wave: times", MissedEvents(run, times), kEventTime);
  }
}

// By hand (Sedra & Smith, Microelectronic Circuits, 7th ed., §4.5.4): conducting, C is charged through Ron;
// blocking, it discharges over R. Both are lags driven by a sine; where one goes over into the other follows
// by bisection.
TEST(EventsElectrical, RectifierWithCapacitor) {
  const auto run = RunBody(R"(
    source : SineVoltageSource(amplitude = 10 V, frequency = 50 Hz)
    diode  : IdealDiode(Ron = 0.5 ohm, Goff = 1e-4 S, Vknee = 0.7 V)
    c      : Capacitor(C = 470 uF, start v = 0 V fixed)
    r      : Resistor(R = 100 ohm)
    connect source.p -- diode.p
    connect diode.n -- r.p -- c.p
    connect source.n -- r.n -- c.n -- electrical.ground)",
                           0.1);
  const double cap = 470e-6, ron = 0.5, goff = 1e-4, knee = 0.7;
  Pieces v;
  std::vector<double> times;
  double t = 0, x = 0;
  for (bool on = false; t < 0.1; on = !on) {
    const double g = on ? 1 / ron : goff, t0 = t, x0 = x;
    const double offset = on ? -(knee - ron * goff * knee) / ron / cap : 0;
    const Curve piece = [=](double s) {
      return DrivenLag((g + 0.01) / cap, g * 10 / cap, offset, kW, t0, x0, s);
    };
    v.Add(t, piece);
    t = FirstZero([&](double s) { return 10 * std::sin(kW * s) - piece(s) - knee; }, t + 1e-9, 1e-5, 0.1);
    x = piece(t);
    if (t < 0.1) times.push_back(t);
  }
  Close("peak rectifier", run.Error("c.v", [&](double s) { return v(s); }));
  Close("peak rectifier: times", TimesError(run.trajectory.event_times, times), kEventTime);
}

// By hand: two diodes conduct with the drop u each, two block with u + VL. id = VL/R + Goff*(u + VL), VL =
// |vs| - 2*u, u = Vknee + Ron*(id - Goff*Vknee); below |vs| = 2*Vknee all block and nothing gets through.
TEST(EventsElectrical, BridgeRectifier) {
  const auto run = RunBody(R"(
    source : SineVoltageSource(amplitude = 10 V, frequency = 50 Hz)
    d      : IdealDiode[4](Ron = 0.5 ohm, Goff = 1e-3 S, Vknee = 0.7 V)
    r      : Resistor(R = 10 ohm)
    connect source.p -- d[1].p -- d[3].n
    connect source.n -- d[2].p -- d[4].n
    connect d[1].n -- d[2].n -- r.p
    connect d[3].p -- d[4].p -- r.n -- electrical.ground)",
                           0.06);
  Close("bridge rectifier", run.Error("r.v", [](double t) {
    const double vs = std::fabs(10 * std::sin(kW * t)), ron = 0.5, goff = 1e-3, knee = 0.7, g = 0.1;
    if (vs < 2 * knee) return 0.0;
    // u = knee*(1 - ron*goff) + ron*((vs - 2*u)*(g + goff) + goff*u)
    const double u =
        (knee * (1 - ron * goff) + ron * vs * (g + goff)) / (1 + 2 * ron * (g + goff) - ron * goff);
    return vs - 2 * u;
  }));
  std::vector<double> times;
  const double first = std::asin(0.14) / kW;
  for (int k = 0; k < 6; ++k) times.insert(times.end(), {0.01 * k + first, 0.01 * (k + 1) - first});
  Close("bridge rectifier: times", MissedEvents(run, times), kEventTime);
}

// By hand: the same bridge charges a capacitor, as a diode with 2*Ron and 2*Vknee on |vs|; Goff = 0.
TEST(EventsElectrical, BridgeRectifierWithCapacitor) {
  const auto run = RunBody(R"(
    source : SineVoltageSource(amplitude = 10 V, frequency = 50 Hz)
    d      : IdealDiode[4](Ron = 0.5 ohm, Goff = 1e-12 S, Vknee = 0.7 V)
    r      : Resistor(R = 100 ohm)
    c      : Capacitor(C = 470 uF, start v = 0 V fixed)
    connect source.p -- d[1].p -- d[3].n
    connect source.n -- d[2].p -- d[4].n
    connect d[1].n -- d[2].n -- r.p -- c.p
    connect d[3].p -- d[4].p -- r.n -- c.n -- electrical.ground)",
                           0.06);
  const double cap = 470e-6;
  Pieces v;
  double t = 0, x = 0;
  for (bool on = false; t < 0.06; on = !on) {
    const double t0 = t, x0 = x, sign = std::sin(kW * (t + 1e-6)) > 0 ? 1 : -1;
    const Curve piece = [=](double s) {
      return on ? DrivenLag(1.01 / cap, sign * 10 / cap, -1.4 / cap, kW, t0, x0, s)
                : x0 * std::exp(-0.01 / cap * (s - t0));
    };
    v.Add(t, piece);
    t = FirstZero([&](double s) { return std::fabs(10 * std::sin(kW * s)) - piece(s) - 1.4; }, t + 1e-9, 1e-5,
                  0.06);
    x = piece(t);
  }
  Close("bridge with capacitor", run.Error("c.v", [&](double s) { return v(s); }));
}

// Mohan, Undeland & Robbins, Power Electronics, 3rd ed., §5.3.2: with an inductance before the bridge and a
// constant current I behind it all four diodes conduct while the source's current goes from -I to I. By hand
// with Ron and Goff: then L*i' = vs - Ron*i; otherwise two leak w*Goff, i = +-(I + 2*Goff*w), and L*i' = vs
// -+ (w*(1 + Ron*Goff) + Ron*I).
TEST(EventsElectrical, BridgeCommutates) {
  const auto run = RunBody(R"(
    source : SineVoltageSource(amplitude = 100 V, frequency = 50 Hz)
    l      : Inductor(L = 2 mH, start i = 0 A fixed)
    d      : IdealDiode[4](Ron = 0.1 ohm, Goff = 1e-3 S)
    load   : CurrentSource(I = 10 A)
    connect source.p -- l.p
    connect l.n -- d[1].p -- d[3].n
    connect source.n -- d[2].p -- d[4].n
    connect d[1].n -- d[2].n -- load.p
    connect d[3].p -- d[4].p -- load.n -- electrical.ground)",
                           0.06);
  const double l = 2e-3, ron = 0.1, goff = 1e-3, direct = 10, a2 = (1 + ron * goff) / (2 * goff * l);
  Pieces current;
  std::vector<double> times;
  double t = 0, x = 0;
  for (bool four = true; t < 0.06; four = !four) {
    const double t0 = t, x0 = x, sign = x > 0 ? 1 : -1;
    const Curve piece = [=](double s) {
      return four ? DrivenLag(ron / l, 100 / l, 0, kW, t0, x0, s)
                  : DrivenLag(a2, 100 / l, sign * (a2 * direct - ron * direct / l), kW, t0, x0, s);
    };
    current.Add(t, piece);
    t = FirstZero([&](double s) { return direct - std::fabs(piece(s)); }, t + 1e-9, 1e-6, 0.06);
    x = piece(t);
    if (t < 0.06) times.push_back(t);
  }
  EXPECT_GE(times.size(), 11U);
  Close("commutation", run.Error("l.i", [&](double s) { return current(s); }));
  Close("commutation: times", TimesError(run.trajectory.event_times, times), kEventTime);
}

// --- Switches ----------------------------------------------------------------------------------------------

/// C beside R2, from V through R1 and a switch of conductance 1/Ron or Goff, closed for `width` of each
/// period.
double ChargedBySwitch(double r1, double r2, double cap, double ron, double goff, double period, double width,
                       double t) {
  double v = 0;
  for (double begin = 0;; begin += period) {
    for (const bool on : {true, false}) {
      const double length = on ? width : period - width, from = begin + (on ? 0 : width),
                   h = std::min(length, t - from);
      const double g = 1 / (r1 + (on ? ron : 1 / goff)), a = (g + 1 / r2) / cap, rest = 12 * g / (a * cap);
      v = rest + (v - rest) * std::exp(-a * h);
      if (t <= from + length) return v;
    }
  }
}

TEST(EventsElectrical, SwitchAndThresholdSwitch) {
  for (const bool threshold : {false, true}) {
    const auto run =
        RunBody(std::string(threshold ? "clock : Pulse(high = 5, period = 10 ms, width = 4 ms)\n"
                                        "s : ThresholdSwitch(threshold = 3, Ron = 2 ohm, Goff = 1e-3 S)"
                                      : "clock : BooleanPulse(period = 10 ms, width = 4 ms)\n"
                                        "s : Switch(Ron = 2 ohm, Goff = 1e-3 S)") +
                    R"(
      source : VoltageSource(V = 12 V)
      r1     : Resistor(R = 10 ohm)
      r2     : Resistor(R = 200 ohm)
      c      : Capacitor(C = 100 uF, start v = 0 V fixed)
      connect clock.y -> s.u
      connect source.p -- r1.p
      connect r1.n -- s.p
      connect s.n -- c.p -- r2.p
      connect source.n -- c.n -- r2.n -- electrical.ground)",
                0.055);
    Close(threshold ? "threshold switch" : "switch",
          run.Error("c.v", [](double t) { return ChargedBySwitch(10, 200, 1e-4, 2, 1e-3, 0.01, 0.004, t); }));
  }
}

// By hand: closed where sin > 0.5, from 1/12 to 5/12 of a period: the switch in series with 10 ohm.
TEST(EventsElectrical, ThresholdSwitchBySine) {
  const auto run = RunBody(R"(
    sine   : Sine(amplitude = 1, frequency = 50 Hz)
    lag    : FirstOrder(k = 1, T = 1 us)
    s      : ThresholdSwitch(threshold = 0.5)
    source : VoltageSource(V = 12 V)
    r      : Resistor(R = 10 ohm)
    connect sine.y -> s.u
    connect sine.y -> lag.u
    connect source.p -- s.p
    connect s.n -- r.p
    connect source.n -- r.n -- electrical.ground)",
                           0.05);
  const auto closed = [](double t) { return std::sin(kW * t) > 0.5; };
  Close("by a sine", EventError(run, "r.i", [&](double t) { return 12 / (10 + (closed(t) ? 1e-5 : 1e5)); }));
  std::vector<double> times;
  for (const double k : {0.0, 1.0, 2.0})
    times.insert(times.end(), {(k + 1.0 / 12) / 50, (k + 5.0 / 12) / 50});
  Close("by a sine: times", TimesError(Jumps(run, "r.i"), times), kEventTime);
}

// By hand: C charged from V through R and Ron, and discharged through the other R; the open contact leaks by
// Goff.
TEST(EventsElectrical, ChangeoverSwitch) {
  const auto run = RunBody(R"(
    clock  : BooleanPulse(period = 10 ms, width = 4 ms)
    s      : ChangeoverSwitch(Ron = 1 ohm, Goff = 1e-3 S)
    source : VoltageSource(V = 12 V)
    r1     : Resistor(R = 19 ohm)
    r2     : Resistor(R = 49 ohm)
    c      : Capacitor(C = 100 uF, start v = 0 V fixed)
    connect clock.y -> s.u
    connect s.p -- c.p
    connect source.p -- r2.p
    connect r2.n -- s.n2
    connect s.n1 -- r1.p
    connect source.n -- r1.n -- c.n -- electrical.ground)",
                           0.055);
  const auto v = [](double t) {
    double x = 0;
    for (double begin = 0;; begin += 0.01) {
      for (const bool up : {true, false}) {
        const double from = begin + (up ? 0 : 0.004), length = up ? 0.004 : 0.006,
                     h = std::min(length, t - from);
        const double g2 = 1 / (49 + (up ? 1.0 : 1e3)), g1 = 1 / (19 + (up ? 1e3 : 1.0));
        const double a = (g1 + g2) / 1e-4, rest = 12 * g2 / (g1 + g2);
        x = rest + (x - rest) * std::exp(-a * h);
        if (t <= from + length) return x;
      }
    }
  };
  Close("changeover switch", run.Error("c.v", v));
}

// --- Power electronics -------------------------------------------------------------------------------------

/// By hand: R and L behind a bridge: i' = (level*V - R*i)/L, level by the duty taken at the begin of each
/// period.
TEST(EventsElectrical, PwmBridge) {
  const double period = 1e-3, supply = 24, r = 2.5, l = 1e-3;
  for (const bool bipolar : {true, false}) {
    for (const double amplitude : {0.8, 1.5}) {  // 1.5: the duty is held at 1
      const char* bridge = bipolar ? "bridge : PwmBridge(frequency = 1 kHz, R = 0.5 ohm) as bipolar"
                                   : "bridge : PwmBridge(frequency = 1 kHz, R = 0.5 ohm) as unipolar";
      const auto run =
          RunBody("wish : Sine(frequency = 70 Hz, phase = 20 deg, amplitude = " + std::to_string(amplitude) +
                      ")\n" + bridge + R"(
        battery : VoltageSource(V = 24 V)
        r       : Resistor(R = 2 ohm)
        l       : Inductor(L = 1 mH, start i = 0 A fixed)
        mean    : MeanValue(period = 1 ms)
        connect wish.y -> bridge.u
        connect bridge.level -> mean.u
        connect battery.p -- bridge.p1
        connect battery.n -- bridge.n1 -- electrical.ground
        connect bridge.p2 -- r.p
        connect r.n -- l.p
        connect l.n -- bridge.n2 -- electrical.ground)",
                  0.02);
      Pieces current, level;
      std::vector<double> duties;
      double i = 0;
      const auto stage = [&](double begin, double length, double sign) {
        if (length <= 0) return;
        const double rest = sign * supply / r, from = i;
        current.Add(begin, [=](double t) { return rest + (from - rest) * std::exp(-r / l * (t - begin)); });
        level.Add(begin, [=](double) { return sign; });
        i = rest + (from - rest) * std::exp(-r / l * length);
      };
      for (int k = 0; k <= 20; ++k) {
        const double t = k * period,
                     duty = std::clamp(amplitude * std::sin(2 * kPi * 70 * t + kPi / 9), -1.0, 1.0);
        const double part = bipolar ? (1 + duty) / 2 : std::fabs(duty);
        stage(t, part * period, bipolar ? 1 : duty > 0 ? 1 : -1);
        stage(t + part * period, (1 - part) * period, bipolar ? -1 : 0);
        duties.push_back(duty);
      }
      Close("pwm bridge: current", run.Error("l.i", [&](double t) { return current(t); }));
      Close("pwm bridge: level", EventError(run, "bridge.level", [&](double t) { return level(t); }));
      Close("pwm bridge: mean is the duty of before", EventError(run, "mean.y", [&](double t) {
              const auto k = static_cast<size_t>(t / period + 1e-9);
              return k == 0 ? 0 : duties[k - 1];
            }));
    }
  }
}

/// By hand (Erickson & Maksimović, Fundamentals of Power Electronics, 2nd ed., ch. 2 and 5): in each mode the
/// node before L gives E - Req*i, from both conductances; L*i' = E - Req*i - v, C*v' = i - v/R, solved by
/// Linear2. The diode goes off where its current is 0 (discontinuous conduction); where is found by
/// bisection.
TEST(EventsElectrical, BuckConverter) {
  for (const double load : {2.0, 40.0}) {
    const auto run = RunBody("r : Resistor(R = " + std::to_string(load) + R"( ohm)
      battery : VoltageSource(V = 12 V)
      clock   : BooleanPulse(period = 50 us, width = 20 us)
      s       : Switch(Ron = 0.1 ohm, Goff = 1e-4 S)
      d       : IdealDiode(Ron = 0.2 ohm, Goff = 1e-4 S)
      l       : Inductor(L = 47 uH, start i = 0 A fixed)
      c       : Capacitor(C = 20 uF, start v = 0 V fixed)
      connect clock.y -> s.u
      connect battery.p -- s.p
      connect s.n -- d.n -- l.p
      connect l.n -- c.p -- r.p
      connect battery.n -- d.p -- c.n -- r.n -- electrical.ground)",
                             1e-3);
    Pieces current, voltage;
    std::array<double, 2> x{0, 0};
    int discontinuous = 0;
    const auto stage = [&](double begin, double end, double gs, double gd) {
      const double req = 1 / (gs + gd), e = 12 * gs * req;
      const std::array<double, 4> a{-req / 47e-6, -1 / 47e-6, 1 / 20e-6, -1 / (load * 20e-6)};
      const std::array<double, 2> b{e / 47e-6, 0}, x0 = x;
      const auto at = [=](double t) { return Linear2(a, b, x0, t - begin); };
      const auto node = [=](double t) { return e - req * at(t)[0]; };  // > 0: the diode blocks
      const bool blocks = gd < 1e-3;
      // A little behind the begin, where the mode holds.
      const double stop =
          FirstZero([&](double t) { return blocks ? node(t) : -node(t); }, begin + 1e-13, 1e-8, end);
      current.Add(begin, [=](double t) { return at(t)[0]; });
      voltage.Add(begin, [=](double t) { return at(t)[1]; });
      x = at(stop);
      return stop;
    };
    for (int k = 0; k < 20; ++k) {
      const double t = k * 50e-6;
      stage(t, t + 20e-6, 10, 1e-4);
      double off = stage(t + 20e-6, t + 50e-6, 1e-4, 5);
      while (off < t + 50e-6 - 1e-15) {
        ++discontinuous;
        off = stage(off, t + 50e-6, 1e-4, 1e-4);
        if (off < t + 50e-6 - 1e-15) off = stage(off, t + 50e-6, 1e-4, 5);
      }
    }
    EXPECT_EQ(discontinuous > 0, load > 10);
    Close("buck: current", run.Error("l.i", [&](double t) { return current(t); }));
    Close("buck: voltage", run.Error("c.v", [&](double t) { return voltage(t); }));
  }
}

// --- Noise -------------------------------------------------------------------------------------------------

// Park & Miller, Random number generators: good ones are hard to find (CACM 31, 1988), in integers of 64
// bits; Box & Muller, A note on the generation of random normal deviates (1958).
TEST(EventsElectrical, NoiseSources) {
  const auto run = RunBody(R"(
    v : NoiseVoltageSource(deviation = 2 V, period = 1 ms, seed = 4711)
    i : NoiseCurrentSource(deviation = 3 A, period = 2 ms)
    r1, r2 : Resistor(R = 5 ohm)
    connect v.p -- r1.p
    connect i.p -- r2.n
    connect i.n -- r2.p
    connect v.n -- r1.n -- r2.n -- electrical.ground)",
                           0.9995);
  const auto draws = [](uint64_t z, int n) {
    for (int k = 0; k < 3; ++k) z = z * 16807 % 2147483647;
    std::vector<double> out;
    for (int k = 0; k < n; ++k) {
      const uint64_t one = z * 16807 % 2147483647;
      z = one * 16807 % 2147483647;
      out.push_back(std::sqrt(-2 * std::log(static_cast<double>(one) / 2147483647)) *
                    std::cos(2 * kPi * static_cast<double>(z) / 2147483647));
    }
    return out;
  };
  const auto volts = draws(4711, 1000), amperes = draws(1, 500);
  const auto at = [](double t, double period) { return static_cast<size_t>(t / period + 1e-9); };
  Close("noise voltage", EventError(run, "v.v", [&](double t) { return 2 * volts[at(t, 1e-3)]; }));
  Close("noise current", EventError(run, "r2.i", [&](double t) { return 3 * amperes[at(t, 2e-3)]; }));
}

}  // namespace
}  // namespace cotree::test
