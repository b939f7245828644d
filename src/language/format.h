// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "language/syntax_tree.h"

namespace cotree {

/** Writes a file in the usual form: the formatter behind `cotree fmt`. Theory: docs/theory/language.md, LA.3
(LA.3a to LA.3c).

What it decides is only what stands between two tokens:
 - line breaks stay where they are; several empty lines become one, blanks at the end of a line go, the last
   line ends;
 - a line is indented by 2 blanks for each brace that is open, an equation of an `equation` section by 2 more.
   A line that goes on with an item keeps its distance to the line where the item began (that is how people
   align arguments and matrices);
 - one blank around `=`, `+`, `-`, comparisons, `--`, `->` and the `:` of a declaration; none around `*`, `/`,
   `^`, `.`, the `:` of a range, and inside brackets. Behind a number with a unit `*`, `/` and `^` keep a
   blank on either side, because without it they would belong to the unit; before such a number they stay as
   they are written, and so do `+` and `-` inside an index;
 - two or more blanks before `:`, `=`, `{`, attributes, a string, a comment, the next item of the line, and
   behind a comma are somebody's alignment: they stay;
 - comments stay between the tokens between which they stand, byte for byte save for blanks at the end of a
   `//` comment; on a line of their own they get the indentation of what follows.

Always true, for every text, correct or not (fuzz/fuzz_parser.cc tests it):
 - no token and no comment is lost, added or moved: SameSyntax(Parse(text), Parse(Format(Parse(text)))), with
   as many errors;
 - Format(Parse(Format(tree))) == Format(tree);
 - time is linear in the text, and so is the result.

Where braces do not balance, the parser reads indentation to guess which one is missing; there every line
keeps its own. `tree` is a whole file (Parse, not ParseRange). Line ends are written as the first one is, \n
or \r\n. */
std::string Format(const SyntaxTree& tree);

}  // namespace cotree
