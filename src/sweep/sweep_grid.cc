// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cotree {
namespace {

std::string Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string() : std::string(text.substr(first, last - first + 1));
}

// At a separator outside brackets.
std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == separator && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) part = Trimmed(part);
  return parts;
}

constexpr const char* kExamples = "write --vary \"motor.R=0.1 ohm:0.5 ohm:5\" or --vary pid.kp=1,2,5";

// From one end to the other in `count` steps, the ends as they were written.
std::optional<SweepAxis> ReadRange(SweepAxis axis, const std::vector<std::string>& parts,
                                   std::string* problem) {
  const auto from = ReadQuantity(parts[0]), to = ReadQuantity(parts[1]);
  for (const auto& [end, text] : {std::pair(&from, &parts[0]), std::pair(&to, &parts[1])}) {
    if (*end) continue;
    *problem = fmt::format("`{}` is no number with a unit; {}", *text, kExamples);
    return std::nullopt;
  }
  if (!from->unit.empty() && !to->unit.empty() && from->unit != to->unit) {
    *problem =
        fmt::format("`{}` runs from {} to {}: give both ends the same unit", axis.name, from->unit, to->unit);
    return std::nullopt;
  }
  axis.unit = from->unit.empty() ? to->unit : from->unit;
  size_t count = 0;
  const std::string& words = parts[2];
  const auto read = std::from_chars(words.data(), words.data() + words.size(), count);
  if (read.ec != std::errc() || read.ptr != words.data() + words.size() || count < 2 ||
      count > SweepGrid::kMost) {
    *problem = fmt::format("`{}` is no number of values; at least 2, as in 0.1:0.5:5", words);
    return std::nullopt;
  }
  const double a = from->number, b = to->number;
  if (axis.log && !(a * b > 0)) {
    *problem = fmt::format("`{}` runs from {} to {}: for a logarithm both must be of one sign, and not 0",
                           axis.name, from->digits, to->digits);
    return std::nullopt;
  }
  for (size_t k = 0; k < count; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(count - 1);
    const double value = axis.log ? a * std::pow(b / a, share) : a * (1 - share) + b * share;
    axis.values.push_back(k == 0           ? from->digits
                          : k + 1 == count ? to->digits
                                           : fmt::format("{:.15g}", value));
    axis.numbers.push_back(ReadQuantity(axis.values.back())->number);
  }
  return axis;
}

std::optional<SweepAxis> ReadList(SweepAxis axis, const std::vector<std::string>& parts,
                                  std::string* problem) {
  bool numbers = true, one_unit = true;
  std::vector<WrittenQuantity> quantities;
  for (const std::string& part : parts) {
    if (part.empty()) {
      *problem = fmt::format("a value of `{}` is missing between commas; {}", axis.name, kExamples);
      return std::nullopt;
    }
    const auto quantity = ReadQuantity(part);
    numbers = numbers && quantity;
    if (quantity) quantities.push_back(*quantity);
    one_unit = one_unit && numbers && quantities.back().unit == quantities.front().unit;
  }
  if (one_unit) axis.unit = quantities.front().unit;
  for (size_t k = 0; k < parts.size(); ++k) {
    axis.values.push_back(one_unit ? quantities[k].digits : parts[k]);
    if (one_unit) axis.numbers.push_back(quantities[k].number);
    if (std::count(axis.values.begin(), axis.values.end(), axis.values.back()) == 1) continue;
    *problem = fmt::format("`{}` is to have the value {} twice", axis.name, parts[k]);
    return std::nullopt;
  }
  return axis;
}

}  // namespace

std::optional<WrittenQuantity> ReadQuantity(std::string_view text) {
  const std::string own = Trimmed(text);
  const size_t sign = own.starts_with('+') ? 1 : 0;
  WrittenQuantity out;
  const auto [end, error] = std::from_chars(own.data() + sign, own.data() + own.size(), out.number);
  if (error != std::errc() || !std::isfinite(out.number)) return std::nullopt;
  out.digits = own.substr(sign, static_cast<size_t>(end - own.data()) - sign);
  const std::string_view rest(end, static_cast<size_t>(own.data() + own.size() - end));
  out.unit = Trimmed(rest);
  const bool apart = rest.starts_with(' ');
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || static_cast<signed char>(c) < 0;
  };
  // "0.5 1/s" is a rate, "2*pi" no number.
  if (out.unit.empty() || letter(out.unit.front()) || (apart && out.unit.starts_with("1/"))) return out;
  return std::nullopt;
}

std::string SweepAxis::Setting(size_t k) const {
  return name + " = " + values[k] + (unit.empty() ? "" : " " + unit);
}

std::string SweepAxis::Label() const {
  return unit.empty() ? name : name + " [" + unit + "]";
}

std::optional<SweepAxis> ReadAxis(std::string_view text, bool log, std::string* problem) {
  const size_t equals = text.find('=');
  SweepAxis axis;
  if (equals != std::string_view::npos) axis.name = Trimmed(text.substr(0, equals));
  const std::string values =
      equals == std::string_view::npos ? std::string() : Trimmed(text.substr(equals + 1));
  if (axis.name.empty() || values.empty()) {
    *problem = fmt::format("`{}` is no parameter with values; {}", text, kExamples);
    return std::nullopt;
  }
  std::vector<std::string> range = Split(values, ':');
  if (range.size() == 1) return ReadList(std::move(axis), Split(values, ','), problem);
  axis.log = log || (range.size() == 4 && range[3] == "log");
  if (range.size() == 3 || (range.size() == 4 && range[3] == "log"))
    return ReadRange(std::move(axis), range, problem);
  *problem = fmt::format("`{}` is no range from:to:count; {}", values, kExamples);
  return std::nullopt;
}

size_t SweepGrid::size() const {
  size_t size = 1;
  for (const SweepAxis& axis : axes_) size = std::min(size * axis.values.size(), kMost + 1);
  return size;
}

std::vector<size_t> SweepGrid::At(size_t point) const {
  std::vector<size_t> at(axes_.size());
  for (size_t k = axes_.size(); k-- > 0;) {
    at[k] = point % axes_[k].values.size();
    point /= axes_[k].values.size();
  }
  return at;
}

std::string SweepGrid::Text(size_t point) const {
  const std::vector<size_t> at = At(point);
  std::string out;
  for (size_t k = 0; k < axes_.size(); ++k) out += (k == 0 ? "" : ", ") + axes_[k].Setting(at[k]);
  return out;
}

}  // namespace cotree
