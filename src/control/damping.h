// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <vector>

namespace cotree {

/** What a pole means. */
struct Damping {
  std::complex<double> pole;
  double natural_frequency;  // rad/s: its distance from 0
  double damping;            // ratio: 1 and more does not swing, below 0 grows; NAN at 0
  double time_constant;      // s: of the decay, negative where it grows; infinite on the imaginary axis
};

/// Of a pole s, or with a period of a pole z: then all but `pole` is that of s = ln(z)/period.
Damping DampingOf(std::complex<double> pole, double period = 0);
/// One line a real pole or a pair (its upper half), in the order of the poles.
std::vector<Damping> DampingTable(const std::vector<std::complex<double>>& poles, double period = 0);

}  // namespace cotree
