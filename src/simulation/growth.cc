// SPDX-License-Identifier: Apache-2.0
#include "simulation/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cotree {

void Growth::Add(double time, std::span<const double> values) {
  if (time_ <= half_ && time > half_) before_ = largest_;
  for (size_t k = 0; k < values.size(); ++k) largest_[k] = std::max(largest_[k], std::fabs(values[k]));
  if (!begun_) first_ = largest_;
  begun_ = true;
  time_ = time;
}

std::string Growth::Note(const Program& program, std::span<const uint32_t> slots) const {
  constexpr double kHuge = 1e100, kMany = 1e30, kStill = 1e6;
  size_t worst = slots.size(), count = 0;
  double most = 0;
  bool state_found = false;
  for (size_t k = 0; k < slots.size(); ++k) {
    const double ratio = largest_[k] / std::max(1.0, first_[k]);
    if (largest_[k] <= 10 * first_[k]) continue;  // large from the beginning
    if (largest_[k] < kHuge && (ratio < kMany || largest_[k] < kStill * before_[k])) continue;
    ++count;
    const bool state = std::find(program.state_slots.begin(), program.state_slots.end(), slots[k]) !=
                       program.state_slots.end();
    if (state < state_found || (state == state_found && !(ratio > most))) continue;
    state_found = state;
    most = ratio;
    worst = k;
  }
  if (count == 0) return {};
  return fmt::format(
      "`{}` grows without bound: it reaches {:.3g}, from {:.3g} at the start{}. The system is unstable, or "
      "(with "
      "fixed steps) the step is too long",
      program.sorted->SlotName(slots[worst]), largest_[worst], first_[worst],
      count > 2   ? fmt::format("; {} other variables do so, too", count - 1)
      : count > 1 ? "; another variable does so, too"
                  : "");
}

}  // namespace cotree
