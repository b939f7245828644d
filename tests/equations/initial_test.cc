// SPDX-License-Identifier: Apache-2.0
// How runs begin: the order of the beginning, its values, and what is said where there are none.
#include <gtest/gtest.h>

#include <random>

#include "linear_algebra/decompositions.h"
#include "run_support.h"
#include "simulation/events.h"
#include "simulation/initialize.h"

namespace cotree::test {
namespace {

/** A model at its beginning. */
class Beginning {
 public:
  explicit Beginning(const std::string& text, bool steady = false)
      : model(text), run(*model.translation->program) {
    Initializer initializer(run, *model.translation->program, model.translation->starts, {0, steady});
    result = initializer.Solve(false);
  }
  uint32_t Slot(const std::string& name) const {
    return model.translation->sorted->Slot(FindVariable(*model.translation->equations, *model.names, name));
  }
  double operator[](const std::string& name) const { return run.values[Slot(name)]; }
  /// Residuals of all equations, by the expressions themselves.
  double Worst() const {
    double worst = 0;
    for (const double r : run.Residuals(0)) worst = std::max(worst, std::fabs(r));
    return worst;
  }

  RunOf model;
  ProgramRun run;
  Initialization result;
};

const char* const kLadder = R"(system S { v : VoltageSource(V = 10 V)
  r1 : Resistor(R = 1 kohm)  r2 : Resistor(R = 2 kohm)
  c1 : Capacitor(C = 1 uF%1)  c2 : Capacitor(C = 1 uF%2)
  connect v.p -- r1.p   connect r1.n -- c1.p -- r2.p   connect r2.n -- c2.p
  connect v.n -- c1.n -- c2.n -- electrical.ground
  %3 })";

std::string Ladder(const std::string& c1, const std::string& c2, const std::string& more) {
  std::string text = kLadder;
  text.replace(text.find("%1"), 2, c1);
  text.replace(text.find("%2"), 2, c2);
  text.replace(text.find("%3"), 2, more);
  return text;
}

TEST(Beginning, AnInitialEquationFindsTheStateThatNobodyProposed) {
  // 4 mA through 1 kohm leave 6 V at c1; c2 has a start and keeps it.
  const Beginning b(Ladder("", ", start v = 2 V", "initial equation\n r1.i = 4 mA"));
  ASSERT_TRUE(b.result.ok) << b.result.problem;
  EXPECT_NEAR(b["c1.v"], 6, 1e-12);
  EXPECT_EQ(b["c2.v"], 2);
  EXPECT_NEAR(b["r2.i"], 2e-3, 1e-15);
  EXPECT_EQ(b.result.determined.size(), 1u);
  EXPECT_EQ(b.result.kept.size(), 1u);
}

TEST(Beginning, StatesMoveInTheOrderInWhichTheirStartsAreWanted) {
  // The current through r2 may come from either; the one without a start moves, whichever it is.
  const Beginning second(Ladder(", start v = 5 V", "", "initial equation\n r2.i = 1 mA"));
  ASSERT_TRUE(second.result.ok) << second.result.problem;
  EXPECT_EQ(second["c1.v"], 5);
  EXPECT_NEAR(second["c2.v"], 3, 1e-12);
  const Beginning first(Ladder("", ", start v = 5 V", "initial equation\n r2.i = 1 mA"));
  ASSERT_TRUE(first.result.ok) << first.result.problem;
  EXPECT_NEAR(first["c1.v"], 7, 1e-12);
  EXPECT_EQ(first["c2.v"], 5);
}

TEST(Beginning, ARateMayBeDemandedThatNoEquationNeeds) {
  // d(r1.v)/dt = -(r1.i - r2.i)/C with r1.i = (10 V - v)/1 kohm, r2.i = v/2 kohm: v = 6 V.
  const Beginning b(Ladder("", ", start v = 0 V fixed", "initial equation\n der(r1.v) = -1000 V/s"));
  ASSERT_TRUE(b.result.ok) << b.result.problem;
  EXPECT_NEAR(b["c1.v"], 6, 1e-9);
}

TEST(Beginning, SteadyIsRest) {
  const Beginning b(Ladder("", "", ""), true);
  ASSERT_TRUE(b.result.ok) << b.result.problem;
  EXPECT_NEAR(b["c1.v"], 10, 1e-12);
  EXPECT_NEAR(b["c2.v"], 10, 1e-12);
}

const char* const kMotor = R"(system S { v : VoltageSource(V = 12 V)
  m : DCMotor(R = 1 ohm, L = 1 mH, Kt = 0.1 N*m/A, J = 1e-4 kg*m^2)
  load : Inertia(J = 1e-3 kg*m^2, start phi = 0.5 rad)  b : RotationalDamper(d = 1e-3 N*m*s/rad)
  connect v.p -- m.p   connect v.n -- m.n -- electrical.ground   connect m.housing -- rotational.ground
  connect m.shaft -- load.a -- b.a   connect b.b -- rotational.ground })";

TEST(Beginning, SomethingThatTurnsIsSteadyAtItsSpeed) {
  const Beginning b(kMotor, true);
  ASSERT_TRUE(b.result.ok) << b.result.problem;
  // V = R i + k w, k i = d w.
  const double w = 12 / (1 * 1e-3 / 0.1 + 0.1);
  EXPECT_NEAR(b["b.w"], w, 1e-9 * w);
}

// Nothing damps it, yet its position is held: it rests where the forces are in balance.
TEST(Beginning, SteadyWithoutDamping) {
  const Beginning b(R"(system S { m : Mass(m = 1 kg, start s = 0.3 m)  k : Spring(k = 10 N/m)
    f : ForceSource(force = -2 N)
    connect m.a -- k.a -- f.a   connect k.b -- f.b -- translational.ground })",
                    true);
  ASSERT_TRUE(b.result.ok) << b.result.problem;
  EXPECT_NEAR(std::fabs(b["m.s"]), 0.2, 1e-12);
  EXPECT_NEAR(b["m.acc"], 0, 1e-12);
}

// What is stuck holds any position within its limits: the start. Beyond them it is at the edge of sliding.
TEST(Beginning, SteadyWithStickingFriction) {
  for (const auto& [start, rest] : {std::pair(0.0, 0.0), std::pair(0.1, 0.1), std::pair(3.0, 0.6)}) {
    const RunOf model(R"(system S { drive : TorqueSource(torque = 1 N*m)
      load : Inertia(J = 1 kg*m^2, start phi = )" +
                      std::to_string(start) + R"( rad)  k : TorsionSpring(k = 5 N*m/rad)
      f : RotationalFriction(tau_coulomb = 2 N*m)
      connect drive.b -- load.a -- f.a -- k.a   connect drive.a -- f.b -- k.b -- rotational.ground })");
    const Program& program = *model.translation->program;
    ProgramRun run(program);
    Events events(run, program);
    const Initialization begun = events.Begin(model.translation->starts, {0, true});
    ASSERT_TRUE(begun.ok) << begun.problem;
    const auto value = [&](const std::string& name) {
      return run.values[model.translation->sorted->Slot(
          FindVariable(*model.translation->equations, *model.names, name))];
    };
    EXPECT_NEAR(value("load.phi"), rest, 1e-9) << start;
    EXPECT_NEAR(value("load.w"), 0, 1e-9);
    EXPECT_NEAR(value("load.alpha"), 0, 1e-9);
    EXPECT_NEAR(value("f.tau"), 1 - 5 * rest, 1e-9);
  }
}

TEST(Beginning, DiscreteVariablesCountInInitialEquations) {
  const Beginning b(R"(component T { discrete variable n : Real (start = 2)  variable x : Real
    equation
      der(x) = (n - x)/(1 s)
    when time > 0.5 s { n = 5 }
    initial equation x = n }
    system S { t : T })");
  ASSERT_TRUE(b.result.ok) << b.result.problem;
  EXPECT_NEAR(b["t.x"], 2, 1e-12);
}

// |x - 5| + 1 is never 0: an iteration that comes to a halt there has found nothing.
TEST(Beginning, InitialEquationsMayBeChosen) {
  const auto lag = [](const std::string& initial, const std::string& arguments) {
    return "component Lag { variable x : Real  variable y : Real  parameter at_rest : Boolean = true"
           "  parameter x0 : Real = 3\n equation 2 s*der(x) = 5 - x  y = 2*x\n initial equation\n" +
           initial + " }\nsystem S { a : Lag" + arguments + " }";
  };
  const std::string both = "if at_rest { der(x) = 0/1 s } else { y = x0 }", one = "if at_rest { y = x0 }";
  EXPECT_NEAR(Beginning(lag(both, ""))["a.x"], 5, 1e-12);
  EXPECT_NEAR(Beginning(lag(both, "(at_rest = false)"))["a.x"], 1.5, 1e-12);
  EXPECT_NEAR(Beginning(lag(one, ""))["a.x"], 1.5, 1e-12);
  EXPECT_EQ(Beginning(lag(one, "(at_rest = false, start x = 0.5)"))["a.x"], 0.5);
  const std::string by_number = "if x0 > 2 { y = 1 } else { y = 2 }";
  EXPECT_NEAR(Beginning(lag(by_number, ""))["a.x"], 0.5, 1e-12);
  EXPECT_NEAR(Beginning(lag(by_number, "(x0 = 1)"))["a.x"], 1, 1e-12);
}

TEST(Beginning, WhatHasNoSolutionIsNotFound) {
  const Beginning b(R"(component K { output x : Real
    equation noevent(abs(x - 5)) + 0.001*noevent(abs(x - 5))^3 + 1 = 0 }
    system S { k : K })");
  EXPECT_FALSE(b.result.ok);
  EXPECT_NE(b.result.problem.find("stays off by"), std::string::npos) << b.result.problem;
}

TEST(Beginning, WhatContradictsIsNamedWithWhatItFollowsFrom) {
  const Beginning b(Ladder(", start v = 5 V fixed", "", "initial equation\n r1.i = 4 mA"));
  ASSERT_FALSE(b.result.ok);
  EXPECT_NE(b.result.problem.find("`r1.i = 0.004`"), std::string::npos) << b.result.problem;
  EXPECT_NE(b.result.problem.find("fixed: `c1.v` = 5"), std::string::npos) << b.result.problem;
}

TEST(Beginning, ASecondDemandThatAgreesIsFine) {
  const Beginning b(Ladder(", start v = 6 V fixed", "", "initial equation\n r1.i = 4 mA"));
  EXPECT_TRUE(b.result.ok) << b.result.problem;
}

// x^3 - 3 x + 3 = 0 has one root, -2.1038...; from 0 Newton's method, damped, ends at the minimum near 1.
TEST(Beginning, AHomotopyFindsWhatNewtonDoesNot) {
  const Beginning b(R"(component Root { output y : Real  equation  y^3 - 3*y + 3 = 0 }
    system S { root : Root })");
  ASSERT_TRUE(b.result.ok) << b.result.problem;
  EXPECT_NEAR(b["root.y"], -2.103803402735536, 1e-12);
  EXPECT_GT(b.result.homotopies, 0u);
}

// Ten circuits that have nothing to do with each other: as many small blocks, not one large one.
TEST(Beginning, HasAnOrderOfItsOwn) {
  const RunOf model(R"(component Cell { terminal p, n : electrical
      r : Resistor(R = 1 ohm)  c : Capacitor(C = 1 F)  connect p -- r.p  connect r.n -- c.p  connect c.n -- n
      initial equation  r.i = 0.5 A }
    system S { v : VoltageSource(V = 2 V)  cell : Cell[10]
      for k in 1:10 { connect v.p -- cell[k].p   connect cell[k].n -- electrical.ground }
      connect v.n -- electrical.ground })");
  const Program& program = *model.translation->program;
  const InitialValues values = FindInitialValues(program, model.translation->starts, false);
  const InitialOrder order = SortInitial(*model.translation->sorted, values.demands);
  EXPECT_EQ(order.determined.size(), 10u);
  EXPECT_TRUE(order.redundant.empty());
  size_t largest = 0;
  for (size_t b = 0; b < order.sorted.blocks(); ++b)
    largest = std::max(largest, order.sorted.Block(b).size());
  EXPECT_EQ(largest, 1u);
}

/* Random ladders with random demands. Whether they can be met is decided by the ranks of dense matrices: the
demanded variables are affine in the states, y = y0 + C x; C from finite differences of the run. */
TEST(Beginning, RandomDemandsAreMetExactlyWhereTheyCanBe) {
  std::mt19937 random(7);
  int met = 0, refused = 0;
  for (int turn = 0; turn < 150; ++turn) {
    const int cells = 2 + static_cast<int>(random() % 4);
    std::string text = "system S { v : VoltageSource(V = 3 V)\n", before = "v.p";
    for (int k = 1; k <= cells; ++k) {
      const std::string n = std::to_string(k);
      text += "r" + n + " : Resistor(R = " + std::to_string(1 + random() % 5) + " ohm)\n";
      text += "g" + n + " : Resistor(R = " + std::to_string(1 + random() % 5) + " ohm)\n";
      text += "c" + n + " : Capacitor(C = " + std::to_string(1 + random() % 5) + " F";
      if (random() % 4 == 0) text += ", start v = " + std::to_string(random() % 5) + " V fixed";
      text += ")\nconnect " + before + " -- r" + n + ".p\nconnect r" + n + ".n -- c" + n + ".p -- g" + n +
              ".p\nconnect c" + n + ".n -- g" + n + ".n -- electrical.ground\n";
      before = "r" + n + ".n";
    }
    text += "connect v.n -- electrical.ground\n";
    std::string demands;
    std::vector<std::string> names;
    std::vector<double> wanted;
    for (int k = 1; k <= cells; ++k) {
      for (const char* what : {"r", "g"}) {
        if (random() % 3 != 0) continue;
        names.push_back(std::string(what) + std::to_string(k) + ".i");
        wanted.push_back(static_cast<double>(random() % 7) / 2);
        demands += "  " + names.back() + " = " + std::to_string(wanted.back()) + " A\n";
      }
    }
    const std::string all = text + (demands.empty() ? "" : "initial equation\n" + demands) + "}";
    const Beginning b(all);
    // The truth: C over the states that are not fixed, and what is missing at the starts.
    Beginning plain(text + "}");
    const Program& program = *plain.model.translation->program;
    std::vector<uint32_t> movable;
    const InitialValues values = FindInitialValues(program, plain.model.translation->starts, false);
    for (uint32_t k = 0; k < program.state_slots.size(); ++k) {
      if (values.demands.start[k] != InitialDemands::Start::kFixed) movable.push_back(program.state_slots[k]);
    }
    const size_t rows = names.size(), columns = movable.size();
    Matrix c(rows, columns + 1);
    ASSERT_TRUE(plain.run.Run(0));
    std::vector<double> y0(rows);
    for (size_t i = 0; i < rows; ++i) y0[i] = plain[names[i]];
    for (size_t j = 0; j < columns; ++j) {
      plain.run.values[movable[j]] += 1;
      ASSERT_TRUE(plain.run.Run(0));
      for (size_t i = 0; i < rows; ++i) c(i, j) = plain[names[i]] - y0[i];
      plain.run.values[movable[j]] -= 1;
    }
    for (size_t i = 0; i < rows; ++i) c(i, columns) = wanted[i] - y0[i];
    const auto rank = [](const Matrix& m) { return m.data().empty() ? 0 : LeastSquares(m, 1e-9).rank(); };
    const bool possible = rank(c) == rank(c.Block(0, rows, 0, columns));
    ASSERT_EQ(b.result.ok, possible) << b.result.problem << "\n" << all;
    ++(possible ? met : refused);
    if (!possible) continue;
    EXPECT_LT(b.Worst(), 1e-9) << all;
    for (size_t k = 0; k < names.size(); ++k)
      EXPECT_NEAR(b[names[k]], wanted[k], 1e-9) << names[k] << "\n" << all;
  }
  EXPECT_GT(met, 30);
  EXPECT_GT(refused, 30);
}

// 20 N*m against 0.1 N*m*s/rad at the second of two shafts with a gear and a spring between them. No angle
// rests, nothing holds them; what is steady is the motion.
const char* const kShafts = R"(system S { drive : TorqueSource(torque = -20 N*m)
  a : Inertia(J = 1 kg*m^2)  spring : TorsionSpringDamper(k = 400 N*m/rad, d = 1 N*m*s/rad)
  gear : Gear(ratio = 4)  b : Inertia(J = 2 kg*m^2)  load : RotationalDamper(d = %1 N*m*s/rad)
  connect drive.a -- a.a -- spring.a  connect spring.b -- gear.a  connect gear.b -- b.a -- load.a
  connect drive.b -- load.b -- rotational.ground })";
std::string Shafts(const std::string& damping) {
  std::string text = kShafts;
  return text.replace(text.find("%1"), 2, damping);
}

TEST(Beginning, ShaftsWithASpringBetweenThemTurnSteadily) {
  const Beginning b(Shafts("0.1"), true);
  ASSERT_TRUE(b.result.ok) << b.result.problem;
  EXPECT_NEAR(b["b.w"], 800, 1e-6);  // 80 N*m behind the gear
  EXPECT_NEAR(b["a.w"], 3200, 1e-5);
  EXPECT_NEAR(b["spring.phi"], 0.05, 1e-9);
  EXPECT_NEAR(b["a.alpha"], 0, 1e-6);
  EXPECT_LT(b.Worst(), 1e-6);
}

TEST(Beginning, WhatGoesFasterForEverHasNoSteadyMotion) {
  const Beginning b(Shafts("0"), true);
  EXPECT_FALSE(b.result.ok);
  EXPECT_NE(b.result.problem.find("Steady motion was not found either"), std::string::npos)
      << b.result.problem;
}

}  // namespace
}  // namespace cotree::test
