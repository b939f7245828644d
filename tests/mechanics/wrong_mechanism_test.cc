// SPDX-License-Identifier: Apache-2.0
// Wrong mechanisms with their messages, and verdicts that other numbers change.
#include <gtest/gtest.h>

#include "curves.h"
#include "pipeline/choose_system.h"
#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

/** Codes and texts of the errors that a text gives. */
struct Errors {
  std::vector<std::string> codes;
  std::string text;
};

Errors ErrorsOf(const std::string& text) {
  NoReader reader;
  const auto loaded = LoadModelText("test.cot", text, reader);
  if (loaded->diagnostics.ok()) {
    const auto translation = Translate(*loaded);
    EXPECT_FALSE(translation->ok);
  }
  Errors out;
  for (const Diagnostic& d : loaded->diagnostics.list()) {
    if (d.info->severity == Severity::kError) out.codes.push_back(CodeText(*d.info));
    out.text += RenderText(d, loaded->model.files, false) + "\n";
  }
  return out;
}

void ExpectError(const std::string& text, const std::string& code, const std::vector<std::string>& said) {
  const Errors errors = ErrorsOf(text);
  EXPECT_EQ(errors.codes, std::vector<std::string>{code}) << errors.text;
  for (const std::string& part : said)
    EXPECT_TRUE(Contains(errors.text, part)) << part << "\n" << errors.text;
}

constexpr const char* kSolid = "I = [0.01, 0.1, 0.1, 0, 0, 0] kg*m^2";

TEST(WrongMechanism, JointBetweenRigidParts) {
  ExpectError(
      "system Locked {\n"
      "  j    : Revolute\n"
      "  arm  : Arm(r = [1, 0, 0] m)\n"
      "  back : Arm(r = [-1, 0, 0] m)\n"
      "  load : Body(m = 1 kg, " +
          std::string(kSolid) +
          ")\n"
          "  connect mechanics.ground -- j.a -- arm.a\n"
          "  connect arm.b -- load.a -- back.a\n"
          "  connect back.b -- j.b\n"
          "}\n",
      "COT3304", {"`j` is locked: its two ends belong to the same rigid body"});
}

/// Bars one after the other from the origin to `reach` on the x axis, joints j1, j2, ... about y.
std::string Bars(double reach, const std::vector<double>& lengths, const std::string& more) {
  std::string text = "system Bars {\n  base : Arm(r = " + List({reach, 0, 0}, "m") +
                     ")\n  connect mechanics.ground -- base.a\n";
  std::string before = "mechanics.ground";
  for (size_t i = 0; i < lengths.size(); ++i) {
    const std::string k = std::to_string(i + 1);
    text += "  j" + k + " : Revolute(n = [0, 1, 0])\n  bar" + k +
            " : Arm(r = " + List({lengths[i], 0, 0}, "m") + ")\n  load" + k +
            " : Body(m = 1 kg, center = " + List({lengths[i] / 2, 0, 0}, "m") + ", " + kSolid +
            ")\n  connect " + before + " -- j" + k + ".a\n  connect j" + k + ".b -- load" + k + ".a -- bar" +
            k + ".a\n";
    before = "bar" + k + ".b";
  }
  const std::string last = "j" + std::to_string(lengths.size() + 1);
  return text + "  " + last + " : Revolute(n = [0, 1, 0])\n  connect " + before + " -- " + last +
         ".a\n  connect " + last + ".b -- base.b\n" + more + "}\n";
}

TEST(WrongMechanism, Truss) {
  ExpectError(Bars(1, {0.8, 0.7}, ""), "COT3309",
              {"the mechanism is locked: `j1`, `j2`, `j3` leave no motion"});
}

TEST(WrongMechanism, LoopThatDoesNotReach) {
  ExpectError(Bars(2, {0.5, 0.5, 0.5}, ""), "COT3310",
              {"the loop of `j1`, `j2`, `j3`, `j4` cannot be closed: at best 0.5 m (or rad) are left"});
}

// The loop has positions, but none with these angles.
TEST(WrongMechanism, LoopThatItsStartsForbid) {
  ExpectError(
      Bars(0.35, {0.2, 0.4, 0.3},
           FixedStart("j1.phi", 1, "rad") + FixedStart("j2.phi", 0, "rad") + FixedStart("j3.phi", 0, "rad")),
      "COT3310", {"`j4`", "are left with the starts that are fixed"});
}

// A linkage needs no start values.
TEST(WrongMechanism, LoopWithoutStartsIsNotWrong) {
  EXPECT_NO_THROW(RunOf(Bars(0.35, {0.2, 0.4, 0.3}, "")).Simulate(0.1));
}

TEST(WrongMechanism, NothingToMove) {
  ExpectError(
      "system Massless {\n"
      "  j1, j2 : Revolute(n = [0, 1, 0])\n"
      "  arm  : Arm(r = [1, 0, 0] m)\n"
      "  load : Body(m = 1 kg, center = [0.5, 0, 0] m)\n"
      "  tip  : PlaceSensor\n"
      "  connect mechanics.ground -- j1.a\n"
      "  connect j1.b -- load.a -- arm.a\n"
      "  connect arm.b -- j2.a\n"
      "  connect j2.b -- tip.a\n"
      "}\n",
      "COT3307", {"nothing that `j2` moves has mass or inertia", "or put a 1D inertia on its axis"});
}

// A mass, but none that this axis feels.
TEST(WrongMechanism, PointOnItsAxis) {
  ExpectError(
      "system PointTurns {\n"
      "  j    : Revolute(n = [0, 1, 0])\n"
      "  load : Body(m = 1 kg)\n"
      "  connect mechanics.ground -- j.a\n"
      "  connect j.b -- load.a\n"
      "}\n",
      "COT3307", {"nothing that `j` moves has"});
}

std::string OneBody(const std::string& arguments) {
  return "system OneBody {\n"
         "  j    : Revolute\n"
         "  load : Body(" +
         arguments +
         ")\n"
         "  connect mechanics.ground -- j.a\n"
         "  connect j.b -- load.a\n"
         "}\n";
}

TEST(WrongMechanism, InertiaThatNoBodyHas) {
  ExpectError(
      OneBody("m = 1 kg, I = [1, 1, -0.2, 0, 0, 0] kg*m^2"), "COT3306",
      {"no body has the inertia of `load`: its principal moments are -0.2, 1, 1 kg*m^2, and none can be "
       "negative"});
  ExpectError(OneBody("m = 1 kg, I = [1, 1, 1, 2, 0, 0] kg*m^2"), "COT3306",
              {"its principal moments are -1, 1, 3 kg*m^2"});
  ExpectError(OneBody("m = -1 kg"), "COT3306", {"its mass is -1 kg, which is negative"});
}

TEST(WrongMechanism, RigidPartsThatDoNotFit) {
  ExpectError(
      "system RigidLoop {\n"
      "  j    : Revolute\n"
      "  arm1 : Arm(r = [1, 0, 0] m)\n"
      "  arm2 : Arm(r = [0, 1, 0] m)\n"
      "  arm3 : Arm(r = [1, 1.5, 0] m)\n"
      "  load : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n"
      "  connect mechanics.ground -- j.a\n"
      "  connect j.b -- arm1.a -- arm3.a -- load.a\n"
      "  connect arm1.b -- arm2.a\n"
      "  connect arm2.b -- arm3.b\n"
      "}\n",
      "COT3303",
      {"`arm2` closes a loop of rigid parts that does not fit: its ends miss each other by 0.5 m"});
}

TEST(WrongMechanism, BodiesThatFloat) {
  ExpectError(
      "system Floating {\n"
      "  j : Revolute\n"
      "  load, left, right : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n"
      "  between : Revolute\n"
      "  connect mechanics.ground -- j.a\n"
      "  connect j.b -- load.a\n"
      "  connect left.a -- between.a\n"
      "  connect between.b -- right.a\n"
      "}\n",
      "COT3302",
      {"nothing joins `left`, `right` to `mechanics.ground`", "a `Free` joint leaves it all six freedoms"});
}

TEST(WrongMechanism, JointDrivenTwice) {
  for (const std::string second : {"AngleSource(angle = 0.4 rad)", "SpeedSource(speed = 1 rad/s)"}) {
    ExpectError(
        "system TwoDrivers {\n"
        "  j      : Revolute\n"
        "  load   : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n"
        "  drive1 : AngleSource(angle = 0.3 rad)\n"
        "  drive2 : " +
            second +
            "\n"
            "  connect mechanics.ground -- j.a\n"
            "  connect j.b -- load.a\n"
            "  connect drive1.a -- j.axis -- drive2.a\n"
            "  connect drive1.b -- j.housing -- drive2.b -- rotational.ground\n"
            "}\n",
        "COT3002", {"`drive1` and `drive2` form a closed circuit in which every angle is prescribed"});
  }
}

// One freedom, two angles given.
TEST(WrongMechanism, LoopDrivenTwice) {
  ExpectError(Bars(0.35, {0.2, 0.4, 0.3},
                   "  start j1.phi = 1 rad\n"
                   "  drive1 : AngleSource(angle = 1 rad)\n"
                   "  drive2 : AngleSource(angle = 0.4 rad)\n"
                   "  connect drive1.a -- j1.axis\n"
                   "  connect drive1.b -- j1.housing -- rotational.ground\n"
                   "  connect drive2.a -- j2.axis\n"
                   "  connect drive2.b -- j2.housing\n"),
              "COT3317", {"sources drive `j1`, `j2`", "leaves only 1 of them free"});
}

// ---- Other numbers without a new translation -------------------------------------------------------------

/// Whether a translation with the first setting is taken for the second one, too.
bool TakenOver(const std::string& text, const std::string& from, const std::string& to) {
  NoReader reader;
  const auto loaded = LoadModelText("test.cot", text, reader);
  SystemRequest request;
  request.options.alternatives = {from, to};
  ChooseSystem(*loaded, request, "test.cot");
  TranslateOptions options;
  options.chosen = {0};
  const auto translation = Translate(*loaded, options);
  EXPECT_TRUE(translation->ok) << Render(loaded->diagnostics, loaded->model.files);
  if (!translation->ok) return false;
  options.chosen = {1};
  return ChangeParameters(*loaded, *translation, options);
}

constexpr const char* kTwoHinges =
    "system Door {\n"
    "  parameter off : Length = 0.1 m\n"
    "  top, bottom : Revolute(n = [0, 0, 1])\n"
    "  up     : Arm(r = [0.1, 0, 1.5] m)\n"
    "  low    : Arm(r = [off, 0 m, 0 m])\n"
    "  height : Arm(r = [0, 0, 1.5] m)\n"
    "  leaf   : Body(m = 20 kg, center = [0.45, 0, 0.75] m, I = [6, 7.4, 1.4, 0, 0, 0] kg*m^2)\n"
    "  connect mechanics.ground -- low.a -- up.a\n"
    "  connect low.b -- bottom.a\n"
    "  connect up.b -- top.a\n"
    "  connect bottom.b -- leaf.a -- height.a\n"
    "  connect height.b -- top.b\n"
    "}\n";

constexpr const char* kTwoArms =
    "system TwoArms {\n"
    "  parameter off : Length = 1 m\n"
    "  j    : Revolute\n"
    "  a1   : Arm(r = [1, 0, 0] m)\n"
    "  a2   : Arm(r = [off, 0 m, 0 m])\n"
    "  load : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n"
    "  connect mechanics.ground -- j.a\n"
    "  connect j.b -- a1.a -- a2.a\n"
    "  connect a1.b -- load.a -- a2.b\n"
    "}\n";

constexpr const char* kLength =
    "system Length {\n"
    "  parameter l : Length = 1 m\n"
    "  j    : Revolute(n = [0, 1, 0])\n"
    "  load : Body(m = 2 kg, center = [0 m, 0 m, -l])\n"
    "  connect mechanics.ground -- j.a\n"
    "  connect j.b -- load.a\n"
    "}\n";

TEST(OtherNumbers, LengthsAreLookedAtAnew) {
  EXPECT_FALSE(TakenOver(kLength, "l=1 m", "l=2 m")) << "a mechanism is translated anew";
  EXPECT_FALSE(TakenOver(kLength, "l=1 m", "l=0 m")) << "exactly 0 is left out of the equations";
}

// What was found of the mechanism by its numbers is looked at anew.
TEST(OtherNumbers, VerdictsAreNotTakenOver) {
  EXPECT_FALSE(TakenOver(kTwoHinges, "off=0.1 m", "off=0.2 m"))
      << "the hinges have one axis no more: COT3310";
  EXPECT_FALSE(TakenOver(kTwoArms, "off=1 m", "off=2 m")) << "the arms do not fit any more: COT3303";
  const std::string body =
      "system OneBody {\n"
      "  parameter J : MomentOfInertia = 1 kg*m^2\n"
      "  j    : Revolute\n"
      "  load : Body(m = 1 kg, I = [1 kg*m^2, 1 kg*m^2, J, 0 kg*m^2, 0 kg*m^2, 0 kg*m^2])\n"
      "  connect mechanics.ground -- j.a\n"
      "  connect j.b -- load.a\n"
      "}\n";
  EXPECT_FALSE(TakenOver(body, "J=1 kg*m^2", "J=-1 kg*m^2")) << "no body has this inertia: COT3306";
}

}  // namespace
}  // namespace cotree::test
