// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expr/op.h"

namespace cotree {

/** The elementary functions of the one arithmetic that all tiers share (design §6): SLEEF's variants without
fused operations, which give the same bits on every x86-64, scalar or vector; sqrt, floor and the like are
IEEE. */

/// sin ... ceil
double UnaryValue(Op op, double x);
/// The derivative; one-sided 0 at a switch.
double UnarySlope(Op op, double x);
/// ^ atan2 min max mod and relations (1 or 0)
double BinaryValue(Op op, double a, double b);

}  // namespace cotree
