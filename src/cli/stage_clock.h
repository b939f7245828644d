// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cotree {

/** What a stage took. */
struct StageCost {
  std::string name;          // as in EndStage
  double wall = 0, cpu = 0;  // seconds; of all threads
  uint64_t memory = 0;       // bytes that are resident at its end,
  uint64_t peak = 0;         // and at most while it went on
};

/** Time and memory by stages: what was done since the last end of a stage belongs to the one that ends. A
stage that ends several times is one, in the place of its first end. */
class StageClock {
 public:
  StageClock();
  void End(std::string_view stage);
  const std::vector<StageCost>& stages() const { return stages_; }
  /// Of all stages.
  StageCost Sum() const;

 private:
  std::vector<StageCost> stages_;
  std::chrono::steady_clock::time_point wall_;
  std::chrono::steady_clock::time_point looked_;  // at the memory
  double cpu_ = 0;
};

/// In words: "read and parse" for "read".
std::string_view StageTitle(std::string_view stage);

}  // namespace cotree
