// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "system_equations/variable_unit.h"

namespace cotree {

/** "load.w = 955 rpm", taken apart. */
struct NamedValue {
  std::string name, unit;
  double number = 0;
};
std::optional<NamedValue> ParseNamedValue(const std::string& text);
/// The number in SI units. What is wrong with its unit otherwise, in words.
std::string ConvertToSi(const EquationSystem& system, VariableRef ref, NamedValue* value);

/// Why a time is none that a run can reach: numbers near it are too far apart. Empty: nothing is wrong.
std::string TimeProblem(double time);

/// "2.5 s", "40 ms", "3 min", "2.5": seconds.
std::optional<double> ParseTime(const std::string& text);

}  // namespace cotree
