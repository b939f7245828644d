// SPDX-License-Identifier: Apache-2.0
// `cotree linearize` with loops, margins, pictures, files, and `cotree trim`, as a user meets them.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "product_support.h"

namespace cotree {
namespace {

using Json = nlohmann::json;
using test::Contains;
using test::Ran;
using test::ReadText;
using test::RunCotree;
using test::TemporaryFolder;
using test::WriteText;

double ValueOf(const Json& list, const std::string& name) {
  for (const Json& entry : list) {
    if (entry.at("name") == name) return entry.at("value");
  }
  return NAN;
}

constexpr const char* kDrive = R"(system SpeedDrive {
  target : Step(height = 100 rad/s)
  pid    : PI(kp = 0.2 V*s/rad, ki = 4 V/rad)
  drive  : SignalVoltageSource
  motor  : DCMotor(Kt = 0.05 N*m/A, R = 0.2 ohm, L = 0.2 mH, J = 2e-5 kg*m^2)
  load   : Inertia(J = 1e-3 kg*m^2)
  fan    : RotationalQuadraticDamper(c = 1e-5 N*m*s^2/rad^2)
  speed  : SpeedSensor
  connect target.y -> pid.target
  connect speed.y -> pid.measured
  connect pid.y -> drive.u
  connect drive.p -- motor.p
  connect drive.n -- motor.n -- electrical.ground
  connect motor.shaft -- load.a -- fan.a -- speed.a
  connect fan.b -- motor.housing -- rotational.ground
}
)";

class Control : public testing::Test {
 protected:
  Control() { WriteText(folder_ / "drive.cot", kDrive); }
  Ran Cotree(const std::vector<std::string>& words) { return RunCotree(words, folder_.path()); }
  Json System(std::vector<std::string> words) {
    words.insert(words.end(), {"--format", "json"});
    const Ran run = Cotree(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.exit_code == 0 ? Json::parse(run.out).at("system") : Json();
  }
  TemporaryFolder folder_;
};

// The loop by hand, at the speed w: L = (kp + ki/s) Kt / ((L s + R)(J s + 2 c w) + Kt^2).
std::complex<double> LoopByHand(double frequency, double w) {
  const std::complex<double> s(0, frequency);
  return (0.2 + 4. / s) * 0.05 / ((0.2e-3 * s + 0.2) * (1.02e-3 * s + 2e-5 * w) + 0.0025);
}

TEST_F(Control, MarginsAreThoseOfTheLoopByHand) {
  for (const char* at : {"0", "3s"}) {
    const Json m =
        System({"linearize", "drive.cot", "--open", "drive.u", "--margins", "--at", at}).at("margins");
    const double w = std::string(at) == "0" ? 0 : 100;
    EXPECT_TRUE(m.at("stable").get<bool>());
    ASSERT_EQ(m.at("gain_crossovers").size(), 1u);
    const double frequency = m.at("gain_crossovers").at(0).at("frequency");
    EXPECT_NEAR(std::abs(LoopByHand(frequency, w)), 1, 1e-6);
    EXPECT_NEAR(m.at("phase").get<double>(), std::arg(-LoopByHand(frequency, w)), 1e-6);
    EXPECT_NEAR(m.at("delay").get<double>(), m.at("phase").get<double>() / frequency, 1e-9);
  }
}

TEST_F(Control, EveryPlaceOfTheLoopGivesTheSame) {
  const Json first =
      System({"linearize", "drive.cot", "--open", "drive.u", "--margins", "--at", "1s"}).at("margins");
  for (const char* name : {"pid.y", "pid.measured", "speed.y"}) {
    const Json m =
        System({"linearize", "drive.cot", "--open", name, "--margins", "--at", "1s"}).at("margins");
    for (const char* number : {"phase", "delay"})
      EXPECT_NEAR(m.at(number).get<double>(), first.at(number).get<double>(), 1e-9) << name;
  }
}

TEST_F(Control, PolesOfTheClosedLoopAreThoseOfTheSystem) {
  const Json m =
      System({"linearize", "drive.cot", "--open", "drive.u", "--margins", "--at", "1s"}).at("margins");
  const Json system = System({"linearize", "drive.cot", "--at", "1s"});
  for (const Json& pole : m.at("closed_poles")) {
    double nearest = INFINITY;
    for (const Json& own : system.at("poles"))
      nearest = std::min(nearest,
                         std::hypot(own.at("real").get<double>() - pole.at("real").get<double>(),
                                    own.at("imaginary").get<double>() - pole.at("imaginary").get<double>()));
    EXPECT_LE(nearest, 1e-6 * pole.at("natural_frequency").get<double>());
  }
}

TEST_F(Control, PicturesAndFiles) {
  const Ran run = Cotree({"linearize", "drive.cot", "--open", "drive.u", "--bode", "b.svg", "--nyquist",
                          "n.svg", "--root-locus", "r.svg", "--step", "s.png"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* name : {"b.svg", "n.svg", "r.svg"})
    EXPECT_TRUE(Contains(ReadText(folder_ / name), "</svg>")) << name;
  EXPECT_TRUE(Contains(ReadText(folder_ / "s.png").substr(0, 4), "PNG"));
  for (const char* format : {"npz", "mat"}) {
    const Ran file = Cotree({"linearize", "drive.cot", "--input", "drive.u", "--output", "load.w", "--format",
                             format, "--out", std::string("m.") + format});
    EXPECT_EQ(file.exit_code, 0) << file.err;
    EXPECT_GT(ReadText(folder_ / (std::string("m.") + format)).size(), 200u);
  }
}

TEST_F(Control, TrimByHand) {
  // Torque of the fan: c w^2 = 0.1 N*m, so 2 A and 0.4 V + 5 V.
  const Json point = System({"trim", "drive.cot", "--fix", "load.w=100", "--free", "drive.u"});
  EXPECT_NEAR(ValueOf(point.at("inputs"), "drive.u"), 5.4, 1e-9);
  EXPECT_NEAR(ValueOf(point.at("values"), "motor.armature.i"), 2, 1e-9);
  EXPECT_EQ(point.at("moving").size(), 1u);
  // The controller finds it by itself.
  const Json rest = System({"trim", "drive.cot"});
  EXPECT_NEAR(ValueOf(rest.at("values"), "load.w"), 100, 1e-9);
  EXPECT_NEAR(ValueOf(rest.at("values"), "drive.v"), 5.4, 1e-9);
  // A speed that needs the current 8 A: w = 200; in another unit.
  const Json rpm = System({"trim", "drive.cot", "--fix", "load.w = 1909.859317 rpm", "--free", "drive.u"});
  EXPECT_NEAR(ValueOf(rpm.at("values"), "motor.armature.i"), 8, 1e-6);
  const Json current = System({"trim", "drive.cot", "--fix", "motor.armature.i=8", "--free", "drive.u"});
  EXPECT_NEAR(ValueOf(current.at("values"), "load.w"), 200, 1e-6);
}

TEST_F(Control, TrimFindsParameters) {
  // 5.6 V at 100 rad/s: 5 V of back-EMF, 2 A for the fan, so 0.3 ohm.
  WriteText(folder_ / "fixed.cot", R"(system Fixed {
  battery : VoltageSource(V = 5.6 V)
  motor   : DCMotor(Kt = 0.05 N*m/A, R = 0.2 ohm, L = 0.2 mH, J = 2e-5 kg*m^2)
  spare   : DCMotor(Kt = 0.05 N*m/A, R = 0.2 ohm, L = 0.2 mH, J = 2e-5 kg*m^2)
  load    : Inertia(J = 1e-3 kg*m^2)
  fan     : RotationalQuadraticDamper(c = 1e-5 N*m*s^2/rad^2)
  brake   : RotationalDamper(d = 1e-3 N*m*s/rad)
  connect battery.p -- motor.p -- spare.p
  connect battery.n -- motor.n -- spare.n -- electrical.ground
  connect motor.shaft -- load.a -- fan.a
  connect spare.shaft -- brake.a
  connect fan.b -- motor.housing -- spare.housing -- brake.b -- rotational.ground
}
)");
  const Json point = System({"trim", "fixed.cot", "--fix", "load.w=100", "--free", "motor.R"});
  EXPECT_NEAR(ValueOf(point.at("parameters"), "motor.R"), 0.3, 1e-9);
  EXPECT_NEAR(ValueOf(point.at("values"), "motor.armature.i"), 2, 1e-8);
  // Its twin keeps its own: 5.6 V = 0.2 ohm d w/Kt + Kt w.
  EXPECT_NEAR(ValueOf(point.at("values"), "brake.w"), 5.6 / (0.2 * 1e-3 / 0.05 + 0.05), 1e-6);
  // A parameter and another one together: V from w and i of the twin.
  const Json two = System({"trim", "fixed.cot", "--fix", "load.w=100", "--fix", "brake.w=100", "--free",
                           "motor.R", "--free", "battery.V"});
  EXPECT_NEAR(ValueOf(two.at("parameters"), "battery.V"), 5.4, 1e-8);
  EXPECT_NEAR(ValueOf(two.at("parameters"), "motor.R"), 0.2, 1e-8);
  const Ran text = Cotree({"trim", "fixed.cot", "--fix", "load.w=100", "--free", "motor.R"});
  EXPECT_TRUE(Contains(text.out, "motor.R  0.3  ohm")) << text.out;
}

TEST_F(Control, TwoInertiasTurnTogether) {
  WriteText(folder_ / "two.cot", R"(system Two {
  u : Step(height = 1 N*m)
  drive : SignalTorqueSource
  a : Inertia(J = 1e-3 kg*m^2)
  k : TorsionSpring(k = 20 N*m/rad)
  b : Inertia(J = 2e-3 kg*m^2)
  d : RotationalDamper(d = 0.01 N*m*s/rad)
  connect u.y -> drive.u
  connect drive.a -- a.a -- k.a
  connect k.b -- b.a -- d.a
  connect d.b -- drive.b -- rotational.ground
}
)");
  const Json point = System({"trim", "two.cot", "--fix", "b.w=100", "--free", "drive.u"});
  EXPECT_NEAR(std::fabs(ValueOf(point.at("inputs"), "drive.u")), 1, 1e-9);
  EXPECT_NEAR(ValueOf(point.at("values"), "a.w"), 100, 1e-9);
  EXPECT_EQ(point.at("moving").size(), 2u);
}

TEST_F(Control, BadInputGetsARemedy) {
  const auto refuses = [&](const std::vector<std::string>& words, int code, const std::string& part) {
    const Ran run = Cotree(words);
    EXPECT_EQ(run.exit_code, code) << run.err;
    EXPECT_TRUE(Contains(run.err, part)) << run.err;
    EXPECT_EQ(run.out, "");
  };
  refuses({"linearize", "drive.cot", "--margins"}, 2, "--open NAME");
  refuses({"linearize", "drive.cot", "--open", "drive.x", "--margins"}, 2, "no input or output `drive.x`");
  refuses({"linearize", "drive.cot", "--open", "drive.u", "--bode", "b.gif"}, 2,
          "let it end with .svg or .png");
  refuses({"linearize", "drive.cot", "--format", "npz"}, 2, "--out model.npz");
  refuses({"linearize", "drive.cot", "--at", "soon"}, 2, "is not a time");
  refuses({"linearize", "drive.cot", "--at", "-1"}, 2, "a time from 0 on");
  refuses({"linearize", "drive.cot", "--open", "drive.u", "--bode", "/nonexistent/b.svg"}, 5,
          "/nonexistent/b.svg");
  refuses({"trim", "drive.cot", "--fix", "load.w"}, 2, "--fix wants");
  refuses({"trim", "drive.cot", "--fix", "load.x=1"}, 2, "no variable `load.x`");
  refuses({"trim", "drive.cot", "--fix", "load.w=1 V"}, 2, "measured in rad/s");
  refuses({"trim", "drive.cot", "--fix", "load.w=1 blah"}, 2, "is not a unit");
  refuses({"trim", "drive.cot", "--fix", "load.w=100", "--fix", "motor.armature.i=1", "--free", "drive.u"}, 4,
          "name another input or parameter with --free");
}

}  // namespace
}  // namespace cotree
