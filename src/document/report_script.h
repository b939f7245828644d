// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cotree {

/// The script of the report page, put into the program by cmake/EmbedScript.cmake; empty where Cotree was
/// built without npm.
const char* ReportScript();

}  // namespace cotree
