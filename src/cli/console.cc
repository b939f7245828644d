// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <unistd.h>

#include <cstdlib>

namespace cotree {

Console::Console() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool allowed =
      (no_color == nullptr || no_color[0] == '\0') && term != nullptr && std::string_view(term) != "dumb";
  colours_out_ = allowed && isatty(1) != 0;
  colours_err_ = allowed && isatty(2) != 0;
}

std::string Console::Paint(std::string_view text, const char* code) const {
  if (!colours_out_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace cotree
