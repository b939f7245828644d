// SPDX-License-Identifier: Apache-2.0
// What the tests of the motion of library components share: small systems run to their end, and closed forms.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "run_support.h"

namespace cotree::test {

constexpr double kPi = 3.14159265358979323846;
constexpr double kGravity = 9.80665;

using Curve = std::function<double(double)>;

/// The body of a system, run from 0 to `stop`. (Not `Run`: every gtest has a method of that name.)
inline RunOf RunBody(const std::string& body, double stop, double rtol = 1e-8) {
  RunOf run("system S {\n" + body + "\n}\n");
  run.Simulate(stop, rtol);
  return run;
}

/// As RunOf::Error, for curves that jump at known times: of the two rows at such a time, the first is
/// compared with the expected value just before it, the second with that just behind.
inline double JumpError(const RunOf& run, const std::string& name, const Curve& expected) {
  const auto& times = run.times();
  const auto& curve = run[name];
  double worst = 0, scale = 0;
  for (size_t k = 0; k < curve.size(); ++k) {
    const bool before = k + 1 < times.size() && times[k + 1] == times[k];
    const bool behind = k > 0 && times[k - 1] == times[k];
    const double e = expected(times[k] + (before ? -1e-11 : behind ? 1e-11 : 0));
    scale = std::max(scale, std::fabs(e));
    worst = std::max(worst, std::fabs(curve[k] - e));
  }
  return scale > 0 ? worst / scale : worst;
}

/// x' = A*x + b from x(0) = x0, by the eigenvalues of A, which must differ: Sylvester's formula (Horn &
/// Johnson, Topics in Matrix Analysis, ch. 6).
inline std::array<double, 2> Linear2(const std::array<double, 4>& a, std::array<double, 2> b,
                                     std::array<double, 2> x0, double t) {
  const double det = a[0] * a[3] - a[1] * a[2];
  const std::array<double, 2> rest{(a[1] * b[1] - a[3] * b[0]) / det, (a[2] * b[0] - a[0] * b[1]) / det};
  const std::array<double, 2> d{x0[0] - rest[0], x0[1] - rest[1]};
  const double half = (a[0] + a[3]) / 2;
  const std::complex<double> root = std::sqrt(std::complex<double>(half * half - det));
  const std::complex<double> p = std::exp((half + root) * t), q = std::exp((half - root) * t);
  const double even = ((p + q) / 2.0).real(), odd = ((p - q) / (2.0 * root)).real();  // exp(A*t)
  return {rest[0] + even * d[0] + odd * ((a[0] - half) * d[0] + a[1] * d[1]),
          rest[1] + even * d[1] + odd * (a[2] * d[0] + (a[3] - half) * d[1])};
}

/// Unit step response of w0^2/(s^2 + 2*D*w0*s + w0^2), D < 1: Franklin, Powell & Emami-Naeini, Feedback
/// Control of Dynamic Systems, 7th ed., ch. 3.
inline double StepOfSecondOrder(double w0, double damping, double t) {
  const double a = damping * w0, wd = w0 * std::sqrt(1 - damping * damping);
  return 1 - std::exp(-a * t) * (std::cos(wd * t) + a / wd * std::sin(wd * t));
}

/// Jacobi's amplitude am(u | m): Abramowitz & Stegun, Handbook of Mathematical Functions, 16.4.
inline double JacobiAmplitude(double u, double m) {
  double a = 1, b = std::sqrt(1 - m), c = 1, power = 1;
  std::vector<double> ratio;
  while (std::fabs(c) > 1e-16) {
    const double mean = (a + b) / 2;
    c = (a - b) / 2;
    b = std::sqrt(a * b);
    a = mean;
    power *= 2;
    ratio.push_back(c / a);
  }
  double phi = power * a * u;
  for (size_t k = ratio.size(); k > 0; --k) phi = (phi + std::asin(ratio[k - 1] * std::sin(phi))) / 2;
  return phi;
}

/// Pendulum phi'' = -w0^2*sin(phi), let go at `phi0`: Landau & Lifshitz, Mechanics, §11 problem 1 (the
/// period), Whittaker, Analytical Dynamics: sin(phi/2) = sin(phi0/2)*cd(w0*t).
inline double PendulumAngle(double w0, double phi0, double t) {
  const double k = std::sin(phi0 / 2), am = JacobiAmplitude(w0 * t, k * k);
  return 2 * std::asin(k * std::cos(am) / std::sqrt(1 - k * k * std::sin(am) * std::sin(am)));
}

/// Duffing's x'' = -a*x - b*x^3, let go at x0: x0*cn (Kovacic & Brennan, The Duffing Equation).
inline double DuffingStretch(double a, double b, double x0, double t) {
  const double w2 = a + b * x0 * x0;
  return x0 * std::cos(JacobiAmplitude(std::sqrt(w2) * t, b * x0 * x0 / (2 * w2)));
}

/// By hand: a mass between two elastic stops at -half and half, from the middle with v; in a stop it makes
/// half an oscillation of angular frequency w and leaves with the speed it came with.
inline double BetweenStops(double half, double v, double w, double t) {
  const double flight = half / v, contact = kPi / w, period = 4 * flight + 2 * contact;
  const double x = std::fmod(t + flight, period);
  const auto side = [&](double y) {  // from -half at y = 0, through the stop at half
    if (y < 2 * flight) return -half + v * y;
    return half + v / w * std::sin(w * (y - 2 * flight));
  };
  return x < period / 2 ? side(x) : -side(x - period / 2);
}

/// By hand: a mass hits a spring and damper side by side (a = d/(2*m), w0^2 = k/m, a < w0) with speed v at t
/// = 0; x is the depth, until the force k*x + d*x' would pull; then it leaves with the speed it has.
inline double HitAndLeave(double w0, double a, double v, double t) {
  const double wd = std::sqrt(w0 * w0 - a * a);
  const auto depth = [&](double s) { return v / wd * std::exp(-a * s) * std::sin(wd * s); };
  const auto speed = [&](double s) {
    return v * std::exp(-a * s) * (std::cos(wd * s) - a / wd * std::sin(wd * s));
  };
  // w0^2*x + 2*a*x' = 0: tan(wd*s) = -2*a*wd/(w0^2 - 2*a^2), the first positive one.
  const double leave = std::atan2(2 * a * wd, -(w0 * w0 - 2 * a * a)) / wd;
  return t < leave ? depth(t) : depth(leave) + speed(leave) * (t - leave);
}

}  // namespace cotree::test
