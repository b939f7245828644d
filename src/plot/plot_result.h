// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plot/figure.h"
#include "results/result.h"

namespace cotree {

/** A run in a figure. */
struct PlottedRun {
  const Result* result = nullptr;
  std::string label;  // behind the names of its curves where there are two runs
};

/** Variables of a run, or of two, over time. Variables with one unit share a pane, in the order of `names`;
those without a unit share one if their largest values differ by less than a factor of ten, for they may be
anything. The curves of the second run are dashed, on wide and pale ones of the first in the same colour.
Events of the first run are marked. A name that a run does not have is left out. */
Figure FigureOfResult(const std::vector<PlottedRun>& runs, const std::vector<std::string>& names,
                      std::string title);

}  // namespace cotree
