// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.h"
#include "language/syntax_tree.h"

namespace cotree {

/** Parses one file. Never fails: what cannot be understood becomes a node of kind kError and a diagnostic,
and parsing goes on at the next declaration, so that all errors of a file are found in one go.

`text` must outlive the tree (SourceFiles owns it). Grammar: docs/manual/language.md. Time and memory are
linear in the text.

Theory: docs/theory/language.md, LA.2. */
SyntaxTree Parse(std::string_view text, FileId file, Diagnostics& diagnostics);

/// Parses bytes [begin, end) of a text, which hold whole declarations: of a library only what is used.
SyntaxTree ParseRange(std::string_view text, uint32_t begin, uint32_t end, FileId file,
                      Diagnostics& diagnostics);

/// Parses one expression (the edit API uses it); an error is reported if anything stands behind it.
SyntaxTree ParseExpressionText(std::string_view text, FileId file, Diagnostics& diagnostics);

/// Parses one setting from outside, `motor.R = 0.3 ohm` or `motor as ideal`: the root is a kSet, or a kError.
SyntaxTree ParseSettingText(std::string_view text, FileId file, Diagnostics& diagnostics);

/// Parses what may stand as a member of a system, e.g. `load : Inertia(J = 1 kg*m^2)` or `connect a.p --
/// b.n`.
SyntaxTree ParseMemberText(std::string_view text, FileId file, Diagnostics& diagnostics);

}  // namespace cotree
