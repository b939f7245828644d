// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <unordered_map>

#include "base/diagnostics.h"
#include "expr/run_tape.h"
#include "model/model.h"
#include "model/system_setting.h"
#include "model/table_function.h"

namespace cotree {

/** Numbers of parameters, by symbol: those that can be computed while translating. */
using ParameterValues = std::unordered_map<uint32_t, double>;

/// The value of an expression of sizes and parameters, if it can be computed. What is not known stays unknown
/// in comparisons; `and`, `or` and `if` are decided where what is known suffices. Time, calls that `call`
/// does not know and symbols without a value are not known.
std::optional<double> EvaluateConstant(const ExprPool& pool, ExprId expr, const ParameterValues& values,
                                       std::span<const ArrayValue<double>> arrays = {},
                                       const TableCall& call = {});

/// Values of a class's scalar parameters: `given` where there is one, the default where it can be computed.
ParameterValues EvaluateParameters(const Model& model, const ComponentClass& cls, ParameterValues given);

/// The values of an inner instance's parameters, seen from `outer` with the values `values`; per-element
/// arguments are left out.
ParameterValues ArgumentsOf(const Model& model, const ComponentClass& outer, const Instance& instance,
                            const ParameterValues& values);

/// The array at `node` has the sizes `given` where `wanted` are wanted.
Diagnostic& ReportSizes(const SyntaxTree& tree, NodeId node, const std::vector<double>& given,
                        const std::vector<double>& wanted, Diagnostics& diagnostics);

/** Tests, with the numbers of each system, what only numbers decide: sizes are whole and not negative,
indices lie within them, joined arrays are of equal size. Works on declarations, never on elements, and visits
a composite once for each set of sizes. */
void CheckSizes(const Model& model, Diagnostics& diagnostics);

/// The same for a system with these settings, and for `more` that is said of it in `tree`. True: all fit.
bool CheckSizes(const Model& model, ClassId system, std::span<const SystemSetting> settings,
                std::span<const SizeCheck> more, TreeId tree, Diagnostics& diagnostics);
bool CheckSizes(const Model& model, ClassId system, const Experiment* experiment,
                std::span<const SystemSetting> settings, Diagnostics& diagnostics);

}  // namespace cotree
