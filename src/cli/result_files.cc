// SPDX-License-Identifier: Apache-2.0
#include "cli/result_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "cli/console.h"
#include "cli/files.h"
#include "plot/draw_figure.h"
#include "results/select_columns.h"
#include "units/format_dimension.h"
#include "units/unit.h"

namespace cotree {
namespace {

std::string Listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", name);
  return out;
}

void SayMissing(const ResultHeader& header, const std::string& name, const std::string& path) {
  const bool pattern = name.find_first_of("*?") != std::string::npos;
  const std::vector<std::string> similar =
      pattern ? std::vector<std::string>() : SimilarNames(header, name, 4);
  // What its component has, or else anything.
  constexpr size_t kMost = 6;
  const std::string owner = name.substr(0, name.rfind('.') + 1);
  std::vector<std::string> some, beside;
  for (const ResultColumn& column : header.columns) {
    if (some.size() <= kMost) some.push_back(column.name);
    if (!owner.empty() && beside.size() <= kMost && column.name.starts_with(owner))
      beside.push_back(column.name);
  }
  if (!beside.empty()) some = std::move(beside);
  const bool more = some.size() > kMost;
  if (more) some.pop_back();
  const std::string remedy = !similar.empty() ? "did you mean " + Listed(similar) + "?"
                             : some.empty()   ? "it has none at all"
                                              : "there are " + Listed(some) + (more ? ", ..." : "");
  if (pattern)
    fmt::print(stderr, "cotree: no variable in {} fits `{}`; {}\n", path, name, remedy);
  else
    fmt::print(stderr, "cotree: there is no variable `{}` in {}; {}\n", name, path, remedy);
}

}  // namespace

std::optional<Result> LoadResult(const std::string& path) {
  std::string problem;
  std::optional<Result> result = ReadResult(path, &problem);
  if (!result) {
    fmt::print(stderr, "cotree: {}\n", problem);
    return std::nullopt;
  }
  if (!result->damage.empty()) fmt::print(stderr, "cotree: note: {}: {}\n", path, result->damage);
  if (result->status != kComplete)
    fmt::print(stderr, "cotree: note: {} is incomplete: the run did not come to its end ({})\n", path,
               result->status);
  return result;
}

void ToSiUnits(Result& result) {
  for (size_t k = 0; k < result.header.columns.size(); ++k) {
    ResultColumn& column = result.header.columns[k];
    if (column.unit.empty()) continue;
    const UnitResult parsed = ParseUnit(column.unit);
    if (!parsed.ok()) continue;
    const Unit& unit = parsed.unit();
    if (unit.factor == 1 && unit.offset == 0) continue;
    column.unit = FormatDimension(unit.dimension, unit.kind);
    for (double& value : result.columns[k]) value = unit.ToSi(value);
    for (ResultExtreme& extreme : result.extremes) {
      if (extreme.column == k) extreme.value = unit.ToSi(extreme.value);
    }
  }
}

int SaveResult(const Result& result, const std::string& path, ResultFormat format) {
  const bool ok = ReplaceFile(path, [&](const std::string& beside, std::string* problem) {
    return WriteResult(result, beside, format, problem);
  });
  return ok ? kExitOk : kExitForeign;
}

std::optional<std::vector<size_t>> FindColumns(const ResultHeader& header,
                                               const std::vector<std::string>& words,
                                               const std::string& path) {
  std::vector<size_t> columns;
  std::set<size_t> seen;
  for (const std::string& word : words) {
    for (const std::string& name : SplitNames(word)) {
      const std::vector<size_t> found = ColumnsLike(header, name);
      if (found.empty()) {
        SayMissing(header, name, path);
        return std::nullopt;
      }
      for (const size_t column : found) {
        if (seen.insert(column).second) columns.push_back(column);
      }
    }
  }
  return columns;
}

bool CheckPicturePath(const std::string& path) {
  if (path.ends_with(".svg") || path.ends_with(".png")) return true;
  fmt::print(stderr, "cotree: `{}` is no name for a picture; let it end with .svg or .png\n", path);
  return false;
}

int SaveFigure(const Figure& figure, const std::string& path) {
  const bool ok = path.ends_with(".svg")
                      ? WriteFileSafely(path, DrawSvg(figure))
                      : ReplaceFile(path, [&](const std::string& beside, std::string* problem) {
                          return WritePng(figure, beside, 2, problem);
                        });
  if (!ok) return kExitForeign;
  fmt::print("{}\n", path);
  return kExitOk;
}

}  // namespace cotree
