// SPDX-License-Identifier: Apache-2.0
// What the tests of library components with modes, events, samples and delays share.
#pragma once

#include <cstdio>

#include "library/dynamic_curves.h"

namespace cotree::test {

constexpr double kCurve = 1e-6;      // of the largest value
constexpr double kEventTime = 1e-7;  // s

/// Says the figure and holds it against its limit.
inline void Close(const std::string& what, double error, double limit = kCurve) {
  std::printf("%-44s %.1e\n", what.c_str(), error);
  EXPECT_LT(error, limit) << what;
}

/// As RunOf::Error, for curves with jumps where events are located: of rows at one time, or closer to each
/// other than kEventTime, all but the last may lie that much before the jump that is expected, all but the
/// first that much behind it.
inline double EventError(const RunOf& run, const std::string& name, const Curve& expected) {
  const auto& t = run.times();
  const auto& curve = run[name];
  double worst = 0, scale = 0;
  for (size_t k = 0; k < curve.size(); ++k) {
    const double e = expected(t[k]);
    double error = std::fabs(curve[k] - e);
    for (const double beside : {1e-11, kEventTime}) {
      if (k + 1 < t.size() && t[k + 1] - t[k] < kEventTime)
        error = std::min(error, std::fabs(curve[k] - expected(t[k] - beside)));
      if (k > 0 && t[k] - t[k - 1] < kEventTime)
        error = std::min(error, std::fabs(curve[k] - expected(t[k] + beside)));
    }
    if (std::isnan(error)) return INFINITY;
    scale = std::max(scale, std::fabs(e));
    worst = std::max(worst, error);
  }
  return scale > 0 ? worst / scale : worst;
}

/// Times of two rows between which a curve jumps.
inline std::vector<double> Jumps(const RunOf& run, const std::string& name, double least = 1e-3) {
  std::vector<double> out;
  const auto& t = run.times();
  const auto& x = run[name];
  for (size_t k = 1; k < t.size(); ++k) {
    if (t[k] == t[k - 1] && std::fabs(x[k] - x[k - 1]) > least) out.push_back(t[k]);
  }
  return out;
}

/// The largest distance of times; infinite where their numbers differ.
inline double TimesError(const std::vector<double>& found, const std::vector<double>& expected) {
  double worst = found.size() == expected.size() ? 0 : INFINITY;
  for (size_t k = 0; k < std::min(found.size(), expected.size()); ++k)
    worst = std::max(worst, std::fabs(found[k] - expected[k]));
  return worst;
}

/// The largest distance of an expected time from the event next to it.
inline double MissedEvents(const RunOf& run, const std::vector<double>& expected) {
  double worst = 0;
  for (const double t : expected) {
    double nearest = INFINITY;
    for (const double event : run.trajectory.event_times) nearest = std::min(nearest, std::fabs(event - t));
    worst = std::max(worst, nearest);
  }
  return worst;
}

/// Where f changes its sign between a and b.
inline double Bisect(const Curve& f, double a, double b) {
  const bool sign = f(a) < 0;
  for (int k = 0; k < 200; ++k) {
    const double m = (a + b) / 2;
    ((f(m) < 0) == sign ? a : b) = m;
  }
  return (a + b) / 2;
}

/// The first change of sign of f behind a, looked for with the step h; `end` if there is none before.
inline double FirstZero(const Curve& f, double a, double h, double end) {
  const bool sign = f(a) < 0;
  for (double t = a; t < end; t += h) {
    if ((f(t + h) < 0) != sign) return std::min(end, Bisect(f, t, t + h));
  }
  return end;
}

/// Pieces of a curve, each from its begin on.
struct Pieces {
  std::vector<double> begins;
  std::vector<Curve> curves;
  void Add(double begin, Curve curve) {
    begins.push_back(begin);
    curves.push_back(std::move(curve));
  }
  double operator()(double t) const {
    const auto above = std::upper_bound(begins.begin(), begins.end(), t);
    const auto k = above == begins.begin() ? 0 : above - begins.begin() - 1;
    return curves[static_cast<size_t>(k)](t);
  }
};

}  // namespace cotree::test
