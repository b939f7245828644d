// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/translate.h"

namespace cotree {

/// A class of foreign code that declares no `state` takes those that its library describes, as
/// plain numbers in SI units. True: some were added to classes of the model, which must be translated again.
/// What cannot be loaded adds none: the run says why.
bool AddForeignStates(LoadedModel& loaded, const Translation& translation, const ComponentOptions& options);

}  // namespace cotree
