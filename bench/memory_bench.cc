// SPDX-License-Identifier: Apache-2.0
// Memory of a run by states: bytes in use when a model was translated, and the most at the end of a step.
// What was freed is not counted: the program keeps it (base/large_vector.h). Prints
//   result MODEL METHOD states bytes_translated bytes_running growth_by_state running_by_state
// Usage: memory_bench STOP MODEL.cot ...    (STOP in seconds; steps of a 100th of it)
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "pipeline/translate.h"
#include "simulation/simulate.h"

namespace {

double InUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

int Measure(const std::string& path, double stop, cotree::Method method) {
  cotree::DiskReader reader;
  const auto loaded = cotree::LoadModel(path, reader);
  const auto translation = cotree::Translate(*loaded);
  if (!translation->ok) return 1;
  const double before = InUse();
  const auto states = static_cast<double>(translation->program->state_slots.size());
  double during = 0;
  cotree::SimulationOptions options;
  options.stop = stop;
  options.rtol = 1e-4;
  options.method = method;
  options.progress = [&](double) {
    during = std::max(during, InUse());
    return true;
  };
  const cotree::Trajectory run =
      Simulate(*translation->program, translation->starts, options, {translation->program->state_slots[0]});
  if (!run.ok) {
    std::fprintf(stderr, "%s\n", run.problem.c_str());
    return 1;
  }
  std::printf("result %s %s %.0f %.0f %.0f %.0f %.0f\n", std::filesystem::path(path).stem().string().c_str(),
              method == cotree::Method::kBdf ? "bdf" : "erk", states, before, during,
              (during - before) / states, during / states);
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  for (int k = 2; k < count; ++k) {
    for (const auto method : {cotree::Method::kExplicit, cotree::Method::kBdf}) {
      const int failed = Measure(arguments[k], std::strtod(arguments[1], nullptr), method);
      if (failed != 0) return failed;
    }
  }
}
