// SPDX-License-Identifier: Apache-2.0
#include "cli/quantities.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "units/unit.h"

namespace cotree {

std::optional<NamedValue> ParseNamedValue(const std::string& text) {
  const auto trimmed = [](const std::string& part) {
    const size_t first = part.find_first_not_of(' ');
    return first == std::string::npos ? "" : part.substr(first, part.find_last_not_of(' ') + 1 - first);
  };
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return std::nullopt;
  NamedValue out;
  out.name = trimmed(text.substr(0, equals));
  const std::string value = trimmed(text.substr(equals + 1));
  char* end = nullptr;
  out.number = std::strtod(value.c_str(), &end);
  out.unit = trimmed(end);
  if (end == value.c_str() || out.name.empty() || !std::isfinite(out.number)) return std::nullopt;
  return out;
}

std::string ConvertToSi(const EquationSystem& system, VariableRef ref, NamedValue* value) {
  if (value->unit.empty()) return {};
  const UnitResult unit = ParseUnit(value->unit);
  if (!unit.ok()) return "`" + value->unit + "` is not a unit: " + unit.error().reason;
  const std::string own = UnitOf(system, ref);
  const UnitResult wanted = ParseUnit(own.empty() ? "1" : own);
  if (wanted.ok() && !own.empty() &&
      (wanted.unit().dimension != unit.unit().dimension || KindsClash(wanted.unit().kind, unit.unit().kind)))
    return "`" + value->unit + "` does not fit; it is measured in " + own;
  if (unit.unit().offset != 0 && !MayBeInCelsius(system, ref))
    return "`" + value->unit + "` is for absolute temperatures only; write the difference in K";
  value->number = unit.unit().ToSi(value->number);
  return {};
}

std::string TimeProblem(double time) {
  constexpr double kLatest = 1e15;
  if (std::fabs(time) <= kLatest) return {};
  return fmt::format(
      "a time of {:g} s cannot be resolved: numbers of that size are {:g} s apart; a run may reach {:g} s, "
      "some "
      "30 million years",
      time, std::fabs(std::nextafter(time, INFINITY) - time), kLatest);
}

std::optional<double> ParseTime(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || std::isnan(number)) return std::nullopt;
  std::string unit(end);
  unit.erase(std::remove(unit.begin(), unit.end(), ' '), unit.end());
  static const std::pair<const char*, double> kUnits[] = {
      {"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  for (const auto& [name, factor] : kUnits) {
    if (unit == name) return number * factor;
  }
  return std::nullopt;
}

}  // namespace cotree
