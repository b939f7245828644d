// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/large_vector.h"
#include "language/token.h"

namespace cotree {

/** Cuts a text into tokens, the last of which is kEnd.

Always true: tokens are in order, do not overlap, and what lies between them is blanks and comments only; so
the text can be put together again from tokens and gaps. Tokens before `begin` are left out, and so is a byte
order mark. A bad character becomes a token of kind kError and one diagnostic. What is no text in UTF-8
(UTF-16, zero bytes, control characters) has no tokens and one diagnostic. */
LargeVector<Token> Lex(std::string_view text, FileId file, Diagnostics& diagnostics, uint32_t begin = 0);

/// The value of a kNumber token. Independent of the locale.
double NumberValue(std::string_view text);
/// The value of a kString token, escapes resolved.
std::string StringValue(std::string_view text);

}  // namespace cotree
