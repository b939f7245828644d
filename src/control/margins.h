// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "control/channel.h"

namespace cotree {

/** How far a loop L with negative feedback is from the boundary of stability, 1 + L(jw) = 0; of a sampled
one, 1 + L(e^(jw period)) = 0 up to the Nyquist frequency pi/period. */
struct Margins {
  /** L is real and negative: a gain `factor` times as large would put a pole there. */
  struct Gain {
    double frequency;  // rad/s; 0 and infinity (sampled: Nyquist's) count
    double factor;
  };
  /** |L| is 1: the phase may fall by `margin` (rad, in (-pi, pi]), which a delay does. */
  struct Phase {
    double frequency;
    double margin;
    double delay;  // s: the shortest that puts a pole there
  };
  std::vector<Gain> gains;    // all, by frequency
  std::vector<Phase> phases;  // all, by frequency

  std::vector<std::complex<double>> closed_poles;
  bool stable = false;  // all of them left of the axis, or in the unit circle
  bool bears_no_delay =
      false;  // |L| is 1 or more at infinity: 1 + L e^(-s T) has poles to the right for each T
  bool algebraic_loop = false;  // 1 + L is 0 at infinity: no poles can be said
  /// Poles of motions that the loop does not drive or does not see, and that grow: no gain changes them.
  std::vector<std::complex<double>> hidden_growth;

  /// The nearest above 1 and the nearest below 1; none: the gain may grow, fall as it likes.
  std::optional<Gain> UpperGain() const;
  std::optional<Gain> LowerGain() const;
  /// The smallest in size; none: |L| is never 1.
  std::optional<Phase> SmallestPhase() const;
  std::optional<Phase> SmallestDelay() const;
};

Margins FindMargins(const Channel& loop);

/// Frequencies in rad/s from three decades below the slowest to three above the fastest pole or zero, close
/// to each other where something resonates; 200 a decade. Sampled: none above the Nyquist frequency.
std::vector<double> DenseGrid(const Channel& channel, double decades = 3, double points = 200);

}  // namespace cotree
