// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "model/check_sizes.h"

namespace cotree {

/** Bounds as numbers: what min, max, above, below and nonzero of a declaration and of its quantity leave. */
struct NumberBounds {
  static constexpr double kFar = std::numeric_limits<double>::infinity();
  double min = -kFar, max = kFar;
  double above = -kFar, below = kFar;
  bool nonzero = false;

  bool Any() const { return min > -kFar || max < kFar || above > -kFar || below < kFar || nonzero; }
};

/** A bound that a value does not keep: "at least" 0. */
struct BrokenBound {
  std::string_view relation;
  double bound = 0;
};

/// Whether a parameter or variable of this type and these bounds has any.
bool HasBounds(const Model& model, const Type& type, const Bounds& bounds);

/// The bounds with the numbers of a component put in; a bound that has no value yet is none. `values` and
/// `arrays` hold the parameters of its class.
NumberBounds FindBounds(const Model& model, const Type& type, const Bounds& bounds,
                        const ParameterValues& values, std::span<const ArrayValue<double>> arrays = {});

/// The first bound that `value` breaks. What is not a number breaks none.
std::optional<BrokenBound> FindBroken(const NumberBounds& bounds, double value);
std::optional<BrokenBound> FindBrokenBound(const Model& model, const Type& type, const Bounds& bounds,
                                           double value, const ParameterValues& values);

/// COT2120 at `where`: "`name` is value, but must be at least ...". `declared`: where the bounds stand, if
/// elsewhere.
Diagnostic& ReportBroken(const Model& model, const Type& type, std::string_view name, double value,
                         const BrokenBound& broken, Span where, const Origin* declared,
                         Diagnostics& diagnostics);

/// Defaults of the user's own classes, and numbers that stand as arguments anywhere. What is computed or set
/// from outside is known with the numbers of a system (ParameterTable::broken).
void CheckBounds(const Model& model, Diagnostics& diagnostics);

}  // namespace cotree
