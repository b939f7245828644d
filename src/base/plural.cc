// SPDX-License-Identifier: Apache-2.0
#include "base/plural.h"

namespace cotree {

std::string Plural(size_t n, std::string_view one, std::string_view many) {
  std::string out = std::to_string(n) + " ";
  out += n == 1 || many.empty() ? one : many;
  return n != 1 && many.empty() ? out + "s" : out;
}

}  // namespace cotree
