// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "expr/expr_pool.h"
#include "expr/print_loop.h"

namespace cotree {

/** Presentation MathML, one <math> element, well-formed also where the limit cut something off. Names as in
 * print_latex.h. */
std::string PrintMathml(const ExprPool& pool, ExprId expr, const PrintOptions& options = {});

/// A name alone, without the <math> element: `A_full` is A with the subscript full.
std::string MathmlOfName(std::string_view name, uint32_t order = 0);

}  // namespace cotree
