// SPDX-License-Identifier: Apache-2.0
// Components that misbehave in every way we know: each ends with its reason, in time, and leaves no process
// behind.

#include <gtest/gtest.h>

#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <string>

#include "software_component/test/support.h"

namespace cotree {
namespace {

using Kind = ComponentFailure::Kind;

constexpr double kCallLimit = 0.3;
constexpr int kTimes = 5;

/** One way to misbehave. All are well at t = 0 and misbehave at t = 1. */
struct Case {
  const char* library;
  Kind kind;
  const char* reason;  // the beginning of it
  bool alive = false;  // afterwards
  double u = 0.5;
  double total_limit = 60.0;
  double limit = kCallLimit;  // within this + 1 s it is over
};

ComponentOptions Strict(const Case& c) {
  ComponentOptions options = test::OwnProcess();
  options.call_limit = kCallLimit;
  options.total_limit = c.total_limit;
  return options;
}

// Calls until it fails, at t = 0 and then at t = 1.
void Misbehave(const Case& c) {
  auto component = test::Load(c.library, "hostile", {}, Strict(c));
  ASSERT_TRUE(component);
  const double u[] = {c.u};
  double y[] = {0.0};
  ASSERT_TRUE(component->Outputs(0, 0.0, {}, u, y)) << component->failure().Text();
  EXPECT_EQ(y[0], 2.0 * c.u);
  const test::Stopwatch watch;
  for (int i = 0; i < 100; ++i) {
    if (!component->Outputs(0, 1.0, {}, u, y)) break;
  }
  const double seconds = watch.Seconds();
  const ComponentFailure failure = component->failure();
  EXPECT_LT(seconds, c.limit + 1.0);
  EXPECT_EQ(failure.kind, c.kind) << failure.Text();
  EXPECT_EQ(failure.reason.rfind(c.reason, 0), 0u) << failure.Text();
  const std::string text = failure.Text();
  for (const std::string& part : {std::string("plant.") + c.library, test::Library(c.library),
                                  std::string("`hostile`"), std::string("`outputs` at t = 1 s")}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  // What is gone stays gone, with the same reason; what lives goes on.
  EXPECT_EQ(component->Outputs(0, 0.0, {}, u, y), c.alive);
  if (failure.reason.ends_with("the one that watches it are gone")) test::ReapOrphans(0.5);
  if (!c.alive) {
    EXPECT_EQ(component->failure().reason, failure.reason);
    EXPECT_TRUE(test::NoChildIsLeft()) << text;
  }
}

class Hostile : public ::testing::TestWithParam<Case> {};

TEST_P(Hostile, EndsWithItsReasonAndLeavesNothing) {
  const Case& c = GetParam();
  if (test::kSanitized && c.kind == Kind::kMemory)
    GTEST_SKIP() << "no memory limit under the address sanitizer";
  if (test::kSanitized && std::string_view(c.library) == "exits")
    GTEST_SKIP() << "the leak sanitizer, which may not trace anything there, exits in its own way";
  test::AdoptOrphans();
  for (int i = 0; i < kTimes; ++i) {
    Misbehave(c);
    EXPECT_TRUE(test::NoChildIsLeft()) << c.library;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Components, Hostile,
    ::testing::Values(
        Case{"crash", Kind::kCrash, "crashed by signal SIGSEGV (memory at address 0x8)"},
        Case{"hang", Kind::kTime, "no answer within 0.3 s"},
        Case{"nan", Kind::kNotFinite, "returned NaN in output `y`", true},
        Case{"wrong_size", Kind::kSize, "wrong number of values: wrote beyond its 1 outputs"},
        Case{"exits", Kind::kExit, "exited by itself with status 3"},
        Case{"signal_itself", Kind::kCrash, "crashed by signal SIGTERM"},
        Case{"forks", Kind::kTime, "no answer within 0.3 s"},
        Case{"forks_and_exits", Kind::kExit, "exited by itself with status 4"},
        Case{"memory", Kind::kMemory, "ran out of memory (limit: 2 GiB) and crashed by signal SIGSEGV"},
        Case{"memory_checked", Kind::kMemory, "ran out of memory and returned an error: no room for the map"},
        Case{"slow", Kind::kTime, "too slow: its calls together took more than 0.4 s", false, 0.5, 0.4, 0.4},
        Case{"throws", Kind::kException, "threw an exception: the matrix is singular", true},
        Case{"throws", Kind::kException, "threw an exception that is no std::exception", true, 1.5},
        Case{"stack", Kind::kCrash, "crashed by signal SIGSEGV (memory at address"},
        Case{"closes", Kind::kProtocol, "closed its connection to Cotree"},
        Case{"babbles", Kind::kProtocol, "its process sent a reply that makes no sense"},
        Case{"kills_parent", Kind::kTime, "no answer within 0.3 s"},
        Case{"errs", Kind::kError, "returned an error: the table ends at 4", true, 0.5},
        Case{"errs", Kind::kReject, "rejected this point: the table ends at 4", true, 1.5},
        Case{"errs", Kind::kError, "returned the unknown status 77", true, 2.5}),
    [](const ::testing::TestParamInfo<Case>& information) {
      return std::string(information.param.library) + "_" + std::to_string(information.index);
    });

TEST(HostileButHarmless, StdoutIsKeptAside) {
  test::AdoptOrphans();
  for (int i = 0; i < kTimes; ++i) {
    std::fflush(stdout);
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    std::string said;
    {
      auto component = test::Load("writes_stdout", "hostile", {}, test::OwnProcess());
      ASSERT_TRUE(component);
      const double u[] = {0.25};
      double y[] = {0.0};
      EXPECT_TRUE(component->Outputs(0, 1.0, {}, u, y)) << component->failure().Text();
      EXPECT_EQ(y[0], 0.5);
      said = component->Said();
    }
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_NE(said.find("line 19999 of a debugging session"), std::string::npos) << said;
    EXPECT_TRUE(test::NoChildIsLeft());
  }
}

TEST(HostileButHarmless, LocaleAndRoundingAreSetBack) {
  test::AdoptOrphans();
  for (const ComponentOptions& options : {test::OwnProcess(), test::InProcess()}) {
    for (int i = 0; i < kTimes; ++i) {
      const std::string locale = std::setlocale(LC_ALL, nullptr);
      auto component = test::Load("changes_locale", "hostile", {}, options);
      ASSERT_TRUE(component);
      const double u[] = {0.1};
      double y[] = {0.0};
      for (const double t : {1.0, 2.0}) EXPECT_TRUE(component->Outputs(0, t, {}, u, y));
      EXPECT_EQ(y[0], 0.2);
      EXPECT_EQ(std::fegetround(), FE_TONEAREST);
      EXPECT_EQ(std::setlocale(LC_ALL, nullptr), locale);
      ASSERT_EQ(component->notes().size(), 2u);  // once each
      EXPECT_NE(component->notes()[0].find("rounding mode"), std::string::npos);
      EXPECT_NE(component->notes()[1].find("locale"), std::string::npos);
      component.reset();
      EXPECT_TRUE(test::NoChildIsLeft());
    }
  }
}

TEST(HostileButHarmless, ImpurityIsFoundOnRequest) {
  for (const ComponentOptions& options : {test::OwnProcess(), test::InProcess()}) {
    auto component = test::Load("impure", "hostile", {}, options);
    ASSERT_TRUE(component);
    double u[] = {0.5}, y[] = {0.0};
    EXPECT_TRUE(component->Outputs(0, 1.0, {}, u, y)) << "nobody looks";
    component->CheckPurity(true);
    EXPECT_TRUE(component->Outputs(0, 0.0, {}, u, y)) << component->failure().Text();
    EXPECT_FALSE(component->Outputs(0, 1.0, {}, u, y));
    EXPECT_EQ(component->failure().reason, "is not pure: it changed the discrete state");
    u[0] = 1.5;
    EXPECT_FALSE(component->Outputs(0, 1.0, {}, u, y));
    EXPECT_EQ(component->failure().reason,
              "is not pure: called twice at one point, it gave different values");
    EXPECT_TRUE(component->Outputs(0, 0.0, {}, u, y)) << component->failure().Text();
  }
}

// Cotree itself may be killed in the middle of a call: nothing may go on without it.
TEST(HostileEnd, NothingOutlivesCotree) {
  test::AdoptOrphans();
  for (const char* library : {"hang", "forks"}) {
    const pid_t simulation = fork();
    ASSERT_GE(simulation, 0);
    if (simulation == 0) {
      ComponentFailure failure;
      auto component =
          LoadSoftwareComponent({test::Library(library), "hostile", "x", {}}, test::OwnProcess(), &failure);
      const double u[] = {0.5};
      double y[] = {0.0};
      std::signal(SIGALRM, SIG_DFL);
      alarm(1);  // the end in the middle of the call
      if (component) component->Outputs(0, 1.0, {}, u, y);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(simulation, &status, 0), simulation);
    EXPECT_TRUE(WIFSIGNALED(status));
    // The supervisor is ours now; it ends by itself, and everything before it.
    const test::Stopwatch watch;
    while (watch.Seconds() < 2.0 && waitpid(-1, &status, 0) > 0) continue;
    EXPECT_LT(watch.Seconds(), 1.0) << library;
    EXPECT_TRUE(test::NoChildIsLeft()) << library;
  }
}

TEST(HostileInProcess, ReturnsAreReportedTheSame) {
  for (const Case& c : {Case{"nan", Kind::kNotFinite, "returned NaN in output `y`"},
                        Case{"wrong_size", Kind::kSize, "wrong number of values: wrote beyond its 1 outputs"},
                        Case{"throws", Kind::kException, "threw an exception: the matrix is singular"},
                        Case{"errs", Kind::kError, "returned an error: the table ends at 4"}}) {
    auto component = test::Load(c.library, "hostile", {}, test::InProcess());
    ASSERT_TRUE(component);
    const double u[] = {c.u};
    double y[] = {-1.0};
    EXPECT_FALSE(component->Outputs(0, 1.0, {}, u, y));
    EXPECT_EQ(component->failure().kind, c.kind);
    EXPECT_EQ(component->failure().reason, c.reason);
    EXPECT_EQ(y[0], -1.0) << "no value of a call that failed";
  }
}

}  // namespace
}  // namespace cotree
