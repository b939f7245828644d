// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace cotree {

/** Who wants to know when a stage on the way from a text to a run ends. Listens while it lives, to its thread
alone. */
class StageListener {
 public:
  using Ended = std::function<void(std::string_view stage)>;
  explicit StageListener(Ended ended);
  ~StageListener();
  StageListener(const StageListener&) = delete;
  StageListener& operator=(const StageListener&) = delete;

 private:
  Ended ended_;
  const Ended* before_;
};

/// What was done since the last end of a stage was this one. Costs nothing where nobody listens.
void EndStage(std::string_view stage);

}  // namespace cotree
