// SPDX-License-Identifier: Apache-2.0
// Models of mechanisms against results derived apart from this program (references/README.md), and the
// seeker's mechanism against the equations that the paper prints.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "curves.h"
#include "motion_probe.h"
#include "product_support.h"

namespace cotree::test {
namespace {

using Json = nlohmann::json;

// ---- Runs ------------------------------------------------------------------------------------------------

std::vector<std::string> ReferenceNames() {
  std::vector<std::string> names;
  for (const fs::path& file : FilesBelow("tests/mechanics/references", ".json")) names.push_back(file.stem());
  return names;
}

TEST(References, AreThere) {
  EXPECT_GE(ReferenceNames().size(), 30u);
}

class Reference : public testing::TestWithParam<std::string> {};

// Degrees of freedom, rows that follow from others, and every curve at every time of the file.
TEST_P(Reference, Agrees) {
  const fs::path folder = kRoot / "tests/mechanics";
  const Json file = Json::parse(ReadText(folder / "references" / (GetParam() + ".json")));
  RunOf run(ReadText(folder / "models" / (GetParam() + ".cot")));
  EXPECT_EQ(run.translation->motion.degrees, file.at("degrees").get<uint32_t>());
  EXPECT_EQ(run.translation->motion.redundant.size(), file.at("redundant").get<size_t>());
  run.Simulate(file.at("stop"), 1e-10, Method::kAutomatic, file.at("interval"));
  const double tolerance = file.at("tolerance");
  ASSERT_FALSE(file.at("curves").empty());
  for (const auto& [name, curve] : file.at("curves").items()) {
    const std::vector<double> theirs = curve;
    EXPECT_LE(Difference(run[name], theirs), tolerance * Largest(theirs)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Reference, testing::ValuesIn(ReferenceNames()),
                         [](const auto& reference) { return reference.param; });

// ---- The seeker's printed equations ----------------------------------------------------------------------

/// examples/seeker with these four numbers of its mechanism instead of those it has, I2, a, b and K.
std::string Seeker(const Json& given, const Json& wanted) {
  std::string text = ReadText(kRoot / "examples/seeker/seeker.cot");
  for (const std::string name : {"I2", "a", "b", "K"}) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.8f kg*m^2", given.at(name).get<double>());
    const size_t at = text.find(digits);
    EXPECT_NE(at, std::string::npos) << name << " is not " << digits;
    if (at == std::string::npos) return text;
    text.replace(at, std::string(digits).size(), Number(wanted.at(name)) + " kg*m^2");
  }
  return text;
}

/** Both joints of the seeker: q1 the gimbal's, q2 the camera's. */
struct SeekerMotion {
  explicit SeekerMotion(const std::string& text) : probe(text) {
    first = probe.NameOf(0) == joints[0] ? 0 : 1;
    EXPECT_EQ(probe.motion.freedoms.size(), 2u);
    EXPECT_EQ(probe.NameOf(first), joints[0]);
    EXPECT_EQ(probe.NameOf(1 - first), joints[1]);
  }
  /// At these angles and rates: mass matrix and what the joints must exert without acceleration.
  void Evaluate(double q1, double q2, double rate1, double rate2) {
    SetAngles(probe, joints, {q1, q2}, {rate1, rate2}, {0, 0});
    const auto mass = MassMatrix(probe);
    for (size_t i = 0; i < 2; ++i) {
      for (size_t k = 0; k < 2; ++k) M[i][k] = mass[i == 0 ? first : 1 - first][k == 0 ? first : 1 - first];
      load[i] = Torque(probe, joints[i], 0);
    }
  }
  double Determinant() const { return M[0][0] * M[1][1] - M[0][1] * M[1][0]; }
  /// Determinant times acceleration of a joint, under these torques: the numerators of (18) and (19).
  double Numerator(size_t joint, double torque1, double torque2) const {
    const double t[2] = {torque1 - load[0], torque2 - load[1]};
    return M[1 - joint][1 - joint] * t[joint] - M[0][1] * t[1 - joint];
  }

  const std::vector<std::string> joints = {"joint_alpha", "joint_beta"};
  MotionProbe probe;
  size_t first = 0;
  double M[2][2] = {}, load[2] = {};
};

// M, its Coriolis terms and its accelerations by the formulas of the file, and at the file's points.
TEST(Expected, SeekerEquations) {
  const Json file = Json::parse(ReadText(kRoot / "tests/models/expected/seeker_printed_equations.json"));
  const Json& expected = file.at("expected");
  // The file says them in this form: if it ever says them in another, look again.
  ASSERT_EQ(expected.at("equations").at("p"), "-(a*cos(q2)+b*sin(q2))");
  ASSERT_EQ(expected.at("equations").at("h"), "a*sin(q2)-b*cos(q2)");
  const double tolerance = file.at("tolerance").at("sample_points_rel");
  for (const std::string numbers : {"rounded", "fitted"}) {
    SCOPED_TRACE(numbers);
    const Json& parameters = expected.at("parameters_" + numbers);
    SeekerMotion seeker(Seeker(expected.at("parameters_rounded"), parameters));
    const double I2 = parameters.at("I2"), a = parameters.at("a"), b = parameters.at("b"),
                 K = parameters.at("K");
    for (const Json& point : expected.at("sample_points")) {
      // In print q1 is called beta and q2 alpha, yet Tm_alpha acts on q1 and Tm_beta on q2.
      const double q2 = point.at("angle_in_trig"), rate1 = point.at("beta_dot"),
                   rate2 = point.at("alpha_dot");
      seeker.Evaluate(0.7, q2, rate1, rate2);
      const double p = -(a * std::cos(q2) + b * std::sin(q2)), h = a * std::sin(q2) - b * std::cos(q2);
      EXPECT_NEAR(seeker.M[0][0], K + 2 * p, tolerance * K);
      EXPECT_NEAR(seeker.M[0][1], I2 + p, tolerance * K);
      EXPECT_NEAR(seeker.M[1][1], I2, tolerance * K);
      EXPECT_NEAR(seeker.load[0], h * (2 * rate1 * rate2 + rate2 * rate2), tolerance * K);
      EXPECT_NEAR(seeker.load[1], -h * rate1 * rate1, tolerance * K);
      const Json& theirs = point.at("planar2R_" + numbers + "_params");
      for (size_t k = 0; k < 2; ++k) {
        const double acceleration =
            seeker.Numerator(k, point.at("Tm_alpha"), point.at("Tm_beta")) / seeker.Determinant();
        EXPECT_NEAR(acceleration, theirs.at(k), tolerance * std::fabs(theirs.at(k).get<double>()));
      }
    }
  }
}

/// The five coefficients of f(angle) by "", "c", "s", "sc" and "ss" (sin^2), from eight angles.
template <class F>
std::map<std::string, double> Coefficients(F f) {
  double mean = 0, cos1 = 0, sin1 = 0, cos2 = 0, sin2 = 0;
  for (int k = 0; k < 8; ++k) {
    const double angle = 0.1 + k * std::numbers::pi / 4, value = f(angle);
    mean += value / 8;
    cos1 += value * std::cos(angle) / 4;
    sin1 += value * std::sin(angle) / 4;
    cos2 += value * std::cos(2 * angle) / 4;
    sin2 += value * std::sin(2 * angle) / 4;
  }
  return {{"", mean + cos2}, {"c", cos1}, {"s", sin1}, {"sc", 2 * sin2}, {"ss", -2 * cos2}};
}

// Every coefficient of (18) and (19), corrected, and of their denominator, to two units of the last digit
// printed; what is not printed is 0.
TEST(Expected, SeekerPrintedEquations) {
  const Json file = Json::parse(ReadText(kRoot / "tests/models/expected/seeker_printed_equations.json"));
  const Json& expected = file.at("expected");
  ASSERT_EQ(file.at("tolerance").at("coefficients"), "2 units of the last printed digit");
  SeekerMotion seeker(Seeker(expected.at("parameters_rounded"), expected.at("parameters_fitted")));
  const auto compare = [](const std::map<std::string, double>& ours, const Json& terms,
                          const std::string& state) {
    std::map<std::string, double> printed, unit;
    double coarsest = 0;
    for (const Json& term : terms) {
      if (term.at(1) != state) continue;
      printed[term.at(0)] = term.at(2);
      unit[term.at(0)] = term.at(3);
      coarsest = std::max(coarsest, term.at(3).get<double>());
    }
    EXPECT_FALSE(printed.empty()) << state;
    for (const auto& [trigonometric, value] : ours) {
      const bool is_printed = printed.count(trigonometric) != 0;
      EXPECT_NEAR(value, is_printed ? printed[trigonometric] : 0,
                  2 * (is_printed ? unit[trigonometric] : coarsest))
          << "term " << trigonometric << " " << state;
    }
  };
  compare(Coefficients([&](double angle) {
            seeker.Evaluate(0, angle, 0, 0);
            return seeker.Determinant();
          }),
          file.at("inputs").at("printed_denominator"), "");
  for (size_t joint = 0; joint < 2; ++joint) {
    const Json& terms = expected.at(joint == 0 ? "corrected_eq18_numerator" : "corrected_eq19_numerator");
    SCOPED_TRACE(joint == 0 ? "(18)" : "(19)");
    const auto numerator = [&](double angle, double rate1, double rate2, double torque1, double torque2) {
      seeker.Evaluate(0, angle, rate1, rate2);
      return seeker.Numerator(joint, torque1, torque2);
    };
    compare(Coefficients([&](double x) { return numerator(x, 0, 1, 0, 0); }), terms, "aa");
    compare(Coefficients([&](double x) { return numerator(x, 1, 0, 0, 0); }), terms, "bb");
    compare(Coefficients([&](double x) {
              return numerator(x, 1, 1, 0, 0) - numerator(x, 1, 0, 0, 0) - numerator(x, 0, 1, 0, 0);
            }),
            terms, "ab");
    compare(Coefficients([&](double x) { return numerator(x, 0, 0, 1, 0); }), terms, "Ta");
    compare(Coefficients([&](double x) { return numerator(x, 0, 0, 0, 1); }), terms, "Tb");
  }
}

}  // namespace
}  // namespace cotree::test
