// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cotree {

/** numerator/denominator * pi^pi_power. */
struct ExactNumber {
  int64_t numerator = 0, denominator = 1;
  int pi_power = 0;
};

/** What a number of many digits is, for people: 0.08333333333333333 is 1/12, 0.39269908169872414 is pi/8. A
number that a short decimal says exactly (0.125) stays that decimal: none; so does what is no such number to
its last bit. Fractions have up to 100 above and below, multiples of pi, pi², pi³, 1/pi and 1/pi² up to 1000
above and 1024 below: a number of 16 digits is within rounding of one of these by chance once in 10^9. */
std::optional<ExactNumber> FindExact(double value);

/** It as text, without its sign: what stands above and below the line; `times` between factors. "π" and "8";
"" above for 1, "" below for 1. */
struct ExactText {
  std::string above, below;
};
ExactText TextOfExact(const ExactNumber& number, std::string_view times, std::string_view pi,
                      std::string_view squared, std::string_view cubed);

}  // namespace cotree
