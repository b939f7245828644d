// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "program/program.h"

namespace cotree {

/** Notices what grows without bound in a run that nevertheless ends: an unstable loop, too long a fixed step.

Something does where it becomes 1e100, or 1e30 times as large as it was at the start (and as 1 in SI units),
most of it in the second half of the run: what settles at a large value, as the numbers of physics may be,
does not. */
class Growth {
 public:
  void Begin(size_t columns, double half) {
    first_.assign(columns, 0);
    before_.assign(columns, 0);
    largest_.assign(columns, 0);
    half_ = half;
  }
  void Add(double time, std::span<const double> values);
  /// Empty: nothing did.
  std::string Note(const Program& program, std::span<const uint32_t> slots) const;

 private:
  std::vector<double> first_, before_, largest_;  // sizes: at the start, in the first half, at most
  double half_ = 0, time_ = 0;
  bool begun_ = false;
};

}  // namespace cotree
