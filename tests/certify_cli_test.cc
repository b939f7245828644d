// SPDX-License-Identifier: Apache-2.0
// `cotree simulate --certify` and the limits of a run.
#include <gtest/gtest.h>

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

class Certificate : public testing::Test {
 protected:
  Ran Simulate(const std::string& text, std::vector<std::string> words) {
    WriteText(folder_ / "m.cot", text);
    words.insert(words.begin(), {"simulate", "m.cot"});
    return RunCotree(words, folder_.path());
  }
  TemporaryFolder folder_;
};

const char kLowPass[] =
    R"(system S { v : VoltageSource(V = 1 V)  r : Resistor(R = 1 kohm)  c : Capacitor(C = 1 uF)
  connect v.p -- r.p  connect r.n -- c.p  connect v.n -- c.n -- electrical.ground }
experiment E of S { stop = 5 ms })";

TEST_F(Certificate, OfASmoothRunAgrees) {
  for (const char* solver : {"auto", "erk", "bdf", "ida"}) {
    const Ran run = Simulate(kLowPass, {"--certify", "--solver", solver});
    EXPECT_EQ(run.exit_code, 0) << solver << run.err;
    EXPECT_TRUE(Contains(run.out, "a tenth of the tolerance")) << run.out;
    EXPECT_TRUE(Contains(run.out, "another integrator")) << run.out;
    EXPECT_TRUE(Contains(run.out, "all agree on")) << run.out;
  }
}

// Coordinates of joints and absolute ones: what a joint carries as inertia is that of the coordinates.
TEST_F(Certificate, OfAMechanismTakesOtherCoordinates) {
  const Ran run =
      Simulate(R"(system S { g : Gravity  hip, knee : Revolute(n = [0, 1, 0])  thigh : Arm(r = [0, 0, -1] m)
    upper, lower : Body(m = 1 kg, center = [0, 0, -0.5] m, I = [0.1, 0.1, 0.1, 0, 0, 0] kg*m^2)
    connect mechanics.ground -- hip.a  connect hip.b -- upper.a -- thigh.a  connect thigh.b -- knee.a
    connect knee.b -- lower.a  start hip.phi = 0.4 rad fixed }
    experiment E of S { stop = 1 s })",
               {"--certify"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_TRUE(Contains(run.out, "absolute coordinates")) << run.out;
}

// Made to disagree: a fixed step far too long, a motion that forgets its start, a tolerance that sees
// nothing.
TEST_F(Certificate, WhatDisagreesIsCaught) {
  const std::string fast = R"(component C { variable x : Real (start = 1, fixed)  parameter T : Time = 1 s
      equation T*der(x) = -8*x*(1 + sin(3*time/T)) } system S { c : C } experiment E of S { stop = 3 s })";
  const std::string chaos = R"(component L { parameter T : Time = 1 s
      variable x : Real (start = 1, fixed)  variable y : Real (start = 1, fixed)  variable z : Real (start = 1, fixed)
      equation T*der(x) = 10*(y - x)  T*der(y) = x*(28 - z) - y  T*der(z) = x*y - 8/3*z }
      system S { l : L } experiment E of S { stop = 40 s })";
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {fast, {"--certify", "--solver", "euler", "--step", "0.1s"}},
           {chaos, {"--certify"}},
           {chaos, {"--certify", "--rtol", "1e-9"}}}) {
    const Ran run = Simulate(text, words);
    EXPECT_EQ(run.exit_code, 4) << run.out;
    EXPECT_TRUE(Contains(run.out, "they do not agree")) << run.out;
    EXPECT_TRUE(Contains(run.err, "not certified")) << run.err;
  }
}

TEST_F(Certificate, RunsCanBeLimited) {
  const Ran steps = Simulate(kLowPass, {"--max-steps", "10"});
  EXPECT_EQ(steps.exit_code, 4);
  EXPECT_TRUE(Contains(steps.err, "the most steps that are allowed, 10")) << steps.err;
  const Ran enough = Simulate(kLowPass, {"--max-steps", "100000", "--max-time", "1 min"});
  EXPECT_EQ(enough.exit_code, 0) << enough.err;
  const Ran time = Simulate(kLowPass, {"--max-time", "1 ms", "--solver", "rk4", "--step", "1ns"});
  EXPECT_EQ(time.exit_code, 4);
  EXPECT_TRUE(Contains(time.err, "the longest computing time that is allowed")) << time.err;
  for (const char* wrong : {"--max-time=0", "--max-time=-1s", "--max-time=abc", "--max-steps=0"})
    EXPECT_EQ(Simulate(kLowPass, {wrong}).exit_code, 2) << wrong;
}

}  // namespace
}  // namespace cotree
