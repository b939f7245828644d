// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "language/syntax_tree.h"

namespace cotree {

/** Gives back the tokens and nodes of a whole file that was parsed without errors: of a million components
they are more than all that is made of them. The first SpanOf (a message about a place) parses the text again,
with the same numbers of nodes; who reads tokens or nodes themselves asks for a SpanOf first. */
void ReleaseSyntax(SyntaxTree& tree);

}  // namespace cotree
