// SPDX-License-Identifier: Apache-2.0
#include "expr/op.h"

#include <array>
#include <cstddef>

namespace cotree {

std::string_view OpName(Op op) {
  static constexpr std::array<std::string_view, kOpCount> kNames = {
      "number", "boolean", "symbol", "time",  "+",    "*",    "/",   "^",   "sin",   "cos",  "tan",
      "asin",   "acos",    "atan",   "sinh",  "cosh", "tanh", "exp", "log", "log10", "sqrt", "abs",
      "sign",   "floor",   "ceil",   "atan2", "min",  "max",  "mod", "<",   "<=",    "==",   "!=",
      "and",    "or",      "not",    "if",    "[]",   "sum",  "{}",  "call"};
  return kNames[static_cast<size_t>(op)];
}

}  // namespace cotree
