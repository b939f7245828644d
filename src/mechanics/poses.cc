// SPDX-License-Identifier: Apache-2.0
#include "mechanics/poses.h"

#include <cmath>

namespace cotree {

std::vector<SpatialPose> FindPoses(const Mechanism& mechanism, const MotionEquations& motion,
                                   const SpatialNumbers& numbers,
                                   const std::function<double(uint32_t)>& reading) {
  std::vector<SpatialPose> out(mechanism.composites.size());
  for (uint32_t c = 1; c < out.size(); ++c) {
    const CompositeBody& body = mechanism.composites[c];
    const SpatialJoint& joint = mechanism.joints[body.joint];
    const double sign = joint.reversed ? -1 : 1;
    const auto at = [&](uint32_t k) {
      const uint32_t position = motion.freedoms[joint.first_freedom + k].position;
      return position == UINT32_MAX ? 0 : reading(position);
    };
    const auto turned = [&](double angle) {
      return AboutAxis<double>(joint.n, std::sin(sign * angle), std::cos(angle));
    };
    SpatialPose relative;
    switch (joint.kind) {
      case SpatialKind::kRevolute:
        relative.R = turned(at(0));
        break;
      case SpatialKind::kPrismatic:
        relative.p = joint.n * (sign * at(0));
        break;
      case SpatialKind::kScrew:
        relative.R = turned(at(0));
        relative.p = joint.n * (sign * at(0) * numbers.Number(joint.component, "pitch"));
        break;
      case SpatialKind::kCylindrical:
        relative.R = turned(at(0));
        relative.p = joint.n * (sign * at(1));
        break;
      case SpatialKind::kPlanar:
        relative.R = turned(at(2));
        relative.p = joint.u * at(0) + Cross(joint.n, joint.u) * at(1);
        break;
      case SpatialKind::kSpherical:
      case SpatialKind::kFree: {
        if (joint.kind == SpatialKind::kFree) relative.p = {{at(0), at(1), at(2)}};
        for (const MotionQuaternion& q : motion.quaternions) {
          if (q.first_freedom != joint.first_freedom + FreedomsOf(joint.kind) - 3) continue;
          relative.R = OfQuaternion<double>(
              {reading(q.numbers[0]), reading(q.numbers[1]), reading(q.numbers[2]), reading(q.numbers[3])});
        }
        if (joint.reversed) relative.R = Transpose(relative.R);
        break;
      }
      default:
        break;
    }
    const FramePlace& carrier = mechanism.frames[joint.reversed ? joint.b : joint.a];
    const SpatialPose& parent = out[body.parent];
    out[c].R = parent.R * carrier.R * relative.R;
    out[c].p = parent.p + parent.R * (carrier.p + carrier.R * relative.p);
  }
  return out;
}

std::array<double, 4> QuaternionOf(const Mat3<double>& R) {
  std::array<double, 4> q{};
  const double trace = R[0][0] + R[1][1] + R[2][2];
  // The largest of the four is found first: nothing small is divided by.
  size_t largest = 0;
  std::array<double, 4> squares = {1 + trace, 1 + 2 * R[0][0] - trace, 1 + 2 * R[1][1] - trace,
                                   1 + 2 * R[2][2] - trace};
  for (size_t k = 1; k < 4; ++k) {
    if (squares[k] > squares[largest]) largest = k;
  }
  const double value = std::sqrt(squares[largest]) / 2, part = 1 / (4 * value);
  q[largest] = value;
  const auto difference = [&](size_t i, size_t j) { return (R[i][j] - R[j][i]) * part; };
  const auto sum = [&](size_t i, size_t j) { return (R[i][j] + R[j][i]) * part; };
  if (largest == 0) {
    q[1] = difference(2, 1), q[2] = difference(0, 2), q[3] = difference(1, 0);
  } else {
    const size_t i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = difference(k, j);
    q[j + 1] = sum(i, j);
    q[k + 1] = sum(i, k);
  }
  if (q[0] < 0) {
    for (double& v : q) v = -v;
  }
  return q;
}

}  // namespace cotree
