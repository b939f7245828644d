// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "units/unit.h"

namespace cotree {

/** The unit text an engineer would write for a dimension: `V`, `N*s/m`, `W/(m*K)`, `m/s^2`; `1` for a
dimensionless one.

Always true: ParseUnit(FormatDimension(d)) has the dimension d, the factor 1 and no offset.
Chosen, in this order (DM.5):
 1. one named unit: V, W, J, N, Pa, C, F, ohm, S, Wb, T, H or a base unit;
 2. lengths and times only: base units (m/s^2, 1/s; never N/kg or Hz);
 3. the cheapest of all products of at most two named derived units and any base units; a unit costs more if
derived, if its exponent is not 1, most if that is a fraction; extreme exponents: base units; ties go to fewer
derived units, then to the order of the list above.

A `kind` of the same dimension changes the text: torque `N*m` instead of `J`, angular velocity `rad/s` and
frequency `Hz` instead of `1/s`. */
std::string FormatDimension(const Dimension& dimension, KindHint kind = KindHint::kNone);

/// The same with generics, which `name` gives texts (`$a`): `V*$a/$b`. Not re-parsable.
std::string FormatDimension(const DimensionVector& dimension,
                            const std::function<std::string(GenericId)>& name);

/// A product of units with each symbol once: V/(rad/s) becomes V*s/rad. What is no such product stays.
std::string SimplifyUnit(std::string_view text);

}  // namespace cotree
