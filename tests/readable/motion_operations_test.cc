// SPDX-License-Identifier: Apache-2.0
// Six pendulums on a cart: how much the program that runs computes for mass matrix and forces, and how long
// their derivation takes. SymPy's Kane with common subexpressions: 831 operations, 2.8 s.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "pipeline/translate.h"

namespace cotree::test {
namespace {

std::string Pendulums(int n) {
  std::string text =
      "system Pendulums {\n  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n  rail : Prismatic(n = [1, 0, 0])\n"
      "  cart : Body(m = 5 kg)\n  connect mechanics.ground -- rail.a\n  connect rail.b -- cart.a\n";
  std::string last = "rail.b";
  for (int k = 1; k <= n; ++k) {
    const std::string i = std::to_string(k);
    text += "  joint" + i + " : Revolute(n = [0, 1, 0])\n  bob" + i +
            " : Body(m = " + std::to_string(0.5 + 0.1 * k) + " kg, center = [0, 0, " +
            std::to_string(0.3 + 0.01 * k) + "] m)\n  rod" + i + " : Arm(r = [0, 0, " +
            std::to_string(0.3 + 0.01 * k) + "] m)\n  connect " + last + " -- joint" + i +
            ".a\n  connect joint" + i + ".b -- bob" + i + ".a -- rod" + i + ".a\n";
    last = "rod" + i + ".b";
  }
  return text + "}\n";
}

// Operations of one evaluation: + - * / powers and functions of all kernels.
size_t CountOperations(const Program& program) {
  size_t out = 0;
  for (const Step& step : program.steps) {
    if (step.kind == Step::Kind::kSums) {
      for (uint32_t k = 0; k < step.count; ++k) {
        const uint32_t terms = program.sums[step.index + k].count;
        out += terms > 1 ? terms - 1 : 0;
      }
    }
    if (step.kind != Step::Kind::kKernel) continue;
    const KernelRun& run = program.runs[step.index];
    size_t own = 0;
    for (const Instruction& i : program.codes[run.code].instructions)
      own += i.code == CodeOp::kUnary || i.code == CodeOp::kBinary || i.code == CodeOp::kIntegerPower;
    out += own * run.count;
  }
  return out;
}

TEST(MotionOperations, SixPendulumsOnACart) {
  double best = 1e9;
  size_t operations = 0;
  for (int round = 0; round < 5; ++round) {
    NoReader reader;
    const auto loaded = LoadModelText("pendulums.cot", Pendulums(6), reader);
    const auto began = std::chrono::steady_clock::now();
    TranslateOptions options;
    options.motion_form = MotionForm::kMassMatrix;
    const auto t = Translate(*loaded, options);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    ASSERT_TRUE(t->ok);
    ASSERT_EQ(t->sorted->states.size(), 14u);
    operations = CountOperations(*t->program);
  }
  std::printf("six pendulums: %zu operations, translated in %.3f s\n", operations, best);
  EXPECT_LE(operations, 831u);
}

}  // namespace
}  // namespace cotree::test
