// SPDX-License-Identifier: Apache-2.0
// What the dynamic tests of circuits, fluids and heat share: a few parts run as a system, and the responses
// of a first-order lag, of which many closed forms are made.
#pragma once

#include <cmath>

#include "library/dynamic_curves.h"

namespace cotree::test {

/// The bound of every comparison, of the curve's full scale.
constexpr double kFine = 1e-6;

/// tau*y' + y = 1, y(0) = 0 (Nilsson & Riedel, Electric Circuits, §7.3).
inline double Rise(double t, double tau) {
  return -std::expm1(-t / tau);
}

/// tau*y' + y = t, y(0) = 0; by hand: the integral of Rise.
inline double LaggedRamp(double t, double tau) {
  return t - tau * Rise(t, tau);
}

/// tau*y' + y = sin(w*t + phase), y(0) = 0 (Nilsson & Riedel, §9.2, eq. 9.9 with sine for cosine).
inline double LaggedSine(double t, double tau, double w, double phase = 0) {
  const double lag = std::atan(w * tau);
  return (std::sin(w * t + phase - lag) - std::sin(phase - lag) * std::exp(-t / tau)) /
         std::hypot(1, w * tau);
}

}  // namespace cotree::test
