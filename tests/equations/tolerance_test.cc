// SPDX-License-Identifier: Apache-2.0
// Sizes of states against which their errors count.
#include <gtest/gtest.h>

#include "run_support.h"

namespace cotree::test {
namespace {

// A voltage of picovolts: unless its size is said, an error of 1e-12 V is none.
TEST(Tolerance, AStateMayHaveASizeOfItsOwn) {
  const RunOf model(R"(system S { i : CurrentSource(I = 1e-12 A)  r : Resistor(R = 1 ohm)
    c : Capacitor(C = 1 F)  connect i.n -- r.p -- c.p   connect i.p -- r.n -- c.n -- electrical.ground })");
  const Program& program = *model.translation->program;
  ASSERT_EQ(program.state_slots.size(), 1u);
  const auto error = [&](double size, uint64_t* steps) {
    SimulationOptions options;
    options.stop = options.max_step = options.interval = 4;
    options.method = Method::kExplicit;
    options.checkpoints = 1;
    if (size > 0) options.scales.emplace_back(program.state_slots[0], size);
    const Trajectory t = Simulate(program, model.translation->starts, options, {program.state_slots[0]});
    EXPECT_TRUE(t.ok) << t.problem;
    *steps = t.steps;
    return std::fabs(t.columns[0].back() / 1e-12 - (1 - std::exp(-4.0)));
  };
  uint64_t with = 0, without = 0;
  const double good = error(1e-12, &with), poor = error(0, &without);
  EXPECT_LT(good, 1e-6);
  EXPECT_GT(poor, 10 * good);
  EXPECT_GT(with, without);
}

}  // namespace
}  // namespace cotree::test
