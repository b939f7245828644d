// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "program/code.h"

namespace cotree {

/// The code of a kernel as a C function `code_N`: slots from m->v[s[...]], parameters from p, results to r.
/// One operation a line, in the order of the instructions, so that it gives the interpreter's bits.
std::string CFunction(const Code& code, uint32_t number);
/// `tangent_N`: the tangents of the results (or of the first alone), along m->d.
std::string CTangent(const Code& code, uint32_t number, bool first_only);

}  // namespace cotree
