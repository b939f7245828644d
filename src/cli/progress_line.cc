// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace cotree {
namespace {

std::string Duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

ProgressLine::ProgressLine() : begin_(std::chrono::steady_clock::now()), show_(isatty(2) != 0) {}

double ProgressLine::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void ProgressLine::Show(double share, const std::function<std::string()>& text) {
  if (!show_) return;
  const double now = elapsed();
  if (now < shown_ + 0.2 || now < 1) return;
  shown_ = now;
  fmt::print(stderr, "\r{:5.1f} %  {}, {} to go   ", 100 * share, text(),
             Duration(share > 0 ? now * (1 - share) / share : 0));
  std::fflush(stderr);
}

void ProgressLine::Clear() const {
  if (shown_ > 0) fmt::print(stderr, "\r{:70}\r", "");
}

}  // namespace cotree
