// SPDX-License-Identifier: Apache-2.0
// examples/software_components against computations that share nothing with them, and the templates that the
// headers and the manual print: they compile as they stand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "software_component/test/support.h"

namespace cotree {
namespace {

double OneOutput(SoftwareComponent* component, uint32_t group, uint32_t output, double t,
                 std::vector<double> u) {
  std::vector<double> y(component->description().outputs.size());
  EXPECT_TRUE(component->Outputs(group, t, {}, u, y)) << component->failure().Text();
  return y[output];
}

TEST(ComponentExamples, PidFollowsItsRecurrence) {
  const double T = 0.01, kp = 2.0, ki = 3.0, kd = 0.5, Tf = 0.04, umax = 4.0;
  auto pid =
      test::Load("pid", "pid",
                 {{"kp", kp}, {"ki", ki}, {"kd", kd}, {"Tf", Tf}, {"T", T}, {"umin", -umax}, {"umax", umax}},
                 test::OwnProcess());
  ASSERT_TRUE(pid);
  EXPECT_EQ(pid->description().sample_period, T);
  // By hand: error of a step of 1 that falls off; the first derivative kick is kd/(Tf + T) = 10, hence
  // limited.
  double integral = 0.0, derivative = 0.0, before = 0.0;
  int limited = 0;
  for (int k = 0; k < 500; ++k) {
    const double w = 1.0, y = 1.0 - std::exp(-0.01 * k) + (k > 250 ? -3.0 : 0.0), e = w - y;
    derivative = derivative * Tf / (Tf + T) + kd / (Tf + T) * (e - before);
    before = e;
    const double free = kp * e + integral + derivative;
    const double expected = std::clamp(free, -umax, umax);
    if (free == expected || free * e < 0) integral += T * ki * e;
    limited += free != expected;
    EXPECT_NEAR(OneOutput(pid.get(), 0, 0, T * k, {w, y}), expected, 1e-12) << k;
    ASSERT_TRUE(pid->Update(T * k, {}, std::vector<double>{w, y}));
  }
  EXPECT_GT(limited, 10);
  EXPECT_LT(limited, 400);
}

TEST(ComponentExamples, KalmanReachesTheSteadyGain) {
  const double T = 0.1, q = 0.7, r = 0.09;
  auto kalman = test::Load("kalman", "kalman", {{"T", T}, {"q", q}, {"r", r}}, test::OwnProcess());
  ASSERT_TRUE(kalman);
  // The Riccati iteration in matrices, P := A (P - P H' (H P H' + r)^-1 H P) A' + Q.
  double P[2][2] = {{5.0, 0.0}, {0.0, 5.0}}, K[2] = {0.0, 0.0};
  const double A[2][2] = {{1.0, T}, {0.0, 1.0}},
               Q[2][2] = {{q * T * T * T / 3, q * T * T / 2}, {q * T * T / 2, q * T}};
  for (int k = 0; k < 5000; ++k) {
    double M[2][2], N[2][2] = {};
    for (int i = 0; i < 2; ++i) K[i] = P[i][0] / (P[0][0] + r);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) M[i][j] = P[i][j] - K[i] * P[0][j];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        for (int m = 0; m < 2; ++m)
          for (int n = 0; n < 2; ++n) N[i][j] += A[i][m] * M[m][n] * A[j][n];
        P[i][j] = N[i][j] + Q[i][j];
      }
  }
  // In closed form (tracking index lambda, Kalata 1984, for the filter's continuous noise the same quartic
  // with q): check only that the gain is what makes the error dynamics stable, 0 < K1 < 1.
  ASSERT_GT(K[0], 0.0);
  ASSERT_LT(K[0], 1.0);

  double t = 0.0;
  for (int k = 0; k < 3000; ++k, t += T) ASSERT_TRUE(kalman->Update(t, {}, std::vector<double>{std::sin(t)}));
  // The prediction after a sample is linear in the measurement, with slope A K.
  std::vector<std::byte> state(kalman->description().discrete_bytes);
  ASSERT_TRUE(kalman->Save(state));
  double prediction[2][2];
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(kalman->Restore(state) && kalman->Update(t, {}, std::vector<double>{1.0 * i}));
    for (uint32_t output = 0; output < 2; ++output)
      prediction[i][output] = OneOutput(kalman.get(), 0, output, t + T, {0.0});
  }
  EXPECT_NEAR(prediction[1][0] - prediction[0][0], K[0] + T * K[1], 1e-10);
  EXPECT_NEAR(prediction[1][1] - prediction[0][1], K[1], 1e-10);
  // The innovation is a group of its own, direct in z.
  ASSERT_EQ(kalman->description().groups.size(), 2u);
  EXPECT_EQ(OneOutput(kalman.get(), 1, 2, t + T, {4.0}), 4.0 - prediction[1][0]);
}

TEST(ComponentExamples, KalmanRefusesInWords) {
  ComponentFailure failure;
  EXPECT_FALSE(LoadSoftwareComponent({test::Library("kalman"), "kalman", "k", {{"T", -1.0}}},
                                     test::OwnProcess(), &failure));
  EXPECT_EQ(failure.reason, "`create` returned an error: T and r must be positive, q not negative");
  EXPECT_FALSE(
      LoadSoftwareComponent({test::Library("kalman"), "kalman", "k", {}}, test::OwnProcess(), &failure));
  EXPECT_EQ(failure.reason, "parameter `T` must be given");
}

TEST(ComponentExamples, ThermostatSwitches) {
  auto thermostat =
      test::Load("thermostat", "thermostat", {{"low", 10.0}, {"high", 12.0}, {"rest", 3.0}, {"period", 1.0}},
                 test::OwnProcess());
  ASSERT_TRUE(thermostat);
  // Temperature by sample, and the mode that holds at it: the change shows at the sample after.
  const double temperature[] = {11, 9, 9, 11, 12.5, 9, 9, 9, 9, 9, 13};
  const int mode[] = {0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 1};
  for (size_t k = 0; k < std::size(mode); ++k) {
    const double t = static_cast<double>(k);
    EXPECT_EQ(OneOutput(thermostat.get(), 0, 1, t, {0.0}), mode[k]) << k;
    EXPECT_EQ(OneOutput(thermostat.get(), 0, 0, t, {0.0}), mode[k] == 1 ? 1.0 : 0.0) << k;
    ASSERT_TRUE(thermostat->Update(t, {}, std::span<const double>(&temperature[k], 1)));
  }
}

// ---- Templates ----

std::string ReadText(const std::string& path) {
  std::ifstream file(std::string(COTREE_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The lines from one that contains `begin` to the line before `end`, without their first characters.
std::string Excerpt(const std::string& text, const std::string& begin, const std::string& end,
                    size_t indent) {
  const size_t found = text.find(begin), from = text.rfind('\n', found) + 1, to = text.find(end, from);
  if (found == std::string::npos || to == std::string::npos) return {};
  std::string excerpt;
  for (size_t at = from; at < to;) {
    const size_t line_end = std::min(text.find('\n', at), to);
    if (line_end - at > indent) excerpt += text.substr(at + indent, line_end - at - indent);
    excerpt += "\n";
    at = line_end + 1;
  }
  return excerpt;
}

void BuildAndRunGain(const std::string& name, const std::string& source, const std::string& compiler) {
  ASSERT_FALSE(source.empty()) << name;
  const std::string path = test::TemporaryPath(name);
  std::ofstream(path) << source;
  const std::string library = path + ".so";
  const std::string command =
      compiler + " -Wall -Wextra -pedantic -Werror -O2 -fPIC -shared -I" COTREE_SOURCE_DIR "/include " +
      path + " -o " + library;
  ASSERT_EQ(std::system(command.c_str()), 0) << command << "\n" << source;
  ComponentFailure failure;
  auto gain = LoadSoftwareComponent({library, "gain", "g", {{"k", 2.5}}}, test::OwnProcess(), &failure);
  ASSERT_TRUE(gain) << failure.Text();
  EXPECT_EQ(OneOutput(gain.get(), 0, 0, 0.0, {4.0}), 10.0);
  std::remove(path.c_str());
  std::remove(library.c_str());
}

TEST(ComponentTemplates, OfTheHeadersAndTheManualCompile) {
  const std::string c = COTREE_C_COMPILER " -std=c99",
                    cpp = COTREE_CXX_COMPILER " -std=c++17 -Wno-unused-parameter";
  const std::string header = ReadText("include/cotree/cotree_component.h"),
                    wrapper = ReadText("include/cotree/component.hpp"),
                    manual = ReadText("docs/manual/software_components.md");
  BuildAndRunGain("gain_header.c", Excerpt(header, "#include <cotree", "Build it with", 4), c);
  BuildAndRunGain("gain_wrapper.cc",
                  Excerpt(wrapper, "#include <cotree/component.hpp>", "// Build it with", 5), cpp);
  BuildAndRunGain("gain_manual.c", Excerpt(manual, "#include <cotree/cotree_component.h>", "```", 0), c);
  BuildAndRunGain("gain_manual.cc", Excerpt(manual, "#include <cotree/component.hpp>", "```", 0), cpp);
}

}  // namespace
}  // namespace cotree
