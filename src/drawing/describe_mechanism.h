// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mechanics/mechanism.h"

namespace cotree {

/** What became of a joint: it gives coordinates, closes a loop, or says what another joint says. */
enum class JointRole : uint8_t { kBranch, kChord, kLeftOut };
JointRole RoleOf(const Mechanism& mechanism, uint32_t joint);
/// "branch", "chord", "left out".
const char* RoleText(JointRole role);

/// "mechanics.ground"; the first body of the composite; where it has none, the first terminal of its frame.
std::string CompositeName(const Model& model, const SystemGraph& graph, const Mechanism& mechanism,
                          uint32_t composite);

/// Whether an element exerts something, as springs do and sensors do not.
bool Exerts(const Model& model, const SystemGraph& graph, const SpatialElement& element);

/// The composites at the two ends; what has one frame acts against the world.
std::pair<uint32_t, uint32_t> EndsOf(const Mechanism& mechanism, const SpatialElement& element);

}  // namespace cotree
