// SPDX-License-Identifier: Apache-2.0
// Trees of rigid bodies from the standard input (spatial_tree.h), answered by Simbody on the standard output.
//
// Conventions of Simbody, seen from ours:
// - Axes are fixed: z of Pin, Screw, Cylinder and Planar, x of Slider, x then y of Universal. We turn the
// frames
//   of the joint on both sides.
// - Planar: angle, x, y; Free: the quaternion before the position, the angular velocity before the linear
// one.
// - The angular velocities of Ball and Free are in the axes of the parent side: we turn them by the attitude.
//   That serves the accelerations too, since the rate of the turn acts on the angular velocity along itself.
// - Inertia is about the origin of the body, not about the centre of mass.

#include <Simbody.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <vector>

#include "spatial_tree.h"

namespace {

using namespace cotree::peers;

SimTK::Vec3 Vec(const Vector3& a) {
  return {a[0], a[1], a[2]};
}

/// The rotation with these columns. They are perpendicular units up to rounding.
SimTK::Rotation Columns(const Vector3& x, const Vector3& y, const Vector3& z) {
  return SimTK::Rotation(SimTK::Mat33(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]), true);
}

SimTK::Rotation Rotation(const Matrix3& a) {
  return SimTK::Rotation(
      SimTK::Mat33(a[0][0], a[0][1], a[0][2], a[1][0], a[1][1], a[1][2], a[2][0], a[2][1], a[2][2]), true);
}

Vector3 Cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A unit vector perpendicular to a.
Vector3 Across(const Vector3& a) {
  Vector3 unit{};
  unit[std::abs(a[0]) < 0.6 ? 0 : 1] = 1;
  Vector3 across = Cross(a, unit);
  const double length = std::hypot(across[0], across[1], across[2]);
  for (double& entry : across) entry /= length;
  return across;
}

/// The axes of Simbody's joint in our joint frame.
SimTK::Rotation AxesOf(const Link& link) {
  switch (link.kind) {
    case JointKind::kRevolute:
    case JointKind::kScrew:
    case JointKind::kCylindrical: {
      const Vector3 x = Across(link.axis);
      return Columns(x, Cross(link.axis, x), link.axis);
    }
    case JointKind::kPrismatic: {
      const Vector3 y = Across(link.axis);
      return Columns(link.axis, y, Cross(link.axis, y));
    }
    case JointKind::kUniversal:
      return Columns(link.axis, link.axis2, Cross(link.axis, link.axis2));
    case JointKind::kPlanar:
      return Columns(link.u, link.v, link.axis);
    default:
      return {};
  }
}

SimTK::MassProperties MassOf(const Link& link) {
  const auto [xx, yy, zz, xy, xz, yz] = link.inertia;
  const SimTK::Inertia about_center(xx, yy, zz, xy, xz, yz);
  return {link.mass, Vec(link.com), about_center.shiftFromMassCenter(Vec(link.com), link.mass)};
}

SimTK::MobilizedBody Added(SimTK::MobilizedBody& parent, const Link& link) {
  using Mobilized = SimTK::MobilizedBody;
  const SimTK::Rotation axes = AxesOf(link);
  const SimTK::Transform inner(Rotation(RotationOfRpy(link.rpy)) * axes, Vec(link.xyz));
  const SimTK::Transform outer(axes);
  const SimTK::Body::Rigid body(MassOf(link));
  switch (link.kind) {
    case JointKind::kFixed:
      return Mobilized::Weld(parent, inner, body, outer);
    case JointKind::kRevolute:
      return Mobilized::Pin(parent, inner, body, outer);
    case JointKind::kPrismatic:
      return Mobilized::Slider(parent, inner, body, outer);
    case JointKind::kScrew:
      return Mobilized::Screw(parent, inner, body, outer, link.pitch);
    case JointKind::kCylindrical:
      return Mobilized::Cylinder(parent, inner, body, outer);
    case JointKind::kUniversal:
      return Mobilized::Universal(parent, inner, body, outer);
    case JointKind::kSpherical:
      return Mobilized::Ball(parent, inner, body, outer);
    case JointKind::kPlanar:
      return Mobilized::Planar(parent, inner, body, outer);
    case JointKind::kFree:
      return Mobilized::Free(parent, inner, body, outer);
  }
  return {};
}

/** Our velocities in Simbody: theirs = turn * ours, block by block, where each block is a permutation and,
for angular velocities, a rotation. The inverse is the transpose, so forces go the same way. */
class Places {
 public:
  void Add(const Link& link, const double* q, size_t first) {
    const auto plain = [&](std::initializer_list<size_t> order) {
      for (const size_t k : order) rows_.push_back({{first + k, 1.0}});
    };
    switch (link.kind) {
      case JointKind::kPlanar:
        return plain({2, 0, 1});
      case JointKind::kSpherical:
        return AddTurned(RotationOf({q[0], q[1], q[2], q[3]}), first);
      case JointKind::kFree:
        AddTurned(RotationOf({q[3], q[4], q[5], q[6]}), first + 3);
        return plain({0, 1, 2});
      default:
        for (int k = 0; k < VelocityCount(link.kind); ++k) plain({static_cast<size_t>(k)});
    }
  }

  SimTK::Vector ToTheirs(const std::vector<double>& ours) const {
    SimTK::Vector theirs(static_cast<int>(rows_.size()), 0.0);
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (const Entry& entry : rows_[i]) theirs[static_cast<int>(i)] += entry.factor * ours[entry.place];
    }
    return theirs;
  }
  std::vector<double> ToOurs(const SimTK::Vector& theirs) const {
    std::vector<double> ours(rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (const Entry& entry : rows_[i]) ours[entry.place] += entry.factor * theirs[static_cast<int>(i)];
    }
    return ours;
  }

 private:
  struct Entry {
    size_t place;
    double factor;
  };

  void AddTurned(const Matrix3& rotation, size_t first) {
    for (const Vector3& row : rotation) {
      rows_.push_back({{first, row[0]}, {first + 1, row[1]}, {first + 2, row[2]}});
    }
  }

  std::vector<std::vector<Entry>> rows_;
};

SimTK::Vector PositionsOf(const Link& link, const double* q) {
  const int count = PositionCount(link.kind);
  SimTK::Vector theirs(count);
  for (int k = 0; k < count; ++k) {
    int from = k;
    if (link.kind == JointKind::kPlanar) from = (k + 2) % 3;
    if (link.kind == JointKind::kFree) from = (k + 3) % 7;
    theirs[k] = q[from];
  }
  return theirs;
}

PeerAnswer AnswerOf(const TreeCase& tree_case) {
  const SpatialTree& tree = tree_case.tree;
  PeerAnswer answer;
  for (const Link& link : tree.links) {
    const Vector3 v = Cross(link.axis, link.u);
    if (link.kind == JointKind::kPlanar &&
        std::hypot(v[0] - link.v[0], v[1] - link.v[1], v[2] - link.v[2]) > 1e-12) {
      answer.reason = "a planar joint whose v is not axis x u";
      answer.supported = false;
      return answer;
    }
  }

  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  std::vector<SimTK::MobilizedBody> bodies;
  for (const Link& link : tree.links) {
    SimTK::MobilizedBody& parent = link.parent < 0 ? static_cast<SimTK::MobilizedBody&>(matter.updGround())
                                                   : bodies[static_cast<size_t>(link.parent)];
    bodies.push_back(Added(parent, link));
  }
  SimTK::State state = system.realizeTopology();
  system.realizeModel(state);

  Places places;
  size_t position = 0, velocity = 0;
  for (size_t i = 0; i < tree.links.size(); ++i) {
    const double* q = tree_case.state.q.data() + position;
    const JointKind kind = tree.links[i].kind;
    if (PositionCount(kind) > 0) bodies[i].setQFromVector(state, PositionsOf(tree.links[i], q));
    // Simbody numbers the velocities body after body, as we do.
    if (VelocityCount(kind) > 0 && bodies[i].getFirstUIndex(state) != static_cast<int>(velocity)) {
      throw std::runtime_error("Simbody counts otherwise");
    }
    places.Add(tree.links[i], q, velocity);
    position += static_cast<size_t>(PositionCount(kind));
    velocity += static_cast<size_t>(VelocityCount(kind));
  }
  state.updU() = places.ToTheirs(tree_case.state.qd);
  system.realize(state, SimTK::Stage::Dynamics);

  SimTK::Vector_<SimTK::SpatialVec> weights(matter.getNumBodies(), SimTK::SpatialVec(SimTK::Vec3(0)));
  for (size_t i = 0; i < tree.links.size(); ++i) {
    matter.addInStationForce(state, bodies[i].getMobilizedBodyIndex(), Vec(tree.links[i].com),
                             tree.links[i].mass * Vec(tree.gravity), weights);
  }

  SimTK::Vector inverse;
  matter.calcResidualForceIgnoringConstraints(state, SimTK::Vector(static_cast<int>(velocity), 0.0), weights,
                                              places.ToTheirs(tree_case.state.qdd), inverse);
  answer.inverse = places.ToOurs(inverse);

  SimTK::Vector acceleration;
  SimTK::Vector_<SimTK::SpatialVec> of_bodies;
  matter.calcAccelerationIgnoringConstraints(state, places.ToTheirs(tree_case.state.tau), weights,
                                             acceleration, of_bodies);
  answer.acceleration = places.ToOurs(acceleration);

  SimTK::Matrix mass;
  matter.calcM(state, mass);
  answer.mass.assign(velocity, std::vector<double>(velocity));
  for (size_t column = 0; column < velocity; ++column) {
    std::vector<double> unit(velocity);
    unit[column] = 1;
    const SimTK::Vector product = mass * places.ToTheirs(unit);
    const std::vector<double> ours = places.ToOurs(product);
    for (size_t i = 0; i < velocity; ++i) answer.mass[i][column] = ours[i];
  }
  return answer;
}

}  // namespace

int main() {
  try {
    for (TreeCase tree_case; ReadTree(std::cin, &tree_case);) WriteAnswer(std::cout, AnswerOf(tree_case));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "simbody_peer: %s\n", error.what());
    return 1;
  }
  return 0;
}
