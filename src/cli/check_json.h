// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/commands.h"
#include "pipeline/load_model.h"

namespace cotree {

/// The findings and the model as JSON, schema docs/schema/cotree.check-1.json.
std::string CheckJson(LoadedModel& loaded, const CheckOptions& options);
/// The library, or one class of it, as JSON, schema docs/schema/cotree.library-1.json.
std::string LibraryJson(LoadedModel& loaded, const std::vector<ClassId>& classes);

}  // namespace cotree
