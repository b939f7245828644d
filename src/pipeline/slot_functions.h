// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "program/run_program.h"

namespace cotree {

/** Some slots of a program as functions of states, with their derivatives: by those blocks alone that they
need. So positions have values where accelerations have none (loops that are not closed, bars in line). */
class SlotFunctions {
 public:
  SlotFunctions(std::shared_ptr<const SortedSystem> sorted, const Program& program);

  /** What a slot follows from. */
  struct Reach {
    std::vector<uint32_t> states;  // slots of them, ascending; of a state: itself
    bool allowed = true;           // false: a slot of `forbidden` is among what it needs
  };
  Reach ReachOf(uint32_t slot, const std::vector<bool>& forbidden) const;
  /// From here on these slots are computed.
  void Compute(const std::vector<uint32_t>& slots);

  double& operator[](uint32_t slot) { return values_[slot]; }
  /// False: no values.
  bool Run(double time);
  /// Along a direction of states at the last values; then derivatives have values.
  void Differentiate(const std::vector<std::pair<uint32_t, double>>& direction, double time);
  double Derivative(uint32_t slot) const { return run_->tangents[slot]; }

 private:
  template <class F>
  void OverNeeded(uint32_t slot, F&& f) const;

  std::shared_ptr<const SortedSystem> sorted_;
  const Program& program_;
  std::vector<double> values_;
  std::vector<uint32_t> block_of_;      // by sorted equation
  mutable std::vector<uint32_t> seen_;  // by slot: the last walk that came by
  mutable uint32_t walk_ = 0;
  std::unique_ptr<Program> own_;
  std::unique_ptr<ProgramRun> run_;
};

}  // namespace cotree
