// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/translate.h"

namespace cotree {

/// Degrees of freedom of the joints of a mechanism in velocities, loops closed and what is coupled in one
/// dimension (gears between axes, sources that drive them) taken into account. By structure.
uint32_t CountFreedoms(const Translation& translation);

}  // namespace cotree
