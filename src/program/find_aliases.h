// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "program/program.h"

namespace cotree {

/** A slot that always has the value of another one, or its opposite. */
struct SlotAlias {
  uint32_t slot = UINT32_MAX;  // what it equals; itself: it is no alias
  double sign = 1;             // 1 or -1
};

/// By slot: what connections (sums of one term) and equations as y = u or y = -u make equal, looked through
/// to the one that is computed otherwise.
std::vector<SlotAlias> FindAliases(const Program& program);

}  // namespace cotree
