// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>

#include "graph/union_find.h"
#include "mechanics/diagnostics.h"
#include "mechanics/mechanism.h"

namespace cotree {

namespace messages = mechanics_messages;

std::optional<SpatialKind> SpatialKindNamed(std::string_view name) {
  static constexpr std::pair<std::string_view, SpatialKind> kNames[] = {
      {"gravity", SpatialKind::kGravity},
      {"body", SpatialKind::kBody},
      {"arm", SpatialKind::kArm},
      {"revolute", SpatialKind::kRevolute},
      {"prismatic", SpatialKind::kPrismatic},
      {"screw", SpatialKind::kScrew},
      {"cylindrical", SpatialKind::kCylindrical},
      {"planar", SpatialKind::kPlanar},
      {"spherical", SpatialKind::kSpherical},
      {"free", SpatialKind::kFree},
      {"reaction", SpatialKind::kReaction},
      {"rod", SpatialKind::kRod},
      {"rolling", SpatialKind::kRolling},
      {"element", SpatialKind::kElement}};
  for (const auto& [text, kind] : kNames) {
    if (text == name) return kind;
  }
  return std::nullopt;
}

bool IsJoint(SpatialKind kind) {
  return kind != SpatialKind::kGravity && kind != SpatialKind::kBody && kind != SpatialKind::kArm &&
         kind != SpatialKind::kElement;
}

uint32_t FreedomsOf(SpatialKind kind) {
  switch (kind) {
    case SpatialKind::kRevolute:
    case SpatialKind::kPrismatic:
    case SpatialKind::kScrew:
      return 1;
    case SpatialKind::kCylindrical:
      return 2;
    case SpatialKind::kPlanar:
    case SpatialKind::kSpherical:
      return 3;
    case SpatialKind::kFree:
      return 6;
    default:
      return 0;
  }
}

uint32_t SpatialNumbers::Find(ComponentId id, std::string_view name, uint32_t element) const {
  const ComponentClass& cls = graph_.ClassOf(model_, id);
  const auto& parameters = scalars_[graph_.components[id.index()].element.index()].parameters;
  for (uint32_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k].element == element &&
        model_.names.Text(cls.parameters[parameters[k].parameter].name) == name)
      return k;
  }
  return UINT32_MAX;
}

double SpatialNumbers::Number(ComponentId id, std::string_view name, uint32_t element) const {
  const uint32_t k = Find(id, name, element);
  if (k == UINT32_MAX) return 0;
  return parameters_.Of(id, scalars_[graph_.components[id.index()].element.index()])[k];
}

namespace {

std::string Text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", value);
  return buffer;
}

class Finder {
 public:
  Finder(const Model& model, const SystemGraph& graph, const SpatialNumbers& numbers, Coordinates coordinates,
         Diagnostics& diagnostics)
      : model_(model),
        graph_(graph),
        numbers_(numbers),
        coordinates_(coordinates),
        diagnostics_(diagnostics) {}

  Mechanism Run() {
    if (graph_.frame_of_terminal.empty()) return {};
    out_.frames.resize(graph_.frame_count);
    Collect();
    if (!diagnostics_.ok()) return {};
    JoinRigidly();
    DropCoincident();
    ChooseTree();
    if (!diagnostics_.ok()) return {};
    AddMasses();
    return std::move(out_);
  }

 private:
  void Collect();
  void CheckBody(ComponentId id);
  void JoinRigidly();
  void DropCoincident();
  void ChooseTree();
  void AddLoose(UnionFind& joined, std::map<uint32_t, std::vector<ComponentId>>& floating) const;
  void AddMasses();
  void PlaceFrames(uint32_t composite, uint32_t frame, bool report);
  uint32_t FrameOf(ComponentId id, std::string_view terminal) const;
  bool AxisUsed(ComponentId id) const;
  double Preference(const SpatialJoint& joint) const;
  void PlaceInWorld(std::vector<std::vector<uint32_t>>& joints_at);
  Span Place(ComponentId id) const { return ComponentPlace(model_, graph_, id); }
  std::string NameOf(ComponentId id) const { return ComponentName(model_, graph_, id); }

  const Model& model_;
  const SystemGraph& graph_;
  const SpatialNumbers& numbers_;
  const Coordinates coordinates_;
  Diagnostics& diagnostics_;
  Mechanism out_;
  struct Arm {
    ComponentId component;
    uint32_t a, b;
    Mat3<double> R;
    Vec3<double> r;
  };
  std::vector<Arm> arms_;
  std::vector<std::vector<uint32_t>> arms_at_;  // by frame
  std::vector<std::pair<ComponentId, uint32_t>> bodies_;
};

uint32_t Finder::FrameOf(ComponentId id, std::string_view terminal) const {
  const Component& c = graph_.components[id.index()];
  const ElementClass& element = graph_.elements[c.element.index()];
  const ComponentClass& cls = model_[element.class_id];
  for (uint32_t slot = 0; slot < element.terminals(); ++slot) {
    if (model_.names.Text(cls.terminals[element.slot_terminal[slot]].name) == terminal)
      return graph_.frame_of_terminal[c.first_terminal + slot];
  }
  return UINT32_MAX;
}

// Whether something is connected to the 1D side of a joint.
bool Finder::AxisUsed(ComponentId id) const {
  const Component& c = graph_.components[id.index()];
  const ElementClass& element = graph_.elements[c.element.index()];
  const ComponentClass& cls = model_[element.class_id];
  for (uint32_t slot = 0; slot < element.terminals(); ++slot) {
    const Terminal& terminal = cls.terminals[element.slot_terminal[slot]];
    if (!model_.domains[terminal.domain.index()].spatial && graph_.connected[c.first_terminal + slot])
      return true;
  }
  return false;
}

void Finder::Collect() {
  for (uint32_t i = 0; i < graph_.components.size(); ++i) {
    const ComponentId id(i);
    const ComponentClass& cls = graph_.ClassOf(model_, id);
    if (cls.spatial.IsNone()) continue;
    const auto kind = SpatialKindNamed(model_.names.Text(cls.spatial));
    if (!kind) {
      diagnostics_.Report(messages::kUnknownKind, model_.SpanOf(cls.origin), {model_.Text(cls.spatial)});
      continue;
    }
    const uint32_t a = FrameOf(id, "a"), b = FrameOf(id, "b");
    if (*kind == SpatialKind::kGravity) {
      if (!out_.gravity.empty())
        diagnostics_.Report(messages::kTwoGravities, Place(id), {NameOf(out_.gravity.front()), NameOf(id)});
      out_.gravity.push_back(id);
    } else if (*kind == SpatialKind::kBody) {
      CheckBody(id);
      bodies_.emplace_back(id, a);
    } else if (*kind == SpatialKind::kArm) {
      arms_.push_back({id, a, b,
                       OfRollPitchYaw(numbers_.Number(id, "rpy", 0), numbers_.Number(id, "rpy", 1),
                                      numbers_.Number(id, "rpy", 2)),
                       numbers_.Vector(id, "r")});
    } else if (*kind == SpatialKind::kElement) {
      out_.elements.push_back({id, a, b});
    } else {
      SpatialJoint joint;
      joint.component = id;
      joint.kind = *kind;
      joint.a = a;
      joint.b = b;
      if (numbers_.Find(id, "n") != UINT32_MAX) {
        joint.n = numbers_.Vector(id, "n");
        const double length = std::sqrt(Dot(joint.n, joint.n));
        if (!(length > 0)) {
          diagnostics_.Report(messages::kNoAxis, Place(id), {NameOf(id)});
          continue;
        }
        for (double& v : joint.n.x) v /= length;
        // Some direction across the axis: that of `u`, or the coordinate axis that is most across.
        Vec3<double> u = numbers_.Vector(id, "u");
        if (Dot(u, u) == 0) {
          size_t least = 0;
          for (size_t k = 1; k < 3; ++k) {
            if (std::abs(joint.n[k]) < std::abs(joint.n[least])) least = k;
          }
          u[least] = 1;
        }
        u = u - joint.n * Dot(u, joint.n);
        const double across = std::sqrt(Dot(u, u));
        for (size_t k = 0; k < 3; ++k) joint.u[k] = u[k] / across;
      }
      out_.joints.push_back(joint);
    }
  }
}

void Finder::CheckBody(ComponentId id) {
  const double m = numbers_.Number(id, "m");
  const auto refuse = [&](const std::string& why) {
    diagnostics_.Report(messages::kBadInertia, Place(id), {NameOf(id), why});
  };
  if (m < 0) return refuse("its mass is " + Text(m) + " kg, which is negative");
  Mat3<double> I;
  for (size_t k = 0; k < 3; ++k) I[k][k] = numbers_.Number(id, "I", static_cast<uint32_t>(k));
  I[0][1] = I[1][0] = numbers_.Number(id, "I", 3);
  I[0][2] = I[2][0] = numbers_.Number(id, "I", 4);
  I[1][2] = I[2][1] = numbers_.Number(id, "I", 5);
  std::array<double, 3> p = PrincipalValues(I);
  std::sort(p.begin(), p.end());
  const double rounding = 1e-9 * std::abs(p[2]);
  const std::string values =
      "its principal moments are " + Text(p[0]) + ", " + Text(p[1]) + ", " + Text(p[2]) + " kg*m^2";
  if (p[0] < -rounding) return refuse(values + ", and none can be negative");
  if (p[0] + p[1] < p[2] - rounding)
    diagnostics_.Report(messages::kOddInertia, Place(id),
                        {NameOf(id), values + ", and the largest can be no more than the sum of the others"});
}

// Algorithm A: what is joined by arms is one body.
void Finder::JoinRigidly() {
  UnionFind rigid(out_.frames.size());
  arms_at_.resize(out_.frames.size());
  for (uint32_t k = 0; k < arms_.size(); ++k) {
    rigid.Join(arms_[k].a, arms_[k].b);
    arms_at_[arms_[k].a].push_back(k);
    arms_at_[arms_[k].b].push_back(k);
  }
  std::map<uint32_t, uint32_t> number;
  for (uint32_t f = 0; f < out_.frames.size(); ++f) {
    const auto [at, fresh] = number.try_emplace(rigid.Find(f), out_.composites.size());
    if (fresh) {
      out_.composites.push_back({});
      out_.composites.back().frame = f;
    }
    out_.frames[f].composite = at->second;
  }
  for (uint32_t c = 0; c < out_.composites.size(); ++c) PlaceFrames(c, out_.composites[c].frame, true);
  for (const auto& [id, frame] : bodies_) out_.composites[out_.frames[frame].composite].bodies.push_back(id);
}

void Finder::PlaceFrames(uint32_t composite, uint32_t frame, bool report) {
  FramePlace& root = out_.frames[frame];
  root.R = Mat3<double>::Identity();
  root.p = {};
  root.via = UINT32_MAX;
  std::vector<uint32_t> order{frame};
  std::map<uint32_t, bool> seen{{frame, true}};
  std::map<uint32_t, bool> used;
  for (size_t k = 0; k < order.size(); ++k) {
    const uint32_t f = order[k];
    for (const uint32_t number : arms_at_[f]) {
      if (!used.try_emplace(number, true).second) continue;
      const Arm& arm = arms_[number];
      const bool backward = arm.b == f && arm.a != f;
      const uint32_t other = backward ? arm.a : arm.b;
      const FramePlace& from = out_.frames[f];
      FramePlace to;
      to.composite = composite;
      to.via = f;
      to.step = {arm.component, backward};
      if (backward) {
        to.R = from.R * Transpose(arm.R);
        to.p = from.p - to.R * arm.r;
      } else {
        to.R = from.R * arm.R;
        to.p = from.p + from.R * arm.r;
      }
      if (seen.try_emplace(other, true).second) {
        out_.frames[other] = to;
        order.push_back(other);
        continue;
      }
      if (!report) continue;
      const FramePlace& known = out_.frames[other];
      const Vec3<double> gap = to.p - known.p;
      const double distance = std::sqrt(Dot(gap, gap));
      double turn = 0;
      for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) turn = std::max(turn, std::abs(to.R[i][j] - known.R[i][j]));
      }
      if (distance > 1e-9 || turn > 1e-9) {
        diagnostics_.Report(
            messages::kRigidLoop, Place(arm.component),
            {NameOf(arm.component), distance > 1e-9 ? "its ends miss each other by " + Text(distance) + " m"
                                                    : "its ends are turned against each other"});
      }
    }
  }
}

// Revolute joints with one axis between the same two bodies: the first says it all (paper 000, Table 4).
void Finder::DropCoincident() {
  const auto same_line = [&](const SpatialJoint& x, const SpatialJoint& y, uint32_t fx, uint32_t fy) {
    const FramePlace& px = out_.frames[fx];
    const FramePlace& py = out_.frames[fy];
    const Vec3<double> nx = px.R * x.n, ny = py.R * y.n;
    const Vec3<double> across = Cross(nx, ny);
    const Vec3<double> gap = py.p - px.p;
    const Vec3<double> off = Cross(nx, gap);
    return Dot(across, across) < 1e-18 && Dot(off, off) < 1e-18;
  };
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> between;
  for (uint32_t k = 0; k < out_.joints.size(); ++k) {
    const uint32_t a = out_.frames[out_.joints[k].a].composite, b = out_.frames[out_.joints[k].b].composite;
    if (a == b) {
      diagnostics_.Report(messages::kBothEndsRigid, Place(out_.joints[k].component),
                          {NameOf(out_.joints[k].component)});
      continue;
    }
    if (out_.joints[k].kind == SpatialKind::kRevolute) between[{std::min(a, b), std::max(a, b)}].push_back(k);
  }
  for (const auto& [pair, list] : between) {
    std::vector<uint32_t> kept;
    for (const uint32_t k : list) {
      const SpatialJoint& joint = out_.joints[k];
      bool dropped = false;
      for (const uint32_t other : kept) {
        const SpatialJoint& first = out_.joints[other];
        const bool same_side = out_.frames[first.a].composite == out_.frames[joint.a].composite;
        if (!same_line(first, joint, first.a, same_side ? joint.a : joint.b) ||
            !same_line(first, joint, first.b, same_side ? joint.b : joint.a))
          continue;
        diagnostics_.Report(messages::kCoincident, Place(joint.component),
                            {NameOf(joint.component), NameOf(first.component)});
        out_.dropped.push_back({k, other});
        dropped = true;
        break;
      }
      if (!dropped) kept.push_back(k);
    }
  }
}

// How much the coordinates of a joint are wanted; below 0: not at all.
double Finder::Preference(const SpatialJoint& joint) const {
  switch (joint.kind) {
    case SpatialKind::kRevolute:
    case SpatialKind::kPrismatic:
    case SpatialKind::kCylindrical:
    case SpatialKind::kPlanar:
    case SpatialKind::kSpherical:
      break;
    default:  // holds nothing, everything, or makes a poor loop constraint
      return 0;
  }
  const double own = numbers_.Number(joint.component, "preference");
  if (coordinates_ == Coordinates::kOfJoints) return std::max(own, 0.0);
  const bool absolute = coordinates_ == Coordinates::kAbsolute || model_[graph_.system].absolute;
  return absolute && own == 0 ? -1 : own;
}

// What hangs on the world by joints that give no coordinates has its place as coordinates.
void Finder::PlaceInWorld(std::vector<std::vector<uint32_t>>& joints_at) {
  UnionFind tree(out_.composites.size()), all(out_.composites.size());
  for (const SpatialJoint& joint : out_.joints) {
    const uint32_t a = out_.frames[joint.a].composite, b = out_.frames[joint.b].composite;
    if (joint.in_tree) tree.Join(a, b);
    all.Join(a, b);
  }
  out_.placed = std::any_of(out_.joints.begin(), out_.joints.end(),
                            [&](const SpatialJoint& joint) { return Preference(joint) < 0; });
  for (uint32_t c = 1; c < out_.composites.size(); ++c) {
    bool fresh = false;
    if (all.Find(c) == all.Find(0)) tree.Join(0, c, &fresh);
    if (!fresh) continue;
    SpatialJoint place;
    place.kind = SpatialKind::kFree;
    place.a = out_.composites[0].frame;
    place.b = out_.composites[c].frame;
    place.in_tree = true;
    for (const uint32_t end : {0u, c}) joints_at[end].push_back(static_cast<uint32_t>(out_.joints.size()));
    out_.joints.push_back(place);
  }
}

// What holds no body and hangs on nothing is named by its joints, arms and sensors.
void Finder::AddLoose(UnionFind& joined, std::map<uint32_t, std::vector<ComponentId>>& floating) const {
  std::map<uint32_t, std::vector<ComponentId>> loose;
  const auto add = [&](ComponentId id, uint32_t a, uint32_t b) {
    for (const uint32_t frame : {a, b}) {
      if (frame == UINT32_MAX) continue;
      const auto at = floating.find(joined.Find(out_.frames[frame].composite));
      if (at == floating.end() || !at->second.empty()) continue;
      auto& list = loose[at->first];
      if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
    }
  };
  for (const Arm& arm : arms_) add(arm.component, arm.a, arm.b);
  for (const SpatialJoint& joint : out_.joints) {
    if (!joint.component.IsNone()) add(joint.component, joint.a, joint.b);
  }
  for (const SpatialElement& element : out_.elements) add(element.component, element.a, element.b);
  for (auto& [root, list] : loose) floating[root] = std::move(list);
}

// The tree is the choice of coordinates: first joints that are preferred, then those that make poor loop
// constraints, then those that drive or are driven, then the rest.
void Finder::ChooseTree() {
  const auto cost = [&](const SpatialJoint& joint) {
    switch (joint.kind) {
      case SpatialKind::kReaction:
      case SpatialKind::kFree:
      case SpatialKind::kPlanar:
      case SpatialKind::kScrew:
        return 0;
      case SpatialKind::kSpherical:
        return 3;
      default:
        return AxisUsed(joint.component) ? 1 : 2;
    }
  };
  std::vector<uint32_t> order;
  for (uint32_t k = 0; k < out_.joints.size(); ++k) {
    const bool dropped = std::any_of(out_.dropped.begin(), out_.dropped.end(),
                                     [&](const Mechanism::Dropped& d) { return d.joint == k; });
    if (!dropped) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
    return std::pair(-Preference(out_.joints[x]), cost(out_.joints[x])) <
           std::pair(-Preference(out_.joints[y]), cost(out_.joints[y]));
  });
  UnionFind joined(out_.composites.size());
  std::vector<std::vector<uint32_t>> at(out_.composites.size());
  for (const uint32_t k : order) {
    const uint32_t a = out_.frames[out_.joints[k].a].composite, b = out_.frames[out_.joints[k].b].composite;
    bool fresh = false;
    const SpatialKind kind = out_.joints[k].kind;
    if (kind != SpatialKind::kRod && kind != SpatialKind::kRolling && Preference(out_.joints[k]) >= 0)
      joined.Join(a, b, &fresh);
    if (!fresh) {
      out_.chords.push_back(k);
      continue;
    }
    out_.joints[k].in_tree = true;
    at[a].push_back(k);
    at[b].push_back(k);
  }
  std::sort(out_.chords.begin(), out_.chords.end());
  for (auto& list : at) std::sort(list.begin(), list.end());
  PlaceInWorld(at);
  // Breadth-first from the world; composites are numbered anew, parents first.
  std::vector<CompositeBody> ordered{out_.composites[0]};
  std::vector<uint32_t> old_number{0}, new_number(out_.composites.size(), UINT32_MAX);
  new_number[0] = 0;
  for (uint32_t c = 0; c < ordered.size(); ++c) {
    for (const uint32_t k : at[old_number[c]]) {
      SpatialJoint& joint = out_.joints[k];
      const bool from_a = out_.frames[joint.a].composite == old_number[c];
      const uint32_t child = out_.frames[from_a ? joint.b : joint.a].composite;
      if (new_number[child] != UINT32_MAX) continue;
      joint.reversed = !from_a;
      joint.first_freedom = out_.freedoms;
      out_.freedoms += FreedomsOf(joint.kind);
      new_number[child] = static_cast<uint32_t>(ordered.size());
      old_number.push_back(child);
      ordered.push_back(out_.composites[child]);
      ordered.back().joint = k;
      ordered.back().parent = c;
      ordered.back().frame = from_a ? joint.b : joint.a;
    }
  }
  std::map<uint32_t, std::vector<ComponentId>> floating;
  for (uint32_t c = 0; c < out_.composites.size(); ++c) {
    if (new_number[c] != UINT32_MAX) continue;
    auto& list = floating[joined.Find(c)];
    list.insert(list.end(), out_.composites[c].bodies.begin(), out_.composites[c].bodies.end());
  }
  AddLoose(joined, floating);
  for (auto& [root, bodies] : floating) {
    if (bodies.empty()) continue;
    std::sort(bodies.begin(), bodies.end());
    std::string names;
    for (size_t k = 0; k < bodies.size() && k < 4; ++k)
      names += (k == 0 ? "`" : ", `") + NameOf(bodies[k]) + "`";
    if (bodies.size() > 4) names += " and " + std::to_string(bodies.size() - 4) + " more";
    diagnostics_.Report(messages::kFloatingBody, Place(bodies.front()), {names});
  }
  for (FramePlace& frame : out_.frames) {
    if (frame.composite != UINT32_MAX) frame.composite = new_number[frame.composite];
  }
  out_.composites = std::move(ordered);
  for (uint32_t c = 0; c < out_.composites.size(); ++c) PlaceFrames(c, out_.composites[c].frame, false);
}

void Finder::AddMasses() {
  for (const auto& [id, f] : bodies_) {
    const FramePlace& frame = out_.frames[f];
    if (frame.composite == UINT32_MAX) continue;
    MassProperties<double> body;
    body.m = numbers_.Number(id, "m");
    const Vec3<double> centre = numbers_.Vector(id, "center");
    body.h = centre * body.m;
    for (size_t k = 0; k < 3; ++k) body.inertia[k][k] = numbers_.Number(id, "I", static_cast<uint32_t>(k));
    body.inertia[0][1] = body.inertia[1][0] = numbers_.Number(id, "I", 3);
    body.inertia[0][2] = body.inertia[2][0] = numbers_.Number(id, "I", 4);
    body.inertia[1][2] = body.inertia[2][1] = numbers_.Number(id, "I", 5);
    body.inertia = body.inertia + PointInertia(body.m, centre);
    CompositeBody& composite = out_.composites[frame.composite];
    composite.mass = composite.mass + Moved(body, frame.R, frame.p);
  }
  // What an axis that carries nothing but itself feels: no inertia about it, no mass along it.
  std::vector<bool> carries(out_.composites.size(), false);
  for (size_t c = out_.composites.size(); c-- > 1;) {
    const CompositeBody& composite = out_.composites[c];
    const SpatialJoint& joint = out_.joints[composite.joint];
    const MassProperties<double>& m = composite.mass;
    const double about = Dot(joint.n, m.inertia * joint.n),
                 largest = m.inertia[0][0] + m.inertia[1][1] + m.inertia[2][2];
    const bool turns = joint.kind == SpatialKind::kRevolute;
    const bool any_turn = joint.kind == SpatialKind::kSpherical || joint.kind == SpatialKind::kFree;
    bool nothing = turns ? !(about > 1e-14 * largest) : m.m == 0 && largest == 0;
    if (any_turn && !nothing) {
      // About the joint's point; where it can be pushed aside as well, about the centre.
      Mat3<double> I = m.inertia;
      if (joint.kind == SpatialKind::kFree && m.m > 0) I = I + PointInertia(-1 / m.m, m.h);
      const std::array<double, 3> p = PrincipalValues(I);
      nothing = !(*std::min_element(p.begin(), p.end()) > 1e-12 * largest);
    }
    if (!carries[c] && nothing && FreedomsOf(joint.kind) > 0 && out_.chords.empty() &&
        !AxisUsed(joint.component)) {
      diagnostics_.Report(messages::kMassless, Place(joint.component),
                          {NameOf(joint.component), any_turn ? "inertia about every axis it can turn about"
                                                    : m.m > 0 || largest > 0 ? "inertia about its axis"
                                                                             : "mass or inertia"});
    }
    if (carries[c] || m.m > 0 || largest > 0) carries[composite.parent] = true;
  }
}

}  // namespace

Mechanism FindMechanism(const Model& model, const SystemGraph& graph, const SpatialNumbers& numbers,
                        Coordinates coordinates, Diagnostics& diagnostics) {
  return Finder(model, graph, numbers, coordinates, diagnostics).Run();
}

std::string JointName(const Model& model, const SystemGraph& graph, const Mechanism& mechanism,
                      const SpatialJoint& joint) {
  if (!joint.component.IsNone()) return ComponentName(model, graph, joint.component);
  const uint32_t composite = mechanism.frames[joint.b].composite;
  const std::vector<ComponentId>& bodies = mechanism.composites[composite].bodies;
  return "place of " + (bodies.empty() ? "composite " + std::to_string(composite)
                                       : ComponentName(model, graph, bodies.front()));
}

}  // namespace cotree
