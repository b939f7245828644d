// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "language/syntax_tree.h"

namespace cotree {

/** A top-level declaration found without parsing. */
struct SkimmedDeclaration {
  NodeKind kind;
  uint32_t begin, end;            // bytes of the whole declaration
  uint32_t name_begin, name_end;  // of its name
};

/** Finds the top-level declarations of a text that is known to be correct (the standard library): one pass
over the bytes, braces counted, strings and comments skipped. */
std::vector<SkimmedDeclaration> Skim(std::string_view text);

}  // namespace cotree
