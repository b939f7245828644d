// SPDX-License-Identifier: Apache-2.0
// What is decided while a system is put together, values that no part can have, constraints that say the
// same, ends left open, and nesting without end: a table of small models with what the product says to them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "product_support.h"

namespace cotree::test {
namespace {

/** A model, a command, and what must come out. */
struct Row {
  const char* name;
  std::string model;
  std::vector<std::string> words;  // the command and its options; the file comes behind the command
  int exit_code;
  std::vector<std::string> says;      // in one of the outputs
  std::vector<std::string> says_not;  // in neither
};

void Check(const std::vector<Row>& rows) {
  const TemporaryFolder folder;
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    WriteText(folder / "m.cot", row.model);
    std::vector<std::string> words{row.words.front(), "m.cot"};
    words.insert(words.end(), row.words.begin() + 1, row.words.end());
    const Ran ran = RunCotree(words, folder.path());
    EXPECT_EQ(ran.exit_code, row.exit_code) << ran.out << ran.err;
    for (const std::string& text : row.says)
      EXPECT_TRUE(Contains(ran.out, text) || Contains(ran.err, text)) << text << "\n" << ran.out << ran.err;
    for (const std::string& text : row.says_not)
      EXPECT_FALSE(Contains(ran.out, text) || Contains(ran.err, text)) << text << "\n" << ran.out << ran.err;
  }
}

// The last value of a column of `simulate --csv`.
double Last(const std::string& model, const std::string& column, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  WriteText(folder / "m.cot", model);
  std::vector<std::string> words{"simulate", "m.cot", "--csv"};
  words.insert(words.end(), more.begin(), more.end());
  const Ran ran = RunCotree(words, folder.path());
  EXPECT_EQ(ran.exit_code, 0) << ran.err << model;
  const std::string header = ran.out.substr(0, ran.out.find('\n'));
  size_t at = 0, number = 0;
  while (at < header.size() && header.substr(at, header.find_first_of(",", at) - at) != column) {
    at = header.find(',', at);
    if (at == std::string::npos) break;
    ++at;
    ++number;
  }
  const size_t end = ran.out.find_last_not_of('\n');
  std::string line = ran.out.substr(0, end + 1);
  line = line.substr(line.rfind('\n') + 1);
  for (size_t k = 0; k < number && line.find(',') != std::string::npos; ++k)
    line = line.substr(line.find(',') + 1);
  return at == std::string::npos || line.empty() ? NAN : std::strtod(line.c_str(), nullptr);
}

// Two resistors in series at 10 V; what is put in may bridge the second one.
std::string Bridged(const std::string& more, const std::string& before = "") {
  return before +
         "system S {\n  s : VoltageSource(V = 10 V)\n  r1 : Resistor(R = 1 ohm)\n  r2 : Resistor(R = 1 ohm)\n"
         "  connect s.p -- r1.p\n  connect r1.n -- r2.p\n  connect s.n -- r2.n -- electrical.ground\n" +
         more + "\n}\nexperiment X of S { stop = 1 s  plot r1.i }\n";
}
const char* const kBridge = " { connect r2.p -- r2.n }";

TEST(Decided, ConditionsFromParametersOfInstances) {
  const auto current = [](const std::string& condition, const std::vector<std::string>& more = {}) {
    return Last(Bridged("  if " + condition + kBridge), "r1.i", more);
  };
  EXPECT_NEAR(current("r1.R > 0.5 ohm"), 10, 1e-9);
  EXPECT_NEAR(current("r1.R < 0.5 ohm"), 5, 1e-9);
  EXPECT_NEAR(current("not (r1.R < 0.5 ohm) and 2*r2.R == 2 ohm"), 10, 1e-9);
  EXPECT_NEAR(current("abs(s.V) > 5 V or r1.R > 100 ohm"), 10, 1e-9);
  EXPECT_NEAR(current("r1.R > 0.5 ohm { connect r1.p -- r1.p } else"), 5, 1e-9);
  EXPECT_NEAR(current("r1.R > 1.5 ohm"), 5, 1e-9);
  EXPECT_NEAR(current("r1.R > 1.5 ohm", {"--set", "r1.R=2 ohm"}), 5, 1e-9);
}

TEST(Decided, ConditionsInsideComposites) {
  const std::string pair =
      "component Pair {\n  terminal p, n : electrical\n  parameter R : Resistance = 1 ohm\n"
      "  a : Resistor(R = 2*R)\n  b : Resistor[2](R = [R, 3*R])\n  connect p -- a.p\n  connect a.n -- "
      "b[1].p\n"
      "  connect b[1].n -- b[2].p\n  connect b[2].n -- n\n"
      "  if a.R > 3 ohm { connect b[1].p -- b[1].n }\n  if b[2].R > 4 ohm { connect b[2].p -- b[2].n }\n}\n";
  const auto model = [&](const std::string& arguments) {
    return pair + "system S {\n  s : VoltageSource(V = 12 V)\n  x : Pair" + arguments +
           "\n  connect s.p -- x.p\n  connect s.n -- x.n -- electrical.ground\n}\n"
           "experiment X of S { stop = 1 s  plot s.i }\n";
  };
  EXPECT_NEAR(Last(model(""), "s.i"), -12.0 / 6, 1e-9);
  EXPECT_NEAR(Last(model("(R = 1.4 ohm)"), "s.i"), -12.0 / (2.8 + 1.4), 1e-9);
  EXPECT_NEAR(Last(model("(R = 2 ohm)"), "s.i"), -12.0 / 4, 1e-9);
}

// A size that is an element of an array was taken for 0.
TEST(Decided, SizesAndLoopsFromElementsOfArrays) {
  const std::string rows =
      "system S {\n  parameter n : Integer[2] = [2, 4]\n  s : VoltageSource(V = 1 V)\n  r : Resistor[n[2]](R "
      "= 1 ohm)\n"
      "  connect s.p -- r.p\n  connect s.n -- electrical.ground\n"
      "  for k in 1:n[1] { connect r[k].n -- electrical.ground }\n"
      "  for k in n[1]+1:n[2] { connect r[k].n -- electrical.open }\n}\n"
      "experiment X of S { stop = 1 s  plot s.i }\n";
  EXPECT_NEAR(Last(rows, "s.i"), -2, 1e-9);
}

TEST(Decided, WhatIsNotIsAnError) {
  Check({
      {"time",
       Bridged(std::string("  if time > 1 s") + kBridge),
       {"check"},
       1,
       {"COT2408", "time > 1 s"},
       {}},
      {"variable", Bridged(std::string("  if r1.i > 1 A") + kBridge), {"check"}, 1, {"COT2408"}, {}},
      {"event", Bridged(std::string("  if initial()") + kBridge), {"check"}, 1, {"COT2408"}, {}},
      {"else",
       Bridged("  if time > 1 s { connect r2.p -- r2.n } else { connect r1.p -- r1.n }"),
       {"check"},
       1,
       {"COT2408"},
       {}},
      {"no value",
       Bridged(std::string("  parameter a : Real = -1\n  if sqrt(a) > 0") + kBridge),
       {"check"},
       1,
       {"COT3040", "m.cot:9"},
       {}},
      {"no value in a loop",
       Bridged("  parameter a : Real = -1\n  for k in 1:2 { if sqrt(a)*k > 0 { connect r2.p -- r2.n } }"),
       {"check"},
       1,
       {"COT"},
       {}},
  });
}

// --- Values that no part can have ---

std::string Shaft(const std::string& gear, const std::string& inertia, const std::string& more = "") {
  return "system S {\n  motor : DCMotor(Kt = 0.05 N*m/A, R = 0.5 ohm" + more +
         ")\n  cell : VoltageSource(V = 12 V)\n  gear : Gear(ratio = " + gear +
         ")\n  load : Inertia(J = " + inertia +
         ")\n  connect cell.p -- motor.p\n  connect cell.n -- motor.n -- electrical.ground\n"
         "  connect motor.shaft -- gear.a\n  connect motor.housing -- rotational.ground\n"
         "  connect gear.b -- load.a\n}\nexperiment E of S { stop = 0.1 s  plot load.w }\n";
}

TEST(Bounds, ImpossibleValuesAreRefusedWhereverTheyComeFrom) {
  const std::string good = Shaft("10", "0.02 kg*m^2");
  const std::string chain =
      "system C {\n  m : Mass[3](m = [1, -2, 3] kg)\n  k : Spring[3](k = 10 N/m)\n  connect m.a -- k.a\n"
      "  connect k.b -- translational.ground\n}\n";
  const std::string inside =
      "component Wheel2 { terminal a : rotational   parameter J : MomentOfInertia   i : Inertia(J = J - 1 "
      "kg*m^2)"
      "   connect a -- i.a }\nsystem C { w : Wheel2(J = 0.5 kg*m^2)   d : RotationalDamper(d = 1 N*m*s/rad)\n"
      "  connect w.a -- d.a   connect d.b -- rotational.ground }\n";
  const std::string cold =
      "system T { m : HeatCapacity(C = 500 J/K, start T = -300 degC fixed)  r : ThermalResistor(R = 1 K/W)  "
      "connect m.a -- r.a  connect r.b -- thermal.ground }\nexperiment E of T { stop = 1 s }\n";
  Check({
      {"ratio of 0",
       Shaft("0", "0.02 kg*m^2"),
       {"check"},
       1,
       {"COT2120", "`gear.ratio` is 0", "other than 0"},
       {}},
      {"negative inertia", Shaft("10", "-0.02 kg*m^2"), {"check"}, 1, {"COT2120", "`load.J`"}, {}},
      {"negative inductance", Shaft("10", "0.02 kg*m^2", ", L = -1 mH"), {"check"}, 1, {"`motor.L`"}, {}},
      {"computed", Shaft("2*3 - 6", "0.02 kg*m^2"), {"check"}, 1, {"`gear.ratio` is 0"}, {}},
      {"--set", good, {"simulate", "--set", "load.J=-1 kg*m^2"}, 1, {"load.J"}, {}},
      {"experiment",
       good + "experiment F of S { stop = 1 s  set gear.ratio = 0 }\n",
       {"simulate", "--experiment", "F"},
       1,
       {"gear.ratio"},
       {}},
      {"element of an array", chain, {"check"}, 1, {"`m[2].m` is -2 kg"}, {}},
      {"inside a composite", inside, {"check"}, 1, {"`w.i.J` is -0.5 kg*m^2"}, {}},
      {"start below 0 K", cold, {"simulate"}, 1, {"COT2120", "`m.T`"}, {}},
      {"source below 0 K",
       "system T { s : TemperatureSource(temperature = -1 K)  m : HeatCapacity(C = 1 J/K)  connect s.a -- "
       "m.a }\n",
       {"check"},
       1,
       {"`s.temperature` is -1 K", "at least 0 K"},
       {}},
      {"period of 0",
       "system D { u : Sine(amplitude = 1, frequency = 1 Hz)  h : Sampler(period = 0 s)  connect u.y -> h.u "
       "}\n",
       {"check"},
       1,
       {"m.cot:1", "`h.period`", "greater than 0 s"},
       {}},
      {"own bounds",
       "component P { parameter a : Real (above = 0, below = 1) = 0.5  parameter b : Real (max = a) = 0 "
       " variable x : Real  equation x = a + b }\nsystem O { p : P(a = 1) }\n",
       {"check"},
       1,
       {"`p.a` is 1, but must be less than 1"},
       {}},
      {"a bound that hangs on another parameter",
       "component P { parameter a : Real (above = 0, below = 1) = 0.5  parameter b : Real (max = a) = 0 "
       " variable x : Real  equation x = a + b }\nsystem O { q : P(b = 0.6) }\n",
       {"check"},
       1,
       {"`q.b` is 0.6, but must be at most 0.5"},
       {}},
      {"a bound that hangs on an element of an array",
       "component P { parameter a : Real[2] = [1, 0.5]  parameter b : Real (max = a[2]) = 0 "
       " variable x : Real  equation x = b }\nsystem O { q : P(b = 0.6) }\n",
       {"check"},
       1,
       {"`q.b` is 0.6, but must be at most 0.5"},
       {}},
  });
}

TEST(Bounds, WhatIsLegitimateStays) {
  Check({
      {"no inertia", Shaft("10", "0.02 kg*m^2", ", J = 0, L = 0"), {"check"}, 0, {}, {"COT2120"}},
      {"turning backwards", Shaft("-10", "0.02 kg*m^2"), {"check"}, 0, {}, {"COT2120"}},
      {"a gain below 0",
       "system G { u : Constant(k = 1)  g : Gain(k = -2)  t : Terminator  connect u.y -> g.u  connect g.y -> "
       "t.u }\n",
       {"check"},
       0,
       {},
       {"COT2120"}},
      {"deep space at 0 K",
       "system T { s : TemperatureSource(temperature = 0 K)  r : Radiation(A = 1 m^2)\n"
       "  m : HeatCapacity(C = 1 kJ/K, start T = 300 K fixed)  connect s.a -- r.a  connect r.b -- m.a }\n",
       {"check"},
       0,
       {},
       {"COT2120"}},
  });
}

TEST(Bounds, PressureBelowTheVacuumIsSaid) {
  Check({{"pulled",
          "system P {\n  pull : VelocitySource(velocity = 0.5 m/s)\n  ram : Cylinder(A = 10 cm^2)\n"
          "  room : Chamber(volume = 0.1 L)\n  line : Pipe(length = 1 m, diameter = 4 mm) as laminar\n"
          "  connect ram.a -- room.a -- line.a\n  connect line.b -- ram.b -- hydraulic.ground\n"
          "  connect pull.a -- ram.rod\n  connect pull.b -- ram.housing -- translational.ground\n}\n"
          "experiment E of P { stop = 0.1 s  plot room.p }\n",
          {"simulate"},
          0,
          {"`room.p`", "at least -101325 Pa"},
          {}}});
}

// --- Constraints that say the same ---

std::string Gears(const std::string& first, const std::string& second, const std::string& third = "") {
  return "system T {\n  one, two : Inertia(J = 1 kg*m^2)\n  first : Gear(ratio = " + first +
         ")\n  second : Gear(ratio = " + second + ")\n" +
         (third.empty() ? ""
                        : "  third : Gear(ratio = " + third +
                              ")\n  connect third.a -- one.a\n  connect third.b -- two.a\n") +
         "  drive : TorqueSource(torque = 1 N*m)\n  connect drive.b -- one.a -- first.a -- second.a\n"
         "  connect first.b -- second.b -- two.a\n  connect drive.a -- rotational.ground\n}\n"
         "experiment E of T { stop = 1 s  plot one.w, second.at_a.tau }\n";
}

TEST(Redundant, CouplingsThatAgreeAreANote) {
  EXPECT_NEAR(Last(Gears("2", "2"), "one.w"), 0.8, 1e-6);
  EXPECT_NEAR(Last(Gears("1/3", "1/3"), "one.w"), 1 / (1 + 9.0), 1e-6);
  EXPECT_NEAR(Last(Gears("2", "2"), "second.at_a.tau"), 0, 1e-12);
  EXPECT_NEAR(Last(Gears("2", "2", "2"), "one.w"), 0.8, 1e-6);
  EXPECT_NEAR(Last(Gears("1/3", "1/3", "1/3"), "one.w"), 1 / (1 + 9.0), 1e-6);
  Check({
      {"two", Gears("2", "2"), {"check"}, 0, {"COT4040", "`first` and `second`"}, {"COT4003", "COT4004"}},
      {"levers",
       "system L { m : Mass(m = 1 kg)  n : Mass(m = 2 kg)  a, b : Lever(ratio = -3)  f : ForceSource(force = "
       "1 N)\n"
       "  connect m.a -- a.a -- b.a -- f.b  connect n.a -- a.b -- b.b  connect f.a -- translational.ground "
       "}\n",
       {"check"},
       0,
       {"COT4040"},
       {"COT4003"}},
      {"three",
       Gears("2", "2", "2"),
       {"check"},
       0,
       {"COT4040", "`third`"},
       {"COT4001", "COT4003", "COT4004"}},
      {"one of three disagrees", Gears("2", "2", "3"), {"check"}, 0, {"COT4004"}, {"COT4001"}},
      {"sources that agree are none the less two",
       "system V { a, b, c : VoltageSource(V = 1 V)  r : Resistor(R = 1 ohm)\n"
       "  connect a.p -- b.p -- c.p -- r.p  connect a.n -- b.n -- c.n -- r.n -- electrical.ground }\n",
       {"check"},
       1,
       {"COT3002"},
       {"COT4040"}},
      {"disagreeing", Gears("2", "3"), {"check"}, 0, {"COT4004", "`first` and `second`"}, {"COT4003"}},
  });
}

// --- Ends left open ---

TEST(OpenEnds, AreSaid) {
  Check({
      {"heat",
       "system H { m : HeatCapacity(C = 1 J/K, start T = 300 K fixed)  r : ThermalResistor(R = 1 K/W)\n"
       "  connect m.a -- r.a  connect r.b -- thermal.open }\n",
       {"check"},
       0,
       {},
       {"COT3006"}},
      {"forgotten",
       "system H { m : HeatCapacity(C = 1 J/K, start T = 300 K fixed)  r : ThermalResistor(R = 1 K/W)\n"
       "  connect m.a -- r.a }\n",
       {"check"},
       1,
       {"COT3006", "thermal.open"},
       {}},
      {"wrong domain",
       "system H { m : HeatCapacity(C = 1 J/K)  connect m.a -- electrical.open }\n",
       {"check"},
       1,
       {"COT2401"},
       {}},
  });
  const std::string two =
      "system E { s : VoltageSource(V = 1 V)  r : Resistor[2](R = 1 ohm)  connect s.p -- r.p\n"
      "  connect s.n -- electrical.ground  connect r.n -- electrical.open }\n"
      "experiment X of E { stop = 1 s  plot s.i, r[1].v }\n";
  EXPECT_NEAR(Last(two, "s.i"), 0, 1e-12);
  EXPECT_NEAR(Last(two, "r[1].v"), 0, 1e-12);
}

// --- Parts that are joined to nothing ---

TEST(Loose, PartsInSpaceAreNamed) {
  const std::string pendulum =
      "system P {\n  gravity : Gravity\n  hinge : Revolute(n = [0, 1, 0], start phi = 60 deg fixed)\n"
      "  rod : Body(m = 2 kg, center = [0, 0, -0.5] m, I = [0.17, 0.17, 0.001, 0, 0, 0] kg*m^2)\n"
      "  connect mechanics.ground -- hinge.a\n  connect hinge.b -- rod.a\n";
  const std::string alone = "system S { p : PlaceSensor }\n",
                    joint = "system S { j : Revolute(n = [0, 0, 1]) }\n";
  Check({
      {"sensor alone", alone, {"check"}, 1, {"COT3302", "`p`"}, {}},
      {"joint alone", joint, {"check"}, 1, {"COT3302", "`j`"}, {}},
      {"arm alone", "system S { x : Arm(r = [1, 0, 0] m) }\n", {"check"}, 1, {"COT3302", "`x`"}, {}},
      {"forgotten sensor", pendulum + "  p : PlaceSensor\n}\n", {"check"}, 1, {"COT3302", "`p`"}, {}},
      {"sensor with one end",
       pendulum + "  p : RelativePlaceSensor\n  connect p.a -- rod.a\n}\n",
       {"check"},
       1,
       {"COT3302", "`p`"},
       {}},
      {"report", pendulum + "  p : PlaceSensor\n}\n", {"report"}, 1, {"`p`"}, {}},
      {"graph", joint, {"graph"}, 0, {"cotree check"}, {}},
      {"tree", joint, {"tree"}, 1, {"COT3302", "`j`"}, {}},
  });
}

TEST(Loose, WhatIsCompleteIsNotBlamed) {
  const std::string decay =
      "component Decay { parameter T : Time = 1 s  variable x : Real (start = 1, fixed)  equation T*der(x) = "
      "-x }\n";
  Check({
      {"alone", decay + "system S { d : Decay }\n", {"check"}, 0, {}, {"COT3008"}},
      {"two", decay + "system S { d, e : Decay }\n", {"check"}, 0, {}, {"COT3008"}},
      {"beside a circuit",
       decay + "system S { d : Decay  r : Resistor(R = 1 ohm)  s : VoltageSource(V = 1 V)\n"
               "  connect r.p -- s.p  connect r.n -- s.n -- electrical.ground }\n",
       {"check"},
       0,
       {},
       {"COT3008"}},
      {"a source that nothing reads",
       "system S { c : Constant(k = 1)  r : Resistor(R = 1 ohm)  s : VoltageSource(V = 1 V)\n"
       "  connect r.p -- s.p  connect r.n -- s.n -- electrical.ground }\n",
       {"check"},
       0,
       {"COT3008", "`c`"},
       {}},
  });
}

TEST(Freedoms, AreCountedBehindCouplings) {
  const auto arms = [](const std::string& joined) {
    return "system Arms {\n  left, right : Revolute(n = [0, 1, 0])\n"
           "  a, b : Body(m = 1 kg, center = [0.2, 0, 0] m, I = [0.01, 0.01, 0.01, 0, 0, 0] kg*m^2)\n"
           "  connect mechanics.ground -- left.a -- right.a\n  connect left.b -- a.a\n  connect right.b -- "
           "b.a\n" +
           joined + "\n}\n";
  };
  Check({
      {"free", arms(""), {"check"}, 0, {"2 degrees of freedom", "no `Gravity`"}, {}},
      {"gear",
       arms("  gear : Gear(ratio = 2)\n  connect left.axis -- gear.a\n  connect right.axis -- gear.b\n"
            "  connect left.housing -- right.housing -- rotational.ground"),
       {"check"},
       0,
       {"1 degree of freedom of 2 coordinates"},
       {}},
      {"spring",
       arms("  spring : TorsionSpring(k = 1 N*m/rad)\n  connect left.axis -- spring.a\n  connect right.axis "
            "-- "
            "spring.b\n  connect left.housing -- right.housing -- rotational.ground\n  gravity : Gravity"),
       {"check"},
       0,
       {"2 degrees of freedom"},
       {"no `Gravity`"}},
      {"driven",
       arms("  l, r : SpeedSource(speed = 1 rad/s)\n  connect left.axis -- l.b\n  connect right.axis -- r.b\n"
            "  connect left.housing -- right.housing -- l.a -- r.a -- rotational.ground"),
       {"check"},
       0,
       {"0 degrees of freedom of 2 coordinates"},
       {}},
  });
}

TEST(Help, NamesTheOrderOfAnInertia) {
  const auto body = [](const std::string& inertia) {
    return "system P { hinge : Revolute(n = [0, 1, 0])  rod : Body(m = 2 kg, I = " + inertia +
           ")\n  connect mechanics.ground -- hinge.a  connect hinge.b -- rod.a }\n";
  };
  Check({
      {"three", body("[1, 2, 3] kg*m^2"), {"check"}, 1, {"xx, yy, zz"}, {}},
      {"matrix", body("[[1, 0, 0], [0, 1, 0], [0, 0, 1]] kg*m^2"), {"check"}, 1, {"xx, yy, zz"}, {}},
      {"seven", body("[1, 2, 3, 0, 0, 0, 0] kg*m^2"), {"check"}, 1, {"xx, yy, zz"}, {}},
  });
}

TEST(Loops, OfGainOneNameTheirComponents) {
  Check({{"of two",
          "system S { a : Constant(k = 1)  add : Add  g : Gain(k = 1)\n  connect a.y -> add.u1\n"
          "  connect g.y -> add.u2\n  connect add.y -> g.u }\n",
          {"check"},
          1,
          {"`add` and `g`"},
          {"`a` contradict"}},
         {"of three",
          "system S { a : Constant(k = 1)  add : Add  g : Gain(k = 2)  h : Gain(k = 0.5)\n  connect a.y -> "
          "add.u1\n"
          "  connect h.y -> add.u2\n  connect add.y -> g.u  connect g.y -> h.u }\n",
          {"check"},
          1,
          {"`add`", "`g`", "`h`"},
          {"`a` contradict"}}});
}

// --- Without end ---

TEST(Deep, NestingWithoutEndIsRefusedOrBuilt) {
  const auto nested = [](int n, bool outermost_first) {
    std::vector<std::string> classes{
        "component C0 { terminal p, n : electrical  r : Resistor(R = 1 ohm)  connect p -- r.p  connect n -- "
        "r.n }\n"};
    for (int i = 1; i < n; ++i)
      classes.push_back("component C" + std::to_string(i) + " { terminal p, n : electrical  x : C" +
                        std::to_string(i - 1) + "  connect p -- x.p  connect n -- x.n }\n");
    std::string text;
    if (outermost_first) std::reverse(classes.begin(), classes.end());
    for (const std::string& c : classes) text += c;
    return text + "system S { v : VoltageSource(V = 1 V)  x : C" + std::to_string(n - 1) +
           "  connect v.p -- x.p  connect v.n -- x.n -- electrical.ground }\nexperiment E of S { stop = 1 s  "
           "plot v.i }\n";
  };
  EXPECT_NEAR(Last(nested(300, false), "v.i"), -1, 1e-9);
  EXPECT_NEAR(Last(nested(300, true), "v.i"), -1, 1e-9);
  if (kAddressesChecked) return;
  // Models of their own at every level cannot be built before they are asked for.
  std::string chosen;
  for (int i = 1200; i > 0; --i)
    chosen += "component D" + std::to_string(i) + " { model one { }  model two { x : D" +
              std::to_string(i - 1) + " as two } }\n";
  Check({{"models",
          chosen + "component D0 { model one { }  model two { } }\nsystem S { x : D1200 as two }\n",
          {"check"},
          1,
          {"COT2140"},
          {}}});
}

}  // namespace
}  // namespace cotree::test
