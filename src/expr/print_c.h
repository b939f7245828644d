// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "expr/expr_pool.h"
#include "expr/print_loop.h"

namespace cotree {

struct PrintCOptions {
  /// The C name of a symbol; by default MangleSymbol.
  std::function<std::string(SymbolId)> name;
};

/// `motor.armature.i` of order 1 becomes `der1_motor_p_armature_p_i`: a C identifier, different for different
/// symbols.
std::string MangleSymbol(const ExprPool& pool, SymbolId symbol);

/** A C99 expression of type double that computes the same bits as EvaluateDouble, given the same elementary
functions and no contraction.

Operands are computed in the stored order, not in the readable one. Integer powers call `cotree_power`, a
multiplication chain; this and the other helpers are the text of CPrelude(). Numbers are hexadecimal-free
shortest decimals, always with a point or an exponent. Time is `time`; x[i] is `x[(int)(i) - 1]`, more indices
`x[..][..]`; calls keep their mangled names. Nothing is returned for expressions that need a loop or an array
value: those are statements, not expressions. */
std::optional<std::string> PrintC(const ExprPool& pool, ExprId expr, const PrintCOptions& options = {});

/// Static inline functions PrintC's text uses, and the headers they need.
std::string CPrelude();

}  // namespace cotree
