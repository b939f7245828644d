// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/output_file.h"
#include "cli/console.h"

namespace cotree {

/// WriteWholeFile, with a message on stderr if it cannot be written.
bool WriteFileSafely(const std::string& path, std::string_view text);

/// ReplaceFile of base/output_file.h, with a message on stderr if it cannot be written.
bool ReplaceFile(const std::string& path,
                 const std::function<bool(const std::string& beside, std::string* problem)>& write);

/// To a file, or (no path) to standard output; the exit code.
int WriteOutput(const std::string& text, const std::string& path);

/// What is wrong with the ending of a result file; files without one are CSV, and what is no file takes
/// anything.
std::string EndingProblem(const std::string& option, const std::string& path);

/// What is written where a result has this name: the file, and what stands beside it meanwhile.
void AddResultOutput(const std::string& option, const std::string& path, std::vector<NamedOutput>* outputs);

/// Before anything runs: kExitUsage, and a message, where an output is something that is read, or two are one
/// file.
int CheckOutputs(const std::vector<NamedOutput>& outputs, const std::vector<InputFile>& inputs);

/// Prints all findings to stderr.
void PrintDiagnostics(const Diagnostics& diagnostics, const SourceFiles& files, const Console& console);

}  // namespace cotree
