// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "cli/commands.h"
#include "cli/result_files.h"
#include "cli/text_table.h"
#include "results/compare_results.h"
#include "units/unit.h"

namespace cotree {
namespace {

std::string Some(const std::vector<std::string>& names) {
  std::string out;
  for (size_t k = 0; k < std::min<size_t>(names.size(), 5); ++k) out += (k == 0 ? "" : ", ") + names[k];
  return names.size() > 5 ? out + ", ..." : out;
}

// Whether what both have is of the same dimension in both; otherwise says so.
bool SameUnits(const Result& a, const Result& b, const CompareCommandOptions& options) {
  bool same = true;
  std::unordered_map<std::string_view, std::string_view> unit_of;
  for (const ResultColumn& column : b.header.columns) unit_of.emplace(column.name, column.unit);
  for (const ResultColumn& mine : a.header.columns) {
    const auto other = unit_of.find(mine.name);
    if (other == unit_of.end() || mine.unit.empty() || other->second.empty() || mine.unit == other->second)
      continue;
    const UnitResult first = ParseUnit(mine.unit), second = ParseUnit(other->second);
    if (!first.ok() || !second.ok()) continue;
    if (first.unit().dimension == second.unit().dimension &&
        !KindsClash(first.unit().kind, second.unit().kind))
      continue;
    fmt::print(stderr, "cotree: `{}` is in {} in {} and in {} in {}: they cannot be compared\n", mine.name,
               mine.unit, options.first, other->second, options.second);
    same = false;
  }
  return same;
}

}  // namespace

int RunCompare(const CompareCommandOptions& options, const Console& console) {
  if (!(options.rtol >= 0) || !(options.atol >= 0)) {
    fmt::print(stderr, "cotree: a tolerance must not be negative\n");
    return kExitUsage;
  }
  std::optional<Result> a = LoadResult(options.first), b = LoadResult(options.second);
  if (!a || !b) return kExitForeign;
  ToSiUnits(*a);
  ToSiUnits(*b);
  if (!SameUnits(*a, *b, options)) return kExitModel;
  const Comparison comparison = CompareResults(*a, *b, {options.rtol, options.atol});
  for (const auto& [names, path] :
       {std::pair(&comparison.only_a, &options.first), {&comparison.only_b, &options.second}}) {
    if (!names->empty())
      fmt::print("only in {}: {}: {}\n", *path, Plural(names->size(), "variable"), Some(*names));
  }
  const bool rows = !a->times.empty() && !b->times.empty();
  if (comparison.deviations.empty() && rows) {
    fmt::print(stderr, "cotree: {} and {} have no variable in common; compare results of the same system\n",
               options.first, options.second);
    return kExitUsage;
  }
  if (comparison.times == 0) {
    fmt::print(stderr, "cotree: {} and {} have no time in common; {}\n", options.first, options.second,
               rows ? "compare runs over the same time" : "one of them has no rows");
    return kExitUsage;
  }
  const size_t beyond = comparison.Beyond();
  TextTable table("lrrlrrr");
  table.Add({"variable", "worst", "allowed", "unit", "at", "first", "second"});
  const size_t shown = std::clamp<size_t>(beyond, 5, 20);
  for (size_t k = 0; k < std::min(shown, comparison.deviations.size()); ++k) {
    const Deviation& d = comparison.deviations[k];
    table.Add({d.name, ShortNumber(d.worst), ShortNumber(d.allowed), d.unit, ShortNumber(d.time) + " s",
               ShortNumber(d.a), ShortNumber(d.b)});
  }
  fmt::print("{}", table.Text("  ", console));
  if (!comparison.same_range)
    fmt::print("they do not cover the same time: {:g} to {:g} s, and {:g} to {:g} s\n", a->times.front(),
               a->times.back(), b->times.front(), b->times.back());
  const std::string where = fmt::format(
      "{} at {} from {:g} to {:g} s, rtol {:g}, atol {:g}", Plural(comparison.deviations.size(), "variable"),
      Plural(comparison.times, "time"), comparison.begin, comparison.end, options.rtol, options.atol);
  fmt::print("{}: {}\n", where, beyond == 0 ? "they agree" : Plural(beyond, "deviates", "deviate"));
  return beyond == 0 && comparison.same_range ? kExitOk : kExitModel;
}

}  // namespace cotree
