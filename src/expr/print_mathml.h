// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "expr/expr_pool.h"
#include "expr/print_loop.h"

namespace cotree {

/** Presentation MathML, one <math> element, well-formed also where the limit cut something off. Names as in
 * print_latex.h. */
std::string PrintMathml(const ExprPool& pool, ExprId expr, const PrintOptions& options = {});

}  // namespace cotree
