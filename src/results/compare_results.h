// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/result.h"

namespace cotree {

struct CompareOptions {
  double rtol = 1e-4;  // of the largest magnitude of the variable in either result
  double atol = 1e-9;
};

/** Where a variable differs most. */
struct Deviation {
  std::string name, unit;
  double worst = 0;    // |a - b|; infinite where only one of them is a number
  double allowed = 0;  // atol + rtol * largest magnitude
  double time = 0, a = 0, b = 0;

  bool beyond() const { return !(worst <= allowed); }
};

struct Comparison {
  std::vector<Deviation> deviations;  // worst / allowed falling, then by name
  std::vector<std::string> only_a, only_b;
  double begin = 0, end = 0;  // of the time that both cover; begin > end if there is none
  size_t times = 0;           // compared, different ones
  bool same_range = true;     // begin and end agree, within 1e-9 of the length

  size_t Beyond() const;
};

/** Compares what two results have in common, at every time of either. Between rows a variable runs straight,
or holds its value if either result says that it goes by steps. At a time with two rows what is before is
compared with what is before, and what is after with what is after: a jump at the same time is no deviation,
one at another time is. */
Comparison CompareResults(const Result& a, const Result& b, const CompareOptions& options);

}  // namespace cotree
