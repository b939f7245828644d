// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "expr/op.h"

namespace cotree {

/* One operation for many instances, compiled for the vectors of each kind of machine and chosen when the
program is loaded; never contracted, so that all give the bits of the plain one. */

/// out[k] = a[k] op b[k]; `a_many`, `b_many`: whether there is one for each k, or one for all.
void StripBinary(Op op, const double* a, bool a_many, const double* b, bool b_many, double* out,
                 size_t count);
void StripUnary(Op op, const double* a, double* out, size_t count);
void StripSelect(const double* condition, bool c_many, const double* a, bool a_many, const double* b,
                 bool b_many, double* out, size_t count);
void StripGather(const double* from, const uint32_t* places, double* out, size_t count);
void StripScatter(const double* from, const uint32_t* places, double* out, size_t count);

}  // namespace cotree
