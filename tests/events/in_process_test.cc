// SPDX-License-Identifier: Apache-2.0
// --in-process: foreign code in the process of cotree gives the same bits as in a process of its own.
#include <gtest/gtest.h>

#include "foreign_support.h"

namespace cotree::test {
namespace {

class InProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    const fs::path examples = kRoot / "examples/software_components";
    ASSERT_TRUE(Compile(examples / "pi.c", folder_ / "libpi.so"));
    ASSERT_TRUE(Compile(examples / "observer.cc", folder_ / "libobserver.so"));
    fs::copy_file(examples / "continuous.cot", folder_ / "continuous.cot");
  }
  Ran Command(std::vector<std::string> words, bool in_process) const {
    words.emplace_back("--allow-foreign");
    if (in_process) words.emplace_back("--in-process");
    return RunCotree(words, folder_.path());
  }

  const TemporaryFolder folder_;
};

TEST_F(InProcess, EveryCommandGivesTheSameBits) {
  const std::vector<std::vector<std::string>> all = {
      {"simulate", "continuous.cot", "--system", "MotorSpeed", "--csv"},
      {"simulate", "continuous.cot", "--experiment", "Move", "--csv", "--solver", "bdf"},
      {"values", "continuous.cot", "--system", "MotorSpeed", "--at", "0.5 s"},
      {"linearize", "continuous.cot", "--system", "MotorSpeed", "--format", "json"},
      {"linearize", "continuous.cot", "--system", "MotorSpeed", "--at", "0.2 s", "--format", "json"},
      {"trim", "continuous.cot", "--system", "MotorSpeed", "--format", "json"}};
  for (const auto& words : all) {
    const Ran own = Command(words, false), here = Command(words, true);
    EXPECT_EQ(own.exit_code, 0) << words[0] << ": " << own.err;
    EXPECT_EQ(here.exit_code, 0) << words[0] << ": " << here.err;
    EXPECT_FALSE(own.out.empty()) << words[0];
    EXPECT_EQ(own.out, here.out) << words[0];
  }
  for (const bool in_process : {false, true}) {
    const Ran sweep =
        Command({"sweep", "continuous.cot", "--system", "MotorSpeed", "--vary", "pi.ki=1 V/rad:6 V/rad:6",
                 "--keep", "load.w", "--threads", "2", "--out", in_process ? "here.csv" : "own.csv"},
                in_process);
    EXPECT_EQ(sweep.exit_code, 0) << sweep.err;
  }
  EXPECT_EQ(ReadText(folder_ / "own.csv"), ReadText(folder_ / "here.csv"));
}

// Without the program beside cotree nothing runs in a process of its own: that it runs here is no illusion.
TEST_F(InProcess, NeedsNoHost) {
  fs::create_directory(folder_ / "alone");
  fs::copy_file(COTREE_BINARY, folder_ / "alone/cotree");
  const std::string run =
      "cd " + Quoted(folder_.path().string()) +
      " && alone/cotree values continuous.cot --system MotorSpeed --allow-foreign > /dev/null 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(run.c_str())), 5);
  EXPECT_EQ(WEXITSTATUS(std::system((run + " --in-process").c_str())), 0);
}

TEST_F(InProcess, FailuresAndCrashes) {
  WriteText(folder_ / "strange.cot", R"(software Strange { input u : Real  output y : Real  feedthrough y : u
      external "libhostile.so" "hostile" }
    system S { s : Strange  c : Constant(k = 3)  f : FirstOrder(k = 1, T = 0.1 s)
      connect c.y -> s.u  connect s.y -> f.u })");
  const auto simulate = [&](bool in_process) { return Command({"simulate", "strange.cot"}, in_process); };
  EXPECT_EQ(simulate(true).exit_code, 5) << "there is no library";
  const fs::path hostile = kRoot / "src/software_component/test/hostile";
  ASSERT_TRUE(Compile(hostile / "nan.c", folder_ / "libhostile.so"));
  const Ran own = simulate(false), here = simulate(true);
  EXPECT_EQ(own.exit_code, 5);
  EXPECT_EQ(here.exit_code, 5);
  EXPECT_EQ(own.err, here.err);
  EXPECT_TRUE(Contains(here.err, "NaN")) << here.err;
  ASSERT_TRUE(Compile(hostile / "crash.c", folder_ / "libhostile.so"));
  EXPECT_EQ(simulate(false).exit_code, 5);
  const Ran crashed = simulate(true);
  EXPECT_NE(crashed.exit_code, 0);
  EXPECT_NE(crashed.exit_code, 5) << "a crash of ours";
}

TEST_F(InProcess, HasNoEffectWithoutForeignCode) {
  const std::string model = (kRoot / "examples/positioner/positioner.cot").string();
  const Ran without = Command({"simulate", model, "--csv", "--stop", "0.1 s"}, false),
            with = Command({"simulate", model, "--csv", "--stop", "0.1 s"}, true);
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(with.out, without.out);
}

TEST_F(InProcess, IsExplained) {
  const std::pair<const char*, bool> commands[] = {
      {"simulate", true}, {"sweep", true},      {"values", true}, {"linearize", true}, {"trim", true},
      {"report", true},   {"equations", false}, {"order", false}, {"tree", false},     {"derive", false}};
  for (const auto& [command, runs] : commands) {
    const Ran help = RunCotree({command, "--help"});
    for (const char* option : {"--in-process", "--allow-foreign", "--foreign-network", "--foreign-write"})
      EXPECT_EQ(Contains(help.out, option), runs) << command;
  }
}

}  // namespace
}  // namespace cotree::test
