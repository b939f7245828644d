// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/load_model.h"

namespace cotree {

/** The system that is meant, its experiment, and what options say of it, for every command and the API:
`loaded.choice`. An experiment that is named chooses its system; a system that is named takes its own
experiments. A name that is not there, two names that do not go together, or a file with several systems and
no word which: `problem` says what there is. What options say and the system has not: errors in
`loaded.diagnostics` that show the option. */
const SystemChoice& ChooseSystem(LoadedModel& loaded, const SystemRequest& request, const std::string& file);

/// What the experiment of the choice sets, then what was set from outside, then the chosen alternatives: the
/// later counts.
std::vector<const Setting*> SettingsOf(const SystemChoice& choice, const std::vector<uint32_t>& chosen);

/// Looks at the numbers that experiments set, as a run of each would.
void CheckExperiments(LoadedModel& loaded);

}  // namespace cotree
