// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "program/run_program.h"

namespace cotree {

/** What may have no value though no derivative of a state shows it: looked at after each accepted step
(docs/theory/numerics.md, NU.12).

A slot is guarded where its code contains something that has no finite value everywhere (a quotient, a root, a
logarithm, ...) and where what it is used for may hide that: nothing uses it, or a condition, a minimum, a
denominator does. All others reach a derivative, which is looked at in each evaluation. */
struct FiniteGuard {
  std::vector<uint32_t> slots;
  std::vector<Program::Bound> comparisons;  // code with a comparison of something that may be no number
  std::vector<uint32_t> read;               // what both need, ascending
  bool empty() const { return read.empty(); }
};
FiniteGuard FindFiniteGuard(const Program& program);

/// The first slot of a variable, in the order of computation, whose value is not finite; UINT32_MAX: none.
uint32_t FirstNotFinite(const Program& program, std::span<const double> values);
/// "`a.y` is not finite: sqrt(-0.01), in `a.y = sqrt(4 - (time/a.T)^2)`".
std::string NotFiniteText(const Program& program, const ProgramRun& run, uint32_t slot, double time);
/// The first parameter that is not finite, in words; empty: all are.
std::string ParameterNotFinite(const Program& program);

/// By code: whether it compares something that may be no number.
std::vector<uint8_t> FindFragileComparisons(const Program& program);
/// Whether a comparison in the code has an operand that is not a number, and its results depend on the
/// outcome.
bool HasUndecidedComparison(const Program& program, const ProgramRun& run, const Program::Bound& bound,
                            double time);
/// "sqrt(-0.3)": what has no finite value in a piece of code at the present values; empty: all have one.
std::string ValueWithoutNumber(const Program& program, const ProgramRun& run, const Program::Bound& bound,
                               double time);

}  // namespace cotree
