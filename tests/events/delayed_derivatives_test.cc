// SPDX-License-Identifier: Apache-2.0
// Derivatives of delays, guards at their own moments, and a clamp that is stiff: against closed forms.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "run_support.h"

namespace cotree::test {
namespace {

struct Delayed {
  const char* name;
  const char* body;                  // u of time t, delayed by 0.3 s; w is what is looked at
  double (*expected)(double since);  // of the time since the start arrived
};
void PrintTo(const Delayed& c, std::ostream* out) {
  *out << c.name;
}

class DerivativeOfADelay : public testing::TestWithParam<Delayed> {};

TEST_P(DerivativeOfADelay, IsThatOfWhatItDelays) {
  const Delayed& c = GetParam();
  RunOf run(std::string("component C {\n  parameter T : Time = 1 s\n  variable u, y, w : Real\n"
                        "  variable x : Real (start = 0, fixed)\n  equation T*der(x) = 1\n") +
            c.body + "}\nsystem S { c : C }\n");
  for (const Method method : {Method::kAutomatic, Method::kBdf, Method::kRungeKutta4}) {
    run.Simulate(2, 1e-9, method, 0.01);
    const auto& times = run.times();
    double before = 0, behind = 0;
    size_t arrivals = 0;
    for (size_t k = 0; k < times.size(); ++k) {
      const double since = times[k] - 0.3;
      if (std::fabs(since) < 1e-12) ++arrivals;
      if (since < -1e-12) before = std::max(before, std::fabs(run["c.w"][k]));
      if (since > 1e-12) behind = std::max(behind, std::fabs(run["c.w"][k] - c.expected(since)));
    }
    EXPECT_EQ(arrivals, 2u) << "a known time";
    EXPECT_EQ(before, 0);
    EXPECT_LT(behind, 1e-7) << MethodName(method);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Events, DerivativeOfADelay,
    testing::Values(
        Delayed{"OfASignal", "u = sin(3*time/T)  y = delay(u, 0.3 s)  w = T*der(y)",
                [](double at) { return 3 * std::cos(3 * at); }},
        Delayed{"OfAState", "u = x  y = delay(x, 0.3 s)  w = T*der(y)", [](double) { return 1.0; }},
        Delayed{"OfTheTime", "u = 0  y = delay(2*time/T, 0.3 s)  w = T*der(y)", [](double) { return 2.0; }},
        Delayed{"Twice", "u = cos(3*time/T)  y = delay(u, 0.3 s)  w = T*der(T*der(y))",
                [](double at) { return -9 * std::cos(3 * at); }},
        Delayed{"InAProduct", "u = sin(3*time/T)  y = 2*delay(u, 0.3 s)^2  w = T*der(y)",
                [](double at) { return 12 * std::sin(3 * at) * std::cos(3 * at); }},
        Delayed{"OfADelay", "u = sin(3*time/T)  y = delay(delay(u, 0.1 s), 0.2 s)  w = T*der(y)",
                [](double at) { return 3 * std::cos(3 * at); }}),
    [](const auto& c) { return std::string(c.param.name); });

std::string Driven(const std::string& phase) {
  return "system S { s : Sine(amplitude = 1 m, frequency = 1 Hz, phase = " + phase +
         ")\n  d : TransportDelay(T = 0.3 s)  p : SignalPositionSource  m : Mass(m = 1 kg)\n"
         "  connect s.y -> d.u  connect d.y -> p.u  connect p.a -- m.a  connect p.b -- translational.ground "
         "}";
}

TEST(DerivativeOfADelay, DrivesAMass) {
  RunOf run(Driven("90 deg"));
  run.Simulate(2, 1e-8);
  const double w = 2 * M_PI;
  for (const auto& [name, behind] :
       {std::pair{"m.v", -w * std::sin(w * 1.7)}, std::pair{"m.acc", -w * w * std::cos(w * 1.7)}})
    EXPECT_NEAR(run.End(name), behind, 1e-6) << name;
}

TEST(DerivativeOfADelay, ThatIsAnImpulseIsRefused) {
  RunOf run(Driven("0 deg"));
  try {
    run.Simulate(2);
    FAIL() << "it runs";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("impulse"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("`d`"), std::string::npos) << e.what();
  }
}

struct Guard {
  const char* name;
  const char* body;
  double (*expected)(double time);
};
void PrintTo(const Guard& c, std::ostream* out) {
  *out << c.name;
}

double Signed(double x) {
  return x > 0 ? std::sqrt(x) : -std::sqrt(-x);
}

class OwnGuard : public testing::TestWithParam<Guard> {};

TEST_P(OwnGuard, HoldsUpToItsMoment) {
  const Guard& c = GetParam();
  RunOf run(std::string("component C {\n  parameter T : Time = 1 s\n"
                        "  variable x : Real (start = 1, fixed)\n  variable v, s : Real\n"
                        "  equation T*der(x) = v  T*der(v) = -x\n") +
            c.body + "}\nsystem S { c : C }\n");
  for (const Method method : {Method::kAutomatic, Method::kBdf, Method::kRungeKutta4}) {
    run.Simulate(20, 1e-10, method, 0.01);
    EXPECT_LT(run.Error("c.s", c.expected), 2e-4) << MethodName(method);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Events, OwnGuard,
    testing::Values(Guard{"OfTheTime", "s = if sin(30*time/T) > 0 then sqrt(sin(30*time/T)) else 0",
                          [](double at) { return std::sqrt(std::max(0.0, std::sin(30 * at))); }},
                    Guard{"OfAState", "s = if x > 0 then sqrt(x) else -sqrt(-x)",
                          [](double at) { return Signed(std::cos(at)); }},
                    Guard{"AtLeast", "s = if x >= 0 then sqrt(x) else -sqrt(-x)",
                          [](double at) { return Signed(std::cos(at)); }},
                    Guard{"OfASum", "s = if x + v > 0.5 then sqrt(x + v - 0.5) else 0",
                          [](double at) {
                            return std::sqrt(std::max(0.0, std::cos(at) - std::sin(at) - 0.5));
                          }}),
    [](const auto& c) { return std::string(c.param.name); });

// A capacitor behind a resistor, held at 5 V by an ideal diode: automatic steps must not follow the error of
// explicit ones from event to event.
TEST(StiffClamp, HasTwoEventsAPeriod) {
  for (const char* resistance : {"1e-5 ohm", "1e-7 ohm", "1e-9 ohm"}) {
    RunOf run(fmt::format(
        "system S {{ s : SineVoltageSource(amplitude = 20 V, frequency = 50 Hz)  r : Resistor(R = 10 ohm)\n"
        "  c : Capacitor(C = 100 uF)  d1 : IdealDiode(Ron = {}, Goff = 1e-9 S, Vknee = 5 V)\n"
        "  connect s.p -- r.p  connect r.n -- c.p -- d1.p\n"
        "  connect s.n -- c.n -- d1.n -- electrical.ground }}",
        resistance));
    run.Simulate(0.1, 1e-6);
    EXPECT_LT(run.trajectory.events, 100u) << resistance;
    EXPECT_LT(run.trajectory.steps, 5000u) << resistance;
    RunOf other = RunOf(fmt::format(
        "system S {{ s : SineVoltageSource(amplitude = 20 V, frequency = 50 Hz)  r : Resistor(R = 10 ohm)\n"
        "  c : Capacitor(C = 100 uF)  d1 : IdealDiode(Ron = {}, Goff = 1e-9 S, Vknee = 5 V)\n"
        "  connect s.p -- r.p  connect r.n -- c.p -- d1.p\n"
        "  connect s.n -- c.n -- d1.n -- electrical.ground }}",
        resistance));
    other.Simulate(0.1, 1e-8, Method::kBdf);
    EXPECT_NEAR(run.End("c.v"), other.End("c.v"), 2e-4) << resistance;
  }
}

}  // namespace
}  // namespace cotree::test
