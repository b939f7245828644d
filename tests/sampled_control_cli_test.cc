// SPDX-License-Identifier: Apache-2.0
// `cotree linearize` of systems with sampled components: against closed forms, reference data, and Cotree's
// own runs.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "product_support.h"

namespace cotree {
namespace {

using Json = nlohmann::json;
using test::Contains;
using test::kRoot;
using test::Ran;
using test::ReadText;
using test::RunCotree;
using test::TemporaryFolder;
using test::WriteText;

class SampledControl : public testing::Test {
 protected:
  Ran Cotree(const std::vector<std::string>& words) { return RunCotree(words, folder_.path()); }
  Json System(std::vector<std::string> words) {
    words.insert(words.end(), {"--format", "json"});
    const Ran run = Cotree(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.exit_code == 0 ? Json::parse(run.out).at("system") : Json();
  }
  void Refuses(const std::vector<std::string>& words, int code, const std::string& part) {
    const Ran run = Cotree(words);
    EXPECT_EQ(run.exit_code, code) << run.err;
    EXPECT_TRUE(Contains(run.err, part)) << run.err;
  }
  /** A run as CSV: the value of a column in the first row (or the last) at a time. */
  double At(const std::string& csv, const std::string& name, double time, bool last) {
    std::istringstream lines(csv);
    std::string line, field;
    std::getline(lines, line);
    std::istringstream names(line);
    size_t column = 0;
    while (std::getline(names, field, ',') && field != name) ++column;
    double value = NAN;
    while (std::getline(lines, line)) {
      std::istringstream fields(line);
      std::vector<double> row;
      while (std::getline(fields, field, ',')) row.push_back(std::stod(field));
      if (std::fabs(row[0] - time) > 1e-9) continue;
      value = row[column];
      if (!last) return value;
    }
    return value;
  }
  TemporaryFolder folder_;
};

double Entry(const Json& matrix, size_t i, size_t j) {
  return matrix.at(i).at(j).get<double>();
}
size_t PlaceOf(const Json& names, const std::string& name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}
/// x[k+1] = A x[k] + b u.
std::vector<double> Next(const Json& system, const std::vector<double>& x, double u) {
  std::vector<double> out;
  for (size_t i = 0; i < x.size(); ++i) {
    double sum = Entry(system.at("B"), i, 0) * u;
    for (size_t j = 0; j < x.size(); ++j) sum += Entry(system.at("A"), i, j) * x[j];
    out.push_back(sum);
  }
  return out;
}
double Output(const Json& system, size_t i, const std::vector<double>& x, double u) {
  double sum = Entry(system.at("D"), i, 0) * u;
  for (size_t j = 0; j < x.size(); ++j) sum += Entry(system.at("C"), i, j) * x[j];
  return sum;
}

constexpr const char* kFirstOrder = R"(software Proportional {
  input r, y : Real   output u : Real
  parameter K : Real
  sample = 0.1 s
  equation u = K*(r - y)
}
component Plant {
  input u : Real   output y : Real
  parameter a : Real = 2
  equation der(y) = (u - a*y)/(1 s)
}
system Loop {
  r : Constant(k = 1)   c : Proportional(K = 3)   plant : Plant
  connect r.y -> c.r
  connect plant.y -> c.y
  connect c.u -> plant.u
}
)";

TEST_F(SampledControl, FirstOrderPlantInClosedForm) {
  WriteText(folder_ / "p.cot", kFirstOrder);
  const double decay = std::exp(-0.2), gain = (1 - decay) / 2;
  const Json closed =
      System({"linearize", "p.cot", "--input", "c.r", "--output", "plant.y", "--output", "c.u"});
  EXPECT_NEAR(closed.at("dt").get<double>(), 0.1, 1e-15);
  ASSERT_EQ(closed.at("states").size(), 1u);  // what the controller gives is set at each sample: no memory
  EXPECT_NEAR(Entry(closed.at("A"), 0, 0), decay - 3 * gain, 1e-15);
  EXPECT_NEAR(Entry(closed.at("B"), 0, 0), 3 * gain, 1e-15);
  EXPECT_EQ(Entry(closed.at("C"), 0, 0), 1);
  EXPECT_EQ(Entry(closed.at("C"), 1, 0), -3);
  EXPECT_EQ(Entry(closed.at("D"), 0, 0), 0);
  EXPECT_EQ(Entry(closed.at("D"), 1, 0), 3);
  // The pole z, and what it means: s = ln(z)/T.
  const Json& pole = closed.at("poles").at(0);
  EXPECT_NEAR(pole.at("real").get<double>(), decay - 3 * gain, 1e-15);
  EXPECT_NEAR(pole.at("time_constant").get<double>(), -0.1 / std::log(decay - 3 * gain), 1e-12);
  // Without the samples: the plant alone.
  const Json plant = System({"linearize", "p.cot", "--continuous"});
  EXPECT_FALSE(plant.contains("dt"));
  EXPECT_NEAR(Entry(plant.at("A"), 0, 0), -2, 1e-15);
  EXPECT_TRUE(
      Contains(Cotree({"linearize", "p.cot"}).out, "at its samples every 0.1 s: x[k+1] = A x[k] + B u[k]"));
}

TEST_F(SampledControl, MarginsOfAnIntegratorInClosedForm) {
  // L = K T/(z - 1): closed pole 1 - K T, gain margin 2/(K T) at the Nyquist frequency; where |L| is 1,
  // 2 sin(w T/2) = K T, the phase is -90 degrees - w T/2.
  WriteText(folder_ / "i.cot", kFirstOrder);
  const double k = 3, period = 0.1;
  for (const char* place : {"plant.u", "c.u", "c.y", "plant.y"}) {
    const Json m =
        System({"linearize", "i.cot", "--set", "plant.a = 0", "--open", place, "--margins"}).at("margins");
    EXPECT_TRUE(m.at("stable").get<bool>()) << place;
    EXPECT_NEAR(m.at("gain_upwards").get<double>(), 2 / (k * period), 1e-9) << place;
    ASSERT_EQ(m.at("phase_crossovers").size(), 1u) << place;
    EXPECT_NEAR(m.at("phase_crossovers").at(0).at("frequency").get<double>(), M_PI / period, 1e-9);
    const double w = 2 / period * std::asin(k * period / 2);
    EXPECT_NEAR(m.at("phase").get<double>(), M_PI / 2 - w * period / 2, 1e-9) << place;
    EXPECT_NEAR(m.at("gain_crossovers").at(0).at("frequency").get<double>(), w, 1e-7) << place;
    EXPECT_NEAR(m.at("closed_poles").at(0).at("real").get<double>(), 1 - k * period, 1e-12) << place;
  }
  // Seven times the gain is beyond the margin.
  EXPECT_FALSE(System({"linearize", "i.cot", "--set", "plant.a = 0", "--set", "c.K = 21", "--open", "c.u",
                       "--margins"})
                   .at("margins")
                   .at("stable")
                   .get<bool>());
}

// The exponential of the motor and 200 samples of the loop, from another program.
TEST_F(SampledControl, PidOfAMotorAgainstReferenceData) {
  WriteText(folder_ / "pid.cot", R"(software Law {
  input r, theta : Real   output u : Real
  sample = 5 ms
  state I : Real (start = 0)   state last : Real (start = 0)
  variable e : Real
  equation
    e    = r - theta
    I    = pre(I) + 4*0.005*e
    last = e
    u    = 3*e + I + 0.08*(e - pre(last))/0.005
}
component Motor {
  input u : Real   output theta : Real
  variable i : Real   variable w : Real
  equation
    0.0005*der(i) = (u - i - 0.05*w)/(1 s)
    0.0002*der(w) = (0.05*i - 0.0001*w)/(1 s)
    der(theta) = w/(1 s)
}
system S {
  law : Law   motor : Motor   r : Constant(k = 1)
  connect r.y -> law.r
  connect law.u -> motor.u
  connect motor.theta -> law.theta
}
)");
  const Json expected =
      Json::parse(ReadText(kRoot / "tests/models/expected/sampled_pid_motor.json")).at("expected");
  const std::vector<std::string> names{"motor.i", "motor.w", "motor.theta"};
  const Json open = System({"linearize", "pid.cot", "--open", "motor.u"});
  double worst = 0;
  for (size_t i = 0; i < 3; ++i) {
    const size_t row = PlaceOf(open.at("states"), names[i]);
    for (size_t j = 0; j < 3; ++j)
      worst = std::max(worst, std::fabs(Entry(open.at("A"), row, PlaceOf(open.at("states"), names[j])) -
                                        Entry(expected.at("Ad"), i, j)));
    worst = std::max(worst, std::fabs(Entry(open.at("B"), row, 0) - expected.at("Bd").at(i).get<double>()));
  }
  EXPECT_LT(worst, 1e-13);
  const Json closed = System({"linearize", "pid.cot", "--input", "law.r", "--output", "law.u"});
  ASSERT_EQ(closed.at("states").size(), 5u);
  std::vector<double> x(5, 0);
  const Json& rows = expected.at("runs").at("no_delay").at("rows");
  for (const Json& row : rows) {
    for (size_t i = 0; i < 3; ++i)
      worst =
          std::max(worst, std::fabs(x[PlaceOf(closed.at("states"), names[i])] - row.at(i + 1).get<double>()));
    worst = std::max(worst, std::fabs(Output(closed, 0, x, 1) - row.at(4).get<double>()));
    x = Next(closed, x, 1);
  }
  std::printf("sampled pid: %zu samples of the linear model, worst %.1e\n", rows.size(), worst);
  EXPECT_GT(rows.size(), 100u);
  EXPECT_LT(worst, 1e-10);
}

constexpr const char* kTwoRates = R"(software Inner {
  input r, y : Real   output u : Real
  sample = 20 ms
  state x : Real (start = 0)
  equation
    x = 0.9*pre(x) + 0.2*(r - y)
    u = 2*(r - y) + x
}
software Outer {
  input r, y : Real   output u : Real
  sample = 30 ms
  state sum : Real (start = 0)
  equation
    sum = pre(sum) + 0.1*(r - y)
    u   = r - y + pre(sum)
}
component Plant {
  input u : Real   output y : Real   output v : Real
  equation
    der(v) = (u - 3*v)/(1 s)
    der(y) = (v - 0.2*y)/(1 s)
}
system Cascade {
  target : Constant(k = 1)   outer : Outer   inner : Inner   plant : Plant
  connect target.y -> outer.r
  connect plant.y -> outer.y
  connect outer.u -> inner.r
  connect plant.v -> inner.y
  connect inner.u -> plant.u
}
)";

TEST_F(SampledControl, TwoRatesFollowTheRun) {
  WriteText(folder_ / "two.cot", kTwoRates);
  const Json m = System({"linearize", "two.cot", "--input", "outer.r", "--output", "inner.u"});
  EXPECT_NEAR(m.at("dt").get<double>(), 0.06, 1e-15);
  const Ran run =
      Cotree({"simulate", "two.cot", "--stop", "3 s", "--interval", "60 ms", "--rtol", "1e-12", "--csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::vector<double> x(m.at("states").size(), 0);
  double worst = 0;
  for (int k = 0; k < 50; ++k) {
    for (const char* name : {"plant.y", "plant.v"})
      worst =
          std::max(worst, std::fabs(x[PlaceOf(m.at("states"), name)] - At(run.out, name, 0.06 * k, false)));
    worst = std::max(worst, std::fabs(Output(m, 0, x, 1) - At(run.out, "inner.u", 0.06 * k, true)));
    x = Next(m, x, 1);
  }
  std::printf("two rates: 50 periods, worst %.1e\n", worst);
  EXPECT_LT(worst, 1e-8);
}

TEST_F(SampledControl, HoldsInClosedForm) {
  WriteText(folder_ / "h.cot", R"(system Hold {
  source : Constant(k = 1)
  hold   : FirstOrderHold(period = 0.2 s)
  sum    : Integrator
  connect source.y -> hold.u
  connect hold.y -> sum.u
}
)");
  // x[k+1] = x[k] + T u[k] + T (u[k] - u[k-1])/2
  const Json m = System({"linearize", "h.cot", "--input", "hold.u", "--output", "sum.y", "--at", "1.3 s"});
  ASSERT_EQ(m.at("states").size(), 2u);
  const size_t held = PlaceOf(m.at("states"), "hold.held"), x = 1 - held;
  EXPECT_NEAR(Entry(m.at("A"), x, x), 1, 1e-14);
  EXPECT_NEAR(Entry(m.at("A"), x, held), -0.1, 1e-14);
  EXPECT_NEAR(Entry(m.at("B"), x, 0), 0.3, 1e-14);
  EXPECT_EQ(Entry(m.at("A"), held, held), 0);
  EXPECT_EQ(Entry(m.at("B"), held, 0), 1);
}

TEST_F(SampledControl, MeanResetsItsIntegral) {
  WriteText(folder_ / "m.cot", R"(system Mean {
  source : Constant(k = 1)
  lag    : FirstOrder(k = 1, T = 0.5 s)
  mean   : MeanValue(period = 0.2 s)
  connect source.y -> lag.u
  connect lag.y -> mean.u
}
)");
  // From a held lag x to the mean one period later: (1 - e^(-T/tau)) tau/T.
  const Json m = System({"linearize", "m.cot", "--input", "lag.u", "--output", "mean.y"});
  const Json& names = m.at("states");
  const size_t lag = PlaceOf(names, "lag.y"), integral = PlaceOf(names, "mean.integral");
  ASSERT_EQ(names.size(), 2u);
  const double decay = std::exp(-0.4);
  EXPECT_NEAR(Entry(m.at("A"), lag, lag), decay, 1e-14);
  EXPECT_NEAR(Entry(m.at("A"), integral, lag), 0.5 * (1 - decay), 1e-14);
  EXPECT_EQ(Entry(m.at("A"), integral, integral), 0);
  EXPECT_NEAR(Entry(m.at("C"), 0, integral), 5, 1e-12);
}

TEST_F(SampledControl, WhatDoesNotActLeavesTheModelContinuous) {
  WriteText(folder_ / "n.cot", R"(system Noisy {
  noise : NoiseVoltageSource(deviation = 1 V, period = 1 ms)
  r     : Resistor(R = 1 kohm)
  c     : Capacitor(C = 1 uF)
  shown : MovingAverage(n = 3, period = 0.7 s)
  v     : VoltageSensor
  connect noise.p -- r.p
  connect r.n -- c.p -- v.p
  connect noise.n -- c.n -- v.n -- electrical.ground
  connect v.y -> shown.u
}
)");
  const Json m = System({"linearize", "n.cot"});
  EXPECT_FALSE(m.contains("dt"));
  EXPECT_NEAR(Entry(m.at("A"), 0, 0), -1000, 1e-9);
  // What is shown is asked for: its period, not that of the noise; the newest two samples are kept.
  const Json shown = System({"linearize", "n.cot", "--output", "shown.y"});
  EXPECT_NEAR(shown.at("dt").get<double>(), 0.7, 1e-15);
  EXPECT_EQ(shown.at("states").size(), 3u);
}

TEST_F(SampledControl, RefusedWithAReason) {
  WriteText(folder_ / "two.cot", kTwoRates);
  std::string odd = kTwoRates;
  odd.replace(odd.find("30 ms"), 5, "28.284271247461902 ms");
  WriteText(folder_ / "odd.cot", odd);
  Refuses({"linearize", "odd.cot"}, 1, "have no common multiple within 10000 samples");
  Refuses({"linearize", "odd.cot"}, 1, "`outer`");
  EXPECT_EQ(Cotree({"linearize", "odd.cot", "--continuous"}).exit_code, 0);
  EXPECT_TRUE(
      Contains(Cotree({"linearize", "odd.cot", "--continuous"}).err, "sampled variables are not part"));
}

TEST_F(SampledControl, PicturesAndFiles) {
  WriteText(folder_ / "p.cot", kFirstOrder);
  const Ran run = Cotree({"linearize", "p.cot", "--open", "c.u", "--bode", "b.svg", "--nyquist", "n.svg",
                          "--root-locus", "r.svg", "--step", "s.svg"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* name : {"b.svg", "n.svg", "r.svg", "s.svg"}) {
    const std::string text = ReadText(folder_ / name);
    EXPECT_TRUE(Contains(text, "</svg>")) << name;
    EXPECT_TRUE(Contains(text, "sampled every 0.1 s")) << name;
  }
  EXPECT_TRUE(Contains(ReadText(folder_ / "r.svg"), "real part of z"));
  for (const char* format : {"npz", "mat"}) {
    const std::string path = std::string("m.") + format;
    const Ran file = Cotree(
        {"linearize", "p.cot", "--input", "c.r", "--output", "c.u", "--format", format, "--out", path});
    EXPECT_EQ(file.exit_code, 0) << file.err;
    EXPECT_TRUE(Contains(ReadText(folder_ / path), "dt")) << format;
  }
}

// --- Experiments ------------------------------------------------------------------------------------------

constexpr const char* kTank = R"(component Tank {
  input u : Real   output h : Real (start = 1)
  parameter a : Real = 2
  equation der(h) = (u - a*h^2)/(1 s)
}
system Level {
  u : Constant(k = 8)   tank : Tank
  connect u.y -> tank.u
}
experiment Full of Level {
  stop = 2 s
  set tank.a = 0.5
  start tank.h = 3
}
)";

TEST_F(SampledControl, ExperimentsCount) {
  WriteText(folder_ / "tank.cot", kTank);
  const auto pole = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"linearize", "tank.cot"});
    return System(words).at("poles").at(0).at("real").get<double>();
  };
  EXPECT_NEAR(pole({}), -2 * 2 * 1, 1e-12);
  EXPECT_NEAR(pole({"--experiment", "Full"}), -2 * 0.5 * 3, 1e-12);
  EXPECT_NEAR(pole({"--experiment", "Full", "--set", "tank.a = 1"}), -2 * 1 * 3, 1e-12);
  EXPECT_NEAR(pole({"--experiment", "Full", "--at", "20 s"}), -2 * 0.5 * 4, 1e-6);
  const Json point = System({"trim", "tank.cot", "--experiment", "Full"});
  EXPECT_NEAR(point.at("states").at(0).at("value").get<double>(), 4, 1e-9);
  Refuses({"linearize", "tank.cot", "--experiment", "Ful"}, 2,
          "there is no experiment `Ful` in tank.cot; it has Full; did you mean `Full`?");
  Refuses({"trim", "tank.cot", "--experiment", "Empty"}, 2, "there is no experiment `Empty`");
}

}  // namespace
}  // namespace cotree
