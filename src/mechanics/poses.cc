// SPDX-License-Identifier: Apache-2.0
#include "mechanics/poses.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mechanics/loop_solver.h"

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

std::vector<SpatialTwist> FindTwists(const Mechanism& mechanism, const SpatialNumbers& numbers,
                                     const std::vector<SpatialPose>& poses,
                                     const std::function<double(uint32_t)>& rate) {
  std::vector<SpatialTwist> out(mechanism.composites.size());
  for (uint32_t c = 1; c < out.size(); ++c) {
    const CompositeBody& body = mechanism.composites[c];
    const SpatialJoint& joint = mechanism.joints[body.joint];
    const double sign = joint.reversed ? -1 : 1;
    const auto at = [&](uint32_t k) { return rate(joint.first_freedom + k); };
    SpatialTwist relative;  // in axes of the carrier
    switch (joint.kind) {
      case SpatialKind::kRevolute:
        relative.w = joint.n * (sign * at(0));
        break;
      case SpatialKind::kPrismatic:
        relative.v = joint.n * (sign * at(0));
        break;
      case SpatialKind::kScrew:
        relative.w = joint.n * (sign * at(0));
        relative.v = joint.n * (sign * at(0) * numbers.Number(joint.component, "pitch"));
        break;
      case SpatialKind::kCylindrical:
        relative.w = joint.n * (sign * at(0));
        relative.v = joint.n * (sign * at(1));
        break;
      case SpatialKind::kPlanar:
        relative.w = joint.n * (sign * at(2));
        relative.v = joint.u * at(0) + Cross(joint.n, joint.u) * at(1);
        break;
      case SpatialKind::kSpherical:
      case SpatialKind::kFree: {
        const uint32_t turn = FreedomsOf(joint.kind) - 3;
        relative.w = {{at(turn), at(turn + 1), at(turn + 2)}};  // in axes of b
        if (joint.kind == SpatialKind::kFree) relative.v = {{at(0), at(1), at(2)}};
        break;
      }
      default:
        break;
    }
    const SpatialPose& parent = poses[body.parent];
    const Mat3<double> axes = parent.R * mechanism.frames[joint.reversed ? joint.b : joint.a].R;
    const bool ball = joint.kind == SpatialKind::kSpherical || joint.kind == SpatialKind::kFree;
    const Vec3<double> turning =
        ball ? (joint.reversed ? axes * -relative.w : poses[c].R * relative.w) : axes * relative.w;
    const SpatialTwist& before = out[body.parent];
    out[c].w = before.w + turning;
    out[c].v = before.v + Cross(before.w, poses[c].p - parent.p) + axes * relative.v;
  }
  return out;
}

SpatialPose PoseOf(const Mechanism& mechanism, const std::vector<SpatialPose>& poses, uint32_t frame) {
  const FramePlace& at = mechanism.frames[frame];
  const SpatialPose& composite = poses[at.composite];
  return {composite.R * at.R, composite.p + composite.R * at.p};
}

std::vector<double> CoordinatesOf(const SpatialJoint& joint, const SpatialPose& a, const SpatialPose& b) {
  const Mat3<double> R = Transpose(a.R) * b.R;
  const Vec3<double> p = Transpose(a.R) * (b.p - a.p), v = Cross(joint.n, joint.u), u = R * joint.u;
  const double angle = std::atan2(Dot(v, u), Dot(joint.u, u));
  switch (joint.kind) {
    case SpatialKind::kRevolute:
    case SpatialKind::kScrew:
      return {angle};
    case SpatialKind::kPrismatic:
      return {Dot(joint.n, p)};
    case SpatialKind::kCylindrical:
      return {angle, Dot(joint.n, p)};
    case SpatialKind::kPlanar:
      return {Dot(joint.u, p), Dot(v, p), angle};
    case SpatialKind::kFree:
      return {p[0], p[1], p[2]};
    default:
      return {};
  }
}

bool IsTurnedRound(const Mechanism& mechanism, const std::vector<SpatialPose>& poses) {
  return std::any_of(mechanism.chords.begin(), mechanism.chords.end(), [&](uint32_t k) {
    const SpatialJoint& joint = mechanism.joints[k];
    const bool slides = joint.kind == SpatialKind::kPrismatic;
    const bool turns = joint.kind == SpatialKind::kRevolute || joint.kind == SpatialKind::kCylindrical ||
                       joint.kind == SpatialKind::kPlanar;
    if (!slides && !turns) return false;
    const Mat3<double> R =
        Transpose(PoseOf(mechanism, poses, joint.a).R) * PoseOf(mechanism, poses, joint.b).R;
    return Dot(joint.n, R * joint.n) < 0 || (slides && Dot(joint.u, R * joint.u) < 0);
  });
}

void CarryPositions(const Mechanism& from, const MotionEquations& from_motion, LoopSolver& from_values,
                    const SpatialNumbers& numbers, const Mechanism& to, const MotionEquations& to_motion,
                    LoopSolver& to_values) {
  const std::vector<SpatialPose> poses =
      FindPoses(from, from_motion, numbers, [&](uint32_t reading) { return from_values.reading(reading); });
  std::map<uint32_t, const SpatialJoint*> known;  // by component: joints of the other tree
  for (const SpatialJoint& joint : from.joints) {
    if (joint.in_tree && !joint.component.IsNone()) known[joint.component.value] = &joint;
  }
  const auto quaternion_of = [](const MotionEquations& motion,
                                const SpatialJoint& joint) -> const MotionQuaternion* {
    // A joint without freedoms begins where that of another joint ends.
    if (joint.kind != SpatialKind::kSpherical && joint.kind != SpatialKind::kFree) return nullptr;
    for (const MotionQuaternion& q : motion.quaternions) {
      if (q.first_freedom + 3 == joint.first_freedom + FreedomsOf(joint.kind)) return &q;
    }
    return nullptr;
  };
  for (const SpatialJoint& joint : to.joints) {
    if (!joint.in_tree) continue;
    const MotionQuaternion* turned = quaternion_of(to_motion, joint);
    const auto at = [&](uint32_t k) -> double& {
      return to_values.reading(to_motion.freedoms[joint.first_freedom + k].position);
    };
    const auto other = joint.component.IsNone() ? known.end() : known.find(joint.component.value);
    if (other != known.end()) {
      for (uint32_t k = 0; k < FreedomsOf(joint.kind); ++k) {
        const uint32_t position = from_motion.freedoms[other->second->first_freedom + k].position;
        if (position != UINT32_MAX) at(k) = from_values.reading(position);
      }
      const MotionQuaternion* source = quaternion_of(from_motion, *other->second);
      for (size_t k = 0; k < 4 && turned != nullptr; ++k)
        to_values.reading(turned->numbers[k]) = from_values.reading(source->numbers[k]);
      continue;
    }
    const SpatialPose a = PoseOf(from, poses, joint.a), b = PoseOf(from, poses, joint.b);
    const std::vector<double> coordinates = CoordinatesOf(joint, a, b);
    for (uint32_t k = 0; k < coordinates.size(); ++k) at(k) = coordinates[k];
    const std::array<double, 4> q = QuaternionOf(Transpose(a.R) * b.R);
    for (size_t k = 0; k < 4 && turned != nullptr; ++k) to_values.reading(turned->numbers[k]) = q[k];
  }
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
