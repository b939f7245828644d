// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cotree {

/** What the program `dot` answered. */
struct DotAnswer {
  std::string json;     // the text with places
  std::string problem;  // empty if all went well; otherwise a sentence with the remedy
};

/** Runs Graphviz's `dot` on a text, as a process of its own: its library keeps global state and may end the
process it lives in, neither of which a program with threads can bear. No shell; stopped after `seconds`. */
DotAnswer RunDot(const std::string& text, int seconds = 60, const char* program = "dot");

}  // namespace cotree
