// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "document/document.h"

namespace cotree {

/** How headings look in a terminal: bold, or as they are. */
struct TextStyle {
  bool colours = false;
  size_t width = 100;  // lines are broken there, formulas behind + and -
};
std::string WriteText(const Document& document, const TextStyle& style);

/// A whole LaTeX file: article, amsmath.
std::string WriteLatex(const Document& document);
/// GitHub's Markdown, formulas between dollars.
std::string WriteMarkdown(const Document& document);
/// An XHTML page with MathML, which browsers show without help.
std::string WriteMathml(const Document& document);
/// What the report page shows (docs/schema/cotree.report-1.json).
Json WriteJson(const Document& document);
/// The page itself; `script`: what web/report/build.sh has made.
std::string WritePage(const Document& document, std::string_view script);

}  // namespace cotree
