// SPDX-License-Identifier: Apache-2.0
#include "cli/stage_clock.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace cotree {
namespace {

using Clock = std::chrono::steady_clock;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Resident {
  uint64_t now = 0, peak = 0;  // bytes
};
Resident ReadResident() {
  Resident out;
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return out;
  char line[256];
  unsigned long long kilobytes = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "VmRSS: %llu", &kilobytes) == 1) out.now = kilobytes * 1024;
    if (std::sscanf(line, "VmHWM: %llu", &kilobytes) == 1) out.peak = kilobytes * 1024;
  }
  std::fclose(file);
  out.peak = std::max(out.peak, out.now);
  return out;
}

// The peak counts from now on. Where the system does not allow that, a stage has the peak of all before it.
void ForgetPeak() {
  std::FILE* file = std::fopen("/proc/self/clear_refs", "w");
  if (file == nullptr) return;
  std::fputs("5", file);
  std::fclose(file);
}

}  // namespace

StageClock::StageClock() : wall_(Clock::now()), looked_(wall_), cpu_(CpuSeconds()) {
  ForgetPeak();
}

void StageClock::End(std::string_view stage) {
  const auto now = Clock::now();
  const double cpu = CpuSeconds();
  auto at = std::find_if(stages_.begin(), stages_.end(), [&](const StageCost& s) { return s.name == stage; });
  const bool fresh = at == stages_.end();
  if (fresh) at = stages_.insert(stages_.end(), StageCost{std::string(stage)});
  at->wall += std::chrono::duration<double>(now - wall_).count();
  at->cpu += cpu - cpu_;
  // Looking at the memory takes longer than a row of output.
  if (fresh || now - looked_ > std::chrono::milliseconds(5)) {
    const Resident resident = ReadResident();
    at->memory = resident.now;
    at->peak = std::max(at->peak, resident.peak);
    ForgetPeak();
    looked_ = Clock::now();
  }
  wall_ = Clock::now();
  cpu_ = CpuSeconds();
}

StageCost StageClock::Sum() const {
  StageCost out{"all"};
  for (const StageCost& s : stages_) {
    out.wall += s.wall;
    out.cpu += s.cpu;
    out.peak = std::max(out.peak, s.peak);
    out.memory = s.memory;
  }
  return out;
}

std::string_view StageTitle(std::string_view stage) {
  static constexpr std::pair<std::string_view, std::string_view> kTitles[] = {
      {"read", "read and parse"},
      {"model", "model"},
      {"graph", "graph"},
      {"tree", "tree"},
      {"motion", "motion"},
      {"equations", "equations"},
      {"sort", "sort"},
      {"program", "program"},
      {"checks", "checks"},
      {"names", "names"},
      {"start", "start values"},
      {"fuse", "fuse and compile"},
      {"run", "run"},
      {"output", "output"},
  };
  for (const auto& [name, title] : kTitles) {
    if (name == stage) return title;
  }
  return stage;
}

}  // namespace cotree
