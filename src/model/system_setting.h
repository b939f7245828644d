// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace cotree {

/** Elements along one dimension of an array, counted from 0: from, from + step, ..., `count` of them. */
struct ElementRange {
  uint32_t from = 0, step = 1, count = UINT32_MAX;

  bool Has(uint32_t index) const {
    return index >= from && (index - from) % step == 0 && (index - from) / step < count;
  }
};

/** Which elements of an array are meant, by dimension; empty: all. */
struct ElementRanges : std::vector<ElementRange> {
  using std::vector<ElementRange>::vector;
  /// Whether the element with this number, row by row, is among them.
  template <class Sizes>
  bool Has(uint32_t element, const Sizes& sizes) const {
    for (size_t k = sizes.size(); k-- > 0;) {
      const auto size = static_cast<uint32_t>(sizes[k]);
      if (k < this->size() && !(*this)[k].Has(element % size)) return false;
      element /= size;
    }
    return true;
  }
};

/** A number for a parameter from outside the text (`--set motor.R=...`): instances on the way from the
system, then the parameter, each with the elements that are meant. */
struct SystemSetting {
  struct Step {
    uint32_t instance = 0;
    ElementRanges elements{};
  };
  std::vector<Step> path;
  uint32_t parameter = 0;
  ElementRanges elements;
  double value = 0;
};

}  // namespace cotree
