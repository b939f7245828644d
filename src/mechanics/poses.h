// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "mechanics/motion_equations.h"

namespace cotree {

/** Where something is in the world. */
struct SpatialPose {
  Mat3<double> R = Mat3<double>::Identity();
  Vec3<double> p{};
};

/// The poses of all composites at given positions: `reading` tells the readings of the main part of `motion`.
std::vector<SpatialPose> FindPoses(const Mechanism& mechanism, const MotionEquations& motion,
                                   const SpatialNumbers& numbers,
                                   const std::function<double(uint32_t)>& reading);

/// The quaternion (w, x, y, z) of an orientation, w not negative.
std::array<double, 4> QuaternionOf(const Mat3<double>& R);

}  // namespace cotree
