// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"
#include "cli/commands.h"
#include "pipeline/load_model.h"

namespace cotree {

/// The findings and the model as JSON, schema docs/schema/cotree.check-1.json.
std::string CheckJson(LoadedModel& loaded, const CheckOptions& options);
/// The library, or one class of it, as JSON, schema docs/schema/cotree.library-1.json.
std::string LibraryJson(LoadedModel& loaded, const std::vector<ClassId>& classes);

/// How our JSON about a file begins: schema, version, file, ok, errors, warnings, diagnostics.
Json JsonHead(const char* schema, const std::string& file, const LoadedModel& loaded);
/// With a line end; bytes that are not UTF-8 are replaced.
std::string DumpJson(const Json& json);

}  // namespace cotree
