// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "program/program.h"

namespace cotree {

/** What computes the groups of continuous foreign code for a ProgramRun (docs/theory/software_components.md,
SC.5). Who runs the components implements it; a program without such code needs none.

Both functions are pure in the time, the discrete state of the component and the slots of `group` in `values`
(by slot); results are in the order of `group.results`. */
class ForeignCode {
 public:
  virtual ~ForeignCode() = default;

  /// False: there is no value at this point (`problem`).
  virtual bool Compute(const Program::ForeignGroup& group, double time, std::span<const double> values,
                       std::span<double> results) = 0;
  /// Partial derivatives, a row of group.arguments() for each result. False: there are none here.
  virtual bool Partials(const Program::ForeignGroup& group, double time, std::span<const double> values,
                        std::span<double> matrix) = 0;
  /// Why the last call failed, in words.
  virtual const std::string& problem() const = 0;
  /// Whether another point, a shorter step, may have a value.
  virtual bool may_go_on() const = 0;
};

}  // namespace cotree
