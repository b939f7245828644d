// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "results/result.h"

namespace cotree {

/** The format CSV: a line of names, the first of them `time`; then a line a row. Numbers have as many digits
as they need to be read back as the same (17 at most). Names with commas, quotes or line ends stand in quotes,
quotes in them doubled. Aliases are written out. Units, events and extremes are not kept. As long as the run
goes on, and where it did not come to its end, a last line `# cotree: incomplete: why` says so; a complete
file has none. */
std::unique_ptr<ResultWriter> MakeCsvWriter(const std::string& path);
/// The same to standard output.
std::unique_ptr<ResultWriter> MakeCsvPrinter();

/// How the last line of a file begins whose run did not come to its end.
inline constexpr std::string_view kCsvIncomplete = "# cotree: incomplete: ";

/// A field as it stands in a line: in quotes where it must be.
std::string CsvField(std::string_view text);
/// The fields of the first line of a text; the rest is left in `text`. Quotes may hold line ends.
std::vector<std::string> TakeCsvFields(std::string_view* text);
/// A line of names, with its end.
std::string CsvNames(const ResultHeader& header);
/// A row with its end; `values`: one for every column, aliases among them.
void AppendCsvRow(double time, std::span<const double> values, std::string* out);

/** A last line without its end counts if it has all its fields and the file is not one that we wrote, for
those end with one; otherwise it is left out, and `damage` says so. Empty fields are not-a-number. Blanks
around a name or a number, "\r\n" for a line end, and lines that begin with # are fine. The time is the column
`time`, or else the first one, whatever its name. Units may stand in brackets behind the names, "t [ms], u
[V]": those of the time are read as seconds, the others kept as they are. */
std::optional<Result> ParseCsv(std::string_view text, std::string* problem);

}  // namespace cotree
