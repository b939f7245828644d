// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace cotree {

/** Which results of arithmetic on two literal numbers may take their place (EX.3): finite ones that keep full
 * precision. */
inline bool FoldableSum(double sum) {
  return sum == 0 || (std::isfinite(sum) && std::fabs(sum) >= DBL_MIN);
}
/// Of numbers that are not 0.
inline bool FoldableProduct(double product) {
  return std::isfinite(product) && std::fabs(product) >= DBL_MIN;
}

/** Folds a list of numbers with a commutative operation, in an order that depends on their values only; what
 * must not be folded stays. */
template <class Numbers, class Combine, class Foldable>
void FoldNumbers(Numbers& numbers, Combine combine, Foldable foldable) {
  if (numbers.size() < 2) return;
  std::sort(numbers.begin(), numbers.end(), [](double a, double b) {
    const double x = std::fabs(a), y = std::fabs(b);
    return x != y ? x < y : a < b;
  });
  size_t last = 0;
  for (size_t k = 1; k < numbers.size(); ++k) {
    const double folded = combine(numbers[last], numbers[k]);
    if (foldable(folded)) {
      numbers[last] = folded;
    } else {
      numbers[++last] = numbers[k];
    }
  }
  numbers.resize_down(last + 1);
}

}  // namespace cotree
