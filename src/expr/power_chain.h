// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cotree {

/** x^n for a literal integer n as a chain of multiplications (design §6): squares of x from the lowest bit of
|n| up, multiplied in that order; 1/(x^|n|) for negative n. Every tier computes integer powers so and thus
gets the same bits. `one` is the value for n = 0. */
template <class Value>
Value PowerChain(Value x, int64_t n, Value one) {
  uint64_t rest = n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  if (rest == 0) return one;
  while ((rest & 1) == 0) {
    x = x * x;
    rest >>= 1;
  }
  Value result = x;
  for (rest >>= 1; rest != 0; rest >>= 1) {
    x = x * x;
    if ((rest & 1) != 0) result = result * x;
  }
  return n < 0 ? one / result : result;
}

}  // namespace cotree
