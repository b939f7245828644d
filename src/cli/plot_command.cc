// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/result_files.h"
#include "plot/plot_result.h"

namespace cotree {
namespace {

constexpr size_t kMostUnasked = 12;

std::string TitleOf(const ResultHeader& header) {
  return header.experiment.empty() ? header.model : header.model + ": " + header.experiment;
}

/* What to draw: what was asked for, else what the result proposes, else everything if that is little. */
std::optional<std::vector<size_t>> ColumnsToPlot(const Result& result, const PlotOptions& options) {
  if (!options.names.empty()) return FindColumns(result.header, options.names, options.file);
  std::vector<size_t> columns;
  for (const std::string& name : result.header.plots) {
    if (const auto column = result.header.Find(name)) columns.push_back(*column);
  }
  if (!columns.empty()) return columns;
  const size_t all = result.header.columns.size();
  if (all > kMostUnasked) {
    std::string some;
    for (size_t k = 0; k < 6; ++k) some += (k == 0 ? "" : ", ") + result.header.columns[k].name;
    fmt::print(stderr,
               "cotree: {} has {} variables; name those to draw, or a pattern as '*.w' (there are {}, ...)\n",
               options.file, all, some);
    return std::nullopt;
  }
  for (size_t k = 0; k < all; ++k) columns.push_back(k);
  return columns;
}

}  // namespace

int RunPlot(const PlotOptions& options, const Console&) {
  namespace fs = std::filesystem;
  const std::string output =
      options.output.empty() ? fs::path(options.file).replace_extension(".svg").string() : options.output;
  if (!CheckPicturePath(output)) return kExitUsage;
  std::vector<InputFile> inputs;
  for (const std::string& path : {options.file, options.with}) AddInput(path, &inputs);
  if (const int may = CheckOutputs({{"--out", output}}, inputs); may != kExitOk) return may;
  std::optional<Result> result = LoadResult(options.file);
  if (!result) return kExitForeign;
  if (!options.with.empty()) ToSiUnits(*result);  // one axis for both
  const auto columns = ColumnsToPlot(*result, options);
  if (!columns) return kExitUsage;
  if (result->times.empty() || columns->empty()) {
    fmt::print(stderr, "cotree: {} has nothing to draw: no {}\n", options.file,
               columns->empty() ? "variables" : "rows; its run ended before the first");
    return kExitForeign;
  }
  std::vector<std::string> names;
  for (const size_t column : *columns) names.push_back(result->header.columns[column].name);
  std::vector<PlottedRun> runs{{&*result, fs::path(options.file).stem().string()}};
  std::optional<Result> other;
  if (!options.with.empty()) {
    other = LoadResult(options.with);
    if (!other) return kExitForeign;
    ToSiUnits(*other);
    std::string missing;
    size_t common = 0;
    for (const std::string& name : names) {
      if (other->header.Find(name))
        ++common;
      else
        missing += (missing.empty() ? "" : ", ") + name;
    }
    if (common == 0) {
      fmt::print(
          stderr,
          "cotree: {} has none of {}; name variables that both have (`cotree compare` lists the others)\n",
          options.with, missing);
      return kExitUsage;
    }
    if (!missing.empty()) fmt::print(stderr, "cotree: note: {} does not have {}\n", options.with, missing);
    runs.push_back({&*other, fs::path(options.with).stem().string()});
    if (runs[0].label == runs[1].label) {
      runs[0].label = options.file;
      runs[1].label = options.with;
    }
  }
  return SaveFigure(FigureOfResult(runs, names, options.title.value_or(TitleOf(result->header))), output);
}

}  // namespace cotree
