// SPDX-License-Identifier: Apache-2.0
#include "control/damping.h"

#include <cmath>

namespace cotree {

Damping DampingOf(std::complex<double> pole) {
  const double size = std::abs(pole);
  return {pole, size, size == 0 ? NAN : -pole.real() / size, pole.real() == 0 ? INFINITY : -1 / pole.real()};
}

std::vector<Damping> DampingTable(const std::vector<std::complex<double>>& poles) {
  std::vector<Damping> out;
  for (const std::complex<double>& pole : poles) {
    if (!(pole.imag() < 0)) out.push_back(DampingOf(pole));
  }
  return out;
}

}  // namespace cotree
