// SPDX-License-Identifier: Apache-2.0
#include "mechanics/articulated_numbers.h"

#include <cmath>

namespace cotree {
namespace {

using Row6 = std::array<double, 6>;  // angular, then linear
using Square6 = std::array<Row6, 6>;

Row6 Times(const Square6& m, const Row6& x) {
  Row6 out{};
  for (size_t i = 0; i < 6; ++i) {
    for (size_t k = 0; k < 6; ++k) out[i] += m[i][k] * x[k];
  }
  return out;
}

double Dot6(const Row6& a, const Row6& b) {
  double sum = 0;
  for (size_t i = 0; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}

// How the freedoms of a joint move its child, in axes of the joint.
std::vector<Row6> Freedoms(const SpatialJoint& joint, const SpatialNumbers& numbers) {
  const auto of = [](const Vec3<double>& angular, const Vec3<double>& linear) {
    return Row6{angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]};
  };
  const Vec3<double>& n = joint.n;
  switch (joint.kind) {
    case SpatialKind::kRevolute:
      return {of(n, {})};
    case SpatialKind::kPrismatic:
      return {of({}, n)};
    case SpatialKind::kScrew:
      return {of(n, n * numbers.Number(joint.component, "pitch"))};
    case SpatialKind::kCylindrical:
      return {of(n, {}), of({}, n)};
    case SpatialKind::kPlanar:
      return {of({}, joint.u), of({}, Cross(n, joint.u)), of(n, {})};
    case SpatialKind::kSpherical:
      return {Row6{1}, Row6{0, 1}, Row6{0, 0, 1}};
    case SpatialKind::kFree:
      return {Row6{0, 0, 0, 1}, Row6{0, 0, 0, 0, 1}, Row6{0, 0, 0, 0, 0, 1},
              Row6{1},          Row6{0, 1},          Row6{0, 0, 1}};
    default:
      return {};
  }
}

// m, h, I as a matrix: force and torque by acceleration.
Square6 Inertia(const MassProperties<double>& mass) {
  Square6 out{};
  for (size_t i = 0; i < 3; ++i) {
    const size_t j = (i + 1) % 3, k = (i + 2) % 3;
    out[3 + i][3 + i] = mass.m;
    for (size_t l = 0; l < 3; ++l) out[i][l] = mass.inertia[i][l];
    out[j][3 + k] = out[3 + k][j] = -mass.h[i];  // h x
    out[k][3 + j] = out[3 + j][k] = mass.h[i];
  }
  return out;
}

// How a frame at p, turned by R, moves with the one it is in.
Square6 Carried(const Mat3<double>& R, const Vec3<double>& p) {
  Square6 out{};
  for (size_t i = 0; i < 3; ++i) {
    Vec3<double> axis;
    for (size_t k = 0; k < 3; ++k) axis[k] = R[k][i];
    const Vec3<double> turned = Cross(p, axis);  // (w x p).axis = w.(p x axis)
    for (size_t k = 0; k < 3; ++k) {
      out[i][k] = out[3 + i][3 + k] = axis[k];
      out[3 + i][k] = turned[k];
    }
  }
  return out;
}

void AddMoved(Square6& to, const Square6& inertia, const Square6& carried) {
  for (size_t k = 0; k < 6; ++k) {
    Row6 column{};
    for (size_t i = 0; i < 6; ++i) column[i] = carried[i][k];
    const Row6 force = Times(inertia, column);
    for (size_t l = 0; l < 6; ++l) {
      for (size_t i = 0; i < 6; ++i) to[l][k] += carried[i][l] * force[i];
    }
  }
}

}  // namespace

bool EveryFreedomMovesInertia(const Mechanism& mechanism, const SpatialNumbers& numbers) {
  constexpr double kNothing = 1e-12;  // of what it moves while the others rest
  const size_t count = mechanism.composites.size();
  std::vector<Square6> articulated(count), rigid(count);
  for (size_t c = 1; c < count; ++c) articulated[c] = rigid[c] = Inertia(mechanism.composites[c].mass);
  for (size_t c = count; c-- > 1;) {
    const CompositeBody& body = mechanism.composites[c];
    const SpatialJoint& joint = mechanism.joints[body.joint];
    Square6& I = articulated[c];
    for (const Row6& s : Freedoms(joint, numbers)) {
      const Row6 force = Times(I, s);
      const double own = Dot6(s, force);  // D = S'IS
      if (!(own > kNothing * Dot6(s, Times(rigid[c], s)))) return false;
      for (size_t i = 0; i < 6; ++i) {
        for (size_t k = 0; k < 6; ++k) I[i][k] -= force[i] * force[k] / own;  // I - UU'/D
      }
    }
    if (body.parent == 0) continue;
    // At an angle that is nothing special.
    const FramePlace& carrier = mechanism.frames[joint.reversed ? joint.b : joint.a];
    const double angle = 0.3 + 0.7 * static_cast<double>(c % 7);
    const bool turns = FreedomsOf(joint.kind) > 0 && joint.kind != SpatialKind::kPrismatic;
    const Mat3<double> turned =
        turns ? AboutAxis<double>(joint.n, std::sin(angle), std::cos(angle)) : Mat3<double>::Identity();
    const Square6 carried = Carried(carrier.R * turned, carrier.p);
    AddMoved(articulated[body.parent], I, carried);
    AddMoved(rigid[body.parent], rigid[c], carried);
  }
  return true;
}

}  // namespace cotree
