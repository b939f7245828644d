// SPDX-License-Identifier: Apache-2.0
// The signal graph beside the system graph: what drives each input, through composites, arrays and loops;
// associations.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/describe_model.h"
#include "system_graph_support.h"

namespace cotree::test {
namespace {

using Drivers = std::map<std::string, std::string>;

Drivers DriversOf(const std::string& text) {
  const Built built = BuildClean(text);
  return built.graphs.empty() ? Drivers{} : Plain(built).drivers;
}

TEST(SystemGraphSignals, ThroughComposites) {
  const Drivers drivers = DriversOf(R"(
    component Inner { input u : Real   output y : Real   g : Gain(k = 2)   connect u -> g.u
      connect g.y -> y }
    component Middle { input a, b : Real   output x, z : Real   i1, i2 : Inner
      connect a -> i1.u   connect b -> i2.u   connect i1.y -> z   connect i2.y -> x }
    system S {
      one, two : Constant(k = 1)
      m : Middle
      o1, o2 : Gain(k = 1)
      connect one.y -> m.a
      connect two.y -> m.b
      connect m.x -> o1.u
      connect m.z -> o2.u
    })");
  EXPECT_EQ(
      drivers,
      (Drivers{{"m.i1.g.u", "one.y"}, {"m.i2.g.u", "two.y"}, {"o1.u", "m.i2.g.y"}, {"o2.u", "m.i1.g.y"}}));
}

TEST(SystemGraphSignals, AnInputLedStraightToAnOutput) {
  const Drivers drivers = DriversOf(R"(
    component Pass { input u : Real   output y : Real   connect u -> y }
    component Twice { input u : Real   output y : Real   p, q : Pass   connect u -> p.u
      connect p.y -> q.u   connect q.y -> y }
    system S { c : Constant(k = 1)   t : Twice   g : Gain(k = 1)   connect c.y -> t.u   connect t.y -> g.u }
  )");
  EXPECT_EQ(drivers.at("g.u"), "c.y");
}

TEST(SystemGraphSignals, VariablesWithoutASensor) {
  const Drivers drivers = DriversOf(R"(
    system S {
      m : Mass(m = 1 kg)
      k : Spring(k = 1 N/m)
      connect m.a -- k.a
      connect k.b -- translational.ground
      pos, vel, acc, force : Gain(k = 1)
      connect m.s -> pos.u
      connect m.v -> vel.u
      connect m.acc -> acc.u
      connect k.f -> force.u
    })");
  EXPECT_EQ(drivers, (Drivers{{"pos.u", "m.s"}, {"vel.u", "m.v"}, {"acc.u", "m.acc"}, {"force.u", "k.f"}}));
}

TEST(SystemGraphSignals, ArraysElementByElement) {
  const Drivers expected{{"g[1].u", "c[1].y"}, {"g[2].u", "c[2].y"}, {"g[3].u", "c[3].y"},
                         {"h[1].u", "g[3].y"}, {"h[2].u", "g[2].y"}, {"h[3].u", "g[1].y"}};
  const std::string head = "system S { c : Constant[3](k = 1)   g, h : Gain[3](k = 1)\n";
  EXPECT_EQ(DriversOf(head + "connect c.y -> g.u   for i in 1:3 { connect g[4 - i].y -> h[i].u } }"),
            expected);
  EXPECT_EQ(DriversOf(head + "connect c[1:3].y -> g[1:3].u   connect g[3:-1:1].y -> h[1:3].u }"), expected);
  EXPECT_EQ(
      DriversOf(head + "connect c[1:2].y -> g[1:2].u   connect c[3].y -> g[3].u\n"
                       "connect g[3].y -> h[1].u   connect g[2].y -> h[2].u   connect g[1].y -> h[3].u }"),
      expected);
}

TEST(SystemGraphSignals, OneSourceForManyInputs) {
  EXPECT_EQ(DriversOf("system S { c : Constant(k = 1)   g : Gain[3](k = 1)   h : Gain(k = 1)\n"
                      "connect c.y -> g.u, h.u }"),
            (Drivers{{"g[1].u", "c.y"}, {"g[2].u", "c.y"}, {"g[3].u", "c.y"}, {"h.u", "c.y"}}));
}

TEST(SystemGraphSignals, ArraysOfSignals) {
  EXPECT_EQ(DriversOf(R"(
    component Fan { parameter n : Integer = 3   input u : Real   output y : Real[n]
      equation y = [i*u for i in 1:n] }
    system S {
      c : Constant(k = 1)
      fan : Fan
      sum : Sum(n = 3)
      out : Gain(k = 1)
      last : Gain(k = 1)
      connect c.y -> fan.u
      connect fan.y -> sum.u
      connect sum.y -> out.u
      connect fan.y[3] -> last.u
    })"),
            (Drivers{{"fan.u", "c.y"},
                     {"sum.u[1]", "fan.y[1]"},
                     {"sum.u[2]", "fan.y[2]"},
                     {"sum.u[3]", "fan.y[3]"},
                     {"out.u", "sum.y"},
                     {"last.u", "fan.y[3]"}}));
}

TEST(SystemGraphSignals, ArraysOfSignalsThroughArraysOfComposites) {
  EXPECT_EQ(DriversOf(R"(
    component Bank { parameter n : Integer = 2   input u : Real[n]   output y : Real[n]   g : Gain[n](k = 1)
      connect u -> g.u   connect g.y -> y }
    system S {
      c : Constant[2, 2](k = 1)
      bank : Bank[2]
      o : Gain[2, 2](k = 1)
      for i in 1:2 { for j in 1:2 { connect c[i, j].y -> bank[i].u[j]   connect bank[i].y[j] -> o[j, i].u } }
    })"),
            (Drivers{{"bank[1].g[1].u", "c[1,1].y"},
                     {"bank[1].g[2].u", "c[1,2].y"},
                     {"bank[2].g[1].u", "c[2,1].y"},
                     {"bank[2].g[2].u", "c[2,2].y"},
                     {"o[1,1].u", "bank[1].g[1].y"},
                     {"o[1,2].u", "bank[2].g[1].y"},
                     {"o[2,1].u", "bank[1].g[2].y"},
                     {"o[2,2].u", "bank[2].g[2].y"}}));
}

TEST(SystemGraphSignals, AVariableDeepInside) {
  const Drivers drivers = DriversOf(R"(
    component Axis { terminal a : rotational   inertia : Inertia[2](J = 1 kg*m^2)
      spring : TorsionSpring(k = 1 N*m/rad)
      connect a -- inertia[1].a -- spring.a   connect inertia[2].a -- spring.b }
    system S {
      axis : Axis[2]
      hold : TorsionSpring[2](k = 1 N*m/rad)
      speed, angle : Gain(k = 1)
      connect axis.a -- hold.a
      connect hold.b -- rotational.ground
      connect axis[2].inertia[1].w -> speed.u
      connect axis[1].inertia[2].phi -> angle.u
    })");
  EXPECT_EQ(drivers, (Drivers{{"speed.u", "axis[2].inertia[1].w"}, {"angle.u", "axis[1].inertia[2].phi"}}));
}

TEST(SystemGraphSignals, ConditionalSignals) {
  const auto text = [](const std::string& arguments) {
    return R"(
    component Choice { input a, b : Real   output y : Real   parameter first : Boolean = true
      g : Gain(k = 1)
      if first { connect a -> g.u } else { connect b -> g.u }   connect g.y -> y }
    system S { one, two : Constant(k = 1)   c : Choice)" +
           arguments + "  o : Gain(k = 1)  connect one.y -> c.a  connect two.y -> c.b  connect c.y -> o.u }";
  };
  EXPECT_EQ(DriversOf(text("")).at("c.g.u"), "one.y");
  EXPECT_EQ(DriversOf(text("(first = false)")).at("c.g.u"), "two.y");
}

TEST(SystemGraphSignals, InputsOfPhysicalComponentsInsideComposites) {
  EXPECT_EQ(DriversOf(R"(
    component Supply { terminal p, n : electrical   input level : Voltage   s : SignalVoltageSource
      connect p -- s.p   connect n -- s.n   connect level -> s.u }
    system S { c : Constant[2](k = 1 V)   supply : Supply[2]   r : Resistor[2](R = 1 ohm)
      connect c.y -> supply.level
      connect supply.p -- r.p   connect supply.n -- r.n -- electrical.ground })"),
            (Drivers{{"supply[1].s.u", "c[1].y"}, {"supply[2].s.u", "c[2].y"}}));
}

constexpr const char* kArmature = R"(
  component Armature { terminal p, n : electrical   exogenous theta : Angle   edge e : p -> n
    equation e.v = 1 ohm*e.i + 0.1 V*s/rad * der(theta) }
)";

// "owner|m.theta = wheel.e.phi"; the index of an array may stand anywhere in the value.
std::vector<std::string> AssociationsOf(const Built& built) {
  std::vector<std::string> all;
  for (const GraphAssociation& a : built.graph().associations) {
    const ElementClass& element = built.graph().ElementOf(a.component);
    all.push_back(
        ComponentName(built.model(), built.graph(), a.owner) + "|" +
        InputName(built.model(), built.graph(), a.component, element.input_first[a.variable] + a.index) +
        " = " + ExpressionText(built.model(), a.value));
  }
  return all;
}

std::string TwoArmatures(const std::string& associations) {
  return kArmature + ("system S { m1, m2 : Armature\n" + associations) + R"(
      v : VoltageSource(V = 1 V)   wheel, other : Inertia(J = 1 kg*m^2)
        hold, stop : TorsionSpring(k = 1 N*m/rad)
      connect wheel.a -- hold.a   connect other.a -- stop.a   connect hold.b -- stop.b -- rotational.ground
      connect v.p -- m1.p -- m2.p   connect v.n -- m1.n -- m2.n -- electrical.ground }
  )";
}

TEST(SystemGraphSignals, Associations) {
  EXPECT_EQ(AssociationsOf(
                BuildClean(TwoArmatures("associate m1.theta = wheel.phi\nassociate m2.theta = other.phi\n"))),
            (std::vector<std::string>{"|m1.theta = wheel.e.phi", "|m2.theta = other.e.phi"}));
}

TEST(SystemGraphSignals, AssociationsInAnotherOrder) {
  const std::string first = "associate m1.theta = wheel.phi\n", second = "associate m2.theta = other.phi\n";
  EXPECT_EQ(BuildClean(TwoArmatures(first + second)).Json(), BuildClean(TwoArmatures(second + first)).Json());
}

constexpr const char* kAxes = R"(
    component Axis { terminal p, n : electrical   m : Armature   wheel : Inertia(J = 1 kg*m^2)
      hold : TorsionSpring(k = 1 N*m/rad)
      connect p -- m.p   connect n -- m.n   connect wheel.a -- hold.a   connect hold.b -- rotational.ground
      associate m.theta = wheel.phi }
    system S {
      v : VoltageSource(V = 1 V)
      axis : Axis[2]
      m : Armature[3]
      wheel : Inertia[3](J = 1 kg*m^2)
      hold : TorsionSpring[3](k = 1 N*m/rad)
      connect wheel.a -- hold.a
      connect hold.b -- rotational.ground
      connect v.p -- m.p
      connect v.p -- axis.p
      connect v.n -- m.n -- electrical.ground
      connect v.n -- axis.n
      for i in 1:3 { associate m[i].theta = wheel[4 - i].phi }
    })";

TEST(SystemGraphSignals, AssociationsInALoopAndInAComposite) {
  const auto associations = AssociationsOf(BuildClean(std::string(kArmature) + kAxes));
  EXPECT_EQ(associations.size(), 5u);
  std::set<std::string> targets;
  for (const std::string& a : associations) targets.insert(a.substr(0, a.find(" = ")));
  EXPECT_EQ(targets, (std::set<std::string>{"|m[1].theta", "|m[2].theta", "|m[3].theta",
                                            "axis[1]|axis[1].m.theta", "axis[2]|axis[2].m.theta"}));
}

TEST(SystemGraphSignals, AssociationsInALoopSayWhichElement) {
  const auto associations = AssociationsOf(BuildClean(std::string(kArmature) + kAxes));
  std::map<std::string, std::string> index;  // by target: what stands between brackets in the value
  for (const std::string& a : associations) {
    const std::string value = a.substr(a.find(" = "));
    const size_t open = value.find('[');
    if (open != std::string::npos)
      index[a.substr(0, a.find(" = "))] = value.substr(open + 1, value.find(']') - open - 1);
  }
  EXPECT_EQ(index, (std::map<std::string, std::string>{
                       {"|m[1].theta", "3"}, {"|m[2].theta", "2"}, {"|m[3].theta", "1"}}));
}

}  // namespace
}  // namespace cotree::test
