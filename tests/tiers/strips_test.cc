// SPDX-License-Identifier: Apache-2.0
// A step of an explicit method in strips gives the bits of whole passes, and reads nothing that is not there
// yet.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "pipeline/translate.h"
#include "product_support.h"
#include "program/evaluate_fused.h"
#include "program/plan_strips.h"
#include "simulation/events.h"

namespace cotree::test {
namespace {

constexpr uint32_t kStages = 6;

// Slopes of all stages, states of the last, and what is done at the end.
struct Step {
  std::vector<double> k[kStages + 1], stage, next, end;
};

double Weight(uint32_t stage, uint32_t j) {
  return 1e-4 * (1 + 0.37 * stage - 0.21 * j);
}

double Combined(const Step& step, const std::vector<double>& y, uint32_t stage, size_t i) {
  double sum = 0;
  for (uint32_t j = 0; j < stage; ++j) sum += Weight(stage, j) * step.k[j][i];
  return y[i] + sum;
}

// How many strips; 0: whole passes.
size_t Compare(const std::string& text, ProgramTier tier, bool local, bool keeps = false) {
  NoReader reader;
  const auto loaded = LoadModelText("test.cot", text, reader);
  const auto translation = Translate(*loaded);
  EXPECT_TRUE(translation->ok) << Render(loaded->diagnostics, loaded->model.files);
  if (!translation->ok) return 0;
  const Program& program = *translation->program;
  ProgramRun run(program);
  run.switch_time = 1e-9;
  Events events(run, program, nullptr);
  EXPECT_TRUE(events.Begin(translation->starts, {0, false}).ok);
  FusedEvaluation right(run, FuseDerivatives(program), tier);
  EXPECT_EQ(right.program().work > 0, keeps);
  const StripPlan plan = PlanStrips(right.program(), kStages, 88);
  EXPECT_EQ(!plan.tasks.empty(), local) << "width " << plan.width << ", reach " << plan.reach;
  if (plan.tasks.empty()) return 0;

  const size_t n = program.state_slots.size();
  std::mt19937 random(3);
  std::vector<double> y(n);
  for (double& x : y) x = 1e-2 * static_cast<double>(random() % 1000) - 5;
  Step whole, strips;
  for (Step* step : {&whole, &strips}) {
    for (std::vector<double>& k : step->k) k.assign(n, NAN);
    for (std::vector<double>* v : {&step->stage, &step->next, &step->end}) v->assign(n, NAN);
    right.Evaluate(0, y.data(), step->k[0].data());
  }
  const auto time = [](uint32_t stage) { return 1e-3 * stage; };
  for (uint32_t s = 1; s <= kStages; ++s) {
    std::vector<double>& at = s == kStages ? whole.next : whole.stage;
    for (size_t i = 0; i < n; ++i) at[i] = Combined(whole, y, s, i);
    right.Evaluate(time(s), at.data(), whole.k[s].data());
  }
  for (size_t i = 0; i < n; ++i) whole.end[i] = whole.k[kStages][i] - whole.next[i];

  std::vector<double> spare(n, NAN);
  right.BeginParts(kStages);
  size_t ends = 0;
  for (const StripTask& task : plan.tasks) {
    std::vector<double>& at = task.stage == kStages ? strips.next : strips.stage;
    switch (task.kind) {
      case StripTask::Kind::kCombine:
        for (size_t i = task.first; i < task.first + task.count; ++i)
          at[i] = Combined(strips, y, task.stage, i);
        break;
      case StripTask::Kind::kRun:
        right.RunPart(task.step, task.first, task.count, time(task.stage), at.data(),
                      strips.k[task.stage].data());
        break;
      case StripTask::Kind::kSingle:
        right.RunPart(task.step, 0, 1, time(task.stage), at.data(), spare.data());
        strips.k[task.stage][task.first] = spare[task.first];
        break;
      case StripTask::Kind::kEnd:
        for (size_t i = task.first; i < task.first + task.count; ++i)
          strips.end[i] = strips.k[kStages][i] - strips.next[i];
        ++ends;
        break;
    }
  }
  size_t different = 0;
  const auto compare = [&](const std::vector<double>& a, const std::vector<double>& b) {
    for (size_t i = 0; i < n; ++i) {
      if (std::bit_cast<uint64_t>(a[i]) != std::bit_cast<uint64_t>(b[i]) || std::isnan(a[i])) ++different;
    }
  };
  for (uint32_t s = 0; s <= kStages; ++s) compare(whole.k[s], strips.k[s]);
  compare(whole.next, strips.next);
  compare(whole.end, strips.end);
  EXPECT_EQ(different, 0u) << "width " << plan.width << ", reach " << plan.reach;
  return ends;
}

// Neighbours, with other kernels at both ends.
const char* const kChain =
    "system Chain { parameter n : Integer = 9000  m : Mass[n](m = 1 kg)  k : Spring[n](k = 100 N/m)\n"
    "  connect m.a -- k.a  connect k[1:n-1].b -- m[2:n].a  connect k[n].b -- translational.ground }\n";
// Currents of diodes are kept, and read at two places: those of one kind lead to the next node and those of
// the other to the node before the last.
const char* const kDiodes =
    "system Diodes { parameter n : Integer = 20000  d : Diode[n-1]  e : Diode[n-2]\n"
    "  c : Capacitor[n](C = 1 mF)  connect c[1:n-1].p -- d.p  connect d.n -- c[2:n].p\n"
    "  connect c[3:n].p -- e.p  connect e.n -- c[1:n-2].p  connect c.n -- electrical.ground }\n";
// Everything depends on one voltage.
const char* const kStar =
    "system Star { parameter n : Integer = 20000  r : Resistor[n](R = 1 ohm)  c : Capacitor[n](C = 1 mF)\n"
    "  z : Capacitor(C = 1 F)  connect z.n -- electrical.ground  connect c.n -- electrical.ground\n"
    "  connect r.n -- c.p  connect r.p -- z.p }\n";

TEST(Strips, GiveTheBitsOfWholePasses) {
  for (const ProgramTier tier : {ProgramTier::kInterpreter, ProgramTier::kCompiled}) {
    EXPECT_GT(Compare(kChain, tier, true), 4u);
    EXPECT_GT(Compare(kDiodes, tier, true, true), 4u);
  }
}

TEST(Strips, AreNotTakenWhereOneStateIsReadByAll) {
  Compare(kStar, ProgramTier::kInterpreter, false, true);
}

TEST(Strips, AreNotTakenWhereAllFitsIntoTheCache) {
  std::string small = kChain;
  small.replace(small.find("9000"), 4, "900");
  Compare(small, ProgramTier::kInterpreter, false);
}

}  // namespace
}  // namespace cotree::test
