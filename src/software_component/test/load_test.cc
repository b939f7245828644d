// SPDX-License-Identifier: Apache-2.0
// Loading: what cannot be loaded, and why; and that a component gives the same bits in and out of process.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <thread>

#include "software_component/test/support.h"

namespace cotree {
namespace {

using Kind = ComponentFailure::Kind;

ComponentFailure FailToLoad(const ComponentRequest& request, const ComponentOptions& options) {
  ComponentFailure failure;
  const test::Stopwatch watch;
  const auto component = LoadSoftwareComponent(request, options, &failure);
  EXPECT_FALSE(component);
  EXPECT_LT(watch.Seconds(), 2.0);
  EXPECT_TRUE(test::NoChildIsLeft());
  EXPECT_EQ(failure.instance, "a.b");
  EXPECT_EQ(failure.function, request.function);
  return failure;
}

TEST(SoftwareComponentLoad, ReasonsAreClear) {
  test::AdoptOrphans();
  const std::string text = test::TemporaryPath("no_library.so");
  std::ofstream(text) << "this is no library";
  const std::string wrong = test::Library("misdescribed"), filter = test::Library("filter");
  const struct {
    ComponentRequest request;
    Kind kind;
    const char* part;
  } cases[] = {
      {{"/nowhere/libx.so", "f", "a.b", {}},
       Kind::kLoad,
       "cannot be loaded: there is no file /nowhere/libx.so"},
      {{text, "f", "a.b", {}}, Kind::kLoad, "cannot be loaded: "},
      {{filter, "fliter", "a.b", {}}, Kind::kLoad, "function `fliter` is not in the library"},
      {{filter, "filter", "a.b", {{"Tx", 1.0}}}, Kind::kLoad, "has no parameter `Tx`; it has `Tf`"},
      {{filter, "filter", "a.b", {{"Tf", NAN}}}, Kind::kLoad, "parameter `Tf` is not finite"},
      {{filter, "filter", "a.b", {{"Tf", 0.0}}},
       Kind::kError,
       "`create` returned an error: Tf must be positive"},
      {{wrong, "too_new", "a.b", {}}, Kind::kLoad, "needs version 9 of the component interface"},
      {{wrong, "without_head", "a.b", {}},
       Kind::kLoad,
       "its function table is malformed (size 0, version 0)"},
      {{wrong, "refuses", "a.b", {}}, Kind::kLoad, "function `refuses` returned no table"},
      {{wrong, "needs_parameter", "a.b", {}}, Kind::kLoad, "parameter `k` must be given"},
      {{wrong, "in_no_group", "a.b", {}}, Kind::kDescription, "output `z` is in no group"},
      {{wrong, "no_such_output", "a.b", {}}, Kind::kDescription, "lists output number 9, of 2 outputs"},
      {{wrong, "same_name", "a.b", {}}, Kind::kDescription, "two of its outputs are called `y`"},
      {{wrong, "no_derivatives", "a.b", {}}, Kind::kDescription, "has states but no function `derivatives`"},
  };
  for (const auto& c : cases) {
    for (const ComponentOptions& options : {test::OwnProcess(), test::InProcess()}) {
      const ComponentFailure failure = FailToLoad(c.request, options);
      EXPECT_EQ(failure.kind, c.kind) << failure.Text();
      EXPECT_NE(failure.reason.find(c.part), std::string::npos) << failure.Text();
    }
  }
  std::remove(text.c_str());
}

TEST(SoftwareComponentLoad, MisbehavingOnLoading) {
  test::AdoptOrphans();
  const std::string wrong = test::Library("misdescribed");
  EXPECT_EQ(FailToLoad({wrong, "crashes_at_once", "a.b", {}}, test::OwnProcess()).reason,
            "crashed by signal SIGSEGV (memory at address 0x10)");
  ComponentOptions impatient = test::OwnProcess();
  impatient.load_limit = 0.3;
  EXPECT_EQ(FailToLoad({wrong, "hangs_at_once", "a.b", {}}, impatient).reason, "no answer within 0.3 s");
  ComponentOptions lost = test::OwnProcess();
  lost.host_program = "/nowhere/cotree-component-host";
  EXPECT_NE(FailToLoad({wrong, "not_set", "a.b", {}}, lost).reason.find("cannot be started"),
            std::string::npos);
  lost.host_program = "/bin/true";  // a program, but not ours
  EXPECT_FALSE(FailToLoad({wrong, "not_set", "a.b", {}}, lost).reason.empty());
}

TEST(SoftwareComponentLoad, OutputsThatAreNotSetOrDependOnHiddenInputs) {
  for (const ComponentOptions& options : {test::OwnProcess(), test::InProcess()}) {
    const double u[] = {3.0};
    double y[] = {0.0, 0.0};
    auto component = test::Load("misdescribed", "not_set", {}, options);
    ASSERT_TRUE(component);
    EXPECT_FALSE(component->Outputs(0, 0.0, {}, u, y));
    EXPECT_EQ(component->failure().reason, "did not set output `z`");
    component = test::Load("misdescribed", "hidden_input", {}, options);
    ASSERT_TRUE(component);
    EXPECT_FALSE(component->Outputs(0, 0.0, {}, u, std::span<double>(y, 1)));
    EXPECT_NE(
        component->failure().reason.find("returned NaN in output `y` (inputs that its output group does not"),
        std::string::npos)
        << component->failure().Text();
  }
}

uint64_t Bits(double value) {
  return std::bit_cast<uint64_t>(value);
}

TEST(SoftwareComponentLoad, SameBitsInAndOutOfProcess) {
  const test::Parameters parameters = {{"kp", 1.7},   {"ki", 30.1}, {"kd", 0.013},
                                       {"Tf", 0.004}, {"T", 0.001}, {"umax", 2.0}};
  auto here = test::Load("pid", "pid", parameters, test::InProcess());
  auto there = test::Load("pid", "pid", parameters, test::OwnProcess());
  ASSERT_TRUE(here && there);
  const ComponentDescription &a = here->description(), &b = there->description();
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.sample_period, b.sample_period);
  EXPECT_EQ(a.discrete_bytes, b.discrete_bytes);
  EXPECT_EQ(a.parameters.size(), b.parameters.size());
  EXPECT_EQ(a.inputs[1].name, b.inputs[1].name);
  EXPECT_EQ(a.groups[0].inputs, b.groups[0].inputs);
  std::vector<std::byte> saved(a.discrete_bytes), saved_there(b.discrete_bytes);
  for (int k = 0; k < 3000; ++k) {
    const double t = 0.001 * k, u[] = {std::sin(7.0 * t), std::cos(3.0 * t) * t};
    double y[] = {0.0}, y_there[] = {1.0};
    ASSERT_TRUE(here->Outputs(0, t, {}, u, y) && there->Outputs(0, t, {}, u, y_there));
    ASSERT_EQ(Bits(y[0]), Bits(y_there[0])) << k;
    ASSERT_TRUE(here->Update(t, {}, u) && there->Update(t, {}, u));
  }
  ASSERT_TRUE(here->Save(saved) && there->Save(saved_there));
  EXPECT_EQ(saved, saved_there);
}

TEST(SoftwareComponentLoad, ThreadsDoNotMeet) {
  std::vector<std::thread> threads;
  std::vector<double> sums(4, 0.0);
  for (size_t i = 0; i < sums.size(); ++i) {
    threads.emplace_back([i, &sums] {
      for (int round = 0; round < 5; ++round) {  // starting and ending is what could clash
        ComponentFailure failure;
        auto filter = LoadSoftwareComponent({test::Library("filter"), "filter", "f", {{"Tf", 0.5}}},
                                            test::OwnProcess(), &failure);
        const double x[] = {static_cast<double>(i)}, u[] = {1.0};
        double dx[] = {0.0};
        for (int k = 0; k < 200 && filter && filter->Derivatives(0.0, x, u, dx); ++k) sums[i] += dx[0];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], 2000.0 * (1.0 - static_cast<double>(i)));
}

TEST(SoftwareComponentLoad, SavedStateGoesOnElsewhere) {
  auto first = test::Load("pid", "pid", {{"ki", 5.0}}, test::OwnProcess());
  auto second = test::Load("pid", "pid", {{"ki", 5.0}}, test::OwnProcess());
  ASSERT_TRUE(first && second);
  const double u[] = {1.0, 0.25};
  double y[] = {0.0}, z[] = {0.0};
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(first->Update(0.001 * k, {}, u));
  std::vector<std::byte> state(first->description().discrete_bytes);
  ASSERT_TRUE(first->Save(state) && second->Restore(state));
  ASSERT_TRUE(first->Outputs(0, 0.01, {}, u, y) && second->Outputs(0, 0.01, {}, u, z));
  EXPECT_EQ(Bits(y[0]), Bits(z[0]));
  EXPECT_NE(y[0], 0.75);
}

TEST(SoftwareComponentLoad, ContinuousStateAndJacobian) {
  for (const ComponentOptions& options : {test::OwnProcess(), test::InProcess()}) {
    auto filter = test::Load("filter", "filter", {{"Tf", 0.25}}, options);
    ASSERT_TRUE(filter);
    ASSERT_EQ(filter->description().states.size(), 1u);
    EXPECT_TRUE(filter->description().groups[0].inputs.empty());
    EXPECT_TRUE(filter->description().has_jacobian);
    EXPECT_FALSE(filter->description().has_update);
    const double x[] = {3.0}, u[] = {5.0};
    double y[1], dx[1], matrix[4];
    ASSERT_TRUE(filter->Outputs(0, 0.0, x, u, y) && filter->Derivatives(0.0, x, u, dx));
    EXPECT_EQ(y[0], 3.0);
    EXPECT_EQ(dx[0], 8.0);
    ASSERT_TRUE(filter->Jacobian(0.0, x, u, matrix));
    EXPECT_EQ(std::vector<double>(matrix, matrix + 4), (std::vector<double>{-4.0, 4.0, 1.0, 0.0}));
    EXPECT_TRUE(filter->Update(0.0, x, u)) << "nothing to do";
  }
}

}  // namespace
}  // namespace cotree
