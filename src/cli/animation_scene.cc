// SPDX-License-Identifier: Apache-2.0
#include "cli/animation_scene.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/quantities.h"
#include "cli/run_result.h"
#include "drawing/describe_mechanism.h"

namespace cotree {
namespace {

double Length(const Vec3<double>& v) {
  return std::sqrt(Dot(v, v));
}

// The quaternion that turns z into this direction.
std::array<double, 4> Along(const Vec3<double>& d) {
  const double length = Length(d);
  if (!(length > 0)) return {1, 0, 0, 0};
  const double cosine = d[2] / length;
  if (cosine < -0.999999) return {0, 1, 0, 0};
  const double w = std::sqrt((1 + cosine) / 2);
  return {w, -d[1] / length / (2 * w), d[0] / length / (2 * w), 0};
}

// The axes in turn, so that z becomes axis `k`.
Mat3<double> TurnedTo(size_t k) {
  Mat3<double> R{};
  for (size_t i = 0; i < 3; ++i) R[(k + 1 + i) % 3][i] = 1;
  return R;
}

double Largest(const AnimationShape& shape) {
  const auto [a, b, c] = shape.size;
  switch (shape.kind) {
    case AnimationShape::kSphere:
      return 2 * a;
    case AnimationShape::kCylinder:
      return std::max(2 * a, b);
    default:
      return std::max({a, b, c});
  }
}

class SceneMaker {
 public:
  explicit SceneMaker(const SpatialMotion& run)
      : run_(run),
        t_(*run.prepared.translation),
        model_(run.prepared.loaded->model),
        numbers_(model_, *t_.graph, t_.equations->scalars, t_.equations->parameters),
        finder_(model_, *t_.graph) {}

  AnimationScene Make() {
    scene_.title = model_.Text(model_[t_.graph->system].name);
    scene_.times = run_.trajectory.times;
    Vec3<double> down;
    for (const ComponentId id : t_.mechanism.gravity) down = down + numbers_.Vector(id, "g");
    scene_.gravity = down.x;
    const double g = Length(down);
    if (g > 0) scene_.up = (down * (-1 / g)).x;
    FindSize();
    for (uint32_t c = 0; c < t_.mechanism.composites.size(); ++c) AddBody(c);
    for (const SpatialJoint& joint : t_.mechanism.joints) {
      if (!joint.component.IsNone()) AddJoint(joint);
    }
    for (const SpatialElement& element : t_.mechanism.elements) AddElement(element);
    AddCurves();
    return std::move(scene_);
  }

 private:
  std::string NameOf(ComponentId id) const { return ComponentName(model_, *t_.graph, id); }
  const FramePlace& FrameOf(ComponentId body) const {
    const Component& component = t_.graph->components[body.index()];
    return t_.mechanism.frames[t_.graph->frame_of_terminal[component.first_terminal]];
  }
  Vec3<double> PlaceOf(size_t row, uint32_t frame) const {
    const FramePlace& at = t_.mechanism.frames[frame];
    const SpatialPose& pose = run_.poses[row][at.composite];
    return pose.p + pose.R * at.p;
  }

  // The largest extent of frames and centres of mass as the run begins; where all are in one place then, that
  // of the whole motion, or of the largest body.
  void FindSize() {
    for (const ComponentId id : AllBodies()) heaviest_ = std::max(heaviest_, numbers_.Number(id, "m"));
    size_ = Extent(1);
    if (size_ > 0) return;
    size_ = Extent(run_.poses.size());
    for (const ComponentId id : AllBodies()) {
      if (const auto shape = KnownShape(id)) size_ = std::max(size_, Largest(*shape));
      size_ = std::max(size_, Largest(InertiaShape(id, numbers_.Number(id, "m"))));
    }
    if (!(size_ > 0)) size_ = 1;
  }

  // In the first rows of the run.
  double Extent(size_t rows) const {
    Vec3<double> low, high;
    const auto include = [&](const SpatialPose& pose, const Vec3<double>& p) {
      const Vec3<double> at = pose.p + pose.R * p;
      for (size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], at[k]), high[k] = std::max(high[k], at[k]);
    };
    for (size_t row = 0; row < rows; ++row) {
      for (const FramePlace& frame : t_.mechanism.frames) {
        if (frame.composite != UINT32_MAX) include(run_.poses[row][frame.composite], frame.p);
      }
      for (const ComponentId id : AllBodies()) {
        const FramePlace& frame = FrameOf(id);
        include(run_.poses[row][frame.composite], frame.p + frame.R * numbers_.Vector(id, "center"));
      }
    }
    const Vec3<double> d = high - low;
    return std::max({d[0], d[1], d[2]});
  }

  std::vector<ComponentId> AllBodies() const {
    std::vector<ComponentId> out;
    for (const CompositeBody& composite : t_.mechanism.composites)
      out.insert(out.end(), composite.bodies.begin(), composite.bodies.end());
    return out;
  }

  void Rod(AnimationBody& body, const Vec3<double>& from, const Vec3<double>& to) const {
    const Vec3<double> d = to - from;
    const double length = Length(d);
    if (length < 1e-9 * size_) return;
    AnimationShape rod;
    rod.kind = AnimationShape::kCylinder;
    rod.size = {0.012 * size_, length, 0};
    rod.place = ((from + to) * 0.5).x;
    rod.turn = Along(d);
    body.shapes.push_back(rod);
  }

  // The shape that a class of the library tells, its middle at `place` from the centre of mass.
  std::optional<AnimationShape> KnownShape(ComponentId id) const {
    const ComponentId owner = t_.graph->scopes[t_.graph->components[id.index()].scope].parent;
    if (owner.IsNone()) return std::nullopt;
    const std::string name = model_.Text(t_.graph->ClassOf(model_, owner).name);
    const auto number = [&](const char* parameter) { return numbers_.Number(owner, parameter); };
    AnimationShape shape;
    if (name == "BoxBody") {
      shape.size = numbers_.Vector(owner, "size").x;
    } else if (name == "CylinderBody") {
      shape.kind = AnimationShape::kCylinder;
      shape.size = {number("radius"), number("length"), 0};
    } else if (name == "TubeBody") {
      shape.kind = AnimationShape::kTube;
      shape.size = {number("radius"), number("bore"), number("length")};
    } else if (name == "SphereBody") {
      shape.kind = AnimationShape::kSphere;
      shape.size = {number("radius"), 0, 0};
    } else if (name == "ConeBody") {
      shape.kind = AnimationShape::kCone;
      shape.size = {number("radius"), number("length"), 0};
      shape.place = {0, 0, number("length") / 4};
    }
    if (!(shape.size[0] > 0)) return std::nullopt;
    return shape;
  }

  // The ball, cylinder or box that has mass m and these moments.
  AnimationShape InertiaShape(ComponentId id, double m) const {
    AnimationShape shape;
    if (!(m > 0)) return shape;
    const Vec3<double> I = numbers_.Vector(id, "I");
    const auto equal = [&](size_t i, size_t j) { return std::abs(I[i] - I[j]) <= 1e-6 * (I[i] + I[j]); };
    if (equal(0, 1) && equal(1, 2)) {
      shape.kind = AnimationShape::kSphere;
      shape.size = {std::sqrt(2.5 * I[0] / m), 0, 0};
      return shape;
    }
    for (size_t k = 0; k < 3; ++k) {
      const size_t i = (k + 1) % 3, j = (k + 2) % 3;
      shape.size[k] = std::sqrt(std::max(0.0, 6 / m * (I[i] + I[j] - I[k])));
    }
    for (size_t k = 0; k < 3; ++k) {
      if (!equal((k + 1) % 3, (k + 2) % 3)) continue;
      const double square = 2 * I[k] / m;  // of the radius
      shape.kind = AnimationShape::kCylinder;
      shape.size = {std::sqrt(square), std::sqrt(std::max(0.0, 12 * I[(k + 1) % 3] / m - 3 * square)), 0};
      shape.turn = QuaternionOf(TurnedTo(k));
      break;
    }
    return shape;
  }

  // What is shown of a body, in axes of its frame.
  AnimationShape ShapeOf(ComponentId id) const {
    if (const auto known = KnownShape(id)) return *known;
    const double m = numbers_.Number(id, "m");
    // A rotor without mass has a shape, but no size.
    AnimationShape shape = InertiaShape(id, m > 0 ? m : 1);
    const double largest = Largest(shape);
    const double wanted = m > 0 ? std::min(0.6 * largest, 0.35 * size_) : 0.12 * size_;
    if (largest < 1e-3 * size_) {
      shape.kind = AnimationShape::kSphere;
      shape.size = {m > 0 ? std::max(0.02, 0.04 * std::cbrt(m / heaviest_)) * size_ : 0, 0, 0};
      return shape;
    }
    for (double& s : shape.size) s = std::max(s * wanted / largest, 0.006 * size_);
    return shape;
  }

  void AddBody(uint32_t c) {
    const CompositeBody& composite = t_.mechanism.composites[c];
    AnimationBody body;
    body.name = c == 0 ? "ground" : "";
    Vec3<double> centre;
    double mass = 0;
    for (uint32_t f = 0; f < t_.mechanism.frames.size(); ++f) {
      const FramePlace& frame = t_.mechanism.frames[f];
      if (frame.composite == c && frame.via != UINT32_MAX)
        Rod(body, t_.mechanism.frames[frame.via].p, frame.p);
    }
    for (const ComponentId id : composite.bodies) {
      body.name += (body.name.empty() ? "" : ", ") + NameOf(id);
      const FramePlace& frame = FrameOf(id);
      const double m = numbers_.Number(id, "m");
      const Vec3<double> at = frame.p + frame.R * numbers_.Vector(id, "center");
      centre = centre + at * m;
      mass += m;
      AnimationShape shape = ShapeOf(id);
      shape.place = (at + frame.R * Vec3<double>{shape.place}).x;
      shape.turn = QuaternionOf(frame.R * OfQuaternion<double>(shape.turn));
      body.shapes.push_back(shape);
      Rod(body, frame.p, at);
    }
    if (body.name.empty()) body.name = CompositeName(model_, *t_.graph, t_.mechanism, c);
    if (mass > 0) body.trace = (centre * (1 / mass)).x;
    if (c > 0) {
      for (const auto& row : run_.poses) {
        const std::array<double, 4> q = QuaternionOf(row[c].R);
        for (const double v : row[c].p.x) body.poses.push_back(static_cast<float>(v));
        for (const double v : q) body.poses.push_back(static_cast<float>(v));
      }
      bool last = true;  // what carries nothing is traced
      for (const CompositeBody& other : t_.mechanism.composites) last = last && other.parent != c;
      body.traced = last && t_.mechanism.composites.size() < 40;
    }
    scene_.bodies.push_back(std::move(body));
  }

  void AddLink(ComponentId id, AnimationLink::Kind kind, uint32_t a, uint32_t b) {
    AnimationLink link;
    link.name = NameOf(id);
    link.kind = kind;
    for (const auto& [k, f] : {std::pair(0, a), std::pair(1, b)}) {
      const FramePlace& frame = t_.mechanism.frames[f];
      if (frame.composite == UINT32_MAX) return;
      link.bodies[static_cast<size_t>(k)] = static_cast<int>(frame.composite);
      link.places[static_cast<size_t>(k)] = frame.p.x;
    }
    scene_.links.push_back(std::move(link));
  }

  void AddJoint(const SpatialJoint& joint) {
    const FramePlace& frame = t_.mechanism.frames[joint.a];
    if (joint.kind == SpatialKind::kRod) AddLink(joint.component, AnimationLink::kRod, joint.a, joint.b);
    if (joint.kind == SpatialKind::kPrismatic || joint.kind == SpatialKind::kCylindrical)
      AddLink(joint.component, AnimationLink::kSlide, joint.a, joint.b);
    // What holds nothing, or all, has no mark.
    if (frame.composite == UINT32_MAX || joint.kind == SpatialKind::kFree ||
        joint.kind == SpatialKind::kRod || joint.kind == SpatialKind::kReaction)
      return;
    const ComponentClass& cls = t_.graph->ClassOf(model_, joint.component);
    const Vec3<double> axis = joint.kind == SpatialKind::kSpherical ? Vec3<double>{} : frame.R * joint.n;
    scene_.joints.push_back({NameOf(joint.component), model_.Text(cls.spatial),
                             static_cast<int>(frame.composite), frame.p.x, axis.x});
  }

  const std::vector<double>* ColumnOf(VariableRef ref) const {
    if (!t_.sorted->HasSlot(ref)) return nullptr;
    const auto& slots = run_.trajectory.slots;
    const auto at = std::find(slots.begin(), slots.end(), t_.sorted->Slot(ref));
    if (at == slots.end()) return nullptr;
    return &run_.trajectory.columns[static_cast<size_t>(at - slots.begin())];
  }

  using Columns = std::array<const std::vector<double>*, 3>;
  /// The vector of this name that an element has over time; nothing: it has none.
  std::optional<Columns> VectorOf(ComponentId id, const char* name) const {
    Columns out{};
    for (size_t k = 0; k < 3; ++k) {
      const std::string path = NameOf(id) + "." + name + "[" + std::to_string(k + 1) + "]";
      const VariableRef ref = FindVariable(*t_.equations, finder_, path);
      if (ref.variable == UINT32_MAX) return std::nullopt;
      out[k] = ColumnOf(ref);
    }
    return out;
  }
  static Vec3<double> At(const std::optional<Columns>& columns, size_t row) {
    Vec3<double> out;
    for (size_t k = 0; columns && k < 3; ++k) out[k] = (*columns)[k] == nullptr ? 0 : (*(*columns)[k])[row];
    return out;
  }

  // What an element exerts on b, and the reaction on a (src/mechanics/derive_motion.cc).
  void AddElement(const SpatialElement& element) {
    const ComponentId id = element.component;
    const auto f = VectorOf(id, "f"), t = VectorOf(id, "t"), f_a = VectorOf(id, "f_a"),
               t_a = VectorOf(id, "t_a");
    const bool two = element.b != UINT32_MAX, forces = f || f_a;
    // A sphere touches a plane below its middle; its torque says no more than that.
    const bool touches =
        numbers_.Find(id, "n") != UINT32_MAX && numbers_.Find(id, "radius") != UINT32_MAX && f;
    const bool torques = (t || t_a) && !touches;
    if (!forces && !torques) return;
    if (two && f && !torques) {
      const bool driven = !t_.graph->ElementOf(id).edges.empty();
      AddLink(id, driven ? AnimationLink::kActuator : AnimationLink::kSpring, element.a, element.b);
    }
    for (const bool reaction : {false, true}) {
      const uint32_t at = two && !reaction ? element.b : element.a;
      const FramePlace& frame = t_.mechanism.frames[at];
      if (frame.composite == 0 || frame.composite == UINT32_MAX || (reaction && !two)) continue;
      AnimationArrow force;
      force.name = NameOf(id);
      force.body = static_cast<int>(frame.composite);
      force.place = frame.p.x;
      AnimationArrow torque = force;
      torque.torque = true;
      if (touches) force.offset = (numbers_.Vector(id, "n") * -numbers_.Number(id, "radius")).x;
      for (size_t row = 0; row < run_.poses.size(); ++row) {
        const FramePlace& own = t_.mechanism.frames[element.a];
        const Mat3<double> axes = run_.poses[row][own.composite].R * own.R;
        Vec3<double> force_now = At(f, row) + axes * At(f_a, row);
        Vec3<double> torque_now = At(t, row) + axes * At(t_a, row);
        if (reaction) {
          const Vec3<double> r = PlaceOf(row, element.b) - PlaceOf(row, element.a);
          torque_now = -(torque_now + Cross(r, force_now));
          force_now = -force_now;
        }
        for (const double v : force_now.x) force.vectors.push_back(static_cast<float>(v));
        for (const double v : torque_now.x) torque.vectors.push_back(static_cast<float>(v));
      }
      if (forces) scene_.arrows.push_back(std::move(force));
      if (torques) scene_.arrows.push_back(std::move(torque));
    }
  }

  // The body that a variable speaks of: the one it belongs to, or what its joint moves.
  int BodyOf(const std::string& variable) const {
    const auto belongs = [&](ComponentId id) {
      return !id.IsNone() && variable.starts_with(NameOf(id) + ".");
    };
    for (uint32_t c = 0; c < t_.mechanism.composites.size(); ++c) {
      const CompositeBody& composite = t_.mechanism.composites[c];
      if (composite.joint != UINT32_MAX && belongs(t_.mechanism.joints[composite.joint].component))
        return static_cast<int>(c);
      if (std::any_of(composite.bodies.begin(), composite.bodies.end(), belongs)) return static_cast<int>(c);
    }
    for (const uint32_t chord : t_.mechanism.chords) {
      const SpatialJoint& joint = t_.mechanism.joints[chord];
      if (belongs(joint.component)) return static_cast<int>(t_.mechanism.frames[joint.b].composite);
    }
    return -1;
  }

  void AddCurves() {
    std::vector<std::string> names = PlotNames(t_);
    if (names.empty()) {
      for (const VariableRef& state : t_.sorted->states) {
        if (names.size() < 8 && state.order == 0)
          names.push_back(t_.equations->VariableName(state.variable, 0));
      }
    }
    for (const std::string& name : names) {
      const VariableRef ref = FindVariable(*t_.equations, finder_, name);
      const std::vector<double>* column = ColumnOf(ref);
      if (column == nullptr) continue;
      AnimationCurve curve;
      curve.name = name;
      curve.unit = UnitOf(*t_.equations, ref);
      curve.body = BodyOf(name);
      for (const double v : *column) curve.values.push_back(static_cast<float>(v));
      scene_.curves.push_back(std::move(curve));
    }
  }

  const SpatialMotion& run_;
  const Translation& t_;
  const Model& model_;
  SpatialNumbers numbers_;
  NameFinder finder_;
  AnimationScene scene_;
  double size_ = 1;
  double heaviest_ = 0;  // mass of a body
};

}  // namespace

AnimationScene MakeScene(const SpatialMotion& run) {
  return SceneMaker(run).Make();
}

}  // namespace cotree
