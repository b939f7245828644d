// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "expr/field.h"
#include "program/cancellations.h"

namespace cotree {

/** The certificate of the implicit blocks: each one's matrix of partial derivatives is evaluated by the
block's own code at a pseudo-random point of the field of integers modulo 2^61 - 1 (slots and parameters are
hashes of their places, numbers exact, functions hashes of their arguments) and eliminated exactly. A
determinant other than zero proves that the block can be solved for almost all values of what it depends on;
zero means, but for a chance of about n/2^61, that its equations depend on each other whatever the motion. */
struct BlockCertificates {
  size_t blocks = 0;                    // implicit ones
  size_t regular = 0;                   // proven so
  size_t too_large = 0;                 // not eliminated: more unknowns than kLargest
  std::vector<Cancellation> dependent;  // factors are not given (1): they are known in the field only
  static constexpr size_t kLargest = 250;
};
BlockCertificates CertifyBlocks(const Program& program);

/// A vector x != 0 with x^T A = 0 in the field, A by rows; empty if A is regular.
std::vector<FieldElement> LeftNullVector(size_t n, std::vector<FieldElement> matrix);

}  // namespace cotree
