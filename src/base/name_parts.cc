// SPDX-License-Identifier: Apache-2.0
#include "base/name_parts.h"

namespace cotree {

std::vector<std::string> PartsOf(std::string_view name) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto letter = [&](char c) { return upper(c) || (c >= 'a' && c <= 'z'); };
  std::vector<std::string> parts;
  bool open = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!letter(c)) {
      open = false;
      continue;
    }
    const bool before = i > 0 && upper(name[i - 1]);
    const bool last_capital = before && i + 1 < name.size() && letter(name[i + 1]) && !upper(name[i + 1]);
    if (!open || (upper(c) && (!before || last_capital))) parts.emplace_back();
    parts.back() += upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    open = true;
  }
  return parts;
}

}  // namespace cotree
