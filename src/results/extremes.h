// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "results/result.h"

namespace cotree {

/// The extremes of a column alone, by time, aliases looked through.
ResultCurve ExtremesOf(const Result& result, size_t column);

/** Rows at the extremes, for what shows many variables over the same times: there a variable whose extreme it
is has that value, and the others run straight from row to row, or hold their values. `columns` by row; empty
ones stay so. */
void AddRowsAtExtremes(const std::vector<bool>& stepwise, std::vector<ResultExtreme> extremes,
                       std::vector<double>* times, std::vector<std::vector<double>>* columns);

/// Of each of so many parts of the time the first and last row, and those where a column is lowest and
/// highest: all that a picture of that width can show.
std::vector<size_t> RowsToShow(const std::vector<double>& times,
                               const std::vector<std::vector<double>>& columns, size_t parts);

}  // namespace cotree
