// SPDX-License-Identifier: Apache-2.0
// Texts of models and curves of runs, for tests of motion in space.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace cotree::test {

inline std::string Number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}

/// "[1, 2, 3] m"
inline std::string List(const std::vector<double>& values, const std::string& unit) {
  std::string text;
  for (const double v : values) text += (text.empty() ? "[" : ", ") + Number(v);
  return text + "]" + (unit.empty() ? "" : " " + unit);
}

inline std::string FixedStart(const std::string& name, double value, const std::string& unit) {
  return "  start " + name + " = " + Number(value) + " " + unit + " fixed\n";
}

/// The largest difference of two curves at the same times.
inline double Difference(const std::vector<double>& ours, const std::vector<double>& theirs) {
  if (ours.size() != theirs.size()) return INFINITY;
  double worst = 0;
  for (size_t k = 0; k < ours.size(); ++k) worst = std::max(worst, std::fabs(ours[k] - theirs[k]));
  return worst;
}

inline double Largest(const std::vector<double>& values) {
  double worst = 0;
  for (const double v : values) worst = std::max(worst, std::fabs(v));
  return worst;
}

inline double Drift(const std::vector<double>& curve) {
  double worst = 0;
  for (const double v : curve) worst = std::max(worst, std::fabs(v - curve.front()));
  return worst;
}

}  // namespace cotree::test
