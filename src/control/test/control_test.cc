// SPDX-License-Identifier: Apache-2.0
// Every function against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "control/channel.h"
#include "control/control_figures.h"
#include "control/damping.h"
#include "control/margins.h"
#include "control/matrix_files.h"
#include "control/responses.h"
#include "results/bytes.h"

namespace cotree {
namespace {

using Complex = std::complex<double>;
constexpr double kPi = 3.14159265358979323846;

// numerator / denominator, coefficients from the highest power; in the canonical form of the controller.
LinearModel Rational(std::vector<double> numerator, std::vector<double> denominator) {
  const size_t n = denominator.size() - 1;
  const double lead = denominator[0];
  for (double& x : numerator) x /= lead;
  for (double& x : denominator) x /= lead;
  numerator.insert(numerator.begin(), n + 1 - numerator.size(), 0.0);
  LinearModel m;
  m.inputs = {"u"};
  m.outputs = {"y"};
  m.A.assign(n * n, 0);
  m.B = {std::vector<double>(n, 0)};
  m.D = {{numerator[0]}};
  for (size_t k = 0; k < n; ++k) {
    m.states.push_back("x" + std::to_string(k));
    if (k + 1 < n) m.A[k * n + k + 1] = 1;
    m.A[(n - 1) * n + k] = -denominator[n - k];
    m.C.push_back(numerator[n - k] - numerator[0] * denominator[n - k]);
  }
  if (n > 0) m.B[0][n - 1] = 1;
  return m;
}
Channel Of(std::vector<double> numerator, std::vector<double> denominator) {
  return FindChannel(Rational(std::move(numerator), std::move(denominator)), 0, 0);
}
Complex Value(const std::vector<double>& p, Complex s) {
  Complex v = 0;
  for (const double x : p) v = v * s + x;
  return v;
}

TEST(Channel, ResponseIsTheRationalFunction) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(0.2, 3);
  for (int round = 0; round < 200; ++round) {
    const size_t n = 1 + static_cast<size_t>(round) % 7;
    std::vector<double> a(n + 1), b(1 + static_cast<size_t>(round / 7) % (n + 1));
    for (double& x : a) x = number(random);
    for (double& x : b) x = number(random);
    const Channel c = Of(b, a);
    for (const Complex s : {Complex(0, 0.1), Complex(0, 3), Complex(0.5, 2), Complex(0, 0)}) {
      const Complex expected = Value(b, s) / Value(a, s);
      EXPECT_LE(std::abs(c.At(s) - expected), 1e-11 * std::abs(expected) * 100);
    }
    EXPECT_EQ(c.Zeros().size(), b.size() - 1);
    for (const Complex z : c.Zeros()) EXPECT_LE(std::abs(Value(b, z)), 1e-6 * std::pow(1 + std::abs(z), n));
    for (const Complex p : ClosedPoles(c, 2))
      EXPECT_LE(std::abs(Value(a, p) + 2. * Value(b, p)), 1e-6 * std::pow(1 + std::abs(p), n));
  }
}

TEST(Channel, DerivativesOfTheInput) {
  // x' = -x + u', y = x: s/(s+1);  y = x + 2 u' is improper.
  LinearModel m;
  m.states = {"x"};
  m.inputs = {"u"};
  m.outputs = {"y"};
  m.A = {-1};
  m.C = {1};
  m.B = {{0}, {1}};
  m.D = {{0}, {0}};
  const Complex s(0, 2);
  EXPECT_LE(std::abs(FindChannel(m, 0, 0).At(s) - s / (s + 1.)), 1e-15);
  EXPECT_TRUE(FindChannel(m, 0, 0).proper());
  m.D[1][0] = 2;
  const Channel improper = FindChannel(m, 0, 0);
  EXPECT_FALSE(improper.proper());
  EXPECT_LE(std::abs(improper.At(s) - (s / (s + 1.) + 2. * s)), 1e-14);
  // 1 + L = 0: 2s^2 + 4s + 1 = 0
  const auto closed = ClosedPoles(improper, 1);
  ASSERT_EQ(closed.size(), 2u);
  EXPECT_NEAR(closed[0].real(), -1 - std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(closed[1].real(), -1 + std::sqrt(0.5), 1e-12);
}

TEST(Channel, OnlyStatesBetweenInputAndOutput) {
  // w' = -w + u, phi' = w: the response of w has no integrator.
  LinearModel m;
  m.states = {"phi", "w"};
  m.inputs = {"u"};
  m.outputs = {"w"};
  m.A = {0, 1, 0, -1};
  m.C = {0, 1};
  m.B = {{0, 1}};
  m.D = {{0}};
  const Channel c = FindChannel(m, 0, 0);
  EXPECT_EQ(c.n(), 1u);
  EXPECT_EQ(c.At(0), 1.);
}

TEST(Damping, OfAPair) {
  const double w = 5, zeta = 0.3;
  const auto table = DampingTable(Of({1}, {1, 2 * zeta * w, w * w}).Poles());
  ASSERT_EQ(table.size(), 1u);
  EXPECT_NEAR(table[0].natural_frequency, w, 1e-12);
  EXPECT_NEAR(table[0].damping, zeta, 1e-12);
  EXPECT_NEAR(table[0].time_constant, 1 / (zeta * w), 1e-12);
  EXPECT_TRUE(std::isnan(DampingOf(0).damping));
  EXPECT_TRUE(std::isinf(DampingOf(Complex(0, 1)).time_constant));
}

TEST(Margins, ThirdOrder) {
  // K/(s(s+1)(s+2)): phase -180 at sqrt(2), where |L| = K/6.
  for (const double K : {0.01, 1., 3., 5.9, 6.1, 60., 1e5}) {
    const Margins m = FindMargins(Of({K}, {1, 3, 2, 0}));
    ASSERT_EQ(m.gains.size(), 1u) << K;
    EXPECT_NEAR(m.gains[0].frequency, std::sqrt(2), 1e-9);
    EXPECT_NEAR(m.gains[0].factor, 6 / K, 1e-9 * 6 / K);
    EXPECT_EQ(m.stable, K < 6);
    EXPECT_EQ(m.UpperGain().has_value(), K < 6);
    EXPECT_EQ(m.LowerGain().has_value(), K > 6);
    ASSERT_EQ(m.phases.size(), 1u) << K;
    const double w = m.phases[0].frequency;
    EXPECT_NEAR(w * std::sqrt(w * w + 1) * std::sqrt(w * w + 4), K, 1e-9 * K);
    EXPECT_NEAR(m.phases[0].margin, kPi / 2 - std::atan(w) - std::atan(w / 2), 1e-9);
    if (K < 6) {
      EXPECT_NEAR(m.phases[0].delay, m.phases[0].margin / w, 1e-9);
    }
  }
}

TEST(Margins, SecondOrderPhaseMargin) {
  for (const double zeta : {0.01, 0.1, 0.3, 0.7, 1., 2.}) {
    const double w0 = 40, root = std::sqrt(std::sqrt(1 + 4 * std::pow(zeta, 4)) - 2 * zeta * zeta);
    const Margins m = FindMargins(Of({w0 * w0}, {1, 2 * zeta * w0, 0}));
    ASSERT_EQ(m.phases.size(), 1u);
    EXPECT_NEAR(m.phases[0].frequency, w0 * root, 1e-8 * w0);
    EXPECT_NEAR(m.phases[0].margin, std::atan(2 * zeta / root), 1e-9);
    EXPECT_TRUE(m.gains.empty());
    EXPECT_TRUE(m.stable);
  }
}

TEST(Margins, IntegratorsAndUnstablePlants) {
  const Margins one = FindMargins(Of({1}, {1, 0}));
  ASSERT_EQ(one.phases.size(), 1u);
  EXPECT_NEAR(one.phases[0].frequency, 1, 1e-12);
  EXPECT_NEAR(one.phases[0].margin, kPi / 2, 1e-12);
  EXPECT_TRUE(one.stable);
  const Margins two = FindMargins(Of({1}, {1, 0, 0}));
  ASSERT_EQ(two.phases.size(), 1u);
  EXPECT_NEAR(two.phases[0].margin, 0, 1e-12);
  EXPECT_FALSE(two.stable);
  EXPECT_TRUE(two.gains.empty());
  // 2/(s-1) needs a gain above 1/2.
  const Margins unstable = FindMargins(Of({2}, {1, -1}));
  EXPECT_TRUE(unstable.stable);
  ASSERT_TRUE(unstable.LowerGain().has_value());
  EXPECT_EQ(unstable.LowerGain()->frequency, 0);
  EXPECT_NEAR(unstable.LowerGain()->factor, 0.5, 1e-12);
  EXPECT_FALSE(unstable.UpperGain().has_value());
  EXPECT_NEAR(unstable.SmallestPhase()->frequency, std::sqrt(3), 1e-9);
  EXPECT_NEAR(unstable.SmallestPhase()->margin, kPi / 3, 1e-9);
  // A gain alone.
  const Margins gain = FindMargins(Of({-0.25}, {1}));
  ASSERT_TRUE(gain.UpperGain().has_value());
  EXPECT_NEAR(gain.UpperGain()->factor, 4, 1e-12);
  EXPECT_TRUE(FindMargins(Of({-1}, {1})).algebraic_loop);
  // Far from all corners: 1e-7/s, 1e7/s.
  for (const double K : {1e-7, 1e7}) {
    const Margins far = FindMargins(Of({K}, {1, 1, 0}));
    ASSERT_EQ(far.phases.size(), 1u) << K;
  }
}

TEST(Margins, ConditionallyStable) {
  // K (s+1)^2 / s^3: real at w = 1 where |L| = 2K: stable above K = 1/2.
  for (const double K : {0.4, 0.6, 10.}) {
    const Margins m = FindMargins(Of({K, 2 * K, K}, {1, 0, 0, 0}));
    ASSERT_EQ(m.gains.size(), 1u);
    EXPECT_NEAR(m.gains[0].frequency, 1, 1e-9);
    EXPECT_NEAR(m.gains[0].factor, 0.5 / K, 1e-9);
    EXPECT_EQ(m.stable, K > 0.5);
  }
}

TEST(Margins, NarrowResonancesAreSeen) {
  // A resonance of a width far below the grid's: |L| = 1 at both of its sides.
  const double w = 100, zeta = 1e-6;
  const Margins m = FindMargins(Of({0.001 * w * w}, {1, 2 * zeta * w, w * w}));
  ASSERT_EQ(m.phases.size(), 2u);
  const double x = 0.001, side = std::sqrt(1 - x);
  EXPECT_NEAR(m.phases[0].frequency, w * side, 1e-4);
  EXPECT_NEAR(m.phases[1].frequency, w * std::sqrt(1 + x), 1e-4);
}

TEST(Responses, StepIsExact) {
  const StepResponse one = FindStepResponse(Of({1}, {1, 1}));
  for (size_t k = 0; k < one.times.size(); ++k)
    EXPECT_NEAR(one.values[k], 1 - std::exp(-one.times[k]), 1e-12);
  EXPECT_GE(one.times.back(), 5);
  const double zeta = 0.2, wd = std::sqrt(1 - zeta * zeta);
  const StepResponse two = FindStepResponse(Of({1}, {1, 2 * zeta, 1}));
  for (size_t k = 0; k < two.times.size(); ++k) {
    const double t = two.times[k];
    EXPECT_NEAR(two.values[k], 1 - std::exp(-zeta * t) * (std::cos(wd * t) + zeta / wd * std::sin(wd * t)),
                1e-11);
  }
}

TEST(Responses, CloseLoop) {
  const Channel loop = Of({3, 1}, {2, 5, 7});
  Channel closed;
  ASSERT_TRUE(CloseLoop(loop, &closed));
  const Complex s(0.3, 2), L = loop.At(s);
  EXPECT_LE(std::abs(closed.At(s) - L / (1. + L)), 1e-14);
  EXPECT_FALSE(CloseLoop(Of({-1}, {1}), &closed));
}

TEST(Responses, RootLocus) {
  // 1/(s(s+2)): -1 +- sqrt(1 - k)
  const RootLocus locus = FindRootLocus(Of({1}, {1, 2, 0}));
  ASSERT_EQ(locus.branches.size(), 2u);
  EXPECT_EQ(locus.gains.front(), 0);
  EXPECT_EQ(locus.gains.back(), 1000);
  for (size_t k = 0; k < locus.gains.size(); ++k) {
    const Complex root = std::sqrt(Complex(1 - locus.gains[k]));
    for (size_t b = 0; b < 2; ++b) {
      const Complex p = locus.branches[b][k];
      EXPECT_LE(std::min(std::abs(p + 1. - root), std::abs(p + 1. + root)), 1e-7);
    }
    EXPECT_NEAR((locus.branches[0][k] + locus.branches[1][k]).real(), -2, 1e-9);
  }
}

TEST(Figures, BodePhaseHasNoJumps) {
  const Channel c = Of({1}, {1, 3, 3.5, 2.1, 1, 0});
  const Figure figure = BodeFigure("", {{"L", c}});
  const Series& phase = figure.panes[1].series[0];
  EXPECT_NEAR(phase.y.front(), -90, 2);
  EXPECT_NEAR(phase.y.back(), -450, 3);
  for (size_t k = 1; k < phase.y.size(); ++k) EXPECT_LT(std::fabs(phase.y[k] - phase.y[k - 1]), 30);
}

TEST(MatrixFiles, Npz) {
  EXPECT_EQ(Crc32("123456789"), 0xCBF43926u);
  const std::string bytes = NpzBytes(Rational({1, 2}, {1, 3, 5}));
  EXPECT_EQ(bytes.substr(0, 4), "PK\x03\x04");
  const size_t at = bytes.find("\x93NUMPY");
  ASSERT_NE(at, std::string::npos);
  const size_t data = at + 10 + NumberAt<uint16_t>(bytes, at + 8);
  EXPECT_EQ((data - at) % 64, 0u);
  const std::vector<double> expected{0, 1, -5, -3};
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(NumberAt<double>(bytes, data + 8 * k), expected[k]);
}

TEST(MatrixFiles, Mat4) {
  const std::string bytes = Mat4Bytes(Rational({1, 2}, {1, 3, 5}));
  EXPECT_EQ(NumberAt<int32_t>(bytes, 0), 0);
  EXPECT_EQ(NumberAt<int32_t>(bytes, 4), 2);
  EXPECT_EQ(NumberAt<int32_t>(bytes, 8), 2);
  EXPECT_EQ(bytes[20], 'A');
  const std::vector<double> expected{0, -5, 1, -3};  // column by column
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(NumberAt<double>(bytes, 22 + 8 * k), expected[k]);
}

}  // namespace
}  // namespace cotree
