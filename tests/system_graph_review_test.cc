// SPDX-License-Identifier: Apache-2.0
// Systems that an independent review of the graph stage found treated wrongly: each is sound, or wrong in one
// way only.

#include <gtest/gtest.h>

#include <string>

#include "system_graph_support.h"

namespace cotree::test {
namespace {

// One element's equation says nothing about the others.
TEST(SystemGraphReview, AnElementThatIsFixedFixesNoOther) {
  BuildClean(R"(
    component Mixed { terminal p : electrical[2]  terminal n : electrical  edge e : p -> n
      equation e[1].v = 5 V   e[2].v = 3 ohm * e[2].i }
    system S { m : Mixed  v : VoltageSource(V = 2 V)  r : Resistor(R = 1 ohm)
      connect m.n -- electrical.ground -- v.n -- r.n   connect m.p[1] -- r.p   connect m.p[2] -- v.p })");
}

// A variable in the one row of a loop is no observer: the row is one equation an element.
TEST(SystemGraphReview, AStarPointIsNoObserver) {
  const Built built = BuildClean(R"(
    component Star { terminal p : electrical[3]  edge e : p -> reference  parameter R : Resistance = 1 ohm
      variable vn : Voltage
      equation for k in 1:3 { e[k].v = R*e[k].i + vn }   sum(e[k].i for k in 1:3) = 0 A }
    system S { s : Star  i1 : CurrentSource(I = 1 A)  i2 : CurrentSource(I = 2 A)  r : Resistor(R = 1 ohm)
      connect i1.n -- s.p[1]   connect i2.n -- s.p[2]   connect r.p -- s.p[3]
      connect i1.p -- i2.p -- r.n -- electrical.ground })");
  for (const GraphEdge& edge : built.graph().edges) {
    const ElementEdge& e =
        built.graph().ElementEdgeOf(EdgeId(static_cast<size_t>(&edge - built.graph().edges.data())));
    if (e.index == 0 && built.graph().ElementOf(edge.component).edges.size() < 3) continue;
    EXPECT_EQ(e.across_order, 0);
    EXPECT_FALSE(e.fixes_through);
  }
}

TEST(SystemGraphReview, AnElementThatIsDecidedDecidesNoOther) {
  BuildClean(R"(
    component X { terminal p, n : electrical  edge e : p -> n  variable y : Current[2]
      equation y[1] = 3 A   y[2] = e.i   e.v = 2 ohm * y[2] }
    system S { x : X  v : VoltageSource(V = 1 V)  connect x.p -- v.p  connect x.n -- v.n -- electrical.ground })");
}

// The textbook loop: a controller and a strictly proper plant.
TEST(SystemGraphReview, AStrictlyProperPlantClosesNoLoopWithoutMemory) {
  for (const char* plant :
       {"TransferFunction(n = 2, num = [0, 0, 1], den = [1, 2, 1])", "FirstOrder(k = 1, T = 1 s)"}) {
    BuildClean("system S { r : Step(height = 1)  pi : PI(kp = 1, ki = 1 1/s)  p : " + std::string(plant) +
               "\nconnect r.y -> pi.target  connect pi.y -> p.u  connect p.y -> pi.measured }");
  }
}

// Signals through composites that pass several on, in series; and 50,000 in a row in linear time.
TEST(SystemGraphReview, LongWaysThroughComposites) {
  const Built built = BuildText(
      "component P { input u : Real output y : Real connect u -> y }\n"
      "system S { c : Constant(k = 1)  t : Terminator  a : P[50000]  connect c.y -> a[1].u\n"
      "for i in 1:49999 { connect a[i].y -> a[i + 1].u }  connect a[50000].y -> t.u }");
  EXPECT_TRUE(built.findings().list().empty()) << built.Text();
  const auto drivers = ResolveDrivers(built.model(), built.graph());
  for (const Driver& driver : drivers)
    EXPECT_EQ(ComponentName(built.model(), built.graph(), driver.component), "c");
}

// Composites in composites, 2^16 of them: room is not made one by one.
TEST(SystemGraphReview, DeepNesting) {
  std::string text =
      "component C0 { terminal p, n : electrical r : Resistor(R = 1 ohm) connect p -- r.p connect r.n -- n "
      "}\n";
  for (int k = 1; k <= 15; ++k) {
    const std::string inner = "C" + std::to_string(k - 1);
    text += "component C" + std::to_string(k) + " { terminal p, n : electrical c, d : " + inner +
            " connect p -- c.p -- d.p connect c.n -- d.n -- n }\n";
  }
  text +=
      "system S { c : C15 v : VoltageSource(V = 1 V) connect v.p -- c.p connect v.n -- c.n -- "
      "electrical.ground }";
  EXPECT_EQ(BuildClean(text).graph().edges.size(), 32768u + 1u);
}

TEST(SystemGraphReview, AConstantPositionIsADriver) {
  const Built built = BuildText(
      "system S { a : SpeedSource(speed = 1 rad/s)  b : AngleSource(angle = 1 rad)\n"
      "connect a.a -- b.a  connect a.b -- b.b -- rotational.ground }");
  EXPECT_EQ(Codes(built).count(3002), 1u);
  for (uint32_t e = 0; e < built.graph().edges.size(); ++e)
    EXPECT_EQ(KindsText(built.graph().ElementEdgeOf(EdgeId(e)).kinds), "drives");
}

}  // namespace
}  // namespace cotree::test
