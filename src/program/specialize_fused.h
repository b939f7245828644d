// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/fused_program.h"

namespace cotree {

/** Puts runs of few instances that follow each other together into straight-line code, made for the numbers
that the parameters have: what depends on parameters only is computed now; zeros and ones among them drop out
of products and sums (an axis [0, 0, 1] leaves a ninth of a rotation); what is computed twice is computed
once; what nobody reads is not computed. Code that is long and repeats itself becomes loops over its classes
(like joints of a robot); other long code is cut into pieces, with what crosses a cut in the scratch array.

Values differ from those of the program by no more than the sign of a zero, and where infinities meet zeros.
Theory: docs/theory/program.md, PR.13 (PR.13a), PR.16. */
void SpecializeRuns(FusedProgram& program);

}  // namespace cotree
