// SPDX-License-Identifier: Apache-2.0
#include "expr/builtins.h"

#include <utility>

namespace cotree {

Builtin FindBuiltin(std::string_view name) {
  static constexpr std::pair<std::string_view, Builtin> kTable[] = {
      {"pre", Builtin::kPre},         {"sample", Builtin::kSample},   {"edge", Builtin::kEdge},
      {"change", Builtin::kChange},   {"initial", Builtin::kInitial}, {"terminal", Builtin::kTerminal},
      {"noevent", Builtin::kNoEvent}, {"smooth", Builtin::kSmooth},   {"delay", Builtin::kDelay},
  };
  for (const auto& [text, builtin] : kTable) {
    if (text == name) return builtin;
  }
  return Builtin::kNone;
}

}  // namespace cotree
