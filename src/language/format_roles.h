// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "language/syntax_tree.h"

namespace cotree {

/** What a token is for the formatter. Private to this folder. */
enum class FormatRole : uint8_t {
  kPlain,          // its kind says enough
  kUnit,           // inside a unit: no blanks
  kTightOperator,  // without blanks: * / ^, and + - in an index
  kLooseOperator,  // with a blank on either side: * / ^ lest they belong to the unit before them
  kSign,           // + or - that stands before its operand
  kRangeColon,     // 1:n, a[:]
  kTightOpener,    // ( or [ that belongs to the name before it
  kAligned,        // a string that documents, the ( of attributes: more than one blank may stand before it
};

/** An item is what people put on a line of its own: a declaration, a member, a statement. */
struct FormatItem {
  uint32_t first_token;
  uint32_t last_token;
  uint32_t level;  // its indentation, in steps
  bool owns_braces;
};

struct FormatRoles {
  std::vector<FormatRole> roles;  // by FindFormatRoles, one per token
  std::vector<FormatItem> items;  // by FindFormatRoles, ascending by first_token, outer before inner
};

FormatRoles FindFormatRoles(const SyntaxTree& tree);

}  // namespace cotree
