// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "linear_algebra/eigenvalues.h"
#include "simulation/linearize.h"

namespace cotree {

/** One input and one output of a LinearModel: x' = A x + b u, y = c x + sum d_k u^(k). Only states that the
input reaches and that reach the output are kept, and of these no motion that the input does not drive or the
output does not see (a shaft that turns freely, where its speed is controlled): it has no part in y/u, and
says nothing of the stability of a loop. Derivatives of the input in x' are moved into d by other states (x -
B_1 u - ...). With a period it is x[k+1] = A x[k] + b u[k], and z stands for s. */
struct Channel {
  std::string input, output;
  std::vector<double> A, b, c;  // n*n, n, n
  std::vector<double> d;  // by order of the input's derivative; the last one is not 0, or there is one only
  double period = 0;      // s; 0: continuous
  std::vector<std::complex<double>> hidden;  // poles of the motions that were taken out

  size_t n() const { return b.size(); }
  bool proper() const { return d.size() == 1; }

  /// y/u at a complex s (or z); not finite at a pole.
  std::complex<double> At(std::complex<double> s) const;
  /// The point of the plane for a frequency in rad/s, jw or e^(jw period), and the response there.
  std::complex<double> PointOf(double frequency) const;
  std::complex<double> AtFrequency(double frequency) const { return At(PointOf(frequency)); }
  std::vector<std::complex<double>> Poles() const { return Eigenvalues(A, n(), still()); }
  /// Where a pole of something that stays as it is lies.
  double still() const { return period > 0 ? 1 : 0; }
  /// The finite zeros.
  std::vector<std::complex<double>> Zeros() const;
  /// y/u multiplied by a factor.
  Channel Times(double factor) const;
};

Channel FindChannel(const LinearModel& model, size_t output, size_t input);

/// The s of a z = e^(s period) next to 0; s itself without a period. z = 0 gives -infinity.
std::complex<double> ToContinuous(std::complex<double> z, double period);

/// The solutions of 1 + gain * L(s) = 0. Empty where 1 + gain * L is 0 at infinity (an algebraic loop).
std::vector<std::complex<double>> ClosedPoles(const Channel& loop, double gain);

/// L/(1 + L). L must be proper; false where 1 + L is 0 at infinity.
bool CloseLoop(const Channel& loop, Channel* closed);

}  // namespace cotree
