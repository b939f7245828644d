// SPDX-License-Identifier: Apache-2.0
// A position and a speed of a mechanism with loops, said in many ways: by each of its joints, by an inertia
// or a mass on the axis (behind a gear, too), by a sensor there, with names that make another joint the
// chord. The motion is the same.
#include <gtest/gtest.h>

#include <numeric>

#include "curves.h"
#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

constexpr const char* kSolid = "I = [0.002, 0.003, 0.003, 0, 0, 0] kg*m^2";

/** A loop: joints one after the other, bars between them, its end back at a frame of the world. */
struct Loop {
  const char* name;
  std::vector<std::string> joints;  // classes
  std::vector<double> bars;         // one fewer
  std::string base;                 // where the last joint hangs
  std::vector<double> guesses;      // positions to begin the search with
  std::vector<size_t> fixed;        // joints whose guess is exact, as many as there are freedoms
  std::string more;                 // another loop beside it
};

const Loop kLoops[] = {
    {"slider-crank",
     {"Revolute(n = [0, 1, 0])", "Revolute(n = [0, 1, 0])", "Revolute(n = [0, 1, 0])",
      "Prismatic(n = [1, 0, 0])"},
     {0.1, 0.3, 0},
     "r = [0, 0, 0] m",
     {1.0, -1.3, 0.3, 0.33},
     {0},
     ""},
    {"four-bar",
     {"Revolute(n = [0, 1, 0])", "Revolute(n = [0, 1, 0])", "Revolute(n = [0, 1, 0])",
      "Revolute(n = [0, 1, 0])"},
     {0.1, 0.3, 0.25},
     "r = [0.28, 0, 0] m",
     {-1.05, 0.5, 2.2, 1.7},
     {0},
     ""},
    {"five-bar",
     {"Revolute(n = [0, 1, 0])", "Revolute(n = [0, 1, 0])", "Revolute(n = [0, 1, 0])",
      "Revolute(n = [0, 1, 0])", "Revolute(n = [0, 1, 0])"},
     {0.1, 0.25, 0.25, 0.12},
     "r = [0.28, 0, 0] m",
     {-2.1, 1.2, 1.6, 1.0, 1.8},
     {0, 1},
     ""},
    {"two loops on one crank",
     {"Revolute(n = [0, 1, 0])", "Revolute(n = [0, 1, 0])", "Revolute(n = [0, 1, 0])",
      "Prismatic(n = [1, 0, 0])"},
     {0.1, 0.3, 0},
     "r = [0, 0, 0] m",
     {1.0, -1.3, 0.3, 0.33},
     {0},
     "  k1, k2 : Revolute(n = [0, 1, 0])\n  k3 : Prismatic(n = [0, 0, 1])\n"
     "  krod : Body(m = 0.5 kg, center = [0.1, 0, 0] m, I = [0.002, 0.003, 0.003, 0, 0, 0] kg*m^2)\n"
     "  kblock : Body(m = 0.5 kg)\n  kend : Arm(r = [0.35, 0, 0] m)\n"
     "  connect bar1.b -- k1.a\n  connect k1.b -- krod.a -- kend.a\n  connect kend.b -- k2.a\n"
     "  connect k2.b -- k3.b -- kblock.a\n  connect mechanics.ground -- k3.a\n"
     "  start k1.phi = 0.7 rad\n  start k2.phi = -1.7 rad\n  start k3.s = -0.4 m\n"},
};

enum class Way { kJoint, kInertia, kGear, kSensor };

bool Slides(const Loop& loop, size_t k) {
  return loop.joints[k].starts_with("Prismatic");
}

/// The loop with its joints named so; `starts` beside.
std::string TextOf(const Loop& loop, const std::vector<std::string>& names, const std::string& starts) {
  std::string text = "system Loop {\n  gravity : Gravity\n  base : Arm(" + loop.base +
                     ")\n  connect mechanics.ground -- base.a\n";
  std::string before = "mechanics.ground";
  for (size_t k = 0; k < loop.joints.size(); ++k) {
    const std::string number = std::to_string(k + 1);
    text += "  " + names[k] + " : " + loop.joints[k] + "\n";
    if (k == loop.bars.size()) {
      text += "  connect " + before + " -- " + names[k] + ".b\n  connect base.b -- " + names[k] + ".a\n";
      break;
    }
    text += "  body" + number + " : Body(m = 1 kg, center = " + List({loop.bars[k] / 2, 0, 0}, "m") + ", " +
            kSolid + ")\n  bar" + number + " : Arm(r = " + List({loop.bars[k], 0, 0}, "m") + ")\n  connect " +
            before + " -- " + names[k] + ".a\n  connect " + names[k] + ".b -- body" + number + ".a -- bar" +
            number + ".a\n";
    before = "bar" + number + ".b";
  }
  return text + loop.more + starts + "}\n";
}

std::string PositionOf(const Loop& loop, const std::string& name, size_t k) {
  return name + (Slides(loop, k) ? ".s" : ".phi");
}
std::string SpeedOf(const Loop& loop, const std::string& name, size_t k) {
  return name + (Slides(loop, k) ? ".v" : ".w");
}

/// Position and speed of a joint, said in a way.
std::string Said(const Loop& loop, const std::string& joint, size_t k, Way way, double position,
                 double speed) {
  const bool slides = Slides(loop, k);
  const std::string length = slides ? "m" : "rad", rate = length + "/s", part = "part" + std::to_string(k);
  const std::string housing =
      "  connect " + joint + ".housing -- " + (slides ? "translational" : "rotational") + ".ground\n";
  const std::string on = "  connect " + part + ".a -- " + joint + ".axis\n" + housing;
  switch (way) {
    case Way::kJoint:
      break;
    case Way::kInertia:
      return "  " + part + (slides ? " : Mass(m = 1e-9 kg)\n" : " : Inertia(J = 1e-11 kg*m^2)\n") + on +
             FixedStart(PositionOf(loop, part, k), position, length) +
             FixedStart(SpeedOf(loop, part, k), speed, rate);
    case Way::kGear:
      if (slides) break;
      return "  " + part + " : Inertia(J = 1e-11 kg*m^2)\n  gear" + part + " : Gear(ratio = -3)\n  connect " +
             part + ".a -- gear" + part + ".a\n  connect gear" + part + ".b -- " + joint + ".axis\n" +
             housing + FixedStart(part + ".phi", -3 * position, length) +
             FixedStart(part + ".w", -3 * speed, rate);
    case Way::kSensor:
      return "  " + part + (slides ? " : PositionSensor\n" : " : AngleSensor\n") + on +
             FixedStart(part + ".y", position, length) + FixedStart(SpeedOf(loop, joint, k), speed, rate);
  }
  return FixedStart(PositionOf(loop, joint, k), position, length) +
         FixedStart(SpeedOf(loop, joint, k), speed, rate);
}

class Starts : public testing::TestWithParam<Loop> {};

TEST_P(Starts, SayTheSameInEveryWay) {
  const Loop& loop = GetParam();
  const size_t count = loop.joints.size();
  std::vector<std::string> names;
  for (size_t k = 0; k < count; ++k) names.push_back(std::string("j") + static_cast<char>('a' + k));
  std::string starts;
  for (size_t k = 0; k < count; ++k) {
    const bool fixed = std::find(loop.fixed.begin(), loop.fixed.end(), k) != loop.fixed.end();
    const std::string unit = Slides(loop, k) ? "m" : "rad";
    starts += "  start " + PositionOf(loop, names[k], k) + " = " + Number(loop.guesses[k]) + " " + unit +
              (fixed ? " fixed\n" : "\n");
    if (fixed) starts += FixedStart(SpeedOf(loop, names[k], k), 3 - 2 * static_cast<double>(k), unit + "/s");
  }
  constexpr double kStop = 0.05;
  RunOf reference(TextOf(loop, names, starts));
  reference.Simulate(kStop, 1e-9);
  std::vector<double> positions, speeds, ends;
  for (size_t k = 0; k < count; ++k) {
    positions.push_back(reference[PositionOf(loop, names[k], k)].front());
    speeds.push_back(reference[SpeedOf(loop, names[k], k)].front());
    ends.push_back(reference.End(PositionOf(loop, names[k], k)));
    EXPECT_LT(std::fabs(positions[k] - loop.guesses[k]), 0.2) << loop.name << k;
  }
  // Every joint says it once, in every way; the names go round, so that another one is the chord.
  for (size_t first = 0; first < count; ++first) {
    std::vector<std::string> turned = names;
    std::rotate(turned.begin(), turned.begin() + static_cast<ptrdiff_t>((first * 2 + 1) % count),
                turned.end());
    for (const Way way : {Way::kJoint, Way::kInertia, Way::kGear, Way::kSensor}) {
      std::string said;
      for (size_t k = 0; k < count; ++k) {
        const bool says = (k + count - first) % count < loop.fixed.size();
        said += says ? Said(loop, turned[k], k, way, positions[k], speeds[k])
                     : "  start " + PositionOf(loop, turned[k], k) + " = " +
                           Number(positions[k] + (k % 2 == 0 ? 0.05 : -0.05)) +
                           (Slides(loop, k) ? " m\n" : " rad\n");
      }
      const std::string text = TextOf(loop, turned, said);
      SCOPED_TRACE(text);
      RunOf run(text);
      run.Simulate(kStop, 1e-9);
      for (size_t k = 0; k < count; ++k) {
        EXPECT_NEAR(run[PositionOf(loop, turned[k], k)].front(), positions[k], 1e-9) << k;
        EXPECT_NEAR(run[SpeedOf(loop, turned[k], k)].front(), speeds[k], 1e-7) << k;
        EXPECT_NEAR(run.End(PositionOf(loop, turned[k], k)), ends[k], 1e-6) << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Loops, Starts, testing::ValuesIn(kLoops), [](const auto& loop) {
  std::string name;
  for (const char c : std::string(loop.param.name)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
});

const std::vector<std::string> kNames{"ja", "jb", "jc", "jd"};

// A turn more is a turn more, of a joint of the tree and of a chord.
TEST(StartsOfLoops, CountTurns) {
  const Loop& loop = kLoops[0];
  for (size_t k = 0; k < 3; ++k) {
    for (size_t round = 0; round < 4; ++round) {
      std::vector<std::string> names = kNames;
      std::rotate(names.begin(), names.begin() + static_cast<ptrdiff_t>(round), names.end());
      const double at[] = {1.0471975511965976, -1.3400403226, 0.2928427714};
      const double more = at[k] + (k == 1 ? -4 : 2) * M_PI;
      std::string starts = FixedStart(names[k] + ".phi", more, "rad");
      for (size_t i = 0; i < 3; ++i) {
        if (i != k) starts += "  start " + names[i] + ".phi = " + Number(at[i] + 0.01) + " rad\n";
      }
      RunOf run(TextOf(loop, names, starts));
      run.Simulate(0.001);
      EXPECT_NEAR(run[names[k] + ".phi"].front(), more, 1e-12) << k << " " << round;
      EXPECT_NEAR(run[names[3] + ".s"].front(), 0.3372281323, 1e-7) << k << " " << round;
    }
  }
}

// At the end of its range a slider says a double root; what is over it is refused with names and values.
TEST(StartsOfLoops, EndOfTheRange) {
  const auto text = [](const std::string& starts) { return TextOf(kLoops[0], kNames, starts); };
  RunOf run(text("  start jd.s = 0.4 m fixed\n  start ja.phi = 5 deg\n  start ja.w = 3 rad/s fixed\n"));
  run.Simulate(0.001);
  EXPECT_NEAR(run["jd.s"].front(), 0.4, 1e-9);
  EXPECT_NEAR(run["ja.phi"].front(), 0, 1e-5);
  EXPECT_NEAR(run["ja.w"].front(), 3, 1e-12);
  std::string said;
  for (const Diagnostic& d : run.loaded->diagnostics.list()) said += CodeText(*d.info);
  EXPECT_TRUE(Contains(said, "COT3318")) << said;
  const auto refused = [&](const std::string& starts, const std::string& code, const std::string& part) {
    try {
      RunOf wrong(text(starts));
      ADD_FAILURE() << starts;
    } catch (const std::runtime_error& error) {
      EXPECT_TRUE(Contains(error.what(), code) && Contains(error.what(), part)) << error.what();
    }
  };
  refused("  start jd.s = 0.45 m fixed\n", "COT3310", "`jd.s` = 0.45 m");
  refused("  start jd.s = 0.33 m fixed\n  start ja.phi = 60 deg fixed\n", "COT3310",
          "`ja.phi` = 1.0472 rad, `jd.s` = 0.33 m");
  refused("  start ja.phi = 60 deg fixed\n  start ja.w = 3 rad/s fixed\n  start jd.v = 1 m/s fixed\n",
          "COT3315", "`jd.v` = 1 m/s");
  refused("  start jd.s = 0.4 m fixed\n  start ja.phi = 5 deg\n  start jd.v = 1 m/s fixed\n", "COT3315",
          "`jd.v` = 1 m/s");
  // More than enough, and all of it true.
  RunOf agree(
      text("  start jd.s = 0.3372281323269014 m fixed\n  start ja.phi = 60 deg fixed\n"
           "  start ja.w = 3 rad/s fixed\n"));
  agree.Simulate(0.001);
  EXPECT_NEAR(agree["ja.phi"].front(), M_PI / 3, 1e-9);
}

// Places of bodies as coordinates: rigid sensors between joints, many point masses.
TEST(StartsOfLoops, PlacesOfPointMasses) {
  const std::string body =
      "  gravity : Gravity\n  rail : Prismatic(n = [1, 0, 0])\n  cart : Body(m = 1.5 kg)\n"
      "  held : ForceTorqueSensor\n  pin : Revolute[5](n = [0, 1, 0])\n"
      "  bob : Body[5](m = 1 kg, center = [0, 0, -0.5] m)\n"
      "  connect mechanics.ground -- rail.a\n  connect rail.b -- cart.a -- held.a\n"
      "  connect held.b -- pin.a\n  connect pin.b -- bob.a\n"
      "  start pin[1].phi = 0.4 rad fixed\n  start pin[2].phi = -0.3 rad fixed\n}\n";
  RunOf joints("system P {\n" + body), places("system P {\n  coordinates = absolute\n" + body);
  joints.Simulate(0.2, 1e-9);
  places.Simulate(0.2, 1e-9);
  for (const std::string name : {"pin[1].phi", "pin[2].phi", "pin[3].w", "rail.s", "held.f[3]"})
    EXPECT_NEAR(joints.End(name), places.End(name), 1e-6) << name;
}

// The turn of a ball joint that closes a loop: the bodies are where it says.
TEST(StartsOfLoops, TurnOfABallThatCloses) {
  const std::string text =
      "system S {\n"
      "  gravity : Gravity\n"
      "  crank : Revolute(n = [0, 0, 1])\n"
      "  rocker : Revolute(n = [0, 0, 1])\n"
      "  cb : Body(m = 1 kg, center = [0.1, 0, 0] m, I = [0.01, 0.01, 0.01, 0, 0, 0] kg*m^2)\n"
      "  rb : Body(m = 1 kg, center = [0.1, 0, 0] m, I = [0.01, 0.01, 0.01, 0, 0, 0] kg*m^2)\n"
      "  rod : Body(m = 0.5 kg, center = [0.2, 0, 0] m, I = [0.001, 0.01, 0.01, 0, 0, 0] kg*m^2)\n"
      "  base : Arm(r = [0.4, 0.1, 0] m)\n"
      "  ca : Arm(r = [0.2, 0, 0] m)\n"
      "  ra : Arm(r = [0.3, 0, 0] m)\n"
      "  rl : Arm(r = [0.4, 0, 0] m)\n"
      "  uni : Universal(n1 = [0, 0, 1], n2 = [0, 1, 0])\n"
      "  ball : Spherical\n"
      "  connect mechanics.ground -- base.a -- crank.a\n"
      "  connect crank.b -- cb.a -- ca.a\n"
      "  connect ca.b -- uni.a\n"
      "  connect uni.b -- rod.a -- rl.a\n"
      "  connect base.b -- rocker.a\n"
      "  connect rocker.b -- rb.a -- ra.a\n"
      "  connect rl.b -- ball.a\n"
      "  connect ra.b -- ball.b\n";
  const std::string turn = "  start ball.Q[1] = 0.88418843";
  const std::string rest = "  start ball.Q[4] = 0.46713042";
  RunOf known(text + "  start crank.phi = 1.2 rad fixed\n  start rocker.phi = 1.3 rad\n}\n");
  known.Simulate(0.001);
  for (const std::string& starts :
       {turn + " fixed\n" + rest + " fixed\n  start crank.phi = 0.5 rad\n  start rocker.phi = 1 rad\n",
        turn + "\n" + rest + "\n"}) {
    RunOf run(text + starts + "}\n");
    run.Simulate(0.001);
    for (const std::string name : {"crank.phi", "rocker.phi", "uni.first.phi", "ball.Q[4]"})
      EXPECT_NEAR(run[name].front(), known[name].front(), 1e-6) << name << " of\n" << starts;
  }
  try {
    RunOf wrong(text + turn + " fixed\n" + rest + " fixed\n  start crank.phi = 0.5 rad fixed\n}\n");
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(Contains(error.what(), "COT3310") && Contains(error.what(), "`ball.Q[1]` = 0.884188"))
        << error.what();
  }
}

// A gear between two joints of a loop: which of them is the state decides nothing.
TEST(StartsOfLoops, JointsGearedToEachOther) {
  const std::vector<std::string> joints = {"left", "right", "left_elbow", "right_elbow", "joint"};
  const std::vector<std::vector<std::string>> names = {
      joints, {"qj", "qe", "qf", "qg", "qh"}, {"qi", "qa", "qh", "qg", "qb"}, {"qa", "qc", "qb", "qi", "qd"}};
  struct Gearing {
    size_t a, b;
    bool fixed;
  };
  for (const Gearing g : {Gearing{0, 3, false}, {0, 2, true}, {2, 3, true}, {4, 0, true}, {2, 3, false}}) {
    std::vector<double> first;
    for (const std::vector<std::string>& n : names) {
      std::string text = "system G {\n  gravity : Gravity(g = [0, -9.81, 0] m/s^2)\n";
      for (const std::string& name : n) text += "  " + name + " : Revolute(n = [0, 0, 1])\n";
      const std::string fixed = g.fixed ? " fixed\n" : "\n";
      text +=
          "  base : Arm(r = [0.3, 0, 0] m)\n  gear : Gear(ratio = -1.5)\n"
          "  b1, b2 : Body(m = 0.6 kg, center = [0.125, 0, 0] m, I = [1e-4, 0.003, 0.003, 0, 0, 0] kg*m^2)\n"
          "  b3, b4 : Body(m = 0.4 kg, center = [0.15, 0, 0] m, I = [1e-4, 0.002, 0.002, 0, 0, 0] kg*m^2)\n"
          "  a1, a2 : Arm(r = [0.25, 0, 0] m)\n  a3, a4 : Arm(r = [0.3, 0, 0] m)\n  tip : PlaceSensor\n"
          "  start " +
          n[0] + ".phi = 2 rad" + fixed + "  start " + n[0] + ".w = 1 rad/s" + fixed + "  start " + n[1] +
          ".phi = 1.2 rad\n  start " + n[2] + ".phi = -1.3 rad\n  start " + n[3] +
          ".phi = 1.3 rad\n  connect mechanics.ground -- base.a -- " + n[0] + ".a\n  connect " + n[0] +
          ".b -- b1.a -- a1.a\n  connect a1.b -- " + n[2] + ".a\n  connect " + n[2] +
          ".b -- b3.a -- a3.a\n  connect base.b -- " + n[1] + ".a\n  connect " + n[1] +
          ".b -- b2.a -- a2.a\n  connect a2.b -- " + n[3] + ".a\n  connect " + n[3] +
          ".b -- b4.a -- a4.a\n  connect a3.b -- " + n[4] + ".a -- tip.a\n  connect a4.b -- " + n[4] +
          ".b\n  connect gear.a -- " + n[g.a] + ".axis\n  connect gear.b -- " + n[g.b] + ".axis\n  connect " +
          n[g.a] + ".housing -- " + n[g.b] + ".housing -- rotational.ground\n}\n";
      RunOf run(text);
      run.Simulate(0.2, 1e-9);
      const std::vector<double> now = {run[n[0] + ".phi"].front(), run[n[0] + ".w"].front(),
                                       run.End(n[0] + ".phi"), run.End("tip.y[1]"), run.End("tip.y[2]")};
      if (first.empty()) first = now;
      for (size_t k = 0; k < now.size(); ++k) EXPECT_NEAR(now[k], first[k], 1e-6) << k << " of\n" << text;
      EXPECT_NEAR(now[1], 1, 1e-12);
      if (g.fixed) {
        EXPECT_NEAR(now[0], 2, 1e-12);
      }
    }
  }
}

// A rate that nobody asks for but its start.
TEST(StartsOfLoops, RateOfASensor) {
  RunOf run(
      "system S {\n  j : Inertia(J = 1 kg*m^2)\n  s : AngleSensor\n  connect j.a -- s.a\n"
      "  start s.phi = 1 rad fixed\n  start s.w = 3 rad/s fixed\n}\n");
  run.Simulate(1, 1e-9);
  EXPECT_NEAR(run.End("j.phi"), 4, 1e-9);
  EXPECT_NEAR(run.End("j.w"), 3, 1e-12);
}

// No turn is what the class of a ball joint proposes: it is nothing that was said, and takes nothing from the
// start of the crank, which can be held.
TEST(StartsOfLoops, ASaidStartIsHeldBesideBalls) {
  RunOf run(R"(system Rssr {
    crank_joint : Revolute(n = [0, 0, 1], start phi = 0.7 rad)
    crank : Body(m = 0.7 kg, center = [0.075, 0, 0] m)   crank_arm : Arm(r = [0.15, 0, 0] m)
    ball1, ball2 : Spherical   base : Arm(r = [0.4, 0.3, 0] m)
    bar : Body(m = 0.8 kg, center = [0.26, 0, 0] m, I = [0.003, 0.02, 0.021, 0, 0, 0] kg*m^2)
    bar_arm : Arm(r = [0.52, 0, 0] m)   rocker_joint : Revolute(n = [1, 0, 0])
    rocker : Body(m = 0.9 kg, center = [0, 0.15, 0] m)   rocker_arm : Arm(r = [0, 0.3, 0] m)
    connect mechanics.ground -- crank_joint.a -- base.a
    connect crank_joint.b -- crank.a -- crank_arm.a   connect crank_arm.b -- ball1.a
    connect ball1.b -- bar.a -- bar_arm.a   connect bar_arm.b -- ball2.a   connect base.b -- rocker_joint.a
    connect rocker_joint.b -- rocker.a -- rocker_arm.a   connect rocker_arm.b -- ball2.b })");
  run.Simulate(0.01);
  EXPECT_NEAR(run["crank_joint.phi"].front(), 0.7, 1e-9);
}

// The starts of the joints alone lead to a slide that is put in the wrong way round; with that of the flywheel
// they do not.
TEST(StartsOfLoops, WhatIsTurnedRoundIsNoBeginning) {
  RunOf run(R"(system SliderCrank {
    j1 : Revolute(n = [0, 0, -1])   slide : Prismatic(n = [-0.755, -0.654, 0])
    j2 : Revolute(n = [0, 0, -1])   j3 : Revolute(n = [0, 0, 1])   wheel : Inertia(J = 0.431 kg*m^2)
    a1 : Arm(r = [0.708, 0.310, 0] m, rpy = [0, 0, 2.907] rad)   a2 : Arm(r = [-0.103, -0.538, 0] m)
    a3 : Arm(r = [0.988, -0.460, 0] m, rpy = [0, 0, 1.113] rad)  a4 : Arm(r = [0.052, -0.298, 0] m)
    a5 : Arm(r = [-0.452, 0.427, 0] m, rpy = [0, 0, -1.725] rad) a6 : Arm(r = [0.128, 0.320, 0] m)
    a7 : Arm(r = [-0.007, -0.453, 0] m)   a8 : Arm(r = [-0.699, -0.982, 0] m)
    b1 : Body(m = 2.157 kg, center = [0.069, 0.213, 0] m, I = [0.071, 0.071, 0.071, 0, 0, 0] kg*m^2)
    b2 : Body(m = 2.503 kg, center = [-0.112, 0.218, 0] m, I = [0.068, 0.068, 0.068, 0, 0, 0] kg*m^2)
    b3 : Body(m = 0.371 kg, center = [0.017, -0.245, 0] m, I = [0.005, 0.005, 0.005, 0, 0, 0] kg*m^2)
    start j1.phi = 2.139 rad   start slide.s = 0.292 m   start j2.phi = 0.736 rad
    start wheel.phi = 1.926 rad fixed   start wheel.w = 3.068 rad/s fixed
    connect mechanics.ground -- a5.a -- a6.a   connect a5.b -- slide.a   connect a6.b -- j1.a
    connect a4.b -- j1.b   connect b1.a -- a4.a -- a3.a   connect a3.b -- j2.b   connect a8.b -- j2.a
    connect b3.a -- a7.a -- a8.a   connect a7.b -- j3.a   connect a2.b -- j3.b   connect b2.a -- a2.a -- a1.a
    connect a1.b -- slide.b   connect j3.axis -- wheel.a
    connect j1.housing -- j3.housing -- rotational.ground })");
  run.Simulate(0.01);
  EXPECT_NEAR(run["j1.phi"].front(), 2.139, 0.02);
  EXPECT_NEAR(run["j2.phi"].front(), 0.736, 0.02);
}

}  // namespace
}  // namespace cotree::test
