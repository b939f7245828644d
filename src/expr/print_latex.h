// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "expr/expr_pool.h"
#include "expr/print_loop.h"

namespace cotree {

/** LaTeX mathematics (amsmath), to be put between dollars: \frac for quotients, \dot for derivatives, \sin
and its like; `motor.armature.i` is i_{\mathrm{motor.armature}}, `phi` is \phi, `R1` is R_{1}. For people, not
for reading back. */
std::string PrintLatex(const ExprPool& pool, ExprId expr, const PrintOptions& options = {});

/// One symbol.
std::string LatexOfSymbol(const ExprPool& pool, SymbolId symbol);

}  // namespace cotree
