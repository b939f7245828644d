// SPDX-License-Identifier: Apache-2.0
// Nine bodies, of a seeker, against tests/models/expected/nine_bodies.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "expected_support.h"

namespace cotree::test {
namespace {

/// "pitch connector (a)" is `pitch_connector_a`.
std::string PartName(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == ' ')
      out += '_';
    else if (c != '(' && c != ')')
      out += c;
  }
  return out;
}

// Every part has its frame at its centre, in its own axes, and a hub: a frame that is the world's at angles
// 0. There the fixed joints join it to others; j1 ... j4 are the revolute joints, as the file lists them.
std::string NineBodies(const Json& inputs) {
  std::string text =
      "system Seeker {\n  gravity : Gravity(g = " + List(inputs.at("gravity"), "m/s^2") + ")\n";
  for (const auto& [name, body] : inputs.at("bodies").items()) {
    const std::string part = PartName(name);
    const double psi = body.at("psi"), c = std::cos(psi), s = std::sin(psi);
    const std::vector<double> g = body.at("cg_world_at_zero");
    std::vector<double> inertia = body.at("principal_inertias_own_axes");
    inertia.resize(6, 0);
    text += "  " + part + " : Body(m = " + Number(body.at("mass")) + " kg, I = " + List(inertia, "kg*m^2") +
            ")\n  " + part +
            "_hub : Arm(r = " + List({-c * g[0] - s * g[1], s * g[0] - c * g[1], -g[2]}, "m") +
            ", rpy = " + List({0, 0, -psi}, "rad") + ")\n  connect " + part + ".a -- " + part + "_hub.a\n";
  }
  size_t fixed = 0, revolute = 0;
  for (const Json& joint : inputs.at("joints")) {
    const std::string a = PartName(joint.at(1)) + "_hub.b", b = PartName(joint.at(2)) + "_hub.b";
    if (joint.at(0) == "FIXED") {
      const std::string name = "fixed" + std::to_string(++fixed);
      text += "  " + name + " : Rigid\n  connect " + a + " -- " + name + ".a\n  connect " + name + ".b -- " +
              b + "\n";
      continue;
    }
    const Json& axis = inputs.at("revolute_axes_world_at_zero").at(revolute);
    EXPECT_EQ(axis.at("bodies").at(0), joint.at(1));
    EXPECT_EQ(axis.at("bodies").at(1), joint.at(2));
    const std::string name = "j" + std::to_string(++revolute);
    text += "  " + name + " : Revolute(n = " + List(axis.at("axis"), "") + ")\n  " + name + "_from, " + name +
            "_to : Arm(r = " + List(axis.at("point"), "m") + ")\n  connect " + a + " -- " + name +
            "_from.a\n  connect " + name + "_from.b -- " + name + ".a\n  connect " + name + ".b -- " + name +
            "_to.b\n  connect " + b + " -- " + name + "_to.a\n";
  }
  return text + "  connect mechanics.ground -- housing_hub.b\n}\n";
}

TEST(Expected, NineBodiesBecomeThree) {
  const Json file = Expected("nine_bodies");
  const Json& expected = file.at("expected");
  const double tolerance = file.at("tolerance").at("composite_rel");
  MotionProbe probe(NineBodies(file.at("inputs")));
  const Mechanism& mechanism = probe.run.translation->mechanism;
  const auto name_of = [&](ComponentId id) {
    return ComponentName(probe.run.loaded->model, *probe.run.translation->graph, id);
  };
  ASSERT_EQ(mechanism.composites.size(), 3u);
  for (const auto& [label, body] : expected.at("composites").items()) {
    SCOPED_TRACE(label);
    std::vector<std::string> members;
    for (const std::string member : body.at("members")) members.push_back(PartName(member));
    std::sort(members.begin(), members.end());
    const CompositeBody* found = nullptr;
    for (const CompositeBody& composite : mechanism.composites) {
      std::vector<std::string> names;
      for (const ComponentId id : composite.bodies) names.push_back(name_of(id));
      std::sort(names.begin(), names.end());
      if (names == members) found = &composite;
    }
    ASSERT_NE(found, nullptr) << "no composite has these members";
    // At angles 0 the frame of each composite has the axes of the world; those behind a joint begin at it.
    Vec3<double> origin;
    if (found->joint != UINT32_MAX) {
      const std::string joint = name_of(mechanism.joints[found->joint].component);
      const std::vector<double> point =
          file.at("inputs").at("revolute_axes_world_at_zero").at(joint == "j1" ? 0 : 2).at("point");
      for (size_t k = 0; k < 3; ++k) origin[k] = point[k];
    }
    const MassProperties<double>& mass = found->mass;
    const double m = body.at("mass");
    EXPECT_NEAR(mass.m, m, tolerance * m);
    const Vec3<double> centre = mass.h * (1 / mass.m);
    Mat3<double> inertia = mass.inertia;
    const Mat3<double> moved = PointInertia(mass.m, centre);
    const Json& about = body.at("inertia_about_cg");
    // Relative to what is summed up: lengths to those of the parts, moments to those about the frame.
    double length = 0;
    for (const double v : body.at("cg")) length = std::max(length, std::fabs(v));
    for (size_t k = 0; k < 3; ++k) length = std::max(length, std::fabs(origin[k]));
    const double size = std::max({inertia[0][0], inertia[1][1], inertia[2][2]});
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(centre[i] + origin[i], body.at("cg").at(i), tolerance * length);
      for (size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(inertia[i][k] - moved[i][k], about.at(i).at(k), tolerance * size) << i << k;
    }
  }
  // Of the joints with one axis the first is kept.
  std::map<std::string, std::string> dropped;
  for (const auto& [joint, kept] : mechanism.dropped)
    dropped[name_of(mechanism.joints[joint].component)] = name_of(mechanism.joints[kept].component);
  const Json& axes = file.at("inputs").at("revolute_axes_world_at_zero");
  const auto joint_between = [&](const Json& bodies) {
    for (size_t k = 0; k < axes.size(); ++k) {
      if (axes[k].at("bodies") == bodies) return "j" + std::to_string(k + 1);
    }
    return std::string("none");
  };
  EXPECT_EQ(dropped.size(), expected.at("joint_reduction").size());
  for (const Json& reduction : expected.at("joint_reduction"))
    EXPECT_EQ(dropped[joint_between(reduction.at("redundant"))], joint_between(reduction.at("kept")));
  size_t notes = 0;
  for (const Diagnostic& d : probe.run.loaded->diagnostics.list())
    if (CodeText(*d.info) == "COT3308") ++notes;
  EXPECT_EQ(notes, dropped.size());
  EXPECT_EQ(probe.motion.degrees, expected.at("dof").get<uint32_t>());
}

TEST(Expected, NineBodiesMove) {
  const Json file = Expected("nine_bodies");
  const double tolerance = file.at("tolerance").at("points_abs");
  MotionProbe probe(NineBodies(file.at("inputs")));
  const std::vector<std::string> joints = {"j1", "j3"};
  ASSERT_EQ(probe.motion.freedoms.size(), 2u);
  ASSERT_EQ(probe.NameOf(0), "j1");
  ASSERT_EQ(probe.NameOf(1), "j3");
  for (const Json& point : file.at("expected").at("points")) {
    const std::vector<double> q = point.at("q"), qd = point.at("qd");
    SetAngles(probe, joints, q, {0, 0}, {0, 0});
    std::vector<double> gravity;
    for (size_t k = 0; k < 2; ++k) {
      gravity.push_back(Torque(probe, joints[k], 0));
      EXPECT_NEAR(gravity[k], point.at("G").at(k), tolerance);
    }
    SetAngles(probe, joints, q, qd, {0, 0});
    for (size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(Torque(probe, joints[k], 0) - gravity[k], point.at("V").at(k), tolerance);
    const auto mass = MassMatrix(probe);
    for (size_t i = 0; i < 2; ++i) {
      for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(mass[i][k], point.at("M").at(i).at(k), tolerance);
    }
  }
}

}  // namespace
}  // namespace cotree::test
