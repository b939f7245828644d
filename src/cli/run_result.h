// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/translate.h"
#include "results/result.h"
#include "simulation/simulate.h"

namespace cotree {

/// What Simulate records if nothing else is said: everything that belongs to a component.
std::vector<uint32_t> SlotsOfComponents(const Translation& translation);

/// A number for some texts, in hexadecimal digits.
std::string HashOfTexts(const std::vector<std::string_view>& texts);
/// A number for all texts that were read, and for what was told beside them, in hexadecimal digits.
std::string HashOfModel(const SourceFiles& files, const std::vector<std::string>& settings);

/** What a result of a run says of itself: names, units, descriptions, which variables go by steps and which
are equal or opposite to others, what the experiment wants drawn (or else the states), and who computed it
from what. `slots`: what its columns are, aliases too. */
ResultHeader HeaderOfRun(const LoadedModel& loaded, const Translation& translation,
                         const SimulationOptions& options, const std::vector<uint32_t>& slots,
                         const std::vector<std::string>& settings);

/// The stored columns behind what is drawn if nothing else is asked for.
std::vector<uint32_t> PlottedColumns(const ResultHeader& header);

/// What a run gave, as a result; switching times are events.
Result ResultOfRun(ResultHeader header, const Trajectory& trajectory);

/// The slots of all names that a user writes; none if some name is not there or stands for several (`*`,
/// `?`).
std::optional<std::vector<uint32_t>> SlotsNamed(const LoadedModel& loaded, const Translation& translation,
                                                const std::vector<std::string>& names);

/// The name under which a variable, as a user writes it, stands in the result; empty if it is not there.
std::string ColumnOf(const LoadedModel& loaded, const Translation& translation, const std::string& name);

}  // namespace cotree
