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

Damping DampingOf(std::complex<double> pole);
/// One line a real pole or a pair (its upper half), in the order of the poles.
std::vector<Damping> DampingTable(const std::vector<std::complex<double>>& poles);

}  // namespace cotree
