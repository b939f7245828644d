// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "control/channel.h"

namespace cotree {

/** Takes out of a channel the motions that its input does not drive or its output does not see: those it has
by the structure of the system, so that what is left of them is the rounding of the entries. y/u stays what it
is. Their poles are kept in `hidden`.

Theory: docs/theory/numerics.md, NU.13. */
void DropHiddenModes(Channel& channel);

}  // namespace cotree
