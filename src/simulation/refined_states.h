// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "program/run_program.h"
#include "simulation/simulate.h"

namespace cotree {

/** States within a step for conditions that amplify them.

The current of a diode is the difference of two voltages over its Ron: where each voltage is known to the
tolerance, the current may not be known at all. What a method and its interpolation leave open in fast modes
is not on the slow motion that these modes follow. With p(t) the polynomial through a step, h its length,

    x - h f(t, x) = p(t) - h p'(t)

takes each mode of rate r back to the motion by the factor 1/(1 + h r): slow modes keep what p says to the
order of the method, fast ones follow from their equation, as they do at the end of a step of an implicit
method. Newton's method goes on until rounding ends it.

Theory: docs/theory/events.md, EV.13 (EV.13a). */
class RefinedStates {
 public:
  RefinedStates(ProgramRun& run, const Program& program);
  /// The next step: `states` puts those at a time within it into the values of the run; false: it cannot. No
  /// state moves by more than `most` of its size: what would move further bends within the step.
  bool BeginStep(double from, double to, double most, const std::function<bool(double)>& states);
  /// Computes everything at the refined states of a time in the step; false: there are none, and the values
  /// are anything.
  bool Move(double time);
  /// What follows depends on the steps to come alone.
  void Forget() { factored_ = false; }

 private:
  static constexpr int kNodes = 6;  // the methods have polynomials of order 5 at most
  bool Factor(double time);
  bool KeepEqual(double time);

  ProgramRun& run_;
  const Program& program_;
  size_t n_;
  std::optional<JacobianPattern> pattern_;
  std::optional<LinearSolver> solver_;
  double from_ = 0, length_ = 0, most_ = 0;
  bool known_ = false, factored_ = false;
  std::vector<double> at_nodes_[kNodes];
  std::vector<double> wanted_, plain_, change_;
  std::function<bool(double)> states_;
};

}  // namespace cotree
