// SPDX-License-Identifier: Apache-2.0
// CVODE, which solves implicit blocks in each evaluation, and IDA in residual form, on grids of diodes of
// several sizes. Prints a table and `result METHOD N seconds`. Usage: residual_bench [largest side of a grid,
// default 40]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <initializer_list>

#include "../tests/diode_grid.h"
#include "../tests/run_support.h"

namespace {

using cotree::Method;

// Of the processor, the best of three.
double Seconds(const cotree::test::RunOf& run, Method method, cotree::Trajectory* out) {
  cotree::SimulationOptions options;
  options.stop = 0.01;
  options.rtol = 1e-6;
  options.interval = 1e-3;
  options.method = method;
  double best = 1e9;
  for (int k = 0; k < 3 && (k == 0 || best < 2); ++k) {
    const std::clock_t begin = std::clock();
    *out = Simulate(*run.translation->program, run.translation->starts, options,
                    run.translation->program->state_slots);
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    if (out->ok) continue;
    std::fprintf(stderr, "%s\n", out->problem.c_str());
    std::exit(1);
  }
  return best;
}

}  // namespace

int main(int count, char** arguments) {
  const size_t largest = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 40;
  std::printf("%6s %8s %10s %10s %10s %8s %8s %8s\n", "side", "states", "unknowns", "CVODE s", "IDA s",
              "ratio", "steps", "steps");
  for (const size_t n : std::initializer_list<size_t>{3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 60}) {
    if (n > largest) break;
    const cotree::test::RunOf run(cotree::test::DiodeGrid(n));
    size_t unknowns = 0;
    for (const cotree::ImplicitBlock& block : run.translation->program->blocks)
      unknowns = std::max(unknowns, block.unknowns.size());
    cotree::Trajectory bdf, ida;
    const double a = Seconds(run, Method::kBdf, &bdf), b = Seconds(run, Method::kIda, &ida);
    std::printf("%6zu %8zu %10zu %10.3f %10.3f %8.1f %8lu %8lu\n", n,
                run.translation->program->state_slots.size(), unknowns, a, b, a / b, bdf.steps, ida.steps);
    std::printf("result bdf %zu %.4f\nresult ida %zu %.4f\n", n, a, n, b);
    std::fflush(stdout);
  }
}
