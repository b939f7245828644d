// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plot/figure.h"
#include "results/result.h"

namespace cotree {

/// Reads a result, says what is wrong with it, and notes what was lost; nothing if it cannot be read (exit
/// code 5).
std::optional<Result> LoadResult(const std::string& path);

/// Columns of a file of others that say another unit (`T [degC]`) in SI units; what is no unit stays.
void ToSiUnits(Result& result);

/// Writes beside and renames, so that nothing is lost if it fails; the exit code.
int SaveResult(const Result& result, const std::string& path, ResultFormat format);

/** Names and patterns, each perhaps several with commas, as columns of a result, each once, in the order
asked for. Nothing, and a message with the nearest names, if one is not there (exit code 2). */
std::optional<std::vector<size_t>> FindColumns(const ResultHeader& header,
                                               const std::vector<std::string>& words,
                                               const std::string& path);

/// Whether a picture can have this name (.svg, .png); a message otherwise (exit code 2).
bool CheckPicturePath(const std::string& path);
/// Draws into a .svg or .png file and prints its path; the exit code.
int SaveFigure(const Figure& figure, const std::string& path);

}  // namespace cotree
