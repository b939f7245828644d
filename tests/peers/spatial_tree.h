// SPDX-License-Identifier: Apache-2.0
// A tree of rigid bodies as plain data, for the programs of others with which we compare our mechanics.
//
// The frame of a link is the frame of its joint after the motion of the joint: at q = 0 both coincide. All
// that belongs to a link (centre of mass, inertia) is given in its frame, the frame of its joint in the frame
// of the parent link. Coordinates and velocities stand link after link, per joint:
//
//   kind         coordinates                          velocities
//   fixed        none                                 none
//   revolute     angle about axis                     its rate
//   prismatic    displacement along axis              its rate
//   screw        angle; displacement = pitch * angle  its rate
//   cylindrical  angle, displacement                  their rates
//   universal    angle about axis, then about axis2,  their rates
//                which is carried along
//   planar       x along u, y along v, angle          their rates
//   spherical    quaternion (w, x, y, z): link axes   angular velocity of the link relative to the parent,
//                to joint axes                        in LINK axes
//   free         origin of the link in joint axes,    rate of the origin in joint axes, angular velocity in
//                quaternion                           LINK axes
//
// Accelerations are the rates of the velocities; forces are dual to the velocities (force * velocity =
// power).
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace cotree::peers {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;        // rows
using Quaternion = std::array<double, 4>;      // w, x, y, z
using InertiaEntries = std::array<double, 6>;  // xx yy zz xy xz yz

enum class JointKind {
  kFixed,
  kRevolute,
  kPrismatic,
  kScrew,
  kCylindrical,
  kUniversal,
  kSpherical,
  kPlanar,
  kFree
};

std::string_view NameOf(JointKind kind);
int PositionCount(JointKind kind);
int VelocityCount(JointKind kind);

/** A rigid body with the joint that carries it. Vectors that the kind does not use are ignored. */
struct Link {
  int parent = -1;  // -1: ground; a parent stands before its children
  JointKind kind = JointKind::kFixed;
  Vector3 axis{0, 0, 1};   // unit; planar: the normal
  Vector3 axis2{1, 0, 0};  // universal: unit, perpendicular to axis
  Vector3 u{1, 0, 0};      // planar: unit, perpendicular to axis
  Vector3 v{0, 1, 0};      // planar: axis x u
  double pitch = 0;        // screw, m/rad
  Vector3 xyz{};           // the frame of the joint in the frame of the parent link
  Vector3 rpy{};           // Rz(yaw) Ry(pitch) Rx(roll)
  double mass = 1;
  Vector3 com{};
  InertiaEntries inertia{1, 1, 1, 0, 0, 0};  // about the centre of mass
};

struct SpatialTree {
  Vector3 gravity{0, 0, -9.81};
  std::vector<Link> links;
};

/** A state of a tree; accelerations for the inverse problem, forces for the forward one. */
struct TreeState {
  std::vector<double> q;
  std::vector<double> qd;
  std::vector<double> qdd;
  std::vector<double> tau;
};

struct TreeCase {
  SpatialTree tree;
  TreeState state;
};

int PositionCount(const SpatialTree& tree);
int VelocityCount(const SpatialTree& tree);
/// The number of links from the ground to the farthest one.
int DepthOf(const SpatialTree& tree);
bool Has(const SpatialTree& tree, JointKind kind);

Matrix3 RotationOfRpy(const Vector3& rpy);
Quaternion QuaternionOfRpy(const Vector3& rpy);
Matrix3 RotationOf(const Quaternion& quaternion);
Quaternion Product(const Quaternion& a, const Quaternion& b);

struct RandomTreeOptions {
  int min_links = 8;
  int max_links = 20;
  double min_mass = 1e-3;  // log-uniform between the two
  double max_mass = 1e3;
  bool screws = true;
  bool free = true;
};

/// Mixed joints, branches, turned and shifted frames; about two of three trees are at least 8 links deep
/// (where they have as many). The same on every machine for the same seed, up to the last digits of sin, cos
/// and exp.
TreeCase RandomTree(uint64_t seed, const RandomTreeOptions& options = {});

/// Text, one fact per line, numbers that read back to the same bits.
void WriteTree(std::ostream& out, const TreeCase& tree_case);
/// False at the end of the input. Throws std::runtime_error where the text is wrong.
bool ReadTree(std::istream& in, TreeCase* tree_case);

/** What a peer answers for one tree, in our order and conventions. */
struct PeerAnswer {
  bool supported = true;
  std::string reason;                     // where it is not
  std::vector<std::vector<double>> mass;  // the mass matrix
  std::vector<double> inverse;            // forces that give qdd
  std::vector<double> acceleration;       // what tau gives
};

void WriteAnswer(std::ostream& out, const PeerAnswer& answer);
bool ReadAnswer(std::istream& in, PeerAnswer* answer);

/// The same tree in the language, with the package `mechanics`.
std::string CotText(const SpatialTree& tree);

}  // namespace cotree::peers
