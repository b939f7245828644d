// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "library/probe.h"

namespace cotree::test {

inline constexpr double kPi = std::numbers::pi;

using Values = std::vector<std::pair<std::string, double>>;

/// The output y where these values are set and no others.
inline double Output(Probe& probe, const Values& values, const std::string& output = "y") {
  probe.Reset();
  for (const auto& [name, value] : values) probe.Set(name, value);
  return probe[output];
}

/// A source at a time.
inline double At(Probe& source, double time) {
  return Output(source, {{"time", time}});
}

/// A block with one input.
inline double Of(Probe& block, double u) {
  return Output(block, {{"u", u}});
}

/** The frequency response y/u of a linear component at s: its matrices are read off the bench, one state at a
time, and (s - A) x = B u is solved here. `rest` is set to 0. */
inline std::complex<double> Response(Probe& probe, const std::vector<std::string>& states,
                                     const std::string& input, const std::string& output,
                                     std::complex<double> s, const std::vector<std::string>& rest = {}) {
  using Complex = std::complex<double>;
  const size_t n = states.size();
  std::vector<std::vector<Complex>> rows(n, std::vector<Complex>(n + 1));  // s - A | B
  std::vector<double> c(n + 1);                                            // C | D
  for (size_t column = 0; column <= n; ++column) {
    probe.Reset();
    for (const std::string& name : rest) probe.Set(name, 0);
    for (size_t k = 0; k < n; ++k) probe.Set(states[k], k == column ? 1 : 0);
    probe.Set(input, column == n ? 1 : 0);
    for (size_t row = 0; row < n; ++row) {
      const double derivative = probe["der(" + states[row] + ")"];
      rows[row][column] = column == n ? Complex(derivative) : Complex(-derivative);
    }
    if (column < n) rows[column][column] += s;
    c[column] = probe[output];
  }
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; ++i) {
      if (std::abs(rows[i][k]) > std::abs(rows[pivot][k])) pivot = i;
    }
    std::swap(rows[k], rows[pivot]);
    for (size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Complex factor = rows[i][k] / rows[k][k];
      for (size_t j = k; j <= n; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  Complex y = c[n];
  for (size_t k = 0; k < n; ++k) y += c[k] * rows[k][n] / rows[k][k];
  return y;
}

inline void ExpectNear(std::complex<double> found, std::complex<double> wanted, double tolerance) {
  EXPECT_NEAR(found.real(), wanted.real(), tolerance);
  EXPECT_NEAR(found.imag(), wanted.imag(), tolerance);
}

/** Runs a sampled component: each element of `inputs` is one sample, the states go from one to the next. */
class SampledRun {
 public:
  SampledRun(const std::string& use, std::vector<std::string> states)
      : SampledRun(use, std::move(states), {}) {}
  SampledRun(const std::string& use, std::vector<std::string> states, std::vector<double> start)
      : probe_(use), states_(std::move(states)), values_(std::move(start)) {
    values_.resize(states_.size(), 0.0);
  }
  double Step(const Values& inputs, const std::string& output = "y") {
    probe_.Reset();
    for (size_t k = 0; k < states_.size(); ++k) probe_.Set("pre(" + states_[k] + ")", values_[k]);
    for (const auto& [name, value] : inputs) probe_.Set(name, value);
    const double y = probe_[output];
    for (size_t k = 0; k < states_.size(); ++k) values_[k] = probe_[states_[k]];
    return y;
  }
  double Step(double u) { return Step(Values{{"u", u}}); }
  double state(size_t k) const { return values_[k]; }
  Probe& probe() { return probe_; }

 private:
  Probe probe_;
  std::vector<std::string> states_;
  std::vector<double> values_;
};

}  // namespace cotree::test
