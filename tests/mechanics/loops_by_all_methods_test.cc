// SPDX-License-Identifier: Apache-2.0
// Mechanisms with loops by BDF and in residual form, beside the explicit method at a far smaller tolerance.
#include <gtest/gtest.h>

#include <map>

#include "curves.h"
#include "product_support.h"
#include "run_support.h"
#include "simulation/error_scale.h"

namespace cotree::test {
namespace {

struct Mechanism {
  const char* file;
  double stop;
};

/// The largest difference of states, each against the largest of its kind; others by themselves.
double Apart(const RunOf& run, const Trajectory& a, const Trajectory& b) {
  const std::vector<uint8_t> kinds = StateKinds(*run.translation->program);
  const auto group = [&](size_t k) { return kinds[k] < 4 ? kinds[k] : 4 + k; };
  std::map<size_t, double> size;
  for (size_t k = 0; k < kinds.size(); ++k) {
    for (const double x : a.columns[k]) size[group(k)] = std::max(size[group(k)], std::fabs(x));
  }
  EXPECT_EQ(a.times.size(), b.times.size());
  double worst = 0;
  for (size_t k = 0; k < kinds.size(); ++k) {
    for (size_t i = 0; i < std::min(a.times.size(), b.times.size()) && size[group(k)] > 0; ++i)
      worst = std::max(worst, std::fabs(a.columns[k][i] - b.columns[k][i]) / size[group(k)]);
  }
  return worst;
}

TEST(LoopsByAllMethods, KeepToAHundredTolerances) {
  const Mechanism mechanisms[] = {
      {"four_bar", 1},  {"slider_crank_offset", 0.5}, {"rssr", 0.5},         {"cardan_double", 0.3},
      {"bennett", 0.5}, {"stewart_driven", 0.2},      {"rccc_springs", 0.5}, {"five_bar", 0.4}};
  for (const Mechanism& m : mechanisms) {
    const RunOf run(ReadText(kRoot / "tests/mechanics/models" / (std::string(m.file) + ".cot")));
    SimulationOptions options;
    options.stop = m.stop;
    options.interval = m.stop / 20;
    options.rtol = 1e-11;
    options.method = Method::kExplicit;
    const Program& program = *run.translation->program;
    const Trajectory exact = Simulate(program, run.translation->starts, options, program.state_slots);
    ASSERT_TRUE(exact.ok) << m.file << ": " << exact.problem;
    for (const Method method : {Method::kBdf, Method::kIda}) {
      for (const double rtol : {1e-6, 1e-9, 1e-11}) {
        options.method = method;
        options.rtol = rtol;
        const Trajectory found = Simulate(program, run.translation->starts, options, program.state_slots);
        ASSERT_TRUE(found.ok) << m.file << ", " << MethodName(method) << ": " << found.problem;
        EXPECT_LE(Apart(run, exact, found), std::max(100 * rtol, 1e-7))
            << m.file << ", " << MethodName(method) << ", " << rtol;
        // That rounding limits it is said.
        const bool says = found.method.find("closed to rounding") != std::string::npos;
        EXPECT_EQ(says, rtol < 1e-10) << found.method;
      }
    }
  }
}

}  // namespace
}  // namespace cotree::test
