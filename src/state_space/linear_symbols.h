// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "state_space/state_space.h"

namespace cotree {

/** x' = A x + B u, y = C x + D u in symbols, in the short names of a StateSpace (docs/theory/closed_forms.md,
CF.10). */
struct LinearSymbols {
  std::vector<const ReadableSymbol*> states, inputs;
  std::vector<const ReadableEquation*> outputs;
  std::vector<std::vector<ExprId>> A, C;
  /// By order of the inputs' derivative: x' = A x + B_0 u + B_1 u' + ...
  std::vector<std::vector<std::vector<ExprId>>> B, D;
  bool at_a_point = false;                    // derivatives of a nonlinear system: x and u are deviations
  ExprId s;                                   // the letter of the transfer functions
  ExprId characteristic;                      // det(s I - A) as a polynomial in s; none: too large
  uint32_t poles_at_zero = 0;                 // as many as its lowest power of s
  ExprId factored;                            // its factors with s, up to one without; none: it is no product
  std::vector<std::vector<ExprId>> transfer;  // by output and input; empty: too large
};

/** Of a state space without groups (StateSpaceOptions::solve_motion and inline_all make them go). Where it is
not linear its derivatives are taken around `point`, values by state: those that are 0 are put in, others stay
letters, and conditions are decided there. Empty matrices where something cannot be differentiated or a group
is left. */
LinearSymbols FindLinearSymbols(ExprPool& pool, const StateSpace& space, const std::vector<double>& point,
                                bool transfer_functions);

/// The number of an expression in short names, at the parameters' values; `states`: by state, for what is not
/// linear.
double ValueOf(ExprPool& pool, const StateSpace& space, ExprId expr, const std::vector<double>& states);

}  // namespace cotree
