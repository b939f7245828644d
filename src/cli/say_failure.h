// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/prepare_run.h"

namespace cotree {

/// "cotree: the run failed at 2 s: ..." on standard error, and where the component that it names is declared.
void SayFailure(const PreparedRun& prepared, const std::string& message);

}  // namespace cotree
