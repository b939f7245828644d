// SPDX-License-Identifier: Apache-2.0
// `cotree inverse`, `kinematics` and `animate`, and what `check` says of mechanisms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
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
  EXPECT_TRUE(Contains(run.err, "1 motions are prescribed") && Contains(run.err, "push.u")) << run.err;
  run = RunCotree({"inverse", cart, "--motion", "slide.x = 1 m", "--find", "push.u"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(Contains(run.err, "slide.x")) << run.err;
  run = RunCotree({"inverse", cart, "--motion", "slide.s", "--find", "push.u"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(Contains(run.err, "expression of time")) << run.err;
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
