// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "expr/print_loop.h"

namespace cotree {

/// How wide LaTeX is as it is set, about, in letters.
double WidthOfLatex(std::string_view latex);

/// A formula in LaTeX, in lines of at most `room` letters: broken between terms, inside the bracket of a long
/// product, above and below the line of a quotient. Of one with more than `most` characters only that is
/// said.
std::vector<std::string> LatexLines(const ExprPool& pool, ExprId expr, const PrintOptions& print,
                                    size_t most = 20000, double room = 80);
/// Text as LaTeX sets it; what stands between backquotes as code.
std::string LatexText(std::string_view text);
/// A matrix with its labels.
std::string LatexMatrix(const ExprPool& pool, const MatrixItem& item, const PrintOptions& print);

}  // namespace cotree
