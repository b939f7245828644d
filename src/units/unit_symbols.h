// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "units/dimension.h"

namespace cotree {

/** A unit with a symbol of its own: factor = numerator / denominator * 10^power_of_ten, kept apart because
 * each part is exact. */
struct UnitSymbol {
  /// Which SI prefixes go with it; those that nobody writes are left out, since they would make other words
  /// look like units.
  enum class Prefixes : uint8_t { kNone, kAll, kLarge, kSmall, kMilli, kCenti };

  const char* symbol = "";
  Dimension dimension;
  double numerator = 1;
  double denominator = 1;
  int power_of_ten = 0;
  Prefixes prefixes = Prefixes::kNone;
  int angle = 0;  // how many angles it counts: rad, deg, rev: 1; rpm: 1
  double offset = 0;

  double Factor() const;
};

/// numerator / denominator * 10^power_of_ten with one rounding wherever the parts allow it.
double CalcFactor(double numerator, double denominator, int power_of_ten);

/// The built-in units without prefixes, in the order of their symbols' bytes.
std::span<const UnitSymbol> UnitSymbols();

/// The unit of a symbol, prefixed or not. `symbol` of the answer is the bare unit's.
std::optional<UnitSymbol> FindUnitSymbol(std::string_view symbol);

/// What was probably meant by an unknown symbol (`Nm` -> `N*m`, `m2` -> `m^2`, `KHz` -> `kHz`, `mete` ->
/// `m`), or empty.
std::string SuggestUnit(std::string_view symbol);

}  // namespace cotree
