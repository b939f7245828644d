// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/translate.h"

namespace cotree {

/// Whether a class of foreign code of this system does not say which states it has.
bool HasUnknownStates(const Model& model, const SystemGraph& graph);

/// Whether all foreign code of the program has the user's consent; what has not is reported.
bool CheckConsent(LoadedModel& loaded, const Translation& translation, const ComponentOptions& options);

/** Classes of foreign code that do not say which states they have get those that the library describes, as
plain numbers in SI units: known from an earlier run (ForeignAccess::kKnown) or asked for now (kRun), and then
remembered. True: some were added, so that the system must be translated again. Otherwise `translation` says
whether it may be used as it is. */
bool AddForeignStates(LoadedModel& loaded, const TranslateOptions& options, Translation& translation);

}  // namespace cotree
