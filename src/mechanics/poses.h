// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "mechanics/motion_equations.h"

namespace cotree {

class LoopSolver;

/** Where something is in the world.
Theory: docs/theory/mechanics.md, ME.13. */
struct SpatialPose {
  Mat3<double> R = Mat3<double>::Identity();
  Vec3<double> p{};
};

/// The poses of all composites at given positions: `reading` tells the readings of the main part of `motion`.
std::vector<SpatialPose> FindPoses(const Mechanism& mechanism, const MotionEquations& motion,
                                   const SpatialNumbers& numbers,
                                   const std::function<double(uint32_t)>& reading);

/** How something moves, in axes of the world. */
struct SpatialTwist {
  Vec3<double> w{};  // angular velocity
  Vec3<double> v{};  // of the origin of its frame
};

/// How all composites move in these poses: `rate` tells the velocities of the freedoms of `motion`.
std::vector<SpatialTwist> FindTwists(const Mechanism& mechanism, const SpatialNumbers& numbers,
                                     const std::vector<SpatialPose>& poses,
                                     const std::function<double(uint32_t)>& rate);

/// Where a frame is, given the poses of composites.
SpatialPose PoseOf(const Mechanism& mechanism, const std::vector<SpatialPose>& poses, uint32_t frame);

/// The coordinates of a joint whose frames are in these poses, angles within half a turn; quaternions apart.
std::vector<double> CoordinatesOf(const SpatialJoint& joint, const SpatialPose& a, const SpatialPose& b);

/// Whether a chord is put together the wrong way round: directions that are at right angles to each other are
/// so with the axis of b against that of a, too.
bool IsTurnedRound(const Mechanism& mechanism, const std::vector<SpatialPose>& poses);

/// Positions in one choice of coordinates from those in another of the same mechanism: joints of the tree
/// have theirs in both, placed composites are where the others put them.
void CarryPositions(const Mechanism& from, const MotionEquations& from_motion, LoopSolver& from_values,
                    const SpatialNumbers& numbers, const Mechanism& to, const MotionEquations& to_motion,
                    LoopSolver& to_values);

/// The quaternion (w, x, y, z) of an orientation, w not negative.
std::array<double, 4> QuaternionOf(const Mat3<double>& R);

}  // namespace cotree
