// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/result.h"

namespace cotree {

/// `*` stands for any text, `?` for one character; all else, brackets too, for itself.
bool MatchesPattern(std::string_view pattern, std::string_view text);

/// The columns that a pattern fits, in the order of the header.
std::vector<size_t> ColumnsLike(const ResultHeader& header, std::string_view pattern);

/// "a,m[1,2].x,f(b,c)" taken apart at the commas outside of brackets, without blanks around.
std::vector<std::string> SplitNames(std::string_view text);

/// Up to `most` names that someone may have meant by `word`: the nearest in spelling, then those that contain
/// it.
std::vector<std::string> SimilarNames(const ResultHeader& header, const std::string& word, size_t most);

/** The result with these columns only. An alias whose source is left out takes its place: the first one is
stored, further ones become aliases of that. */
Result SelectColumns(const Result& result, const std::vector<size_t>& columns);

}  // namespace cotree
