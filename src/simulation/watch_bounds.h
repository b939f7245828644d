// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/check_bounds.h"
#include "program/program.h"

namespace cotree {

/** Variables that leave their bounds during a run: a pressure below the vacuum, a temperature below 0 K. The
run goes on; what it says there is not to be believed. */
class BoundsWatch {
 public:
  /// `slots`: those of the rows that will be looked at.
  BoundsWatch(const Program& program, const std::vector<uint32_t>& slots);

  void Look(double time, std::span<const double> row);
  std::vector<std::string> Notes() const;

 private:
  struct Watched {
    size_t column;
    VariableRef variable;
    NumberBounds bounds;
    double worst, time;  // the value furthest outside, and when
    BrokenBound broken;
    bool left = false;
  };
  const Program& program_;
  std::vector<Watched> watched_;
};

}  // namespace cotree
