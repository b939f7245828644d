// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "program/code.h"

namespace cotree {

/// The partial derivatives of a code's first result by some of its locals, as code: one result each. By the
/// chain rule backwards (reverse mode), so that all of them together cost a few times the code itself.
/// `by`: numbers of locals; a local that the result does not depend on gives 0.
Code DifferentiateCode(const Code& code, const std::vector<uint32_t>& by);

}  // namespace cotree
