// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "animation/animation_page.h"
#include "cli/spatial_motion.h"

namespace cotree {

/** The scene of a run. Bodies of `BoxBody` and the like have their shape, other bodies one that would turn
like them, a little smaller, so that joints are seen; arms are rods, joints axes. Springs, actuators, rods and
slides are stretched between their frames, what elements exert are arrows where it acts. The curves are those
of the experiment. */
AnimationScene MakeScene(const SpatialMotion& run);

}  // namespace cotree
