// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "results/result.h"

namespace cotree {

/// The header as JSON, {"schema": "cotree.result/1", "model": ..., "columns": [...]}; empty members are left
/// out.
std::string HeaderJson(const ResultHeader& header);

/** Nothing if this is no such text, or of another schema. Aliases always lead to a stored column; names are
distinct. */
std::optional<ResultHeader> ParseHeaderJson(std::string_view text);

/// Whether every alias leads to a stored column and no name occurs twice.
bool CheckHeader(const ResultHeader& header);

}  // namespace cotree
