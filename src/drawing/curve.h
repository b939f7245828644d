// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "drawing/layout.h"

namespace cotree {

/** A place on a curve, and where the curve goes from there (of length 1). */
struct PointOnCurve {
  Point at;
  Point direction;
};

/// Points along a chain of cubic Bezier curves, close enough to measure by; directions are never zero.
std::vector<PointOnCurve> SampleCurve(const std::vector<Point>& curve);
double LengthOf(const std::vector<PointOnCurve>& samples);
/// The place at this distance along the samples from their beginning.
PointOnCurve PlaceAlong(const std::vector<PointOnCurve>& samples, double distance);
/// Adds a straight piece from the curve's end (or, `at_front`, its beginning) to `target`, stopping `radius`
/// before it.
void ExtendCurve(std::vector<Point>* curve, Point target, double radius, bool at_front);

}  // namespace cotree
