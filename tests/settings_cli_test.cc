// SPDX-License-Identifier: Apache-2.0
// What options say of a system, through every command: the system that is meant, values that reach it, names
// that are not there.

#include <gtest/gtest.h>

#include "product_support.h"

namespace cotree {
namespace {

using test::Contains;
using test::Ran;
using test::RunCotree;
using test::TemporaryFolder;
using test::WriteText;

constexpr const char* kTwoSystems = R"(system A {
  v : VoltageSource(V = 6 V)  r : Resistor(R = 1 kohm)  c : Capacitor(C = 1 uF)
  connect v.p -- r.p   connect r.n -- c.p   connect v.n -- c.n -- electrical.ground
}
system B {
  v : VoltageSource(V = 6 V)  r : Resistor(R = 1 kohm)  load : Resistor(R = 1 kohm)  c : Capacitor(C = 1 uF)
  connect v.p -- r.p   connect r.n -- c.p -- load.p   connect v.n -- c.n -- load.n -- electrical.ground
}
experiment EA of A { stop = 5 ms  plot c.v }
experiment EB of B { stop = 5 ms  plot c.v }
)";

constexpr const char* kPendulum = R"(system P {
  gravity : Gravity
  hinge   : Revolute(n = [0, 1, 0], start phi = 60 deg fixed)
  rod     : Body(m = 2 kg, center = [0, 0, -0.5] m, I = [0.17, 0.17, 0.001, 0, 0, 0] kg*m^2)
  connect mechanics.ground -- hinge.a
  connect hinge.b -- rod.a
}
experiment Swing of P { stop = 1 s  plot hinge.phi }
)";

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '\'')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

struct Row {
  const char* command;
  int exit;
  const char* says;  // on either stream
};

void ExpectRows(const char* model, const std::vector<Row>& rows) {
  const TemporaryFolder folder;
  WriteText(folder / "m.cot", model);
  for (const Row& row : rows) {
    const Ran ran = RunCotree(Words(row.command), folder.path());
    EXPECT_EQ(ran.exit_code, row.exit) << row.command << "\n" << ran.out << ran.err;
    // Where it stands in a table, the blanks do not count.
    const std::string said = ran.out + ran.err;
    std::string close;
    for (const char c : said) {
      if (c != ' ' || !close.ends_with(' ')) close += c;
    }
    EXPECT_TRUE(Contains(said, row.says) || Contains(close, row.says)) << row.command << "\n" << said;
  }
}

TEST(SettingsCli, EveryCommandReachesTheSystem) {
  ExpectRows(
      kTwoSystems,
      {{"simulate m.cot --system B --set v.V=8V --csv --interval 5ms", 0, "\n0.005,3.99"},
       {"simulate m.cot --experiment EB --set v.V=8V --csv --interval 5ms", 0, "\n0.005,3.99"},
       {"values m.cot --experiment EB --set v.V=8V --at 50ms", 0, "r.i                0.004 A"},
       {"linearize m.cot --experiment EB --set 'r.R=250 ohm' --format json", 0, "-5000"},
       {"linearize m.cot --experiment EB --set 'r.R=250 ohm' --at 1ms --format json", 0, "-5000"},
       {"trim m.cot --experiment EB --set 'v.V=9 V'", 0, "4.5"},
       {"equations m.cot --system B --set load.R=3kohm --form state-space --symbolic none", 0, "1333.33"},
       {"derive m.cot --experiment EB --set load.R=3kohm --symbolic none", 0, "1333.33"},
       {"sweep m.cot --experiment EB --vary load.R=1kohm,2kohm --keep c.v", 0, "of 2"},
       {"emit m.cot --experiment EB --set load.R=3kohm", 0, "set load.R=3kohm"},
       {"profile m.cot --experiment EB --set load.R=3kohm", 0, "B"},
       {"tree m.cot --experiment EB --set load.R=3kohm", 0, "system B"},
       {"order m.cot --experiment EB --set load.R=3kohm", 0, "system B"}});
}

TEST(SettingsCli, UnknownNamesAreUsage) {
  for (const char* command : {"simulate", "report", "animate", "values", "kinematics", "emit", "profile",
                              "tree", "order", "equations", "derive", "linearize", "trim"}) {
    const std::string base = std::string(command) + " m.cot";
    ExpectRows(kPendulum,
               {{(base + " --system Foo").c_str(), 2, "there is no system `Foo` in m.cot; it has P"}});
    if (std::string_view(command) != "tree" && std::string_view(command) != "order")
      ExpectRows(kPendulum, {{(base + " --experiment (").c_str(), 2, "there is no experiment `(`"}});
  }
  ExpectRows(kPendulum, {{"sweep m.cot --system Foo --vary rod.m=1kg,2kg --keep hinge.phi", 2, "it has P"},
                         {"simulate m.cot --system P --experiment Swing", 0, "P"},
                         {"simulate m.cot --set rod.m=1V", 1, "--> --set"},
                         {"simulate m.cot --set rod.mm=1kg", 1, "it has a, m, center, I"},
                         {"simulate m.cot --set rod", 2, "--> --set"},
                         {"sweep m.cot --vary rod.m=1V,2V --keep hinge.phi", 1, "--> --vary"},
                         {"sweep m.cot --vary rod.m=1kg,2kg --keep hinge.omega", 2, "hinge.w"},
                         {"simulate m.cot --plot hinge.omega", 2, "hinge.w"},
                         {"simulate m.cot --input hinge.u=log.csv:u", 5, "log.csv"}});
}

TEST(SettingsCli, ElementsOfArrays) {
  ExpectRows(kPendulum, {{"simulate m.cot --set 'rod.center[3]=-1m'", 0, "P"},
                         {"simulate m.cot --set 'rod.center=[0, 0, -1] m'", 0, "P"},
                         {"kinematics m.cot --set 'rod.center[3]=-1m' --stop 0.1s", 0, "rod"},
                         {"linearize m.cot --set 'rod.center[3]=-1m' --set 'hinge.d=0'", 0, "system P"},
                         {"simulate m.cot --set 'rod.center[4]=-1m'", 1, "from 1 to 3"}});
}

constexpr const char* kRow = R"(component Lag {
  parameter m : Integer = 2
  variable x : Real[m]
  variable z : Real[2]
  start z = [8, 9] fixed
  equation
    der(x) = -x/(1 s)
    der(z) = -z/(1 s)
}
system Row {
  parameter n : Integer = 3
  c : Capacitor[n](C = 1 mF)
  r : Resistor[n](R = 1 kohm)
  lag : Lag[2](start x = [3, 4] fixed)
  free : Lag
  connect c.p -- r.p
  connect c.n -- r.n -- electrical.ground
}
experiment One of Row { start c.v = 2 V fixed  plot c.v }
experiment Each of Row { start c.v = [1, 2, 3] V fixed  plot c.v }
experiment Some of Row { start c[2:3].v = [5, 6] V fixed  plot c[2:3].v }
experiment Less of Row { set n = 2  start c.v = [7, 8] V fixed  plot c.v }
experiment Inner of Row { start lag.x = [[1, 2], [5, 6]] fixed  plot lag.x }
experiment Longer of Row { set free.m = 3  start free.x = [1, 2, 9] fixed  plot free.x }
)";

TEST(SettingsCli, StartsAndPlotsOfArrays) {
  ExpectRows(kRow,
             {{"values m.cot --experiment One", 0, "c[3].v 2 V"},
              {"simulate m.cot --experiment One --stop 1ms --csv --interval 1ms", 0, "c[1].v"},
              {"simulate m.cot --experiment One --stop 1ms", 0, "c[3].v"},
              {"values m.cot --experiment Each", 0, "c[2].v 2 V"},
              {"values m.cot --experiment Some", 0, "c[3].v 6 V"},
              {"simulate m.cot --experiment Some --stop 1ms", 0, "c[2].v"},
              {"values m.cot --experiment Less", 0, "c[2].v 8 V"},
              {"values m.cot --experiment One", 0, "lag[2].x[2] 4"},
              {"values m.cot --experiment One", 0, "lag[1].z[2] 9"},
              {"values m.cot --experiment Inner", 0, "lag[2].x[1] 5"},
              {"values m.cot --experiment Longer", 0, "free.x[3] 9"},
              {"values m.cot --experiment Longer --set 'lag[2].m=3'", 1, "has 2 elements where 3 are wanted"},
              {"values m.cot --experiment Each --set n=2", 1, "has 3 elements where 2 are wanted"},
              {"values m.cot --experiment Some --set n=2", 1, "from 1 to 2"}});
}

constexpr const char* kSizes = R"(component Sum {
  parameter n : Integer = 2
  parameter a : Real[2] = [1, 2]
  output y : Real
  equation y = sum(a[i] for i in 1:n)
}
component List {
  parameter n : Integer = 2
  parameter a : Real[n] = [1, 2]
  output y : Real
  equation y = sum(a)
}
component Reader {
  parameter n : Integer = 2
  public list : List(n = n, a = [5 for i in 1:n])
  public wires : Wires(n = n)
  output y : Real
  equation y = sum(wires.y)
}
component Wires {
  parameter n : Integer = 2
  output y : Real[n]
  equation for i in 1:n { y[i] = i }
}
component Reads {
  parameter n : Integer = 2
  input u : Real[n]
  output y : Real
  equation y = sum(u)
}
component Star {
  parameter n : Integer = 2
  terminal p : electrical[n]
  edge e : p -> reference
  equation e.v = (1 ohm)*e.i
}
system Sizes {
  parameter k : Integer = 2
  some : Sum
  list : List
  given : List(n = 2, a = [3, 4])
  star : Star(n = k)
  reader : Reader
  wires : Wires
  reads : Reads
  connect wires.y -> reads.u
  v : VoltageSource[2](V = 1 V)
  connect v.p -- star.p
  connect v.n -- electrical.ground
}
experiment Wrong of Sizes { set some.n = 3  stop = 1 ms }
experiment Right of Sizes { set some.n = 1  stop = 1 ms  plot some.y }
)";

TEST(SettingsCli, SizesAreLookedAtAgain) {
  ExpectRows(
      kSizes,
      {{"simulate m.cot --system Sizes --experiment Wrong", 1, "COT2303"},
       {"check m.cot", 1, "COT2303"},
       {"values m.cot --experiment Right", 0, "some.y"},
       {"values m.cot --experiment Right --set some.n=3", 1, "COT2303"},
       {"values m.cot --experiment Right --set list.n=3", 1, "COT2304"},
       {"values m.cot --experiment Right --set list.n=1", 1, "COT2304"},
       {"values m.cot --experiment Right --set list.n=3 --set 'list.a=[1, 2, 3]'", 0, "6"},
       {"values m.cot --experiment Right --set given.n=3", 1, "COT2304"},
       {"values m.cot --experiment Right", 0, "reader.y 3"},
       {"values m.cot --experiment Right --set reader.n=3", 0, "reader.y 6"},
       {"values m.cot --experiment Right --set reader.wires.n=3", 1, "COT2304"},
       {"values m.cot --experiment Right --set wires.n=3", 1, "`reads.u` has 2 elements where 3 are wanted"},
       {"values m.cot --experiment Right --set wires.n=3 --set reads.n=3", 0, "reads.y 6"},
       {"values m.cot --experiment Right --set k=3", 1, "COT2304"},
       {"values m.cot --experiment Right --set star.n=3", 1, "COT2304"},
       {"values m.cot --experiment Right --set list.n=-1", 1, "COT2305"},
       {"sweep m.cot --experiment Right --vary some.n=1,3 --keep 'final(some.y)'", 0, "1 failed"},
       {"sweep m.cot --experiment Right --vary 'some.a[3]=1,2' --keep 'final(some.y)'", 1, "from 1 to 2"}});
}

constexpr const char* kInside = R"(component Leaf { parameter k : Real = 1  output y : Real  equation y = k }
component Mid { parameter m : Integer = 2  public leaf : Leaf[m]  output y : Real  equation y = leaf[1].y }
component Heater {
  terminal p, n : electrical
  edge e : p -> n
  model hot { parameter k : Real = 2  equation e.v = k*(1 ohm)*e.i }
  model cold { equation e.v = (1 ohm)*e.i }
}
system Inside {
  mid : Mid[3]
  one : Mid(leaf.k = [5, 6])
  big : Mid(m = 3, leaf.k = [5, 6, 7])
  both : Mid[2](leaf.k = [[1, 2], [3, 4]])
  v : VoltageSource(V = 6 V)
  h : Heater
  connect v.p -- h.p
  connect v.n -- h.n -- electrical.ground
}
experiment E of Inside { set h.k = 3  stop = 1 ms  plot h.i }
)";

TEST(SettingsCli, WhatIsInside) {
  ExpectRows(kInside,
             {{"values m.cot", 0, "one.leaf[2].y 6"},
              {"values m.cot", 0, "big.leaf[3].y 7"},
              {"values m.cot", 0, "both[2].leaf[1].y 3"},
              {"values m.cot --set 'mid[3].m=3' --set 'mid[3].leaf[3].k=50'", 0, "mid[3].leaf[3].y 50"},
              {"values m.cot --set 'mid[3].m=3' --set 'mid[2].leaf[3].k=50'", 1, "mid[2].leaf[3].k"},
              {"values m.cot", 0, "h.i 2"},
              {"values m.cot --set 'h as cold'", 0, "h.i 6"}});
}

TEST(SettingsCli, TimesThatNoRunCanHave) {
  ExpectRows(kPendulum, {{"simulate m.cot --stop 1e300", 2, "stop: a time of 1e+300 s cannot be resolved"},
                         {"simulate m.cot --stop 1e300s --csv", 2, "stop"},
                         {"values m.cot --at -1s", 2, "before the beginning of the run at 0 s"},
                         {"values m.cot --at 1e200", 2, "cannot be resolved"},
                         {"values m.cot --at 0s", 0, "hinge.phi"},
                         {"simulate m.cot --interval 0", 2, "interval"}});
}

TEST(SettingsCli, MotionsAndFreeInputs) {
  ExpectRows(
      kPendulum,
      {{"inverse m.cot --motion 'hinge.phi = 0.1*sin(time/(1 s))' --find hinge.tau", 2,
        "1 motion is prescribed, so as many inputs must be free, but none is; the system has no input"},
       {"inverse m.cot --motion 'hinge.fi = 1 rad' --find hinge.tau", 1, "--> --motion"},
       {"inverse m.cot --motion 'hinge.phi' --find hinge.tau", 2, "--> --motion"}});
}

TEST(SettingsCli, EmptyTextsAreNoValues) {
  ExpectRows(kTwoSystems, {{"simulate m.cot --experiment EA --out ''", 2, "--out: an empty text is no value"},
                           {"simulate m.cot --experiment EA --out=", 2, "--out"},
                           {"emit m.cot --experiment EA --set ''", 2, "--set: an empty text is no value"}});
}

// A column in degC is an absolute temperature.
TEST(SettingsCli, DifferencesAreNotInCelsius) {
  const TemporaryFolder folder;
  WriteText(folder / "m.cot",
            R"(component Warmer { input u : TemperatureDifference   output y : TemperatureDifference
    equation y = 2*u }
component Hotter { input u : Temperature   output y : Temperature   equation y = u + 1 K }
system S { w : Warmer }
system H { h : Hotter }
)");
  WriteText(folder / "log.csv", "time,T [degC]\n0,1\n1,2\n");
  const Row rows[] = {
      {"simulate m.cot --system S --input w.u=log.csv:T --stop 1s", 2, "absolute temperatures only"},
      {"simulate m.cot --system H --input h.u=log.csv:T --stop 1s --csv", 0, "275.15"}};
  for (const Row& row : rows) {
    const Ran ran = RunCotree(Words(row.command), folder.path());
    EXPECT_EQ(ran.exit_code, row.exit) << row.command << "\n" << ran.out << ran.err;
    EXPECT_TRUE(Contains(ran.out + ran.err, row.says)) << row.command << "\n" << ran.out << ran.err;
  }
}

// Chains that were refused: a filter of order 1, a transfer function of order 0.
TEST(SettingsCli, SmallestOrders) {
  ExpectRows(R"(system F {
  s : Step(height = 1)
  b : Butterworth(n = 1, w0 = 10 rad/s)
  t : TransferFunction(n = 0, num = [2], den = [4])
  d : DiscreteTransferFunction(n = 0, num = [2], den = [4], period = 0.1 s)
  connect s.y -> b.u, t.u, d.u
}
)",
             {{"simulate m.cot --stop 0.1s --csv --only b.y", 0, "\n0.1,0.632120"},
              {"simulate m.cot --stop 0.1s --csv --only t.y", 0, "\n0.1,0.5"},
              {"simulate m.cot --stop 0.1s --csv --only d.y", 0, "\n0.1,0.5"}});
}

TEST(SettingsCli, AssociationsOfArrays) {
  const std::string arms = R"(
component Arm { terminal p, n : electrical  exogenous th : Angle  edge e : p -> n
  equation e.v = (1 ohm)*e.i + (0.1 V*s/rad)*der(th) }
system S { v : VoltageSource(V = 12 V)  a : Arm[2]  w : Inertia[%n](J = 1 kg*m^2, start w = %w rad/s fixed)
  d : RotationalDamper[%n](d = 0)  connect w.a -- d.a  connect d.b -- rotational.ground
  connect v.p -- a.p  connect v.n -- a.n -- electrical.ground  associate a.th = w.phi }
experiment E of S { stop = 1 s  plot a.i }
)";
  const auto with = [&](const std::string& n, const std::string& w) {
    std::string text = arms;
    for (const auto& [mark, value] : {std::pair{"%n", n}, {"%w", w}}) {
      for (size_t at; (at = text.find(mark)) != std::string::npos;) text.replace(at, 2, value);
    }
    return text;
  };
  // i = (12 V - 0.1 V*s/rad w)/(1 ohm), element by element.
  ExpectRows(with("2", "[1, 2]").c_str(), {{"simulate m.cot --csv --only 'a[1].i'", 0, "\n1,11.9"},
                                           {"simulate m.cot --csv --only 'a[2].i'", 0, "\n1,11.8"}});
  ExpectRows(with("3", "[1, 2, 3]").c_str(), {{"check m.cot", 1, "COT2304"}});
}

TEST(SettingsCli, ConditionsOfTables) {
  ExpectRows(
      R"(table pull(x : Real) : Real { interpolation = linear  extrapolation = hold  data = [[0, 0], [1, 10]] }
system S { parameter x : Real = 0.5  v : VoltageSource(V = 1 V)  r : Resistor(R = 1 ohm*pull(x))
  connect v.n -- electrical.ground  connect r.n -- electrical.ground
  if noevent(pull(x) > 2) { connect v.p -- r.p } else { connect v.p -- electrical.open  connect r.p -- electrical.open } }
)",
      {{"values m.cot", 0, "r.i 0.2 A"},
       {"values m.cot --set x=1", 0, "r.i 0.1 A"},
       {"values m.cot --set x=0.1", 0, "r.i 0"}});
}

TEST(SettingsCli, AssertionsOfValues) {
  const char* model =
      "component A { parameter k : Real = 1  output y : Real  equation y = k\n"
      "  assert(k < 2, \"k is too large\") }\nsystem S { a : A }\n";
  ExpectRows(model, {{"values m.cot", 0, "a.y 1"},
                     {"values m.cot --set a.k=3", 4, "k is too large"},
                     {"linearize m.cot --set a.k=3", 4, "k is too large"}});
}

}  // namespace
}  // namespace cotree
