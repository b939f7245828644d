// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "mechanics/diagnostics.h"
#include "mechanics/motion_builder.h"

namespace cotree {
namespace {

constexpr double kReturn = 20;    // 1/s: how fast what is off between two projections dies out
constexpr double kShare = 1e-10;  // s of (ME.9b)

}  // namespace

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

// How far b is turned about the axis.
MotionBuilder::Row MotionBuilder::About(const SpatialJoint& joint, const Chord& chord) {
  const SymVec n = chord.a.axes * Lift<Sym>(joint.n);
  Row row;
  row.a = mechanism_.frames[joint.a].composite;
  row.b = mechanism_.frames[joint.b].composite;
  row.on_b = At(joint.b, {}, n);
  row.on_a = At(joint.a, {}, -n);
  row.rate = Dot(n, chord.turning);
  row.bias = Dot(n, chord.angular) + Dot(Cross(chord.a.turning, n), chord.turning);
  const SymVec u = chord.a.axes * Lift<Sym>(joint.u), v = Cross(n, u);
  const SymVec ub = chord.b.axes * Lift<Sym>(joint.u);
  row.value = Sym(&pool_, pool_.Binary(Op::kAtan2, Dot(v, ub).In(pool_), Dot(u, ub).In(pool_)));
  return row;
}

// The coordinates of a joint outside the tree: their accelerations follow from the motion, and what drives
// them acts on both bodies.
void MotionBuilder::MeasureChord(const SpatialJoint& joint) {
  const ComponentId id = joint.component;
  const std::string name = NameOf(id);
  const ComponentClass& cls = graph_.ClassOf(model_, id);
  const Chord chord = ChordOf(joint);
  const auto measure = [&](Row row, std::string_view edge, const std::string& suffix, bool angle) {
    for (const Edge& e : cls.edges) {
      if (!edge.empty() && model_.names.Text(e.name) != edge) continue;
      const Sym force = NewUnknown("~" + name + ".chord" + suffix, nullptr);
      MakeJacobian(row, name + suffix);
      MotionMeasure& measured = out_.measures.emplace_back();
      measured.coordinate = {id, e.across, 0};
      measured.turns = angle;
      measured.value = row.value.In(pool_);
      for (const auto& [f, entry] : row.jacobian) measured.jacobian.emplace_back(f, entry.In(pool_));
      Sym off = Read(id, e.across, 0, 0) - row.value;
      if (angle) {  // turns are counted by the coordinate, not by the positions
        off = Let(name + suffix + ".off", off);
        off = Sym(&pool_, pool_.Binary(Op::kAtan2, Sin(off).In(pool_), Cos(off).In(pool_)));
      }
      off = Let(name + suffix + ".off", off);
      const Sym rate_off = Let(name + suffix + ".rate_off", Read(id, e.across, 0, 1) - row.rate);
      AddEquation(Read(id, e.across, 0, 2),
                  Exerted(row, force) - rate_off * Sym(2 * kReturn) - off * Sym(kReturn * kReturn));
      if (!HasQuaternions()) AddEquation(off, Sym(0), true);
      AddEquation(rate_off, Sym(0), true);
      AddInvariant(name + suffix + ".off", off);
      const auto below = static_cast<uint32_t>(out_.invariants.size() - 1);
      AddInvariant(name + suffix + ".rate_off", rate_off).below = below;
      SupplyTo(id, "inertia" + suffix, 0, Sym(0));
      SupplyTo(id, "load" + suffix, 0, force);
      break;
    }
  };
  // A velocity that the class integrates itself; what works against it acts on both bodies.
  const auto follow = [&](std::string_view variable, std::string_view load, const SymVec& value, bool turns) {
    const Variable* at = FindVariable(id, variable, nullptr);
    for (uint32_t k = 0; at != nullptr && k < 3; ++k) {
      AddEquation(Read(id, at->symbol, k, 0), value[k]);
      const Sym force =
          NewUnknown("~" + name + "." + std::string(variable) + ".chord" + std::to_string(k + 1), nullptr);
      SupplyTo(id, load, k, force);
      if (!turns) continue;
      Row row;
      row.a = mechanism_.frames[joint.a].composite;
      row.b = mechanism_.frames[joint.b].composite;
      SymVec axis;
      for (size_t i = 0; i < 3; ++i) axis[i] = chord.b.axes[i][k];
      row.on_b = At(joint.b, {}, axis);
      row.on_a = At(joint.a, {}, -axis);
      MakeJacobian(row, name + ".turn" + std::to_string(k + 1));
      Exerted(row, force);
    }
  };
  const auto along = [&](const Vec3<double>& direction) { return Along(joint, chord, direction); };
  switch (joint.kind) {
    case SpatialKind::kRevolute:
      measure(About(joint, chord), "", "", true);
      break;
    case SpatialKind::kPrismatic:
      measure(along(joint.n), "", "", false);
      break;
    case SpatialKind::kCylindrical:
      measure(About(joint, chord), "turn", "_turn", true);
      measure(along(joint.n), "slide", "_slide", false);
      break;
    case SpatialKind::kPlanar:
      measure(along(joint.u), "x", "_x", false);
      measure(along(Cross(joint.n, joint.u)), "y", "_y", false);
      measure(About(joint, chord), "turn", "_turn", true);
      break;
    case SpatialKind::kFree:
      follow("v", "load", Transpose(chord.a.axes) * chord.seen, false);
      follow("w", "load_turn", Transpose(chord.b.axes) * chord.turning, false);
      break;
    case SpatialKind::kSpherical:
      follow("w", "load", Transpose(chord.b.axes) * chord.turning, true);
      break;
    default:
      break;
  }
}

/* A disc about the axis e of b, on the plane across n of a. The lowest point is at p = -R s/|s| from the
middle, s = n - (n.e) e. Three conditions on the velocity of the disc's material there, as seen from a; that
along n is the rate of a condition on positions, the height of the point. */
void MotionBuilder::AddRolling(const SpatialJoint& joint, const Chord& chord, std::vector<Row>& rows) {
  const std::string name = NameOf(joint.component);
  Vec3<double> normal = numbers_.Vector(joint.component, "normal");
  const double length = std::sqrt(Dot(normal, normal));
  if (!(length > 0)) {
    diagnostics_.Report(mechanics_messages::kNoAxis, ComponentPlace(model_, graph_, joint.component), {name});
    return;
  }
  for (double& v : normal.x) v /= length;
  const Sym radius = Constant(joint.component, "radius");
  const SymVec n = Let(name + ".normal", chord.a.axes * Lift<Sym>(normal));
  const SymVec e = Let(name + ".axis", chord.b.axes * Lift<Sym>(joint.n));
  const SymVec& w = chord.turning;
  const Sym c = Let(name + ".cos", Dot(n, e));
  const Sym size = Let(name + ".sin", Sym(&pool_, pool_.Unary(Op::kSqrt, (Sym(1) - c * c).In(pool_))));
  const Sym scale = Let(name + ".scale", radius / size);
  const SymVec s = Let(name + ".s", n - e * c);
  const SymVec p = Let(name + ".p", -(s * scale));
  const SymVec e_rate = Let(name + ".axis_rate", Cross(w, e));
  const Sym c_rate = Let(name + ".cos_rate", Dot(n, e_rate));
  const SymVec s_rate = -(e_rate * c + e * c_rate);
  const SymVec p_rate = Let(name + ".p_rate", -((s_rate + s * (c * c_rate / (size * size))) * scale));
  const SymVec slip = Let(name + ".slip", chord.seen + Cross(w, p));
  const SymVec turning_rate = chord.angular - Cross(chord.a.turning, w);
  const SymVec bias = Let(name + ".slip_bias", chord.seen_bias + Cross(turning_rate, p) + Cross(w, p_rate));
  // Across n stand the way it rolls, t = n x e/sin, and its side, l = e - cos n by sin. They turn with it:
  // the side rows of two wheels on one axle are the same in every position, and those of the way never are.
  const SymVec way = Let(name + ".way", Cross(n, e) * (Sym(1) / size));
  const SymVec side = Let(name + ".side", (e - n * c) * (Sym(1) / size));
  const Sym growth = Let(name + ".sin_growth", -(c * c_rate) / (size * size));  // (d sin/dt)/sin
  const SymVec way_rate = Cross(n, e_rate) * (Sym(1) / size) - way * growth;
  const SymVec side_rate = (e_rate - n * c_rate) * (Sym(1) / size) - side * growth;
  const auto add = [&](const SymVec& d, const SymVec& d_rate, bool velocity) {
    Row row;
    row.a = mechanism_.frames[joint.a].composite;
    row.b = mechanism_.frames[joint.b].composite;
    row.velocity = velocity;
    if (!velocity) row.value = Dot(n, chord.gap) - radius * size;
    row.rate = Dot(d, slip);
    row.bias = Dot(d, bias) + Dot(d_rate, slip);
    row.on_b = At(joint.b, d, Cross(p, d));
    row.on_a = At(joint.a, -d, -Cross(chord.gap + p, d));
    row.name = name + (velocity ? ", no slip" : ", its height");
    rows.push_back(std::move(row));
  };
  add(n, {}, false);
  add(way, way_rate, true);
  add(side, side_rate, true);
}

// Of the bodies: from their own frame to the farthest.
double MotionBuilder::Length() const {
  double length = 0;
  for (const FramePlace& frame : mechanism_.frames)
    length = std::max(length, std::sqrt(Dot(frame.p, frame.p)));
  return length > 0 ? length : 1;
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
    row.size = 1 / Length();
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
    case SpatialKind::kRolling:
      AddRolling(joint, chord, rows);
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
      row.size = Length();
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

bool MotionBuilder::HasQuaternions() const {
  return std::any_of(links_.begin(), links_.end(),
                     [](const Link& link) { return !link.quaternion[0].IsNone(); });
}

/* J q'' + gamma = -give * lambda / mass. What integrates sets `give`, which is 0 but where bars come into
line and conditions depend on each other: there a last digit of a length would throw the loop back, and giving
way by next to nothing lets it go on as it moves (docs/theory/mechanics.md, ME.8; simulation/projection.h).
Where all rows are held, of which some follow from others, ME.9b takes their place. */
void MotionBuilder::AddConditions(const std::vector<Row>& rows, const HeldRows& held) {
  double mass = 0;
  for (const CompositeBody& c : mechanism_.composites) mass += c.mass.m;
  if (mass > 0) give_ = pool_.DeclareSymbol("~loops.give", SymbolKind::kVariable);
  struct Condition {
    const Row* row;
    std::string label;
    uint32_t local = 0;  // of the multiplier
    Sym multiplier, residual;
  };
  std::vector<Condition> all;
  for (const uint32_t k : held.rows) {
    Condition& condition = all.emplace_back();
    condition.row = &rows[k];
    condition.label = "loop" + std::to_string(all.size());
    condition.multiplier = NewUnknown("~" + condition.label + ".lambda", &condition.local);
  }
  for (Condition& condition : all) condition.residual = Exerted(*condition.row, condition.multiplier);
  for (size_t j = 0; j < all.size(); ++j) {
    Condition& condition = all[j];
    const Row& row = *condition.row;
    const auto loop = static_cast<uint32_t>(out_.loops.size());
    out_.loops.push_back(Describe(row));
    if (held.needed[j]) out_.constraints.push_back(row.name);
    const auto hold = [&](const std::string& name, const Sym& value) {
      const Sym own = Let(condition.label + name, value);
      MotionInvariant& invariant = AddInvariant(condition.label + name, own);
      invariant.loop = loop;
      invariant.multiplier = condition.local;
      return own;
    };
    if (mass > 0) {
      const Sym softness = Sym(&pool_, pool_.Symbol(give_)) * Sym(1 / mass);
      condition.residual = condition.residual + condition.multiplier * softness;
    }
    const Sym rate = hold(".rate", row.rate);
    if (held.needed[j]) AddEquation(rate, Sym(0), true);
    if (row.velocity) {
      condition.residual = condition.residual + rate * Sym(kReturn);
      continue;
    }
    const size_t of_rate = out_.invariants.size() - 1;
    const Sym value = hold(".gap", row.value);
    out_.invariants[of_rate].below = static_cast<uint32_t>(of_rate + 1);
    condition.residual =
        condition.residual + rate * Sym(2 * kReturn) + value * Sym(kReturn * kReturn);
    if (!HasQuaternions() && held.needed[j]) AddEquation(value, Sym(0), true);
  }
  const bool shared = std::find(held.needed.begin(), held.needed.end(), false) != held.needed.end();
  if (!shared) {
    for (const Condition& condition : all) AddEquation(condition.residual, Sym(0));
    return;
  }
  // z = D J^T rho, (J z)_k = -kShare lambda_k/m: rows by their sizes, rotations by lengths (ME.9b).
  std::vector<Sym> z(freedoms_.size());
  for (Condition& condition : all) {
    const double size = condition.row->size;
    const Sym residual = Let(condition.label + ".residual", condition.residual * Sym(1 / (size * size)));
    for (const auto& [f, entry] : condition.row->jacobian) z[f] = z[f] + entry * residual;
  }
  for (size_t f = 0; f < z.size(); ++f) {
    const bool turns = !Dot(freedoms_[f].angular, freedoms_[f].angular).IsZero();
    const double weight = turns ? 1 / (Length() * Length()) : 1;
    z[f] = Let("loops.z[" + std::to_string(f + 1) + "]", z[f] * Sym(weight));
  }
  for (const Condition& condition : all) {
    Sym sum = condition.multiplier * Sym(kShare * condition.row->size * condition.row->size / mass);
    for (const auto& [f, entry] : condition.row->jacobian) sum = sum + entry * z[f];
    AddEquation(sum, Sym(0));
  }
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
  const Sym value = position * Sym(sign) + Sym(angle);
  AddEquation(Read(joint.component, e.across, 0, 0), value);
  out_.measures.push_back(
      {{joint.component, e.across, 0}, true, value.In(pool_), {{kept.first_freedom, pool_.Number(sign)}}});
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
  out_.degrees = out_.position_degrees = static_cast<uint32_t>(freedoms_.size());
  if (rows.empty()) return;
  AddConditions(rows, ChooseConditions(rows));
  for (const uint32_t k : mechanism_.chords) MeasureChord(mechanism_.joints[k]);
}

}  // namespace cotree
