// SPDX-License-Identifier: Apache-2.0
// Foreign code in a run: a controller in C against the same law in the language; hostile components end the
// run with the right message, in time.
#include <gtest/gtest.h>

#include <chrono>

#include "foreign_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

Trajectory RunWith(const std::string& text, double stop, double call_limit, double total_limit = 3600) {
  const RunOf run(text);
  SimulationOptions options;
  options.stop = stop;
  options.components = WithHost();
  options.components.call_limit = call_limit;
  options.components.total_limit = total_limit;
  return Simulate(*run.translation->program, run.translation->starts, options);
}

struct Hostile {
  const char* name;
  const char* said;  // what the message must contain; empty: the run goes on to its end
};

TEST(ForeignCode, HostileComponentsAreContained) {
  const Hostile all[] = {{"crash.c", "SIGSEGV"},
                         {"hang.c", "no answer within"},
                         {"nan.c", "NaN"},
                         {"wrong_size.c", "beyond"},
                         {"exits.c", "exit"},
                         {"signal_itself.c", "SIG"},
                         {"forks.c", "no answer within"},
                         {"memory.c", "memory"},
                         {"slow.c", "together took more than"},
                         {"throws.cc", "exception"},
                         {"writes_stdout.c", ""},
                         {"changes_locale.c", ""}};
  const TemporaryFolder folder;
  size_t contained = 0;
  for (const Hostile& h : all) {
    const fs::path library = folder.path() / (std::string(h.name) + ".so");
    ASSERT_TRUE(
        Compile(kRoot / "src/software_component/test/hostile" / h.name, library, "-DHOSTILE_PERIOD=0.05"))
        << h.name;
    const std::string text =
        R"(software Strange { input u : Real  output y : Real  sample = 50 ms  feedthrough y : u
      external ")" +
        library.string() + R"(" "hostile" }
      system S { s : Strange  c : Constant(k = 3)  f : FirstOrder(k = 1, T = 0.1 s)
        connect c.y -> s.u  connect s.y -> f.u })";
    const auto begin = std::chrono::steady_clock::now();
    const Trajectory t = RunWith(text, 2, 1, std::string(h.name) == "slow.c" ? 0.3 : 2);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_LT(seconds, 3.5) << h.name;
    if (h.said[0] == '\0') {
      EXPECT_TRUE(t.ok) << h.name << ": " << t.problem;
    } else {
      EXPECT_FALSE(t.ok) << h.name;
      EXPECT_TRUE(t.foreign) << h.name;
      EXPECT_NE(t.problem.find(h.said), std::string::npos) << h.name << ": " << t.problem;
      EXPECT_NE(t.problem.find("`s`"), std::string::npos) << h.name << ": " << t.problem;
    }
    contained += (h.said[0] == '\0') == t.ok;
  }
  std::printf("hostile components contained: %zu of 12\n", contained);
}

TEST(ForeignCode, PidInCIsThePidOfTheLanguage) {
  const TemporaryFolder folder;
  ASSERT_TRUE(Compile(kRoot / "examples/software_components/pid.c", folder.path() / "libpid.so"));
  const std::string plant = R"(
    target : Step(height = 1, start = 0.1 s)   plant : FirstOrder(k = 2, T = 0.3 s)
    connect target.y -> pid.w   connect plant.y -> pid.y   connect pid.u -> plant.u })";
  const std::string text =
      R"(software Pid { input w, y : Real  output u : Real  parameter kp : Real  parameter T : Time = 10 ms
    sample = T  feedthrough u : w, y  external ")" +
      (folder.path() / "libpid.so").string() + R"(" "pid" } system S { pid : Pid(kp = 1.5) )" + plant;
  const std::string same =
      R"(software Pid { input w, y : Real  output u : Real  parameter kp : Real  parameter T : Time = 10 ms
    sample = T  equation u = kp*(w - y) } system S { pid : Pid(kp = 1.5) )" +
      plant;
  const Trajectory foreign = RunWith(text, 1, 10), own = RunWith(same, 1, 10);
  ASSERT_TRUE(foreign.ok) << foreign.problem;
  ASSERT_EQ(foreign.times, own.times);
  double worst = 0;
  const auto& a = foreign.columns.back();
  for (size_t c = 0; c < own.columns.size() && c < foreign.columns.size(); ++c) {
    for (size_t r = 0; r < a.size(); ++r)
      worst = std::max(worst, std::fabs(foreign.columns[c][r] - own.columns[c][r]));
  }
  EXPECT_LT(worst, 1e-12);
}

TEST(ForeignCode, ALibraryThatIsNotThereIsSaid) {
  const Trajectory t =
      RunWith(R"(software Pid { input w : Real  output u : Real  sample = 10 ms  feedthrough u : w
    external "libnothing.so" "pid" } system S { pid : Pid  c : Constant(k = 1)  g : Gain(k = 1)
    connect c.y -> pid.w  connect pid.u -> g.u })",
              1, 10);
  EXPECT_FALSE(t.ok);
  EXPECT_TRUE(t.foreign);
  EXPECT_NE(t.problem.find("libnothing.so"), std::string::npos) << t.problem;
}

}  // namespace
}  // namespace cotree::test
