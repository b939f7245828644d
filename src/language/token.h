// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace cotree {

/** Kinds of token. Blanks and comments are no tokens: they are the text between two tokens, so nothing of a
 * file is ever lost. */
enum class TokenKind : uint8_t {
  kEnd,      // end of the file; its offset is the size of the text
  kName,     // letter or _, then letters, digits, _
  kNumber,   // 12, 0.5, 1e-3
  kString,   // "..." with \" \\ \n \t
  kGeneric,  // $a
  kError,    // characters that begin no token, an unterminated string
  // Reserved words.
  kImport,
  kPackage,
  kDomain,
  kQuantity,
  kEnumeration,
  kFunction,
  kTable,
  kComponent,
  kSoftware,
  kSystem,
  kExperiment,
  kModel,
  kTerminal,
  kParameter,
  kEdge,
  kInput,
  kOutput,
  kVariable,
  kState,
  kExogenous,
  kEquation,
  kConnect,
  kAssociate,
  kPublic,
  kFinal,
  kOptional,
  kDiscrete,
  kIf,
  kThen,
  kElse,
  kElseif,
  kWhen,
  kElsewhen,
  kFor,
  kIn,
  kAs,
  kOf,
  kNot,
  kAnd,
  kOr,
  kTrue,
  kFalse,
  // Punctuation.
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kComma,
  kSemicolon,
  kColon,
  kDot,
  kEqual,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kCaret,
  kAt,
  kArrow,  // ->
  kJoin,   // --
  kEqualEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
};

struct Token {
  uint32_t offset;
  uint32_t length : 23;
  uint32_t starts_line : 1;  // the first token of its line: decides whether ( [ and units may continue what
                             // stood before
  uint32_t kind_bits : 8;

  TokenKind kind() const { return static_cast<TokenKind>(kind_bits); }
  uint32_t end() const { return offset + length; }
};
static_assert(sizeof(Token) == 8);

/// The text of a reserved word or punctuation mark, or a description such as "a name".
std::string_view TokenText(TokenKind kind);
bool IsReservedWord(TokenKind kind);
/// The reserved word with this text, or kName.
TokenKind ReservedWord(std::string_view text);

}  // namespace cotree
