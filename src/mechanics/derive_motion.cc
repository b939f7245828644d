// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mechanics/articulated_numbers.h"
#include "mechanics/diagnostics.h"
#include "mechanics/motion_builder.h"

namespace cotree {

// Sums of the bodies' own, as seen from the composite's frame: constant during a run.
void MotionBuilder::AddMassProperties() {
  mass_.resize(mechanism_.composites.size());
  for (uint32_t c = 1; c < mass_.size(); ++c) {
    const Home home(*this, c);
    for (const ComponentId id : mechanism_.composites[c].bodies) {
      const Component& component = graph_.components[id.index()];
      uint32_t f = UINT32_MAX;
      const ElementClass& element = graph_.elements[component.element.index()];
      for (uint32_t slot = 0; slot < element.terminals(); ++slot)
        f = std::min(f, graph_.frame_of_terminal[component.first_terminal + slot]);
      MassProperties<Sym> body;
      body.m = Constant(id, "m");
      const SymVec centre = ConstantVector(id, "center");
      body.h = centre * body.m;
      SymMat I;
      for (size_t k = 0; k < 3; ++k) I[k][k] = Constant(id, "I", static_cast<uint32_t>(k));
      I[0][1] = I[1][0] = Constant(id, "I", 3);
      I[0][2] = I[2][0] = Constant(id, "I", 4);
      I[1][2] = I[2][1] = Constant(id, "I", 5);
      body.inertia = I + PointInertia(body.m, centre);
      body = Let(NameOf(id), body);
      mass_[c] = mass_[c] + Moved(body, Lift<Sym>(mechanism_.frames[f].R), PlaceOf(f));
    }
    mass_[c] = Let(links_[c].name + ".carried", mass_[c]);
  }
}

// Sensors and forces: what they read of their frames, and what they exert on them.
void MotionBuilder::AddElements() {
  for (const SpatialElement& element : mechanism_.elements) {
    const ComponentId id = element.component;
    if (element.a == UINT32_MAX) continue;  // the mechanism as a whole: AddTotals
    const Home home(*this, id);
    const bool two = element.b != UINT32_MAX;
    const auto reads = [&](std::initializer_list<std::string_view> names) {
      return std::any_of(names.begin(), names.end(), [&](std::string_view n) { return Has(id, n); });
    };
    const auto exerted = [&](std::string_view name) -> std::optional<SymVec> {
      const Variable* variable = FindVariable(id, name, nullptr);
      if (variable == nullptr) return std::nullopt;
      SymVec out;
      for (uint32_t k = 0; k < 3; ++k) out[k] = Read(id, variable->symbol, k, 0);
      return out;
    };
    FrameMotion a = MotionOf(element.a), b;
    if (two) b = MotionOf(element.b);
    const SymVec r = Let(NameOf(id) + ".vector", two ? b.place - a.place : a.place);
    if (reads({"r"})) SupplyTo(id, "r", r);
    if (reads({"v"})) SupplyTo(id, "v", two ? b.velocity - a.velocity : a.velocity);
    if (reads({"w"})) SupplyTo(id, "w", two ? b.turning - a.turning : a.turning);
    const SymMat from_a = Transpose(a.axes);
    if (reads({"R"})) {
      const SymMat R = two ? from_a * b.axes : a.axes;
      for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t j = 0; j < 3; ++j) SupplyTo(id, "R", 3 * i + j, R[i][j]);
      }
    }
    if (reads({"r_a"})) SupplyTo(id, "r_a", from_a * r);
    if (reads({"v_a"})) {
      SupplyTo(id, "v_a", from_a * (two ? b.velocity - a.velocity - Cross(a.turning, r) : a.velocity));
    }
    if (reads({"w_a"})) SupplyTo(id, "w_a", from_a * (two ? b.turning - a.turning : a.turning));
    if (reads({"acc", "alpha", "felt"})) {
      const FrameAcceleration at = AccelerationOf(element.a, false);
      SymVec linear = at.linear + gravity_, angular = at.angular;
      SupplyTo(id, "felt", from_a * at.linear);
      if (two) {
        const FrameAcceleration other = AccelerationOf(element.b, false);
        linear = other.linear - at.linear;
        angular = other.angular - at.angular;
      }
      SupplyTo(id, "acc", linear);
      SupplyTo(id, "alpha", angular);
    }
    // Forces in world axes, or in those of `a`.
    SymVec force, torque;
    bool acts = false;
    const auto add = [&](std::string_view name, SymVec& to, bool local) {
      const auto value = exerted(name);
      if (!value) return;
      acts = true;
      to = to + (local ? a.axes * *value : *value);
    };
    add("f", force, false);
    add("t", torque, false);
    add("f_a", force, true);
    add("t_a", torque, true);
    if (!acts) continue;
    force = Let(NameOf(id) + ".exerted_force", force);
    torque = Let(NameOf(id) + ".exerted_torque", torque);
    const auto on = [&](uint32_t frame, const SymVec& f, const SymVec& t) {
      const FramePlace& at = mechanism_.frames[frame];
      if (at.composite == 0) return;
      const SymMat back = Transpose(WorldAxes(at.composite));
      const SymVec local = back * f;
      Exert(at.composite, {local, back * t + Cross(PlaceOf(frame), local)});
    };
    if (!two) {
      on(element.a, force, torque);
    } else {
      // It acts at b; its reaction on a has the same line of action.
      on(element.b, force, torque);
      on(element.a, -force, -(torque + Cross(r, force)));
    }
  }
}

Wrench MotionBuilder::ToParent(uint32_t c, const Wrench& wrench, const std::string& name) {
  const Home home(*this, c);
  const Link& link = links_[c];
  const SymVec force = Let(name + ".f", link.R * wrench.force);
  return {force, Let(name + ".t", link.R * wrench.torque + Cross(link.r, force))};
}

// What a composite alone needs for an acceleration, less what is exerted on it (Newton and Euler).
Wrench MotionBuilder::NeededFor(uint32_t c, const Twist& acceleration) {
  const MassProperties<Sym>& m = mass_[c];
  const SymVec w = Velocity(c).angular, a = acceleration.linear, alpha = acceleration.angular;
  return {a * m.m + Cross(alpha, m.h) + Cross(w, Cross(w, m.h)) - external_[c].force,
          m.inertia * alpha + Cross(w, m.inertia * w) + Cross(m.h, a) - external_[c].torque};
}

// Newton and Euler with accelerations 0: outwards the motion, inwards the forces.
void MotionBuilder::AddBias() {
  const size_t count = mechanism_.composites.size();
  std::vector<Wrench> wrench(count);
  for (uint32_t c = 1; c < count; ++c) {
    bias_[c] = Carry(c, *bias_[mechanism_.composites[c].parent], false);
    wrench[c] = NeededFor(c, *bias_[c]);
  }
  for (size_t k = count; k-- > 1;) {
    const auto c = static_cast<uint32_t>(k);
    const Home home(*this, c);
    const Link& link = links_[c];
    const Wrench own = {Let(link.name + ".bias_force", wrench[c].force),
                        Let(link.name + ".bias_torque", wrench[c].torque)};
    for (uint32_t f = link.first; f < link.first + link.count; ++f)
      load_[f] = Dot(freedoms_[f].angular, own.torque) + Dot(freedoms_[f].linear, own.force);
    const uint32_t parent = mechanism_.composites[c].parent;
    if (parent == 0) continue;
    const Wrench up = ToParent(c, own, link.name + ".up");
    wrench[parent] = {wrench[parent].force + up.force, wrench[parent].torque + up.torque};
  }
}

// Composite inertias inwards; then for each freedom the force that its unit acceleration needs, along the way
// to the world.
void MotionBuilder::AddMassMatrix() {
  const size_t count = mechanism_.composites.size();
  subtree_ = mass_;
  for (size_t k = count; k-- > 1;) {
    const auto c = static_cast<uint32_t>(k);
    const Home home(*this, c);
    const uint32_t parent = mechanism_.composites[c].parent;
    if (!(subtree_[c].m.IsNumber() && mechanism_.composites[c].bodies.empty() && subtree_[c].m.IsZero()))
      subtree_[c] = Let(links_[c].name + ".subtree", subtree_[c]);
    if (parent != 0) subtree_[parent] = subtree_[parent] + Moved(subtree_[c], links_[c].R, links_[c].r);
  }
  for (uint32_t c = 1; c < count; ++c) {
    const Home home(*this, c);
    const Link& link = links_[c];
    const MassProperties<Sym>& m = subtree_[c];
    for (uint32_t f = link.first; f < link.first + link.count; ++f) {
      const Freedom& freedom = freedoms_[f];
      Wrench wrench{freedom.linear * m.m + Cross(freedom.angular, m.h),
                    m.inertia * freedom.angular + Cross(m.h, freedom.linear)};
      const std::string name =
          link.name + ".unit" + (link.count > 1 ? std::to_string(f - link.first + 1) : "");
      wrench = {Let(name + ".f", wrench.force), Let(name + ".t", wrench.torque)};
      const auto entry = [&](uint32_t other) {
        const Sym value =
            Dot(freedoms_[other].angular, wrench.torque) + Dot(freedoms_[other].linear, wrench.force);
        mass_matrix_[{f, other}] =
            Let("M[" + std::to_string(f + 1) + "," + std::to_string(other + 1) + "]", value);
      };
      for (uint32_t other = link.first; other <= f; ++other) entry(other);
      uint32_t at = c;
      while (mechanism_.composites[at].parent != 0) {
        wrench = ToParent(at, wrench, name + ".on" + std::to_string(mechanism_.composites[at].parent));
        at = mechanism_.composites[at].parent;
        for (uint32_t other = links_[at].first; other < links_[at].first + links_[at].count; ++other)
          entry(other);
      }
    }
  }
}

// ---- What components get ---------------------------------------------------------------------------------

namespace {

/* How the class of a joint calls what belongs to a freedom: `load`, `load_turn`, `load[2]`. */
struct FreedomNames {
  std::string inertia, load;
  uint32_t element = 0;
};

FreedomNames FreedomNamesOf(SpatialKind kind, uint32_t index) {
  static constexpr const char* kCylindrical[] = {"turn", "slide"};
  static constexpr const char* kPlanar[] = {"x", "y", "turn"};
  switch (kind) {
    case SpatialKind::kCylindrical:
      return {std::string("inertia_") + kCylindrical[index], std::string("load_") + kCylindrical[index], 0};
    case SpatialKind::kPlanar:
      return {std::string("inertia_") + kPlanar[index], std::string("load_") + kPlanar[index], 0};
    case SpatialKind::kSpherical:
      return {"", "load", index};
    case SpatialKind::kFree:
      return {"", index < 3 ? "load" : "load_turn", index % 3};
    default:
      return {"inertia", "load", 0};
  }
}

}  // namespace

/// What drives a freedom from outside the mechanism, once its joint's own damping is taken off.
Sym MotionBuilder::DriveOf(const Freedom& freedom) {
  const SpatialJoint& joint = mechanism_.joints[freedom.joint];
  if (joint.component.IsNone()) return {};
  const FreedomNames names = FreedomNamesOf(joint.kind, freedom.index);
  const std::string name = "drive" + names.load.substr(4);
  const Variable* variable = FindVariable(joint.component, name, nullptr);
  return variable == nullptr ? Sym() : Read(joint.component, variable->symbol, names.element, 0);
}

/// `load` is all but the freedom's own inertia times its acceleration.
void MotionBuilder::SupplyJoint(uint32_t f, const Sym& inertia, const Sym& load) {
  const Freedom& freedom = freedoms_[f];
  const SpatialJoint& joint = mechanism_.joints[freedom.joint];
  const FreedomNames names = FreedomNamesOf(joint.kind, freedom.index);
  if (joint.component.IsNone()) {
    AddEquation(load + inertia * freedom.acceleration, Sym(0));
  } else if (!names.inertia.empty()) {
    SupplyTo(joint.component, names.inertia, 0, inertia);
    SupplyTo(joint.component, names.load, names.element, load);
  } else {
    SupplyTo(joint.component, names.load, names.element, load + inertia * freedom.acceleration);
  }
}

void MotionBuilder::SupplyJoints() {
  for (const auto& [at, value] : mass_matrix_) {
    if (!value.IsZero()) out_.mass_matrix.push_back({at.first, at.second, value.In(pool_)});
  }
  for (uint32_t f = 0; f < freedoms_.size(); ++f) {
    Sym load = load_[f];
    for (uint32_t other = 0; other < freedoms_.size(); ++other) {
      const auto at = mass_matrix_.find({std::max(f, other), std::min(f, other)});
      if (other != f && at != mass_matrix_.end()) load = load + at->second * freedoms_[other].acceleration;
    }
    SupplyJoint(f, mass_matrix_[{f, f}], load);
  }
}

MotionEquations MotionBuilder::Run() {
  MakeLinks();
  if (!diagnostics_.ok()) return {};
  AddMassProperties();
  AddElements();
  for (const Link& link : links_) {
    if (link.quaternion[0].IsNone()) continue;
    Sym square;
    for (const SymbolId q : link.quaternion) {
      const Sym number(&pool_, pool_.Symbol(q));
      square = square + number * number;
    }
    AddInvariant(link.name + ".length", square - Sym(1)).projected = false;
  }
  DescribeFreedoms(out_);
  load_.resize(freedoms_.size());
  if (recursive_) {
    if (!mechanism_.chords.empty() || !mechanism_.dropped.empty()) {
      for (uint32_t c = 1; c < mechanism_.composites.size(); ++c)
        bias_[c] = Carry(c, *bias_[mechanism_.composites[c].parent], false);
      AddLoops();
    }
    if (mechanism_.chords.empty())
      out_.degrees = out_.position_degrees = static_cast<uint32_t>(freedoms_.size());
    AddRecursive();
  } else {
    AddBias();
    AddMassMatrix();
    AddLoops();
    SupplyJoints();
  }
  AddReactions();
  AddTotals();
  Finish();
  return std::move(out_);
}

// What goes through a rigid connection: all that the bodies behind it need.
void MotionBuilder::AddReactions() {
  const bool any = std::any_of(mechanism_.joints.begin(), mechanism_.joints.end(), [](const SpatialJoint& j) {
    return j.kind == SpatialKind::kReaction && j.in_tree;
  });
  if (!any) return;
  const size_t count = mechanism_.composites.size();
  std::vector<Wrench> wrench(count);
  for (uint32_t c = 1; c < count; ++c) {
    wrench[c] = NeededFor(c, Acceleration(c));
    wrench[c] = {wrench[c].force - multipliers_[c].force, wrench[c].torque - multipliers_[c].torque};
  }
  for (size_t k = count; k-- > 1;) {
    const auto c = static_cast<uint32_t>(k);
    const Home home(*this, c);
    const std::string name = links_[c].name + ".through";
    const Wrench own = {Let(name + ".f", wrench[c].force), Let(name + ".t", wrench[c].torque)};
    const SpatialJoint& joint = mechanism_.joints[mechanism_.composites[c].joint];
    if (joint.kind == SpatialKind::kReaction) {
      // In axes of its frames, which coincide; from a to b.
      const Sym sign = joint.reversed ? -1.0 : 1.0;
      SupplyTo(joint.component, "f", own.force * sign);
      SupplyTo(joint.component, "t", own.torque * sign);
    }
    const uint32_t parent = mechanism_.composites[c].parent;
    if (parent == 0) continue;
    const Wrench up = ToParent(c, own, name + ".up");
    wrench[parent] = {wrench[parent].force + up.force, wrench[parent].torque + up.torque};
  }
}

// Energy and momentum of everything that moves.
void MotionBuilder::AddTotals() {
  for (const SpatialElement& element : mechanism_.elements) {
    const ComponentId id = element.component;
    if (element.a != UINT32_MAX) continue;
    Sym kinetic, potential;
    SymVec momentum, angular;
    for (uint32_t c = 1; c < mechanism_.composites.size(); ++c) {
      const MassProperties<Sym>& m = mass_[c];
      const Twist v = Velocity(c);
      const SymMat axes = WorldAxes(c);
      const SymVec place = WorldPlace(c);
      const Home home(*this, c);
      const SymVec p = v.linear * m.m + Cross(v.angular, m.h);
      const SymVec l = m.inertia * v.angular + Cross(m.h, v.linear);
      const std::string name = links_[c].name + ".own";
      const SymVec world = Let(name + ".p", axes * p);
      kinetic = kinetic + Let(name + ".kinetic", (Dot(v.linear, p) + Dot(v.angular, l)) * Sym(0.5));
      potential = potential - Let(name + ".potential", Dot(gravity_, place * m.m + axes * m.h));
      momentum = momentum + world;
      angular = angular + Let(name + ".L", axes * l + Cross(place, world));
    }
    SupplyTo(id, "kinetic", 0, kinetic);
    SupplyTo(id, "potential", 0, potential);
    SupplyTo(id, "p", momentum);
    SupplyTo(id, "L", angular);
  }
}

MotionEquations DeriveMotion(Model& model, const SystemGraph& graph,
                             const std::vector<ScalarElement>& scalars, const SpatialNumbers& numbers,
                             const Mechanism& mechanism, const JointMotion* joint_motion,
                             const std::vector<SpatialStart>& starts, MotionForm form,
                             Diagnostics& diagnostics) {
  constexpr uint32_t kManyFreedoms = 24;  // from here on nobody reads a matrix
  const bool quick = form == MotionForm::kQuick && mechanism.chords.empty() && mechanism.freedoms >= 4;
  const bool many =
      (form == MotionForm::kAutomatic || form == MotionForm::kQuick) && mechanism.freedoms > kManyFreedoms;
  const bool recursive =
      form == MotionForm::kRecursive || ((quick || many) && EveryFreedomMovesInertia(mechanism, numbers));
  return MotionBuilder(model, graph, scalars, numbers, mechanism, joint_motion, starts, recursive,
                       diagnostics)
      .Run();
}

}  // namespace cotree
