// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/system_command.h"

namespace cotree {

/// The forms state-space and accelerations of `cotree equations`, in every format.
int SayReadable(const EquationsOptions& options, Translation& translation, const Console& console,
                SystemOutput* out);

}  // namespace cotree
