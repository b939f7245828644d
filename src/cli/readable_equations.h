// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/system_command.h"
#include "state_space/state_space.h"

namespace cotree {

/// The state space as the options want it; the exit code, with a message, where that cannot be.
int FindReadable(const EquationsOptions& options, const Translation& translation, StateSpace* space);

/// The forms state-space accelerations and linear of `cotree equations`, in every format.
int SayReadable(const EquationsOptions& options, Translation& translation, const Console& console,
                SystemOutput* out);

}  // namespace cotree
