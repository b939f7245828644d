// SPDX-License-Identifier: Apache-2.0
// Runs with events against independent results (tests/models/expected).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

using Json = nlohmann::json;

Json Expected(const std::string& name) {
  return Json::parse(ReadText(kRoot / "tests/models/expected" / (name + ".json")));
}

/// The value at a time that has a row; the one behind what happens there.
double At(const RunOf& run, const std::string& name, double time) {
  const auto& times = run.times();
  const auto above = std::upper_bound(times.begin(), times.end(), time + 1e-9);
  EXPECT_TRUE(above != times.begin() && std::fabs(*(above - 1) - time) < 2e-9) << "no row at " << time;
  return run[name][static_cast<size_t>(above - times.begin()) - 1];
}

/// Times of two rows between which a curve jumps.
std::vector<double> Jumps(const RunOf& run, const std::string& name, double least = 1e-3) {
  std::vector<double> out;
  const auto& t = run.times();
  const auto& x = run[name];
  for (size_t k = 1; k < t.size(); ++k) {
    if (t[k] == t[k - 1] && std::fabs(x[k] - x[k - 1]) > least) out.push_back(t[k]);
  }
  return out;
}

double Worst(const std::vector<double>& found, const Json& expected) {
  double worst = found.size() < expected.size() ? INFINITY : 0;
  for (size_t k = 0; k < std::min(found.size(), expected.size()); ++k)
    worst = std::max(worst, std::fabs(found[k] - expected[k].get<double>()));
  return worst;
}

constexpr const char* kBall = R"(component Ball {
  parameter bounce : Real = 0.8
  variable h : Length (start = 1 m)
  variable v : Velocity (start = 0 m/s)
  equation
    der(h) = v
    der(v) = -9.81 m/s^2
    when h < 0 m { reinit(v, -bounce*pre(v)) }
}
system S { ball : Ball }
)";

constexpr const char* kRestingBall = R"(component Ball {
  parameter bounce : Real = 0.8
  variable h : Length (start = 1 m)
  variable v : Velocity (start = 0 m/s)
  discrete variable rests : Boolean (start = false)
  equation
    der(h) = v
    der(v) = if rests then 0 else -9.81 m/s^2
    when h < 0 m {
      rests = -bounce*pre(v) < 0.01 m/s
      reinit(v, if -bounce*pre(v) < 0.01 m/s then 0 else -bounce*pre(v))
      reinit(h, 0)
    }
}
system S { ball : Ball }
)";

TEST(References, BouncingBallComesToRest) {
  const Json expected = Expected("bouncing_ball")["expected"];
  RunOf run(kRestingBall);
  run.Simulate(5, 1e-9, Method::kBdf, 0.05);
  const double events = Worst(Jumps(run, "ball.v"), expected["event_times"]);
  EXPECT_LT(events, 1e-8);
  double samples = 0;
  const Json& t = expected["samples"]["t"];
  for (size_t k = 0; k < t.size(); ++k) {
    samples =
        std::max(samples, std::fabs(At(run, "ball.h", t[k]) - expected["samples"]["h"][k].get<double>()));
    samples =
        std::max(samples, std::fabs(At(run, "ball.v", t[k]) - expected["samples"]["v"][k].get<double>()));
  }
  EXPECT_LT(samples, 1e-7);
  std::printf("ball: %zu events, worst %.1e s; samples worst %.1e\n", expected["event_times"].size(), events,
              samples);
  for (size_t k = 0; k < run.times().size(); ++k) {
    if (run.times()[k] > 4.0637) {
      EXPECT_EQ(run["ball.h"][k], 0);
    }
  }
}

TEST(References, BouncingBallWithoutRestEndsWithZeno) {
  RunOf run(kBall);
  std::string text;
  try {
    run.Simulate(5, 1e-9);
  } catch (const std::runtime_error& e) {
    text = e.what();
  }
  EXPECT_NE(text.find("infinitely many events in a finite time (Zeno)"), std::string::npos) << text;
  EXPECT_NE(text.find("`ball`"), std::string::npos) << text;
  EXPECT_NEAR(run.times().back(), 4.063712768871579, 1e-3);
  EXPECT_LT(Worst(Jumps(run, "ball.v"), Expected("bouncing_ball")["expected"]["event_times"]), 1e-8);
}

TEST(References, Relay) {
  const Json expected = Expected("relay")["expected"];
  RunOf run(R"(system S {
    relay : Relay(upper = 0.6, high = -1, low = 1)
    plant : FirstOrder(k = 2, T = 0.5 s)
    connect relay.y -> plant.u   connect plant.y -> relay.u })");
  run.Simulate(3.9, 1e-9, Method::kBdf, 0.025);
  const double events = Worst(Jumps(run, "relay.y"), expected["event_times"]);
  EXPECT_LT(events, 1e-8);
  double samples = 0;
  const Json& t = expected["samples"]["t"];
  for (size_t k = 0; k < t.size(); ++k) {
    if (t[k].get<double>() > 3.9) break;
    samples =
        std::max(samples, std::fabs(At(run, "plant.y", t[k]) - expected["samples"]["x"][k].get<double>()));
    EXPECT_EQ(At(run, "relay.y", t[k]), expected["samples"]["s"][k].get<double>());
  }
  EXPECT_LT(samples, 1e-7);
  std::printf("relay: worst %.1e s, samples %.1e\n", events, samples);
}

TEST(References, Thermostat) {
  const Json expected = Expected("relay")["expected"]["thermostat"];
  RunOf run(R"(enumeration Mode { on, off }
  component Room {
    variable T : Real (start = 15)
    discrete variable mode : Mode (start = Mode.on)
    equation
      2000*der(T) = (-(T - 10)/0.05 + (if mode == Mode.on then 500 else 0))/(1 s)
      when T > 20.5 { mode = Mode.off } elsewhen T < 19.5 { mode = Mode.on }
  }
  system S { room : Room })");
  run.Simulate(110, 1e-9);
  EXPECT_LT(Worst(Jumps(run, "room.mode"), expected["event_times"]), 1e-7);
}

TEST(References, SampledPidMotor) {
  const Json rows = Expected("sampled_pid_motor")["expected"]["runs"]["no_delay"]["rows"];
  RunOf run(R"(software Law {
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
  system S { law : Law   motor : Motor   r : Constant(k = 1)
    connect r.y -> law.r   connect law.u -> motor.u   connect motor.theta -> law.theta })");
  run.Simulate(1, 1e-11, Method::kBdf, 0.0025);
  double worst = 0;
  for (const Json& row : rows) {
    const double t = row[0];
    const char* names[] = {"motor.i", "motor.w", "motor.theta"};
    for (size_t k = 0; k < 3; ++k) {
      worst = std::max(worst, std::fabs(At(run, names[k], t) - row[k + 1].get<double>()));
      if (t < 0.9999)
        worst = std::max(worst, std::fabs(At(run, names[k], t + 0.0025) - row[k + 6].get<double>()));
    }
    worst = std::max(worst, std::fabs(At(run, "law.u", t) - row[5].get<double>()));
  }
  EXPECT_LT(worst, 1e-9);
  std::printf("sampled pid: %zu samples, worst %.1e\n", rows.size(), worst);
}

// The corrected equations of the appendix of paper 000 as one component, with its controllers.
TEST(References, SeekerClosedLoop) {
  const Json expected = Expected("seeker_closed_loop")["expected"];
  RunOf run(R"(component Seeker {
    parameter I2 : Real = 0.00032463   parameter a : Real = 0.00048665   parameter b : Real = 0.00064886
    parameter K : Real = 0.00487079
    input Ea, Eb : Real
    output alpha : Real   output beta : Real
    variable wa : Real   variable wb : Real   variable ia : Real   variable ib : Real
    variable p : Real   variable h : Real   variable det : Real   variable tau1 : Real   variable tau2 : Real
    equation
      p = -(a*cos(beta) + b*sin(beta))
      h = a*sin(beta) - b*cos(beta)
      det = K*I2 - I2^2 - a^2 - 2*a*b*sin(beta)*cos(beta) - (b^2 - a^2)*sin(beta)^2
      tau1 = 0.0813*ia
      tau2 = 0.032*ib
      der(alpha) = wa/(1 s)
      der(beta)  = wb/(1 s)
      der(wa) = (I2*(tau1 - h*(2*wa*wb + wb^2)) - (I2 + p)*(tau2 + h*wa^2))/det/(1 s)
      der(wb) = ((K + 2*p)*(tau2 + h*wa^2) - (I2 + p)*(tau1 - h*(2*wa*wb + wb^2)))/det/(1 s)
      0.0002*der(ia) = (Ea - 0.000813*wa - 0.2*ia)/(1 s)
      0.0002*der(ib) = (Eb - 0.00008*wb - 0.2*ib)/(1 s)
  }
  component Law {
    parameter Kp : Real   parameter Ki : Real   parameter Kd : Real   parameter N : Real = 500
    input u, y : Real   output E : Real
    variable xi : Real   variable xd : Real   variable e : Real
    equation
      e = u - y
      der(xi) = e/(1 s)
      der(xd) = N*(e - xd)/(1 s)
      E = Kp*e + Ki*xi + Kd*N*(e - xd)
  }
  system S {
    seeker : Seeker
    la : Law(Kp = 4, Ki = 8, Kd = 0.35)   lb : Law(Kp = 0.8, Ki = 1.6, Kd = 0.07)
    ra : Constant(k = 0.14)   rb : Constant(k = -0.14)
    connect ra.y -> la.u   connect rb.y -> lb.u
    connect seeker.alpha -> la.y   connect seeker.beta -> lb.y
    connect la.E -> seeker.Ea   connect lb.E -> seeker.Eb })");
  run.Simulate(3, 1e-9, Method::kBdf, 3.0 / 199);
  const char* names[] = {"seeker.alpha", "seeker.beta", "seeker.wa", "seeker.wb", "seeker.ia",
                         "seeker.ib",    "la.xi",       "la.xd",     "lb.xi",     "lb.xd"};
  EXPECT_EQ(run.translation->sorted->states.size(), 10u);
  double worst = 0;
  for (size_t s = 0; s < 10; ++s) {
    double largest = 0, error = 0;
    for (size_t k = 0; k < expected["t"].size(); ++k) {
      const double y = expected["y"][k][s];
      largest = std::max(largest, std::fabs(y));
      error = std::max(error, std::fabs(At(run, names[s], expected["t"][k]) - y));
    }
    worst = std::max(worst, error / largest);
  }
  EXPECT_LT(worst, 1e-6);
  std::printf("seeker: 10 states, worst %.1e of the largest\n", worst);
}

}  // namespace
}  // namespace cotree::test
