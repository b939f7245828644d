// SPDX-License-Identifier: Apache-2.0
// Writes a page with an invented scene, a double pendulum: demo_page SCRIPT OUTPUT. For test/run.sh, and to
// look at.

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "animation/animation_page.h"

namespace {

using State = std::array<double, 4>;  // two angles from the vertical, two rates

constexpr double kLength[] = {0.5, 0.4}, kMass[] = {1.0, 0.7}, kGravity = 9.81;

/// Two point masses on rods without mass.
State Rates(const State& s) {
  const double d = s[0] - s[1], m1 = kMass[0], m2 = kMass[1], l1 = kLength[0], l2 = kLength[1], g = kGravity;
  const double k = 2 * m1 + m2 - m2 * std::cos(2 * d);
  const double a1 = (-g * (2 * m1 + m2) * std::sin(s[0]) - m2 * g * std::sin(s[0] - 2 * s[1]) -
                     2 * std::sin(d) * m2 * (s[3] * s[3] * l2 + s[2] * s[2] * l1 * std::cos(d))) /
                    (l1 * k);
  const double a2 =
      2 * std::sin(d) *
      (s[2] * s[2] * l1 * (m1 + m2) + g * (m1 + m2) * std::cos(s[0]) + s[3] * s[3] * l2 * m2 * std::cos(d)) /
      (l2 * k);
  return {s[2], s[3], a1, a2};
}

State Moved(const State& s, const State& rate, double h) {
  return {s[0] + h * rate[0], s[1] + h * rate[1], s[2] + h * rate[2], s[3] + h * rate[3]};
}

State Step(const State& s, double h) {
  const State k1 = Rates(s), k2 = Rates(Moved(s, k1, h / 2)), k3 = Rates(Moved(s, k2, h / 2)),
              k4 = Rates(Moved(s, k3, h));
  State next = s;
  for (size_t k = 0; k < 4; ++k) next[k] += h / 6 * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
  return next;
}

/// A frame at (x, 0, z), turned by `angle` about -y, so that its -z points along the rod.
void AddPose(std::vector<float>* poses, double x, double z, double angle) {
  for (const double value : {x, 0.0, z, std::cos(angle / 2), 0.0, -std::sin(angle / 2), 0.0}) {
    poses->push_back(static_cast<float>(value));
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  using Shape = cotree::AnimationShape;
  constexpr std::array<double, 4> kAcross{0.70710678, 0.70710678, 0, 0};  // z of the shape along y
  cotree::AnimationScene scene;
  scene.title = "Double pendulum <b>&amp;</script> \"names\" as they are";
  scene.bodies = {{"frame",
                   {{Shape::kBox, {0.3, 0.2, 0.04}, {0, 0.0, 0.12}, {1, 0, 0, 0}, "#8a98a6"},
                    {Shape::kBox, {0.06, 0.03, 0.16}, {0, 0.075, 0.04}, {1, 0, 0, 0}, "#8a98a6"},
                    {Shape::kTube, {0.045, 0.02, 0.035}, {0, 0.075, 0}, kAcross, "#6d7986"},
                    {Shape::kLine, {0, -0.05, -1.0}, {0, -0.05, 0.1}, {1, 0, 0, 0}, ""}}},
                  {"upper link",
                   {{Shape::kBox, {0.05, 0.03, 0.5}, {0, 0, -0.25}},
                    {Shape::kCylinder, {0.036, 0.12, 0}, {0, 0.02, 0}, kAcross},
                    {Shape::kCylinder, {0.036, 0.05, 0}, {0, 0, -0.5}, kAcross}}},
                  {"lower link",
                   {{Shape::kBox, {0.04, 0.025, 0.36}, {0, -0.045, -0.18}},
                    {Shape::kCylinder, {0.03, 0.06, 0}, {0, -0.035, 0}, kAcross},
                    {Shape::kSphere, {0.055, 0, 0}, {0, -0.045, -0.4}},
                    {Shape::kCone, {0.02, 0.06, 0}, {0, -0.045, -0.475}, {0, 1, 0, 0}}}}};
  scene.bodies[0].poses = {0, 0, 0, 1, 0, 0, 0};
  scene.bodies[2].traced = true;
  scene.bodies[2].trace = {0, -0.045, -kLength[1]};
  scene.joints = {{"shoulder", "revolute", -1, {0, 0, 0}, {0, 1, 0}},
                  {"elbow", "revolute", 1, {0, 0, -kLength[0]}, {0, 1, 0}}};
  scene.gravity = {0, 0, -kGravity};
  scene.arrows = {{"force on the lower link", false, 2, {0, -0.045, -kLength[1]}, {}, {}, 0.01},
                  {"torque on the upper link", true, 1, {0, 0, -0.25}, {0, -0.05, 0}, {0, -3, 0}, 0.06}};
  scene.links = {{"band", cotree::AnimationLink::kSpring, {-1, 2}, {{{-0.5, 0, -0.9}, {0, 0, -0.1}}}},
                 {"strut", cotree::AnimationLink::kActuator, {0, 1}, {{{0.35, 0, 0.1}, {0, 0.02, -0.35}}}}};
  scene.curves = {
      {"upper.angle", "rad", {}}, {"lower.angle", "rad", {}}, {"rod force", "N", {}}, {"energy", "N*m", {}}};
  State s{1.9, 1.2, 0, 0};
  constexpr int kFrames = 241, kSteps = 20;
  constexpr double kStep = 0.025;
  for (int frame = 0; frame < kFrames; ++frame) {
    const double x1 = kLength[0] * std::sin(s[0]), z1 = -kLength[0] * std::cos(s[0]);
    const State rate = Rates(s);
    const double ax = kLength[0] * (rate[2] * std::cos(s[0]) - s[2] * s[2] * std::sin(s[0])) +
                      kLength[1] * (rate[3] * std::cos(s[1]) - s[3] * s[3] * std::sin(s[1]));
    const double az = kLength[0] * (rate[2] * std::sin(s[0]) + s[2] * s[2] * std::cos(s[0])) +
                      kLength[1] * (rate[3] * std::sin(s[1]) + s[3] * s[3] * std::cos(s[1]));
    const double fx = kMass[1] * ax, fz = kMass[1] * (az + kGravity);
    const double z2 = z1 - kLength[1] * std::cos(s[1]);
    const double vx = kLength[0] * s[2] * std::cos(s[0]) + kLength[1] * s[3] * std::cos(s[1]);
    const double vz = kLength[0] * s[2] * std::sin(s[0]) + kLength[1] * s[3] * std::sin(s[1]);
    const double energy = kMass[0] * (0.5 * kLength[0] * kLength[0] * s[2] * s[2] + kGravity * z1) +
                          kMass[1] * (0.5 * (vx * vx + vz * vz) + kGravity * z2);
    scene.times.push_back(frame * kStep);
    AddPose(&scene.bodies[1].poses, 0, 0, s[0]);
    AddPose(&scene.bodies[2].poses, x1, z1, s[1]);
    for (const double f : {fx, 0.0, fz}) scene.arrows[0].vectors.push_back(static_cast<float>(f));
    scene.curves[0].values.push_back(static_cast<float>(s[0]));
    scene.curves[1].values.push_back(static_cast<float>(s[1]));
    // A gap: what is not known is not drawn.
    const bool known = frame < 150 || frame > 165;
    scene.curves[2].values.push_back(known ? static_cast<float>(std::hypot(fx, fz))
                                           : std::numeric_limits<float>::quiet_NaN());
    scene.curves[3].values.push_back(static_cast<float>(energy));
    for (int k = 0; k < kSteps; ++k) s = Step(s, kStep / kSteps);
  }
  std::ifstream script(arguments[1]);
  const std::string text((std::istreambuf_iterator<char>(script)), {});
  if (text.empty()) return 1;
  std::ofstream(arguments[2]) << cotree::AnimationPage(scene, text);
  return 0;
}
