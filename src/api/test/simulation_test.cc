// SPDX-License-Identifier: Apache-2.0
#include <cotree/cotree.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <tuple>

namespace {

constexpr const char* kText = R"(system S {
  V : VoltageSource(V = 5 V)   R : Resistor(R = 1 kohm)   C : Capacitor(C = 1 uF, start e.v = 0 V)
  connect V.p -- R.p   connect R.n -- C.p   connect V.n -- C.n -- electrical.ground })";

// v = 5 V*(1 - exp(-t/(R*C))).
TEST(Api, LoadSetRunRead) {
  cotree::Simulation circuit = cotree::Simulation::FromText(kText);
  for (const double r : {1e3, 2e3}) {
    circuit.Set("R.R", std::to_string(r) + " ohm");
    circuit.Run({.stop = 2e-3, .rtol = 1e-8});
    ASSERT_EQ(circuit.Times().size(), circuit.Column("C.v").size());
    EXPECT_NEAR(circuit.Column("C.v").back(), 5 * (1 - std::exp(-2e-3 / (r * 1e-6))), 1e-6);
  }
  EXPECT_THROW(circuit.Column("C.w"), cotree::Error);
  EXPECT_THROW(circuit.Set("R.Q", "1 ohm"), cotree::Error);
  circuit.Run({.stop = 1e-3});  // what was set before still holds
  EXPECT_NEAR(circuit.Column("C.v").back(), 5 * (1 - std::exp(-0.5)), 1e-4);
}

TEST(Api, FindingsAreThrown) {
  try {
    cotree::Simulation::FromText("system S { R : Resistr(R = 1 ohm) }");
    FAIL();
  } catch (const cotree::Error& e) {
    EXPECT_NE(std::string(e.what()).find("Resistor"), std::string::npos) << e.what();
  }
}

// A setting is one of the system that was named, and a name that is not there says what there is.
TEST(Api, OneSystemOfSeveral) {
  const std::string other(kText);
  const std::string two =
      "system First { V : VoltageSource(V = 1 V)  R : Resistor(R = 1 ohm)\n"
      "  connect V.p -- R.p   connect V.n -- R.n -- electrical.ground }\n" +
      other + "\nexperiment E of First { stop = 1 s }\n";
  cotree::Simulation circuit = cotree::Simulation::FromText(two, "S");
  circuit.Set("C.C", "2 uF");
  circuit.Set("R.R", "500 ohm");
  circuit.Run({.stop = 1e-3, .rtol = 1e-8});
  EXPECT_NEAR(circuit.Column("C.v").back(), 5 * (1 - std::exp(-1.0)), 1e-6);
  for (const auto& [parameter, value, says] :
       {std::tuple("R.R", "1 V", "--> --set"), std::tuple("R.Q", "1 ohm", "--> --set"),
        std::tuple("R.R", "1 ohm } system T {", "--> --set"),
        std::tuple("R", "as ideal", "one model only")}) {
    try {
      circuit.Set(parameter, value);
      ADD_FAILURE() << parameter;
    } catch (const cotree::Error& e) {
      EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    }
  }
  circuit.Run({.stop = 1e-3, .rtol = 1e-8});
  EXPECT_NEAR(circuit.Column("C.v").back(), 5 * (1 - std::exp(-1.0)), 1e-6);
  try {
    cotree::Simulation::FromText(two, "T");
    FAIL();
  } catch (const cotree::Error& e) {
    EXPECT_NE(std::string(e.what()).find("it has First, S"), std::string::npos) << e.what();
  }
}

TEST(Api, ForeignCodeNeedsConsent) {
  const std::string library = ::testing::TempDir() + "/cotree_api_library.so";
  std::ofstream(library) << "no library";
  const std::string text = "software G { input u : Real  output y : Real  feedthrough y : u  external \"" +
                           library +
                           "\" \"gain\" }\nsystem S { c : Constant(k = 1)  g : G  t : Terminator\n"
                           "  connect c.y -> g.u  connect g.y -> t.u }\n";
  const auto said = [&](const cotree::ForeignRights& rights) -> std::string {
    try {
      cotree::Simulation::FromText(text, "", rights);
    } catch (const cotree::Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(said({}).find("COT4271"), std::string::npos) << said({});
  const std::string allowed = said({.allow = true, .in_process = true});
  EXPECT_NE(allowed.find("cannot be loaded"), std::string::npos) << allowed;
}

}  // namespace
