// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "model/model.h"

namespace cotree {

/** A dimension that was found, not declared: `pid.kp : V/rad`. */
struct InferredUnit {
  std::string path;
  std::string unit;
};

/// Everything of a system (or class) whose dimension was inferred, in order of declaration.
std::vector<InferredUnit> ListInferredUnits(const Model& model, ClassId id);

/** A parameter of an instance and what changing it means (design §3.9).
Theory: docs/theory/model.md, MO.6 (MO.6a). */
struct ParameterRow {
  std::string path;
  std::string value;  // "0.2 ohm", or the expression where it cannot be computed
  bool structural = false;
  std::string reason;  // why it is structural, or when it would become so
};

/// All parameters of a system, in order of declaration. Needs symbols for coefficients, so the pool grows.
std::vector<ParameterRow> ListParameters(Model& model, ClassId id);

/// The unit of a type of an instance's class, with the dimensions found for its generics put in; `$` remains
/// where one was not found.
std::string UnitOfInstance(const Type& type, const ComponentClass& cls, const Model& model,
                           const ComponentClass& outer, const Instance& instance);

/// Whether a type is that of absolute temperatures, which may be given in degC and degF.
bool IsAbsoluteTemperature(const Model& model, const Type& type);

/// What a parameter of a class makes vanish when it is exactly zero; empty if nothing structural.
std::string ZeroEffect(Model& model, ClassId id, uint32_t parameter);

/// The documentation string on the line of a declaration, behind this name; empty if there is none.
std::string DocumentationBehind(const Model& model, Origin name);
/// Adds what the declaration says about itself, if anything: "`I`: xx, yy, zz, ...".
void HelpWithMeaning(const Model& model, Origin name, Diagnostic& report);

/// An expression as people read it, with the index symbols of arrays as i, j, k.
std::string ExpressionText(const Model& model, ExprId expr);

/// A number as people write it: shortest text that reads back the same.
std::string NumberText(double value);

}  // namespace cotree
