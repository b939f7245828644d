// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "cli/console.h"

namespace cotree {

/** Writes a file so that a crash or a full disk loses nothing: a new file beside it, then a rename. The
permissions stay. False and a message on stderr if it cannot be written. */
bool WriteFileSafely(const std::string& path, std::string_view text);

/** The same for what is written by someone else: `write` gets the name of the file beside, and says in
`problem` why it failed, if it knows. What is no ordinary file (a pipe, /dev/stdout) is written as it is. */
bool ReplaceFile(const std::string& path,
                 const std::function<bool(const std::string& beside, std::string* problem)>& write);

/// To a file, or (no path) to standard output; the exit code.
int WriteOutput(const std::string& text, const std::string& path);

/// Prints all findings to stderr.
void PrintDiagnostics(const Diagnostics& diagnostics, const SourceFiles& files, const Console& console);

}  // namespace cotree
