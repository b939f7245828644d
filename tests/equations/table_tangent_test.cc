// SPDX-License-Identifier: Apache-2.0
// Derivatives of tables along a tangent.
#include <gtest/gtest.h>

#include "run_support.h"

namespace cotree::test {
namespace {

// By hand: the straight line has slope 1, the plane 2*x - 3*y has the slopes of its factors.
TEST(TableTangent, OneArgumentAndTwo) {
  const RunOf model(R"(
    table line(x : Real) : Real { interpolation = linear  extrapolation = linear  data = [[-1, 5], [1, 7]] }
    table plane(x : Real, y : Real) : Real { interpolation = linear  extrapolation = linear  rows = [0, 1]
      columns = [0, 1]  data = [[0, -3], [2, -1]] }
    component C { variable a : Real (start = 0.5)  variable b : Real (start = 0.25)
      equation der(a) = line(a)/(1 s)  der(b) = plane(a, b)/(1 s) }
    system S { c : C })");
  const Program& program = *model.translation->program;
  ProgramRun run(program);
  run.values[program.state_slots[0]] = 0.5;
  run.values[program.state_slots[1]] = 0.25;
  ASSERT_TRUE(run.Run(0));
  const double expected[2][2] = {{1, 0}, {2, -3}};
  for (size_t j = 0; j < 2; ++j) {
    std::fill(run.tangents.begin(), run.tangents.end(), 0.0);
    run.tangents[program.state_slots[j]] = 1;
    run.RunTangent(0);
    for (size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(run.tangents[program.derivative_slots[i]], expected[i][j], 1e-14) << i << " " << j;
  }
}

}  // namespace
}  // namespace cotree::test
