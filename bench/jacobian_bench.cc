// SPDX-License-Identifier: Apache-2.0
// The Jacobian by class kernels (PR.13) beside an evaluation of the derivatives, by the interpreter and by
// machine code. Both in turn, CPU time, the median of many. Prints
//   result MODEL TIER states entries ns_of_derivatives ns_of_jacobian ratio
// Usage: jacobian_bench MODEL.cot ...
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <vector>

#include "pipeline/translate.h"
#include "program/evaluate_fused.h"
#include "simulation/events.h"

namespace {

double Now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

double Median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

int Measure(const std::string& path, cotree::ProgramTier tier) {
  cotree::DiskReader reader;
  const auto loaded = cotree::LoadModel(path, reader);
  const auto translation = cotree::Translate(*loaded);
  if (!translation->ok) return 1;
  const cotree::Program& program = *translation->program;
  cotree::ProgramRun run(program);
  run.switch_time = 1e-12;
  cotree::Events events(run, program);
  if (!events.Begin(translation->starts, {0, false}).ok) return 1;
  cotree::FusedEvaluation derivatives(run, cotree::FuseDerivatives(program), tier);
  cotree::FusedJacobian fused = cotree::FuseJacobian(program, derivatives.program());
  const std::string name = std::filesystem::path(path).stem().string();
  const char* tier_name = tier == cotree::ProgramTier::kInterpreter ? "interpreter" : "code";
  if (!fused.program.complete) {
    std::printf("result %s %s: no class kernels\n", name.c_str(), tier_name);
    return 0;
  }
  const size_t entries = fused.rows.size();
  cotree::FusedEvaluation jacobian(run, std::move(fused.program), tier);
  std::vector<double> states, results(program.state_slots.size()), matrix = fused.values;
  for (const uint32_t slot : derivatives.program().state_slots) states.push_back(run.values[slot]);
  // As often as makes 0.2 ms, so that the clock does not count.
  const auto repeated = [&](cotree::FusedEvaluation& what, double* to, int times) {
    const double begin = Now();
    for (int k = 0; k < times; ++k) what.Evaluate(0, states.data(), to);
    return (Now() - begin) / times;
  };
  const auto often = [&](cotree::FusedEvaluation& what, double* to) {
    repeated(what, to, 3);
    return std::max(1, static_cast<int>(2e5 / repeated(what, to, 3)));
  };
  const int of_derivatives = often(derivatives, results.data()), of_jacobian = often(jacobian, matrix.data());
  std::vector<double> a, b;
  for (int turn = 0; turn < 201; ++turn) {
    a.push_back(repeated(derivatives, results.data(), of_derivatives));
    b.push_back(repeated(jacobian, matrix.data(), of_jacobian));
  }
  std::printf("result %s %s %zu %zu %.0f %.0f %.2f\n", name.c_str(), tier_name, states.size(), entries,
              Median(a), Median(b), Median(b) / Median(a));
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  for (int k = 1; k < count; ++k) {
    for (const auto tier : {cotree::ProgramTier::kInterpreter, cotree::ProgramTier::kCompiled}) {
      if (Measure(arguments[k], tier) != 0) {
        std::fprintf(stderr, "%s cannot be run\n", arguments[k]);
        return 1;
      }
    }
  }
}
