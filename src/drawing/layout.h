// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "drawing/picture.h"

namespace cotree {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool Overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/** Where everything stands: pixels, y downwards. */
struct Layout {
  std::vector<Point> centres;             // by node
  std::vector<std::vector<Point>> lines;  // by link, from its tail: 3n + 1 points of n cubic Bezier curves
  std::vector<Box> frames;                // by domain
};

/// Reads what `dot -Tjson0` answers to WriteDotOfPlaces(picture, ...). None if something is missing.
std::optional<Layout> ReadLayout(const Picture& picture, std::string_view json);

}  // namespace cotree
