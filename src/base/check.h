// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cotree {

/** Our own mistakes, as opposed to the user's: prints the broken condition with its place and ends the
program with exit code 3 (design §7). Stays on in release builds; keep it off the innermost loops. */
[[noreturn]] void FailCheck(const char* condition, const char* file, int line);

}  // namespace cotree

#define COTREE_CHECK(condition) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : ::cotree::FailCheck(#condition, __FILE__, __LINE__))
