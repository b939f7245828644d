// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "cli/console.h"

namespace cotree {

/** Writes a file so that a crash or a full disk loses nothing: a new file beside it, then a rename. The
permissions stay. False and a message on stderr if it cannot be written. */
bool WriteFileSafely(const std::string& path, std::string_view text);

/// To a file, or (no path) to standard output; the exit code.
int WriteOutput(const std::string& text, const std::string& path);

/// Prints all findings to stderr.
void PrintDiagnostics(const Diagnostics& diagnostics, const SourceFiles& files, const Console& console);

}  // namespace cotree
