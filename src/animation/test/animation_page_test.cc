// SPDX-License-Identifier: Apache-2.0
#include "animation/animation_page.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using cotree::AnimationPage;
using cotree::AnimationScene;
using cotree::AnimationShape;
using Json = nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kNanFloat = std::numeric_limits<float>::quiet_NaN();

/// The scene as the page's script finds it.
Json SceneOf(const std::string& page) {
  const std::string begin = "id=\"scene\">";
  const size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

template <typename Real>
std::vector<Real> Unpacked(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xFF);
    }
  }
  std::vector<Real> numbers(bytes.size() / sizeof(Real));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Real));
  return numbers;
}

TEST(AnimationPage, HoldsTheSceneAsItIs) {
  AnimationScene scene;
  scene.title = "arm";
  scene.up = {0, 1, 0};
  scene.times = {0, 0.1, 0.30000000000000004};
  scene.bodies = {
      {"link", {{AnimationShape::kTube, {3, 2, 1}, {0.1, 0, 0}, {0, 1, 0, 0}, "red"}}, {}, true, {1, 2, 3}}};
  for (int k = 0; k < 21; ++k) scene.bodies[0].poses.push_back(static_cast<float>(k) / 3);
  scene.joints = {{"hinge", "revolute", 0, {1, 0, 0}, {0, 0, 1}}};
  scene.gravity = {0, -9.81, 0};
  scene.arrows = {{"pull", true, -1, {0, 0, 2}, {0, 0, -1}, {1, 2, 3}, 0.5}};
  scene.links = {
      {"strut", cotree::AnimationLink::kSpring, {0, -1}, {{{1, 0, 0}, {0, 2, 0}}}},
  };
  scene.curves = {{"angle", "rad", {1, 2, 3}}};
  const Json read = SceneOf(AnimationPage(scene, ""));
  EXPECT_EQ(read["title"], "arm");
  EXPECT_EQ(read["up"], Json({0, 1, 0}));
  EXPECT_EQ(Unpacked<double>(read["times"]), scene.times);
  const Json& body = read["bodies"][0];
  EXPECT_EQ(body["name"], "link");
  EXPECT_EQ(body["traced"], true);
  EXPECT_EQ(body["trace"], Json({1, 2, 3}));
  EXPECT_EQ(body["shapes"][0]["kind"], "tube");
  EXPECT_EQ(body["shapes"][0]["size"], Json({3, 2, 1}));
  EXPECT_EQ(body["shapes"][0]["turn"], Json({0, 1, 0, 0}));
  EXPECT_EQ(body["shapes"][0]["color"], "red");
  EXPECT_EQ(Unpacked<float>(body["poses"]), scene.bodies[0].poses);
  EXPECT_EQ(read["joints"][0]["kind"], "revolute");
  EXPECT_EQ(read["joints"][0]["body"], 0);
  EXPECT_EQ(read["gravity"], Json({0, -9.81, 0}));
  EXPECT_EQ(read["arrows"][0]["torque"], true);
  EXPECT_EQ(read["arrows"][0]["body"], -1);
  EXPECT_EQ(read["arrows"][0]["offset"], Json({0, 0, -1}));
  EXPECT_EQ(read["arrows"][0]["scale"], 0.5);
  EXPECT_EQ(Unpacked<float>(read["arrows"][0]["vectors"]), scene.arrows[0].vectors);
  EXPECT_EQ(read["links"][0]["kind"], "spring");
  EXPECT_EQ(read["links"][0]["bodies"], Json({0, -1}));
  EXPECT_EQ(read["links"][0]["places"], Json({{1, 0, 0}, {0, 2, 0}}));
  EXPECT_EQ(read["curves"][0]["unit"], "rad");
  EXPECT_EQ(Unpacked<float>(read["curves"][0]["values"]), scene.curves[0].values);
}

TEST(AnimationPage, PacksAnyNumberOfValues) {
  for (size_t count = 0; count < 8; ++count) {
    AnimationScene scene;
    scene.curves = {{"x", "", {}}};
    for (size_t k = 0; k < count; ++k) scene.curves[0].values.push_back(static_cast<float>(k) - 2.5F);
    const Json read = SceneOf(AnimationPage(scene, ""));
    const std::string text = read["curves"][0]["values"];
    EXPECT_EQ(text.size() % 4, 0U);
    EXPECT_EQ(Unpacked<float>(text), scene.curves[0].values);
  }
}

TEST(AnimationPage, NamesCannotBreakThePage) {
  const std::string evil = "</script><b>\"\\\n\x01 & <!-- 'µ'";
  AnimationScene scene;
  scene.title = evil;
  scene.bodies = {{evil, {{AnimationShape::kBox, {}, {}, {1, 0, 0, 0}, evil}}, {}}};
  scene.joints = {{evil, evil, -1, {}, {}}};
  scene.links = {{evil}};
  scene.curves = {{evil, evil, {}}};
  const std::string page = AnimationPage(scene, "");
  const Json read = SceneOf(page);
  EXPECT_EQ(read["title"], evil);
  EXPECT_EQ(read["bodies"][0]["shapes"][0]["color"], evil);
  EXPECT_EQ(read["joints"][0]["kind"], evil);
  EXPECT_EQ(read["curves"][0]["unit"], evil);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
}

TEST(AnimationPage, WhatIsNotFiniteIsNoJsonNumber) {
  AnimationScene scene;
  scene.up = {kNan, 0, std::numeric_limits<double>::infinity()};
  scene.arrows = {{"f", false, 0, {kNan, 0, 0}, {}, {kNanFloat, 0, 0}, kNan}};
  const Json read = SceneOf(AnimationPage(scene, ""));
  EXPECT_TRUE(read["up"][0].is_null());
  EXPECT_TRUE(read["up"][2].is_null());
  EXPECT_TRUE(read["arrows"][0]["scale"].is_null());
  const std::vector<float> vectors = Unpacked<float>(read["arrows"][0]["vectors"]);
  ASSERT_EQ(vectors.size(), 3U);
  EXPECT_NE(vectors[0], vectors[0]);
}

TEST(AnimationPage, TheScriptCannotEndItsElement) {
  const std::string page = AnimationPage({}, "a='</script>';b='<!--';");
  EXPECT_NE(page.find("a='<\\/script>';b='\\x3c!--';"), std::string::npos);
}

TEST(AnimationPage, AsksNothingOfTheNetwork) {
  const std::string page = AnimationPage({}, "");
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
}

}  // namespace
