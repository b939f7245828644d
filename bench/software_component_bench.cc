// SPDX-License-Identifier: Apache-2.0
// What a call of a software component costs, in process and in a process of its own, by the number of inputs;
// and what loading costs. Prints a table and `result NAME N microseconds`. Usage: software_component_bench
// [calls]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "software_component/software_component.h"

namespace {

using Clock = std::chrono::steady_clock;

double Microseconds(Clock::time_point began) {
  return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

// A component whose output is the sum of n inputs.
constexpr const char* kSource = R"(#include <cotree/component.hpp>
class Sum : public cotree::Component {
 public:
  static constexpr cotree::Parameter kParameters[] = {{"n", 1.0}};
  explicit Sum(const double* p) : n_(static_cast<int>(p[0])) {
    for (int i = 0; i < n_; ++i) AddInput("u" + std::to_string(i));
    AddOutput("y");
  }
  void Outputs(uint32_t, double, const double*, const double* u, double* y) override {
    y[0] = 0.0;
    for (int i = 0; i < n_; ++i) y[0] += u[i];
  }
 private:
  int n_;
};
COTREE_COMPONENT(sum, Sum)
)";

void Measure(const std::string& library, bool in_process, int n, int calls) {
  cotree::ComponentOptions options;
  options.allow = true;
  options.in_process = in_process;
  options.host_program = COTREE_COMPONENT_HOST;
  cotree::ComponentFailure failure;
  const Clock::time_point loading = Clock::now();
  auto component = cotree::LoadSoftwareComponent({library, "sum", "sum", {{"n", n}}}, options, &failure);
  const double load = Microseconds(loading);
  if (!component) {
    std::fprintf(stderr, "%s\n", failure.Text().c_str());
    std::exit(1);
  }
  const std::vector<double> u(static_cast<size_t>(n), 1.0);
  double y[] = {0.0};
  std::vector<double> times(static_cast<size_t>(calls));
  const Clock::time_point all = Clock::now();
  for (double& time : times) {
    const Clock::time_point began = Clock::now();
    if (!component->Outputs(0, 0.0, {}, u, y)) std::exit(1);
    time = Microseconds(began);
  }
  const double mean = Microseconds(all) / calls;
  std::sort(times.begin(), times.end());
  const char* where = in_process ? "in_process" : "own_process";
  std::printf("%-12s %8d %10.2f %10.2f %10.2f %10.2f %12.0f\n", where, n, times.front(),
              times[times.size() / 2], mean, times[times.size() * 99 / 100], load);
  std::printf("result component_call_%s %d %.3f\n", where, n, times[times.size() / 2]);
}

}  // namespace

int main(int count, char** words) {
  const int calls = count > 1 ? std::atoi(words[1]) : 100000;
  char folder[] = "/tmp/cotree_component_bench.XXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  const std::string source = std::string(folder) + "/sum.cc", library = std::string(folder) + "/libsum.so";
  std::ofstream(source) << kSource;
  const std::string command =
      "c++ -std=c++17 -O2 -fPIC -shared -I" COTREE_SOURCE_DIR "/include " + source + " -o " + library;
  if (std::system(command.c_str()) != 0) return 1;
  std::printf("one call, microseconds, of %d calls; loading, microseconds\n", calls);
  std::printf("%-12s %8s %10s %10s %10s %10s %12s\n", "where", "inputs", "best", "median", "mean", "99 %",
              "load");
  for (const bool in_process : {true, false}) {
    for (const int n : {1, 10, 100, 1000}) Measure(library, in_process, n, calls);
  }
  unlink(source.c_str());
  unlink(library.c_str());
  rmdir(folder);
  return 0;
}
