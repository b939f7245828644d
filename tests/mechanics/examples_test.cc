// SPDX-License-Identifier: Apache-2.0
// The examples in space: the seeker against results from outside, all of them run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

// seeker_closed_loop.json: ten states of two bodies, two joints, two motors and two controllers.
TEST(SpatialExamples, SeekerClosedLoop) {
  const auto file = nlohmann::json::parse(ReadText(kRoot / "tests/models/expected/seeker_closed_loop.json"));
  const auto& expected = file["expected"];
  const std::vector<std::pair<std::string, std::string>> names = {
      {"alpha", "joint_alpha.phi"},          {"beta", "joint_beta.phi"},
      {"alpha_dot", "joint_alpha.w"},        {"beta_dot", "joint_beta.w"},
      {"i_alpha", "motor_alpha.armature.i"}, {"i_beta", "motor_beta.armature.i"}};
  TranslateOptions options;
  options.system = "Seeker";
  RunOf run(ReadText(kRoot / "examples/seeker/seeker.cot"), options);
  const auto& t = expected["t"];
  run.Simulate(3, 1e-10, Method::kAutomatic, 3.0 / static_cast<double>(t.size() - 1));
  double worst = 0;
  size_t compared = 0;
  for (size_t s = 0; s < expected["state_order"].size(); ++s) {
    const auto at = std::find_if(names.begin(), names.end(), [&](const auto& n) {
      return n.first == expected["state_order"][s].get<std::string>();
    });
    if (at == names.end()) continue;
    ++compared;
    const std::vector<double>& ours = run[at->second];
    ASSERT_EQ(ours.size(), t.size());
    double scale = 0, off = 0;
    for (size_t k = 0; k < t.size(); ++k) {
      const double theirs = expected["y"][k][s];
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
