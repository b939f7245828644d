// SPDX-License-Identifier: Apache-2.0
// Blocks solved by their tears: the same values as the whole block, and never wrong ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

/// The same program without tears.
std::unique_ptr<Program> Untorn(const Program& program) {
  auto out = std::make_unique<Program>(program);
  for (ImplicitBlock& block : out->blocks) {
    block.tearing = {};
    block.tearing.tears.resize(block.unknowns.size());
  }
  return out;
}

struct Comparison {
  uint64_t torn = 0, refused = 0;
  double worst = 0;  // difference relative to the size of the values
};

/* Values and tangents of both programs at random states. */
Comparison Compare(const Program& program, int points, uint32_t seed) {
  const auto whole_program = Untorn(program);
  ProgramRun torn(program), whole(*whole_program);
  Comparison out;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < points; ++k) {
    for (const uint32_t slot : program.state_slots) torn.values[slot] = whole.values[slot] = uniform(random);
    if (!whole.Run(0) || !torn.Run(0)) continue;
    for (const uint32_t slot : program.state_slots)
      torn.tangents[slot] = whole.tangents[slot] = uniform(random);
    torn.RunTangent(0);
    whole.RunTangent(0);
    for (const auto& [a, b] :
         {std::pair(&torn.values, &whole.values), std::pair(&torn.tangents, &whole.tangents)}) {
      double scale = 1e-9;
      for (const double x : *b) scale = std::max(scale, std::fabs(x));
      for (size_t i = 0; i < a->size(); ++i)
        out.worst = std::max(out.worst, std::fabs((*a)[i] - (*b)[i]) / scale);
    }
  }
  out.torn = torn.torn_solves;
  out.refused = torn.torn_refused;
  return out;
}

std::string DiodeLadder(int cells, std::mt19937& random) {
  std::string text = "system S {\n  v : VoltageSource(V = 2 V)\n", before = "v.p";
  for (int k = 1; k <= cells; ++k) {
    const std::string n = std::to_string(k);
    text += "  r" + n + " : Resistor(R = " + std::to_string(1 + random() % 100) + " ohm)\n";
    const bool diode = k == cells || random() % 3 == 0;
    text += "  g" + n + (diode ? " : Diode\n" : " : Resistor(R = 1 kohm)\n");
    if (random() % 4 == 0)
      text += "  c" + n + " : Capacitor(C = 1 uF)\n  connect c" + n + ".p -- g" + n + ".p\n  connect c" + n +
              ".n -- electrical.ground\n";
    text += "  connect " + before + " -- r" + n + ".p\n  connect r" + n + ".n -- g" + n + ".p\n  connect g" +
            n + ".n -- electrical.ground\n";
    before = "r" + n + ".n";
  }
  return text + "  connect v.n -- electrical.ground\n}\n";
}

TEST(Tearing, GivesWhatTheWholeBlockGives) {
  std::mt19937 random(11);
  Comparison all;
  int systems = 0;
  for (; systems < 60; ++systems) {
    const RunOf model(DiodeLadder(2 + static_cast<int>(random() % 12), random));
    const Comparison c = Compare(*model.translation->program, 4, static_cast<uint32_t>(systems));
    EXPECT_LT(c.worst, 1e-8);
    all.torn += c.torn;
    all.refused += c.refused;
    all.worst = std::max(all.worst, c.worst);
  }
  printf("torn: systems %d, solves by tears %llu, refused %llu, worst %.2g\n", systems,
         static_cast<unsigned long long>(all.torn), static_cast<unsigned long long>(all.refused), all.worst);
  EXPECT_GT(all.torn, 150u);
}

// x decides y by a coefficient of 1e-13: exact on paper, worthless in numbers. The whole block has the
// answer.
TEST(Tearing, DoesNotTrustASmallPivot) {
  const RunOf model(R"(component Trap { parameter e : Real = 1e-13  output x, y, z : Real
    equation
      e*y + x - z = 1
      x + y + sin(z)/4 = 2
      z + x - y + cos(x)/4 = 0.5 }
    system S { trap : Trap })");
  const Program& program = *model.translation->program;
  ASSERT_EQ(program.blocks.size(), 1u);
  const Comparison c = Compare(program, 1, 1);
  EXPECT_LT(c.worst, 1e-12);
  ProgramRun run(program);
  ASSERT_TRUE(run.Run(0));
  for (const double r : run.Residuals(0)) EXPECT_LT(std::fabs(r), 1e-12);
}

}  // namespace
}  // namespace cotree::test
