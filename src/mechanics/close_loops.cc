// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "mechanics/motion_builder.h"

namespace cotree {

// How the frames of a chord move against each other, in world axes.
MotionBuilder::Chord MotionBuilder::ChordOf(const SpatialJoint& joint) {
  Chord out;
  const std::string name = NameOf(joint.component);
  FrameMotion& a = out.a;
  FrameMotion& b = out.b;
  a = MotionOf(joint.a);
  b = MotionOf(joint.b);
  const auto settle = [&](FrameMotion& m, const std::string& side) {
    m.place = Let(name + side + ".place", m.place);
    m.velocity = Let(name + side + ".velocity", m.velocity);
    m.turning = Let(name + side + ".turning", m.turning);
    m.axes = Let(name + side + ".axes", m.axes);
  };
  settle(a, ".a");
  settle(b, ".b");
  const FrameAcceleration aa = AccelerationOf(joint.a, true), ab = AccelerationOf(joint.b, true);
  out.gap = Let(name + ".gap", b.place - a.place);
  out.speed = Let(name + ".speed", b.velocity - a.velocity);
  out.turning = Let(name + ".turning", b.turning - a.turning);
  out.linear = Let(name + ".bias", ab.linear - aa.linear);
  out.angular = Let(name + ".angular_bias", ab.angular - aa.angular);
  out.seen = Let(name + ".seen", out.speed - Cross(a.turning, out.gap));
  out.seen_bias = Let(name + ".seen_bias", out.linear - Cross(aa.angular, out.gap) -
                                               Cross(a.turning, Cross(a.turning, out.gap)) -
                                               Cross(a.turning, out.seen) * Sym(2));
  return out;
}

// A force and a torque in world axes at a frame, in axes of its composite.
Wrench MotionBuilder::At(uint32_t frame, const SymVec& force, const SymVec& torque) {
  const uint32_t composite = mechanism_.frames[frame].composite;
  if (composite == 0) return {};
  const SymMat back = Transpose(WorldAxes(composite));
  const SymVec f = back * force;
  return {f, back * torque + Cross(PlaceOf(frame), f)};
}

// A direction of a along which b does not move (or whose progress is measured).
MotionBuilder::Row MotionBuilder::Along(const SpatialJoint& joint, const Chord& chord,
                                        const Vec3<double>& direction) {
  const SymVec d = chord.a.axes * Lift<Sym>(direction);
  Row row;
  row.a = mechanism_.frames[joint.a].composite;
  row.b = mechanism_.frames[joint.b].composite;
  row.value = Dot(d, chord.gap);
  row.rate = Dot(d, chord.seen);
  row.bias = Dot(d, chord.seen_bias);
  row.on_b = At(joint.b, d, {});
  row.on_a = At(joint.a, -d, -Cross(chord.gap, d));
  row.name = NameOf(joint.component) + ", a point kept on its place";
  return row;
}

// The coordinates of a joint outside the tree: their accelerations follow from the motion, and what drives
// them acts on both bodies.
void MotionBuilder::MeasureChord(const SpatialJoint& joint) {
  const ComponentId id = joint.component;
  const std::string name = NameOf(id);
  const ComponentClass& cls = graph_.ClassOf(model_, id);
  const Chord chord = ChordOf(joint);
  const auto measure = [&](const Row& row, std::string_view edge, const std::string& suffix) {
    for (const Edge& e : cls.edges) {
      if (!edge.empty() && model_.names.Text(e.name) != edge) continue;
      const Sym force = NewUnknown("~" + name + ".chord" + suffix, nullptr);
      Row own = row;
      MakeJacobian(own, name + suffix);
      const Sym acceleration = Exerted(own, force);
      AddEquation(Read(id, e.across, 0, 2), acceleration);
      AddEquation(Read(id, e.across, 0, 0), own.value, true);
      AddEquation(Read(id, e.across, 0, 1), own.rate, true);
      SupplyTo(id, "inertia" + suffix, 0, Sym(0));
      SupplyTo(id, "load" + suffix, 0, force);
      break;
    }
  };
  const SymVec n = chord.a.axes * Lift<Sym>(joint.n);
  Row turn;
  turn.a = mechanism_.frames[joint.a].composite;
  turn.b = mechanism_.frames[joint.b].composite;
  turn.on_b = At(joint.b, {}, n);
  turn.on_a = At(joint.a, {}, -n);
  turn.rate = Dot(n, chord.turning);
  turn.bias = Dot(n, chord.angular) + Dot(Cross(chord.a.turning, n), chord.turning);
  const SymVec u = chord.a.axes * Lift<Sym>(joint.u), v = Cross(n, u);
  const SymVec ub = chord.b.axes * Lift<Sym>(joint.u);
  turn.value = Sym(&pool_, pool_.Binary(Op::kAtan2, Dot(v, ub).In(pool_), Dot(u, ub).In(pool_)));
  switch (joint.kind) {
    case SpatialKind::kRevolute:
      measure(turn, "", "");
      break;
    case SpatialKind::kPrismatic:
      measure(Along(joint, chord, joint.n), "", "");
      break;
    case SpatialKind::kCylindrical:
      measure(turn, "turn", "_turn");
      measure(Along(joint, chord, joint.n), "slide", "_slide");
      break;
    case SpatialKind::kSpherical: {
      const Variable* w = FindVariable(id, "w", nullptr);
      const SymVec own = Transpose(chord.b.axes) * chord.turning;
      for (uint32_t k = 0; w != nullptr && k < 3; ++k) {
        AddEquation(Read(id, w->symbol, k, 0), own[k]);
        SupplyTo(id, "load", k, NewUnknown("~" + name + ".chord" + std::to_string(k + 1), nullptr));
      }
      break;
    }
    default:
      break;
  }
}

std::vector<MotionBuilder::Row> MotionBuilder::RowsOf(const SpatialJoint& joint) {
  std::vector<Row> rows;
  const std::string name = NameOf(joint.component);
  const uint32_t ca = mechanism_.frames[joint.a].composite, cb = mechanism_.frames[joint.b].composite;
  const Chord chord = ChordOf(joint);
  const FrameMotion &a = chord.a, &b = chord.b;
  const SymVec &gap = chord.gap, &turning = chord.turning;
  const auto point = [&](const Vec3<double>& direction) { rows.push_back(Along(joint, chord, direction)); };
  // Direction e of a stays perpendicular to direction m of b.
  const auto across = [&](const Vec3<double>& e_a, const Vec3<double>& m_b) {
    const SymVec e = a.axes * Lift<Sym>(e_a), m = b.axes * Lift<Sym>(m_b);
    const SymVec axis = Let(name + ".axis" + std::to_string(rows.size()), Cross(m, e));
    Row row;
    row.a = ca;
    row.b = cb;
    row.value = Dot(e, m);
    row.rate = Dot(turning, axis);
    row.bias = Dot(chord.angular, axis) +
               Dot(turning, Cross(Cross(b.turning, m), e) + Cross(m, Cross(a.turning, e)));
    row.on_b = At(joint.b, {}, axis);
    row.on_a = At(joint.a, {}, -axis);
    row.name = name + ", two directions kept at a right angle";
    rows.push_back(std::move(row));
  };
  const Vec3<double> n = joint.n, u = joint.u, v = Cross(joint.n, joint.u);
  switch (joint.kind) {
    case SpatialKind::kRevolute:
      point(u), point(v), point(n);
      across(u, n), across(v, n);
      break;
    case SpatialKind::kSpherical:
      point({{1, 0, 0}}), point({{0, 1, 0}}), point({{0, 0, 1}});
      break;
    case SpatialKind::kPrismatic:
      point(u), point(v);
      across(u, n), across(v, n), across(u, v);
      break;
    case SpatialKind::kCylindrical:
      point(u), point(v);
      across(u, n), across(v, n);
      break;
    case SpatialKind::kPlanar:
      point(n);
      across(u, n), across(v, n);
      break;
    case SpatialKind::kRod: {
      const Sym length = Constant(joint.component, "length");
      Row row;
      row.a = ca;
      row.b = cb;
      row.value = (Dot(gap, gap) - length * length) * Sym(0.5);
      row.rate = Dot(gap, chord.speed);
      row.bias = Dot(gap, chord.linear) + Dot(chord.speed, chord.speed);
      row.on_b = At(joint.b, gap, {});
      row.on_a = At(joint.a, -gap, {});
      row.name = name + ", its length";
      rows.push_back(std::move(row));
      break;
    }
    default:
      break;
  }
  return rows;
}

// The wrench of a unit multiplier, carried inwards to where both sides meet, is the row of the Jacobian.
void MotionBuilder::MakeJacobian(Row& row, const std::string& label) {
  const uint32_t meet = CommonAncestor(row.a, row.b);
  for (const bool on_b : {false, true}) {
    Wrench wrench = on_b ? row.on_b : row.on_a;
    uint32_t c = on_b ? row.b : row.a;
    const std::string side = label + (on_b ? ".b" : ".a");
    wrench = {Let(side + ".f", wrench.force), Let(side + ".t", wrench.torque)};
    while (c != meet) {
      const Link& link = links_[c];
      for (uint32_t f = link.first; f < link.first + link.count; ++f) {
        const Sym entry = Dot(freedoms_[f].angular, wrench.torque) + Dot(freedoms_[f].linear, wrench.force);
        if (!entry.IsZero()) row.jacobian[f] = Let(label + ".J[" + std::to_string(f + 1) + "]", entry);
      }
      if (mechanism_.composites[c].parent == meet) break;
      wrench = ToParent(c, wrench, side + std::to_string(c));
      c = mechanism_.composites[c].parent;
    }
  }
  row.value = Let(label + ".gap", row.value);
  row.rate = Let(label + ".rate", row.rate);
}

// Adds what a row exerts to the loads; returned is the second derivative of the row.
Sym MotionBuilder::Exerted(const Row& row, const Sym& multiplier) {
  multipliers_[row.a].force = multipliers_[row.a].force + row.on_a.force * multiplier;
  multipliers_[row.a].torque = multipliers_[row.a].torque + row.on_a.torque * multiplier;
  multipliers_[row.b].force = multipliers_[row.b].force + row.on_b.force * multiplier;
  multipliers_[row.b].torque = multipliers_[row.b].torque + row.on_b.torque * multiplier;
  Sym acceleration = row.bias;
  if (recursive_) {
    for (const uint32_t c : {row.a, row.b}) {
      Exert(c, multipliers_[c]);
      multipliers_[c] = {};
    }
  }
  for (const auto& [f, entry] : row.jacobian) {
    if (!recursive_) load_[f] = load_[f] - entry * multiplier;
    acceleration = acceleration + entry * freedoms_[f].acceleration;
  }
  return acceleration;
}

void MotionBuilder::AddRow(const Row& row) {
  const std::string label = "loop" + std::to_string(out_.constraints.size() + 1);
  out_.constraints.push_back(row.name);
  const Sym multiplier = NewUnknown("~" + label + ".lambda", nullptr);
  const Sym acceleration = Exerted(row, multiplier);
  constexpr double kReturn = 20;  // 1/s: how fast rounding and the integrator's errors die out
  AddEquation(acceleration + row.rate * Sym(2 * kReturn) + row.value * Sym(kReturn * kReturn), Sym(0));
  // The numbers of a quaternion cannot be sought one by one: such positions are found beforehand
  // (LoopSolver).
  const bool quaternions = std::any_of(links_.begin(), links_.end(),
                                       [](const Link& link) { return !link.quaternion[0].IsNone(); });
  if (!quaternions) AddEquation(row.value, Sym(0), true);
  AddEquation(row.rate, Sym(0), true);
}

// A joint whose axis is that of another: it turns with it, or against it, from an angle of its own.
void MotionBuilder::FollowJoint(const SpatialJoint& joint, const SpatialJoint& kept) {
  const FramePlace &a = mechanism_.frames[joint.a], &b = mechanism_.frames[joint.b];
  const FramePlace &first_a = mechanism_.frames[kept.a], &first_b = mechanism_.frames[kept.b];
  const bool same_side = a.composite == first_a.composite;
  // Where b is seen from a while the kept joint is at 0.
  const Mat3<double> between =
      same_side ? first_a.R * Transpose(first_b.R) : first_b.R * Transpose(first_a.R);
  const Mat3<double> turn = Transpose(a.R) * between * b.R;
  const Vec3<double> ub = turn * joint.u;
  const double angle = std::atan2(Dot(Cross(joint.n, joint.u), ub), Dot(joint.u, ub));
  const Vec3<double> n = a.R * joint.n, first_n = (same_side ? first_a.R : first_b.R) * kept.n;
  const double sign = (Dot(n, first_n) > 0) == same_side ? 1 : -1;
  const Edge& e = graph_.ClassOf(model_, joint.component).edges[0];
  const Freedom& freedom = freedoms_[kept.first_freedom];
  const Sym position(&pool_, pool_.Symbol(freedom.position));
  AddEquation(Read(joint.component, e.across, 0, 0), position * Sym(sign) + Sym(angle));
  const Sym force = NewUnknown("~" + NameOf(joint.component) + ".follows", nullptr);
  SupplyTo(joint.component, "inertia", 0, Sym(0));
  SupplyTo(joint.component, "load", 0, force);
  if (recursive_)
    drives_[kept.first_freedom] = drives_[kept.first_freedom] + force * Sym(sign);
  else
    load_[kept.first_freedom] = load_[kept.first_freedom] - force * Sym(sign);
}

void MotionBuilder::AddLoops() {
  for (const auto& [joint, kept] : mechanism_.dropped) {
    if (mechanism_.joints[kept].in_tree)
      FollowJoint(mechanism_.joints[joint], mechanism_.joints[kept]);
    else
      MeasureChord(mechanism_.joints[joint]);
  }
  std::vector<Row> rows;
  for (const uint32_t k : mechanism_.chords) {
    for (Row& row : RowsOf(mechanism_.joints[k])) {
      MakeJacobian(row, NameOf(mechanism_.joints[k].component) + "." + std::to_string(rows.size() + 1));
      row.chord = k;
      rows.push_back(std::move(row));
    }
  }
  out_.degrees = static_cast<uint32_t>(freedoms_.size());
  if (rows.empty()) return;
  const std::vector<bool> needed = FindIndependent(rows);
  for (size_t k = 0; k < rows.size(); ++k) {
    if (!needed[k]) continue;
    out_.loops.push_back(Describe(rows[k]));
    AddRow(rows[k]);
  }
  for (const uint32_t k : mechanism_.chords) MeasureChord(mechanism_.joints[k]);
}

}  // namespace cotree
