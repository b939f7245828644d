// SPDX-License-Identifier: Apache-2.0
// Printed equations as a reader meets them: derivatives, numbers, letters, equations of motion, networks.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "product_support.h"

namespace cotree {
namespace {

using test::Contains;
using test::Ran;
using test::RunCotree;
using test::TemporaryFolder;
using test::WriteText;

const char* const kRc =
    "system S {\n  v : VoltageSource(V = 5 V)\n  r : Resistor(R = 1 kohm)\n  c : Capacitor(C = 1 uF)\n"
    "  connect v.p -- r.p\n  connect r.n -- c.p\n  connect v.n -- c.n -- electrical.ground\n}\n";
const char* const kCoil =
    "system S {\n  v : VoltageSource(V = 5 V)\n  r : Resistor(R = 1 kohm)\n  coil : Inductor(L = 1 mH)\n"
    "  connect v.p -- r.p\n  connect r.n -- coil.p\n  connect v.n -- coil.n -- electrical.ground\n}\n";
const char* const kMotor =
    "system S {\n  v : VoltageSource(V = 5 V)\n  m : DCMotor(Kt = 0.05 N*m/A, J = 2e-5 kg*m^2)\n"
    "  load : Inertia(J = 1e-4 kg*m^2)\n  connect v.p -- m.p\n  connect v.n -- m.n -- electrical.ground\n"
    "  connect m.shaft -- load.a\n  connect m.housing -- rotational.ground\n}\n";
// A column that turns, and two links in a plane on it.
const char* const kArm =
    "system S {\n  gravity : Gravity\n  yaw : Revolute(n = [0, 0, 1])\n  shoulder : Revolute(n = [0, 1, 0])\n"
    "  elbow : Revolute(n = [0, 1, 0])\n  column : Body(m = 5 kg, I = [0.1,0.1,0.05,0,0,0] kg*m^2)\n"
    "  upper : Body(m = 2 kg, center = [0.25, 0, 0] m, I = [0.001,0.04,0.04,0,0,0] kg*m^2)\n"
    "  out : Arm(r = [0.5, 0, 0] m)\n  fore : Body(m = 1 kg, center = [0.2, 0, 0] m)\n"
    "  connect mechanics.ground -- yaw.a\n  connect yaw.b -- column.a -- shoulder.a\n"
    "  connect shoulder.b -- upper.a -- out.a\n  connect out.b -- elbow.a\n  connect elbow.b -- fore.a\n}\n";
// The same with a motor on the column, through a gear: its speed may be the state.
std::string ArmWithMotor() {
  const std::string arm = kArm;
  return arm.substr(0, arm.rfind('}')) +
         "  v : VoltageSource(V = 5 V)\n  m : DCMotor(Kt = 0.05 N*m/A, J = 2e-5 kg*m^2)\n"
         "  gear : Gear(ratio = 50)\n  connect v.p -- m.p\n  connect v.n -- m.n -- electrical.ground\n"
         "  connect m.shaft -- gear.a\n  connect gear.b -- yaw.axis\n"
         "  connect m.housing -- yaw.housing\n}\n";
}
// Three slides, none of which feels the others' accelerations.
const char* const kGantry =
    "system S {\n  gravity : Gravity\n  x : Prismatic(n = [1, 0, 0], d = 2 N*s/m)\n"
    "  y : Prismatic(n = [0, 1, 0], d = 3 N*s/m)\n  z : Prismatic(n = [0, 0, 1], d = 4 N*s/m)\n"
    "  bridge : Body(m = 9 kg)\n  sledge : Body(m = 4 kg)\n  tool : Body(m = 2 kg)\n"
    "  connect mechanics.ground -- x.a\n  connect x.b -- bridge.a -- y.a\n  connect y.b -- sledge.a -- z.a\n"
    "  connect z.b -- tool.a\n}\n";
const char* const kTwoArms =
    "system S {\n  gravity : Gravity\n  p1, p2, q1, q2 : Revolute(n = [0, 1, 0])\n"
    "  a, b : Arm(r = [0, 0, -0.5] m)\n  b1, b2, c1, c2 : Body(m = 2 kg, center = [0, 0, -0.4] m)\n"
    "  connect mechanics.ground -- p1.a -- q1.a\n  connect p1.b -- b1.a -- a.a\n  connect a.b -- p2.a\n"
    "  connect p2.b -- b2.a\n  connect q1.b -- c1.a -- b.a\n  connect b.b -- q2.a\n  connect q2.b -- "
    "c2.a\n}\n";
const char* const kCrank =
    "system S {\n  gravity : Gravity\n  crank, pin, wrist : Revolute(n = [0, 1, 0])\n"
    "  slide : Prismatic(n = [1, 0, 0])\n  arm : Arm(r = [0.1, 0, 0] m)\n  bar : Arm(r = [0.3, 0, 0] m)\n"
    "  disc : Body(m = 1 kg, center = [0.05, 0, 0] m)\n  rod : Body(m = 0.5 kg, center = [0.15, 0, 0] m)\n"
    "  piston : Body(m = 0.4 kg)\n  connect mechanics.ground -- crank.a -- slide.a\n"
    "  connect crank.b -- disc.a -- arm.a\n  connect arm.b -- pin.a\n  connect pin.b -- rod.a -- bar.a\n"
    "  connect bar.b -- wrist.a\n  connect wrist.b -- piston.a -- slide.b\n}\n";
// A cart with pendulums: the more of them, the longer their accelerations.
std::string Pendulums(int n) {
  std::string text =
      "system S {\n  gravity : Gravity\n  rail : Prismatic(n = [1, 0, 0])\n  cart : Body(m = 2 kg)\n"
      "  connect mechanics.ground -- rail.a\n  connect rail.b -- cart.a\n";
  std::string last = "rail.b";
  for (int k = 1; k <= n; ++k) {
    const std::string i = std::to_string(k);
    text += "  p" + i + " : Revolute(n = [0, 1, 0])\n  a" + i + " : Arm(r = [0, 0, -0.5] m)\n  b" + i +
            " : Body(m = 1 kg, center = [0, 0, -0.4] m)\n  connect " + last + " -- p" + i +
            ".a\n  connect p" + i + ".b -- b" + i + ".a -- a" + i + ".a\n";
    last = "a" + i + ".b";
  }
  return text + "}\n";
}

Ran RunOn(const std::string& model, std::vector<std::string> words) {
  const TemporaryFolder folder;
  WriteText(folder / "m.cot", model);
  words.insert(words.begin() + 1, "m.cot");
  return RunCotree(words, folder.path());
}

// `has` and `lacks` are regular expressions, on lines.
struct Row {
  const char* what;
  std::string model;
  std::vector<std::string> words;
  std::vector<std::string> has, lacks;
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const Ran run = RunOn(row.model, row.words);
    EXPECT_EQ(run.exit_code, 0) << row.what << "\n" << run.err;
    for (const std::string& has : row.has)
      EXPECT_TRUE(std::regex_search(run.out, std::regex(has))) << row.what << ": no " << has << "\n"
                                                               << run.out;
    for (const std::string& lacks : row.lacks)
      EXPECT_FALSE(std::regex_search(run.out, std::regex(lacks))) << row.what << ": " << lacks << "\n"
                                                                  << run.out;
  }
}

TEST(PrintedEquations, DerivativesAreDotsOnTheirLetters) {
  const std::vector<std::string> wrong{"\\\\mathrm\\{der\\(", "[vi]\\)\\}?_", "A_full", "A\\\\_full"};
  std::vector<Row> rows;
  for (const auto& [model, dot] : {std::pair(kRc, "\\\\dot\\{v\\}_\\{\\\\mathrm\\{c\\}\\}"),
                                   std::pair(kCoil, "\\\\dot\\{i\\}_\\{\\\\mathrm\\{coil\\}\\}"),
                                   std::pair(kMotor, "\\\\dot\\{i\\}_\\{\\\\mathrm\\{m.armature\\}\\}")}) {
    for (const char* format : {"latex", "markdown"})
      rows.push_back(
          {format, model, {"derive", "--format", format}, {dot, "A_\\{\\\\mathrm\\{full\\}\\}"}, wrong});
    rows.push_back({"mathml",
                    model,
                    {"derive", "--format", "mathml"},
                    {"<mover><mi>[vi]</mi><mo>˙</mo></mover>", "<msub><mi>A</mi><mtext>full</mtext></msub>"},
                    {"<m[it][^<>]*>der\\(", "<mi>[vi]\\)"}});
    rows.push_back(
        {"json", model, {"derive", "--format", "json"}, {"A_\\{\\\\\\\\mathrm\\{full\\}\\}"}, {"A_full"}});
  }
  Check(rows);
}

TEST(PrintedEquations, MotionOfAChainIsOneMatrix) {
  const std::vector<std::string> words{"equations", "--form", "state-space"};
  Check({{"arm",
          kArm,
          words,
          {"M by \\(w_yaw', w_shoulder', w_elbow'\\), symmetric; rows yaw, shoulder, elbow"},
          {"w_yaw' +="}},
         {"arm with a motor",
          ArmWithMotor(),
          {"equations", "--form", "state-space", "--format", "json"},
          {"\"freedoms\": 3"},
          {}},
         {"gantry", kGantry, words, {"M +v_x' +v_y' +v_z'", "x +m_bridge", "G"}, {"v_x' +="}},
         {"two arms",
          kTwoArms,
          {"equations", "--form", "state-space", "--format", "json"},
          {"\"freedoms\": 2"},
          {"\"freedoms\": 4"}},
         {"a chain and its loop",
          kCrank,
          words,
          {"Conditions of the loops", "loop1", "transpose of J times lambda", "M .*crank|M by"},
          {"H times"}}});
  // Centrifugal terms are V, and Q has none.
  const Ran run = RunOn(kArm, words);
  const size_t v = run.out.find("\n  V"), q = run.out.find("\n  Q");
  ASSERT_TRUE(v != std::string::npos && q != std::string::npos) << run.out;
  EXPECT_TRUE(Contains(run.out.substr(v, q - v), "w_yaw")) << run.out;
  const size_t behind = run.out.find("\n\n", q + 1);
  EXPECT_FALSE(Contains(run.out.substr(q, behind - q), "w_yaw")) << run.out;
}

TEST(PrintedEquations, AccelerationsAreSolvedOrItIsSaid) {
  for (const int n : {1, 2, 3}) {
    const Ran solved = RunOn(Pendulums(n), {"equations", "--form", "accelerations"});
    EXPECT_EQ(solved.exit_code, 0) << solved.err;
    EXPECT_TRUE(std::regex_search(solved.out, std::regex("\n  w_?p?1?' +="))) << n << solved.out;
    EXPECT_EQ(solved.err, "") << n;
  }
  const Ran large = RunOn(Pendulums(5), {"equations", "--form", "accelerations"});
  EXPECT_EQ(large.exit_code, 0);
  EXPECT_TRUE(Contains(large.err, "note: not solved for the accelerations `rail.acc`")) << large.err;
}

TEST(PrintedEquations, NumbersAreWhatTheyAre) {
  const auto box = [](const char* body) {
    return "system S {\n  gravity : Gravity\n  hinge, knee : Revolute(n = [0, 1, 0])\n  rod : " +
           std::string(body) +
           "\n  arm : Arm(r = [0.4, 0, 0] m)\n  shin : BoxBody(size = [0.3, 0.02, 0.04] m, center = [0.15, "
           "0, 0] m)\n"
           "  connect mechanics.ground -- hinge.a\n  connect hinge.b -- rod.a -- arm.a\n"
           "  connect arm.b -- knee.a\n  connect knee.b -- shin.a\n}\n";
  };
  const auto turned = [](const char* speed) {
    return "component Motion { output y : Angle   equation y = " + std::string(speed) +
           " * time }\nsystem S {\n  m : Motion\n  s : SignalAngleSource\n  j : Inertia(J = 2 kg*m^2)\n"
           "  connect m.y -> s.u\n  connect s.a -- j.a\n  connect s.b -- rotational.ground\n}\n";
  };
  const std::vector<std::string> words{"equations", "--form", "state-space"};
  Check({{"a box",
          box("BoxBody(size = [0.4, 0.02, 0.04] m, center = [0.2, 0, 0] m)"),
          words,
          {"M"},
          {"0\\.0833", "(^|[^0-9.])1·p_"}},
         {"a ball",
          box("SphereBody(radius = 0.1 m, center = [0.2, 0, 0] m)"),
          words,
          {"M"},
          {"0\\.0833", "4\\.18879", "(^|[^0-9.])1·p_"}},
         {"22.5 degrees a second",
          turned("22.5 deg/s"),
          {"equations", "--form", "state-space", "--output", "m.y"},
          {"= π·t/8\n"},
          {"0\\.39"}},
         {"a turn a second",
          turned("1 rev/s"),
          {"equations", "--form", "state-space", "--output", "m.y"},
          {"= 2·π·t\n"},
          {"6\\.28"}},
         {"no angle",
          turned("0.392699 rad/s"),
          {"equations", "--form", "state-space", "--output", "m.y"},
          {"= 0\\.392699·t\n"},
          {"π"}}});
}

TEST(PrintedEquations, LettersAreNoNamesOfTheModel) {
  const std::string chain =
      "system S {\n  parameter M : Mass = 2 kg\n  parameter p_1 : Length = 0.4 m\n  gravity : Gravity\n"
      "  a, b : Revolute(n = [0, 1, 0])\n  arm : Arm(r = [p_1, 0 m, 0 m])\n"
      "  u, v : Body(m = M, center = [p_1, 0 m, 0 m])\n"
      "  connect mechanics.ground -- a.a\n  connect a.b -- u.a -- arm.a\n  connect arm.b -- b.a\n"
      "  connect b.b -- v.a\n}\n";
  Check({{"mass matrix",
          chain,
          {"equations", "--form", "state-space"},
          {"M_q times the accelerations", "M +2"},
          {}},
         {"output matrix",
          kRc,
          {"equations", "--form", "linear", "--output", "c.v"},
          {"\n  C_q +v", "C +1e-06"},
          {"\n  C +v"}}});
}

TEST(PrintedEquations, StorageThatMovesAsOneSharesItsPoles) {
  const std::string line =
      "system S {\n  engine : Inertia(J = 0.2 kg*m^2)\n  box : Gear(ratio = 3)\n  mid : Inertia(J = 0.01 "
      "kg*m^2)\n"
      "  axle : Gear(ratio = 4)\n  wheel : Wheel(radius = 0.3 m)\n  body : Mass(m = 1000 kg)\n"
      "  air : Damper(d = 15 N*s/m)\n  connect engine.a -- box.a\n  connect box.b -- mid.a -- axle.a\n"
      "  connect axle.b -- wheel.a\n  connect wheel.b -- body.a -- air.a\n  connect air.b -- "
      "translational.ground\n}\n";
  const std::string capacitors =
      "system S {\n  v : VoltageSource(V = 5 V)\n  r : Resistor(R = 1 kohm)\n  a : Capacitor(C = 1 uF)\n"
      "  b : Capacitor(C = 3 uF)\n  connect v.p -- r.p\n  connect r.n -- a.p -- b.p\n"
      "  connect v.n -- a.n -- b.n -- electrical.ground\n}\n";
  const std::string free =
      "system S {\n  a : Mass(m = 3 kg)\n  b : Mass(m = 1 kg)\n  k : Spring(k = 100 N/m)\n"
      "  connect a.a -- k.a\n  connect k.b -- b.a\n}\n";
  Check({{"drive line",
          line,
          {"equations", "--form", "linear"},
          {"body 7[456] %, engine 2[45] %"},
          {"mid 100"}},
         {"capacitors", capacitors, {"equations", "--form", "linear"}, {"b 75 %, a 25 %"}, {}},
         {"free masses", free, {"equations", "--form", "linear"}, {"\n +0 +- .*\n +0 +-"}, {"e-[01][0-9]"}}});
}

TEST(PrintedEquations, LinearFormInNumbersWhereThereAreNoSymbols) {
  const Ran run = RunOn(kCrank, {"equations", "--form", "linear"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.err, "note: there is no linear form in symbols")) << run.err;
  EXPECT_TRUE(Contains(run.out, "in numbers") && Contains(run.out, "Poles")) << run.out;
}

// Wheatstone's bridge: three meshes, or two nodes besides that of the source.
TEST(PrintedEquations, NetworksInMeshCurrentsOrNodeVoltages) {
  const std::string bridge =
      "system S {\n  v : VoltageSource(V = 10 V)\n  r1 : Resistor(R = 100 ohm)\n  r2 : Resistor(R = 220 "
      "ohm)\n"
      "  r3 : Resistor(R = 150 ohm)\n  r4 : Resistor(R = 330 ohm)\n  r5 : Resistor(R = 47 ohm)\n"
      "  connect v.p -- r1.p -- r3.p\n  connect r1.n -- r2.p -- r5.p\n  connect r3.n -- r4.p -- r5.n\n"
      "  connect v.n -- r2.n -- r4.n -- electrical.ground\n}\n";
  const auto words = [](const char* prefer) {
    return std::vector<std::string>{"equations", "--form",   "state-space", "--output",
                                    "r5.i",      "--prefer", prefer};
  };
  Check(
      {{"meshes", bridge, words("currents"), {"H", "i_r[1-5].*i_r[1-5].*i_r[1-5]", "R_r1 \\+ R_r2"}, {"v_r"}},
       {"nodes", bridge, words("voltages"), {"H", "v_r2.*v_r4"}, {"i_r[1-4]"}}});
}

TEST(PrintedEquations, InverseInClosedForm) {
  const Ran run = RunCotree({"inverse", "examples/two_link_robot/two_link_robot.cot", "--system",
                             "TwoLinkRobot", "--motion", "robot.joint1.phi = 22.5 deg/s * time", "--motion",
                             "robot.joint2.phi = 22.5 deg/s * time", "--free", "amp7.u", "--free", "amp8.u",
                             "--find", "motor7.armature.i", "--find", "motor8.armature.i", "--stop", "1 s"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* part : {"In closed form", "cos(π·t/8)", "cos(π·t/4)", "π²", "Kt_motor7", "B7"})
    EXPECT_TRUE(Contains(run.out, part)) << part << "\n" << run.out;
}

}  // namespace
}  // namespace cotree
