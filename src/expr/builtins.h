// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace cotree {

/** Names of Call nodes that mean something to the passes; every other name is a table or a function kept
closed.

 | call | value | total time derivative |
 |---|---|---|
 | pre(x) | x before the event | 0 |
 | sample(start, period), edge(c), change(x), initial(), terminal() | true or false | 0 |
 | delay(x, T) | x the time T > 0 ago; T is constant; before the start its value there | delay(der x, T, 0) |
 | delay(x, T, a) | the same, but the number a before the start | delay(der x, T, 0) |
 | noevent(x) | x, its relations make no events | noevent(der x) |
 | smooth(p, x) | x, which is p times continuously differentiable | smooth(max(p-1, 0), der x) |

The partial derivatives are of the same shape, but those of delay are 0: it does not depend on the present x.
*/
enum class Builtin : uint8_t {
  kNone,
  kPre,
  kSample,
  kEdge,
  kChange,
  kInitial,
  kTerminal,
  kDelay,
  kNoEvent,
  kSmooth
};

Builtin FindBuiltin(std::string_view name);

/// Piecewise constant: every derivative is 0.
constexpr bool IsDiscreteBuiltin(Builtin builtin) {
  return builtin >= Builtin::kPre && builtin <= Builtin::kTerminal;
}

/// A value from before: what stands inside does not count as a dependence.
constexpr bool IsPastBuiltin(Builtin builtin) {
  return builtin == Builtin::kPre || builtin == Builtin::kDelay;
}

}  // namespace cotree
