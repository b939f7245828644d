// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "spatial/algebra.h"
#include "system_graph/parameter_table.h"

namespace cotree {

/** What a component is in space: `spatial = ...` in its class. Frames, parameters and variables are found by
their names (docs/manual/mechanics.md).

Theory: docs/theory/mechanics.md, ME.14. */
enum class SpatialKind : uint8_t {
  kGravity,      // g[3], in the world
  kBody,         // at frame a: m, center[3], I[6] = xx yy zz xy xz yz about the centre
  kArm,          // b is at r[3] of a, turned by rpy[3]
  kRevolute,     // b turns against a about n[3]
  kPrismatic,    // b slides against a along n[3]
  kScrew,        // turns about n and moves on by `pitch` a radian
  kCylindrical,  // turns about n and slides along it
  kPlanar,       // slides along u and n x u, and turns about n
  kSpherical,    // turns about a point: quaternion Q[4], angular velocity w[3] in axes of b
  kFree,         // place r[3], velocity v[3] in axes of a; Q[4], w[3] as above
  kReaction,     // rigid, but what goes through it is told: f[3], t[3]
  kRod,          // the origins of a and b keep the distance `length`
  kRolling,      // a disc about n of b rolls on the plane across `normal` of a, without slipping
  kElement       // no constraint: reads places and speeds, exerts f[3] and t[3]
};
/// None: no such kind.
std::optional<SpatialKind> SpatialKindNamed(std::string_view name);
bool IsJoint(SpatialKind kind);
/// Degrees of freedom of a joint.
uint32_t FreedomsOf(SpatialKind kind);

/** A rigid step from one frame to another of the same composite. */
struct RigidStep {
  ComponentId arm;
  bool backward = false;  // from b to a
};

/** A frame in its composite. */
struct FramePlace {
  uint32_t composite = UINT32_MAX;
  uint32_t via = UINT32_MAX;  // the frame before it on the way from the composite's own frame; none: that
  RigidStep step;             // from `via`
  Mat3<double> R;             // orientation in the composite's frame
  Vec3<double> p;             // place in it, at the present numbers of the parameters
};

/** Bodies that are rigidly joined (Algorithm A of paper 000), with the frame everything in them is measured
in. The first composite is the world. */
struct CompositeBody {
  uint32_t frame = 0;
  std::vector<ComponentId> bodies;
  uint32_t joint = UINT32_MAX;   // of Mechanism::joints: to its parent in the tree; none: the world
  uint32_t parent = UINT32_MAX;  // composite
  MassProperties<double> mass;   // about its frame, at the present numbers
};

/** A joint between two composites. */
struct SpatialJoint {
  ComponentId component;  // none: no joint at all, the place of a composite in the world as its coordinates
  SpatialKind kind = SpatialKind::kRevolute;
  uint32_t a = 0, b = 0;  // frames
  bool in_tree = false;
  bool reversed = false;       // in the tree, b is on the side of the parent
  Vec3<double> n{{0, 0, 1}};   // unit
  Vec3<double> u{{1, 0, 0}};   // unit, perpendicular to n
  uint32_t first_freedom = 0;  // of a joint in the tree: its freedoms are numbered on
};

struct SpatialElement {
  ComponentId component;
  uint32_t a = UINT32_MAX, b = UINT32_MAX;  // frames; b none: against the world
};

/** The mechanical system graph, reduced (paper 000 §3.2): composites as vertices, joints as edges, a tree of
joints that gives the coordinates, chords that give loop constraints.

Theory: docs/theory/mechanics.md, ME.1, ME.2, ME.12. */
struct Mechanism {
  std::vector<FramePlace> frames;
  std::vector<CompositeBody> composites;  // parents before children
  std::vector<SpatialJoint> joints;
  std::vector<uint32_t> chords;  // joints that close loops
  /** A joint that says what another says already. */
  struct Dropped {
    uint32_t joint, kept;
  };
  std::vector<Dropped> dropped;
  std::vector<SpatialElement> elements;
  std::vector<ComponentId> gravity;
  uint32_t freedoms = 0;  // of the tree
  bool placed = false;    // places of composites are coordinates where joints could give them

  bool empty() const { return frames.empty(); }
};

/** Reads numbers of components by the names of their parameters. */
class SpatialNumbers {
 public:
  SpatialNumbers(const Model& model, const SystemGraph& graph, const std::vector<ScalarElement>& scalars,
                 const ParameterTable& parameters)
      : model_(model), graph_(graph), scalars_(scalars), parameters_(parameters) {}
  /// Where a parameter stands in the block of a component; none: its class has none of that name.
  uint32_t Find(ComponentId id, std::string_view name, uint32_t element = 0) const;
  double Number(ComponentId id, std::string_view name, uint32_t element = 0) const;
  Vec3<double> Vector(ComponentId id, std::string_view name) const {
    return {{Number(id, name, 0), Number(id, name, 1), Number(id, name, 2)}};
  }

 private:
  const Model& model_;
  const SystemGraph& graph_;
  const std::vector<ScalarElement>& scalars_;
  const ParameterTable& parameters_;
};

/** Which coordinates describe the positions. A joint's `preference` counts more: above 0 its coordinates are
taken before others, below 0 they are not. What then hangs on no coordinate gets its place in the world, six
freedoms, and the joints around it become loop constraints (McPhee's branch coordinates). */
enum class Coordinates : uint8_t {
  kAsChosen,  // by the system (`coordinates = absolute`) and the joints
  kOfJoints,  // of joints only, whatever is preferred
  kAbsolute   // as if the system said `coordinates = absolute`
};

/// Empty where the system has nothing in space. What is wrong is reported.
Mechanism FindMechanism(const Model& model, const SystemGraph& graph, const SpatialNumbers& numbers,
                        Coordinates coordinates, Diagnostics& diagnostics);
/// "elbow", "place of forearm".
std::string JointName(const Model& model, const SystemGraph& graph, const Mechanism& mechanism,
                      const SpatialJoint& joint);

}  // namespace cotree
