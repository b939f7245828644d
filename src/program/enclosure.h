// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "program/code.h"

namespace cotree {

/** All numbers from `low` to `high`. */
struct Interval {
  double low = 0, high = 0;
  static Interval Point(double x) { return {x, x}; }
  static Interval All() { return {-INFINITY, INFINITY}; }
  bool Contains(double x) const { return low <= x && x <= high; }
  bool IsPoint() const { return low == high; }
  double Largest() const { return std::fmax(std::fabs(low), std::fabs(high)); }
  double Least() const { return Contains(0) ? 0 : std::fmin(std::fabs(low), std::fabs(high)); }
};

/** What is known of a function of time over a stretch of it: where its values and its slopes lie, and how
much it can turn there.

`phase` is the largest change, over the stretch, of the argument of a function that bends on the way to it:
radians of a sine, powers of e of an exponential, parts of its own size of a root or a divisor, knots of a
table; those of factors add up. Where it is small the function is as smooth as what it is made of, and three
points tell its course; where it is not, nothing is known between them. */
struct Enclosure {
  Interval value, slope;
  double phase = 0;
};

/** What code is enclosed over. */
struct EnclosureContext {
  const Enclosure* values = nullptr;   // of loads, by the numbers in `locals`
  const uint32_t* locals = nullptr;    // of the instance
  const double* parameters = nullptr;  // likewise
  Interval time;                       // the stretch
  double switch_time = 0;
  const std::vector<TableFunction>* tables = nullptr;
};

/// Encloses the results of code; `registers` grows to the number of instructions. Values are enclosed for
/// every argument within the enclosures of what is loaded (up to rounding), slopes where the function has
/// them. Theory: docs/theory/events.md, EV.11a.
void EncloseCode(const Code& code, const EnclosureContext& context, std::vector<Enclosure>& registers);

Interval operator+(Interval a, Interval b);
Interval operator-(Interval a, Interval b);
Interval operator*(Interval a, Interval b);
/// Everything, where the divisor may be zero.
Interval operator/(Interval a, Interval b);
Interval Hull(Interval a, Interval b);

}  // namespace cotree
