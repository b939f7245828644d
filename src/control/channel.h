// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "simulation/linearize.h"

namespace cotree {

/** One input and one output of a LinearModel: x' = A x + b u, y = c x + sum d_k u^(k). Only states that the
input reaches and that reach the output are kept; derivatives of the input in x' are moved into d by other
states (x - B_1 u - ...). */
struct Channel {
  std::string input, output;
  std::vector<double> A, b, c;  // n*n, n, n
  std::vector<double> d;        // by order of the input's derivative; the last one is not 0, or there is one only

  size_t n() const { return b.size(); }
  bool proper() const { return d.size() == 1; }

  /// y/u at a complex s; not finite at a pole.
  std::complex<double> At(std::complex<double> s) const;
  std::vector<std::complex<double>> Poles() const { return Eigenvalues(A, n()); }
  /// The finite zeros.
  std::vector<std::complex<double>> Zeros() const;
  /// y/u multiplied by a factor.
  Channel Times(double factor) const;
};

Channel FindChannel(const LinearModel& model, size_t output, size_t input);

/// The solutions of 1 + gain * L(s) = 0. Empty where 1 + gain * L is 0 at infinity (an algebraic loop).
std::vector<std::complex<double>> ClosedPoles(const Channel& loop, double gain);

/// L/(1 + L). L must be proper; false where 1 + L is 0 at infinity.
bool CloseLoop(const Channel& loop, Channel* closed);

}  // namespace cotree
