// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "animation/animation_page.h"
#include "animation/animation_script.h"
#include "cli/commands.h"
#include "cli/quantities.h"
#include "cli/run_result.h"
#include "cli/spatial_motion.h"

namespace cotree {
namespace {

std::array<double, 3> Plain(const Vec3<double>& v) {
  return v.x;
}

// The quaternion that turns z into this direction.
std::array<double, 4> Along(const Vec3<double>& d) {
  const double length = std::sqrt(Dot(d, d));
  if (!(length > 0)) return {1, 0, 0, 0};
  const double cosine = d[2] / length;
  if (cosine < -0.999999) return {0, 1, 0, 0};
  const double w = std::sqrt((1 + cosine) / 2);
  return {w, -d[1] / length / (2 * w), d[0] / length / (2 * w), 0};
}

/* Makes the scene: bodies as boxes of their inertia, arms as rods, joints as axes. */
class SceneMaker {
 public:
  explicit SceneMaker(const SpatialMotion& run)
      : run_(run),
        t_(*run.prepared.translation),
        model_(run.prepared.loaded->model),
        numbers_(model_, *t_.graph, t_.equations->scalars, t_.equations->parameters) {}

  AnimationScene Make() {
    scene_.title = model_.Text(model_[t_.graph->system].name);
    scene_.times = run_.trajectory.times;
    Vec3<double> down;
    for (const ComponentId id : t_.mechanism.gravity) down = down + numbers_.Vector(id, "g");
    const double g = std::sqrt(Dot(down, down));
    if (g > 0) scene_.up = Plain(down * (-1 / g));
    FindSize();
    for (uint32_t c = 0; c < t_.mechanism.composites.size(); ++c) AddBody(c);
    for (const SpatialJoint& joint : t_.mechanism.joints) {
      if (!joint.component.IsNone()) AddJoint(joint);
    }
    AddCurves();
    return std::move(scene_);
  }

 private:
  std::string NameOf(ComponentId id) const { return ComponentName(model_, *t_.graph, id); }

  void FindSize() {
    double largest = 0;
    for (const FramePlace& frame : t_.mechanism.frames) {
      if (frame.composite == UINT32_MAX) continue;
      const Vec3<double> at =
          run_.poses.front()[frame.composite].p + run_.poses.front()[frame.composite].R * frame.p;
      largest = std::max({largest, std::abs(at[0]), std::abs(at[1]), std::abs(at[2])});
    }
    size_ = largest > 0 ? largest : 1;
  }

  void Rod(AnimationBody& body, const Vec3<double>& from, const Vec3<double>& to) const {
    const Vec3<double> d = to - from;
    const double length = std::sqrt(Dot(d, d));
    if (length < 1e-9 * size_) return;
    AnimationShape rod;
    rod.kind = AnimationShape::kCylinder;
    rod.size = {0.012 * size_, length, 0};
    rod.place = Plain((from + to) * 0.5);
    rod.turn = Along(d);
    body.shapes.push_back(rod);
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
      const Component& component = t_.graph->components[id.index()];
      const uint32_t f = t_.graph->frame_of_terminal[component.first_terminal];
      const FramePlace& frame = t_.mechanism.frames[f];
      const double m = numbers_.Number(id, "m");
      const Vec3<double> at = frame.p + frame.R * numbers_.Vector(id, "center");
      centre = centre + at * m;
      mass += m;
      // The box with this mass and these moments; where there is none, a ball.
      const double x = numbers_.Number(id, "I", 0), y = numbers_.Number(id, "I", 1),
                   z = numbers_.Number(id, "I", 2);
      AnimationShape shape;
      shape.place = Plain(at);
      const auto edge = [&](double a, double b, double own) {
        return m > 0 ? std::sqrt(std::max(0.0, 6 / m * (a + b - own))) : 0;
      };
      shape.size = {edge(y, z, x), edge(x, z, y), edge(x, y, z)};
      shape.turn = QuaternionOf(frame.R);
      const double smallest = 0.02 * size_;
      if (std::max({shape.size[0], shape.size[1], shape.size[2]}) < smallest) {
        shape.kind = AnimationShape::kSphere;
        shape.size = {smallest, 0, 0};
      }
      // Smaller than what would turn like it, so that joints are seen.
      for (double& s : shape.size) s = std::clamp(0.6 * s, 0.3 * smallest, 0.35 * size_);
      body.shapes.push_back(shape);
      if (c > 0) Rod(body, {}, at);
    }
    if (body.name.empty())
      body.name = JointName(model_, *t_.graph, t_.mechanism, t_.mechanism.joints[composite.joint]);
    if (mass > 0) body.trace = Plain(centre * (1 / mass));
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

  void AddJoint(const SpatialJoint& joint) {
    const FramePlace& frame = t_.mechanism.frames[joint.a];
    if (frame.composite == UINT32_MAX) return;
    const ComponentClass& cls = t_.graph->ClassOf(model_, joint.component);
    scene_.joints.push_back({NameOf(joint.component), model_.Text(cls.spatial),
                             static_cast<int>(frame.composite), Plain(frame.p), Plain(frame.R * joint.n)});
  }

  void AddCurves() {
    std::vector<std::string> names;
    if (t_.experiment != nullptr) names = t_.experiment->plot_texts;
    if (names.empty()) {
      for (const VariableRef& state : t_.sorted->states) {
        if (names.size() < 8 && state.order == 0)
          names.push_back(t_.equations->VariableName(state.variable, 0));
      }
    }
    const NameFinder finder(model_, *t_.graph);
    for (const std::string& name : names) {
      const VariableRef ref = FindVariable(*t_.equations, finder, name);
      if (!t_.sorted->HasSlot(ref)) continue;
      const auto at =
          std::find(run_.trajectory.slots.begin(), run_.trajectory.slots.end(), t_.sorted->Slot(ref));
      if (at == run_.trajectory.slots.end()) continue;
      AnimationCurve curve;
      curve.name = name;
      curve.unit = UnitOf(*t_.equations, ref);
      for (const double v : run_.trajectory.columns[static_cast<size_t>(at - run_.trajectory.slots.begin())])
        curve.values.push_back(static_cast<float>(v));
      scene_.curves.push_back(std::move(curve));
    }
  }

  const SpatialMotion& run_;
  const Translation& t_;
  const Model& model_;
  SpatialNumbers numbers_;
  AnimationScene scene_;
  double size_ = 1;
};

}  // namespace

int RunAnimate(const SimulateOptions& options, const Console& console) {
  const std::string script = AnimationScript();
  if (script.empty()) {
    fmt::print(stderr,
               "cotree: this cotree was built without the animation page, since npm was missing; install it "
               "and build again\n");
    return kExitForeign;
  }
  const SpatialMotion run = RunInSpace(options, console);
  if (run.poses.empty()) return run.exit;
  const std::string output =
      options.output.empty() ? std::filesystem::path(options.file).stem().string() + ".html" : options.output;
  const AnimationScene scene = SceneMaker(run).Make();
  std::ofstream file(output, std::ios::binary);
  file << AnimationPage(scene, script);
  file.close();
  if (!file) {
    fmt::print(stderr, "cotree: {} cannot be written\n", output);
    return kExitForeign;
  }
  fmt::print("{} bodies over {:g} s, {} pictures, in {}\n", scene.bodies.size() - 1,
             scene.times.back() - scene.times.front(), scene.times.size(), output);
  return run.exit;
}

// Poses of all bodies over time, as CSV.
int RunKinematics(const SimulateOptions& options, const Console& console) {
  const SpatialMotion run = RunInSpace(options, console);
  if (run.poses.empty()) return run.exit;
  const Translation& t = *run.prepared.translation;
  std::string text = "time";
  struct Shown {
    uint32_t composite;
    const FramePlace* frame;
  };
  std::vector<Shown> shown;
  for (uint32_t c = 1; c < t.mechanism.composites.size(); ++c) {
    for (const ComponentId id : t.mechanism.composites[c].bodies) {
      const std::string name = ComponentName(run.prepared.loaded->model, *t.graph, id);
      for (const char* part : {"x", "y", "z", "qw", "qx", "qy", "qz"}) text += "," + name + "." + part;
      shown.push_back(
          {c,
           &t.mechanism.frames[t.graph->frame_of_terminal[t.graph->components[id.index()].first_terminal]]});
    }
  }
  text += "\n";
  for (size_t row = 0; row < run.poses.size(); ++row) {
    text += fmt::format("{}", run.trajectory.times[row]);
    for (const Shown& s : shown) {
      const SpatialPose& pose = run.poses[row][s.composite];
      const Vec3<double> p = pose.p + pose.R * s.frame->p;
      for (const double v : p.x) text += fmt::format(",{}", v);
      for (const double v : QuaternionOf(pose.R * s.frame->R)) text += fmt::format(",{}", v);
    }
    text += "\n";
  }
  if (options.output.empty()) {
    fmt::print("{}", text);
    return run.exit;
  }
  std::ofstream file(options.output, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    fmt::print(stderr, "cotree: {} cannot be written\n", options.output);
    return kExitForeign;
  }
  fmt::print("poses of {} bodies at {} times in {}\n", shown.size(), run.poses.size(), options.output);
  return run.exit;
}

}  // namespace cotree
