// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace cotree {

void FailCheck(const char* condition, const char* file, int line) {
  std::fprintf(
      stderr,
      "cotree: internal error: `%s` does not hold (%s:%d)\nThis is a bug of cotree, not of your model.\n",
      condition, file, line);
#if defined(__SANITIZE_ADDRESS__) || defined(COTREE_ABORT_ON_CHECK)
  std::abort();
#else
  std::_Exit(3);
#endif
}

}  // namespace cotree
