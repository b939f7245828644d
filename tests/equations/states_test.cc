// SPDX-License-Identifier: Apache-2.0
// Which variables are states: wishes, and constraints that choose none (BT.9, BT.10).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "run_support.h"
#include "simulation/initialize.h"

namespace cotree::test {
namespace {

TranslateOptions AsRun() {
  TranslateOptions options;
  options.keep_constraints = true;
  return options;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/* y' = f(y) by the classical method of Runge and Kutta, with steps that leave rounding only. */
std::vector<double> Integrated(std::vector<double> y, double stop, int steps,
                               const std::function<std::vector<double>(const std::vector<double>&)>& f) {
  const double h = stop / steps;
  const auto along = [&](const std::vector<double>& slope, double part) {
    std::vector<double> out = y;
    for (size_t k = 0; k < y.size(); ++k) out[k] += part * h * slope[k];
    return out;
  };
  for (int n = 0; n < steps; ++n) {
    const auto a = f(y), b = f(along(a, 0.5)), c = f(along(b, 0.5)), d = f(along(c, 1));
    for (size_t k = 0; k < y.size(); ++k) y[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
  }
  return y;
}

// A pendulum in two coordinates, with names that are put in.
const char kPendulum[] =
    R"(component Bob { parameter L : Length = 1 m  parameter g : Acceleration = 9.81 m/s^2
    variable SIDE : Length (start = 0 m)  variable UP : Length (start = -1 m)
    variable v_SIDE : Velocity (start = SPEED m/s, fixed)  variable v_UP : Velocity  variable pull : 1/Time^2
    equation der(SIDE) = v_SIDE  der(UP) = v_UP  der(v_SIDE) = -pull*SIDE  der(v_UP) = -pull*UP - g
    SIDE^2 + UP^2 = L^2 }
  system S { bob : Bob })";

// phi'' = -g/L sin(phi), integrated apart, for swings below the horizontal, above it, and turns.
TEST(KeptConstraints, APendulumTurnsOverWhateverItsCoordinatesAreCalled) {
  constexpr double kStop = 6;
  for (const double speed : {1.0, 6.2, 7.0}) {
    const std::vector<double> phi = Integrated({0, speed}, kStop, 30000, [](const std::vector<double>& y) {
      return std::vector<double>{y[1], -9.81 * std::sin(y[0])};
    });
    for (const auto& [side, up] : {std::pair{"p", "q"}, {"q", "p"}}) {
      std::string text = Replaced(Replaced(kPendulum, "SIDE", side), "UP", up);
      text = Replaced(text, "SPEED", std::to_string(speed));
      for (const auto& [method, rtol, allowed] : {std::tuple{Method::kAutomatic, 1e-9, 1e-6},
                                                  {Method::kExplicit, 1e-9, 1e-6},
                                                  {Method::kBdf, 1e-9, 1e-5},
                                                  {Method::kIda, 1e-9, 1e-4}}) {
        RunOf run(text, AsRun());
        run.Simulate(kStop, rtol, method);
        const std::string what = std::string(MethodName(method)) + ", " + side + ", " + std::to_string(speed);
        EXPECT_NEAR(run.End(std::string("bob.") + side), std::sin(phi[0]), allowed) << what;
        EXPECT_NEAR(run.End(std::string("bob.") + up), -std::cos(phi[0]), allowed) << what;
        EXPECT_NEAR(run.End(std::string("bob.v_") + up), phi[1] * std::sin(phi[0]), 20 * allowed) << what;
      }
    }
  }
}

// Without a start the sideways speed of a pendulum at the side is the one that the constraint fixes: of two
// that the structure allows, numbers choose.
TEST(KeptConstraints, NumbersChooseWhatFollowsAtTheStart) {
  std::string text = Replaced(Replaced(kPendulum, "SIDE", "x"), "UP", "y");
  text = Replaced(text, "(start = 0 m)", "(start = 1 m, fixed)");
  text = Replaced(text, "(start = -1 m)", "(start = 0.2 m)");
  text = Replaced(text, "variable v_x : Velocity (start = SPEED m/s, fixed)  variable v_y : Velocity",
                  "variable v_x : Velocity  variable v_y : Velocity (start = -2 m/s)");
  RunOf run(text, AsRun());
  run.Simulate(1, 1e-9);
  EXPECT_NEAR(run["bob.y"].front(), 0, 1e-5);  // a double root: y^2 = 0
  EXPECT_NEAR(run["bob.v_y"].front(), -2, 1e-9);
  EXPECT_NEAR(run["bob.v_x"].front(), 0, 1e-4);
}

TEST(KeptConstraints, StartsThatContradictAreRefused) {
  std::string text = Replaced(Replaced(kPendulum, "SIDE", "x"), "UP", "y");
  text = Replaced(text, "SPEED", "1");
  text = Replaced(text, "(start = 0 m)", "(start = 0.5 m, fixed)");
  text = Replaced(text, "(start = -1 m)", "(start = -1 m, fixed)");
  RunOf run(text, AsRun());
  try {
    run.Simulate(1);
    ADD_FAILURE() << "it runs";
  } catch (const std::runtime_error& e) {
    const std::string said = e.what();
    EXPECT_NE(said.find("bob.x^2 + bob.y^2 = bob.L^2"), std::string::npos) << said;
    EXPECT_NE(said.find("`bob.x` = 0.5 m"), std::string::npos) << said;
    EXPECT_NE(said.find("`bob.y` = -1 m"), std::string::npos) << said;
  }
}

// Hanging, a pendulum has y as no coordinate at all: it is linear in x, whichever has the start.
TEST(KeptConstraints, LinearisedWhereOneChoiceOfStatesIsSingular) {
  for (const auto& [side, up] : {std::pair{"p", "q"}, {"q", "p"}}) {
    std::string text = Replaced(Replaced(kPendulum, "SIDE", side), "UP", up);
    text = Replaced(Replaced(text, " (start = 0 m)", ""), "(start = -1 m)", "(start = -1 m, fixed)");
    text = Replaced(text, " (start = SPEED m/s, fixed)", "");
    RunOf run(text, AsRun());
    ProgramRun at(*run.translation->program);
    Initializer initializer(at, *run.translation->program, run.translation->starts, {});
    ASSERT_TRUE(initializer.Solve(false).ok);
    const LinearModel model = Linearize(at, *run.translation->program, {}, 0);
    ASSERT_EQ(model.poles.size(), 2u);
    for (const std::complex<double>& pole : model.poles) {
      EXPECT_NEAR(std::abs(pole.imag()), std::sqrt(9.81), 1e-6);
      EXPECT_NEAR(pole.real(), 0, 1e-6);
    }
  }
}

// A pendulum is thrown back by a wall below its pin, which makes of its speed minus half of it: the other
// component of the speed follows, though it is a state, too. By hand: it hits with sqrt(2 g h), and swings up
// to a quarter of the height then.
TEST(KeptConstraints, AJumpOfOneStateMovesTheOthersAlong) {
  std::string text = Replaced(Replaced(kPendulum, "SIDE", "x"), "UP", "y");
  text = Replaced(Replaced(text, "(start = 0 m)", "(start = 0.6 m, fixed)"), "(start = -1 m)",
                  "(start = -0.8 m)");
  text = Replaced(Replaced(text, "SPEED", "0"), "x^2 + y^2 = L^2 }",
                  "x^2 + y^2 = L^2  when x < -0.28 m { reinit(v_x, -0.5*v_x) } }");
  RunOf run(text, AsRun());
  run.Simulate(1, 1e-9);
  const auto energy = [&](size_t k) {
    return (std::pow(run["bob.v_x"][k], 2) + std::pow(run["bob.v_y"][k], 2)) / 2 + 9.81 * run["bob.y"][k];
  };
  const double first = -9.81 * 0.8, at_wall = -9.81 * 0.96, second = at_wall + (first - at_wall) / 4;
  EXPECT_NEAR(energy(0), first, 1e-7);
  EXPECT_NEAR(energy(run.times().size() - 1), second, 1e-6);
  for (size_t k = 0; k < run.times().size(); ++k) {
    ASSERT_NEAR(run["bob.x"][k] * run["bob.v_x"][k] + run["bob.y"][k] * run["bob.v_y"][k], 0, 1e-9);
    ASSERT_GT(run["bob.x"][k], -0.28 - 1e-6);
  }
}

// Constraints of very different sizes do not hide each other: a pendulum of a millimetre beside a gas in a
// cylinder that breathes, p V = const T. Both hold to rounding, and a length of nanometres keeps its digits
// beside one of metres.
TEST(KeptConstraints, SizesDoNotMatter) {
  RunOf run(R"(component Bob { parameter L : Length = 1 mm
      variable x : Length (start = 0.6 mm, fixed)  variable y : Length (start = -0.8 mm)
      variable u : Velocity (start = 0 m/s, fixed)  variable v : Velocity  variable pull : 1/Time^2
      equation der(x) = u  der(y) = v  der(u) = -pull*x  der(v) = -pull*y - 9.81 m/s^2
      x^2 + y^2 = L^2 }
    component Gas { parameter w : AngularVelocity = 20 rad/s  parameter k : J/K = 0.34 J/K
      variable p : Pressure (start = 1 bar)  variable V : Volume (start = 1 L, fixed)
      variable T : Temperature (start = 294 K, fixed)  variable flow : Pressure/Time
      equation der(V) = (0.3 L)*w*sin(w*time)  der(T) = (5 K)*w*cos(w*time)  der(p) = flow
      p*V = k*T }
    component Stretch { variable s : Length (start = 1 m)  variable e : Length (start = 5e-9 m, fixed)
      variable f : Real  parameter w : AngularVelocity = 30 rad/s
      equation der(e) = -w*e
      (1 s)*der(s) = f*(1 m)
      (s - e)^2 = (1 m)^2*(2 + sin(w*time))^2/4 }
    system S { bob : Bob  gas : Gas  rod : Stretch })",
            AsRun());
  ASSERT_GE(run.translation->equations->kept_constraints.size(), 2u);
  run.Simulate(0.3, 1e-7);
  for (size_t k = 0; k < run.times().size(); ++k) {
    const double x = run["bob.x"][k], y = run["bob.y"][k];
    ASSERT_NEAR((x * x + y * y) / 1e-6, 1, 1e-7) << run.times()[k];
    ASSERT_NEAR(run["gas.p"][k] * run["gas.V"][k] / (0.34 * run["gas.T"][k]), 1, 1e-7) << run.times()[k];
    ASSERT_NEAR(run["rod.e"][k] / (5e-9 * std::exp(-30 * run.times()[k])), 1, 1e-4) << run.times()[k];
  }
}

// Energy and the angular momentum about the vertical of a point on a sphere, which passes both horizontal
// axes.
TEST(KeptConstraints, APointOnASphere) {
  RunOf run(R"(component Bob { parameter g : Acceleration = 9.81 m/s^2
      variable x : Length (start = 0.6 m, fixed)  variable y : Length (start = 0 m, fixed)
      variable z : Length (start = -0.8 m)  variable u : Velocity (start = 0 m/s, fixed)
      variable v : Velocity (start = 2 m/s, fixed)  variable w : Velocity  variable pull : 1/Time^2
      equation der(x) = u  der(y) = v  der(z) = w
      der(u) = -pull*x  der(v) = -pull*y  der(w) = -pull*z - g  x^2 + y^2 + z^2 = 1 m^2 }
    system S { bob : Bob })",
            AsRun());
  run.Simulate(10, 1e-9);
  EXPECT_EQ(run.translation->sorted->states.size(), 6u);
  for (size_t k = 0; k < run.times().size(); ++k) {
    const double x = run["bob.x"][k], y = run["bob.y"][k], z = run["bob.z"][k];
    const double u = run["bob.u"][k], v = run["bob.v"][k], w = run["bob.w"][k];
    ASSERT_NEAR((u * u + v * v + w * w) / 2 + 9.81 * z, 2 - 9.81 * 0.8, 1e-6) << run.times()[k];
    ASSERT_NEAR(x * v - y * u, 1.2, 1e-6) << run.times()[k];
    ASSERT_NEAR(x * x + y * y + z * z, 1, 1e-12) << run.times()[k];
  }
}

// A skate that turns evenly on a slope: by hand it goes along a cycloid (Neimark and Fufaev 1972). Its
// constraint is one of velocities, which is divided by a sine or a cosine.
TEST(KeptConstraints, ASkateOnASlope) {
  for (const auto& [along, across] : {std::pair{"p", "q"}, {"q", "p"}}) {
    std::string text =
        R"(component Skate { parameter w : AngularVelocity = 3 rad/s  parameter a : Acceleration = 2 m/s^2
        variable ALONG, ACROSS : Length (start = 0 m, fixed)  variable v_ALONG, v_ACROSS : Velocity
        variable side : Acceleration
        equation der(ALONG) = v_ALONG  der(ACROSS) = v_ACROSS
        der(v_ALONG) = a - side*sin(w*time)  der(v_ACROSS) = side*cos(w*time)
        v_ALONG*sin(w*time) - v_ACROSS*cos(w*time) = 0 }
      system S { skate : Skate })";
    text = Replaced(Replaced(text, "ALONG", along), "ACROSS", across);
    RunOf run(text, AsRun());
    run.Simulate(5, 1e-9);
    const double size = 2.0 / (2 * 9);
    EXPECT_LT(run.Error(std::string("skate.") + along,
                        [&](double t) { return size * std::pow(std::sin(3 * t), 2); }),
              1e-6);
    EXPECT_LT(run.Error(std::string("skate.") + across,
                        [&](double t) { return size * (3 * t - std::sin(6 * t) / 2); }),
              1e-6);
  }
}

// A crank with an elastic rod, in the form of index 3, turns through both dead centres; its energy stays.
TEST(KeptConstraints, AnElasticSliderCrankOfIndexThreeTurns) {
  RunOf run(R"(component Crank { parameter l1 : Length = 0.15 m  parameter l2 : Length = 0.3 m
      parameter J1 : MomentOfInertia = 0.00027 kg*m^2  parameter J2 : MomentOfInertia = 0.0012 kg*m^2
      parameter m : Mass = 0.075 kg  parameter me : Mass = 0.05 kg  parameter k : N/m = 2e3 N/m
      variable a : Angle (start = 0 rad, fixed)  variable b : Angle (start = 0 rad)
      variable s : Length (start = 0.45 m)  variable e : Length (start = 0 m, fixed)
      variable wa : AngularVelocity (start = 150 rad/s, fixed)  variable wb : AngularVelocity
      variable vs : Velocity  variable ve : Velocity (start = 0 m/s, fixed)  variable F1, F2 : Force
      equation der(a) = wa  der(b) = wb  der(s) = vs  der(e) = ve
      J1*der(wa) = -l1*sin(a)*F1 + l1*cos(a)*F2
      J2*der(wb) = -(l2 + e)*sin(b)*F1 + (l2 + e)*cos(b)*F2
      m*der(vs) = -F1  me*der(ve) = -k*e + cos(b)*F1 + sin(b)*F2
      l1*cos(a) + (l2 + e)*cos(b) - s = 0 m  l1*sin(a) + (l2 + e)*sin(b) = 0 m }
    system S { c : Crank })",
            AsRun());
  run.Simulate(0.5, 1e-9);
  const auto square = [](double x) { return x * x; };
  const double first = (0.00027 * square(150) + 0.0012 * square(75)) / 2;
  for (size_t k = 0; k < run.times().size(); ++k) {
    const double energy =
        (0.00027 * square(run["c.wa"][k]) + 0.0012 * square(run["c.wb"][k]) + 0.075 * square(run["c.vs"][k]) +
         0.05 * square(run["c.ve"][k]) + 2e3 * square(run["c.e"][k])) /
        2;
    ASSERT_NEAR(energy / first, 1, 1e-7) << run.times()[k];
  }
}

// A constraint whose matrix is constant chooses as before: no state more.
TEST(KeptConstraints, LinearOnesChooseTheirStates) {
  RunOf run(R"(system S { one, two : Inertia(J = 1 kg*m^2)  g : Gear(ratio = 3)
      connect one.a -- g.a  connect g.b -- two.a })",
            AsRun());
  EXPECT_EQ(run.translation->sorted->states.size(), 2u);
  EXPECT_TRUE(run.translation->equations->kept_constraints.empty());
}

/** Names of the states. */
std::vector<std::string> States(const RunOf& run) {
  std::vector<std::string> out;
  for (const VariableRef& state : run.translation->sorted->states)
    out.push_back(run.translation->equations->VariableName(state.variable, state.order));
  return out;
}

// Each of two variables in a linear constraint is the state where it is wished for, and starts are wishes,
// too.
TEST(StateWishes, SteerTheChoice) {
  struct Case {
    const char *a, *b, *state;
  };
  for (const Case& c : {Case{"(prefer)", "", "t.a"},
                        {"", "(prefer)", "t.b"},
                        {"(avoid)", "", "t.b"},
                        {"", "(avoid)", "t.a"},
                        {"(start = 1)", "", "t.a"},
                        {"", "(start = 1)", "t.b"},
                        {"(start = 1)", "(start = 0, fixed)", "t.b"},
                        {"(start = 1, fixed)", "(start = 0)", "t.a"},
                        {"(start = 1, fixed)", "(prefer)", "t.b"},
                        {"(start = 1, avoid)", "", "t.b"},
                        {"(start = 1, prefer)", "(start = 0, fixed)", "t.a"}}) {
    RunOf run(std::string("component Two { variable a : Real ") + c.a + " variable b : Real " + c.b + R"(
      variable f, u : Real
      equation (1 s)*der(a) = f - a
      (1 s)*der(b) = 1 - 2*f - 3*b
      a + 2*b = 1
      u = a }
      system S { t : Two })");
    EXPECT_EQ(States(run), std::vector<std::string>{c.state}) << c.a << " " << c.b;
  }
}

// The same for edges of components, in a system, in arguments.
TEST(StateWishes, OfEdges) {
  for (const auto& [wish, first] : {std::pair{"start two.phi = 1 rad prefer", "two.phi"},
                                    {"start one.phi = 0 rad prefer", "one.phi"},
                                    {"start one.phi = 0 rad avoid", "two.phi"},
                                    {"start two.phi = 0 rad avoid", "one.phi"}}) {
    RunOf run(std::string("system S { one, two : Inertia(J = 1 kg*m^2)  connect one.a -- two.a  ") + wish +
              " }");
    ASSERT_EQ(States(run).size(), 2u);
    EXPECT_EQ(States(run)[0], first) << wish;
  }
}

// A proposed start of storage that is no state: the state without a start is found from it.
TEST(StateWishes, ProposedStartsOfDependentStorageCount) {
  RunOf run(R"(system S { one, two : Inertia(J = 1 kg*m^2)  g : Gear(ratio = 3)
      connect one.a -- g.a  connect g.b -- two.a
      start two.phi = 0.5 rad  start one.w = 6 rad/s prefer })");
  run.Simulate(1);
  EXPECT_EQ(States(run)[0], "one.phi");
  EXPECT_NEAR(run["two.phi"].front(), 0.5, 1e-12);
  EXPECT_NEAR(run["one.phi"].front(), 1.5, 1e-12);
  EXPECT_NEAR(run["one.w"].front(), 6, 1e-12);
  EXPECT_NEAR(run.End("two.phi"), 2.5, 1e-9);
}

}  // namespace
}  // namespace cotree::test
