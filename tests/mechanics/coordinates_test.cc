// SPDX-License-Identifier: Apache-2.0
// The same motion in coordinates of joints, in places of bodies, and in mixtures of both; loops that stay
// closed; linear models in as few states as there are freedoms.
#include <gtest/gtest.h>

#include <cstdio>

#include "curves.h"
#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

struct Moving {
  std::string name, text;             // text with @ where `coordinates = ...` may stand
  std::vector<std::string> joints;    // with a `preference`, one after the other below 0
  std::vector<std::string> compared;  // variables
};

// Motor, gear and spring in one dimension on a chain of four kinds of joints.
const char* const kArm =
    "system Crane {\n@"
    "  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n"
    "  turn : Revolute(n = [0, 0, 1], d = 0.02 N*m*s/rad, start phi = 4 rad fixed, start w = 1 rad/s fixed)\n"
    "  lift : Prismatic(n = [0, 0.6, 0.8], d = 3 N*s/m, start s = 0.1 m fixed, start v = -0.2 m/s fixed)\n"
    "  ball : Spherical(d = 0.01 N*m*s/rad)\n"
    "  tube : Cylindrical(n = [1, 0, 0])\n"
    "  base : Body(m = 3 kg, center = [0.1, 0, 0.2] m, I = [0.1, 0.12, 0.08, 0.01, 0, 0] kg*m^2)\n"
    "  mast : Body(m = 1.5 kg, center = [0.3, 0, 0] m, I = [0.02, 0.05, 0.06, 0, 0, 0.002] kg*m^2)\n"
    "  hand : Body(m = 0.7 kg, center = [0, 0.1, -0.1] m, I = [0.01, 0.012, 0.008, 0, 0.001, 0] kg*m^2)\n"
    "  tip  : Body(m = 0.3 kg, center = [0.05, 0.02, 0] m, I = [0.003, 0.002, 0.004, 0, 0, 0] kg*m^2)\n"
    "  out  : Arm(r = [0.5, 0, 0.1] m, rpy = [0.3, 0.2, -0.4] rad)\n"
    "  down : Arm(r = [0, 0.2, -0.3] m)\n"
    "  J : Inertia(J = 0.002 kg*m^2)\n"
    "  gear : Gear(ratio = 20)\n"
    "  spring : Spring(k = 800 N/m)\n"
    "  start ball.Q[1] = 0.9 fixed\n  start ball.Q[2] = 0.3 fixed\n  start ball.Q[3] = -0.2 fixed\n"
    "  start ball.Q[4] = 0.1 fixed\n  start ball.w[1] = 0.4 rad/s fixed\n  start ball.w[2] = -1 rad/s fixed\n"
    "  start ball.w[3] = 0.7 rad/s fixed\n"
    "  connect mechanics.ground -- turn.a\n  connect turn.b -- base.a -- out.a\n  connect out.b -- lift.a\n"
    "  connect lift.b -- mast.a -- down.a\n  connect down.b -- ball.a\n  connect ball.b -- hand.a -- tube.a\n"
    "  connect tube.b -- tip.a\n"
    "  connect J.a -- gear.a\n  connect gear.b -- turn.axis\n"
    "  connect spring.a -- lift.axis\n  connect spring.b -- lift.housing\n"
    "}\n";

const char* const kParallelogram =
    "system Parallelogram {\n@"
    "  gravity : Gravity(g = [0, -9.81, 0] m/s^2)\n"
    "  j1 : Revolute(start phi = -1.2 rad fixed, start w = 1 rad/s fixed)\n"
    "  j2 : Revolute(start phi = -1.2 rad)\n  j3 : Revolute(start phi = -1.2 rad)\n"
    "  p1, p2, p3 : Revolute(start phi = 1.2 rad)\n"
    "  c1, c2, c3 : Body(m = 1 kg, center = [0.1, 0, 0] m, I = [0.001, 0.004, 0.004, 0, 0, 0] kg*m^2)\n"
    "  bar : Body(m = 2 kg, center = [0.2, 0, 0] m, I = [0.001, 0.02, 0.02, 0, 0, 0] kg*m^2)\n"
    "  a1, a2, a3 : Arm(r = [0.2, 0, 0] m)\n"
    "  g2, b2 : Arm(r = [0.25, 0, 0] m)\n  g3, b3 : Arm(r = [0.4, 0, 0] m)\n"
    "  connect mechanics.ground -- j1.a -- g2.a -- g3.a\n  connect g2.b -- j2.a\n  connect g3.b -- j3.a\n"
    "  connect j1.b -- c1.a -- a1.a\n  connect j2.b -- c2.a -- a2.a\n  connect j3.b -- c3.a -- a3.a\n"
    "  connect a1.b -- p1.a\n  connect a2.b -- p2.a\n  connect a3.b -- p3.a\n"
    "  connect p1.b -- bar.a -- b2.a -- b3.a\n  connect b2.b -- p2.b\n  connect b3.b -- p3.b\n"
    "}\n";

std::string FourBar() {
  std::string text = ReadText(kRoot / "tests/mechanics/models/four_bar.cot");
  text.erase(text.find("experiment"));
  return text.insert(text.find("{\n") + 2, "@");
}

/// The places and velocities of bodies do not depend on what describes them.
TEST(Coordinates, AgreeWithEachOther) {
  const std::vector<Moving> all = {
      {"arm",
       kArm,
       {"turn", "lift", "ball", "tube"},
       {"turn.phi", "turn.w", "turn.alpha", "lift.s", "lift.v", "ball.w[1]", "ball.w[2]", "ball.w[3]",
        "tube.turn.phi", "tube.slide.s", "tube.slide.v"}},
      {"four-bar",
       FourBar(),
       {"j1", "j2", "j3"},
       {"j1.phi", "j1.w", "j2.phi", "j3.phi", "j4.phi", "j4.w", "energy.kinetic"}},
      {"parallelogram", kParallelogram, {"j1", "j2"}, {"j1.phi", "j1.w", "j1.alpha", "p1.phi", "p3.w"}},
  };
  double worst = 0;
  size_t runs = 0;
  for (const Moving& m : all) {
    const auto text = [&](const std::string& coordinates, const std::string& joint) {
      std::string out = m.text;
      out.replace(out.find('@'), 1, coordinates.empty() ? "" : "  coordinates = " + coordinates + "\n");
      if (joint.empty()) return out;
      const size_t at = out.find("  " + joint + " : ");
      const size_t end = out.find('\n', at), open = out.find('(', at);
      if (open < end)
        out.insert(open + 1, "preference = -1, ");
      else
        out.insert(end, "(preference = -1)");
      return out;
    };
    RunOf expected(text("", ""));
    expected.Simulate(2, 1e-11, Method::kExplicit, 0.05);
    std::vector<std::string> others{text("absolute", "")};
    for (const std::string& joint : m.joints) others.push_back(text("", joint));
    for (const std::string& other : others) {
      RunOf run(other);
      run.Simulate(2, 1e-11, Method::kExplicit, 0.05);
      EXPECT_NE(run.translation->mechanism.chords, expected.translation->mechanism.chords)
          << "the choice must differ in\n"
          << other;
      ++runs;
      for (const std::string& name : m.compared) {
        const double off = Difference(run[name], expected[name]) / std::max(1.0, Largest(expected[name]));
        EXPECT_LE(off, 1e-8) << m.name << ": " << name << " in\n" << other;
        worst = std::max(worst, off);
      }
    }
  }
  std::printf("coordinates: %zu runs, worst %.2g\n", runs, worst);
}

/// A linear model of a loop has as many states as freedoms, and their poles are those of the free motion.
TEST(Coordinates, LinearModelsOfLoopsHaveFreedomsOnly) {
  // A pendulum whose bar is carried by two cranks in parallel: the bar moves without turning, on a circle.
  // At rest, hanging: s^2 = -g (mc*2/2 + mb) r / (2 I + mb r^2), I of a crank about its end.
  const std::string text =
      "system Swing {\n"
      "  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n"
      "  j1, j2 : Revolute(n = [0, 1, 0])\n  p1, p2 : Revolute(n = [0, 1, 0])\n"
      "  c1, c2 : Body(m = 1 kg, center = [0, 0, -0.1] m, I = [0.004, 0.004, 0.001, 0, 0, 0] kg*m^2)\n"
      "  bar : Body(m = 2 kg, center = [0.15, 0, 0] m, I = [0.001, 0.02, 0.02, 0, 0, 0] kg*m^2)\n"
      "  a1, a2 : Arm(r = [0, 0, -0.2] m)\n  g : Arm(r = [0.3, 0, 0] m)\n  b : Arm(r = [0.3, 0, 0] m)\n"
      "  connect mechanics.ground -- j1.a -- g.a\n  connect g.b -- j2.a\n"
      "  connect j1.b -- c1.a -- a1.a\n  connect j2.b -- c2.a -- a2.a\n"
      "  connect a1.b -- p1.a\n  connect a2.b -- p2.a\n  connect p1.b -- bar.a -- b.a\n  connect b.b -- "
      "p2.b\n"
      "}\n";
  const double own = 0.004 + 0.01, square = 9.81 * (1 * 0.1 * 2 + 2 * 0.2) / (2 * own + 2 * 0.04);
  for (const std::string& coordinates : {std::string(), std::string("  coordinates = absolute\n")}) {
    std::string with = text;
    with.insert(with.find("{\n") + 2, coordinates);
    RunOf run(with);
    ProgramRun at(*run.translation->program);
    Initializer begin(at, *run.translation->program, run.translation->starts, {});
    ASSERT_TRUE(begin.Solve(false).ok);
    const LinearModel model = Linearize(at, *run.translation->program, {}, 0);
    ASSERT_EQ(model.n(), 2u) << coordinates;
    ASSERT_EQ(model.poles.size(), 2u);
    for (const auto& pole : model.poles) {
      EXPECT_NEAR(pole.real(), 0, 1e-7);
      EXPECT_NEAR(std::fabs(pole.imag()), std::sqrt(square), 1e-7);
    }
  }
}

/// Gaps of loops after each step are rounding, whatever the tolerance and method.
TEST(Coordinates, LoopsStayClosed) {
  std::string text = FourBar();
  text.erase(text.find('@'), 1);
  // The end of the last bar as seen from the ground.
  text.insert(text.rfind('}'),
              "  end : RelativePlaceSensor\n  connect j4.b -- end.a\n  connect j4.a -- end.b\n");
  double worst = 0;
  for (const Method method : {Method::kExplicit, Method::kBdf, Method::kRungeKutta4, Method::kHeun}) {
    RunOf run(text);
    SimulationOptions options;
    options.stop = 3;
    options.rtol = 1e-6;
    options.method = method;
    options.step = 1e-3;
    options.interval = 3;
    run.trajectory = cotree::Simulate(*run.translation->program, run.translation->starts, options);
    ASSERT_TRUE(run.trajectory.ok) << run.trajectory.problem;
    for (int k = 1; k <= 3; ++k)
      worst = std::max(worst, std::fabs(run.End("end.y[" + std::to_string(k) + "]")));
  }
  EXPECT_LE(worst, 1e-12);
  std::printf("loops: worst gap %.2g m\n", worst);
}

/// Two cranks of the same length between parallel bars may fold over in line: that is said.
TEST(Coordinates, ChangeOfRankIsSaid) {
  std::string text = kParallelogram;
  text.replace(text.find('@'), 1, "");
  text.replace(text.find("start w = 1 rad/s"), 17, "start w = 14 rad/s");
  RunOf run(text);
  run.Simulate(1, 1e-9);
  ASSERT_FALSE(run.trajectory.notes.empty());
  EXPECT_NE(run.trajectory.notes[0].find("depend on each other"), std::string::npos);
  // The bars are in line where the first crank points along the base.
  double time = 0;
  ASSERT_EQ(std::sscanf(run.trajectory.notes[0].c_str(), "near %lf s", &time), 1) << run.trajectory.notes[0];
  const auto& phi = run["j1.phi"];
  double there = 1;
  for (size_t k = 0; k < phi.size(); ++k) {
    if (std::fabs(run.times()[k] - time) < 0.003) there = std::min(there, std::fabs(std::sin(phi[k])));
  }
  EXPECT_LE(there, 0.05) << run.trajectory.notes[0];
}

/// Bodies that only turn: their places and speeds are rounding, and no digits of it are asked for.
TEST(Coordinates, OfBodiesThatOnlyTurn) {
  std::string text = ReadText(kRoot / "tests/mechanics/models/cardan_double.cot");
  RunOf expected(text);
  expected.Simulate(0.5, 1e-9, Method::kExplicit, 0.05);
  RunOf run(text.insert(text.find("{\n") + 2, "  coordinates = absolute\n"));
  run.Simulate(0.5, 1e-9, Method::kExplicit, 0.05);
  EXPECT_LT(run.trajectory.steps, 2000u);
  for (const std::string name : {"front.phi", "front.w", "rear.phi", "rear.w", "cross1.first.phi"})
    EXPECT_LE(Difference(run[name], expected[name]), 1e-7 * std::max(1.0, Largest(expected[name]))) << name;
}

/// Where sources drive every joint no rate is left to be found.
TEST(Coordinates, OfWhatIsDrivenWholly) {
  const std::string text =
      "  gravity : Gravity\n  wave : Sine(amplitude = 0.5 rad, frequency = 0.4 Hz)\n  arm : DrivenRevolute(n "
      "= [0, 1, 0])\n"
      "  rod : Body(m = 2 kg, center = [0.5, 0, 0] m, I = [0.001, 0.17, 0.17, 0, 0, 0] kg*m^2)\n"
      "  connect mechanics.ground -- arm.a\n  connect arm.b -- rod.a\n  connect wave.y -> arm.u\n}\n";
  RunOf joints("system D {\n" + text), places("system D {\n  coordinates = absolute\n" + text);
  joints.Simulate(1, 1e-9);
  places.Simulate(1, 1e-9);
  for (const std::string name : {"arm.joint.phi", "arm.joint.drive"})
    EXPECT_NEAR(joints.End(name), places.End(name), 1e-7 * std::max(1.0, std::fabs(joints.End(name))))
        << name;
}

}  // namespace
}  // namespace cotree::test
