// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/names.h"

namespace cotree {

using SymbolId = Id<struct SymbolTag>;
using FunctionId = Id<struct FunctionTag>;

/** How a symbol behaves in time. It decides what its total time derivative is and whether FindDependence
 * lists it. */
enum class SymbolKind : uint8_t {
  kVariable,   // der(x) is the symbol of the next order
  kParameter,  // constant in time: der = 0
  kInput,      // a signal from outside: der(u) is the symbol of the next order
  kIndex,      // a loop variable: der = 0, never an unknown
  kDiscrete,   // changes at events only: der = 0 between them
};

/** A variable with a derivative order: `phi`, `der(phi)`, `der(der(phi))` are three symbols with one name.

Always true: `base` has the same name and order 0, and `base` of a symbol of order 0 is the symbol itself;
(name, kind, order) is unique in its pool: a parameter R of one class and an input R of another are two
symbols; all orders of a variable have one kind. */
struct SymbolInfo {
  NameId name;         // the path of the variable, such as motor.armature.i
  uint32_t order = 0;  // number of time derivatives
  SymbolKind kind = SymbolKind::kVariable;
  SymbolId base;      // order 0 of the same name
  SymbolId next;      // order + 1, or none as long as nobody asked for it
  SymbolId namesake;  // of a base: another base of the same name and another kind, or none
};

/** What a Call node calls: a table, a function kept closed, or a built-in such as pre; `orders[k]` is the
number of partial derivatives with respect to argument k (empty = none at all). */
struct FunctionInfo {
  NameId name;
  std::vector<uint32_t> orders;
};

}  // namespace cotree
