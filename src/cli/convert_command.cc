// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/result_files.h"
#include "cli/text_table.h"
#include "results/select_columns.h"

namespace cotree {

int RunConvert(const ConvertOptions& options, const Console&) {
  const std::optional<ResultFormat> format = FormatOfPath(options.to);
  if (!format) {
    fmt::print(stderr, "cotree: `{}`: the name must end with the format to write: .cotr, .csv, .mat or .h5\n",
               options.to);
    return kExitUsage;
  }
  std::vector<InputFile> inputs;
  AddInput(options.from, &inputs);
  std::vector<NamedOutput> outputs;
  AddResultOutput("convert", options.to, &outputs);
  if (const int may = CheckOutputs(outputs, inputs); may != kExitOk) return may;
  std::optional<Result> result = LoadResult(options.from);
  if (!result) return kExitForeign;
  if (!options.filters.empty()) {
    const auto columns = FindColumns(result->header, options.filters, options.from);
    if (!columns) return kExitUsage;
    result = SelectColumns(*result, *columns);
  }
  // A CSV of ours has no units: its numbers are SI.
  if (*format == ResultFormat::kCsv) ToSiUnits(*result);
  const int exit = SaveResult(*result, options.to, *format);
  if (exit != kExitOk) return exit;
  fmt::print("{} of {} in {}\n", Plural(result->times.size(), "row"),
             Plural(result->header.columns.size(), "variable"), options.to);
  return kExitOk;
}

}  // namespace cotree
