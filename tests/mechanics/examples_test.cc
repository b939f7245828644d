// SPDX-License-Identifier: Apache-2.0
// The examples in space: the seeker against results from outside, all of them run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

// seeker_closed_loop.json: ten states of two bodies, two joints, two motors and two controllers.
TEST(SpatialExamples, SeekerClosedLoop) {
  const auto file = nlohmann::json::parse(ReadText(kRoot / "tests/models/expected/seeker_closed_loop.json"));
  const auto& expected = file["expected"];
  // The integral part holds ki*xi; what is behind the filter is xd.
  const double ki_alpha = file["inputs"]["controller"]["gains"]["alpha"]["Ki"];
  const double ki_beta = file["inputs"]["controller"]["gains"]["beta"]["Ki"];
  const std::map<std::string, std::pair<std::string, double>> names = {
      {"alpha", {"joint_alpha.phi", 1}},
      {"beta", {"joint_beta.phi", 1}},
      {"alpha_dot", {"joint_alpha.w", 1}},
      {"beta_dot", {"joint_beta.w", 1}},
      {"i_alpha", {"motor_alpha.armature.i", 1}},
      {"i_beta", {"motor_beta.armature.i", 1}},
      {"xi_alpha", {"pid_alpha.integral", ki_alpha}},
      {"xd_alpha", {"pid_alpha.filtered", 1}},
      {"xi_beta", {"pid_beta.integral", ki_beta}},
      {"xd_beta", {"pid_beta.filtered", 1}}};
  TranslateOptions options;
  options.system = "Seeker";
  RunOf run(ReadText(kRoot / "examples/seeker/seeker.cot"), options);
  const auto& t = expected["t"];
  run.Simulate(3, 1e-10, Method::kAutomatic, 3.0 / static_cast<double>(t.size() - 1));
  double worst = 0;
  size_t compared = 0;
  for (size_t s = 0; s < expected["state_order"].size(); ++s) {
    const auto& [name, factor] = names.at(expected["state_order"][s].get<std::string>());
    ++compared;
    const std::vector<double>& ours = run[name];
    ASSERT_EQ(ours.size(), t.size());
    double scale = 0, off = 0;
    for (size_t k = 0; k < t.size(); ++k) {
      const double theirs = factor * expected["y"][k][s].get<double>();
      scale = std::max(scale, std::fabs(theirs));
      off = std::max(off, std::fabs(ours[k] - theirs));
    }
    worst = std::max(worst, off / scale);
  }
  EXPECT_EQ(compared, names.size());
  EXPECT_LE(worst, 1e-6);
  std::printf("seeker: %zu states, worst %.2g\n", compared, worst);
}

TEST(SpatialExamples, Run) {
  const std::pair<const char*, const char*> examples[] = {{"seeker/seeker", "Seeker"},
                                                          {"seeker/nine_bodies", "NineBodies"},
                                                          {"two_link_robot/two_link_robot", "TwoLinkRobot"},
                                                          {"arm6/arm6", "Arm6"},
                                                          {"engine/engine", "Engine"},
                                                          {"four_bar/four_bar", "FreeFourBar"},
                                                          {"four_bar/four_bar", "DrivenFourBar"},
                                                          {"stewart/stewart", "Stewart"},
                                                          {"stewart/stewart_legs", "StewartLegs"},
                                                          {"balancing_cart/balancing_cart", "BalancingCart"},
                                                          {"excavator/excavator", "Excavator"},
                                                          {"gyroscope/gyroscope", "Top"},
                                                          {"gyroscope/gyroscope", "Gimbals"}};
  for (const auto& [file, system] : examples) {
    TranslateOptions options;
    options.system = system;
    RunOf run(ReadText(kRoot / "examples" / (std::string(file) + ".cot")), options);
    EXPECT_FALSE(run.translation->motion.empty()) << system;
    run.Simulate(0.02, 1e-6);
    EXPECT_TRUE(run.trajectory.ok) << system;
  }
}

}  // namespace
}  // namespace cotree::test
