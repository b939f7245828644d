// SPDX-License-Identifier: Apache-2.0
// Blocks with a constant matrix as explicit steps: the values and tangents of the whole block, one kernel for
// all instances, and left to the solver where elimination would lose digits.
#include <gtest/gtest.h>

#include <random>

#include "product_support.h"
#include "program/eliminate_block.h"
#include "program/fused_program.h"
#include "readable/random_systems.h"
#include "run_support.h"

namespace cotree::test {
namespace {

std::string Drives(int count) {
  return R"(component Drive {
  public parameter J : MomentOfInertia = 0.05 kg*m^2
  source : VoltageSource(V = 24 V)
  motor  : DCMotor(R = 0.5 ohm, L = 1 mH, Kt = 0.05 N*m/A, J = 1e-4 kg*m^2)
  gear   : Gear(ratio = 20)
  load   : Inertia(J = J)
  brake  : RotationalDamper(d = 0.01 N*m*s/rad)
  connect source.p -- motor.p
  connect source.n -- motor.n -- electrical.ground
  connect motor.shaft -- gear.a
  connect gear.b -- load.a -- brake.a
  connect motor.housing -- brake.b -- rotational.ground
}
system Drives { parameter n : Integer = )" +
         std::to_string(count) + "\n  drive : Drive[n](J = [0.05*(1 + k/n) * 1 kg*m^2 for k in 1:n]) }\n";
}

/// The same program with its eliminated blocks as blocks of their own, in no step.
Program WithBlocks(const Program& program) {
  Program out = program;
  out.blocks.insert(out.blocks.end(), program.eliminated.begin(), program.eliminated.end());
  return out;
}

// The solver of whole blocks, with pivoting and refinement, finds the same values; all equations hold.
TEST(Elimination, GivesWhatTheWholeBlockGives) {
  size_t blocks = 0, several = 0, largest = 0;
  double worst = 0;
  for (uint32_t seed = 1; seed <= 150; ++seed) {
    NoReader reader;
    const auto loaded = LoadModelText("random.cot", RandomSystem(seed), reader);
    const auto translation = Translate(*loaded);
    if (!translation->ok || translation->program == nullptr) continue;
    const Program& program = *translation->program;
    if (program.eliminated.empty()) continue;
    const Program copy = WithBlocks(program);
    ProgramRun run(program), whole(copy);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (const uint32_t slot : program.state_slots) run.values[slot] = uniform(random);
    ASSERT_TRUE(run.Run(0)) << run.FailureText();
    whole.values = run.values;
    for (size_t b = 0; b < program.eliminated.size(); ++b) {
      const ImplicitBlock& block = program.eliminated[b];
      ASSERT_TRUE(whole.RunBlock(static_cast<uint32_t>(program.blocks.size() + b), 0)) << seed;
      double scale = 1e-12;
      for (const uint32_t slot : block.unknowns) scale = std::max(scale, std::fabs(whole.values[slot]));
      for (const uint32_t slot : block.unknowns) {
        const double off = std::fabs(run.values[slot] - whole.values[slot]) / scale;
        worst = std::max(worst, off);
        EXPECT_LT(off, 1e-12) << seed << ": " << program.sorted->SlotName(slot);
        whole.values[slot] = run.values[slot];
      }
      ++blocks;
      several += block.pivots.size() > 1;
      largest = std::max(largest, block.unknowns.size());
    }
    // Along a direction the tangents are the differences of values: these are linear but for other elements.
    const std::vector<double> before = run.values;
    for (const uint32_t slot : program.state_slots) run.tangents[slot] = uniform(random);
    const std::vector<double> direction = run.tangents;
    run.RunTangent(0);
    const std::vector<double> tangents = run.tangents;
    std::vector<double> two_sided(run.values.size());
    constexpr double kStep = 1e-5;
    for (const double sign : {1.0, -1.0}) {
      run.values = before;
      for (const uint32_t slot : program.state_slots) run.values[slot] += sign * kStep * direction[slot];
      ASSERT_TRUE(run.Run(0)) << run.FailureText();
      for (size_t k = 0; k < two_sided.size(); ++k) two_sided[k] += sign * run.values[k] / (2 * kStep);
    }
    for (const ImplicitBlock& block : program.eliminated) {
      double scale = 1;
      for (const uint32_t slot : block.unknowns)
        scale = std::max({scale, std::fabs(tangents[slot]), std::fabs(before[slot])});
      for (const uint32_t slot : block.unknowns)
        EXPECT_NEAR(tangents[slot], two_sided[slot], 1e-6 * scale) << program.sorted->SlotName(slot);
    }
  }
  std::printf("eliminated: %zu blocks, %zu of several tears, the largest of %zu unknowns, worst %.2g\n",
              blocks, several, largest, worst);
  EXPECT_GT(blocks, 100u);
  EXPECT_GT(several, 10u);
}

// Equal blocks are instances of the same kernels, from states straight to derivatives.
TEST(Elimination, BlocksOfAClassAreABatch) {
  size_t kernels = 0, steps = 0;
  for (const int count : {20, 200}) {
    const RunOf model(Drives(count));
    const Program& program = *model.translation->program;
    EXPECT_EQ(program.eliminated.size(), static_cast<size_t>(count));
    EXPECT_TRUE(program.blocks.empty());
    const FusedProgram fused = FuseDerivatives(program);
    EXPECT_TRUE(fused.compact);
    EXPECT_TRUE(FuseJacobian(program, fused).program.complete);
    if (count > 20) {
      EXPECT_EQ(fused.kernels.size(), kernels);
      EXPECT_EQ(program.steps.size(), steps);
    }
    kernels = fused.kernels.size();
    steps = program.steps.size();
  }
}

// J + ratio^2 Jm, by hand.
TEST(Elimination, GearedDriveHasTheInertiaOfBothSides) {
  RunOf model(Drives(2));
  const Program& program = *model.translation->program;
  ProgramRun run(program);
  const auto slot = [&](const std::string& name) {
    return model.translation->sorted->Slot(FindVariable(*model.translation->equations, *model.names, name));
  };
  run.values[slot("drive[1].motor.armature.i")] = 10;
  run.values[slot("drive[1].load.w")] = 3;
  ASSERT_TRUE(run.Run(0));
  const double torque = 20 * 0.05 * 10 - 0.01 * 3, inertia = 0.075 + 400 * 1e-4;
  EXPECT_NEAR(run.values[slot("drive[1].load.alpha")], torque / inertia, 1e-13 * torque / inertia);
  EXPECT_NEAR(run.values[slot("drive[1].motor.rotor.alpha")], 20 * torque / inertia,
              1e-12 * torque / inertia);
}

// x decides y by e: exact on paper, worthless in numbers if e is small. Such a block stays one.
TEST(Elimination, DoesNotTrustASmallPivot) {
  for (const auto& [e, eliminated] : {std::pair("1", 1u), std::pair("1e-13", 0u)}) {
    const RunOf model(std::string("component Trap { parameter e : Real = ") + e + R"(
    output x, y, z : Real
    equation
      e*y + x = 1
      x + y + z = 2
      x - y + z/2 = 0.5 }
    system S { trap : Trap })");
    const Program& program = *model.translation->program;
    EXPECT_EQ(program.eliminated.size(), eliminated) << e;
    EXPECT_EQ(program.blocks.size(), 1 - eliminated) << e;
    ProgramRun run(program);
    ASSERT_TRUE(run.Run(0));
    for (const double r : run.Residuals(0)) EXPECT_LT(std::fabs(r), 1e-14) << e;
    EXPECT_NEAR(run.values[program.sorted->slot_of_equation[0]], e == std::string("1") ? 0.5 : 1, 1e-12);
  }
}

// Other numbers: the same steps where they serve, another program where they do not.
TEST(Elimination, LooksAtNewNumbers) {
  const RunOf model(R"(component Pair { parameter a : Real = 0.5  output x, y : Real
    equation
      x + a*y = 1
      a*x + y = 2 }
    system S { pair : Pair })");
  Program& program = *model.translation->program;
  ASSERT_EQ(program.eliminated.size(), 1u);
  auto& parameters = model.translation->equations->parameters.values;
  ASSERT_EQ(parameters.size(), 1u);
  EXPECT_TRUE(UseParameters(program));
  parameters[0] = 0.25;
  EXPECT_TRUE(UseParameters(program));
  ProgramRun run(program);
  ASSERT_TRUE(run.Run(0));
  for (const double r : run.Residuals(0)) EXPECT_LT(std::fabs(r), 1e-15);
  parameters[0] = 1 + 1e-12;
  EXPECT_FALSE(UseParameters(program));
}

}  // namespace
}  // namespace cotree::test
