// SPDX-License-Identifier: Apache-2.0
#include "animation/animation_page.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>

#include "base/xml_text.h"

namespace cotree {
namespace {

constexpr const char* kKinds[] = {"box", "cylinder", "sphere", "tube", "cone", "line"};
constexpr const char* kLinkKinds[] = {"rod", "spring", "actuator", "slide"};

/// A JSON string that cannot end the script element around it.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&') {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

/// JSON knows no NaN.
std::string Number(double x) {
  return std::isfinite(x) ? fmt::format("{}", x) : "null";
}

template <size_t N>
std::string Numbers(const std::array<double, N>& list) {
  std::string text = "[";
  for (size_t k = 0; k < N; ++k) text += (k > 0 ? "," : "") + Number(list[k]);
  return text + ']';
}

std::string Base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t k = 0; k < bytes.size(); k += 3) {
    uint32_t three = 0;
    for (size_t j = 0; j < 3; ++j) {
      const unsigned byte = k + j < bytes.size() ? static_cast<unsigned char>(bytes[k + j]) : 0;
      three = three << 8 | byte;
    }
    for (size_t j = 0; j < 4; ++j) {
      text += k + j <= bytes.size() ? kDigits[three >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

/// Numbers of one width as base64 of their bytes, the least first, in quotes.
template <typename Bits, typename Real>
std::string Packed(const std::vector<Real>& numbers) {
  static_assert(sizeof(Bits) == sizeof(Real));
  std::string bytes;
  bytes.reserve(numbers.size() * sizeof(Real));
  for (const Real x : numbers) {
    const Bits bits = std::bit_cast<Bits>(x);
    for (size_t k = 0; k < sizeof(Bits); ++k) bytes += static_cast<char>(bits >> (8 * k) & 0xFF);
  }
  return '"' + Base64(bytes) + '"';
}

std::string Floats(const std::vector<float>& numbers) {
  return Packed<uint32_t>(numbers);
}

template <typename Item, typename Writer>
std::string List(const std::vector<Item>& items, Writer writer) {
  std::string text = "[";
  for (size_t k = 0; k < items.size(); ++k) text += (k > 0 ? ",\n" : "\n") + writer(items[k]);
  return text + ']';
}

std::string ShapeText(const AnimationShape& shape) {
  return fmt::format(R"({{"kind":"{}","size":{},"place":{},"turn":{},"color":{}}})", kKinds[shape.kind],
                     Numbers(shape.size), Numbers(shape.place), Numbers(shape.turn), Quoted(shape.color));
}

std::string BodyText(const AnimationBody& body) {
  return fmt::format(R"({{"name":{},"traced":{},"trace":{},"shapes":{},"poses":{}}})", Quoted(body.name),
                     body.traced, Numbers(body.trace), List(body.shapes, ShapeText), Floats(body.poses));
}

std::string JointText(const AnimationJoint& joint) {
  return fmt::format(R"({{"name":{},"kind":{},"body":{},"place":{},"axis":{}}})", Quoted(joint.name),
                     Quoted(joint.kind), joint.body, Numbers(joint.place), Numbers(joint.axis));
}

std::string ArrowText(const AnimationArrow& arrow) {
  return fmt::format(R"({{"name":{},"torque":{},"body":{},"place":{},"offset":{},"scale":{},"vectors":{}}})",
                     Quoted(arrow.name), arrow.torque, arrow.body, Numbers(arrow.place),
                     Numbers(arrow.offset), Number(arrow.scale), Floats(arrow.vectors));
}

std::string LinkText(const AnimationLink& link) {
  return fmt::format(R"({{"name":{},"kind":"{}","bodies":[{},{}],"places":[{},{}]}})", Quoted(link.name),
                     kLinkKinds[link.kind], link.bodies[0], link.bodies[1], Numbers(link.places[0]),
                     Numbers(link.places[1]));
}

std::string CurveText(const AnimationCurve& curve) {
  return fmt::format(R"({{"name":{},"unit":{},"body":{},"values":{}}})", Quoted(curve.name),
                     Quoted(curve.unit), curve.body, Floats(curve.values));
}

std::string SceneText(const AnimationScene& scene) {
  return fmt::format(
      "{{\"title\":{},\"up\":{},\"gravity\":{},\"times\":{},\n\"bodies\":{},\n\"joints\":{},\n\"arrows\":{},"
      "\n"
      "\"links\":{},\n\"curves\":{}}}",
      Quoted(scene.title), Numbers(scene.up), Numbers(scene.gravity), Packed<uint64_t>(scene.times),
      List(scene.bodies, BodyText), List(scene.joints, JointText), List(scene.arrows, ArrowText),
      List(scene.links, LinkText), List(scene.curves, CurveText));
}

void ReplaceAll(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

/// What would end or twist the script element stands only in strings of a script: written there in other
/// words.
std::string ScriptText(std::string_view script) {
  std::string text(script);
  ReplaceAll(&text, "</script", "<\\/script");
  ReplaceAll(&text, "<!--", "\\x3c!--");
  return text;
}

}  // namespace

std::string AnimationPage(const AnimationScene& scene, std::string_view script) {
  // The policy forbids what the page does not need, all of the network among it.
  std::string page = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Cotree">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
<title>)";
  page += Escaped(scene.title);
  page +=
      "</title>\n</head>\n<body>\n<noscript>This page shows a mechanism in motion. It needs "
      "JavaScript.</noscript>\n";
  page += "<script type=\"application/json\" id=\"scene\">";
  page += SceneText(scene);
  page += "</script>\n<script>\n";
  page += ScriptText(script);
  page += "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace cotree
