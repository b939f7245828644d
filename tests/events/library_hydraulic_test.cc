// SPDX-License-Identifier: Apache-2.0
// Hydraulic valves that open and close against closed forms.
#include "events/event_curves.h"

namespace cotree::test {
namespace {

// By hand: a rectifier. Open, C*p' = G_leak*(ps - p) + (G_open - G_leak)*(ps - p - p_crack) - p/R; closed,
// without the second term. Both are lags behind a sine; where one goes over into the other follows by
// bisection.
TEST(EventsHydraulic, CheckValveSwitching) {
  const auto run = RunBody(R"(
    wave    : Sine(amplitude = 2 bar, frequency = 5 Hz)
    source  : SignalPressureSource
    valve   : CheckValve(p_crack = 0.3 bar, G_open = 1e-8 m^3/(s*Pa), G_leak = 1e-11 m^3/(s*Pa)) as switching
    chamber : Chamber(C = 1e-10 m^3/Pa, start p = 0 bar fixed)
    outlet  : LaminarResistance(R = 1e9 Pa*s/m^3)
    connect wave.y -> source.u
    connect source.a -- valve.a
    connect valve.b -- chamber.a -- outlet.a
    connect source.b -- outlet.b -- hydraulic.ground)",
                           1);
  const double w = 10 * kPi, c = 1e-10, crack = 3e4;
  Pieces p;
  std::vector<double> times;
  double t = 0, x = 0;
  for (bool open = false; t < 1; open = !open) {
    const double g = open ? 1e-8 : 1e-11, a = (g + 1e-9) / c, b = g * 2e5 / c,
                 d = open ? -(1e-8 - 1e-11) * crack / c : 0;
    const double t0 = t, x0 = x;
    const Curve piece = [=](double s) {
      const auto forced = [&](double at) {
        return d / a + b * (a * std::sin(w * at) - w * std::cos(w * at)) / (a * a + w * w);
      };
      return forced(s) + (x0 - forced(t0)) * std::exp(-a * (s - t0));
    };
    p.Add(t, piece);
    t = FirstZero([&](double s) { return 2e5 * std::sin(w * s) - piece(s) - crack; }, t + 1e-9, 1e-4, 1);
    x = piece(t);
    if (t < 1) times.push_back(t);
  }
  Close("check valve", run.Error("chamber.p", [&](double s) { return p(s); }));
  Close("check valve: times", TimesError(run.trajectory.event_times, times), kEventTime);
  EXPECT_GE(times.size(), 9U);
}

/// The flow through a valve that opens from p_crack to p_open: Merritt, Hydraulic Control Systems, §3.4.
double ValveFlow(double p, double crack, double open, double area) {
  const double opening = std::max(std::min((p - crack) / (open - crack), 1.0), 1e-6);
  return 0.65 * area * opening * std::sqrt(2 / 870.0) * p / std::sqrt(std::sqrt(p * p + 1e6));
}

// The characteristic itself, under a pressure that comes and goes.
TEST(EventsHydraulic, ValvesThatOpenGradually) {
  const auto run = RunBody(R"(
    wave   : Sine(amplitude = 120 bar, frequency = 5 Hz)
    low    : Sine(amplitude = 1 bar, frequency = 5 Hz)
    s1, s2 : SignalPressureSource
    relief : ReliefValve(p_crack = 80 bar, A = 20 mm^2)
    check  : CheckValve(A = 30 mm^2) as poppet
    connect wave.y -> s1.u
    connect low.y -> s2.u
    connect s1.a -- relief.a
    connect s2.a -- check.a
    connect s1.b -- s2.b -- relief.b -- check.b -- hydraulic.ground)",
                           1);
  const auto wave = [](double t) { return std::sin(10 * kPi * t); };
  Close("relief valve",
        run.Error("relief.q", [&](double t) { return ValveFlow(1.2e7 * wave(t), 8e6, 8.8e6, 20e-6); }));
  Close("check valve as poppet",
        run.Error("check.q", [&](double t) { return ValveFlow(1e5 * wave(t), 3e4, 5e4, 30e-6); }));
}

// By hand: a chamber filled by Q: t is the integral of C/(Q - q(p)) over p, here by Simpson's rule in the
// three parts of the characteristic; the pressure settles where q = Q.
TEST(EventsHydraulic, ReliefValveHoldsThePressure) {
  const auto run = RunBody(R"(
    pump    : FlowSource(flow = 1 L/s)
    chamber : Chamber(C = 1e-11 m^3/Pa, start p = 0 bar fixed)
    relief  : ReliefValve(p_crack = 80 bar, p_open = 100 bar, A = 20 mm^2)
    connect pump.b -- chamber.a -- relief.a
    connect pump.a -- relief.b -- hydraulic.ground)",
                           0.6);
  const auto q = [](double p) { return ValveFlow(p, 8e6, 1e7, 20e-6); };
  const double settled = Bisect([&](double p) { return q(p) - 1e-3; }, 8e6, 1e7);
  Close("relief valve: settled", std::fabs(run.End("chamber.p") - settled) / settled);
  double worst = 0;
  for (size_t k = 0; k < run.times().size(); k += 5) {
    const double p = run["chamber.p"][k];
    if (p > settled - 1e4) break;
    double time = 0;
    for (const auto& [from, to] :
         {std::pair{0.0, std::min(p, 8e6 + 2.0)}, {8e6 + 2.0, std::max(p, 8e6 + 2.0)}}) {
      const int n = 4000;
      for (int i = 0; i <= n; ++i)
        time += (i == 0 || i == n ? 1
                 : i % 2 == 1     ? 4
                                  : 2) *
                (to - from) / n / 3 * 1e-11 / (1e-3 - q(from + (to - from) * i / n));
    }
    worst = std::max(worst, std::fabs(time - run.times()[k]) * (1e-3 - q(p)) / 1e-11);
  }
  Close("relief valve: rise", worst / settled);
}

}  // namespace
}  // namespace cotree::test
