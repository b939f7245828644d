// SPDX-License-Identifier: Apache-2.0
// Systems of library components: orders, trees, what makes them singular, dependent storage in words.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "normal_tree/reasons.h"
#include "normal_tree/test/text_network.h"

namespace cotree {
namespace {

using testing_networks::TextNetwork;

std::vector<std::string> Reasons(const TextNetwork& n) {
  std::vector<std::string> out;
  for (const DependentStorage& d : FindDependentStorage(n.model, n.graph, n.scalars, n.tree))
    out.push_back(d.text);
  return out;
}
using Texts = std::vector<std::string>;

// The networks with known answers: the file's order; with displacements as across variables one more for a
// motion that nothing holds; with parameters that cancel, the order for all other parameters.
TEST(Systems, OrdersOfKnownNetworks) {
  const std::string folder = std::string(COTREE_SOURCE_DIR) + "/tests/models/";
  std::ifstream file(folder + "expected/networks.json");
  const auto networks = nlohmann::json::parse(file);
  const std::map<std::string, int> more{
      {"motor_gear_flexible", 1}, {"two_mass_free", 1}, {"vcvs_bootstrap_k1", 1}};
  int count = 0;
  for (const auto& network : networks.at("cases")) {
    const auto id = network.at("id").get<std::string>();
    if (!network.at("expected").contains("order")) continue;
    const int order = network.at("expected").at("order").get<int>();
    for (const char* variant : {"", "_velocity"}) {
      const std::string path = folder + id + variant + ".cot";
      if (!std::filesystem::exists(path)) continue;
      const TextNetwork n(path);
      const bool with_displacement = *variant == 0 && more.contains(id);
      EXPECT_EQ(n.tree.degree, order + (with_displacement ? more.at(id) : 0)) << id << variant;
      EXPECT_FALSE(n.tree.singular) << id;
      ++count;
    }
  }
  EXPECT_GE(count, 15);
}

TEST(Systems, CapacitorsAroundASource) {
  const TextNetwork n(R"(system S {
    V1 : VoltageSource(V = 1 V)  C1 : Capacitor(C = 1 F)  C3 : Capacitor(C = 1 F)  R : Resistor(R = 1 ohm)
    connect V1.p -- C1.p
    connect C1.n -- C3.p -- R.p
    connect V1.n -- C3.n -- R.n -- electrical.ground
  })");
  EXPECT_EQ(n.tree.degree, 1);
  EXPECT_EQ(n.Primary(), "C1:x C3:y R:y V1:x");
  EXPECT_EQ(Reasons(n), Texts{"C3 closes a circuit with C1 and V1"});
}

TEST(Systems, InductorsAroundANode) {
  const TextNetwork n(R"(system S {
    I1 : CurrentSource(I = 1 A)  L1 : Inductor(L = 1 H)  L2 : Inductor(L = 1 H)  R1 : Resistor(R = 1 ohm)  R2 : Resistor(R = 1 ohm)
    connect I1.p -- L1.p -- L2.p
    connect L1.n -- R1.p   connect L2.n -- R2.p
    connect I1.n -- R1.n -- R2.n -- electrical.ground
  })");
  EXPECT_EQ(n.tree.degree, 1);
  EXPECT_EQ(n.Primary(), "I1:y L1:x L2:y R1:x R2:x");
  EXPECT_EQ(Reasons(n), Texts{"L1 is in a cut-set with I1 and L2 only"});
}

TEST(Systems, SpringWithDamperIsNoDependentStorage) {
  const TextNetwork n(R"(system S {
    m1 : Mass(m = 1 kg)  m2 : Mass(m = 1 kg)  sd : SpringDamper(k = 1 N/m, d = 1 N*s/m)
    connect m1.a -- sd.a   connect m2.a -- sd.b
  })");
  EXPECT_EQ(n.tree.degree, 4);
  EXPECT_EQ(Reasons(n), Texts{});
}

TEST(Systems, GearBetweenInertias) {
  const TextNetwork n(R"(system S {
    J1 : Inertia(J = 1 kg*m^2)  J2 : Inertia(J = 1 kg*m^2)  N : Gear(ratio = 3)
    connect J1.a -- N.a   connect J2.a -- N.b
  })");
  EXPECT_EQ(n.tree.degree, 2);
  EXPECT_EQ(Reasons(n).size(), 1u);
}

TEST(Systems, TwoGearsThatDisagreeHoldTheShafts) {
  const TextNetwork n(R"(system S {
    J1 : Inertia(J = 1 kg*m^2)  J2 : Inertia(J = 1 kg*m^2)  N1 : Gear(ratio = 3)  N2 : Gear(ratio = 4)
    connect J1.a -- N1.a -- N2.a   connect J2.a -- N1.b -- N2.b
  })");
  EXPECT_FALSE(n.tree.singular);
  EXPECT_EQ(n.tree.degree, 0);
  EXPECT_EQ(Reasons(n).size(), 2u);
}

TEST(Systems, GearHeldAtBothEnds) {
  const TextNetwork n(R"(system S {
    J : Inertia(J = 1 kg*m^2)  N : Gear(ratio = 3)  A : AngleSource(angle = 1 deg)  B : AngleSource(angle = 1 deg)
    d : RotationalDamper(d = 1 N*m*s/rad)  J3 : Inertia(J = 1 kg*m^2)
    connect A.a -- N.a -- J.a -- d.a   connect B.a -- N.b
    connect d.b -- J3.a
    connect A.b -- B.b -- rotational.ground
  })");
  EXPECT_TRUE(n.tree.singular);
  EXPECT_EQ(n.Names(n.tree.blocking), "A B N.at_a N.at_b");
}

TEST(Systems, DriversInACircuitAndInACutSet) {
  const TextNetwork circuit(R"(system S {
    V1 : VoltageSource(V = 1 V)  V2 : VoltageSource(V = 1 V)  V3 : VoltageSource(V = 1 V)  R : Resistor(R = 1 ohm)
    connect V1.p -- V2.p -- R.p   connect V2.n -- V3.p   connect V1.n -- V3.n -- R.n -- electrical.ground
  })");
  EXPECT_TRUE(circuit.tree.singular);
  EXPECT_EQ(circuit.Names(circuit.tree.blocking), "V1 V2 V3");
  const TextNetwork cut(R"(system S {
    I1 : CurrentSource(I = 1 A)  I2 : CurrentSource(I = 1 A)  I3 : CurrentSource(I = 1 A)  R : Resistor(R = 1 ohm)  C : Capacitor(C = 1 F)
    connect I1.p -- I2.p -- I3.p   connect I2.n -- R.p -- C.p   connect I1.n -- I3.n -- R.n -- C.n -- electrical.ground
  })");
  EXPECT_TRUE(cut.tree.singular);
  EXPECT_EQ(cut.Names(cut.tree.blocking), "I1 I2 I3");
}

TEST(Systems, IdealAmplifiersHaveTwoForests) {
  const TextNetwork n(R"(system S {
    V : VoltageSource(V = 1 V)  R : Resistor(R = 1 ohm)  C : Capacitor(C = 1 F)  A : OpAmp()  RL : Resistor(R = 1 ohm)
    connect V.p -- R.p   connect R.n -- C.p -- A.n   connect C.n -- A.out -- RL.p
    connect V.n -- A.p -- RL.n -- electrical.ground
  })");
  EXPECT_EQ(n.tree.degree, 1);
  EXPECT_EQ(n.Primary(), "A.difference:xy A.drive:- C:x R:y RL:y V:x");
}

TEST(Systems, AnOpAmpWithoutFeedbackIsSingular) {
  const TextNetwork n(R"(system S {
    V : VoltageSource(V = 1 V)  A : OpAmp()  RL : Resistor(R = 1 ohm)  R : Resistor(R = 1 ohm)
    connect V.p -- A.n -- R.p   connect A.out -- RL.p
    connect V.n -- A.p -- RL.n -- R.n -- electrical.ground
  })");
  EXPECT_TRUE(n.tree.singular);
  EXPECT_EQ(n.Names(n.tree.blocking), "A.difference V");
}

TEST(Systems, CoupledInductorsCountTwice) {
  const TextNetwork n(R"(system S {
    V : VoltageSource(V = 1 V)  M : CoupledInductorPair(L1 = 1 H, L2 = 2 H, k = 0.5)  R1 : Resistor(R = 1 ohm)  R2 : Resistor(R = 1 ohm)
    connect V.p -- R1.p   connect R1.n -- M.p1   connect M.p2 -- R2.p
    connect V.n -- M.n1 -- M.n2 -- R2.n -- electrical.ground
  })");
  EXPECT_EQ(n.tree.degree, 2);
  EXPECT_EQ(n.Primary(), "M.primary:y M.secondary:y R1:x R2:x V:x");
}

TEST(Systems, ManyCoupledWindings) {  // more than a table holds
  std::string text =
      "system S {\n V : VoltageSource(V = 1 V)\n M : CoupledInductors(windings = 12, L = [1 H for i in "
      "1:12], M = [";
  for (int i = 0; i < 12; ++i) {
    text += i > 0 ? ", [" : "[";
    for (int j = 0; j < 12; ++j) text += (j > 0 ? ", " : "") + std::string(i == j ? "2" : "1") + " H";
    text += "]";
  }
  text += "])\n R : Resistor[12](R = 1 ohm)\n connect V.n -- electrical.ground\n";
  for (int i = 1; i <= 12; ++i) {
    const std::string k = "[" + std::to_string(i) + "]";
    text += " connect M.p" + k + " -- R" + k + ".p\n connect R" + k + ".n -- V.p\n connect M.n" + k +
            " -- electrical.ground\n";
  }
  const TextNetwork n(text + "}\n");
  EXPECT_EQ(n.tree.degree, 12);
}

// Renaming aside, the order of declaration changes nothing.
TEST(Systems, OrderOfDeclarationDoesNotMatter) {
  std::vector<std::string> lines{
      "V1 : VoltageSource(V = 1 V)",
      "C1 : Capacitor(C = 1 F)",
      "C2 : Capacitor(C = 1 F)",
      "R : Resistor(R = 1 ohm)",
      "T : Transformer(n = 2)",
      "C3 : Capacitor(C = 1 F)",
      "L : Inductor(L = 1 H)",
      "RL : Resistor(R = 1 ohm)",
      "connect V1.p -- R.p",
      "connect R.n -- C1.p -- T.p1",
      "connect T.p2 -- C2.p -- L.p",
      "connect L.n -- C3.p -- RL.p",
      "connect V1.n -- C1.n -- T.n1 -- T.n2 -- C2.n -- C3.n -- RL.n -- electrical.ground"};
  std::mt19937 random(2);
  std::string first;
  for (int round = 0; round < 6; ++round) {
    std::string text = "system S {\n";
    for (const std::string& line : lines) text += "  " + line + "\n";
    const TextNetwork n(text + "}\n");
    EXPECT_EQ(n.tree.degree, 3);
    if (first.empty()) first = n.Primary();
    EXPECT_EQ(n.Primary(), first);
    std::shuffle(lines.begin(), lines.end(), random);
  }
}

TEST(Systems, WishesDecideBetweenEquals) {
  const TextNetwork n(R"(system S {
    V1 : VoltageSource(V = 1 V)  C1 : Capacitor(C = 1 F)  C2 : Capacitor(C = 1 F)  R : Resistor(R = 1 ohm)
    J1 : Inertia(J = 1 kg*m^2)  J2 : Inertia(J = 1 kg*m^2)  N : Gear(ratio = 3)
    connect V1.p -- C1.p   connect C1.n -- C2.p -- R.p   connect V1.n -- C2.n -- R.n -- electrical.ground
    connect J1.a -- N.a   connect J2.a -- N.b
  })");
  Model& model = const_cast<Model&>(n.model);
  for (const char* wanted : {"C1", "C2", "J1", "J2"}) {
    const TreePreferences wishes{{{n.Edge(wanted), 1}}, {}};
    const NormalTree tree = FindNormalTree(model, n.graph, n.scalars, wishes);
    EXPECT_EQ(CheckNormalTree(model, n.graph, n.scalars, tree, wishes), "");
    EXPECT_TRUE(tree.InTree(n.Edge(wanted))) << wanted;
    EXPECT_EQ(tree.degree, 3);
  }
  for (const char* unwanted : {"C1", "C2", "J1", "J2"}) {
    const TreePreferences wishes{{{n.Edge(unwanted), -5}}, {}};
    const NormalTree tree = FindNormalTree(model, n.graph, n.scalars, wishes);
    EXPECT_FALSE(tree.InTree(n.Edge(unwanted))) << unwanted;
    EXPECT_EQ(tree.degree, 3);
  }
  const TreePreferences against{{{n.Edge("R"), 1000}}, {{n.Edge("C1"), 1000}, {n.Edge("C2"), 1000}}};
  EXPECT_EQ(FindNormalTree(model, n.graph, n.scalars, against).degree, 3) << "no wish costs a state";
}

}  // namespace
}  // namespace cotree
