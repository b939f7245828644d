// SPDX-License-Identifier: Apache-2.0
// Motion in space against results from outside (tests/models/expected).
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "curves.h"
#include "motion_probe.h"
#include "product_support.h"

namespace cotree::test {
namespace {

using Json = nlohmann::json;

Json Expected(const std::string& name) {
  return Json::parse(ReadText(kRoot / "tests/models/expected" / (name + ".json")));
}

std::vector<double> Plus(std::vector<double> a, const std::vector<double>& b) {
  for (size_t k = 0; k < a.size(); ++k) a[k] += b.at(k);
  return a;
}

std::vector<double> Times(std::vector<double> a, double factor) {
  for (double& v : a) v *= factor;
  return a;
}

/// One column of a table of the file.
std::vector<double> Column(const Json& rows, size_t k) {
  std::vector<double> out;
  for (const Json& row : rows) out.push_back(row.at(k));
  return out;
}

/// The run gives its values at the times of the file, and at no others.
void ExpectTimes(const RunOf& run, const std::vector<double>& times) {
  ASSERT_EQ(run.times().size(), times.size());
  EXPECT_LE(Difference(run.times(), times), 1e-12);
}

// ---- Double pendulum -------------------------------------------------------------------------------------

// The file has absolute angles. Inertias across the axis of a motion in one plane do not matter.
std::string DoublePendulum(const Json& inputs) {
  const Json& p = inputs.at("parameters");
  const std::vector<double> start = inputs.at("initial");
  const auto body = [&](const std::string& k) {
    const double inertia = p.at("I" + k);
    return "Body(m = " + Number(p.at("m" + k)) +
           " kg, center = " + List({0, -p.at("c" + k).get<double>(), 0}, "m") +
           ", I = " + List({inertia, 0, inertia, 0, 0, 0}, "kg*m^2") + ")\n";
  };
  return "system DoublePendulum {\n"
         "  gravity : Gravity(g = " +
         List({0, -p.at("g").get<double>(), 0}, "m/s^2") +
         ")\n"
         "  pivot  : ForceTorqueSensor\n"
         "  j1, j2 : Revolute(n = [0, 0, 1])\n"
         "  energy : MechanicalEnergySensor\n"
         "  b1 : " +
         body("1") + "  b2 : " + body("2") +
         "  arm : Arm(r = " + List({0, -p.at("l1").get<double>(), 0}, "m") +
         ")\n"
         "  connect mechanics.ground -- pivot.a\n"
         "  connect pivot.b -- j1.a\n"
         "  connect j1.b -- b1.a -- arm.a\n"
         "  connect arm.b -- j2.a\n"
         "  connect j2.b -- b2.a\n" +
         FixedStart("j1.phi", start[0], "rad") + FixedStart("j2.phi", start[1] - start[0], "rad") +
         FixedStart("j1.w", start[2], "rad/s") + FixedStart("j2.w", start[3] - start[2], "rad/s") + "}\n";
}

TEST(Expected, DoublePendulum) {
  const Json file = Expected("double_pendulum");
  const Json& expected = file.at("expected");
  const double tolerance = file.at("tolerance").at("abs");
  for (const MotionForm form : {MotionForm::kMassMatrix, MotionForm::kRecursive}) {
    SCOPED_TRACE(form == MotionForm::kRecursive ? "recursive" : "mass matrix");
    TranslateOptions options;
    options.motion_form = form;
    RunOf run(DoublePendulum(file.at("inputs")), options);
    EXPECT_EQ(run.translation->motion.degrees, 2u);
    run.Simulate(file.at("inputs").at("t_end"), 1e-11, Method::kAutomatic, 0.01);
    ExpectTimes(run, expected.at("t"));
    const Json& y = expected.at("y");
    EXPECT_LE(Difference(run["j1.phi"], Column(y, 0)), tolerance);
    EXPECT_LE(Difference(Plus(run["j1.phi"], run["j2.phi"]), Column(y, 1)), tolerance);
    EXPECT_LE(Difference(run["j1.w"], Column(y, 2)), tolerance);
    EXPECT_LE(Difference(Plus(run["j1.w"], run["j2.w"]), Column(y, 3)), tolerance);
    const Json& force = expected.at("force_on_link1_at_ground_pivot_xy");
    EXPECT_LE(Difference(run["pivot.force[1]"], Column(force, 0)), tolerance);
    EXPECT_LE(Difference(run["pivot.force[2]"], Column(force, 1)), tolerance);
    const std::vector<double> energy(run.times().size(), expected.at("energy"));
    EXPECT_LE(Difference(run["energy.total"], energy), tolerance);
  }
}

// ---- Slider-crank ----------------------------------------------------------------------------------------

// `sensors`: what goes through the joints is told.
std::string SliderCrank(const Json& inputs, bool sensors) {
  const Json& p = inputs.at("parameters");
  const double r = p.at("r"), l = p.at("l"), turn = inputs.at("slider_rotational_inertia_in_absolute_model");
  const double I1 = p.at("I1"), I2 = p.at("I2");
  const auto body = [&](const std::string& m, double centre, double inertia) {
    return "Body(m = " + Number(p.at(m)) + " kg, center = " + List({centre, 0, 0}, "m") +
           ", I = " + List({inertia / 2, inertia / 2, inertia, 0, 0, 0}, "kg*m^2") + ")\n";
  };
  std::string text =
      "system SliderCrank {\n  gravity : Gravity(g = " + List({0, -p.at("g").get<double>(), 0}, "m/s^2") +
      ")\n  crank : " + body("m1", r / 2, I1) + "  rod : " + body("m2", l / 2, I2) +
      "  piston : " + body("m3", 0, turn) + "  crank_arm : Arm(r = " + List({r, 0, 0}, "m") +
      ")\n  rod_arm : Arm(r = " + List({l, 0, 0}, "m") +
      ")\n  torque : TorqueSource(torque = " + Number(p.at("torque")) +
      " N*m)\n"
      "  crank_joint, pin1, pin2 : Revolute(n = [0, 0, 1])\n"
      "  guide : Prismatic(n = [1, 0, 0], d = " +
      Number(p.at("slider_damper")) +
      " N*s/m)\n"
      "  start pin1.phi = -0.4 rad\n"
      "  start guide.s = 0.39 m\n" +
      FixedStart("crank_joint.phi", inputs.at("initial").at("crank_angle"), "rad") +
      FixedStart("crank_joint.w", inputs.at("initial").at("crank_rate"), "rad/s") +
      "  connect torque.b -- crank_joint.axis\n"
      "  connect torque.a -- crank_joint.housing\n"
      "  connect crank_joint.b -- crank.a -- crank_arm.a\n"
      "  connect pin1.b -- rod.a -- rod_arm.a\n"
      "  connect pin2.b -- piston.a -- guide.b\n";
  const std::vector<std::array<std::string, 3>> joints = {{"mechanics.ground", "at_ground", "crank_joint.a"},
                                                          {"crank_arm.b", "at_pin", "pin1.a"},
                                                          {"rod_arm.b", "at_slider", "pin2.a"},
                                                          {"mechanics.ground", "at_guide", "guide.a"}};
  for (const auto& [from, sensor, to] : joints) {
    if (!sensors) {
      text += "  connect " + from + " -- " + to + "\n";
      continue;
    }
    text += "  " + sensor + " : ForceTorqueSensor\n  connect " + from + " -- " + sensor + ".a\n  connect " +
            sensor + ".b -- " + to + "\n";
  }
  return text + "}\n";
}

TEST(Expected, SliderCrank) {
  const Json file = Expected("slider_crank");
  const Json& expected = file.at("expected");
  const double tolerance = file.at("tolerance").at("abs");
  for (const bool sensors : {false, true}) {
    SCOPED_TRACE(sensors ? "with sensors" : "without sensors");
    RunOf run(SliderCrank(file.at("inputs"), sensors));
    EXPECT_EQ(run.translation->motion.degrees, expected.at("dof").get<uint32_t>());
    run.Simulate(file.at("inputs").at("t_end"), 1e-11, Method::kAutomatic, 0.01);
    ExpectTimes(run, expected.at("t"));
    const Json& slider = expected.at("slider_pos_vel_acc");
    EXPECT_LE(Difference(run["crank_joint.phi"], expected.at("crank_angle")), tolerance);
    EXPECT_LE(Difference(run["crank_joint.w"], expected.at("crank_rate")), tolerance);
    EXPECT_LE(Difference(run["guide.s"], Column(slider, 0)), tolerance);
    EXPECT_LE(Difference(run["guide.v"], Column(slider, 1)), tolerance);
    EXPECT_LE(Difference(run["guide.acc"], Column(slider, 2)), tolerance);
  }
}

// M a + Phi_q' lambda = Q: the force on the first body named is -lambda, on the second lambda.
TEST(Expected, SliderCrankForces) {
  const Json file = Expected("slider_crank");
  const Json& lambda = file.at("expected").at("multipliers");
  const double tolerance = file.at("tolerance").at("multipliers_abs");
  RunOf run(SliderCrank(file.at("inputs"), true));
  run.Simulate(file.at("inputs").at("t_end"), 1e-11, Method::kAutomatic, 0.01);
  EXPECT_LE(Difference(run["at_ground.force[1]"], Times(Column(lambda, 0), -1)), tolerance);
  EXPECT_LE(Difference(run["at_ground.force[2]"], Times(Column(lambda, 1), -1)), tolerance);
  EXPECT_LE(Difference(run["at_guide.force[2]"], Times(Column(lambda, 6), -1)), tolerance);
  // The sensors of the pins tell the force in axes of the crank, and of the rod.
  const std::vector<double> crank = run["crank_joint.phi"], rod = Plus(crank, run["pin1.phi"]);
  const auto in_world = [&](const std::string& sensor, const std::vector<double>& angle, bool along_x) {
    const auto &x = run[sensor + ".force[1]"], &y = run[sensor + ".force[2]"];
    std::vector<double> out;
    for (size_t k = 0; k < angle.size(); ++k)
      out.push_back(along_x ? std::cos(angle[k]) * x[k] - std::sin(angle[k]) * y[k]
                            : std::sin(angle[k]) * x[k] + std::cos(angle[k]) * y[k]);
    return out;
  };
  EXPECT_LE(Difference(in_world("at_pin", crank, true), Column(lambda, 2)), tolerance);
  EXPECT_LE(Difference(in_world("at_pin", crank, false), Column(lambda, 3)), tolerance);
  EXPECT_LE(Difference(in_world("at_slider", rod, true), Column(lambda, 4)), tolerance);
  EXPECT_LE(Difference(in_world("at_slider", rod, false), Column(lambda, 5)), tolerance);
}

// ---- Serial arms -----------------------------------------------------------------------------------------

std::vector<std::string> JointsOf(const Json& arm) {
  std::vector<std::string> names;
  for (size_t k = 1; k <= arm.at("joints").size(); ++k) names.push_back("j" + std::to_string(k));
  return names;
}

// Without the closing bracket.
std::string SerialArm(const Json& arm) {
  std::string text = "system Serial {\n  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n",
              before = "mechanics.ground";
  size_t number = 0;
  for (const Json& joint : arm.at("joints")) {
    const std::string k = std::to_string(++number);
    const bool turns = joint.at("type") == "R";
    text += "  mount" + k + " : Arm(r = " + List(joint.at("xyz"), "m") +
            ", rpy = " + List(joint.at("rpy"), "rad") + ")\n  j" + k +
            (turns ? " : Revolute" : " : Prismatic") + "(n = [0, 0, 1])\n  link" + k +
            " : Body(m = " + Number(joint.at("mass")) + " kg, center = " + List(joint.at("com"), "m") +
            ", I = " + List(joint.at("inertia_xx_yy_zz_xy_xz_yz"), "kg*m^2") + ")\n  connect " + before +
            " -- mount" + k + ".a\n  connect mount" + k + ".b -- j" + k + ".a\n  connect j" + k +
            ".b -- link" + k + ".a\n";
    before = "link" + k + ".a";
  }
  return text;
}

bool OnlyTurns(const Json& arm) {
  for (const Json& joint : arm.at("joints")) {
    if (joint.at("type") != "R") return false;
  }
  return true;
}

TEST(Expected, SerialArmsInverse) {
  const Json file = Expected("serial_arms");
  const double tolerance = file.at("tolerance").at("tau_abs");
  for (const Json& arm : file.at("expected").at("arms")) {
    SCOPED_TRACE(arm.at("name").get<std::string>());
    ASSERT_TRUE(OnlyTurns(arm)) << "SetAngles is for revolute joints";
    MotionProbe probe(SerialArm(arm) + "}\n");
    const std::vector<std::string> joints = JointsOf(arm);
    const std::vector<double> zero(joints.size(), 0);
    ASSERT_EQ(probe.motion.freedoms.size(), joints.size());
    ASSERT_EQ(probe.motion.degrees, joints.size());
    for (size_t k = 0; k < joints.size(); ++k) ASSERT_EQ(probe.NameOf(k), joints[k]);
    double worst = 0;
    const auto compare = [&](double ours, double theirs, const std::string& what) {
      worst = std::max(worst, std::fabs(ours - theirs));
      EXPECT_NEAR(ours, theirs, tolerance) << what;
    };
    for (const Json& point : arm.at("points")) {
      const std::vector<double> q = point.at("q"), qd = point.at("qd"), qdd = point.at("qdd");
      SetAngles(probe, joints, q, zero, zero);
      for (size_t k = 0; k < joints.size(); ++k)
        compare(Torque(probe, joints[k], 0), point.at("gravity").at(k), "gravity on " + joints[k]);
      SetAngles(probe, joints, q, qd, zero);
      for (size_t k = 0; k < joints.size(); ++k)
        compare(Torque(probe, joints[k], 0) - point.at("gravity").at(k).get<double>(),
                point.at("coriolis").at(k), "coriolis on " + joints[k]);
      SetAngles(probe, joints, q, qd, qdd);
      for (size_t k = 0; k < joints.size(); ++k)
        compare(Torque(probe, joints[k], qdd[k]), point.at("tau").at(k), "torque of " + joints[k]);
      const auto mass = MassMatrix(probe);
      for (size_t i = 0; i < joints.size(); ++i) {
        for (size_t k = 0; k < joints.size(); ++k)
          compare(mass[i][k], point.at("M").at(i).at(k), "M " + std::to_string(i) + std::to_string(k));
      }
    }
    const Json& trajectory = arm.at("trajectory");
    const std::vector<double> amplitude = trajectory.at("amplitude"), frequency = trajectory.at("frequency");
    for (size_t row = 0; row < trajectory.at("t").size(); ++row) {
      const double t = trajectory.at("t").at(row);
      std::vector<double> q, qd, qdd;
      for (size_t k = 0; k < joints.size(); ++k) {
        const double w = frequency[k];
        q.push_back(amplitude[k] * std::sin(w * t));
        qd.push_back(amplitude[k] * w * std::cos(w * t));
        qdd.push_back(-w * w * q.back());
      }
      SetAngles(probe, joints, q, qd, qdd);
      for (size_t k = 0; k < joints.size(); ++k)
        compare(Torque(probe, joints[k], qdd[k]), trajectory.at("tau").at(row).at(k),
                "torque of " + joints[k] + " at " + Number(t));
    }
    std::printf("%s: %.2g\n", arm.at("name").get<std::string>().c_str(), worst);
  }
}

// The same as a run: the angles are driven, and the joints tell what that takes.
TEST(Expected, SerialArmsDriven) {
  const Json file = Expected("serial_arms");
  const double tolerance = file.at("tolerance").at("tau_abs");
  for (const Json& arm : file.at("expected").at("arms")) {
    const Json& trajectory = arm.at("trajectory");
    const std::vector<std::string> joints = JointsOf(arm);
    std::string text =
        "component Swing {\n"
        "  terminal a, b : rotational\n"
        "  parameter A : Angle\n"
        "  parameter w : AngularVelocity\n"
        "  edge e : a -> b\n"
        "  equation e.phi = A*sin(w*time)\n"
        "}\n" +
        SerialArm(arm);
    for (size_t k = 0; k < joints.size(); ++k) {
      const std::string name = "swing" + std::to_string(k + 1);
      text += "  " + name + " : Swing(A = " + Number(trajectory.at("amplitude").at(k)) +
              " rad, w = " + Number(trajectory.at("frequency").at(k)) + " rad/s)\n  connect " + name +
              ".a -- " + joints[k] + ".axis\n  connect " + name + ".b -- rotational.ground\n";
    }
    for (const MotionForm form : {MotionForm::kMassMatrix, MotionForm::kRecursive}) {
      SCOPED_TRACE(form == MotionForm::kRecursive ? "recursive" : "mass matrix");
      TranslateOptions options;
      options.motion_form = form;
      RunOf run(text + "}\n", options);
      run.Simulate(2, 1e-8, Method::kAutomatic, 0.05);
      ExpectTimes(run, trajectory.at("t"));
      for (size_t k = 0; k < joints.size(); ++k)
        EXPECT_LE(Difference(run[joints[k] + ".drive"], Column(trajectory.at("tau"), k)), tolerance)
            << joints[k];
    }
  }
}

TEST(Expected, SerialArmsFall) {
  const Json file = Expected("serial_arms");
  const double tolerance = file.at("tolerance").at("free_fall_abs");
  for (const Json& arm : file.at("expected").at("arms")) {
    const Json& fall = arm.at("free_fall");
    const std::vector<std::string> joints = JointsOf(arm);
    std::string text = SerialArm(arm);
    for (size_t k = 0; k < joints.size(); ++k)
      text += FixedStart(joints[k] + ".phi", fall.at("q0").at(k), "rad") +
              FixedStart(joints[k] + ".w", 0, "rad/s");
    for (const MotionForm form : {MotionForm::kMassMatrix, MotionForm::kRecursive}) {
      SCOPED_TRACE(form == MotionForm::kRecursive ? "recursive" : "mass matrix");
      TranslateOptions options;
      options.motion_form = form;
      RunOf run(text + "}\n", options);
      run.Simulate(fall.at("t").back(), 1e-11, Method::kAutomatic, 0.02);
      ExpectTimes(run, fall.at("t"));
      for (size_t k = 0; k < joints.size(); ++k) {
        EXPECT_LE(Difference(run[joints[k] + ".phi"], Column(fall.at("y"), k)), tolerance) << joints[k];
        EXPECT_LE(Difference(run[joints[k] + ".w"], Column(fall.at("y"), joints.size() + k)), tolerance)
            << joints[k];
      }
    }
  }
}

// ---- Nine bodies -----------------------------------------------------------------------------------------

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

// ---- Robot with two links --------------------------------------------------------------------------------

std::string TwoLinks(const Json& p) {
  const auto number = [&](const char* name) { return p.at(name).get<double>(); };
  const auto body = [&](const std::string& m, double centre, const std::string& I) {
    const double inertia = p.at(I);
    return "Body(m = " + Number(p.at(m)) + " kg, center = " + List({centre, 0, 0}, "m") +
           ", I = " + List({inertia, inertia, inertia, 0, 0, 0}, "kg*m^2") + ")\n";
  };
  return "  gravity : Gravity(g = " + List({0, -number("g"), 0}, "m/s^2") +
         ")\n"
         "  j1, j2 : Revolute(n = [0, 0, 1])\n"
         "  link1 : " +
         body("m1", number("l3"), "I1") + "  link2 : " + body("m2", number("l5"), "I2") +
         "  reach : Arm(r = " + List({number("l3") + number("l4"), 0, 0}, "m") +
         ")\n"
         "  connect mechanics.ground -- j1.a\n"
         "  connect j1.b -- link1.a -- reach.a\n"
         "  connect reach.b -- j2.a\n"
         "  connect j2.b -- link2.a\n";
}

// The formulas of the file, written out; rotors and friction belong to the motors and are left out here.
TEST(Expected, TwoLinkRobotMatrices) {
  const Json file = Expected("two_link_robot");
  const Json& p = file.at("inputs").at("parameters");
  // The file says them in this form: if it ever says them in another, look again.
  ASSERT_EQ(file.at("expected").at("M").at(1).at(1), "I2 + J8 + l5**2*m2");
  const double m1 = p.at("m1"), m2 = p.at("m2"), g = p.at("g"), l3 = p.at("l3"), l4 = p.at("l4"),
               l5 = p.at("l5");
  const double I1 = p.at("I1"), I2 = p.at("I2");
  MotionProbe probe("system Robot {\n" + TwoLinks(p) + "}\n");
  std::mt19937 random(17);
  std::uniform_real_distribution<double> angle(-3.2, 3.2), rate(-4, 4);
  for (int trial = 0; trial < 50; ++trial) {
    const double q1 = angle(random), q2 = angle(random), w1 = rate(random), w2 = rate(random);
    SetAngles(probe, {"j1", "j2"}, {q1, q2}, {w1, w2}, {0, 0});
    const double c1 = std::cos(q1), c12 = std::cos(q1 + q2), c2 = std::cos(q2), s2 = std::sin(q2);
    const double across = I2 + (l3 + l4) * l5 * m2 * c2 + l5 * l5 * m2;
    const double M[2][2] = {{I1 + I2 + l3 * l3 * m1 + l3 * l3 * m2 + 2 * l3 * l4 * m2 +
                                 2 * l3 * l5 * m2 * c2 + l4 * l4 * m2 + 2 * l4 * l5 * m2 * c2 + l5 * l5 * m2,
                             across},
                            {across, I2 + l5 * l5 * m2}};
    const double Q[2] = {-g * l3 * m1 * c1 - g * l3 * m2 * c1 - g * l4 * m2 * c1 - g * l5 * m2 * c12 +
                             2 * l3 * l5 * m2 * w1 * w2 * s2 + l3 * l5 * m2 * w2 * w2 * s2 +
                             2 * l4 * l5 * m2 * w1 * w2 * s2 + l4 * l5 * m2 * w2 * w2 * s2,
                         -l5 * m2 * (g * c12 + l3 * w1 * w1 * s2 + l4 * w1 * w1 * s2)};
    const auto mass = MassMatrix(probe);
    ASSERT_EQ(mass.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(mass[i][k], M[i][k], 1e-13) << i << k;
      EXPECT_NEAR(Torque(probe, i == 0 ? "j1" : "j2", 0), -Q[i], 1e-11) << i;
    }
  }
}

std::string Robot(const Json& inputs, const std::string& motor_class) {
  const Json& p = inputs.at("parameters");
  std::string text = motor_class + "system Robot {\n" + TwoLinks(p);
  for (const std::string k : {"7", "8"}) {
    const std::string motor = "motor" + k, joint = k == "7" ? "j1" : "j2";
    const Json& gains = inputs.at("pd").at("gains").at(k);
    text += "  " + motor + " : Motor(R = " + Number(p.at("R" + k)) + " ohm, L = " + Number(p.at("L" + k)) +
            " H, C = " + Number(p.at("C" + k)) + " N*m/A, K = " + Number(p.at("K" + k)) +
            " V*s/rad, J = " + Number(p.at("J" + k)) + " kg*m^2, B = " + Number(p.at("B" + k)) +
            " N*m*s/rad, Kp = " + Number(gains.at("Kp")) + " V/rad, Kd = " + Number(gains.at("Kd")) +
            " V*s/rad)\n  connect " + motor + ".a -- " + joint + ".axis\n  connect " + motor + ".b -- " +
            joint + ".housing\n";
  }
  return text;
}

constexpr const char* kMotorMembers =
    "component Motor {\n"
    "  terminal a, b : rotational\n"
    "  parameter R : Resistance\n"
    "  parameter L : Inductance\n"
    "  parameter C : TorqueConstant\n"
    "  parameter K : BackEmfConstant\n"
    "  parameter J : MomentOfInertia\n"
    "  parameter B : RotationalDamping\n"
    "  parameter Kp : V/rad\n"
    "  parameter Kd : V*s/rad\n"
    "  parameter rate : AngularVelocity = 0.39269908169872414 rad/s \"pi/8\"\n"
    "  variable V : Voltage\n"
    "  variable I : Current\n"
    "  edge e : a -> b\n"
    "  equation\n"
    "    V = L*der(I) + R*I + K*e.w\n"
    "    e.tau = J*e.alpha + B*e.w - C*I\n";

TEST(Expected, TwoLinkRobotRun) {
  const Json file = Expected("two_link_robot");
  const Json& expected = file.at("expected");
  const double tolerance = file.at("tolerance").at("pd_forward_scaled");
  std::string text = Robot(file.at("inputs"), std::string(kMotorMembers) +
                                                  "    V = Kp*(rate*time - e.phi) + Kd*(rate - e.w)\n}\n");
  for (const std::string joint : {"j1", "j2"})
    text += FixedStart(joint + ".phi", 0, "rad") + FixedStart(joint + ".w", 0, "rad/s");
  for (const std::string motor : {"motor7", "motor8"}) text += FixedStart(motor + ".I", 0, "A");
  RunOf run(text + "}\n");
  run.Simulate(4, 1e-10, Method::kAutomatic, 0.02);
  ExpectTimes(run, expected.at("t"));
  const char* names[] = {"j1.phi", "j2.phi", "j1.w", "j2.w", "motor7.I", "motor8.I"};
  const Json& y = expected.at("pd_forward").at("y");
  for (size_t k = 0; k < 6; ++k) {
    const std::vector<double> theirs = Column(y, k);
    EXPECT_LE(Difference(run[names[k]], theirs), tolerance * Largest(theirs)) << names[k];
  }
}

// Both angles follow pi*t/8: the currents and voltages that this takes.
TEST(Expected, TwoLinkRobotCurrents) {
  const Json file = Expected("two_link_robot");
  const Json& expected = file.at("expected");
  const double tolerance = file.at("tolerance").at("currents_rel");
  RunOf run(Robot(file.at("inputs"), std::string(kMotorMembers) + "    e.phi = rate*time\n}\n") + "}\n");
  run.Simulate(4, 1e-8, Method::kAutomatic, 0.02);
  ExpectTimes(run, expected.at("t"));
  const auto compare = [&](const std::string& name, const std::string& samples) {
    const std::vector<double> theirs = expected.at(samples);
    EXPECT_LE(Difference(run[name], theirs), tolerance * Largest(theirs)) << name;
  };
  compare("motor7.I", "I7_samples");
  compare("motor8.I", "I8_samples");
  compare("motor7.V", "V7_samples");
  compare("motor8.V", "V8_samples");
}

}  // namespace
}  // namespace cotree::test
