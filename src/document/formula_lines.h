// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "expr/print_loop.h"

namespace cotree {

/// A formula in LaTeX, a long sum in several lines.
std::vector<std::string> LatexLines(const ExprPool& pool, ExprId expr, const PrintOptions& print);
/// A matrix with its labels.
std::string LatexMatrix(const ExprPool& pool, const MatrixItem& item, const PrintOptions& print);

}  // namespace cotree
