// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace cotree {
namespace {

std::string Duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

ProgressLine::ProgressLine() : begin_(std::chrono::steady_clock::now()), terminal_(isatty(2) != 0) {}

double ProgressLine::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void ProgressLine::Show(double share, const std::function<std::string()>& text) {
  const double now = elapsed();
  // In a pipe a line of its own, ever more seldom.
  if (terminal_ ? now < shown_ + 0.2 || now < 1 : now < std::max(10.0, std::min(2 * shown_, shown_ + 600)))
    return;
  shown_ = now;
  fmt::print(stderr, "{}{:5.1f} %  {}, {} to go{}", terminal_ ? "\r" : "cotree:", 100 * share, text(),
             share > 0 ? Duration(now * (1 - share) / share) : "no end in sight", terminal_ ? "   " : "\n");
  std::fflush(stderr);
}

void ProgressLine::Clear() const {
  if (terminal_ && shown_ > 0) fmt::print(stderr, "\r{:70}\r", "");
}

}  // namespace cotree
