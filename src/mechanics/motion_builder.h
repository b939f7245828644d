// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "linear_algebra/matrix.h"
#include "mechanics/motion_equations.h"
#include "spatial/sym.h"

namespace cotree {

using SymVec = Vec3<Sym>;
using SymMat = Mat3<Sym>;

class LoopSolver;

/** A force and a torque about the origin of a composite's frame, in its axes. */
struct Wrench {
  SymVec force, torque;
};

/** A velocity or acceleration of a composite: of its frame's origin and of its orientation, in its axes. */
struct Twist {
  SymVec linear, angular;
};

/* Derives the equations of motion. Intermediate results become variables of the main part (Let), so that each
is computed once; numbers and plain symbols do not.

Theory: docs/theory/mechanics.md, ME.3 (ME.3a, ME.3b), ME.4 (ME.4a), ME.5 (ME.5a), ME.8 (ME.8a), ME.11. */
class MotionBuilder {
 public:
  MotionBuilder(Model& model, const SystemGraph& graph, const std::vector<ScalarElement>& scalars,
                const SpatialNumbers& numbers, const Mechanism& mechanism, const JointMotion* joint_motion,
                const std::vector<SpatialStart>& starts, bool recursive, Diagnostics& diagnostics)
      : model_(model),
        pool_(model.expressions),
        graph_(graph),
        scalars_(scalars),
        numbers_(numbers),
        mechanism_(mechanism),
        joint_motion_(joint_motion),
        starts_(starts),
        recursive_(recursive),
        diagnostics_(diagnostics) {}

  MotionEquations Run();

 private:
  /** A freedom of a joint in the tree: how it moves the child, in the child's axes. */
  struct Freedom {
    uint32_t joint, index;
    Sym velocity, acceleration;
    SymVec angular, linear;
    SymbolId position;  // none: part of a quaternion
  };
  /** A composite seen from its parent. */
  struct Link {
    SymMat R;                            // axes of the child in those of the parent
    SymVec r;                            // the child's origin
    SymVec rate;                         // its velocity as seen from the parent, in the parent's axes
    SymVec turning;                      // angular velocity against the parent, in the child's axes
    uint32_t first = 0, count = 0;       // freedoms
    std::array<SymbolId, 4> quaternion;  // none: it has no quaternion
    std::string name;
  };

  /** While it lives, new variables belong to a component: to the joint that carries a composite, say. */
  class Home {
   public:
    Home(MotionBuilder& builder, ComponentId component) : builder_(builder), before_(builder.home_) {
      builder.home_ = component;
    }
    Home(MotionBuilder& builder, uint32_t composite);
    ~Home() { builder_.home_ = before_; }
    Home(const Home&) = delete;
    Home& operator=(const Home&) = delete;

   private:
    MotionBuilder& builder_;
    ComponentId before_;
  };

  // motion_builder.cc: variables and readings
  Sym Let(const std::string& name, const Sym& value);
  SymVec Let(const std::string& name, const SymVec& value);
  SymMat Let(const std::string& name, const SymMat& value, bool symmetric = false);
  Twist Let(const std::string& name, const Twist& value) {
    return {Let(name + ".a", value.linear), Let(name + ".alpha", value.angular)};
  }
  MassProperties<Sym> Let(const std::string& name, const MassProperties<Sym>& value);
  Sym NewUnknown(const std::string& name, uint32_t* local);
  void AddEquation(const Sym& left, const Sym& right, bool initial = false);
  Sym Read(ComponentId component, SymbolId symbol, uint32_t index, int order);
  /// A variable of another part that is added.
  Sym ReadAdded(uint32_t part, uint32_t local, SymbolId symbol);
  /// Makes it an invariant.
  MotionInvariant& AddInvariant(const std::string& name, const Sym& value);
  Sym Constant(ComponentId component, std::string_view parameter, uint32_t element = 0);
  SymVec ConstantVector(ComponentId component, std::string_view parameter);
  const Variable* FindVariable(ComponentId component, std::string_view name, uint32_t* index) const;
  bool Has(ComponentId component, std::string_view name) const;
  /// Makes `value` the exogenous variable of a component, if its class has one of this name.
  void SupplyTo(ComponentId component, std::string_view name, uint32_t element, const Sym& value);
  void SupplyTo(ComponentId component, std::string_view name, const SymVec& value);
  void Finish();
  std::string NameOf(ComponentId id) const { return ComponentName(model_, graph_, id); }
  std::string NameOf(const SpatialJoint& joint) const { return JointName(model_, graph_, mechanism_, joint); }

  // motion_builder.cc: kinematics
  void MakeLinks();
  void MakeLink(uint32_t composite);
  /** The variables of a composite that is placed in the world. */
  struct PlaceVariables {
    SymVec r, v, w, v_rate, w_rate;
    std::array<Sym, 4> Q;
  };
  PlaceVariables AddPlace(const std::string& name);
  SymVec PlaceOf(uint32_t frame);  // in its composite
  const SymMat& WorldAxes(uint32_t composite);
  const SymVec& WorldPlace(uint32_t composite);
  const Twist& Velocity(uint32_t composite);      // in axes of the composite
  const Twist& Acceleration(uint32_t composite);  // true ones less gravity, in axes of the composite
  Twist Carry(uint32_t composite, const Twist& parent_bias, bool accelerated, bool plain = false);
  std::vector<uint32_t> PathTo(uint32_t composite, uint32_t ancestor) const;
  uint32_t CommonAncestor(uint32_t a, uint32_t b) const;

  // derive_motion.cc
  void AddMassProperties();
  void AddElements();
  Wrench NeededFor(uint32_t composite, const Twist& acceleration);
  void AddBias();
  void AddMassMatrix();
  void AddLoops();  // close_loops.cc
  void AddReactions();
  void AddTotals();
  void SupplyJoints();
  void SupplyJoint(uint32_t freedom, const Sym& inertia, const Sym& load);
  Sym DriveOf(const Freedom& freedom);
  void AddRecursive();  // derive_recursive.cc
  Wrench ToParent(uint32_t composite, const Wrench& wrench, const std::string& name);

  /** A frame of a composite, in the world. */
  struct FrameMotion {
    SymVec place, velocity, turning;  // world axes
    SymMat axes;
  };
  FrameMotion MotionOf(uint32_t frame);
  /** Its acceleration: the true one less gravity. */
  struct FrameAcceleration {
    SymVec linear, angular;  // world axes
  };
  FrameAcceleration AccelerationOf(uint32_t frame, bool bias);
  void Exert(uint32_t composite, const Wrench& wrench);

  /** A row of a loop constraint: an equal and opposite wrench on two composites, and what must vanish. */
  struct Row {
    uint32_t a, b;  // composites
    Wrench on_a, on_b;
    Sym value, rate, bias;  // constraint, its rate, and its second derivative at q'' = 0
    bool velocity = false;  // no constraint on positions: the rate is all
    std::string name;
    double size = 1;                   // lever arm: it moves so far for a place that moves by 1 m
    uint32_t chord = 0;                // joint
    std::map<uint32_t, Sym> jacobian;  // by freedom
  };
  /** The frames of a chord: where b is as seen from a, in world axes. */
  struct Chord {
    FrameMotion a, b;
    SymVec gap, speed, turning;  // b less a
    SymVec linear, angular;      // their accelerations at q'' = 0
    SymVec seen, seen_bias;      // the speed of b as seen from a, which turns; its rate at q'' = 0
  };
  Chord ChordOf(const SpatialJoint& joint);
  Wrench At(uint32_t frame, const SymVec& force, const SymVec& torque);
  Row Along(const SpatialJoint& joint, const Chord& chord, const Vec3<double>& direction);
  Row About(const SpatialJoint& joint, const Chord& chord);
  double Length() const;
  std::vector<Row> RowsOf(const SpatialJoint& joint);
  void AddRolling(const SpatialJoint& joint, const Chord& chord, std::vector<Row>& rows);
  void MakeJacobian(Row& row, const std::string& label);
  Sym Exerted(const Row& row, const Sym& multiplier);
  /// Their numbers cannot be sought one by one: such positions are found beforehand (pipeline/assemble.h).
  bool HasQuaternions() const;
  /** Rows that are held; of each, whether it is needed or follows from those that are. */
  struct HeldRows {
    std::vector<uint32_t> rows;
    std::vector<bool> needed;
  };
  void AddConditions(const std::vector<Row>& rows, const HeldRows& held);
  void MeasureChord(const SpatialJoint& joint);
  void FollowJoint(const SpatialJoint& joint, const SpatialJoint& kept);

  // loop_rank.cc
  HeldRows ChooseConditions(const std::vector<Row>& rows);
  std::vector<Matrix> FindClosed(const std::vector<Row>& rows);
  void DescribeFreedoms(MotionEquations& out) const;
  LoopRow Describe(const Row& row) const;
  std::string NamesOf(std::vector<uint32_t> joints) const;
  std::vector<bool> TakeStarts(const MotionEquations& motion, LoopSolver& values) const;

  Model& model_;
  ExprPool& pool_;
  const SystemGraph& graph_;
  const std::vector<ScalarElement>& scalars_;
  const SpatialNumbers& numbers_;
  const Mechanism& mechanism_;
  const JointMotion* const joint_motion_;
  const std::vector<SpatialStart>& starts_;
  const bool recursive_;
  Diagnostics& diagnostics_;
  MotionEquations out_;

  ScalarElement main_;
  ComponentId home_ = ComponentId(0);
  std::vector<ComponentId> homes_;  // of the variables of main_
  std::vector<ScalarVariable> readings_;
  std::vector<AddedReading> reading_of_;
  std::unordered_map<uint32_t, uint32_t> local_of_;  // by symbol: own variables; readings + kReading
  static constexpr uint32_t kReading = 1u << 31;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, SymbolId> read_;
  std::map<uint32_t, uint32_t> constants_part_;      // by component
  std::unordered_map<uint32_t, uint32_t> value_of_;  // expression -> variable that has it

  std::vector<Link> links_;  // by composite
  std::vector<Freedom> freedoms_;
  std::vector<std::optional<SymVec>> place_of_;
  std::vector<std::optional<SymMat>> world_axes_;
  std::vector<std::optional<SymVec>> world_place_;
  std::vector<std::optional<Twist>> velocity_, bias_, acceleration_;
  SymVec gravity_;
  std::vector<MassProperties<Sym>> mass_;     // by composite, its own
  std::vector<MassProperties<Sym>> subtree_;  // by composite, with all it carries
  SymbolId give_;                    // how much conditions of loops give way; none: nothing is asked to
  std::vector<Wrench> external_;     // by composite
  std::vector<Wrench> multipliers_;  // by composite: what loops exert
  std::vector<Sym> load_;            // by freedom
  std::map<uint32_t, Sym> drives_;   // by freedom: of joints that follow it, in the recursive form
  std::map<std::pair<uint32_t, uint32_t>, Sym> mass_matrix_;  // row >= column
};

}  // namespace cotree
