// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cotree {

/// "N*m" -> "N·m", "m/s^2" -> "m/s²", "ohm" -> "Ω", "degC" -> "°C".
std::string PrettyUnit(std::string_view unit);

/// "10⁻³".
std::string PowerOfTen(int exponent);

/** How the numbers of an axis are shown: divided by `factor`, in `unit`. */
struct ShownUnit {
  double factor = 1;
  std::string unit;
};

/** Which multiple of a unit makes numbers up to `largest` short: mA for 0.02 A, kV for 3e3 V, bar from 1e4 Pa
on, and 10⁻⁶ m³/s where a prefix would not mean what it seems to (powers, kg) or nobody says it (krad). 0.1 to
1000 stay as they are. */
ShownUnit ChooseUnit(std::string_view unit, double largest);

}  // namespace cotree
