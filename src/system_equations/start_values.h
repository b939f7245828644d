// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "system_equations/equation_system.h"

namespace cotree {

/** A start value of the system: a proposal, or (fixed) a demand.
Theory: docs/theory/system_equations.md, SE.5. */
struct StartEntry {
  VariableRef variable;
  double value = 0;
  bool fixed = false;
  StateWish wish = StateWish::kNone;  // declared `prefer` or `avoid`
  bool given = true;                  // false: only a wish was said, no value
};

/// All start values: those of classes first, then those of the composites around (which count more), then
/// those of `experiment` (which count most; none: null). One entry a variable and order. A list or an index
/// that does not fit the array as it is now is reported.
std::vector<StartEntry> FindStarts(const EquationSystem& system, const std::vector<StartValue>* experiment,
                                   Diagnostics& diagnostics);

/** Where the search for an unknown begins that has no start value. */
struct Guess {
  VariableRef variable;
  double value = 0;
};

/// Of the variables whose quantity declares a guess: those of classes, and the across variables of edges to
/// the reference vertex (what is across another edge is a difference, for which 0 is as good).
std::vector<Guess> FindGuesses(const EquationSystem& system);

/// A `when` whose condition holds at the start and so does not become true there.
struct HeldWhen {
  ComponentId component;
  Origin origin;
};

/// Those that parameters, the time and fixed starts decide; none of a component that asks for initial().
std::vector<HeldWhen> FindHeldWhens(const EquationSystem& system, const std::vector<StartEntry>& starts,
                                    double time);

}  // namespace cotree
