// SPDX-License-Identifier: Apache-2.0
// What an edge is, for components that a user wrote: orders from the equations as they stand, kinds from
// `energy`, `loss` and the power; and whether `energy` and `loss` account for that power.

#include <gtest/gtest.h>

#include <string>

#include "system_graph_support.h"

namespace cotree::test {
namespace {

// A component x of class X with terminals p, n, in a circuit that is sound whatever X is.
std::string InCircuit(const std::string& component, const std::string& arguments = {}) {
  return component + "\nsystem S { v : VoltageSource(V = 1 V)   r, s : Resistor(R = 1 ohm)   x : X" +
         arguments +
         "\nconnect v.p -- r.p   connect r.n -- s.p -- x.p   connect v.n -- s.n -- x.n -- electrical.ground "
         "}";
}
std::string Of(const std::string& body, const std::string& arguments = {}) {
  const Built built = BuildClean(
      InCircuit("component X { terminal p, n : electrical  edge e : p -> n\n" + body + " }", arguments));
  return built.graphs.empty() ? "" : Structure(Plain(built), "x:e");
}
// The same for translation, with a mass beside it.
std::string OfMotion(const std::string& body, const std::string& arguments = {}) {
  const Built built = BuildClean("component X { terminal a, b : translational  edge e : a -> b\n" + body +
                                 " }\nsystem S { m : Mass(m = 1 kg)  x : X" + arguments +
                                 "\nconnect m.a -- x.a  connect x.b -- translational.ground }");
  return built.graphs.empty() ? "" : Structure(Plain(built), "x:e");
}
std::multiset<int> CodesOf(const std::string& component) {
  return Codes(BuildText(InCircuit(component)));
}
std::string TwoPort(const std::string& body) {
  return "component G { terminal a, b : rotational  edge x : a -> reference  edge y : b -> reference\n" +
         body +
         " }\nsystem S { g : G  j, k : Inertia(J = 1 kg*m^2)  connect g.a -- j.a  connect g.b -- k.a }";
}

TEST(SystemGraphKinds, ACapacitorByItsCharge) {
  const std::string q =
      "variable q : Charge  parameter C : Capacitance = 1 F\nequation q = C*e.v  der(q) = e.i\n";
  EXPECT_EQ(Of(q + "energy = q^2/(2*C)"), "(0,0) stores");  // as written, the derivative is the charge's
  EXPECT_EQ(Of(q + "energy = C*e.v^2/2"), "(0,0) stores");
  EXPECT_EQ(Of(q + "energy = q*e.v/2"), "(0,0) stores");
}

TEST(SystemGraphKinds, ACapacitorOfZero) {
  const std::string c = "parameter C : Capacitance\nequation e.i = C*der(e.v)\nenergy = C*e.v^2/2";
  EXPECT_EQ(Of(c, "(C = 1 F)"), "(1,0) stores");
  EXPECT_EQ(Of(c, "(C = 0 F)"), "(-,0) none");
  EXPECT_EQ(Of(c, "(C = -0 F)"), "(-,0) none");
  EXPECT_EQ(Of("parameter C : Capacitance\nparameter f : Real = 1\nequation e.i = f*C*der(e.v)\nenergy = "
               "f*C*e.v^2/2",
               "(C = 1 F, f = 0)"),
            "(-,0) none");
}

TEST(SystemGraphKinds, AnInductorWithEnergyInItsFlux) {
  // Saturating: i = i0*sinh(flux/flux0), energy = integral of i over the flux.
  EXPECT_EQ(
      Of("variable flux : MagneticFlux  parameter i0 : Current = 1 A  parameter f0 : MagneticFlux = 1 Wb\n"
         "equation e.v = der(flux)  e.i = i0*sinh(flux/f0)\n"
         "energy = i0*f0*(cosh(flux/f0) - 1)"),
      "(0,0) stores");
  EXPECT_EQ(Of("parameter L : Inductance = 1 H  parameter I : Current = 2 A\n"
               "equation e.v = der(L*I*tanh(e.i/I))\n"
               "energy = L*I^2*(e.i/I*tanh(e.i/I) - log(cosh(e.i/I)))"),
            "(0,1) stores");
}

TEST(SystemGraphKinds, SensorsAreNothingAndAddNoOrder) {
  const std::string mass =
      "system S { m : Mass(m = 1 kg)  k : Spring(k = 1 N/m)  connect m.a -- k.a  connect k.b -- "
      "translational.ground\n";
  for (const std::string sensor : {"PositionSensor", "VelocitySensor", "AccelerationSensor"})
    EXPECT_EQ(Structure(Plain(BuildClean(mass + "x : " + sensor + " connect x.a -- m.a }")), "x:e"),
              "(-,0) none");
  EXPECT_EQ(OfMotion("output y : Acceleration\nequation e.f = 0  y = e.acc"), "(-,0) none");
  EXPECT_EQ(
      OfMotion("output y : Acceleration  variable z : Acceleration\nequation e.f = 0  z = e.acc  y = 2*z"),
      "(-,0) none");
  EXPECT_EQ(Of("output y : Current\nequation e.v = 0  y = e.i"), "(0,-) none");
}

TEST(SystemGraphKinds, WhatIsDeclaredNowhereIsTakenFromThePower) {
  EXPECT_EQ(Of("equation e.v = 2 ohm*e.i"), "(0,0) dissipates");
  EXPECT_EQ(Of("equation e.i = 2 S*e.v"), "(0,0) dissipates");
  EXPECT_EQ(Of("equation e.i = 1 A*tanh(e.v/1 V)"), "(0,0) dissipates");
  EXPECT_EQ(Of("equation e.i = 1 A*(exp(e.v/1 V) - 1)"), "(0,0) dissipates");
  EXPECT_EQ(Of("equation e.v = 1 V - 2 ohm*e.i"), "(0,0) drives");
  EXPECT_EQ(Of("equation e.v = 1 V"), "(0,-) drives");
  EXPECT_EQ(Of("equation e.i = 1 A*sin(time/1 s)"), "(-,0) drives");
  EXPECT_EQ(OfMotion("equation e.f = 2 N*s/m*e.v"), "(1,0) dissipates");
  EXPECT_EQ(OfMotion("equation e.f = 2 N*s^2/m^2*abs(e.v)*e.v"), "(1,0) dissipates");
  EXPECT_EQ(OfMotion("equation e.v = 2 m/s"), "(1,-) drives");
}

TEST(SystemGraphKinds, WhatIsDeclaredDecides) {
  EXPECT_EQ(Of("equation e.v = 2 ohm*e.i\nloss = 2 ohm*e.i^2"), "(0,0) dissipates");
  EXPECT_EQ(Of("equation e.v = 2 ohm*e.i\nloss = e.v^2/(2 ohm)"), "(0,0) dissipates");
  EXPECT_EQ(Of("equation e.v = 2 ohm*e.i\nloss = e.v*e.i"), "(0,0) dissipates");
  EXPECT_EQ(Of("equation e.v = 2 ohm*e.i + 1 H*der(e.i)\nenergy = 1 H*e.i^2/2  loss = 2 ohm*e.i^2"),
            "(0,1) stores, dissipates");
  EXPECT_EQ(OfMotion("equation e.f = 2 N/m*e.s\nenergy = 2 N/m*e.s^2/2"), "(0,0) stores");
  EXPECT_EQ(OfMotion("equation e.f = 2 N/m*e.s + 1 kg*e.acc\nenergy = 2 N/m*e.s^2/2 + 1 kg*e.v^2/2"),
            "(2,0) stores");
  EXPECT_EQ(OfMotion("equation e.f = 2 N/m*e.s + 1 kg*der(e.v)\nenergy = 1 N/m*e.s^2 + 1 kg*e.v^2/2"),
            "(2,0) stores");
}

TEST(SystemGraphKinds, LossIsCheckedAgainstTheEquations) {
  const std::string head = "component X { terminal p, n : electrical  edge e : p -> n  ";
  EXPECT_EQ(CodesOf(head + "equation e.v = 2 ohm*e.i  loss = 2 ohm*e.i^2 }"), (std::multiset<int>{}));
  EXPECT_EQ(CodesOf(head + "equation e.v = 2 ohm*e.i  loss = 1 ohm*e.i^2 }"), (std::multiset<int>{3203}));
  EXPECT_EQ(CodesOf(head + "equation e.v = 2 ohm*e.i  loss = 0 }"), (std::multiset<int>{3203}));
  EXPECT_EQ(CodesOf(head + "equation e.v = 1 H*der(e.i)  energy = 1 H*e.i^2/2 }"), (std::multiset<int>{}));
  EXPECT_EQ(CodesOf(head + "equation e.v = 1 H*der(e.i)  energy = 1 H*e.i^2 }"), (std::multiset<int>{3203}));
  EXPECT_EQ(CodesOf(head + "equation e.v = 1 H*der(e.i)  energy = -1 H*e.i^2/2 }"),
            (std::multiset<int>{3203}));
  EXPECT_EQ(CodesOf(head + "equation e.v = 1 H*der(e.i) + 2 ohm*e.i  energy = 1 H*e.i^2/2 }"),
            (std::multiset<int>{3203}));
}

TEST(SystemGraphKinds, AGearWithoutLoss) {
  const std::string equations = "equation x.phi = 3*y.phi  y.tau = -3*x.tau\n";
  const Built right = BuildText(TwoPort(equations + "loss = 0"));
  EXPECT_TRUE(right.findings().list().empty()) << right.Text();
  EXPECT_EQ(Structure(Plain(right), "g:x"), "(0,0) couples");
  EXPECT_EQ(Structure(Plain(right), "g:y"), "(0,0) couples");
  // Not declared, but it only passes power on.
  EXPECT_EQ(Structure(Plain(BuildClean(TwoPort(equations))), "g:x"), "(0,0) couples");
  const Built speeds = BuildClean(TwoPort("equation x.w = 3*y.w  y.tau = -3*x.tau\nloss = 0"));
  EXPECT_EQ(Structure(Plain(speeds), "g:x"), "(1,0) couples");
  for (const std::string wrong : {"y.tau = -2*x.tau", "y.tau = 3*x.tau", "y.tau = -x.tau/3"}) {
    EXPECT_EQ(Codes(BuildText(TwoPort("equation x.phi = 3*y.phi  " + wrong + "\nloss = 0"))),
              (std::multiset<int>{3203}))
        << wrong;
  }
  // With friction at one side.
  const Built friction = BuildClean(
      TwoPort("equation x.phi = 3*y.phi  y.tau = -3*x.tau + 1 N*m*s/rad*y.w\nloss = 1 N*m*s/rad*y.w^2"));
  EXPECT_EQ(Structure(Plain(friction), "g:y"), "(1,0) dissipates, couples");
  EXPECT_EQ(Structure(Plain(friction), "g:x"), "(0,0) couples");
}

TEST(SystemGraphKinds, ASolenoidFromItsEnergy) {
  const std::string text = R"(
    component Coil {
      terminal p, n : electrical   terminal a, b : translational
      parameter L0 : Inductance = 0.1 H   parameter x0 : Length = 10 mm   parameter R : Resistance = 1 ohm
      variable L : Inductance
      edge coil : p -> n   edge plunger : a -> b
      equation
        L = L0/(1 + plunger.s/x0)
        coil.v = R*coil.i + der(L*coil.i)
        plunger.f = coil.i^2/2*L0/x0/(1 + plunger.s/x0)^2
      energy = L*coil.i^2/2
      loss = R*coil.i^2
    }
    system S {
      v : VoltageSource(V = 1 V)   x : Coil   m : Mass(m = 1 kg)   k : Spring(k = 1 N/m)
      connect v.p -- x.p   connect v.n -- x.n -- electrical.ground
      connect x.a -- m.a -- k.a   connect x.b -- k.b -- translational.ground
    })";
  const Built built = BuildClean(text);
  const PlainGraph graph = Plain(built);
  EXPECT_EQ(Structure(graph, "x:coil"), "(0,1) stores, dissipates, couples");
  // At rest of the coil nothing is stored and no force acts.
  EXPECT_EQ(EdgeOf(graph, "x:plunger").kinds, "couples");
  std::string wrong = text;
  wrong.replace(wrong.find("coil.i^2/2*L0/x0"), 16, "coil.i^2/3*L0/x0");
  EXPECT_EQ(Codes(BuildText(wrong)), (std::multiset<int>{3203}));
  wrong = text;
  wrong.replace(wrong.find("plunger.f = "), 12, "plunger.f = -");
  EXPECT_EQ(Codes(BuildText(wrong)), (std::multiset<int>{3203}));
}

TEST(SystemGraphKinds, TheMotorInItsModels) {
  const auto motor = [](const std::string& arguments) {
    return Plain(BuildClean("system S { v : VoltageSource(V = 1 V)  m : DCMotor(Kt = 1 N*m/A" + arguments +
                            "  load : Inertia(J = 1 kg*m^2)\n"
                            "connect v.p -- m.p  connect v.n -- m.n -- electrical.ground\n"
                            "connect m.shaft -- load.a  connect m.housing -- rotational.ground }"));
  };
  struct Case {
    std::string arguments, armature, rotor;
  };
  for (const Case& c : std::vector<Case>{
           {", J = 1 kg*m^2)", "(0,1) stores, dissipates, couples", "(2,0) stores, couples"},
           {")", "(0,1) stores, dissipates, couples", "(1,0) couples"},
           {", J = 0)", "(0,1) stores, dissipates, couples", "(1,0) couples"},
           {", L = 0 H)", "(0,0) dissipates, couples", "(1,0) couples"},
           {", J = 1 kg*m^2) as resistive", "(0,0) dissipates, couples", "(2,0) stores, couples"},
           {", J = 1 kg*m^2) as ideal", "(0,0) couples", "(1,0) couples"}}) {
    const PlainGraph graph = motor(c.arguments);
    EXPECT_EQ(Structure(graph, "m:armature"), c.armature) << c.arguments;
    EXPECT_EQ(Structure(graph, "m:rotor"), c.rotor) << c.arguments;
  }
}

TEST(SystemGraphKinds, EdgesWithoutACommonEquationDoNotCouple) {
  const PlainGraph graph = Plain(BuildClean(R"(
    component Two { terminal p, n, q : electrical   edge a : p -> n   edge b : q -> n
      equation a.v = 1 ohm*a.i   b.i = 1 F*der(b.v)   energy = 1 F*b.v^2/2   loss = 1 ohm*a.i^2 }
    system S { v : VoltageSource(V = 1 V)   r : Resistor(R = 1 ohm)   x : Two
      connect v.p -- x.p -- r.p   connect r.n -- x.q   connect v.n -- x.n -- electrical.ground })"));
  EXPECT_EQ(Structure(graph, "x:a"), "(0,0) dissipates");
  EXPECT_EQ(Structure(graph, "x:b"), "(1,0) stores");
}

TEST(SystemGraphKinds, ASignalThatFixesAndAVariableThatDoesNot) {
  // The phase of a source is a state, but it follows from the time alone.
  EXPECT_EQ(Of("variable phase : Angle\nequation der(phase) = 1 rad/s  e.v = 1 V*sin(phase)"),
            "(0,-) drives");
  const Built source = BuildText(
      InCircuit("component X { terminal p, n : electrical  edge e : p -> n  variable phase : Angle\n"
                "equation der(phase) = 1 rad/s  e.v = 1 V*sin(phase) }"));
  ASSERT_FALSE(source.graphs.empty());
  for (const ElementClass& element : source.graph().elements) {
    if (source.model().Text(source.model()[element.class_id].name) != "X") continue;
    EXPECT_TRUE(element.edges.at(0).fixes_across);
    EXPECT_FALSE(element.edges.at(0).fixes_through);
  }
  // Here the variable hangs on the edge's current, so nothing is fixed.
  const Built battery = BuildText(
      InCircuit("component X { terminal p, n : electrical  edge e : p -> n  variable charge : Charge\n"
                "equation der(charge) = e.i  e.v = 1 V + charge/1 F }"));
  ASSERT_FALSE(battery.graphs.empty());
  for (const ElementClass& element : battery.graph().elements) {
    if (battery.model().Text(battery.model()[element.class_id].name) != "X") continue;
    EXPECT_FALSE(element.edges.at(0).fixes_across);
  }
}

TEST(SystemGraphKinds, AConditionOfAStructuralParameter) {
  const std::string body =
      "parameter open : Boolean = false\nequation if open { e.i = 0 } else { e.v = 1 ohm*e.i }";
  EXPECT_EQ(Of(body), "(0,0) dissipates");
  EXPECT_EQ(Of(body, "(open = true)"), "(-,0) none");
}

// A circuit of one edge: whatever prescribes the voltage between its own joined ends leaves its current open.
TEST(SystemGraphKinds, ABridgedAmmeterIsAnError) {
  const Built built = BuildText(
      "system S { v : VoltageSource(V = 1 V)  r : Resistor(R = 1 ohm)  a : CurrentSensor\n"
      "connect v.p -- r.p -- a.p -- a.n  connect v.n -- r.n -- electrical.ground }");
  EXPECT_GT(built.findings().errors(), 0u) << built.Text();
}

TEST(SystemGraphKinds, ManyWarningsHideNoError) {
  const Built built = BuildText(
      "system S { r : Resistor[30](R = 1 ohm)  z : VoltageSource(V = 1 V)\n"
      "connect r.p -- r.n -- electrical.ground  connect z.p -- z.n -- electrical.ground }");
  EXPECT_EQ(Codes(built).count(3003), 1u) << "the short-circuited source is not reported";
}

}  // namespace
}  // namespace cotree::test
