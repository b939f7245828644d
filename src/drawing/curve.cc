// SPDX-License-Identifier: Apache-2.0
#include "drawing/curve.h"

#include <algorithm>
#include <cmath>

namespace cotree {
namespace {

constexpr int kPieces = 24;  // straight pieces a cubic

Point Cubic(const Point* p, double t) {
  const double u = 1 - t;
  const double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
          a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

double Distance(Point a, Point b) {
  return std::hypot(b.x - a.x, b.y - a.y);
}

}  // namespace

std::vector<PointOnCurve> SampleCurve(const std::vector<Point>& curve) {
  std::vector<PointOnCurve> out;
  if (curve.empty()) return out;
  out.push_back({curve[0], {0, 1}});
  for (size_t i = 0; i + 3 < curve.size(); i += 3) {
    for (int k = 1; k <= kPieces; ++k) {
      const Point p = Cubic(&curve[i], static_cast<double>(k) / kPieces);
      const double length = Distance(out.back().at, p);
      if (length < 1e-6) continue;
      const Point direction{(p.x - out.back().at.x) / length, (p.y - out.back().at.y) / length};
      if (out.size() == 1) out[0].direction = direction;
      out.push_back({p, direction});
    }
  }
  return out;
}

double LengthOf(const std::vector<PointOnCurve>& samples) {
  double length = 0;
  for (size_t i = 1; i < samples.size(); ++i) length += Distance(samples[i - 1].at, samples[i].at);
  return length;
}

PointOnCurve PlaceAlong(const std::vector<PointOnCurve>& samples, double distance) {
  for (size_t i = 1; i < samples.size(); ++i) {
    const double length = Distance(samples[i - 1].at, samples[i].at);
    if (distance <= length) {
      const Point d = samples[i].direction;
      return {{samples[i - 1].at.x + d.x * distance, samples[i - 1].at.y + d.y * distance}, d};
    }
    distance -= length;
  }
  return samples.back();
}

void ExtendCurve(std::vector<Point>* curve, Point target, double radius, bool at_front) {
  if (at_front) std::reverse(curve->begin(), curve->end());
  const Point from = curve->back();
  const double length = Distance(from, target);
  if (length > radius) {
    const double part = (length - radius) / length;
    const Point step{(target.x - from.x) * part, (target.y - from.y) * part};
    for (const double t : {1.0 / 3, 2.0 / 3, 1.0})
      curve->push_back({from.x + t * step.x, from.y + t * step.y});
  }
  if (at_front) std::reverse(curve->begin(), curve->end());
}

}  // namespace cotree
