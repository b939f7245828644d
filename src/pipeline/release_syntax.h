// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/load_model.h"

namespace cotree {

/// What is not needed any more once a model is built without errors: the syntax of large files. It comes back
/// by itself where a message asks for a place.
void ReleaseLargeSyntax(LoadedModel& loaded);

}  // namespace cotree
