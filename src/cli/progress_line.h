// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace cotree {

/** A line on the terminal while something takes its time: how far, how fast, how long still; none in the
first second. Where stderr is no terminal, a line after 10 s, 20 s, 40 s, ..., every 10 minutes at the latest.
*/
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
  bool terminal_;
  double shown_ = 0;
};

}  // namespace cotree
