// SPDX-License-Identifier: Apache-2.0
#include "language/token.h"

#include <array>

namespace cotree {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(TokenKind::kGreaterEqual) + 1> kTexts = {
    "the end of the file",
    "a name",
    "a number",
    "a string",
    "a generic dimension",
    "an unknown character",
    "import",
    "package",
    "domain",
    "quantity",
    "enumeration",
    "function",
    "table",
    "component",
    "software",
    "system",
    "experiment",
    "model",
    "terminal",
    "parameter",
    "edge",
    "input",
    "output",
    "variable",
    "state",
    "exogenous",
    "equation",
    "connect",
    "associate",
    "public",
    "final",
    "optional",
    "discrete",
    "if",
    "then",
    "else",
    "elseif",
    "when",
    "elsewhen",
    "for",
    "in",
    "as",
    "of",
    "not",
    "and",
    "or",
    "true",
    "false",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":",
    ".",
    "=",
    "+",
    "-",
    "*",
    "/",
    "^",
    "@",
    "->",
    "--",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">="};

}  // namespace

std::string_view TokenText(TokenKind kind) {
  return kTexts[static_cast<size_t>(kind)];
}

bool IsReservedWord(TokenKind kind) {
  return kind >= TokenKind::kImport && kind <= TokenKind::kFalse;
}

TokenKind ReservedWord(std::string_view text) {
  if (text.size() < 2 || text.size() > 11 || text[0] < 'a' || text[0] > 'w') return TokenKind::kName;
  // Asked for every name of every file: one look at the first two letters settles nearly all.
  static constexpr auto kBySecond = [] {
    std::array<uint32_t, 26> letters{};
    for (auto k = static_cast<size_t>(TokenKind::kImport); k <= static_cast<size_t>(TokenKind::kFalse); ++k) {
      letters[static_cast<size_t>(kTexts[k][0] - 'a')] |= 1u << (kTexts[k][1] - 'a');
    }
    return letters;
  }();
  const auto second = static_cast<unsigned>(text[1] - 'a');
  if (second > 25 || (kBySecond[static_cast<size_t>(text[0] - 'a')] >> second & 1u) == 0)
    return TokenKind::kName;
  for (auto k = static_cast<size_t>(TokenKind::kImport); k <= static_cast<size_t>(TokenKind::kFalse); ++k) {
    if (kTexts[k][1] == text[1] && kTexts[k] == text) return static_cast<TokenKind>(k);
  }
  return TokenKind::kName;
}

}  // namespace cotree
