// SPDX-License-Identifier: Apache-2.0
// `cotree inverse`, `kinematics` and `animate`, and what `check`, `graph` and `tree` say of mechanisms.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "product_support.h"

namespace cotree::test {
namespace {

/* A table of numbers under names, from CSV. */
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  double At(size_t row, const std::string& name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) throw std::runtime_error("no column " + name);
    return rows.at(row).at(static_cast<size_t>(at - names.begin()));
  }
};

Table ReadCsv(const fs::path& path) {
  Table out;
  std::istringstream text(ReadText(path));
  std::string line;
  for (bool first = true; std::getline(text, line); first = false) {
    std::istringstream cells(line);
    std::string cell;
    if (!first) out.rows.emplace_back();
    while (std::getline(cells, cell, ',')) {
      if (first)
        out.names.push_back(cell);
      else
        out.rows.back().push_back(std::stod(cell));
    }
  }
  return out;
}

fs::path Scratch(const std::string& name) {
  static const TemporaryFolder folder;
  return folder / name;
}

const char* const kCart =
    "system Cart {\n  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n  slide : Prismatic(n = [1, 0, 0])\n"
    "  cart : Body(m = 2 kg)\n  pivot : Revolute(n = [0, 1, 0], start phi = 0.01 rad)\n"
    "  pole : Body(m = 0.5 kg, center = [0, 0, 0.4] m, I = [0.02, 0.02, 0.001, 0, 0, 0] kg*m^2)\n"
    "  push : SignalForceSource\n  rest : Constant(k = 0 N)\n  connect rest.y -> push.u\n"
    "  connect mechanics.ground -- slide.a\n  connect slide.b -- cart.a -- pivot.a\n"
    "  connect pivot.b -- pole.a\n  connect push.a -- slide.housing\n  connect push.b -- slide.axis\n}\n";

fs::path CartFile() {
  const fs::path path = Scratch("cart.cot");
  std::ofstream(path) << kCart;
  return path;
}

// Equations (5) and (6) of paper 003: currents and voltages for a prescribed motion.
TEST(InverseCommand, TwoLinkRobot) {
  const fs::path out = Scratch("inverse.csv");
  const Ran run = RunCotree({"inverse", "examples/two_link_robot/two_link_robot.cot", "--system",
                             "TwoLinkRobot", "--motion", "robot.joint1.phi = 22.5 deg/s * time", "--motion",
                             "robot.joint2.phi = 22.5 deg/s * time", "--find", "amp7.u", "--find", "amp8.u",
                             "--stop", "4 s", "--interval", "20 ms", "--out", out.string()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "robot.joint1.phi: relative degree 3")) << run.out;
  EXPECT_TRUE(Contains(run.out, "no zeros")) << run.out;
  const Table table = ReadCsv(out);
  const auto expected =
      nlohmann::json::parse(ReadText(kRoot / "tests/models/expected/two_link_robot.json"))["expected"];
  ASSERT_EQ(table.rows.size(), expected["I7_samples"].size());
  double worst = 0;
  for (size_t k = 0; k < table.rows.size(); ++k) {
    for (const auto& [name, column] :
         {std::pair("motor7.armature.i", "I7_samples"), std::pair("motor8.armature.i", "I8_samples"),
          std::pair("amp7.u", "V7_samples"), std::pair("amp8.u", "V8_samples")}) {
      const double theirs = expected[column][k];
      worst = std::max(worst, std::fabs(table.At(k, name) / theirs - 1));
    }
  }
  EXPECT_LE(worst, 1e-12);
  std::printf("currents and voltages: worst %.2g\n", worst);
}

// A pole upright on a cart whose motion is given falls: its zeros are those of the pole alone.
TEST(InverseCommand, ZeroDynamics) {
  const Ran run = RunCotree({"inverse", CartFile().string(), "--motion",
                             "slide.s = 0.1 m*sin(2 rad/s * time)", "--find", "push.u", "--stop", "0.1 s"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "zeros at the start: -4.42934, 4.42934 1/s")) << run.out;
  EXPECT_TRUE(Contains(run.out, "unstable")) << run.out;
}

TEST(InverseCommand, WhatCannotBe) {
  const std::string cart = CartFile().string();
  Ran run = RunCotree({"inverse", cart, "--motion", "slide.s = 0.1 m*sin(2 rad/s * time)"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(Contains(run.err, "1 motion is prescribed") && Contains(run.err, "push.u")) << run.err;
  run = RunCotree({"inverse", cart, "--motion", "slide.x = 1 m", "--find", "push.u"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(Contains(run.err, "there is no `x`") && Contains(run.err, "slide.x = 1 m")) << run.err;
  run = RunCotree({"inverse", cart, "--motion", "slide.s = 1 rad", "--find", "push.u"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(Contains(run.err, "COT2201") && Contains(run.err, "is in rad")) << run.err;
  run = RunCotree({"inverse", cart, "--motion", "slide.s", "--find", "push.u"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(Contains(run.err, "--> --motion") && Contains(run.err, "write `path = value`")) << run.err;
}

TEST(KinematicsCommand, PosesOfBodies) {
  const fs::path out = Scratch("poses.csv");
  const Ran run = RunCotree(
      {"kinematics", CartFile().string(), "--stop", "0.2 s", "--interval", "0.1 s", "--out", out.string()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Table table = ReadCsv(out);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_NEAR(table.At(0, "pole.qw"), std::cos(0.005), 1e-12);
  EXPECT_NEAR(table.At(0, "pole.qy"), std::sin(0.005), 1e-12);
  EXPECT_NEAR(table.At(2, "pole.x"), table.At(2, "cart.x"), 1e-12);
  const Ran flat = RunCotree({"kinematics", "examples/positioner/positioner.cot"});
  EXPECT_EQ(flat.exit_code, 2);
  EXPECT_TRUE(Contains(flat.err, "nothing that moves in space")) << flat.err;
}

TEST(AnimateCommand, OnePage) {
  const fs::path out = Scratch("page.html");
  const Ran run = RunCotree({"animate", CartFile().string(), "--stop", "0.2 s", "--out", out.string()});
  if (Contains(run.err, "built without the animation page")) GTEST_SKIP() << "npm is missing";
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "2 bodies over 0.2 s")) << run.out;
  const std::string page = ReadText(out);
  EXPECT_GT(page.size(), 300000u);
  EXPECT_TRUE(Contains(page, "pole"));
  EXPECT_FALSE(Contains(page, "src=\"http"));
}

nlohmann::json SceneOf(const std::string& page) {
  const std::string begin = "id=\"scene\">";
  const size_t from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

std::vector<float> Floats(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
  return out;
}

// Forces known by hand, at rest: a block between two springs in the wind, a ball on the floor, a torque on a
// body that is turned.
TEST(AnimateCommand, ForcesWhereTheyAct) {
  const fs::path model = Scratch("forces.cot"), out = Scratch("forces.html");
  std::ofstream(model)
      << "system Forces {\n  gravity : Gravity(g = [0, 0, -10] m/s^2)\n"
         "  slide : Prismatic(n = [0, 0, 1])\n  block : BoxBody(size = [0.2, 0.3, 0.4] m, m = 2 kg)\n"
         "  other : Prismatic(n = [0, 0, 1])\n  tube : TubeBody(radius = 0.2 m, bore = 0.1 m, length = 1 m)\n"
         "  above : Arm(r = [0, 0, 3] m)\n  eye : Arm(r = [0, 0, 0.5] m)\n"
         "  spring : PointSpring(k = 100 N/m, l0 = 1 m)\n  wind : WorldForce\n"
         "  blow : Constant[3](k = [3 N, 0 N, 4 N])\n"
         "  fall : Free\n  ball : SphereBody(radius = 0.1 m, m = 1 kg)\n"
         "  floor : PlaneContact(radius = 0.1 m, k = 1e4 N/m)\n"
         "  hinge : Revolute(n = [0, 0, 1], start phi = 90 deg fixed)\n"
         "  wheel : CylinderBody(radius = 0.3 m, length = 0.1 m)\n  turn : BodyTorque\n"
         "  by : Constant[3](k = [2 N*m, 0 N*m, 0 N*m])\n"
         "  start fall.r[3] = 0.099 m fixed\n"
         "  connect mechanics.ground -- slide.a -- above.a -- fall.a -- hinge.a\n"
         "  connect slide.b -- block.a -- wind.a -- eye.a\n  connect eye.b -- spring.a\n"
         "  connect above.b -- other.a\n  connect other.b -- tube.a -- spring.b\n"
         "  connect fall.b -- ball.a -- floor.a\n  connect hinge.b -- wheel.a -- turn.a\n"
         "  for k in 1:3 {\n    connect blow[k].y -> wind.u[k]\n    connect by[k].y -> turn.u[k]\n  }\n}\n";
  const Ran run = RunCotree({"animate", model.string(), "--stop", "1 ms", "--out", out.string()});
  if (Contains(run.err, "built without the animation page")) GTEST_SKIP() << "npm is missing";
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json scene = SceneOf(ReadText(out));
  EXPECT_EQ(scene["gravity"], nlohmann::json({0.0, 0.0, -10.0}));
  const auto body = [&](const std::string& name) {
    for (size_t k = 0; k < scene["bodies"].size(); ++k) {
      if (scene["bodies"][k]["name"] == name) return k;
    }
    return size_t{0};
  };
  // At the beginning the eye is at 0.5 m, the tube at 3 m: 2.5 m - 1 m, times 100 N/m, draw them together.
  struct Expected {
    std::string name, body;
    bool torque;
    std::array<double, 3> place, offset, vector;
  };
  const std::vector<Expected> all = {
      {"wind", "block.body", false, {0, 0, 0}, {0, 0, 0}, {3, 0, 4}},
      {"spring", "block.body", false, {0, 0, 0.5}, {0, 0, 0}, {0, 0, 150}},
      {"spring", "tube.body", false, {0, 0, 0}, {0, 0, 0}, {0, 0, -150}},
      {"floor", "ball.body", false, {0, 0, 0}, {0, 0, -0.1}, {0, 0, 10}},  // 1 mm deep
      {"turn", "wheel.body", true, {0, 0, 0}, {0, 0, 0}, {0, 2, 0}},       // its x is the world's y
  };
  EXPECT_EQ(scene["arrows"].size(), all.size());
  for (const Expected& e : all) {
    size_t found = 0;
    for (const auto& arrow : scene["arrows"]) {
      if (arrow["name"] != e.name || arrow["body"] != body(e.body)) continue;
      ++found;
      EXPECT_EQ(arrow["torque"], e.torque) << e.name;
      const std::vector<float> vectors = Floats(arrow["vectors"]);
      EXPECT_EQ(vectors.size(), 3 * scene["times"].get<std::string>().size() / 4 * 3 / 8) << e.name;
      for (size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(arrow["place"][k].get<double>(), e.place[k], 1e-12) << e.name;
        EXPECT_NEAR(arrow["offset"][k].get<double>(), e.offset[k], 1e-12) << e.name;
        EXPECT_NEAR(static_cast<double>(vectors[k]), e.vector[k], 1e-4) << e.name;
      }
    }
    EXPECT_EQ(found, 1u) << e.name << " on " << e.body;
  }
  std::vector<std::string> links;
  for (const auto& link : scene["links"])
    links.push_back(link["name"].get<std::string>() + " " + link["kind"].get<std::string>());
  std::sort(links.begin(), links.end());
  EXPECT_EQ(links, (std::vector<std::string>{"other slide", "slide slide", "spring spring"}));
  // Bodies of known shape are drawn as they are.
  const auto shape = [&](const std::string& name) { return scene["bodies"][body(name)]["shapes"].back(); };
  EXPECT_EQ(shape("wheel.body")["kind"], "cylinder");
  EXPECT_EQ(shape("wheel.body")["size"], nlohmann::json({0.3, 0.1, 0}));
  EXPECT_EQ(shape("ball.body")["kind"], "sphere");
  EXPECT_EQ(shape("tube.body")["size"], nlohmann::json({0.2, 0.1, 1}));
}

// The legs of a platform are stretched between their frames, and each pushes along itself.
TEST(AnimateCommand, ActuatorsPushAlongTheirLines) {
  const fs::path out = Scratch("stewart.html");
  const Ran run =
      RunCotree({"animate", "examples/stewart/stewart.cot", "--experiment", "Stand", "--out", out.string()});
  if (Contains(run.err, "built without the animation page")) GTEST_SKIP() << "npm is missing";
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json scene = SceneOf(ReadText(out));
  ASSERT_EQ(scene["links"].size(), 6u);
  ASSERT_EQ(scene["arrows"].size(), 6u);
  EXPECT_TRUE(scene["joints"].empty());  // a free joint is no joint to be seen
  const std::vector<float> poses = Floats(scene["bodies"][1]["poses"]);
  const size_t last = poses.size() - 7;
  double lifted = 0;
  for (size_t k = 0; k < 6; ++k) {
    const auto& link = scene["links"][k];
    EXPECT_EQ(link["kind"], "actuator");
    EXPECT_EQ(link["bodies"], nlohmann::json({0, 1}));
    EXPECT_EQ(link["places"][1], scene["arrows"][k]["place"]);
    const std::vector<float> vectors = Floats(scene["arrows"][k]["vectors"]);
    const size_t row = vectors.size() - 3;
    double along = 0, force = 0, length = 0;
    for (size_t i = 0; i < 3; ++i) {
      const double to = link["places"][1][i].get<double>() + static_cast<double>(poses[last + i]);
      const double d = to - link["places"][0][i].get<double>(), f = static_cast<double>(vectors[row + i]);
      along += d * f, force += f * f, length += d * d;
    }
    lifted += static_cast<double>(vectors[row + 2]);
    EXPECT_NEAR(along / std::sqrt(force * length), 1, 1e-5) << k;
    EXPECT_NEAR(std::sqrt(force), 157.86, 0.05) << k;  // by hand: examples/stewart/README.md
  }
  EXPECT_NEAR(lifted, 80 * 9.80665, 0.2);
}

// Composites and joints of Tables 2 to 4 of paper 000: the housing is the world's, two hinges of four are
// left out.
TEST(GraphCommand, MechanismsInSpace) {
  for (const char* command : {"graph", "tree"}) {
    SCOPED_TRACE(command);
    const Ran run = RunCotree({command, "examples/seeker/nine_bodies.cot", "--format", "json"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const nlohmann::json all = nlohmann::json::parse(run.out);
    const nlohmann::json& system = std::string(command) == "graph" ? all["systems"][0] : all["system"];
    const nlohmann::json& mechanism = system["mechanism"];
    ASSERT_EQ(mechanism["bodies"].size(), 3u);
    EXPECT_EQ(mechanism["bodies"][0]["name"], "mechanics.ground");
    EXPECT_EQ(mechanism["bodies"][0]["parts"],
              nlohmann::json({"housing.body", "pitch_connector_a.body", "pitch_connector_b.body"}));
    std::map<std::string, std::string> roles;
    for (const auto& joint : mechanism["joints"]) {
      roles[joint["name"]] = joint["role"];
      EXPECT_EQ(joint["same_as"].is_null(), joint["role"] == "branch");
    }
    EXPECT_EQ(roles, (std::map<std::string, std::string>{{"pitch_a.turn", "branch"},
                                                         {"pitch_b.turn", "left out"},
                                                         {"yaw_a.turn", "branch"},
                                                         {"yaw_b.turn", "left out"}}));
    EXPECT_EQ(mechanism["gravity"], nlohmann::json({"gravity"}));
    const Ran text = RunCotree({command, "examples/seeker/nine_bodies.cot"});
    EXPECT_TRUE(Contains(text.out, "mechanics, in space: 2 rigid bodies, 4 joints\n")) << text.out;
    EXPECT_TRUE(Contains(text.out, "left out: has the axis of yaw_a.turn")) << text.out;
  }
  // One loop: as many joints as bodies, the world's among them; one closes it.
  const Ran bars = RunCotree({"graph", "tests/mechanics/models/four_bar.cot", "--format", "json"});
  const nlohmann::json linkage = nlohmann::json::parse(bars.out)["systems"][0]["mechanism"];
  EXPECT_EQ(linkage["joints"].size(), linkage["bodies"].size());
  size_t chords = 0;
  for (const auto& joint : linkage["joints"]) chords += joint["role"] == "chord" ? 1u : 0u;
  EXPECT_EQ(chords, 1u);
  // Nothing in space, nothing said of it.
  const Ran flat = RunCotree({"graph", "examples/positioner/positioner.cot", "--format", "json"});
  EXPECT_TRUE(nlohmann::json::parse(flat.out)["systems"][0]["mechanism"].is_null());
  EXPECT_FALSE(Contains(RunCotree({"tree", "examples/positioner/positioner.cot"}).out, "in space"));
}

TEST(GraphCommand, TreeAsTheManualShowsIt) {
  const std::string page = ReadText(kRoot / "docs/manual/mechanics.md");
  const size_t begin = page.find("system FourBar"),
               shown = page.find("  mechanics, in space: 3 rigid bodies");
  ASSERT_TRUE(begin != std::string::npos && shown != std::string::npos);
  const fs::path path = Scratch("four_bar.cot");
  std::ofstream(path) << page.substr(begin, page.find("```", begin) - begin);
  const Ran run = RunCotree({"tree", path.string()});
  EXPECT_TRUE(Contains(run.out, page.substr(shown, page.find("```", shown) - shown))) << run.out;
}

// What is wrong with a mechanism is said by `check`; `graph` still shows the rest.
TEST(GraphCommand, WrongMechanisms) {
  const fs::path path = Scratch("loose.cot");
  std::ofstream(path)
      << "system Loose {\n  hinge : Revolute\n  rod : Body(m = 1 kg)\n  away : Body(m = -1 kg)\n"
         "  connect mechanics.ground -- hinge.a\n  connect hinge.b -- rod.a -- away.a\n}\n";
  const Ran run = RunCotree({"graph", path.string()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "in space: cannot be shown; `cotree check` says what is wrong")) << run.out;
  EXPECT_EQ(RunCotree({"check", path.string()}).exit_code, 1);
}

TEST(CheckCommand, MechanismsAreSummedUp) {
  const Ran run = RunCotree({"check", "examples/seeker/nine_bodies.cot"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(Contains(run.out, "2 degrees of freedom: pitch_a.turn, yaw_a.turn")) << run.out;
  EXPECT_TRUE(Contains(run.out, "one body: housing.body, pitch_connector_a.body, pitch_connector_b.body"))
      << run.out;
  const Ran bars = RunCotree({"check", "tests/mechanics/models/four_bar.cot"});
  EXPECT_TRUE(Contains(bars.out, "1 degree of freedom of 3 coordinates: j1, j2, j3")) << bars.out;
  EXPECT_TRUE(Contains(bars.out, "3 more follow from the others")) << bars.out;
}

}  // namespace
}  // namespace cotree::test
