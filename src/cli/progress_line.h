// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace cotree {

/** A line on the terminal while something takes its time: how far, how fast, how long still. Nothing where
stderr is no terminal, nor in the first second. */
class ProgressLine {
 public:
  ProgressLine();
  /// Seconds since it was made.
  double elapsed() const;
  /// `share`: 0 to 1. `text` is asked only if something is shown.
  void Show(double share, const std::function<std::string()>& text);
  void Clear() const;

 private:
  std::chrono::steady_clock::time_point begin_;
  bool show_;
  double shown_ = 0;
};

}  // namespace cotree
