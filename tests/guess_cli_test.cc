// SPDX-License-Identifier: Apache-2.0
// Where the search for an unknown temperature begins: at the guess of its quantity, not at absolute zero.
#include <gtest/gtest.h>

#include <string>

#include "product_support.h"

namespace cotree {
namespace {

TEST(Guess, OfAQuantityIsWhereTheSearchBegins) {
  const std::string leak =
      "component Leak { terminal a : thermal  edge e : a -> reference  parameter k : ThermalConductance = 1 "
      "W/K\n"
      "  parameter T0 : Temperature = 293.15 K\n"
      "  equation e.Q_flow = k*T0*(log(e.T/T0) + (e.T/T0)^2 - 1) }\n";
  const auto system = [](const std::string& more) {
    return "system S { source : HeatFlowSource(heat_flow = 10 W)  leak : Leak  connect source.a -- leak.a  " +
           more + "}\nexperiment E of S { stop = 1 s  plot leak.T }\n";
  };
  const std::string rows[] = {
      leak + system(""),
      // The same behind a resistor, across which the difference begins at 0.
      leak +
          "component Both { terminal a : thermal  r : ThermalResistor(R = 0.1 K/W)  l : Leak  connect a -- "
          "r.a  "
          "connect r.b -- l.a }\n" +
          system("both : Both  connect both.a -- source.a"),
      // A quantity of the user.
      "quantity Level = m (guess = 2 m)\ncomponent C { variable x : Level  equation log(x/(1 m)) + x/(1 m) = "
      "1 + "
      "time/(1 s) }\nsystem S { c : C }\nexperiment E of S { stop = 1 s  plot c.x }\n",
  };
  const test::TemporaryFolder folder;
  for (const std::string& text : rows) {
    test::WriteText(folder / "m.cot", text);
    const test::Ran ran = test::RunCotree({"simulate", "m.cot", "--csv"}, folder.path());
    EXPECT_EQ(ran.exit_code, 0) << text << ran.err;
  }
}

}  // namespace
}  // namespace cotree
