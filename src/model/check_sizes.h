// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <unordered_map>

#include "base/diagnostics.h"
#include "model/model.h"

namespace cotree {

/** Numbers of parameters, by symbol: those that can be computed while translating. */
using ParameterValues = std::unordered_map<uint32_t, double>;

/// The value of an expression of sizes and parameters, if it can be computed: numbers, parameters, + - * / ^,
/// floor, ceil, min, max, mod, if.
std::optional<double> EvaluateConstant(const ExprPool& pool, ExprId expr, const ParameterValues& values);

/// Values of a class's scalar parameters: `given` where there is one, the default where it can be computed.
ParameterValues EvaluateParameters(const Model& model, const ComponentClass& cls, ParameterValues given);

/// The values of an inner instance's parameters, seen from `outer` with the values `values`; per-element
/// arguments are left out.
ParameterValues ArgumentsOf(const Model& model, const ComponentClass& outer, const Instance& instance,
                            const ParameterValues& values);

/// One such test with the numbers of its class; true: it failed, and that was reported.
bool CheckSize(const ExprPool& pool, const SyntaxTree& tree, const SizeCheck& check,
               const ParameterValues& values, Diagnostics& diagnostics);

/** Tests, with the numbers of each system, what only numbers decide: sizes are whole and not negative,
indices lie within them, joined arrays are of equal size. Works on declarations, never on elements, and visits
a composite once for each set of sizes. */
void CheckSizes(const Model& model, Diagnostics& diagnostics);

}  // namespace cotree
