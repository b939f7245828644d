// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plot/figure.h"

namespace cotree {

/// The figure as SVG, texts as texts: the same bytes for the same figure.
std::string DrawSvg(const Figure& figure);

/// The figure as PNG, `scale` pixels for each pixel of the figure; false, and the reason in `problem` if that
/// is given.
bool WritePng(const Figure& figure, const std::string& path, double scale = 2,
              std::string* problem = nullptr);

}  // namespace cotree
