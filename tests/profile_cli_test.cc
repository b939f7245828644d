// SPDX-License-Identifier: Apache-2.0
// `cotree profile`, as a user meets it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "product_support.h"

namespace cotree {
namespace {

using Json = nlohmann::json;
using test::Contains;
using test::Ran;
using test::ReadText;
using test::RunCotree;
using test::TemporaryFolder;
using test::WriteText;

constexpr const char* kLadder = R"(
system Ladder {
  parameter n : Integer = 200
  source : VoltageSource(V = 1 V)
  r      : Resistor[n](R = 1 ohm)
  l      : Inductor[n](L = 1 uH)
  c      : Capacitor[n](C = 1 nF)
  connect source.n -- electrical.ground
  connect source.p -- r[1].p
  connect r.n -- l.p
  connect l.n -- c.p
  connect l[1:n-1].n -- r[2:n].p
  connect c.n -- electrical.ground
}
experiment Run of Ladder { stop = 1 us }
)";

Json ProfileOf(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  std::vector<std::string> all{"profile"};
  all.insert(all.end(), words.begin(), words.end());
  const Ran run = RunCotree(all, folder);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return Json::parse(run.out);
}

TEST(Profile, HasAllStages) {
  const TemporaryFolder folder;
  WriteText(folder / "ladder.cot", kLadder);
  const Json system = ProfileOf({"ladder.cot", "--json", "--out", "r.csv"}, folder.path()).at("system");
  std::set<std::string> names;
  double wall = 0;
  for (const Json& stage : system.at("stages")) {
    EXPECT_TRUE(names.insert(stage.at("name")).second) << stage;
    EXPECT_GE(stage.at("peak"), stage.at("memory"));
    EXPECT_LE(stage.at("peak"), system.at("peak"));
    wall += stage.at("wall").get<double>();
  }
  for (const char* name : {"read", "model", "graph", "tree", "equations", "sort", "program", "checks",
                           "names", "start", "fuse", "run", "output"})
    EXPECT_EQ(names.count(name), 1u) << name;
  EXPECT_NEAR(wall, system.at("wall").get<double>(), 1e-9);
  EXPECT_EQ(system.at("states"), 400);
  EXPECT_EQ(system.at("run").at("ok"), true);
  EXPECT_EQ(system.at("run").at("reached"), 1e-6);
  EXPECT_TRUE(std::filesystem::exists(folder / "r.csv"));
}

TEST(Profile, KernelsHaveTheNamesOfClasses) {
  const TemporaryFolder folder;
  WriteText(folder / "ladder.cot", kLadder);
  for (const char* tier : {"interpreter", "jit"}) {
    const Json evaluation = ProfileOf({"ladder.cot", "--format", "json", "--program", tier}, folder.path())
                                .at("system")
                                .at("evaluation");
    double share = 0;
    std::string computed;
    uint64_t instances = 0;
    for (const Json& kernel : evaluation.at("kernels")) {
      share += kernel.at("share").get<double>();
      computed += kernel.at("computes").get<std::string>() + "\n";
      instances += kernel.at("instances").get<uint64_t>();
      EXPECT_EQ(kernel.at("compiled").is_null(), std::string(tier) == "interpreter");
    }
    EXPECT_NEAR(share, 1, 1e-9);
    EXPECT_GE(instances, 398u);  // the ends of the ladder are one piece of straight-line code
    EXPECT_TRUE(Contains(computed, "der(Capacitor.v)")) << computed;
    EXPECT_TRUE(Contains(computed, "der(Inductor.i)")) << computed;
    EXPECT_GT(evaluation.at("interpreted"), 0);
    EXPECT_GT(evaluation.at("table_bytes_per_state"), 0);
  }
}

TEST(Profile, TextAndPicture) {
  const TemporaryFolder folder;
  WriteText(folder / "ladder.cot", kLadder);
  const Ran run = RunCotree({"profile", "ladder.cot", "--plot", "p.svg"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* part :
       {"Ladder: 400 states", "read and parse", "start values", "fuse and compile", "output",
        "an evaluation of the derivatives", "der(Capacitor.v)", "a state", "p.svg\n"})
    EXPECT_TRUE(Contains(run.out, part)) << part << "\n" << run.out;
  const std::string svg = ReadText(folder / "p.svg");
  EXPECT_TRUE(Contains(svg, "<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  for (const char* part :
       {"read and parse", "memory", "der(Capacitor.v)", "class=\"stage\"", "class=\"kernel\""})
    EXPECT_TRUE(Contains(svg, part)) << part;
}

TEST(Profile, OfWhatStandsInBlocksAndInSpace) {
  const TemporaryFolder folder;
  for (const char* file : {"examples/positioner/positioner.cot", "examples/gyroscope/gyroscope.cot"}) {
    const Ran run = RunCotree({"profile", (test::kRoot / file).string(), "--json"}, folder.path());
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Json system = Json::parse(run.out).at("system");
    EXPECT_FALSE(system.at("evaluation").at("kernels").empty()) << file;
  }
}

TEST(Profile, FailsAsSimulateDoes) {
  const TemporaryFolder folder;
  WriteText(folder / "ladder.cot", kLadder);
  WriteText(folder / "wrong.cot", "system S { r : Resitor }\n");
  const auto code = [&](const std::vector<std::string>& words) {
    return RunCotree(words, folder.path()).exit_code;
  };
  EXPECT_EQ(code({"profile", "wrong.cot"}), 1);
  EXPECT_EQ(code({"profile", "missing.cot"}), 5);
  EXPECT_EQ(code({"profile", "ladder.cot", "--plot", "p.txt"}), 2);
  EXPECT_EQ(code({"profile", "ladder.cot", "--only", "nothing.v"}), 2);
  EXPECT_EQ(code({"profile", "ladder.cot", "--stop", "soon"}), 2);
  EXPECT_EQ(code({"profile", "ladder.cot", "--out", "/nonexistent/r.csv"}), 5);
  const Ran wrong = RunCotree({"profile", "wrong.cot", "--json"}, folder.path());
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(Json::parse(wrong.out).at("system"), nullptr);
  EXPECT_EQ(Json::parse(wrong.out).at("errors"), 1);
}

}  // namespace
}  // namespace cotree
