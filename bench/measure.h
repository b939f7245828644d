// SPDX-License-Identifier: Apache-2.0
// How text is measured on its way through stages: each run in a fresh process, the best of several.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace cotree::bench {

using Text = std::function<std::string(size_t)>;
/// What is measured; ends the process with a code other than 0 if it fails. Keeps its result alive to the
/// end.
using Work = std::function<void(std::string)>;

struct Measurement {
  double seconds = 0, megabytes = 0;
};

// In a process of its own, so that memory is that of one run; the text is made before the clock starts, as if
// just read.
inline Measurement Measure(const Text& make, const Work& work, size_t n) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    std::string text = make(n);
    rusage before{};
    getrusage(RUSAGE_SELF, &before);
    const auto begin = std::chrono::steady_clock::now();
    work(std::move(text));
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    const double result[2] = {elapsed.count(), static_cast<double>(after.ru_maxrss) / 1024};
    if (write(ends[1], result, sizeof result) != sizeof result) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  double result[2] = {};
  const bool got = read(ends[0], result, sizeof result) == sizeof result;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!got || status != 0) {
    std::fprintf(stderr, "a run failed at %zu\n", n);
    std::exit(1);
  }
  return {result[0], result[1]};
}

inline Measurement Best(const Text& make, const Work& work, size_t n) {
  Measurement best = Measure(make, work, n);
  const int repetitions = 6;
  for (int i = 0; i < repetitions; ++i) {
    const Measurement next = Measure(make, work, n);
    best.seconds = std::min(best.seconds, next.seconds);
    best.megabytes = std::max(best.megabytes, next.megabytes);
  }
  return best;
}

inline void Family(const char* name, const char* unit, const Text& make, const Work& work,
                   const std::vector<size_t>& sizes) {
  std::printf("\n%-24s %12s %10s %12s %10s\n", name, unit, "seconds", "us each", "MB");
  std::vector<double> x, y;
  for (const size_t n : sizes) {
    const Measurement m = Best(make, work, n);
    std::printf("%-24s %12zu %10.4f %12.4f %10.1f\n", "", n, m.seconds,
                m.seconds / static_cast<double>(n) * 1e6, m.megabytes);
    std::printf("result %s %zu %.5f %.1f\n", name, n, m.seconds, m.megabytes);
    x.push_back(std::log(static_cast<double>(n)));
    y.push_back(std::log(m.seconds));
  }
  // The exponent of growth over the sizes, by least squares.
  const auto k = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < x.size(); ++i) sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  std::printf("exponent %s %.3f\n", name, (k * sxy - sx * sy) / (k * sxx - sx * sx));
}

/// 10,000, 30,000, ... lines.
inline std::vector<size_t> LineCounts(size_t largest) {
  std::vector<size_t> lines;
  for (size_t n = 10000; n <= largest; n *= 10) {
    lines.push_back(n);
    if (n * 3 <= largest) lines.push_back(n * 3);
  }
  return lines;
}

}  // namespace cotree::bench
