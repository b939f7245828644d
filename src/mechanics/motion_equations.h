// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mechanics/mechanism.h"

namespace cotree {

/** A variable that an added part reads: one of a component, or one of another added part. */
struct AddedReading {
  Driver driver;  // component none: `local` of `part`
  uint32_t part = 0, local = 0;
};

/** Variables and equations that the mechanism adds to the system: `scalar.variables` behind `owned` are
readings, in order. */
struct AddedPart {
  ScalarElement scalar;
  ComponentId component;  // whose parameters it sees
  std::vector<AddedReading> readings;
  std::vector<ComponentId>
      homes;  // of variables that it owns: the component they belong to; empty: `component`
};

/** An exogenous input of a component, and the variable of an added part that is its value. */
struct Supply {
  uint32_t slot = 0;  // of SystemGraph::drivers
  uint32_t part = 0, local = 0;
};

/** A freedom of the mechanism. */
struct MotionFreedom {
  ComponentId joint;
  uint32_t index = 0;
  uint32_t position = UINT32_MAX;  // reading of the main part; none: part of a quaternion
  uint32_t velocity = 0;           // reading, and the order of it that is the velocity
  uint32_t velocity_order = 0;
};

/** A joint with a quaternion: its four numbers, as readings of the main part, and the freedoms that turn it.
 */
struct MotionQuaternion {
  std::array<uint32_t, 4> numbers{};
  uint32_t first_freedom = 0;  // of three
};

/** What a loop demands of the positions: `value` = 0; its derivatives by the freedoms. Where something rolls
there is no value: the product of jacobian and velocities is 0, and that is all. */
struct LoopRow {
  ExprId value;  // none: it is about velocities only
  std::vector<std::pair<uint32_t, ExprId>> jacobian;
  std::vector<uint32_t> joints;  // around the loop, of Mechanism::joints, the chord first
  std::string names;             // of those joints: "`crank`, `rod`"
};

/** A coordinate of a joint outside the tree, as the positions of the tree give it; its derivatives by the
freedoms. An angle is known up to whole turns: these are counted by the coordinate. */
struct MotionMeasure {
  Driver coordinate;
  bool turns = false;
  ExprId value;
  std::vector<std::pair<uint32_t, ExprId>> jacobian;
};

/** A variable of the main part that is 0 in every motion: a gap of a loop, its rate, how far a measured
coordinate is from what it measures. What integrates the motion holds it there (simulation/projection.h). */
struct MotionInvariant {
  uint32_t local = 0;
  uint32_t loop = UINT32_MAX;        // of MotionEquations::loops; none: it belongs to no loop
  uint32_t multiplier = UINT32_MAX;  // variable of the main part: what holds it
  uint32_t below = UINT32_MAX;       // of `invariants`: whose rate it is
  bool projected = true;             // false: whatever it is, it stays (the length of a quaternion)
};

/** The equations of motion of a mechanism (docs/theory/mechanics.md, ME.6, ME.6a; with articulated
bodies ME.7, ME.7a, ME.7b; loops ME.8, ME.9, ME.9a, ME.9b).

`tau = M(q) q'' + h(q, q', t)` over the freedoms of the tree, by virtual work: mass matrix from composite
inertias, h from the recursion of Newton and Euler at q'' = 0, all in axes of the bodies, so that only
relative angles appear. Chords add multipliers: `J' lambda` on the left, `J q'' + gamma = 0` beside it.

Every joint's class has the equation `tau[k] = inertia[k]*q''[k] + load[k]`, so joints are storage to the
normal tree and to the user; the mechanism supplies `inertia` (the diagonal of M) and `load` (all the rest).
*/
struct MotionEquations {
  std::vector<AddedPart> parts;
  std::vector<Supply> supplies;
  std::vector<MotionFreedom> freedoms;
  std::vector<MotionQuaternion> quaternions;
  /** An entry of the mass matrix; the matrix is symmetric, entries that are not listed are 0. */
  struct MassEntry {
    uint32_t row, column;  // freedoms, row >= column
    ExprId value;
  };
  std::vector<MassEntry> mass_matrix;
  std::vector<LoopRow> loops;                          // those that are needed
  std::vector<MotionMeasure> measures;                 // coordinates of chords
  std::vector<std::pair<SymbolId, double>> constants;  // present numbers of parameters that are read
  std::vector<std::string> constraints;                // what each multiplier holds
  std::vector<MotionInvariant> invariants;
  std::vector<std::string> redundant;  // rows that others imply: their reactions are not determined
  uint32_t degrees = 0;                // of freedom, loops closed
  uint32_t position_degrees = 0;       // more than that where something rolls

  bool empty() const { return parts.empty(); }
};

/// `tau = M q'' + h`, or the recursion over articulated bodies; automatic: by the number of freedoms.
enum class MotionForm : uint8_t {
  kAutomatic,  // a matrix up to 24 freedoms, for people; recursive above
  kQuick,      // what is quicker to compute: recursive from 4 freedoms on, where no loop is closed
  kMassMatrix,
  kRecursive,
};

/** A mechanism with its equations of motion: positions of another choice of coordinates are found by it. */
struct JointMotion {
  Mechanism mechanism;
  MotionEquations motion;
};

/** A start that is proposed or fixed for a variable of a component. */
struct SpatialStart {
  Driver variable;
  double value = 0;
  bool fixed = false;
};

/// `joint_motion`: of the same mechanism in coordinates of joints only, where some of it is placed. `starts`:
/// which rows of loops follow from others is judged around them.
MotionEquations DeriveMotion(Model& model, const SystemGraph& graph,
                             const std::vector<ScalarElement>& scalars, const SpatialNumbers& numbers,
                             const Mechanism& mechanism, const JointMotion* joint_motion,
                             const std::vector<SpatialStart>& starts, MotionForm form,
                             Diagnostics& diagnostics);

}  // namespace cotree
