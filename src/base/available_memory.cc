// SPDX-License-Identifier: Apache-2.0
#include "base/available_memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace cotree {
namespace {

// A file with one number; UINT64_MAX where it is missing, or says "max".
uint64_t NumberIn(const char* path) {
  uint64_t number = 0;
  return std::ifstream(path) >> number ? number : UINT64_MAX;
}

}  // namespace

uint64_t AvailableMemory() {
  uint64_t free = UINT64_MAX;
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("MemAvailable:")) free = std::stoull(line.substr(13)) << 10;
  }
  // What the group has taken counts its cache of files, which it gives back: only its limit says something.
  free = std::min(free, NumberIn("/sys/fs/cgroup/memory.max"));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    free = std::min<uint64_t>(free, limit.rlim_cur);
  return free;
}

}  // namespace cotree
