// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <vector>

#include "block_triangular/sorted_system.h"
#include "mechanics/mechanism.h"

namespace cotree {

/// The joints of each chain: those of the tree that carry one another, and those of trees that a loop joins.
/// What is in different chains has no mass in common.
std::vector<std::vector<ComponentId>> FindChains(const Mechanism& mechanism);

/** The rows of M q'' + V + G = Q + J' lambda and J q'' = gamma among some sorted equations (CF.11b). */
struct MotionRows {
  struct Row {
    uint32_t equation = 0;  // sorted
    uint32_t slot = 0;      // the joint's acceleration; of a condition: its multiplier
  };
  std::vector<Row> motion, conditions;
  /// Slots of the accelerations that are unknown: the joints', or of what turns a joint (a motor's).
  std::vector<uint32_t> rates;
};
/// `equations` hold together; `chains`: whose joints are coordinates, others follow them. Empty where these
/// are no equations of motion, or rows and unknowns do not fit.
MotionRows FindMotionRows(const SortedSystem& sorted, const std::vector<std::vector<ComponentId>>& chains,
                          std::span<const uint32_t> equations);

/// Variables that are 0 in every motion, each with the multiplier that holds it (none: UINT32_MAX): how far a
/// loop is open and how fast, how far a measured coordinate is off.
std::map<uint32_t, uint32_t> FindGaps(const SortedSystem& sorted);

/// Sorted equations in the order of computation, those that are looked at together: the blocks, but the
/// equations of motion of one chain are one, and what stands between is before it or behind it.
std::vector<std::vector<uint32_t>> JoinMotion(const SortedSystem& sorted,
                                              const std::vector<std::vector<ComponentId>>& chains);

}  // namespace cotree
