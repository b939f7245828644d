// SPDX-License-Identifier: Apache-2.0
// What the model means: dimensions inferred, arrays lowered, structural parameters, output groups, start
// values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "expr/dependence.h"
#include "expr/evaluate.h"
#include "model/check_sizes.h"
#include "model/describe_model.h"
#include "pipeline/load_model.h"

namespace cotree {
namespace {

std::unique_ptr<LoadedModel> Load(const std::string& text) {
  static NoReader reader;
  auto loaded = LoadModelText("test.cot", text, reader);
  for (const Diagnostic& d : loaded->diagnostics.list())
    ADD_FAILURE() << RenderText(d, loaded->model.files, false);
  return loaded;
}

const ComponentClass& ClassNamed(const LoadedModel& loaded, const std::string& name) {
  for (const ComponentClass& cls : loaded.model.classes) {
    if (loaded.model.Text(cls.name) == name) return cls;
  }
  ADD_FAILURE() << "no class " << name;
  static const ComponentClass kNone{};
  return kNone;
}

std::map<std::string, std::string> Units(const LoadedModel& loaded) {
  std::map<std::string, std::string> out;
  for (const auto& row : ListInferredUnits(loaded.model, loaded.model.systems[0])) out[row.path] = row.unit;
  return out;
}

TEST(Dimensions, AreFoundFromConnectionsAndUnits) {
  const auto loaded = Load(R"(
system S {
  target : Step(height = 90 deg)
  pid : PID(kp = 4 V/rad)
  drive : SignalVoltageSource
  motor : DCMotor(Kt = 0.05 N*m/A)
  angle : AngleSensor
  connect drive.p -- motor.p
  connect drive.n -- motor.n -- electrical.ground
  connect motor.shaft -- angle.a
  connect motor.housing -- rotational.ground
  connect target.y -> pid.target
  connect angle.y -> pid.measured
  connect pid.y -> drive.u
})");
  const auto units = Units(*loaded);
  EXPECT_EQ(units.at("pid.kp"), "V/rad");
  EXPECT_EQ(units.at("pid.ki"), "V/(rad*s)");
  EXPECT_EQ(units.at("pid.kd"), "V*s/rad");
  EXPECT_EQ(units.at("target.y"), "rad");
}

TEST(Dimensions, TravelThroughChainsInBothDirections) {
  // Nothing at the first gain says what it is; the last one's end does, four components away.
  const auto loaded = Load(R"(
system S {
  a : Constant(k = 3)
  g1 : Gain(k = 2 m/V)   g2 : Add(k1 = 5)   i : Integrator
  f : SignalForceSource
  m : Mass(m = 1 kg)
  g3 : Gain(k = 7 N/(m*s))
  connect a.y -> g1.u
  connect g1.y -> g2.u1, g2.u2
  connect g2.y -> i.u
  connect i.y -> g3.u
  connect g3.y -> f.u
  connect f.b -- m.a
  connect f.a -- translational.ground
})");
  const auto units = Units(*loaded);
  EXPECT_EQ(units.at("a.k"), "V");
  EXPECT_EQ(units.at("g1.k"), "m/V");
  EXPECT_EQ(units.at("g2.y"), "m");
  EXPECT_EQ(units.at("i.y"), "m*s");
  EXPECT_EQ(units.at("g3.y"), "N");
}

TEST(Dimensions, StayConsistentWhereNothingFixesThem) {
  // The input of the second gain is free: it counts as a pure number there, and everything else agrees with
  // that.
  const auto loaded = Load("system S { a : Constant(k = 3)  g : Gain(k = 2 m/V)  connect a.y -> g.u }");
  const auto units = Units(*loaded);
  EXPECT_EQ(units.at("g.k"), "m/V");
  EXPECT_TRUE((units.at("g.u") == "1" && units.at("g.y") == "m/V") ||
              (units.at("g.u") == "V/m" && units.at("g.y") == "1"))
      << units.at("g.u") << ", " << units.at("g.y");
  EXPECT_EQ(units.at("a.k"), units.at("g.u"));
}

TEST(Dimensions, OfUndeclaredVariablesAreInferred) {
  const auto loaded = Load(R"(
component Heater {
  terminal p, n : electrical
  parameter R : Resistance = 3 ohm
  parameter limit = 40 W
  variable P
  variable E
  edge e : p -> n
  equation
    e.v = R*e.i
    P = e.v*e.i
    der(E) = min(P, limit)
})");
  const ComponentClass& cls = ClassNamed(*loaded, "Heater");
  EXPECT_EQ(cls.variables[0].type.unit, "W");
  EXPECT_EQ(cls.variables[1].type.unit, "J");
  EXPECT_EQ(cls.parameters[1].type.unit, "W");
}

TEST(Dimensions, GenericsOfACompositeAreFoundPerInstance) {
  const auto loaded = Load(R"(
component Twice { input u : $a  output y : $a  g : Gain(k = 2)  connect u -> g.u  connect g.y -> y }
system S {
  a : Constant(k = 3 V)   b : Constant(k = 4 N)
  x : Twice   z : Twice
  connect a.y -> x.u
  connect b.y -> z.u
})");
  const auto units = Units(*loaded);
  EXPECT_EQ(units.at("x.y"), "V");
  EXPECT_EQ(units.at("z.y"), "N");
}

// der(x) = A*x + b*u is a loop around one equation with a sum inside. Evaluated with numbers it must be the
// matrix product.
TEST(Arrays, MatrixEquationIsALoopWithTheRightElements) {
  const auto loaded = Load(R"(
component Plant {
  parameter n : Integer = 3
  parameter A : Frequency[n, n] = [[1, 2, 3], [4, 5, 6], [7, 8, 10]] 1/s
  parameter b : Frequency[n] = [0.5, -1, 2] 1/s
  input u : Real
  variable x : Real[n]
  output y : Real
  equation
    der(x) = A*x + b*u
    y = sum(x[i]^2 for i in 1:n) + x[2:3]*x[1:2]
})");
  const ComponentClass& cls = ClassNamed(*loaded, "Plant");
  ASSERT_EQ(cls.equations.size(), 2u);
  const Equation& equation = cls.equations[0];
  ASSERT_EQ(equation.loops.count, 1u);
  const Loop& loop = cls.loops[equation.loops.first];
  const ExprPool& pool = loaded->model.expressions;
  Environment<double> environment;
  const double A[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}, b[3] = {0.5, -1, 2}, x[3] = {0.3, -0.7, 1.1},
               u = 0.9;
  const auto array = [&](const char* name, std::vector<double> values, std::vector<size_t> sizes) {
    for (uint32_t s = 0; s < pool.symbol_count(); ++s) {
      if (pool.SymbolName(SymbolId(s)) == name && pool.symbol(SymbolId(s)).order == 0) {
        ArrayValue<double> value{};
        value.symbol = SymbolId(s);
        value.elements = values;
        value.sizes.assign(sizes.begin(), sizes.end());
        environment.arrays.push_back(value);
      }
    }
  };
  array("A", {1, 2, 3, 4, 5, 6, 7, 8, 10}, {3, 3});
  array("b", {0.5, -1, 2}, {3});
  array("x", {0.3, -0.7, 1.1}, {3});
  SetValue(environment, cls.variables[0].symbol, u);
  SetValue(environment, cls.parameters[0].symbol, 3);
  for (int i = 1; i <= 3; ++i) {
    SetValue(environment, loop.symbol, i);
    double expected = b[i - 1] * u;
    for (int j = 0; j < 3; ++j) expected += A[i - 1][j] * x[j];
    EXPECT_NEAR(EvaluateDouble(pool, equation.right, environment), expected, 1e-14) << i;
  }
  EXPECT_NEAR(EvaluateDouble(pool, cls.equations[1].right, environment),
              x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[1] * x[0] + x[2] * x[1], 1e-14);
}

TEST(Arrays, NestedComprehensionsAreMatrices) {
  const auto loaded = Load(
      "component M { parameter A : Real[2, 3] = [[10*i + j for j in 1:3] for i in 1:2]  output y : Real = "
      "A[1, 1] }");
  const ComponentClass& cls = ClassNamed(*loaded, "M");
  const ExprPool& pool = loaded->model.expressions;
  Environment<double> environment;
  for (int i = 1; i <= 2; ++i) {
    for (int j = 1; j <= 3; ++j) {
      SetValue(environment, *pool.FindSymbol("#1"), i);
      SetValue(environment, *pool.FindSymbol("#2"), j);
      EXPECT_EQ(EvaluateDouble(pool, cls.parameters[0].value, environment), 10 * i + j);
    }
  }
}

TEST(Arrays, StayArrays) {
  const auto loaded = Load(R"(
system S {
  parameter n : Integer = 1000000000
  r : Resistor[n](R = 1 ohm)
  connect r[1:n-1].n -- r[2:n].p
  connect r[1].p -- r[n].n -- electrical.ground
})");
  const ClassId id = loaded->model.systems[0];
  EXPECT_EQ(loaded->model[id].instances.size(), 1u);
  EXPECT_EQ(CountComponents(loaded->model, id), 1e9);
}

TEST(Arrays, SizesOfCompositesFollowTheirArguments) {
  const auto loaded = Load(R"(
component Bank { parameter n : Integer = 2  terminal p, q : electrical  c : Capacitor[n](C = 1 uF)  connect c.p -- p  connect c.n -- q }
system S { a : Bank(n = 5)  b : Bank[3]  connect a.p -- b.p -- electrical.ground  connect a.q -- b.q }
)");
  EXPECT_EQ(CountComponents(loaded->model, loaded->model.systems[0]), 5 + 3 * 2);
}

TEST(Rates, AreDerivativesOfTheAcrossVariable) {
  const auto loaded = Load(
      "component D { terminal a, b : rotational  parameter d : RotationalDamping = 1 N*m*s/rad  edge e : a "
      "-> b  equation tau = d*w }");
  const ComponentClass& cls = ClassNamed(*loaded, "D");
  const auto dependences = FindDependence(loaded->model.expressions, cls.equations[0].right);
  bool found = false;
  for (const auto& d : dependences) found = found || (d.base == cls.edges[0].across && d.order == 1);
  EXPECT_TRUE(found);
  EXPECT_EQ(ExpressionText(loaded->model, cls.equations[0].right), "d*e.w");
}

TEST(Parameters, StructuralOnesAreNamedWithTheReason) {
  auto loaded = Load(R"(
component Bank {
  parameter n : Integer = 4
  parameter joined : Boolean = true
  terminal p, q : electrical
  c : Capacitor[n](C = 1 uF)
  connect c.p -- p
  if joined { connect c.n -- q } else { connect c[1].n -- q }
}
system S {
  bank : Bank
  m : DCMotor(Kt = 0.1 N*m/A, L = 0 H, J = 1e-4 kg*m^2)
  connect bank.p -- m.p
  connect bank.q -- m.n -- electrical.ground
  connect m.housing -- rotational.ground
})");
  std::map<std::string, ParameterRow> rows;
  for (const auto& row : ListParameters(loaded->model, loaded->model.systems[0])) rows[row.path] = row;
  EXPECT_TRUE(rows.at("bank.n").structural);
  EXPECT_TRUE(rows.at("bank.joined").structural);
  EXPECT_TRUE(rows.at("m.L").structural);
  EXPECT_NE(rows.at("m.L").reason.find("der(armature.i)"), std::string::npos);
  EXPECT_FALSE(rows.at("m.J").structural);
  EXPECT_NE(rows.at("m.J").reason.find("rotor.alpha"), std::string::npos);
  EXPECT_FALSE(rows.at("m.R").structural);
  EXPECT_FALSE(rows.at("m.Kt").structural);
}

TEST(Parameters, LiteralsAreTheNearestDoubles) {
  const auto loaded = Load(
      "system S { l : Inductor(L = 200 uH)  c : Capacitor(C = 4.7 nF)  connect l.p -- c.p -- "
      "electrical.ground  connect l.n -- c.n }");
  const ComponentClass& system = loaded->model[loaded->model.systems[0]];
  EXPECT_EQ(loaded->model.expressions.NumberValue(system.arguments[0].value), 200e-6);
  EXPECT_EQ(loaded->model.expressions.NumberValue(system.arguments[1].value), 4.7e-9);
}

TEST(Software, OutputGroupsFollowDirectInputs) {
  const auto loaded = Load(R"(
software Controller {
  input e, r : Real
  output u, v, w, q : Real
  state x : Real
  variable h : Real
  equation
    h = 2*e
    u = h + x
    v = 3*e
    w = x
    q = e*r
    der(x) = e/1 s
})");
  const ComponentClass& cls = ClassNamed(*loaded, "Controller");
  std::map<std::string, std::string> groups;
  for (const OutputGroup& group : cls.groups) {
    std::string outputs, inputs;
    for (const uint32_t o : group.outputs) outputs += loaded->model.Text(cls.variables[o].name);
    for (const uint32_t i : group.inputs) inputs += loaded->model.Text(cls.variables[i].name);
    groups[outputs] = inputs;
  }
  const std::map<std::string, std::string> expected{{"uv", "e"}, {"w", ""}, {"q", "er"}};
  EXPECT_EQ(groups, expected);
}

TEST(Start, ValuesFindTheirVariables) {
  const auto loaded = Load(R"(
system S {
  load : Inertia[2](J = 1 kg*m^2, start phi = [10, 20] deg fixed, start w = 5 rad/s)
  connect load.a -- rotational.ground
})");
  const ComponentClass& system = loaded->model[loaded->model.systems[0]];
  ASSERT_EQ(system.starts.size(), 2u);
  EXPECT_TRUE(system.starts[0].fixed);
  EXPECT_FALSE(system.starts[1].fixed);
  EXPECT_EQ(ExpressionText(loaded->model, system.starts[1].value), "5");
}

TEST(Model, DoesNotDependOnTheOrderOfDeclarations) {
  const std::string a = "t : Step(height = 90 deg)", b = "p : PI(kp = 3 V/rad)",
                    c = "d : SignalVoltageSource", r = "r : Resistor(R = 1 ohm)", s = "z : Constant(k = 0)";
  const std::string wires =
      " connect t.y -> p.target connect z.y -> p.measured connect p.y -> d.u connect d.p -- r.p connect d.n "
      "-- r.n -- electrical.ground ";
  const auto one = Load("system S { " + a + " " + b + " " + c + " " + r + " " + s + wires + "}");
  const auto two = Load("system S { " + wires + s + " " + r + " " + c + " " + b + " " + a + " }");
  EXPECT_EQ(Units(*one), Units(*two));
}

TEST(Library, OnlyUsedClassesAreParsed) {
  const auto loaded = Load("system S { r : Resistor(R = 1 ohm) connect r.p -- r.n -- electrical.ground }");
  EXPECT_LT(loaded->model.trees.size(), 8u);
  EXPECT_GT(loaded->declarations->size(), 100u);
}

}  // namespace
}  // namespace cotree
