// SPDX-License-Identifier: Apache-2.0
#include "control/damping.h"

#include <cmath>

#include "control/channel.h"

namespace cotree {

Damping DampingOf(std::complex<double> pole, double period) {
  const std::complex<double> s = ToContinuous(pole, period);
  const double size = std::abs(s);
  if (std::isinf(size)) return {pole, size, 1, 0};
  return {pole, size, size == 0 ? NAN : -s.real() / size, s.real() == 0 ? INFINITY : -1 / s.real()};
}

std::vector<Damping> DampingTable(const std::vector<std::complex<double>>& poles, double period) {
  std::vector<Damping> out;
  for (const std::complex<double>& pole : poles) {
    if (!(pole.imag() < 0)) out.push_back(DampingOf(pole, period));
  }
  return out;
}

}  // namespace cotree
