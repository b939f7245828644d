// SPDX-License-Identifier: Apache-2.0
// What `cotree linearize` says of loops: only what the loop itself drives and sees, at its own rate, and
// where a limit holds.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "product_support.h"

namespace cotree {
namespace {

using Json = nlohmann::json;
using test::Contains;
using test::Ran;
using test::RunCotree;
using test::TemporaryFolder;
using test::WriteText;

class LoopVerdicts : public testing::Test {
 protected:
  Ran Run(const std::string& text, std::vector<std::string> words) {
    WriteText(folder_ / "m.cot", text);
    words.insert(words.begin(), {"linearize", "m.cot"});
    return RunCotree(words, folder_.path());
  }
  Json Margins(const std::string& text, const std::string& open, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"--open", open, "--margins", "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran run = Run(text, words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.exit_code == 0 ? Json::parse(run.out).at("system") : Json();
  }
  TemporaryFolder folder_;
};

// A motor turns a load over a shaft that is elastic, through a gear, or both; nothing holds the angle.
std::string Drive(const std::string& controller, const std::string& between, const std::string& at_motor,
                  const std::string& at_load) {
  return "system S { target : Step(height = 20 rad/s)\n" + controller +
         R"( amp : SignalVoltageSource  motor : DCMotor(Kt = 0.05 N*m/A, R = 0.3 ohm, L = 300 uH, J = 5e-4 kg*m^2)
  load : Inertia(J = 0.002 kg*m^2)
  connect amp.p -- motor.p  connect amp.n -- motor.n -- electrical.ground  connect motor.housing -- rotational.ground
)" + between +
         "\n  connect motor.shaft -- " + at_motor + "  connect " + at_load +
         R"( -- load.a
  connect target.y -> pi.target  connect load.w -> pi.measured  connect pi.y -> amp.u })";
}

constexpr const char* kContinuous = "pi : PI(kp = 0.2 V*s/rad, ki = 1 V/rad)";
constexpr const char* kSampled = "pi : SampledPI(kp = 0.2 V*s/rad, ki = 1 V/rad, period = 1 ms)";

// The free angle is driven by the loop, but not seen: the loop is stable, and its pole is exactly 0 (or 1).
TEST_F(LoopVerdicts, AFreeAngleIsNoPartOfASpeedLoop) {
  const struct {
    const char *between, *at_motor, *at_load;
  } kShafts[] = {
      {"shaft : TorsionSpring(k = 500 N*m/rad)  damp : RotationalDamper(d = 0.2 N*m*s/rad)",
       "shaft.a -- damp.a", "shaft.b -- damp.b"},
      {"shaft : TorsionSpringDamper(k = 733 N*m/rad, d = 0.13 N*m*s/rad)  gear : Gear(ratio = 3)  "
       "connect shaft.b -- gear.a",
       "shaft.a", "gear.b"},
      {"one : TorsionSpringDamper(k = 500 N*m/rad, d = 0.2 N*m*s/rad)  mid : Inertia(J = 1e-4 kg*m^2)  "
       "two : TorsionSpringDamper(k = 900 N*m/rad, d = 0.2 N*m*s/rad)  connect one.b -- mid.a -- two.a",
       "one.a", "two.b"},
  };
  for (const char* controller : {kContinuous, kSampled}) {
    for (const auto& shaft : kShafts) {
      const std::string text = Drive(controller, shaft.between, shaft.at_motor, shaft.at_load);
      const Json system = Margins(text, "pi.y");
      ASSERT_FALSE(system.is_null()) << text;
      EXPECT_TRUE(system.at("margins").at("stable").get<bool>()) << text;
      const double still = controller == kSampled ? 1 : 0;
      size_t exact = 0;
      for (const Json& pole : system.at("poles")) {
        const double off =
            std::abs(pole.at("real").get<double>() - still) + std::abs(pole.at("imaginary").get<double>());
        EXPECT_TRUE(off == 0 || off > 1e-7) << pole.dump() << "\n" << text;
        exact += off == 0 ? 1 : 0;
      }
      EXPECT_EQ(exact, 2u) << text;  // the angle, and the controller's integral with the loop cut
    }
  }
}

// Two equal pendulums on a cart swing against each other without the cart: undamped, but beside the loop.
TEST_F(LoopVerdicts, WhatSwingsBesideTheLoopDoesNotCount) {
  const std::string text = R"(system S { target : Step(height = 0.1 m/s)  c : PI(kp = 30 N*s/m, ki = 10 N/m)
    push : SignalForceSource  cart : Mass(m = 5 kg)
    k1 : Spring(k = 40 N/m)  m1 : Mass(m = 1 kg)  k2 : Spring(k = 40 N/m)  m2 : Mass(m = 1 kg)
    connect push.b -- cart.a -- k1.a -- k2.a  connect push.a -- translational.ground
    connect k1.b -- m1.a  connect k2.b -- m2.a
    connect target.y -> c.target  connect cart.v -> c.measured  connect c.y -> push.u })";
  const Json system = Margins(text, "c.y");
  ASSERT_FALSE(system.is_null());
  EXPECT_TRUE(system.at("margins").at("stable").get<bool>());
  // One pendulum of another size is driven, and still damped by the loop.
  std::string other = text;
  other.replace(other.find("m2 : Mass(m = 1 kg)"), 19, "m2 : Mass(m = 2 kg)");
  EXPECT_TRUE(Margins(other, "c.y").at("margins").at("stable").get<bool>());
}

TEST_F(LoopVerdicts, AnUnstableLoopIsStillCalledSo) {
  const std::string text =
      Drive("pi : PI(kp = -0.2 V*s/rad, ki = -1 V/rad)",
            "shaft : TorsionSpringDamper(k = 500 N*m/rad, d = 0.2 N*m*s/rad)", "shaft.a", "shaft.b");
  EXPECT_FALSE(Margins(text, "pi.y").at("margins").at("stable").get<bool>());
}

std::string Cascade(const std::string& outer, const std::string& inner) {
  return "system S { target : Step(height = 20 rad/s, start = 20 ms)\n"
         "speed_pi : SampledPI(kp = 1.5 A*s/rad, ki = 8 A/rad, period = " +
         outer + ")  current_pi : SampledPI(kp = 0.4 V/A, ki = 200 V/(A*s), period = " + inner + ")" + R"(
  amp : SignalVoltageSource  motor : DCMotor(Kt = 0.05 N*m/A, R = 0.3 ohm, L = 300 uH, J = 5e-5 kg*m^2)
  load : Inertia(J = 0.002 kg*m^2)  amps : CurrentSensor  speed : SpeedSensor
  connect amp.p -- amps.p  connect amps.n -- motor.p  connect amp.n -- motor.n -- electrical.ground
  connect motor.shaft -- load.a -- speed.a  connect motor.housing -- rotational.ground
  connect target.y -> speed_pi.target  connect speed.y -> speed_pi.measured
  connect speed_pi.y -> current_pi.target  connect amps.y -> current_pi.measured  connect current_pi.y -> amp.u })";
}

// An inner loop is cut at its own rate, wherever it is cut, whatever the outer one's is.
TEST_F(LoopVerdicts, AFastInnerLoopHasItsOwnRate) {
  const double alone = Margins(Cascade("100 us", "100 us"), "current_pi.y").at("margins").at("gain_upwards");
  for (const char* outer : {"1 ms", "2 ms", "300 us", "150 us"}) {
    for (const char* cut : {"current_pi.y", "amp.u", "amps.y"}) {
      const Json system = Margins(Cascade(outer, "100 us"), cut);
      ASSERT_FALSE(system.is_null()) << outer << " " << cut;
      EXPECT_NEAR(system.at("margins").at("gain_upwards").get<double>(), alone, 0.05 * alone)
          << outer << " " << cut;
      EXPECT_EQ(system.at("dt").get<double>(), 100e-6);
      EXPECT_TRUE(Contains(system.at("notes").dump(), "`speed_pi` samples slower")) << outer;
    }
  }
  // The outer one is exact: the inner ticks are part of it.
  const Json outer = Margins(Cascade("1 ms", "100 us"), "speed_pi.y");
  EXPECT_NEAR(outer.at("dt").get<double>(), 1e-3, 1e-15);
  EXPECT_FALSE(outer.contains("notes"));
  const Ran odd = Run(Cascade("150 us", "100 us"), {"--open", "speed_pi.y", "--margins"});
  EXPECT_EQ(odd.exit_code, 1);
  EXPECT_TRUE(Contains(odd.err, "whole multiple")) << odd.err;
}

TEST_F(LoopVerdicts, AHeldOutputIsSaid) {
  const std::string servo = R"(system S { target : Step(height = 100 rad/s)  %C
    amp : SignalVoltageSource  motor : DCMotor(Kt = 0.05 N*m/A, R = 0.5 ohm, L = 0.5 mH, J = 1e-4 kg*m^2)
    load : Inertia(J = 1e-3 kg*m^2)
    connect amp.p -- motor.p  connect amp.n -- motor.n -- electrical.ground
    connect motor.housing -- rotational.ground  connect motor.shaft -- load.a
    connect target.y -> pi.target  connect load.w -> pi.measured  %Y })";
  const auto with = [&](const std::string& controller, const std::string& way) {
    std::string text = servo;
    text.replace(text.find("%C"), 2, controller);
    return text.replace(text.find("%Y"), 2, way);
  };
  const struct {
    std::string text, name;
  } kCases[] = {
      {with("pi : PI(kp = 0.5 V*s/rad, ki = 20 V/rad, limit = 12 V)", "connect pi.y -> amp.u"), "`pi`"},
      {with("pi : SampledPI(kp = 0.5 V*s/rad, ki = 20 V/rad, limit = 12 V, period = 1 ms)",
            "connect pi.y -> amp.u"),
       "`pi`"},
      {with("pi : PI(kp = 0.5 V*s/rad, ki = 20 V/rad)  lim : Limiter(upper = 12 V)",
            "connect pi.y -> lim.u  connect lim.y -> amp.u"),
       "`lim`"},
  };
  for (const auto& c : kCases) {
    const Ran run = Run(c.text, {"--open", "pi.y", "--margins"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(Contains(run.err, "note: " + c.name + " does not follow")) << run.err;
    const Json there = Margins(c.text, "pi.y");
    EXPECT_TRUE(Contains(there.at("notes").dump(), c.name));
    EXPECT_FALSE(Margins(c.text, "pi.y", {"--at", "0.5s"}).contains("notes"));
  }
}

// L(s) = k (a s + b)/(c s + d): where |L| is 1 or more at infinity, no delay is so short that the loop bears
// it.
TEST_F(LoopVerdicts, ALoopThatPassesTheFastestBearsNoDelay) {
  const struct {
    double k, a, b, c, d, delay;  // NaN: none
  } kCases[] = {{0.5, 4, 1, 1, 1, 0}, {4, 2, 1, 1, 3, 0}, {1, 1, 5, 1, 1, 0}, {0.3, 1, 1, 2, 3, NAN}};
  for (const auto& c : kCases) {
    const std::string text = fmt::format(
        "system S {{ t : Constant(k = 0)  f : Feedback  g : TransferFunction(n = 1, num = [{}, {}], den = "
        "[{}, {}], k = {})\n"
        "  connect t.y -> f.u1  connect f.y -> g.u  connect g.y -> f.u2 }}",
        c.a, c.b, c.c, c.d, c.k);
    const Json margins = Margins(text, "f.u2").at("margins");
    EXPECT_TRUE(margins.at("stable").get<bool>()) << text;
    if (std::isnan(c.delay))
      EXPECT_TRUE(margins.at("delay").is_null()) << text << margins.dump();
    else
      EXPECT_EQ(margins.at("delay").get<double>(), c.delay) << text;
  }
}

// The zero of a controller cancels a pole of the plant: the loop itself says nothing of the pole.
TEST_F(LoopVerdicts, AHiddenMotionThatGrowsIsSaid) {
  const struct {
    double pole, rate;  // of the plant; of the zero
    bool grows;
  } kCases[] = {{1, 1, true}, {0.001, 0.001, true}, {-0.5, -0.5, false}, {1, 1.5, false}};
  for (const auto& c : kCases) {
    // P = 1/(s - pole), C = 2 (s - zero)/(s + 1).
    const std::string text = fmt::format(
        "component Plant {{ parameter T : Time = 1 s  input u : Real  output y : Real  variable x : Real\n"
        "  equation T*der(x) = {0}*x + u  y = x }}\n"
        "component Controller {{ parameter T : Time = 1 s  input e : Real  output u : Real  variable z : "
        "Real\n"
        "  equation T*der(z) = -z + e  u = 2*(e - (1 + {1})*z) }}\n"
        "system S {{ p : Plant  c : Controller  r : Constant(k = 1)  d : Add(k2 = -1)\n"
        "  connect r.y -> d.u1  connect p.y -> d.u2  connect d.y -> c.e  connect c.u -> p.u }}",
        c.pole, c.rate);
    const Json margins = Margins(text, "p.u").at("margins");
    EXPECT_EQ(margins.contains("hidden_growth"), c.grows) << text << margins.dump();
    if (c.grows) {
      EXPECT_NEAR(margins.at("hidden_growth")[0].at("real").get<double>(), c.pole, 1e-9);
    }
    const Ran run = Run(text, {"--open", "p.u", "--margins"});
    EXPECT_EQ(Contains(run.out, "grows: pole "), c.grows) << run.out;
  }
}

}  // namespace
}  // namespace cotree
