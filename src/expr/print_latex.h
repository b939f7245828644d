// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "expr/expr_pool.h"
#include "expr/print_loop.h"

namespace cotree {

/** LaTeX mathematics (amsmath), to be put between dollars: \frac for quotients, \dot for derivatives, \sin
and its like; `motor.armature.i` is i_{\mathrm{motor.armature}}, `phi` is \phi, `R1` is R_{1}. For people, not
for reading back. */
std::string PrintLatex(const ExprPool& pool, ExprId expr, const PrintOptions& options = {});

/// A name alone: `A_full` is A_{\mathrm{full}}.
std::string LatexOfName(std::string_view name, uint32_t order = 0);

/// One symbol.
std::string LatexOfSymbol(const ExprPool& pool, SymbolId symbol);

}  // namespace cotree
