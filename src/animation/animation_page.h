// SPDX-License-Identifier: Apache-2.0
// A mechanism in motion as one HTML file that needs nothing else: `AnimationPage` puts a scene and the script
// of web/animation/ into it. Lengths in metres, times in seconds, quaternions as (w, x, y, z).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cotree {

/** A solid or a line on a body. Everything round stands along its z axis, with its middle at `place`. */
struct AnimationShape {
  enum Kind : uint8_t { kBox, kCylinder, kSphere, kTube, kCone, kLine };
  Kind kind = kBox;
  // Box: x, y, z. Cylinder, cone: radius, length. Tube: outer and inner radius, length. Sphere: radius. Line:
  // its end.
  std::array<double, 3> size{};
  std::array<double, 3> place{};  // in the axes of the body; of a line: its beginning
  std::array<double, 4> turn{1, 0, 0, 0};
  std::string color{};  // as CSS writes it; empty: chosen by the page
};

/** What moves as one. */
struct AnimationBody {
  std::string name{};
  std::vector<AnimationShape> shapes{};
  // x, y, z, qw, qx, qy, qz in the world for each time; one pose: it stands; none: it is the world. Not
  // finite: not shown.
  std::vector<float> poses{};
  bool traced = false;
  std::array<double, 3> trace{};  // the point whose way is drawn, in the axes of the body
};

struct AnimationJoint {
  std::string name{};
  std::string kind{};  // "revolute", "prismatic", "cylindrical", ...: the mark on its axis
  int body = -1;       // of the scene; -1: the world
  std::array<double, 3> place{}, axis{};
};

/** A force, or a torque with its two heads. */
struct AnimationArrow {
  std::string name{};
  bool torque = false;
  int body = -1;
  std::array<double, 3> place{};   // in the axes of the body
  std::array<double, 3> offset{};  // from there to where it begins, in the world's axes
  std::vector<float> vectors{};    // x, y, z in the world's axes for each time; one alone: constant
  double scale = 0;                // metres for each unit; 0: chosen by the page
};

/** What is stretched between points of two bodies: as long as they are apart. */
struct AnimationLink {
  enum Kind : uint8_t { kRod, kSpring, kActuator, kSlide };
  std::string name{};
  Kind kind = kRod;
  std::array<int, 2> bodies{-1, -1};
  std::array<std::array<double, 3>, 2> places{};  // in the axes of each
};

struct AnimationCurve {
  std::string name{};
  std::string unit{};
  std::vector<float> values{};  // one for each time; not finite: a gap
  int body = -1;                // whose colour it has; -1: it belongs to none
};

/** `times` rise, or stand still at an event. */
struct AnimationScene {
  std::string title{};
  std::vector<double> times{};
  std::vector<AnimationBody> bodies{};
  std::vector<AnimationJoint> joints{};
  std::vector<AnimationArrow> arrows{};
  std::vector<AnimationLink> links{};
  std::vector<AnimationCurve> curves{};
  std::array<double, 3> up{0, 0, 1};
  std::array<double, 3> gravity{};  // an acceleration in the world's axes; 0: there is none
};

/// The HTML text. `script`: what web/animation/build.sh has made (`AnimationScript()`).
std::string AnimationPage(const AnimationScene& scene, std::string_view script);

}  // namespace cotree
