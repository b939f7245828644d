// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>

#include "animation/animation_script.h"
#include "base/plural.h"
#include "cli/animation_scene.h"
#include "cli/commands.h"
#include "cli/files.h"

namespace cotree {
int RunAnimate(const SimulateOptions& given, const Console& console) {
  const std::string script = AnimationScript();
  if (script.empty()) {
    fmt::print(stderr,
               "cotree: this cotree was built without the animation page, since npm was missing or could "
               "not get its packages; see to it and build again\n");
    return kExitForeign;
  }
  SimulateOptions options = given;
  if (options.output.empty()) options.output = std::filesystem::path(options.file).stem().string() + ".html";
  const SpatialMotion run = RunInSpace(options, true, console);
  if (run.poses.empty()) return run.exit;
  const AnimationScene scene = MakeScene(run);
  if (!WriteFileSafely(options.output, AnimationPage(scene, script))) return kExitForeign;
  fmt::print("{} over {:g} s, {}, in {}\n", Plural(scene.bodies.size() - 1, "body", "bodies"),
             scene.times.back() - scene.times.front(), Plural(scene.times.size(), "picture"), options.output);
  return run.exit;
}

// Poses of all bodies over time, as CSV.
int RunKinematics(const SimulateOptions& options, const Console& console) {
  const SpatialMotion run = RunInSpace(options, false, console);
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
  const int written = WriteOutput(text, options.output);
  if (written != kExitOk || options.output.empty()) return written != kExitOk ? written : run.exit;
  fmt::print("poses of {} at {} in {}\n", Plural(shown.size(), "body", "bodies"),
             Plural(run.poses.size(), "time"), options.output);
  return run.exit;
}

}  // namespace cotree
