// SPDX-License-Identifier: Apache-2.0
// Arrays, loops, conditions and composites against the same system written out line by line: the graphs are
// equal but for the names, rack.drive[3] being rack_drive3 there.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "system_graph_support.h"

namespace cotree::test {
namespace {

void ExpectSameAsFlat(const std::string& text, const std::string& flat) {
  SCOPED_TRACE(text + flat);
  const Built a = BuildClean(text), b = BuildClean(flat);
  if (a.graphs.empty() || b.graphs.empty()) return;
  ExpectSame(Plain(a, FlatName), Plain(b));
}

std::string Number(size_t n) {
  return std::to_string(n);
}

std::string LadderText(size_t n, const std::string& connections) {
  return "system S {\n  parameter n : Integer = " + Number(n) +
         "\n  v : VoltageSource(V = 1 V)\n  r : Resistor[n](R = 1 ohm)\n  c : Capacitor[n](C = 1 F)\n" +
         connections + "  connect v.p -- r[1].p\n  connect v.n -- electrical.ground\n}\n";
}

std::string FlatLadder(size_t n) {
  std::string text = "system S {\n  v : VoltageSource(V = 1 V)\n  connect v.n -- electrical.ground\n";
  for (size_t k = 1; k <= n; ++k) {
    const std::string i = Number(k);
    text += "  r" + i + " : Resistor(R = 1 ohm)\n  c" + i + " : Capacitor(C = 1 F)\n";
    text += "  connect r" + i + ".n -- c" + i + ".p\n  connect c" + i + ".n -- electrical.ground\n";
    text += "  connect r" + i + ".p -- " + (k == 1 ? std::string("v.p") : "r" + Number(k - 1) + ".n") + "\n";
  }
  return text + "}\n";
}

TEST(SystemGraphArrays, SlicesAndLoopsAreThatManyLines) {
  for (const size_t n : {1u, 2u, 3u, 12u}) {
    ExpectSameAsFlat(LadderText(n,
                                "  connect r[1:n-1].n -- r[2:n].p\n  connect r.n -- c.p\n"
                                "  connect c.n -- electrical.ground\n"),
                     FlatLadder(n));
    ExpectSameAsFlat(
        LadderText(n,
                   "  for i in 1:n-1 { connect r[i].n -- r[i+1].p }\n"
                   "  for i in 1:n { connect r[i].n -- c[i].p   connect c[i].n -- electrical.ground }\n"),
        FlatLadder(n));
    ExpectSameAsFlat(LadderText(n,
                                "  connect r[1:n-1].n -- r[2:n].p -- c[1:n-1].p\n  connect r[n].n -- c[n].p\n"
                                "  connect electrical.ground -- c[:].n\n"),
                     FlatLadder(n));
  }
}

TEST(SystemGraphArrays, SlicesWithAStep) {
  ExpectSameAsFlat(R"(
    system S {
      r : Resistor[6](R = 1 ohm)
      connect r[1:2:5].p -- r[2:2:6].p
      connect r[1:2:5].n -- electrical.ground
      connect r[6:-2:2].n -- r[5:-2:1].n
      connect r[1].p -- r[3].p -- r[5].p
    })",
                   R"(
    system S {
      r1, r2, r3, r4, r5, r6 : Resistor(R = 1 ohm)
      connect r1.p -- r2.p -- r3.p -- r4.p -- r5.p -- r6.p
      connect r1.n -- r2.n -- r3.n -- r4.n -- r5.n -- r6.n -- electrical.ground
    })");
}

TEST(SystemGraphArrays, AGridOfTwoDimensions) {
  std::string flat = "system S {\n  v : VoltageSource(V = 1 V)\n  connect v.n -- electrical.ground\n";
  for (int i = 1; i <= 3; ++i) {
    for (int j = 1; j <= 4; ++j) {
      const std::string at = std::to_string(i) + "_" + std::to_string(j);
      flat += "  cell" + at + " : Resistor(R = 1 ohm)\n  tap" + at + " : Capacitor(C = 1 F)\n";
      flat +=
          "  connect tap" + at + ".n -- electrical.ground\n  connect cell" + at + ".n -- tap" + at + ".p\n";
      flat += j == 1 ? "  connect v.p -- cell" + at + ".p\n"
                     : "  connect cell" + std::to_string(i) + "_" + std::to_string(j - 1) + ".n -- cell" +
                           at + ".p\n";
    }
  }
  flat += "}\n";
  const std::string head = R"(
    system S {
      parameter n : Integer = 3
      parameter m : Integer = 4
      v : VoltageSource(V = 1 V)
      cell : Resistor[n, m](R = 1 ohm)
      tap : Capacitor[n, m](C = 1 F)
      connect v.n -- tap.n -- electrical.ground
  )";
  ExpectSameAsFlat(head + R"(
      connect cell.n -- tap.p
      connect v.p -- cell[:, 1].p
      connect cell[:, 1:m-1].n -- cell[:, 2:m].p
    })",
                   flat);
  ExpectSameAsFlat(head + R"(
      for i in 1:n { for j in 1:m { connect cell[i, j].n -- tap[i, j].p } }
      for i in 1:n { connect v.p -- cell[i, 1].p   for j in 2:m { connect cell[i, j-1].n -- cell[i, j].p } }
    })",
                   flat);
  ExpectSameAsFlat(head + R"(
      for i in 1:n { connect cell[i, :].n -- tap[i, :].p }
      connect v.p -- cell[1:n, 1].p
      for j in 1:m-1 { connect cell[:, j].n -- cell[:, j+1].p }
    })",
                   flat);
}

TEST(SystemGraphArrays, LoopsWhoseRangeDependsOnAnOuterLoop) {
  ExpectSameAsFlat(R"(
    system S {
      r : Resistor[3, 3](R = 1 ohm)
      for i in 1:3 { for j in 1:i { connect r[i, j].p -- electrical.ground } }
      for i in 1:3 { for j in i+1:3 { connect r[i, j].p -- r[j, i].n } }
      for i in 1:3 { connect r[i, i].n -- r[1, 3].n }
      connect r[1, 2].n -- r[2, 3].n -- r[1, 3].n
    })",
                   R"(
    system S {
      r1_1, r1_2, r1_3, r2_1, r2_2, r2_3, r3_1, r3_2, r3_3 : Resistor(R = 1 ohm)
      connect r1_1.p -- r2_1.p -- r2_2.p -- r3_1.p -- r3_2.p -- r3_3.p -- electrical.ground
      connect r1_2.p -- r2_1.n
      connect r1_3.p -- r3_1.n
      connect r2_3.p -- r3_2.n
      connect r1_1.n -- r2_2.n -- r3_3.n -- r1_3.n -- r1_2.n -- r2_3.n
    })");
}

constexpr const char* kDrive = R"(
  component Cell { terminal p, n : electrical   parameter R : Resistance = 1 ohm   public r : Resistor(R = R)
    connect p -- r.p   connect r.n -- n }
  component Drive {
    terminal p, n : electrical
    terminal shaft : rotational
    parameter cells : Integer = 3
    public motor : DCMotor(Kt = 0.1 N*m/A, J = 1e-3 kg*m^2)
    public cell : Cell[cells]
    connect p -- cell[1].p
    connect cell[1:cells-1].n -- cell[2:cells].p
    connect cell[cells].n -- motor.p
    connect motor.n -- n
    connect motor.shaft -- shaft
    connect motor.housing -- rotational.ground
  }
)";

// Drives d1, d2, ... written flat, each with its arguments for the motor and its number of cells.
std::string FlatDrives(const std::vector<std::pair<std::string, int>>& drives) {
  std::string text = "system S {\n  v : VoltageSource(V = 1 V)\n  connect v.n -- electrical.ground\n";
  for (size_t k = 0; k < drives.size(); ++k) {
    const std::string d = "drive" + Number(k + 1);
    const auto& [arguments, cells] = drives[k];
    text += "  " + d + "_motor : DCMotor(Kt = 0.1 N*m/A, " + arguments + ")\n";
    text += "  load" + Number(k + 1) + " : Inertia(J = 1 kg*m^2)\n";
    text += "  connect " + d + "_motor.shaft -- load" + Number(k + 1) + ".a\n";
    text += "  connect " + d + "_motor.housing -- rotational.ground\n";
    text += "  connect " + d + "_motor.n -- electrical.ground\n";
    std::string before = "v.p";
    for (int c = 1; c <= cells; ++c) {
      const std::string cell = d + "_cell" + std::to_string(c) + "_r";
      text += "  " + cell + " : Resistor(R = 1 ohm)\n  connect " + before + " -- " + cell + ".p\n";
      before = cell + ".n";
    }
    text += "  connect " + before + " -- " + d + "_motor.p\n";
  }
  return text + "}\n";
}

std::string Drives(const std::string& declaration, int n) {
  const std::string size = std::to_string(n);
  return std::string(kDrive) + "system S {\n  v : VoltageSource(V = 1 V)\n  drive : Drive[" + size + "]" +
         declaration + "\n  load : Inertia[" + size +
         "](J = 1 kg*m^2)\n  connect v.p -- drive.p\n  connect v.n -- drive.n -- electrical.ground\n"
         "  connect drive.shaft -- load.a\n}\n";
}

constexpr const char* kPlain = "J = 1e-3 kg*m^2";

TEST(SystemGraphArrays, CompositesInArraysWithArraysInside) {
  ExpectSameAsFlat(Drives("", 2), FlatDrives({{kPlain, 3}, {kPlain, 3}}));
  ExpectSameAsFlat(Drives("(cells = 1)", 3), FlatDrives({{kPlain, 1}, {kPlain, 1}, {kPlain, 1}}));
}

TEST(SystemGraphArrays, PublicParametersFromOutside) {
  ExpectSameAsFlat(Drives("(motor.L = 0 H)", 2),
                   FlatDrives({{"J = 1 kg*m^2, L = 0 H", 3}, {"J = 1 kg*m^2, L = 0 H", 3}}));
  ExpectSameAsFlat(Drives("(motor.J = 0)", 1), FlatDrives({{"J = 0", 3}}));
  ExpectSameAsFlat(Drives("(cells = 2, motor.J = 0, motor.L = 0 H)", 1), FlatDrives({{"J = 0, L = 0 H", 2}}));
  const PlainGraph graph = Plain(BuildClean(Drives("(motor.L = 0 H, motor.J = 0)", 1)));
  EXPECT_EQ(Structure(graph, "drive[1].motor:armature"), "(0,0) dissipates, couples");
  EXPECT_EQ(Structure(graph, "drive[1].motor:rotor"), "(1,0) couples");
  EXPECT_EQ(Structure(Plain(BuildClean(Drives("", 1))), "drive[1].motor:rotor"), "(2,0) stores, couples");
}

TEST(SystemGraphArrays, ParametersOfCompositesByAFormulaForEachElement) {
  ExpectSameAsFlat(Drives("(cells = [i for i in 1:2])", 2), FlatDrives({{kPlain, 1}, {kPlain, 2}}));
  ExpectSameAsFlat(Drives("(motor.J = [(i - 1) * 1 kg*m^2 for i in 1:2])", 2),
                   FlatDrives({{"J = 0", 3}, {"J = 1 kg*m^2", 3}}));
}

TEST(SystemGraphArrays, ParametersOfCompositesByAListForEachElement) {
  ExpectSameAsFlat(Drives("(cells = [2, 1])", 2), FlatDrives({{kPlain, 2}, {kPlain, 1}}));
}

TEST(SystemGraphArrays, PublicParametersByAListForEachElement) {
  ExpectSameAsFlat(Drives("(motor.J = [0, 1] kg*m^2)", 2), FlatDrives({{"J = 0", 3}, {"J = 1 kg*m^2", 3}}));
}

TEST(SystemGraphArrays, ZeroFromTwoLevelsOut) {
  const Built built = BuildClean(std::string(kDrive) + R"(
    component Rack { terminal p, n : electrical   terminal shaft : rotational   public drive : Drive
      connect p -- drive.p   connect n -- drive.n   connect shaft -- drive.shaft }
    system S {
      v : VoltageSource(V = 1 V)
      rack : Rack(drive.motor.L = 0 H)
      other : Rack
      load : Inertia[2](J = 1 kg*m^2)
      connect v.p -- rack.p -- other.p
      connect v.n -- rack.n -- other.n -- electrical.ground
      connect rack.shaft -- load[1].a
      connect other.shaft -- load[2].a
    })");
  const PlainGraph graph = Plain(built);
  EXPECT_EQ(Structure(graph, "rack.drive.motor:armature"), "(0,0) dissipates, couples");
  EXPECT_EQ(Structure(graph, "other.drive.motor:armature"), "(0,1) stores, dissipates, couples");
}

// A resistor of 0 ohm is a short: it prescribes its voltage.
constexpr const char* kShort = "(0,-) none";
constexpr const char* kResistor = "(0,0) dissipates";

std::string Chain(const std::string& members) {
  return "system S {\n  v : VoltageSource(V = 1 V)\n" + members +
         "\n  connect v.p -- r[1].p\n  connect r[1:2].n -- r[2:3].p\n"
         "  connect r[3].n -- v.n -- electrical.ground\n}\n";
}

TEST(SystemGraphArrays, ZeroInOneElement) {
  for (const std::string& members : {std::string("  r : Resistor[3](R = [0, 1, 2] ohm)"),
                                     std::string("  r : Resistor[3](R = [(i - 1) * 1 ohm for i in 1:3])")}) {
    const PlainGraph graph = Plain(BuildClean(Chain(members)));
    EXPECT_EQ(Structure(graph, "r[1]:e"), kShort) << members;
    EXPECT_EQ(Structure(graph, "r[2]:e"), kResistor) << members;
    EXPECT_EQ(Structure(graph, "r[3]:e"), kResistor) << members;
  }
}

TEST(SystemGraphArrays, ZeroInAnArrayParameterOfTheSystem) {
  const PlainGraph graph =
      Plain(BuildClean(Chain("  parameter R : Resistance[3] = [0, 1, 2] ohm\n  r : Resistor[3](R = R)")));
  EXPECT_EQ(Structure(graph, "r[1]:e"), kShort);
  EXPECT_EQ(Structure(graph, "r[2]:e"), kResistor);
  // One element for all: then they are shorts beside the source, which is a circuit of prescribed voltages.
  const Built shorts =
      BuildText(Chain("  parameter R : Resistance[3] = [0, 1, 2] ohm\n  r : Resistor[3](R = R[1])"));
  EXPECT_EQ(Codes(shorts), (std::multiset<int>{3002})) << shorts.Text();
  EXPECT_EQ(Structure(Plain(shorts), "r[2]:e"), kShort);
}

constexpr const char* kChainComponent = R"(
  component Chain {
    terminal p, n : electrical
    parameter k : Integer = 3
    parameter R : Resistance[k] = [1 ohm for i in 1:k]
    parameter scale : Real = 1
    r : Resistor[k](R = [scale*R[i] for i in 1:k])
    connect p -- r[1].p   connect r[1:k-1].n -- r[2:k].p   connect r[k].n -- n
  }
)";

TEST(SystemGraphArrays, ZeroInAnArrayParameterOfAComposite) {
  const PlainGraph graph = Plain(BuildClean(std::string(kChainComponent) + R"(
    system S {
      v : VoltageSource(V = 1 V)
      a : Chain(R = [0, 1, 2] ohm)
      b : Chain
      connect v.p -- a.p -- b.p
      connect v.n -- a.n -- b.n -- electrical.ground
    })"));
  EXPECT_EQ(Structure(graph, "a.r[1]:e"), kShort);
  EXPECT_EQ(Structure(graph, "a.r[3]:e"), kResistor);
  EXPECT_EQ(Structure(graph, "b.r[1]:e"), kResistor);
}

TEST(SystemGraphArrays, ZeroFactorOfAComposite) {
  const PlainGraph graph = Plain(BuildClean(R"(
    component Pair { terminal p, n : electrical   parameter scale : Real = 1
      parameter R0 : Resistance = 2 ohm
      parameter R : Resistance = scale*R0
      r : Resistor(R = R)   s : Resistor(R = R0)
      connect p -- r.p   connect r.n -- s.p   connect s.n -- n }
    system S {
      v : VoltageSource(V = 1 V)
      a : Pair(scale = 0)
      b : Pair
      c : Pair(scale = 0, R = 1 ohm)
      connect v.p -- a.p -- b.p -- c.p
      connect v.n -- a.n -- b.n -- c.n -- electrical.ground
    })"));
  EXPECT_EQ(Structure(graph, "a.r:e"), kShort);
  EXPECT_EQ(Structure(graph, "a.s:e"), kResistor);
  EXPECT_EQ(Structure(graph, "b.r:e"), kResistor);
  EXPECT_EQ(Structure(graph, "c.r:e"), kResistor);
}

TEST(SystemGraphArrays, ArraysOfTerminals) {
  ExpectSameAsFlat(R"(
    component Star { parameter n : Integer = 3   terminal t : electrical[n]   terminal middle : electrical
      r : Resistor[n](R = 1 ohm)
      connect t -- r.p
      connect r.n -- middle }
    system S {
      v : VoltageSource[4](V = 1 V)
      star : Star(n = 4)
      connect v.p -- star.t
      connect v.n -- star.middle -- electrical.ground
    })",
                   R"(
    system S {
      v1, v2, v3, v4 : VoltageSource(V = 1 V)
      star_r1, star_r2, star_r3, star_r4 : Resistor(R = 1 ohm)
      connect v1.p -- star_r1.p
      connect v2.p -- star_r2.p
      connect v3.p -- star_r3.p
      connect v4.p -- star_r4.p
      connect v1.n -- v2.n -- v3.n -- v4.n -- star_r1.n -- star_r2.n -- star_r3.n -- star_r4.n
        -- electrical.ground
    })");
  // Single elements, slices turned round, terminal arrays inside arrays of components.
  ExpectSameAsFlat(R"(
    component Pad { terminal t : electrical[2]   r : Resistor(R = 1 ohm)   connect t[1] -- r.p
      connect r.n -- t[2] }
    system S {
      pad : Pad[2]
      v : VoltageSource(V = 1 V)
      connect v.p -- pad[1].t[1]
      connect pad[1].t[2] -- pad[2].t[1]
      connect pad[2].t[2] -- v.n -- electrical.ground
    })",
                   R"(
    system S {
      pad1_r, pad2_r : Resistor(R = 1 ohm)
      v : VoltageSource(V = 1 V)
      connect v.p -- pad1_r.p
      connect pad1_r.n -- pad2_r.p
      connect pad2_r.n -- v.n -- electrical.ground
    })");
}

TEST(SystemGraphArrays, EdgesInArrays) {
  const PlainGraph graph = Plain(BuildClean(R"(
    system S {
      t : CoupledInductors(windings = 3, L = [1, 2, 3] H)
      r : Resistor[3](R = 1 ohm)
      connect t.p -- r.p
      connect t.n -- r.n -- electrical.ground
    })"));
  for (const std::string k : {"1", "2", "3"}) {
    EXPECT_EQ(Structure(graph, "t:winding[" + k + "]"), "(0,1) stores, couples");
    EXPECT_EQ(EdgeOf(graph, "t:winding[" + k + "]").from,
              (std::set<std::string>{"t:winding[" + k + "]+", "r[" + k + "]:e+"}));
  }
}

TEST(SystemGraphArrays, ConditionalConnections) {
  const std::string component = R"(
    component Bridge { terminal p, n : electrical   parameter bridged : Boolean = false
      parameter k : Integer = 2
      r : Resistor[2](R = 1 ohm)   s : Resistor(R = 1 ohm)
      connect p -- r[1].p   connect r[1].n -- r[2].p   connect r[2].n -- n
      if bridged { connect s.p -- p } else { connect s.p -- r[1].n }
      if k > 1 and not bridged { connect s.n -- n } else { connect s.n -- r[2].n }
    }
  )";
  const std::string ends = "  connect v.p -- b.p   connect v.n -- b.n -- electrical.ground\n}\n";
  const auto flat = [](const std::string& s_p) {
    return "system S { v : VoltageSource(V = 1 V)   b_r1, b_r2, b_s : Resistor(R = 1 ohm)\n"
           "connect v.p -- b_r1.p   connect b_r1.n -- b_r2.p   connect b_s.p -- " +
           s_p + "\nconnect v.n -- b_r2.n -- b_s.n -- electrical.ground }";
  };
  ExpectSameAsFlat(component + "system S { v : VoltageSource(V = 1 V)   b : Bridge\n" + ends, flat("b_r2.p"));
  ExpectSameAsFlat(component + "system S { v : VoltageSource(V = 1 V)   b : Bridge(bridged = true)\n" + ends,
                   flat("v.p"));
}

TEST(SystemGraphArrays, ConditionalConnectionsInALoop) {
  ExpectSameAsFlat(R"(
    system S {
      r : Resistor[4](R = 1 ohm)
      for i in 1:4 {
        connect r[i].n -- electrical.ground
        if i <= 2 { connect r[i].p -- r[1].p } else { connect r[i].p -- r[4].p }
      }
      v : VoltageSource[2](V = 1 V)
      connect v[1].p -- r[2].p
      connect v[2].p -- r[3].p
      connect v.n -- electrical.ground
    })",
                   R"(
    system S {
      r1, r2, r3, r4 : Resistor(R = 1 ohm)
      v1, v2 : VoltageSource(V = 1 V)
      connect v1.p -- r1.p -- r2.p
      connect v2.p -- r3.p -- r4.p
      connect r1.n -- r2.n -- r3.n -- r4.n -- v1.n -- v2.n -- electrical.ground
    })");
}

TEST(SystemGraphArrays, ACompositeThatLeadsATerminalStraightThrough) {
  ExpectSameAsFlat(R"(
    component Wire { terminal a, b : electrical   connect a -- b }
    component Cable { terminal a, b : electrical   w : Wire[3]   connect a -- w[1].a
      connect w[1:2].b -- w[2:3].a
      connect w[3].b -- b }
    system S {
      v : VoltageSource(V = 1 V)   r : Resistor(R = 1 ohm)   c : Cable
      connect v.p -- c.a   connect c.b -- r.p   connect v.n -- r.n -- electrical.ground
    })",
                   R"(
    system S {
      v : VoltageSource(V = 1 V)   r : Resistor(R = 1 ohm)
      connect v.p -- r.p   connect v.n -- r.n -- electrical.ground
    })");
}

}  // namespace
}  // namespace cotree::test
